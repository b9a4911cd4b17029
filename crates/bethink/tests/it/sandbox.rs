//! An empty home, a folder of files, and the command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// One user with nothing yet.
pub struct Sandbox {
    folder: TempDir,
}

/// What a command printed and ended with.
#[derive(Debug)]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    pub code: i32,
}

impl Sandbox {
    pub fn new() -> Self {
        let sandbox = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(sandbox.files()).unwrap();
        fs::create_dir_all(sandbox.user_home()).unwrap();
        sandbox
    }

    /// The folder that is indexed.
    pub fn files(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("files")
    }

    pub fn user_home(&self) -> PathBuf {
        self.folder.path().join("user")
    }

    pub fn data_home(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.files().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bethink"));
        command
            .args(arguments)
            .current_dir(self.files())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.user_home())
            .env("BETHINK_HOME", self.data_home())
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::from(self.command(arguments).output().unwrap())
    }

    /// Indexes the folder and expects that to end well. At full priority: a quiet guest waits for whatever
    /// else a machine that runs tests is doing.
    pub fn index(&self) -> Value {
        let files = self.files();
        let ran = self.run(&["index", "--fast", "--json", files.to_str().unwrap()]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json().into_iter().find(|line| line["type"] == "summary").expect("a summary")
    }

    /// Names of the files that a question hits, best first, relative to the folder.
    pub fn hits(&self, arguments: &[&str]) -> Vec<String> {
        let ran = self.run(&with_json(arguments));
        assert!(ran.code == 0 || ran.code == 1, "{ran:?}");
        let files = self.files();
        ran.json()
            .iter()
            .filter(|line| line["type"] == "hit")
            .map(|hit| {
                let path = Path::new(hit["path"].as_str().unwrap());
                path.strip_prefix(&files).unwrap_or(path).to_string_lossy().into_owned()
            })
            .collect()
    }

    pub fn grep(&self, query: &str) -> Vec<String> {
        self.hits(&["grep", "--", query])
    }

    pub fn summary(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&with_json(arguments));
        ran.json().into_iter().find(|line| line["type"] == "summary").unwrap_or_else(|| panic!("no summary: {ran:?}"))
    }
}

/// The arguments with `--json` right after the command, since what follows `--` is the question.
fn with_json<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let (command, rest) = arguments.split_first().expect("a command");
    [*command, "--json"].into_iter().chain(rest.iter().copied()).collect()
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            stdout: String::from_utf8(output.stdout).expect("output is UTF-8"),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or(-1),
        }
    }
}

impl Ran {
    /// The JSON Lines on standard output.
    pub fn json(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }
}

/// The shared data beside the repository, or a clear word that a test was skipped without it.
pub fn shared() -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .filter_map(Path::parent)
        .map(|folder| folder.join("shared"))
        .find(|shared| shared.join("data").is_dir());
    if found.is_none() {
        eprintln!("skipped: ../shared is not here");
    }
    found
}
