//! What one file may cost. Each figure has its reason here and its sentence where it is reached.

use std::time::Duration;

/// The bounds on reading one file. Reaching one keeps the text read so far, with a problem of kind
/// `Limit`, except where nothing was read yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest file whose text is read by a plain decode, in bytes. A file that is text through and
    /// through costs its size once more in memory; 256 MiB keeps that inside the 512 MB a file may take.
    pub plain_bytes: usize,
    /// Most bytes of a structured source (HTML) that are parsed.
    pub structured_bytes: usize,
    /// Most bytes of text taken from a structured source: a megabyte of PDF can unfold into
    /// gigabytes, and no person reads past 64 MiB (some sixty thousand pages).
    pub text_bytes: usize,
    /// Most pages read of one paged document.
    pub pages: u32,
    /// Processor time that a small file may take in a worker. Kept by the system in whole seconds.
    pub processor: Duration,
    /// Added for each mebibyte of the file.
    pub processor_per_mebibyte: Duration,
    /// Processor time that no file may exceed, whatever its size.
    pub processor_most: Duration,
    /// The time on the clock that a file may take, in multiples of its processor time. A parser that
    /// loops meets the limit on processor time first, on an idle machine at the same moment; the clock is
    /// for one that waits. Workers run at the lowest priority: beside ten busy compilers one was measured
    /// to get a hundredth of a processor, and a file should not count as bad because somebody compiled.
    pub wall_factor: u32,
    /// Most members taken from one container, and from all that are inside one file; no person packs more by hand, and a source tree of the
    /// largest projects has half as many.
    pub members: u32,
    /// Largest member that is unpacked, in bytes.
    pub member_bytes: usize,
    /// Most bytes unpacked from one container, and from all that are inside one file, whatever its size.
    pub unpacked_bytes: usize,
    /// Most bytes unpacked for each byte of a container, once it has unpacked to 64 MiB. Text packs to a
    /// tenth, logs to a fiftieth; beyond that stand bombs.
    pub expansion: usize,
    /// How deep containers in containers are opened: a mail's attached archive of mails with attachments
    /// is three deep.
    pub nesting: u32,
    /// Most files inside one file, at any depth, that may end their reader before the rest is left alone. A
    /// broken backup has a few; an archive made of such files would cost half a minute for each.
    pub broken_members: u32,
    /// Address space of a worker, in bytes. Includes the program itself and its stacks, which is why
    /// it is larger than the memory that a file should take.
    pub worker_memory_bytes: u64,
    /// Largest file given to a worker, in bytes. Parsers keep the file twice; three times would leave
    /// nothing of the address space for what they make of it.
    pub worker_source_bytes: usize,
    /// Files that a worker reads before a fresh one takes its place, so that what a parser leaks or
    /// caches has an end.
    pub worker_files: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            plain_bytes: 256 << 20,
            structured_bytes: 64 << 20,
            text_bytes: 64 << 20,
            pages: 20_000,
            processor: Duration::from_secs(10),
            processor_per_mebibyte: Duration::from_millis(250),
            processor_most: Duration::from_secs(30),
            wall_factor: 12,
            members: 50_000,
            member_bytes: 128 << 20,
            unpacked_bytes: 2 << 30,
            expansion: 100,
            nesting: 3,
            broken_members: 16,
            worker_memory_bytes: 1 << 30,
            worker_source_bytes: 192 << 20,
            worker_files: 256,
        }
    }
}

impl Limits {
    /// The processor time that a file of so many bytes may take.
    pub fn processor_for(&self, bytes: usize) -> Duration {
        let mebibytes = u32::try_from(bytes >> 20).unwrap_or(u32::MAX);
        let grown = self.processor.saturating_add(self.processor_per_mebibyte.saturating_mul(mebibytes));
        grown.min(self.processor_most)
    }

    /// Most bytes unpacked from a container of so many bytes.
    pub fn unpacked_for(&self, bytes: usize) -> usize {
        /// A small container may hold this much whatever its ratio.
        const ALWAYS_BYTES: usize = 64 << 20;
        bytes.saturating_mul(self.expansion).max(ALWAYS_BYTES).min(self.unpacked_bytes)
    }

    /// The time on the clock that a file of so many bytes may take.
    pub fn wall_for(&self, bytes: usize) -> Duration {
        self.processor_for(bytes).saturating_mul(self.wall_factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_grows_with_the_file_up_to_its_cap() {
        let limits = Limits::default();
        assert_eq!(limits.processor_for(0), Duration::from_secs(10));
        assert_eq!(limits.processor_for(8 << 20), Duration::from_secs(12));
        assert_eq!(limits.processor_for(usize::MAX), Duration::from_secs(30));
        assert_eq!(limits.wall_for(usize::MAX), Duration::from_secs(360));
    }
}
