//! Being a good guest on somebody's machine: lowest priority, idle disk, a share of the processor.

use std::time::{Duration, Instant};

use crate::stop::Stop;

/// The nicest that a process can be.
const NICEST: i32 = 19;

/// Lowers this process (on Linux: the calling thread and the threads that it starts from now on) to
/// the lowest processor priority and the idle disk class. What the system refuses is left as it is.
pub fn be_a_good_guest() {
    #[cfg(unix)]
    if let Err(error) = rustix::process::nice(NICEST) {
        tracing::debug!(%error, "the system keeps this process at its priority");
    }
    #[cfg(any(target_os = "linux", target_os = "android"))]
    idle_disk_class();
}

#[cfg(any(target_os = "linux", target_os = "android"))]
#[allow(unsafe_code)]
fn idle_disk_class() {
    // From linux/ioprio.h: the class stands above 13 bits of data.
    const WHO_PROCESS: libc::c_int = 1;
    const CLASS_IDLE: libc::c_int = 3;
    const CLASS_SHIFT: libc::c_int = 13;
    const THIS_ONE: libc::c_int = 0;
    // SAFETY: `ioprio_set` takes three integers, touches no memory of ours, and at worst returns an
    // error, which leaves the class as it was.
    let answer = unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, THIS_ONE, CLASS_IDLE << CLASS_SHIFT) };
    if answer != 0 {
        tracing::debug!("the system keeps this process in its disk class");
    }
}

/// Keeps work to a share of one processor by resting after each piece of it.
#[derive(Debug)]
pub(crate) struct Pace {
    percent: Option<u32>,
    threads: u32,
    working_since: Instant,
}

impl Pace {
    /// A pace of so many hundredths of one processor for work on so many threads; `None` never rests.
    pub(crate) fn new(percent: Option<u32>, threads: usize) -> Self {
        let threads = u32::try_from(threads.max(1)).unwrap_or(u32::MAX);
        Self { percent, threads, working_since: Instant::now() }
    }

    /// Counts work from here on; what went before was none.
    pub(crate) fn begin(&mut self) {
        self.working_since = Instant::now();
    }

    /// Rests for as long as the work since the last rest calls for, or until a stop is asked for.
    pub(crate) fn rest(&mut self, stop: &Stop) {
        /// A rest is slept in pieces, so that a request to stop is heard.
        const PIECE: Duration = Duration::from_millis(50);

        if let Some(percent) = self.percent {
            let until = Instant::now() + rest_after(self.working_since.elapsed(), percent, self.threads);
            while !stop.is_requested() {
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                std::thread::sleep(left.min(PIECE));
            }
        }
        self.working_since = Instant::now();
    }
}

/// The rest that makes work of that length, on so many threads, so many hundredths of one processor
/// over work and rest together.
fn rest_after(work: Duration, percent: u32, threads: u32) -> Duration {
    let whole = threads.saturating_mul(100);
    let percent = percent.clamp(1, whole);
    work.saturating_mul(whole - percent) / percent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_the_other_share() {
        let second = Duration::from_secs(1);
        assert_eq!(rest_after(second, 100, 1), Duration::ZERO);
        assert_eq!(rest_after(second, 50, 1), second);
        assert_eq!(rest_after(second, 25, 1), second * 3);
        assert_eq!(rest_after(second, 0, 1), second * 99, "never a standstill");
        assert_eq!(rest_after(second, 50, 2), second * 3, "two threads work twice as fast");
    }
}
