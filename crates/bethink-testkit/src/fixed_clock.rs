//! A clock that stands where a test puts it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use bethink_core::{Clock, UnixMillis};

/// A clock that only moves when it is told to.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// A clock that stands at this moment.
    pub fn at(moment: UnixMillis) -> Self {
        Self(AtomicI64::new(moment.0))
    }

    /// A clock that stands well after every file that the test has written or will write, so that no
    /// file counts as written just now.
    pub fn after_the_test() -> Self {
        let now = UnixMillis::from_system_time(SystemTime::now());
        Self::at(UnixMillis(now.0 + 24 * 60 * 60 * 1_000))
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    /// Puts the clock to a moment, forward or back.
    pub fn set(&self, moment: UnixMillis) {
        self.0.store(moment.0, Ordering::Relaxed);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> UnixMillis {
        UnixMillis(self.0.load(Ordering::Relaxed))
    }
}
