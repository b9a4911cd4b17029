//! Panics that are expected and caught.
//!
//! Some engines below us panic on damaged input instead of reporting it. Whoever calls them catches that
//! and reports it as what it is; the message that the runtime prints before the catch would only alarm.
//! [`catch`] marks the calling thread, and the program's panic hook asks [`is_catching`] before it
//! prints.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// How many catches are around the work that this thread does now.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// What was caught. What the panic said is not kept: it may quote the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Panicked;

/// Takes the mark off again, however the work ended.
struct Mark;

impl Mark {
    fn set() -> Self {
        DEPTH.with(|depth| depth.set(depth.get().saturating_add(1)));
        Self
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        DEPTH.with(|depth| depth.set(depth.get().saturating_sub(1)));
    }
}

/// Does work whose panics are failures of its input. What the work leaves behind must not be used after
/// it panicked.
///
/// # Errors
/// [`Panicked`] where it did.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    let _mark = Mark::set();
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Panicked)
}

/// Whether a panic of this thread would be caught and told by [`catch`].
pub fn is_catching() -> bool {
    DEPTH.with(|depth| depth.get() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_work_inside_is_marked() {
        assert!(!is_catching());
        assert_eq!(catch(is_catching), Ok(true));
        assert_eq!(catch(|| catch(|| 1).map(|_| is_catching())), Ok(Ok(true)));
        assert!(!is_catching());
        assert_eq!(catch(|| std::panic::panic_any(())), Err(Panicked));
        assert!(!is_catching(), "a panic takes the mark off as well");
    }
}
