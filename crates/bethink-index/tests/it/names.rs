use std::path::{Path, PathBuf};

use bethink_core::{FileKind, Sequence, UnixMillis};
use bethink_index::{CacheStamp, ModifiedWindow, NameAnswer, NameEntry, NameHow, NameQuery, Names, NamesBuilder};
use proptest::prelude::*;
use tempfile::TempDir;

const STAMP: CacheStamp = CacheStamp { store: [4; 16], sequence: Sequence(12) };

/// Names of files with those times in milliseconds; a path that ends in `/` is a folder.
fn build(entries: &[(&Path, i64)]) -> (TempDir, Names) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("names");
    let mut builder = NamesBuilder::new(STAMP, UnixMillis(99));
    for (path, modified) in entries {
        let is_folder = path.as_os_str().to_string_lossy().ends_with('/');
        builder
            .push(&NameEntry { path, is_folder, size_bytes: 1000 + *modified as u64, modified: UnixMillis(*modified) })
            .unwrap();
    }
    builder.finish(&file).unwrap();
    let names = Names::open(&file).unwrap().unwrap();
    (folder, names)
}

fn of(paths: &[&str]) -> (TempDir, Names) {
    let entries: Vec<(&Path, i64)> = paths.iter().map(|path| (Path::new(*path), 0)).collect();
    build(&entries)
}

fn query(words: &str) -> NameQuery {
    NameQuery { words: words.to_owned(), limit: 20, ..NameQuery::default() }
}

fn paths(answer: &NameAnswer) -> Vec<String> {
    answer.matches.iter().map(|found| found.path.to_string_lossy().into_owned()).collect()
}

const HOME: [&str; 14] = [
    "/home/ada/work/clients/acme/Acme Financial - One Page Memo.pptx",
    "/home/ada/work/clients/acme/financial-report-2023.xlsx",
    "/home/ada/work/memo.txt",
    "/home/ada/work/fermi/fermi_draft-v2.md",
    "/home/ada/work/fermi/draft of another thing.md",
    "/home/ada/work/demo.txt",
    "/home/ada/music/冰糖.mp3",
    "/home/ada/notes/中文合約轉換.md",
    "/home/ada/notes/Résumé–final.doc",
    "/home/ada/photos/IMG20240105.jpg",
    "/home/ada/code/thread_policy.rs",
    "/home/ada/hr/policy.pdf",
    "/home/ada/notes/The Office party.md",
    "/home/ada/work/",
];

#[test]
fn words_are_apart_and_borders_are_aside() {
    let (_folder, names) = of(&HOME);
    for (words, expected, how) in [
        ("financial memo", HOME[0], NameHow::Words),
        ("memo pptx", HOME[0], NameHow::Words),
        ("one_page", HOME[0], NameHow::Words),
        ("onepage memo", HOME[0], NameHow::Substring),
        ("memo", HOME[2], NameHow::Exact),
        ("memo.txt", HOME[2], NameHow::Exact),
        ("fermi draft", HOME[3], NameHow::Prefix),
        ("draft fermi", HOME[3], NameHow::Words),
        ("FERMI-DRAFT.V2", HOME[3], NameHow::Exact),
        ("finacial memo", HOME[0], NameHow::Typo),
        ("finacial", HOME[1], NameHow::Typo),
        ("finanical report", HOME[1], NameHow::Typo),
        ("acme report", HOME[1], NameHow::Words),
        ("冰糖", HOME[6], NameHow::Exact),
        ("合約", HOME[7], NameHow::Words),
        ("resume", HOME[8], NameHow::Prefix),
        ("20240105", HOME[9], NameHow::Words),
        ("hr policy", HOME[11], NameHow::Words),
        ("the office party", HOME[12], NameHow::Exact),
        ("memo from the office of acme", HOME[0], NameHow::Words),
        ("hread", HOME[10], NameHow::Substring),
    ] {
        let answer = names.search(&query(words));
        let first = &answer.matches[0];
        assert_eq!((first.path.as_path(), first.how), (Path::new(expected), how), "{words}: {:?}", paths(&answer));
    }
}

#[test]
fn a_word_may_be_missing_only_when_nothing_has_all() {
    let (_folder, names) = of(&HOME);
    let answer = names.search(&query("fermi draft"));
    assert!(answer.matches.iter().all(|found| found.missing_words == 0));
    let answer = names.search(&query("fermi draft zeppelin"));
    assert_eq!(answer.matches[0].path, Path::new(HOME[3]));
    assert!(answer.matches.iter().all(|found| found.missing_words >= 1));
    let answer = names.search(&query("zeppelin"));
    assert_eq!((answer.matches.len(), answer.found), (0, 0));
    assert!(names.search(&query("qqqq zzzz xxxx")).matches.is_empty());
}

#[test]
fn filters_say_what_they_hid() {
    let (_folder, names) = of(&HOME);
    let answer = names.search(&NameQuery { kinds: vec![FileKind::Image], ..query("financial memo") });
    assert!(answer.matches.is_empty());
    assert_eq!(answer.hidden_by_kind.unwrap().best.path, Path::new(HOME[0]));
    let answer = names.search(&NameQuery { extensions: vec![".XLSX".to_owned()], ..query("financial") });
    assert_eq!(paths(&answer), [HOME[1]]);
    let within =
        |folder: &str, words: &str| names.search(&NameQuery { within: Some(PathBuf::from(folder)), ..query(words) });
    assert_eq!(paths(&within("/home/ada/work/fermi/", "draft")).len(), 2);
    let answer = within("/home/ada/notes", "draft");
    assert!(answer.matches.is_empty());
    let hidden = answer.hidden_by_within.unwrap();
    assert_eq!((hidden.count, hidden.best.path.as_path()), (2, Path::new(HOME[3])));
    assert!(within("/home/ada/no", "draft").matches.is_empty());
    assert!(within("/elsewhere", "draft").matches.is_empty());
    assert_eq!(within("/", "draft").matches.len(), 2);
    assert!(within("/home/ada/wor", "memo").matches.is_empty(), "half a folder's name is no folder");
}

#[test]
fn folders_are_answers_when_asked_for() {
    let (_folder, names) = of(&HOME);
    let folders = NameQuery { kinds: vec![FileKind::Folder], ..query("work") };
    assert_eq!(names.search(&folders).matches[0].path, Path::new("/home/ada/work"));
    let answer = names.search(&query("work"));
    assert!(answer.matches.iter().all(|found| found.kind != FileKind::Folder));
    let answer = names.search(&NameQuery { include_folders: true, ..query("work") });
    assert_eq!(answer.matches[0].how, NameHow::Exact);
}

#[test]
fn without_words_the_newest_come_first() {
    let entries: Vec<(&Path, i64)> = HOME.iter().zip(0..).map(|(path, at)| (Path::new(*path), at * 10)).collect();
    let (_folder, names) = build(&entries);
    let window = ModifiedWindow { start: UnixMillis(20), end: UnixMillis(50) };
    let listed = NameQuery { modified: Some(window), ..query("") };
    assert_eq!(paths(&names.search(&listed)), [HOME[4], HOME[3], HOME[2]]);
    assert_eq!(names.search(&query(" ")).matches[0].path, Path::new(HOME[12]));
    let answer = names.search(&NameQuery { modified: Some(window), ..query("financial memo") });
    assert_eq!(answer.hidden_by_time.unwrap().best.path, Path::new(HOME[0]));
}

#[test]
fn ranking_prefers_the_name_the_short_and_the_new() {
    let entries: Vec<(&Path, i64)> = [
        ("/a/budget/plan.md", 0),
        ("/a/x/budget plan and a long tail of words.md", 0),
        ("/a/x/budget plan.md", 0),
        ("/b/x/budget plan.md", 5),
        ("/a/x/xbudgetx xplanx.md", 0),
        ("/a/x/plan budget.md", 0),
    ]
    .iter()
    .map(|(path, at)| (Path::new(*path), *at))
    .collect();
    let (_folder, names) = build(&entries);
    let found = paths(&names.search(&query("budget plan")));
    assert_eq!(found[..3], ["/b/x/budget plan.md", "/a/x/budget plan.md", "/a/x/plan budget.md"]);
    assert_eq!(found[5], "/a/budget/plan.md", "a name that holds all words comes before folders that do: {found:?}");
}

#[test]
fn names_that_are_hardly_words_are_found_and_given_back() {
    let odd = [
        "/n/°.md",
        "/n/----=-.md",
        "/n/{.md",
        "/n/-rf.md",
        "/n/a\nb.md",
        "/n/tab\tname.txt",
        "/n/weird 'quote\".docx",
        "/n/Name (2001).pdf",
        "/n/my#file&[1](2).md",
        "/n/.env.local",
        "/n/c++ notes.md",
        "/n/🎉 party.md",
    ];
    let (_folder, names) = of(&odd);
    for (words, expected) in [
        ("°", odd[0]),
        ("----=-", odd[1]),
        ("{", odd[2]),
        ("rf", odd[3]),
        ("a b", odd[4]),
        ("tab name", odd[5]),
        ("weird quote", odd[6]),
        ("name 2001", odd[7]),
        ("my file 1 2", odd[8]),
        (".env.local", odd[9]),
        ("c++", odd[10]),
        ("🎉", odd[11]),
    ] {
        let answer = names.search(&query(words));
        assert_eq!(answer.matches.first().map(|found| found.path.as_path()), Some(Path::new(expected)), "{words}");
    }
    let everything = names.search(&query(""));
    let mut listed = paths(&everything);
    let mut expected = odd.map(str::to_owned).to_vec();
    listed.sort();
    expected.sort();
    assert_eq!(listed, expected);
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_come_back_byte_for_byte() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let path = PathBuf::from(OsStr::from_bytes(b"/f\xff\xfeolder/caf\xe9 memo.txt"));
    let (_folder, names) = build(&[(&path, 3)]);
    let answer = names.search(&query("memo"));
    assert_eq!((&answer.matches[0].path, answer.matches[0].size_bytes), (&path, 1003));
}

#[test]
fn suggestions_are_near_names() {
    let (_folder, names) = of(&HOME);
    assert_eq!(names.nearest("fnancal", 1)[0].path, Path::new(HOME[1]));
    assert!(names.nearest("", 3).is_empty());
    assert_eq!(names.nearest("thred polcy", 1)[0].path, Path::new(HOME[10]));
}

#[test]
fn an_empty_collection_is_no_damage_and_facts_are_kept() {
    let (_folder, names) = of(&[]);
    assert!(names.is_empty() && names.search(&query("x")).matches.is_empty());
    assert_eq!((names.built(), names.stamp()), (UnixMillis(99), STAMP));
    assert!(Names::open(Path::new("/nowhere/names")).unwrap().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_collecting_changes_no_answer(
        mut paths_given in prop::collection::btree_set("/[a-c]{1,2}/([a-c]{1,2}/)?[a-d _.-]{1,8}\\.(md|txt)", 1..40),
        words in "[a-d]{1,3}( [a-d]{1,3})?",
    ) {
        let forward: Vec<(&Path, i64)> = paths_given.iter().map(|path| (Path::new(path.as_str()), 0)).collect();
        let backward: Vec<(&Path, i64)> = forward.iter().rev().copied().collect();
        let (_one, first) = build(&forward);
        let (_two, second) = build(&backward);
        let answer = first.search(&query(&words));
        prop_assert_eq!(&answer, &second.search(&query(&words)));
        prop_assert!(answer.found >= answer.matches.len());
        let few = first.search(&NameQuery { limit: 3, ..query(&words) });
        prop_assert_eq!(&few.matches[..], &answer.matches[..answer.matches.len().min(3)]);
        for found in &answer.matches {
            prop_assert!(found.score > 0.0 && found.score <= 1.001, "{}", found.score);
            let path = found.path.to_string_lossy().into_owned();
            prop_assert!(paths_given.remove(&path), "{path} twice or never collected");
        }
    }

    #[test]
    fn a_name_is_found_by_its_own_words(name in "[a-zA-Zäöé0-9 _.\\-]{1,20}", other in "[a-z]{1,12}") {
        prop_assume!(name != "." && name != ".." && name.chars().any(char::is_alphanumeric));
        let path = Path::new("/folder").join(&name);
        let decoy = Path::new("/folder").join(format!("decoy {other}"));
        let (_folder, names) = build(&[(&decoy, 0), (&path, 0)]);
        let answer = names.search(&NameQuery { include_folders: true, ..query(&name) });
        let found = answer.matches.iter().find(|found| found.path == path);
        prop_assert_eq!(found.map(|found| found.how), Some(NameHow::Exact), "{:?}", answer);
    }

    #[test]
    fn nothing_that_can_be_typed_is_too_strange(words in ".{0,40}") {
        let (_folder, names) = of(&HOME);
        names.search(&query(&words));
        names.nearest(&words, 3);
    }
}
