//! What is in, what is out, and why.

use std::path::Path;

use crate::sandbox::Sandbox;

#[test]
fn doctor_says_why_for_every_kind_of_path() {
    let sandbox = Sandbox::new();
    sandbox.write("in.md", "x y z\n");
    sandbox.write(".gitignore", "*.draft\n");
    sandbox.write("a.draft", "x\n");
    sandbox.write("node_modules/m/readme.md", "x\n");
    sandbox.write(".ssh/id_rsa", "x\n");
    sandbox.write("empty.md", "");
    sandbox.index();
    for (path, words) in [
        ("a.draft", ".gitignore"),
        ("node_modules/m/readme.md", "node_modules"),
        (".ssh/id_rsa", "never read"),
        ("empty.md", "empty"),
        ("nowhere.md", "cannot be seen"),
        ("/etc/hostname", "bethink index"),
    ] {
        let ran = sandbox.run(&["doctor", "--why", path]);
        assert_eq!(ran.code, 1, "{path}: {ran:?}");
        assert!(ran.stdout.contains(words), "{path}: {ran:?}");
    }
    let inside = sandbox.run(&["doctor", "--why", "in.md"]);
    assert_eq!(inside.code, 0, "{inside:?}");
}

#[test]
fn secrets_are_never_read_even_where_named() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.env.local", "TOKEN=canarysecret\n");
    sandbox.write("keys/server.pem", "-----BEGIN PRIVATE KEY-----\ncanarysecret\n");
    sandbox.write("notes.md", "nothing\n");
    sandbox.index();
    assert!(sandbox.grep("canarysecret").is_empty());
    let named = sandbox.run(&["index", "project/.env.local"]);
    assert_eq!(named.code, 2, "{named:?}");
    assert!(sandbox.grep("canarysecret").is_empty());
}

#[test]
fn the_table_of_formats_is_told() {
    let sandbox = Sandbox::new();
    let all = sandbox.run(&["formats", "--json"]).json();
    let names: Vec<&str> = all.iter().filter_map(|format| format["name"].as_str()).collect();
    for name in ["pdf", "docx", "xlsx", "epub", "eml", "zip", "text"] {
        assert!(names.iter().any(|known| known.contains(name)), "{name} is not in {names:?}");
    }
    let one = sandbox.run(&["formats", ".pdf"]);
    assert!(
        one.code == 0
            && one.stdout.contains("page")
            && one.stdout.starts_with("pdf\n")
            && one.stdout.contains("limits"),
        "{one:?}"
    );
    let none = sandbox.run(&["formats", "nothing-like-it"]);
    assert!(none.code == 1 && none.stderr.contains("bethink formats"), "{none:?}");
}

#[test]
fn the_page_of_formats_says_what_the_program_says() {
    let rows = Sandbox::new().run(&["formats", "--json"]).json();
    let cells = |row: &serde_json::Value| {
        ["name", "detected_by", "locator", "lost", "limits"].map(|cell| row[cell].as_str().unwrap().replace('|', "\\|"))
    };
    let table: String = rows.iter().map(|row| format!("| {} |\n", cells(row).join(" | "))).collect();
    let page = format!(
        "# Formats\n\nWhat `bethink formats` says, written down. Content decides the type, not the extension.\n\n\
         | format | told by | a hit points at | lost | limits |\n|---|---|---|---|---|\n{table}"
    );
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    if std::env::var_os("BETHINK_WRITE_DOCS").is_some() {
        std::fs::write(&file, &page).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == page,
        "docs/formats.md is behind; write it anew: BETHINK_WRITE_DOCS=1 cargo test -p bethink page_of"
    );
}

#[test]
fn status_counts_and_help_reads() {
    let sandbox = Sandbox::new();
    let empty = sandbox.run(&["status"]);
    assert_eq!(empty.code, 0, "{empty:?}");
    assert!(empty.stderr.contains("bethink index"), "{empty:?}");
    sandbox.write("a.md", "x y\n");
    sandbox.write("b.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    sandbox.index();
    let status = &sandbox.run(&["status", "--json"]).json()[0];
    assert_eq!((status["documents"].as_u64(), status["indexed"].as_u64()), (Some(2), Some(1)), "{status}");
    for command in
        ["index", "grep", "find", "read", "status", "doctor", "formats", "models", "mcp", "install", "watch", "search"]
    {
        let help = sandbox.run(&[command, "--help"]);
        assert_eq!(help.code, 0, "{command}");
        assert!(help.stdout.contains("Usage: bethink"), "{command}: {help:?}");
    }
    assert_eq!(sandbox.run(&[]).code, 2);
    assert!(sandbox.run(&["index"]).code == 0);
}

#[test]
fn l4_a_root_that_is_filtered_to_nothing_is_complete() {
    let sandbox = Sandbox::new();
    sandbox.write(".gitignore", "*\n");
    sandbox.write("a.md", "x\n");
    let summary = sandbox.index();
    assert_eq!(summary["indexed"], 0);
    assert_eq!(summary["roots"][0]["state"], "complete", "{summary}");
    let skipped = summary["skipped"].to_string();
    assert!(skipped.contains("ignored"), "{summary}");
}
