//! Running other programs: with their output passed on, captured, or both.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};

/// What a captured run left behind.
pub struct Captured {
    /// Whether it ended with exit code zero.
    pub success: bool,
    /// Standard output, with what is not UTF-8 replaced.
    pub stdout: String,
    /// Standard error, likewise.
    pub stderr: String,
}

/// Refuses arguments where a command takes none.
pub fn no_arguments(rest: &[String]) -> Result<()> {
    match rest.first() {
        None => Ok(()),
        Some(argument) => bail!("`{argument}` is not understood here\nnext: cargo xtask help"),
    }
}

/// A command that runs in the clone, without a terminal to ask questions on.
pub fn command(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Cargo, as the one that runs us, so that a pinned toolchain stays pinned.
pub fn cargo(folder: &Path) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), folder)
}

/// Whether a program can be started at all; its output and exit code do not matter.
pub fn exists(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

/// Runs a command with its output going where ours goes; an exit code other than zero is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` ended with {status}");
    }
    Ok(())
}

/// Runs a command and keeps its output.
pub fn capture(command: &mut Command) -> Result<Captured> {
    let shown = shown(command);
    let output = command.output().with_context(|| format!("cannot start `{shown}`"))?;
    Ok(Captured {
        success: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Runs a command, passes every line of its output on as it comes, and hands each to `watch` too.
/// Answers whether it ended well.
pub fn watched(command: &mut Command, watch: &mut (dyn FnMut(&str) + Send)) -> Result<bool> {
    let shown = shown(command);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{shown}`"))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let watch = std::sync::Mutex::new(watch);
    thread::scope(|scope| {
        // A pipe that nobody reads would stop the child when it is full, hence a thread for each.
        if let Some(stream) = stdout {
            scope.spawn(|| pass_on(stream, &mut std::io::stdout(), &watch));
        }
        if let Some(stream) = stderr {
            scope.spawn(|| pass_on(stream, &mut std::io::stderr(), &watch));
        }
    });
    let status = child.wait().with_context(|| format!("`{shown}` got lost"))?;
    Ok(status.success())
}

fn pass_on(stream: impl std::io::Read, sink: &mut dyn Write, watch: &std::sync::Mutex<&mut (dyn FnMut(&str) + Send)>) {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        // Whoever reads our output may have gone; the run itself still counts.
        let _ = sink.write_all(&line);
        let _ = sink.flush();
        if let Ok(mut watch) = watch.lock() {
            watch(String::from_utf8_lossy(&line).trim_end());
        }
        line.clear();
    }
}

/// The command line as a person would type it.
pub fn shown(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    if let Some(name) = Path::new(&words[0]).file_name() {
        words[0] = name.to_string_lossy().into_owned();
    }
    words.extend(command.get_args().map(|argument| quoted(&argument.to_string_lossy())));
    words.join(" ")
}

/// One argument, quoted for a shell where it must be.
pub fn quoted(argument: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:,@+%".contains(character);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', "'\\''"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_only_where_a_shell_needs_it() {
        assert_eq!(quoted("--limit=3"), "--limit=3");
        assert_eq!(quoted("two words"), "'two words'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn watching_sees_both_streams_and_the_outcome() {
        let mut lines = Vec::new();
        let mut collect = |line: &str| lines.push(line.to_owned());
        let well = watched(command("sh", Path::new("/")).args(["-c", "echo out; echo err >&2; exit 3"]), &mut collect)
            .unwrap();
        lines.sort();
        assert!(!well);
        assert_eq!(lines, ["err", "out"]);
    }
}
