//! Time as the engine sees it: milliseconds since the Unix epoch, and a clock that tests can own.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct UnixMillis(pub i64);

impl UnixMillis {
    /// The moment of a file-system time stamp, rounded down to the millisecond.
    pub fn from_system_time(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self(i64::try_from(after.as_millis()).unwrap_or(i64::MAX)),
            Err(before) => {
                let millis = i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX);
                Self(millis.saturating_neg())
            }
        }
    }

    /// How long ago `self` is, seen from `now`; zero when it lies in the future.
    pub fn age(self, now: Self) -> Duration {
        Duration::from_millis(u64::try_from(now.0.saturating_sub(self.0)).unwrap_or(0))
    }
}

/// A source of the current time. The engine never asks the system clock directly, so that tests
/// can stand at half past midnight on the day the clocks change.
pub trait Clock: Send + Sync {
    /// The current moment.
    fn now(&self) -> UnixMillis;
}

/// The machine's own clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> UnixMillis {
        UnixMillis::from_system_time(SystemTime::now())
    }
}
