//! How things are measured: the wall clock from before a process starts until its output is read;
//! the peak memory of the whole process tree; medians and percentiles.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::process;

/// How often a running process tree is weighed. A peak between two looks is missed; the kernel's own
/// high-water mark of each single process, which `time` reports, misses none.
const WEIGHING_INTERVAL: Duration = Duration::from_millis(50);

/// One finished run.
pub struct Measured {
    /// From before the start until all output was read and the process was gone.
    pub wall: Duration,
    /// The largest resident set of any single process of the tree, as the kernel counted it.
    pub peak_process_bytes: u64,
    /// The largest sum over the tree at one moment, with shared pages counted once.
    pub peak_tree_bytes: u64,
    /// Lines of standard output with the time at which each came.
    pub lines: Vec<(Duration, String)>,
}

/// Runs a command to its end. `acceptable` are the exit codes that count as success.
pub fn measure(command: &Command, acceptable: &[i32], scratch: &Path) -> Result<Measured> {
    let report = scratch.join("time.txt");
    let mut timed = Command::new("/usr/bin/time");
    timed.arg("-v").arg("-o").arg(&report).arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        timed.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => timed.env(name, value),
            None => timed.env_remove(name),
        };
    }
    let shown = process::shown(command);
    let started = Instant::now();
    let mut child = timed
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{shown}`"))?;
    let identity = child.id();
    let ended = AtomicBool::new(false);
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (status, wall, lines, errors, peak_tree_bytes) = thread::scope(|scope| {
        let weigher = scope.spawn(|| {
            let mut peak = 0;
            while !ended.load(Ordering::Relaxed) {
                peak = peak.max(tree_bytes(identity));
                thread::sleep(WEIGHING_INTERVAL);
            }
            peak
        });
        let reader = scope.spawn(|| {
            let mut lines = Vec::new();
            if let Some(stream) = stdout {
                for line in BufReader::new(stream).lines().map_while(std::io::Result::ok) {
                    lines.push((started.elapsed(), line));
                }
            }
            lines
        });
        let complaints = scope.spawn(|| {
            let mut text = String::new();
            if let Some(mut stream) = stderr {
                // What is not UTF-8 is lost from the message only.
                let _ = stream.read_to_string(&mut text);
            }
            text
        });
        let lines = reader.join().unwrap_or_default();
        let status = child.wait();
        let wall = started.elapsed();
        ended.store(true, Ordering::Relaxed);
        (status, wall, lines, complaints.join().unwrap_or_default(), weigher.join().unwrap_or(0))
    });
    let status = status.with_context(|| format!("`{shown}` got lost"))?;
    if !status.code().is_some_and(|code| acceptable.contains(&code)) {
        bail!("`{shown}` ended with {status}:\n{errors}");
    }
    let report = fs::read_to_string(&report).context("`time` left no report")?;
    Ok(Measured { wall, peak_process_bytes: peak_process(&report)?, peak_tree_bytes, lines })
}

/// The high-water mark in a report of `time -v`.
fn peak_process(report: &str) -> Result<u64> {
    let kilobytes = report
        .lines()
        .find_map(|line| line.trim().strip_prefix("Maximum resident set size (kbytes): "))
        .and_then(|number| number.trim().parse::<u64>().ok())
        .context("the report of `time` has no resident set size")?;
    Ok(kilobytes * 1024)
}

/// What a process and its descendants hold at this moment, shared pages counted once (the kernel's
/// proportional set size); zero where the system does not tell.
pub fn tree_bytes(root: u32) -> u64 {
    let mut parents: Vec<(u32, u32)> = Vec::new();
    let Ok(entries) = fs::read_dir("/proc") else { return 0 };
    for entry in entries.filter_map(std::io::Result::ok) {
        let Some(identity) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name in parentheses may hold anything, so fields are counted from its end.
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        if let Some(parent) = parent {
            parents.push((identity, parent));
        }
    }
    let mut tree = vec![root];
    let mut next = 0;
    while let Some(parent) = tree.get(next).copied() {
        tree.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(identity, _)| *identity));
        next += 1;
    }
    tree.iter().map(|identity| proportional_bytes(*identity)).sum()
}

fn proportional_bytes(identity: u32) -> u64 {
    let Ok(rollup) = fs::read_to_string(format!("/proc/{identity}/smaps_rollup")) else { return 0 };
    rollup
        .lines()
        .find_map(|line| line.strip_prefix("Pss:")?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
        .map_or(0, |kilobytes| kilobytes * 1024)
}

/// Some durations, sorted.
#[derive(Debug, Clone)]
pub struct Distribution(Vec<Duration>);

impl Distribution {
    /// Takes at least one duration.
    pub fn new(mut durations: Vec<Duration>) -> Result<Self> {
        if durations.is_empty() {
            bail!("nothing was measured");
        }
        durations.sort();
        Ok(Self(durations))
    }

    /// The middle one.
    pub fn median(&self) -> Duration {
        self.percentile(50)
    }

    /// The smallest that at least so many per cent do not exceed (nearest rank).
    pub fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0[rank.min(self.0.len()) - 1]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let millis =
            |list: &[u64]| Distribution::new(list.iter().map(|ms| Duration::from_millis(*ms)).collect()).unwrap();
        let twenty: Vec<u64> = (1..=20).rev().collect();
        assert_eq!(millis(&twenty).median(), Duration::from_millis(10));
        assert_eq!(millis(&twenty).percentile(95), Duration::from_millis(19));
        assert_eq!(millis(&[7]).percentile(95), Duration::from_millis(7));
        assert!(Distribution::new(Vec::new()).is_err());
    }

    #[test]
    fn the_report_of_time_is_understood() {
        assert_eq!(peak_process("\tMaximum resident set size (kbytes): 2048\n\tOther: 1\n").unwrap(), 2_097_152);
        assert!(peak_process("").is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_weighs_something() {
        assert!(tree_bytes(std::process::id()) > 100_000);
    }
}
