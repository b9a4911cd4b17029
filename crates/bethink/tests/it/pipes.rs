//! A closed pipe is no error: F16. What is printed for programs: -0, --files, JSON.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use crate::sandbox::{Ran, Sandbox};

fn full() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..60 {
        sandbox.write(format!("{number}.md"), format!("a note about owls, number {number}\n").repeat(3));
    }
    sandbox.index();
    sandbox
}

#[test]
fn f16_a_reader_that_goes_away_ends_the_command_quietly() {
    let sandbox = full();
    for arguments in
        [&["grep", "-n", "60", "owls"][..], &["find", "-n", "60", "md"], &["completions", "bash"], &["--help"]]
    {
        let mut child = sandbox.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked") && !stderr.contains("pipe"), "{arguments:?}: {stderr}");
    }
    let shell = |line: &str| {
        let mut command = sandbox.command(&[]);
        let program = command.get_program().to_owned();
        command = sandbox.command(&[]);
        let mut shell = std::process::Command::new("sh");
        shell
            .arg("-c")
            .arg(line.replace("bethink", program.to_str().unwrap()))
            .current_dir(sandbox.files())
            .env_clear();
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                shell.env(name, value);
            }
        }
        Ran::from(shell.output().unwrap())
    };
    let head = shell("bethink grep -n 60 owls | head -1");
    assert_eq!((head.code, head.stdout.lines().count()), (0, 1), "{head:?}");
    assert!(head.stderr.is_empty() || !head.stderr.contains("panicked"), "{head:?}");
    assert!(!shell("bethink grep owls >&-").stderr.contains("panicked"));
    assert_eq!(shell("bethink grep owls 2>&-").code, 0);
}

#[test]
fn f2_odd_names_come_back_byte_for_byte() {
    let sandbox = Sandbox::new();
    let names: Vec<&[u8]> = vec![
        "°.md".as_bytes(),
        b"----=-.md",
        b"{.md",
        b"-rf.md",
        b"a\nb.md",
        b"caf\xe9.md",
        b"tab\tname.txt",
        b"weird 'quote\".docx.txt",
        b"Name (2001).txt",
        b"my file.md",
        b"my-file.md",
        b"my_file.md",
        b"my#file&[1](2).md",
    ];
    for (number, name) in names.iter().enumerate() {
        sandbox.write(OsStr::from_bytes(name), format!("the puffin stands on cliff number {number} today\n"));
    }
    let summary = sandbox.index();
    assert_eq!(summary["indexed"], names.len(), "{summary}");
    let output = sandbox.command(&["grep", "-0", "-n", "50", "puffin cliff"]).output().unwrap();
    let mut found: Vec<&[u8]> = output.stdout.split(|&byte| byte == 0).filter(|path| !path.is_empty()).collect();
    assert_eq!(found.len(), names.len());
    for path in &found {
        let opened = fs::read(sandbox.files().join(OsStr::from_bytes(path)));
        assert!(opened.is_ok(), "{:?}", String::from_utf8_lossy(path));
    }
    found.iter_mut().for_each(|path| *path = path.strip_prefix(b"./").unwrap_or(path));
    found.sort_unstable();
    let mut expected = names.clone();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let json = sandbox.run(&["grep", "--json", "-n", "50", "puffin cliff"]);
    let lossless = json.json().into_iter().filter(|line| line.get("path_bytes").is_some()).count();
    assert_eq!(lossless, 1, "only the name that is no UTF-8 needs its bytes");
    let lines = sandbox.run(&["grep", "-n", "50", "puffin cliff"]);
    assert_eq!(lines.stdout.lines().count(), names.len(), "a line break in a name breaks no line: {lines:?}");
}

#[test]
fn json_has_the_fields_that_are_promised() {
    let sandbox = full();
    let ran = sandbox.run(&["grep", "--json", "-n", "2", "owls"]);
    let lines = ran.json();
    assert_eq!(lines.len(), 3);
    for field in [
        "type",
        "rank",
        "score",
        "path",
        "line",
        "locator",
        "title",
        "kind",
        "ext",
        "excerpt",
        "modified",
        "match",
        "document_id",
    ] {
        assert!(lines[0].get(field).is_some(), "hit lacks {field}: {}", lines[0]);
    }
    for field in
        ["type", "query", "hits", "documents", "searched", "pending", "unreadable", "where", "notes", "elapsed_ms"]
    {
        assert!(lines[2].get(field).is_some(), "summary lacks {field}: {}", lines[2]);
    }
    assert_eq!(lines[2]["hits"], 2);
}

#[test]
fn a_hit_line_is_path_line_score_excerpt() {
    let sandbox = Sandbox::new();
    sandbox.write("deep/owl.md", "# Night\n\nThe tawny owl calls after dusk.\n");
    sandbox.index();
    let ran = sandbox.run(&["grep", "tawny owl"]);
    assert_eq!(ran.code, 0);
    let line = ran.stdout.lines().next().unwrap();
    assert!(line.starts_with("deep/owl.md:3 (") && line.contains(") — ") && line.contains("tawny owl"), "{line}");
    let elsewhere = sandbox.command(&["grep", "tawny owl"]).current_dir(sandbox.user_home()).output().unwrap();
    let elsewhere = String::from_utf8(elsewhere.stdout).unwrap();
    assert!(elsewhere.starts_with(sandbox.files().join("deep/owl.md").to_str().unwrap()), "{elsewhere}");
    let read = sandbox.run(&["read", "deep/owl.md:3"]);
    assert!(read.stdout.contains("3> The tawny owl calls"), "{read:?}");
}
