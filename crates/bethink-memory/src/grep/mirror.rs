//! The mirror: the log's texts in one file, so that a pattern meets them at the speed of memory instead of
//! that of a database.
//!
//! ```text
//! file   := header block*
//! header := magic (8) format (u32) 0 (u32) memory (16) forgotten (u64) valid (u64)      48 bytes
//! block  := magic (u32) events (u32) text bytes (u64) first (u64) last (u64) newest (i64)   40 bytes
//!           entry*   one an event: position (u64) time (i64) end of its text in the block (u32)
//!           text     each event's, followed by a line feed
//! ```
//!
//! All numbers are little-endian. Rules of validity:
//!
//! 1. The mirror belongs to the memory that the header names, and to its state after so many events had
//!    been forgotten. If either differs, it is emptied and built again.
//! 2. Only the first `valid` bytes count. They are on the disk before the header says so; whatever stands
//!    behind them was left by a writer that died and is written over.
//! 3. Blocks are full and never change. The events since the last full block are read from the memory.
//! 4. Events stand in the order of logging, without those that are not searched. A block's `newest` is
//!    the time of its newest event.
//! 5. One process writes at a time, under a lock on the file; reading needs none.
//!
//! The mirror is disposable: what it says is looked up in the log before it is shown.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use bethink_core::UnixMillis;
use bethink_store::memory::{LogState, LoggedEvent, MemoryReader};

use super::is_searched;
use crate::error::{MemoryError, Result};

const MAGIC: &[u8; 8] = b"bthk-log";
const FORMAT: u32 = 1;
const HEADER_BYTES: usize = 48;
/// Where the header says how far the file counts.
const VALID_AT: u64 = 40;

const BLOCK_MAGIC: u32 = 0x6B6C_6274;
const BLOCK_HEADER_BYTES: usize = 40;
const ENTRY_BYTES: usize = 20;

/// Events of a full block, and how many are read from the memory while the next is not full.
pub(super) const BLOCK_EVENTS: usize = 4096;

/// Bytes of text after which a block is full before that: a core's cache holds a block.
pub(super) const BLOCK_BYTES: usize = 256 * 1024;

/// One block's place and what is known of it without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    table_at: u64,
    events: usize,
    text_bytes: usize,
    /// Time of its newest event.
    pub newest: UnixMillis,
}

/// One event of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub position: u64,
    pub time: UnixMillis,
    pub end: usize,
}

/// The mirror, open for reading, and what it does not hold yet.
#[derive(Debug)]
pub(super) struct Mirror {
    file: File,
    /// Every block, in the order of logging.
    pub blocks: Vec<Block>,
    /// Events after this position are read from the memory.
    pub through: u64,
}

/// Empties the mirror, so that nothing of what was forgotten is left in it.
///
/// # Errors
/// [`MemoryError::Mirror`] where the file cannot be changed; one that is not there is no error.
pub fn remove(path: &Path) -> Result<()> {
    let failed = |source| MemoryError::Mirror { path: path.to_path_buf(), source };
    let file = match OpenOptions::new().write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    file.lock().and_then(|()| file.set_len(0)).map_err(failed)
}

impl Mirror {
    /// The mirror, brought up to all full blocks of the log.
    pub(super) fn up_to_date(path: &Path, store: &dyn MemoryReader, state: &LogState) -> Result<Self> {
        let failed = |source| MemoryError::Mirror { path: path.to_path_buf(), source };
        let memory = store.memory_id()?.0;
        let existing = match File::open(path) {
            Ok(file) => Self::read(file, memory, state.forgotten).map_err(failed)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        if let Some(mirror) = existing
            && state.newest.saturating_sub(mirror.through) < BLOCK_EVENTS as u64
            && !Self::has_full_block(store, mirror.through)?
        {
            return Ok(mirror);
        }
        Self::write(path, store, memory, state.forgotten)?;
        let file = File::open(path).map_err(failed)?;
        let written = Self::read(file, memory, state.forgotten).map_err(failed)?;
        written.ok_or_else(|| failed(io::ErrorKind::InvalidData.into()))
    }

    /// Few events may still be much text.
    fn has_full_block(store: &dyn MemoryReader, through: u64) -> Result<bool> {
        let tail = store.events_after(through, BLOCK_EVENTS, BLOCK_BYTES)?;
        Ok(is_full(&tail))
    }

    /// What is valid in a file; `None` if nothing is.
    fn read(mut file: File, memory: [u8; 16], forgotten: u64) -> io::Result<Option<Self>> {
        let Some(valid) = valid_bytes(&mut file, memory, forgotten)? else { return Ok(None) };
        let (mut blocks, mut through) = (Vec::new(), 0);
        let mut at = HEADER_BYTES as u64;
        while at + BLOCK_HEADER_BYTES as u64 <= valid {
            let mut header = [0; BLOCK_HEADER_BYTES];
            file.seek(SeekFrom::Start(at))?;
            file.read_exact(&mut header)?;
            let events = number_at(&header, 4, 4) as usize;
            let text_bytes = number_at(&header, 8, 8);
            let (last, newest) = (number_at(&header, 24, 8), number_at(&header, 32, 8));
            let table_at = at + BLOCK_HEADER_BYTES as u64;
            let end = (events as u64 * ENTRY_BYTES as u64)
                .checked_add(text_bytes)
                .and_then(|body| table_at.checked_add(body));
            let end = match end {
                Some(end) if end <= valid && number_at(&header, 0, 4) == u64::from(BLOCK_MAGIC) && last > through => {
                    end
                }
                _ => return Ok(None),
            };
            let newest = UnixMillis(newest.cast_signed());
            blocks.push(Block { table_at, events, text_bytes: text_bytes as usize, newest });
            through = last;
            at = end;
        }
        Ok(Some(Self { file, blocks, through }))
    }

    /// Appends every full block that is missing.
    fn write(path: &Path, store: &dyn MemoryReader, memory: [u8; 16], forgotten: u64) -> Result<()> {
        let failed = |source| MemoryError::Mirror { path: path.to_path_buf(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(failed)?;
        file.lock().map_err(failed)?;
        // Asked again under the lock: another process may have written meanwhile.
        let twin = file.try_clone().map_err(failed)?;
        let (mut valid, mut through) = match Self::read(twin, memory, forgotten).map_err(failed)? {
            Some(mirror) => (valid_bytes(&mut file, memory, forgotten).map_err(failed)?.unwrap_or(0), mirror.through),
            None => {
                file.set_len(0).map_err(failed)?;
                begin(&mut file, memory, forgotten).map_err(failed)?;
                (HEADER_BYTES as u64, 0)
            }
        };
        file.set_len(valid).and_then(|()| file.seek(SeekFrom::Start(valid))).map_err(failed)?;
        loop {
            let events = store.events_after(through, BLOCK_EVENTS, BLOCK_BYTES)?;
            if !is_full(&events) {
                break;
            }
            let block = encode(&events);
            file.write_all(&block).map_err(failed)?;
            valid += block.len() as u64;
            through = events.last().map_or(through, |event| event.position);
        }
        // On the disk before the header says so.
        file.sync_data().map_err(failed)?;
        file.seek(SeekFrom::Start(VALID_AT)).map_err(failed)?;
        file.write_all(&valid.to_le_bytes()).map_err(failed)
    }

    /// The texts of a block, each ended by a line feed, into a buffer that is used again.
    pub(super) fn read_text(&self, block: &Block, file: &mut File, text: &mut Vec<u8>) -> io::Result<()> {
        text.resize(block.text_bytes, 0);
        file.seek(SeekFrom::Start(block.table_at + (block.events * ENTRY_BYTES) as u64))?;
        file.read_exact(text)
    }

    /// The events of a block, in the order of logging.
    pub(super) fn read_entries(&self, block: &Block, file: &mut File) -> io::Result<Vec<Entry>> {
        let mut table = vec![0; block.events * ENTRY_BYTES];
        file.seek(SeekFrom::Start(block.table_at))?;
        file.read_exact(&mut table)?;
        let entries = table.chunks_exact(ENTRY_BYTES).map(|entry| Entry {
            position: number_at(entry, 0, 8),
            time: UnixMillis(number_at(entry, 8, 8).cast_signed()),
            end: number_at(entry, 16, 4) as usize,
        });
        Ok(entries.collect())
    }

    /// The same file through a handle with a place of its own, for another thread.
    pub(super) fn reopen(&self, path: &Path) -> io::Result<File> {
        let file = File::open(path)?;
        // A mirror that was emptied or replaced since is noticed by whoever reads past its end.
        Ok(if file.metadata()?.len() < self.file.metadata()?.len() { self.file.try_clone()? } else { file })
    }
}

fn is_full(events: &[LoggedEvent]) -> bool {
    events.len() == BLOCK_EVENTS || events.iter().map(|event| event.event.text.len()).sum::<usize>() >= BLOCK_BYTES
}

/// How far a file counts; `None` where its header is not that of this memory in this state.
fn valid_bytes(file: &mut File, memory: [u8; 16], forgotten: u64) -> io::Result<Option<u64>> {
    let length = file.metadata()?.len();
    if length < HEADER_BYTES as u64 {
        return Ok(None);
    }
    let mut header = [0; HEADER_BYTES];
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut header)?;
    let is_ours = &header[..8] == MAGIC
        && number_at(&header, 8, 4) == u64::from(FORMAT)
        && header[16..32] == memory
        && number_at(&header, 32, 8) == forgotten;
    let valid = number_at(&header, 40, 8);
    Ok((is_ours && valid <= length && valid >= HEADER_BYTES as u64).then_some(valid))
}

fn begin(file: &mut File, memory: [u8; 16], forgotten: u64) -> io::Result<()> {
    let mut header = Vec::with_capacity(HEADER_BYTES);
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&FORMAT.to_le_bytes());
    header.extend_from_slice(&[0; 4]);
    header.extend_from_slice(&memory);
    header.extend_from_slice(&forgotten.to_le_bytes());
    header.extend_from_slice(&(HEADER_BYTES as u64).to_le_bytes());
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header)
}

fn encode(events: &[LoggedEvent]) -> Vec<u8> {
    let searched = || events.iter().filter(|event| is_searched(event.event.kind));
    let (mut table, mut text) = (Vec::new(), Vec::new());
    for LoggedEvent { position, event } in searched() {
        text.extend_from_slice(event.text.as_bytes());
        text.push(b'\n');
        table.extend_from_slice(&position.to_le_bytes());
        table.extend_from_slice(&event.time.0.to_le_bytes());
        // A block ends with the event that fills it, and no event is longer than some megabytes.
        table.extend_from_slice(&(text.len() as u32 - 1).to_le_bytes());
    }
    let edge = |event: Option<&LoggedEvent>| event.map_or(0, |event| event.position);
    let newest = searched().map(|event| event.event.time.0).max().unwrap_or(i64::MIN);
    let mut block = Vec::with_capacity(BLOCK_HEADER_BYTES + table.len() + text.len());
    block.extend_from_slice(&BLOCK_MAGIC.to_le_bytes());
    block.extend_from_slice(&((table.len() / ENTRY_BYTES) as u32).to_le_bytes());
    block.extend_from_slice(&(text.len() as u64).to_le_bytes());
    block.extend_from_slice(&edge(events.first()).to_le_bytes());
    block.extend_from_slice(&edge(events.last()).to_le_bytes());
    block.extend_from_slice(&newest.to_le_bytes());
    block.extend_from_slice(&table);
    block.extend_from_slice(&text);
    block
}

/// A little-endian number of up to eight bytes.
fn number_at(bytes: &[u8], at: usize, length: usize) -> u64 {
    let mut number = [0; 8];
    if let Some(found) = bytes.get(at..at + length) {
        number[..length].copy_from_slice(found);
    }
    u64::from_le_bytes(number)
}
