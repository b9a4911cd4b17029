//! What is remembered, found by the one search: M1, M5, M6 and M22 of the memory's cases.

use std::fs;

use crate::sandbox::{Ran, Sandbox};

fn well(ran: Ran) -> Ran {
    assert_eq!(ran.code, 0, "{ran:?}");
    ran
}

/// Titles of what a question hits.
fn titles(sandbox: &Sandbox, query: &str) -> Vec<String> {
    let ran = sandbox.run(&["search", "--json", "--", query]);
    assert!(ran.code == 0 || ran.code == 1, "{ran:?}");
    let hits = ran.json();
    hits.iter()
        .filter(|line| line["type"] == "hit")
        .filter_map(|hit| hit["title"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn m1_m6_what_is_written_is_found_at_once_even_with_no_folder() {
    let sandbox = Sandbox::new();
    well(sandbox.run(&["log", "append", "tram 28 ride in Lisbon"]));
    assert_eq!(titles(&sandbox, "Lisbon tram"), ["tram 28 ride in Lisbon"]);
    well(sandbox.run(&["notebook", "write", "Sourdough", "feed the starter at dawn"]));
    assert_eq!(titles(&sandbox, "starter at dawn")[0], "Sourdough");
    well(sandbox.run(&["pin", "the user identity key is folded"]));
    assert_eq!(titles(&sandbox, "user identity name")[0], "the user identity key is folded");
    well(sandbox.run(&["people", "add", "Иван Петров", "Vanya"]));
    assert_eq!(titles(&sandbox, "vanya")[0], "Иван Петров");
    let turn = well(sandbox.run(&["log", "append", "--kind", "agent", "where is the xylophone"]));
    assert!(!turn.stdout.is_empty() && titles(&sandbox, "xylophone").is_empty());
}

#[test]
fn files_and_notes_stand_in_one_list_and_are_read_alike() {
    let sandbox = Sandbox::new();
    sandbox.write("walnut.md", "# Walnut cake\n\nA cake with walnuts.\n");
    sandbox.index();
    well(sandbox.run(&["notebook", "write", "Walnut tree", "the walnut by the fence needs pruning"]));
    let found: Vec<String> = well(sandbox.run(&["search", "--json", "--", "walnut"]))
        .json()
        .iter()
        .filter_map(|hit| hit["heading"][0].as_str().map(str::to_owned))
        .collect();
    assert!(found.contains(&"Walnut cake".to_owned()) && found.contains(&"Walnut tree".to_owned()), "{found:?}");
    let json = well(sandbox.run(&["search", "--json", "--in", "memory:", "--", "walnut"])).json();
    let hit = &json[0];
    let path = hit["path"].as_str().unwrap();
    assert!(path.starts_with("memory:/notes/") && path.ends_with("/walnut-tree.md"), "{path}");
    assert_eq!(json.iter().filter(|line| line["type"] == "hit").count(), 1, "{json:?}");
    let read = well(sandbox.run(&["read", path])).stdout;
    assert!(read.contains("needs pruning"), "{read}");
    // Indexing again leaves it where it is, and so does building the index anew.
    sandbox.index();
    assert!(titles(&sandbox, "pruning").contains(&"Walnut tree".to_owned()));
    for name in ["index.db", "index.db-wal", "index.db-shm"] {
        let _ = fs::remove_file(sandbox.data_home().join(name));
    }
    assert_eq!(titles(&sandbox, "pruning"), ["Walnut tree"]);
}

#[test]
fn a_note_that_changes_is_found_as_it_is_now() {
    let sandbox = Sandbox::new();
    well(sandbox.run(&["notebook", "write", "Food", "loves aubergines"]));
    assert_eq!(titles(&sandbox, "aubergines"), ["Food"]);
    well(sandbox.run(&["notebook", "write", "Food", "hates courgettes"]));
    assert_eq!(titles(&sandbox, "courgettes"), ["Food"]);
    assert!(titles(&sandbox, "aubergines").is_empty());
    let history = well(sandbox.run(&["notebook", "history", "food"])).stdout;
    assert!(history.contains("aubergines"), "{history}");
}

#[test]
fn m5_what_is_forgotten_is_in_no_byte_of_the_data_home() {
    let sandbox = Sandbox::new();
    sandbox.write("other.md", "something else\n");
    sandbox.index();
    let id = well(sandbox.run(&["log", "append", "the word is quetzalcoatl"])).stdout;
    well(sandbox.run(&["notebook", "write", "Quetzalcoatl", "a feathered snake"]));
    assert_eq!(titles(&sandbox, "quetzalcoatl").len(), 2);
    well(sandbox.run(&["log", "forget", id.trim()]));
    well(sandbox.run(&["notebook", "forget", "quetzalcoatl"]));
    assert!(titles(&sandbox, "quetzalcoatl").is_empty());
    assert_eq!(sandbox.run(&["notebook", "show", "quetzalcoatl"]).code, 2);
    let mut folders = vec![sandbox.data_home()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).unwrap().to_ascii_lowercase();
            assert!(!bytes.windows(12).any(|window| window == b"quetzalcoatl"), "{}", path.display());
        }
    }
}

#[test]
fn the_owners_words_win_on_the_command_line_too() {
    let sandbox = Sandbox::new();
    well(sandbox.run(&["notebook", "write", "--person", "Anna Keller", "--tag", "trip", "Lisbon", "Anna likes trams"]));
    let check = well(sandbox.run(&["notebook", "check", "--json", "--person", "anna"])).json();
    assert_eq!((check[0]["title"].as_str(), check[0]["person"].as_str()), (Some("Lisbon"), Some("Anna Keller")));
    assert_eq!(check[0]["user_edited"], true);
    let nobody = sandbox.run(&["notebook", "check", "--person", "Bob"]);
    assert!(nobody.code == 1 && nobody.stderr.contains("no notes filed under that person"), "{nobody:?}");
    let stale = sandbox.run(&["notebook", "write", "--expected", "7", "Lisbon", "else"]);
    assert!(stale.code == 2 && stale.stderr.contains("version 1"), "{stale:?}");
    let same = well(sandbox.run(&[
        "notebook",
        "write",
        "--person",
        "Anna Keller",
        "--tag",
        "trip",
        "lisbon",
        "Anna likes trams",
    ]));
    assert!(same.stderr.contains("changed") || same.stderr.contains("already"), "{same:?}");
    let empty = sandbox.run(&["notebook", "suggestions"]);
    assert_eq!(empty.code, 1);
    let pinned = well(sandbox.run(&["pin", "sing"]));
    let again = well(sandbox.run(&["pin", "sing"]));
    assert!(pinned.stderr.contains("pinned") && again.stderr.contains("already"), "{again:?}");
}
