//! The model container: one file, `NAME.bethink-model`, that is mapped into memory and used as it lies.
//!
//! Promises: opening costs a few pages, whatever the size of the weights; a file that is truncated,
//! damaged in its head or of another version is refused with a typed error; nothing is parsed but
//! the manifest. Refuses: compression, pointers, anything that would have to be unpacked.
//!
//! # Layout (version 2, little-endian)
//!
//! ```text
//! offset        bytes  what
//! 0             8      magic "BTHKMODL"
//! 8             4      format version
//! 12            4      number of sections, S
//! 16            8      length of the manifest, M
//! 24            8      length of the whole file
//! 32            32     BLAKE3 of the payload: every byte from the end of the head to the end of the file
//! 64            32     BLAKE3 of bytes 0..64 followed by bytes 96..end of head
//! 96            M      manifest: JSON of `ModelManifest`
//! 96+M          64*S   section table
//! (padding with zeros up to a multiple of 64: the end of the head)
//! ..                   sections, each at a multiple of 64, padded with zeros
//!
//! section record (64 bytes)
//! 0             36     name, ASCII, padded with zeros
//! 36            4      encoding: 1 f32, 2 f16, 3 i8, 4 u32, 5 bytes, 6 i32
//! 40            8      offset from the start of the file
//! 48            8      length in bytes
//! 56            4      rows
//! 60            4      columns; rows * columns * width = length
//! ```
//!
//! Version 1 is the same without encoding 6, and is read as well.
//!
//! # Validity
//!
//! 1. The magic matches, the version is one of those that are read; the length in the head is the file's length.
//! 2. The head's hash matches. It is checked at every opening: it covers a few kilobytes.
//! 3. Every section lies between the head and the end of the file, aligned, its shape consistent.
//! 4. The payload's hash matches. Only `verify` checks it, since that reads every byte.
//!
//! A file that fails 1–3 is refused. One that fails 4 unseen gives wrong vectors and never undefined
//! behaviour: every bit pattern of the encodings is a value, and indexes that are read from the file
//! are checked where they are used.
//!
//! # Writing
//!
//! Containers are written under a temporary name beside their place, flushed, and renamed. They are
//! never changed in place, so a process that has one mapped keeps its version.

mod read;
mod section;
mod write;

pub(crate) use read::{Container, Place, read_manifest, verify_file};
pub(crate) use section::Encoding;
pub(crate) use write::{Section, replace_file, write_container};

/// First bytes of every container.
pub(crate) const MAGIC: &[u8; 8] = b"BTHKMODL";
/// Version of the layout above.
pub(crate) const FORMAT_VERSION: u32 = 2;
/// The oldest version that is read.
const OLDEST_VERSION: u32 = 1;
/// Bytes before the manifest.
const FIXED_HEAD_BYTES: usize = 96;
/// Bytes of one record of the section table.
const RECORD_BYTES: usize = 64;
/// Every section begins at a multiple of this many bytes: a cache line, and the widest vector register.
const ALIGNMENT_BYTES: usize = 64;
/// Most bytes of a manifest. Real ones have about 1,000.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;
/// Most sections: eighteen a layer, at most a hundred layers.
const MAX_SECTIONS: u32 = 4096;

fn aligned(length: usize) -> usize {
    length.next_multiple_of(ALIGNMENT_BYTES)
}
