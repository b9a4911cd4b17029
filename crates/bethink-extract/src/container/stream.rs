//! Compressed streams: one file each, or a TAR that is unpacked at once.

use std::io::{self, Chain, Cursor, Read};

use bethink_core::{Format, ProblemKind, UnixMillis};
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::unpacking::Unpacking;
use super::{Stopped, damaged, name, tar};
use crate::extraction::problem;
use crate::family::Source;
use crate::sniff::is_tar;

/// Most memory for the window of a decoder. The strongest presets of xz and zstd ask for 64 and 128 MiB;
/// what asks for more is a bomb or a backup of a disk.
const WINDOW_BYTES: u64 = 128 << 20;

/// Bytes that are looked at to tell a TAR: one header.
const HEAD_BYTES: u64 = 512;

/// Unpacks what a stream holds.
pub(super) fn unpack(source: &Source<'_>, unpacking: &mut Unpacking<'_>) -> Stopped {
    let mut header = Header::default();
    let decoder: Box<dyn Read + '_> = match source.format {
        Format::Gzip => {
            let members = GzipMembers(GzDecoder::new(source.bytes));
            header = Header::of(&members);
            Box::new(members)
        }
        Format::Bzip2 => Box::new(BzipStreams(bzip2::bufread::BzDecoder::new(source.bytes))),
        Format::Xz => xz(source.bytes),
        Format::Zstandard => zstandard(source.bytes),
        _ => return Some(problem(ProblemKind::Unsupported, "no reader for this compression")),
    };
    let mut metered = Metered { inner: decoder, left: unpacking.bytes_left() as u64, state: State::Flowing };
    let mut head = Vec::new();
    if metered.by_ref().take(HEAD_BYTES).read_to_end(&mut head).is_err() && head.is_empty() {
        return Some(damaged("its packed bytes are broken from the start"));
    }
    let packs_tar = is_tar(&head);
    let mut content = Cursor::new(head).chain(&mut metered);
    if packs_tar {
        let stopped = tar::unpack(&mut content, unpacking);
        return match metered.state {
            State::Exhausted => {
                unpacking.exhausted();
                None
            }
            _ => stopped,
        };
    }
    single(source.name, header, &mut content, unpacking);
    None
}

/// A stream of one file.
fn single(
    container: &str,
    header: Header,
    content: &mut Chain<Cursor<Vec<u8>>, &mut Metered<'_>>,
    unpacking: &mut Unpacking<'_>,
) {
    let path = header.name.unwrap_or_else(|| name::without_compression(container));
    unpacking.list(&path);
    unpacking.file(&path, header.modified, None, content);
}

/// What a gzip header says about the file.
#[derive(Default)]
struct Header {
    name: Option<String>,
    modified: Option<UnixMillis>,
}

impl Header {
    fn of(members: &GzipMembers<'_>) -> Self {
        let Some(header) = members.0.header() else { return Self::default() };
        let name = header.filename().map(name::decoded);
        let name = name.and_then(|name| name.rsplit(['/', '\\']).next().map(str::to_owned));
        let name = name.filter(|name| !name.trim().is_empty());
        let modified = Some(header.mtime()).filter(|seconds| *seconds > 0);
        Self { name, modified: modified.map(|seconds| UnixMillis(i64::from(seconds) * 1000)) }
    }
}

/// The members of a gzip file, one after another, as the format asks. What follows the last is padding.
struct GzipMembers<'a>(GzDecoder<&'a [u8]>);

impl Read for GzipMembers<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.0.read(buffer)?;
            let rest = *self.0.get_ref();
            if count > 0 || buffer.is_empty() || !rest.starts_with(b"\x1F\x8B") {
                return Ok(count);
            }
            self.0.reset(rest);
        }
    }
}

/// The streams of a bzip2 file, one after another: parallel packers write a stream a block.
struct BzipStreams<'a>(bzip2::bufread::BzDecoder<&'a [u8]>);

impl Read for BzipStreams<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.0.read(buffer)?;
            let rest = *self.0.get_ref();
            if count > 0 || buffer.is_empty() || !rest.starts_with(b"BZh") {
                return Ok(count);
            }
            self.0 = bzip2::bufread::BzDecoder::new(rest);
        }
    }
}

/// The content of a file packed by xz.
pub(super) fn xz(bytes: &[u8]) -> Box<dyn Read + '_> {
    let kibibytes = u32::try_from(WINDOW_BYTES >> 10).unwrap_or(u32::MAX);
    Box::new(XzReader::new_mem_limit(bytes, true, kibibytes))
}

/// The content of a file packed by zstd.
pub(super) fn zstandard(bytes: &[u8]) -> Box<dyn Read + '_> {
    Box::new(ZstandardFrames { rest: bytes, frame: None })
}

/// The frames of a zstd file, one after another; frames of other data among them are passed over.
struct ZstandardFrames<'a> {
    rest: &'a [u8],
    frame: Option<StreamingDecoder<&'a [u8], FrameDecoder>>,
}

impl ZstandardFrames<'_> {
    /// Opens the next frame. False: there is none.
    fn next_frame(&mut self) -> io::Result<bool> {
        loop {
            let Some((magic, after)) = self.rest.split_at_checked(4) else { return Ok(false) };
            match magic {
                [0x28, 0xB5, 0x2F, 0xFD] => {
                    let frame = StreamingDecoder::new_with_max_window_size(self.rest, WINDOW_BYTES);
                    self.frame = Some(frame.map_err(io::Error::other)?);
                    return Ok(true);
                }
                [0x50..=0x5F, 0x2A, 0x4D, 0x18] => {
                    let Some((length, after)) = after.split_first_chunk::<4>() else { return Ok(false) };
                    let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
                    let Some(rest) = after.get(length..) else { return Ok(false) };
                    self.rest = rest;
                }
                _ => return Ok(false),
            }
        }
    }
}

impl Read for ZstandardFrames<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(mut frame) = self.frame.take() {
                let count = frame.read(buffer)?;
                if count > 0 || buffer.is_empty() {
                    self.frame = Some(frame);
                    return Ok(count);
                }
                self.rest = frame.into_inner();
            }
            if !self.next_frame()? {
                return Ok(0);
            }
        }
    }
}

/// How a stream stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Flowing,
    /// It broke; it does so again for whoever goes on reading.
    Broken,
    /// It yielded all that it may.
    Exhausted,
}

/// A stream that yields no more than it may.
struct Metered<'a> {
    inner: Box<dyn Read + 'a>,
    left: u64,
    state: State,
}

impl Read for Metered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.state != State::Flowing {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let count = self.inner.read(buffer).inspect_err(|_| self.state = State::Broken)?;
        match self.left.checked_sub(count as u64) {
            Some(left) => self.left = left,
            None => {
                self.state = State::Exhausted;
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
        Ok(count)
    }
}
