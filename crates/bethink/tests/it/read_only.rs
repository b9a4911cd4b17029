//! A home that can be read and not written: another user's, or one on a backup medium.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::sandbox::{Ran, Sandbox};

/// Nobody, on every system that we build on: root would be refused nothing.
const NOBODY: u32 = 65_534;

/// Takes everybody's right to write, and gives the right to read.
fn close(path: &Path) {
    let is_folder = path.is_dir();
    if is_folder {
        for entry in fs::read_dir(path).unwrap().flatten() {
            close(&entry.path());
        }
    }
    fs::set_permissions(path, fs::Permissions::from_mode(if is_folder { 0o555 } else { 0o444 })).unwrap();
}

/// Gives the right to write back, so that the folder can be removed.
fn open(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    for entry in fs::read_dir(path).unwrap().flatten() {
        if entry.path().is_dir() {
            open(&entry.path());
        }
    }
}

struct Closed {
    sandbox: Sandbox,
}

impl Closed {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("heron.md", "The heron stood in the shallows for an hour.\n");
        sandbox.write("other.md", "Nothing of note.\n");
        sandbox.index();
        // The program itself may lie where nobody else may look.
        let program = sandbox.user_home().join("bethink");
        if fs::hard_link(env!("CARGO_BIN_EXE_bethink"), &program).is_err() {
            fs::copy(env!("CARGO_BIN_EXE_bethink"), &program).unwrap();
        }
        let folder = sandbox.data_home();
        fs::set_permissions(folder.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
        close(&folder);
        Self { sandbox }
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let usual = self.sandbox.command(arguments);
        let mut command = Command::new(self.sandbox.user_home().join("bethink"));
        command.args(arguments).current_dir(self.sandbox.files()).env_clear();
        for (name, value) in usual.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        let is_root =
            fs::metadata("/proc/self").is_ok_and(|process| std::os::unix::fs::MetadataExt::uid(&process) == 0);
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        Ran::from(command.output().unwrap())
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        open(&self.sandbox.data_home());
    }
}

#[test]
fn it_is_searched_and_says_in_one_line_that_nothing_newer_is() {
    let closed = Closed::new();
    closed.sandbox.write("new.md", "A heron of today.\n");
    for (arguments, found) in [
        (&["grep", "heron shallows"][..], "heron.md:1 "),
        (&["heron shallows"], "heron.md:1 "),
        (&["find", "heron"], "heron.md"),
        (&["read", "heron.md:1"], "The heron stood"),
    ] {
        let ran = closed.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        assert!(ran.stdout.contains(found), "{arguments:?}: {ran:?}");
        let told = ran.stderr.lines().filter(|line| line.contains("cannot be written to")).count();
        assert_eq!(told, usize::from(arguments[0] != "read"), "{arguments:?}: {ran:?}");
    }
    for arguments in [&["grep", "\"today\""][..], &["find", "nosuchname"]] {
        let ran = closed.run(arguments);
        assert_eq!(ran.code, 1, "{arguments:?}: {ran:?}");
    }
    let status = closed.run(&["status"]);
    assert_eq!(status.code, 0, "{status:?}");
    assert!(status.stdout.contains("2 known") && (status.stdout + &status.stderr).contains("cannot be written to"));
    let doctor = closed.run(&["doctor"]);
    assert!(doctor.stdout.contains("cannot be written to") && doctor.stdout.contains("confined:"), "{doctor:?}");
    let index = closed.run(&["index"]);
    assert_eq!(index.code, 2, "{index:?}");
    assert!(!index.stderr.contains("panicked"), "{index:?}");
}

#[test]
fn a_changed_file_is_shown_as_it_was_and_says_so() {
    let closed = Closed::new();
    closed
        .sandbox
        .write("heron.md", "Something else, at some length, about oysters.\nThe heron stood in the shallows.\n");
    let ran = closed.run(&["grep", "heron shallows"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("changed since it was indexed"), "{ran:?}");
}
