//! Blocks on several threads, those with the newest events first, until no older one can matter.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use bethink_store::memory::{LoggedEvent, MemoryReader};

use super::is_searched;
use super::mirror::{BLOCK_BYTES, BLOCK_EVENTS, Block, Mirror};
use super::newest::Newest;
use super::pattern::Pattern;
use crate::error::{MemoryError, Result};

/// Threads of one search. Two of them already wait for memory on most machines.
const MOST_THREADS: usize = 4;

/// Scans the mirror and what it does not hold yet. Whether it came to the end in time.
pub(super) fn scan(
    mirror: &Mirror,
    path: &Path,
    store: &dyn MemoryReader,
    pattern: &Pattern,
    deadline: Instant,
    newest: &mut Newest,
) -> Result<bool> {
    if !from_memory(store, mirror.through, pattern, deadline, newest)? {
        return Ok(false);
    }
    let mut blocks = mirror.blocks.clone();
    blocks.sort_by_key(|block| std::cmp::Reverse(block.newest));
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS).min(blocks.len()).max(1);
    let shared = Shared {
        blocks: &blocks,
        next: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
        newest: Mutex::new(newest),
        pattern,
        deadline,
    };
    let failed = |source| MemoryError::Mirror { path: path.to_path_buf(), source };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| shared.work(mirror, path))).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(outcome) => outcome.map_err(failed),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    Ok(!shared.stopped.into_inner())
}

/// Scans the whole log as the memory has it, where there can be no mirror.
pub(super) fn without_mirror(
    store: &dyn MemoryReader,
    pattern: &Pattern,
    deadline: Instant,
    newest: &mut Newest,
) -> Result<bool> {
    from_memory(store, 0, pattern, deadline, newest)
}

fn from_memory(
    store: &dyn MemoryReader,
    after: u64,
    pattern: &Pattern,
    deadline: Instant,
    newest: &mut Newest,
) -> Result<bool> {
    let mut after = after;
    loop {
        let events = store.events_after(after, BLOCK_EVENTS, BLOCK_BYTES)?;
        let Some(last) = events.last() else { return Ok(true) };
        after = last.position;
        for LoggedEvent { position, event } in &events {
            if is_searched(event.kind) && pattern.is_match(event.text.as_bytes()) {
                newest.offer((event.time, *position));
            }
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
    }
}

struct Shared<'scan> {
    blocks: &'scan [Block],
    next: AtomicUsize,
    stopped: AtomicBool,
    newest: Mutex<&'scan mut Newest>,
    pattern: &'scan Pattern,
    deadline: Instant,
}

impl<'scan> Shared<'scan> {
    fn newest(&self) -> MutexGuard<'_, &'scan mut Newest> {
        // A panic elsewhere leaves places behind that are as good as any.
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, mirror: &Mirror, path: &Path) -> std::io::Result<()> {
        let mut file = mirror.reopen(path)?;
        let mut text = Vec::with_capacity(BLOCK_BYTES);
        while let Some(block) = self.blocks.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            // Blocks come newest first, so none of the rest can hold anything newer either.
            let too_old = |newest: &Newest| newest.threshold().is_some_and(|(time, _)| block.newest < time);
            if too_old(&self.newest()) {
                self.newest().pass_over();
                return Ok(());
            }
            if self.stopped.load(Ordering::Relaxed) {
                return Ok(());
            }
            if Instant::now() >= self.deadline {
                self.stopped.store(true, Ordering::Relaxed);
                return Ok(());
            }
            mirror.read_text(block, &mut file, &mut text)?;
            if self.pattern.may_match_in(&text) {
                self.search(mirror, block, &mut file, &text)?;
            }
        }
        Ok(())
    }

    fn search(&self, mirror: &Mirror, block: &Block, file: &mut std::fs::File, text: &[u8]) -> std::io::Result<()> {
        let mut start = 0;
        let threshold = self.newest().threshold();
        for (number, entry) in mirror.read_entries(block, file)?.into_iter().enumerate() {
            let event = text.get(start..entry.end).unwrap_or_default();
            start = entry.end + 1;
            let place = (entry.time, entry.position);
            if threshold.is_some_and(|threshold| place <= threshold) {
                continue;
            }
            if self.pattern.is_match(event) {
                self.newest().offer(place);
            }
            if number % 256 == 255 && Instant::now() >= self.deadline {
                self.stopped.store(true, Ordering::Relaxed);
                return Ok(());
            }
        }
        Ok(())
    }
}
