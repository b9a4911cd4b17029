//! What a worker costs, as the system counts it. For tests and benchmarks, which hand a meter to
//! [`crate::Extractor::metered`]; nothing is read otherwise.

use std::sync::Arc;
use std::time::Duration;

/// What one file cost its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerCost {
    /// Processor time spent on this file, in steps of ten milliseconds.
    pub processor: Duration,
    /// The most memory that the worker has had resident, for this file or one before, in bytes; zero
    /// when it has ended meanwhile.
    pub peak_bytes: u64,
}

/// Told what each file cost, in the thread that had it read. A worker that was ended from outside can
/// no longer be asked.
pub type Meter = Arc<dyn Fn(WorkerCost) + Send + Sync>;

/// A measurement under way.
pub(super) struct Measurement<'a> {
    meter: &'a Meter,
    process: u32,
    before: Duration,
}

impl<'a> Measurement<'a> {
    /// Begins where a meter is wanted and the system counts.
    pub(super) fn begin(meter: Option<&'a Meter>, process: u32) -> Option<Self> {
        let meter = meter?;
        Some(Self { meter, process, before: processor_time(process)? })
    }

    /// Ends it and tells the meter.
    pub(super) fn end(self) {
        let Some(after) = processor_time(self.process) else { return };
        let processor = after.saturating_sub(self.before);
        (self.meter)(WorkerCost { processor, peak_bytes: peak_bytes(self.process).unwrap_or(0) });
    }
}

/// Processor time of a process so far; of one that has ended too, until its parent has taken note.
fn processor_time(process: u32) -> Option<Duration> {
    /// Linux counts in hundredths of a second wherever it shows processor time to programs.
    const TICK: Duration = Duration::from_millis(10);
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name, in parentheses, may hold anything; user and system time are the twelfth and
    // thirteenth field after it.
    let mut fields = stat[stat.rfind(')')? + 1..].split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u32>().ok();
    Some(TICK.saturating_mul(next()?.saturating_add(next()?)))
}

fn peak_bytes(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_process_has_costs_until_it_is_gone() {
        let this = std::process::id();
        let before = processor_time(this).unwrap();
        while processor_time(this).unwrap() < before + Duration::from_millis(20) {}
        assert!(peak_bytes(this).unwrap() > 1 << 20);
        let mut gone = std::process::Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        assert_eq!(processor_time(gone.id()), None);
    }
}
