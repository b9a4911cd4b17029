//! The files of the clone: SQL outside the store, unsafe where it is not needed, printing below the
//! façade, names that say nothing, files that grew too long.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::Finding;
use super::source::Source;
use super::table::{
    DEVELOPMENT_ONLY, FORBIDDEN_NAMES, LONG_FILES, LONGEST_FILE_LINES, SQL_LOOKALIKES, SURFACE_EXCEPTIONS, SURFACELESS,
    UNSAFE_CRATES,
};
use super::workspace::Workspace;

/// The only crate that may hold SQL.
const STORE: &str = "bethink-store";

/// One Rust file of one of our crates.
#[derive(Debug, Clone)]
pub struct File {
    /// The crate that it belongs to.
    pub member: String,
    /// Its path from the root of the clone, with `/` between folders.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl File {
    /// Whether it is compiled for tests, examples or benchmarks only.
    fn is_development(&self) -> bool {
        let inside = self.path.split('/').skip_while(|part| *part != "src");
        let below_source = inside.clone().count() > 0;
        !below_source || self.path.ends_with("/tests.rs") || inside.clone().any(|part| part == "tests")
    }
}

/// Reads every Rust file of the workspace's crates.
pub fn read(repository: &Path, workspace: &Workspace) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for member in &workspace.members {
        let mut waiting: Vec<PathBuf> = vec![member.folder.clone()];
        while let Some(folder) = waiting.pop() {
            let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
            for entry in entries {
                let path = entry?.path();
                // A link could lead out of the clone or in a circle, and git keeps it as a link.
                if path.is_symlink() {
                    continue;
                }
                if path.is_dir() {
                    if path.file_name().is_some_and(|name| name != "target") {
                        waiting.push(path);
                    }
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text =
                        std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
                    let relative = path.strip_prefix(repository).unwrap_or(&path);
                    let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
                    files.push(File { member: member.name.clone(), path: parts.join("/"), text });
                }
            }
        }
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(files)
}

/// Checks every file.
pub fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut unsafe_members: Vec<&str> = Vec::new();
    for file in files {
        findings.extend(name(file));
        findings.extend(length(file));
        let source = Source::read(&file.text);
        if source.words("unsafe").next().is_some() && !file.is_development() {
            unsafe_members.push(&file.member);
        }
        if file.is_development() {
            continue;
        }
        findings.extend(sql(file, &source));
        findings.extend(surface(file, &source));
    }
    findings.extend(unsafe_code(files, &unsafe_members));
    findings.extend(listed_files(files));
    findings
}

fn name(file: &File) -> Option<Finding> {
    let forbidden = file
        .path
        .split('/')
        .map(|part| part.strip_suffix(".rs").unwrap_or(part))
        .find(|part| FORBIDDEN_NAMES.contains(part))?;
    Some(Finding::new(
        &file.path,
        "name",
        format!("`{forbidden}` says nothing about what is inside; name the file for the noun that it defines"),
    ))
}

fn length(file: &File) -> Option<Finding> {
    let lines = file.text.lines().count();
    let listed = LONG_FILES.iter().any(|(path, _)| *path == file.path);
    (lines > LONGEST_FILE_LINES && !listed).then(|| {
        Finding::new(
            &file.path,
            "length",
            format!("{lines} lines; past {LONGEST_FILE_LINES}, split it by its nouns or list it in LONG_FILES"),
        )
    })
}

/// Exceptions that no longer name a file would sit in the table for ever.
fn listed_files(files: &[File]) -> Vec<Finding> {
    let lists =
        [("LONG_FILES", LONG_FILES), ("SQL_LOOKALIKES", SQL_LOOKALIKES), ("SURFACE_EXCEPTIONS", SURFACE_EXCEPTIONS)];
    lists
        .iter()
        .flat_map(|(list, entries)| entries.iter().map(move |(path, _)| (*list, *path)))
        .filter(|(_, path)| !files.iter().any(|file| file.path == *path))
        .map(|(list, path)| Finding::new(path, "table", format!("is listed in {list} and does not exist")))
        .collect()
}

fn sql(file: &File, source: &Source) -> Vec<Finding> {
    if file.member == STORE
        || DEVELOPMENT_ONLY.contains(&file.member.as_str())
        || SQL_LOOKALIKES.iter().any(|(path, _)| *path == file.path)
    {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (at, string) in &source.strings {
        if source.ships(*at) && is_statement(string) {
            findings.push(Finding::new(
                format!("{}:{}", file.path, source.line(*at)),
                "sql",
                format!("an SQL statement outside {STORE}; ask for a method of its traits"),
            ));
        }
    }
    for at in source.words("rusqlite") {
        findings.push(Finding::new(
            format!("{}:{}", file.path, source.line(at)),
            "sql",
            format!("rusqlite outside {STORE}; no type of the database crosses the crate's border"),
        ));
    }
    findings
}

/// Whether a string is a statement, not a sentence in which such a word occurs: the verb stands
/// first, in capitals, and what the grammar wants after it follows.
fn is_statement(string: &str) -> bool {
    let words: Vec<&str> = string.split_whitespace().take(64).collect();
    let at = |position: usize| words.get(position).copied().unwrap_or("");
    let anywhere = |word: &str| words.contains(&word);
    match at(0) {
        "SELECT" => words.len() > 2 && (anywhere("FROM") || at(1).contains('(')),
        "INSERT" | "REPLACE" => (anywhere("INTO") || at(1) == "OR") && words.len() > 2,
        "DELETE" => at(1) == "FROM" && words.len() > 2,
        "UPDATE" => anywhere("SET") && words.len() > 3,
        "CREATE" | "DROP" | "ALTER" => {
            ["TABLE", "INDEX", "UNIQUE", "VIEW", "TRIGGER", "VIRTUAL"].contains(&at(1)) && words.len() > 2
        }
        "PRAGMA" => words.len() > 1,
        "WITH" => anywhere("AS") && anywhere("SELECT"),
        _ => false,
    }
}

fn surface(file: &File, source: &Source) -> Vec<Finding> {
    if !SURFACELESS.contains(&file.member.as_str()) || SURFACE_EXCEPTIONS.iter().any(|(path, _)| *path == file.path) {
        return Vec::new();
    }
    let words = ["println!", "eprintln!", "print!", "eprint!", "env::var", "env::var_os", "env::vars", "env::home_dir"];
    words
        .iter()
        .flat_map(|word| source.words(word).map(move |at| (word, at)))
        .map(|(word, at)| {
            Finding::new(
                format!("{}:{}", file.path, source.line(at)),
                "surface",
                format!("`{word}` below the façade: take it as an argument, or return it as data"),
            )
        })
        .collect()
}

fn unsafe_code(files: &[File], unsafe_members: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in files.iter().filter(|file| file.path.ends_with("src/lib.rs") || file.path.ends_with("src/main.rs")) {
        let forbids = Source::read(&root.text).code.contains("#![forbid(unsafe_code)]");
        let uses = unsafe_members.contains(&root.member.as_str());
        let listed = UNSAFE_CRATES.iter().any(|(name, _)| *name == root.member);
        let message = match (forbids, uses, listed) {
            (false, true, false) => "holds unsafe code and is not in UNSAFE_CRATES; say there what for",
            (false, false, _) => "needs no unsafe code; say `#![forbid(unsafe_code)]` at the root",
            _ => continue,
        };
        findings.push(Finding::new(&root.path, "unsafe", message));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(member: &str, path: &str, text: &str) -> File {
        File { member: member.to_owned(), path: path.to_owned(), text: text.to_owned() }
    }

    fn rules(files: &[File]) -> Vec<&'static str> {
        // The exception lists name real files, which made-up trees lack.
        check(files).into_iter().map(|finding| finding.rule).filter(|rule| *rule != "table").collect()
    }

    #[test]
    fn sql_is_found_outside_the_store_and_nowhere_else() {
        let select = "fn f() { g(\"SELECT path FROM document\"); }";
        assert_eq!(rules(&[file("bethink-search", "crates/bethink-search/src/plan.rs", select)]), ["sql"]);
        assert_eq!(rules(&[file("bethink-store", "crates/bethink-store/src/sqlite/read.rs", select)]), [""; 0]);
        assert_eq!(rules(&[file("bethink-search", "crates/bethink-search/tests/it/plan.rs", select)]), [""; 0]);
        let in_test = format!("#[cfg(test)]\nmod tests {{ {select} }}");
        assert_eq!(rules(&[file("bethink-text", "crates/bethink-text/src/code.rs", &in_test)]), [""; 0]);
        let raw = "use rusqlite::Connection;";
        assert_eq!(rules(&[file("bethink-engine", "crates/bethink-engine/src/home.rs", raw)]), ["sql"]);
    }

    #[test]
    fn a_sentence_is_no_statement() {
        for sentence in
            ["SELECT", "UPDATE your index first", "CREATE TABLE", "Select a folder from the list", "WITH care"]
        {
            assert!(!is_statement(sentence), "{sentence}");
        }
        for statement in [
            "SELECT 1, 2 FROM t",
            "SELECT max(id)  AS x",
            "INSERT OR IGNORE INTO t VALUES (?)",
            "\n  UPDATE t\n SET a = 1 WHERE b",
            "CREATE TABLE t (a)",
            "PRAGMA user_version",
            "WITH x AS (VALUES (1)) SELECT a FROM x",
        ] {
            assert!(is_statement(statement), "{statement}");
        }
    }

    #[test]
    fn names_that_say_nothing_fail_as_files_and_as_folders() {
        assert_eq!(rules(&[file("bethink-text", "crates/bethink-text/src/utils.rs", "")]), ["name"]);
        assert_eq!(rules(&[file("bethink-text", "crates/bethink-text/src/common/mod.rs", "")]), ["name"]);
        assert_eq!(rules(&[file("bethink-text", "crates/bethink-text/src/commonmark.rs", "")]), [""; 0]);
    }

    #[test]
    fn a_file_past_the_limit_fails() {
        let long = "//\n".repeat(LONGEST_FILE_LINES + 1);
        assert_eq!(rules(&[file("bethink-text", "crates/bethink-text/src/word.rs", &long)]), ["length"]);
        let fits = "//\n".repeat(LONGEST_FILE_LINES);
        assert_eq!(rules(&[file("bethink-text", "crates/bethink-text/src/word.rs", &fits)]), [""; 0]);
    }

    #[test]
    fn unsafe_is_forbidden_where_it_is_not_needed() {
        let root = |text: &str| file("bethink-text", "crates/bethink-text/src/lib.rs", text);
        assert_eq!(rules(&[root("")]), ["unsafe"]);
        assert_eq!(rules(&[root("// #![forbid(unsafe_code)]")]), ["unsafe"]);
        assert_eq!(rules(&[root("#![forbid(unsafe_code)]")]), [""; 0]);
        assert_eq!(rules(&[root("fn f() { unsafe { g() } }")]), ["unsafe"]);
        let kernel = file("bethink-embed", "crates/bethink-embed/src/kernel.rs", "fn f() { unsafe { g() } }");
        assert_eq!(rules(&[file("bethink-embed", "crates/bethink-embed/src/lib.rs", ""), kernel]), [""; 0]);
    }

    #[test]
    fn engines_know_no_surface() {
        let prints = "fn f() { println!(\"x\"); let home = std::env::var(\"HOME\"); }";
        assert_eq!(
            rules(&[file("bethink-ingest", "crates/bethink-ingest/src/walk.rs", prints)]),
            ["surface", "surface"]
        );
        assert_eq!(rules(&[file("bethink", "crates/bethink/src/terminal.rs", prints)]), [""; 0]);
    }
}
