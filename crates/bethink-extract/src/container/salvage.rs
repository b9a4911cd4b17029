//! A ZIP that lost its directory, read by the headers before each member.
//!
//! Layout of such a header: `PK\x03\x04`, version (2), flags (2: bit 0 encrypted, bit 3 sizes stand behind
//! the member, bit 11 the name is UTF-8), method (2), time (4), checksum (4), packed size (4), size (4),
//! lengths of the name and the extra fields (2 each), then those two, then the member.

use std::io::{self, Read};

use bethink_core::ProblemKind;
use flate2::bufread::DeflateDecoder;

use super::unpacking::Unpacking;
use super::zip::encrypted_member;
use super::{Stopped, damaged, name, stream};
use crate::extraction::problem;

/// What a header begins with.
const SIGNATURE: &[u8] = b"PK\x03\x04";

/// Unpacks what the headers lead to.
pub(super) fn unpack(bytes: &[u8], unpacking: &mut Unpacking<'_>) -> Stopped {
    let mut found = false;
    let mut at = 0;
    while let Some(header) = next_header(bytes, at) {
        found = true;
        if !unpacking.wants_more() {
            break;
        }
        at = header.content_at + take(bytes, &header, unpacking);
    }
    if found {
        Some(damaged("the archive lost its directory; files were found by their headers"))
    } else {
        Some(damaged("the archive holds no readable file"))
    }
}

/// The header before a member.
struct Header<'a> {
    flags: u16,
    method: u16,
    packed_bytes: usize,
    name: &'a [u8],
    content_at: usize,
}

/// The first whole header at or behind a place.
fn next_header(bytes: &[u8], from: usize) -> Option<Header<'_>> {
    let mut at = from;
    loop {
        at += bytes.get(at..)?.windows(SIGNATURE.len()).position(|window| window == SIGNATURE)?;
        let number = |field: usize| Some(u16::from_le_bytes(*bytes.get(at + field..)?.first_chunk()?));
        let packed = u32::from_le_bytes(*bytes.get(at + 18..)?.first_chunk()?);
        let (name_bytes, extra_bytes) = (usize::from(number(26)?), usize::from(number(28)?));
        let name = bytes.get(at + 30..at + 30 + name_bytes)?;
        // A name with a zero is no name but packed bytes that look like a signature.
        if !name.is_empty() && !name.contains(&0) {
            let content_at = at + 30 + name_bytes + extra_bytes;
            let packed_bytes = usize::try_from(packed).unwrap_or(usize::MAX);
            return Some(Header { flags: number(6)?, method: number(8)?, packed_bytes, name, content_at });
        }
        at += SIGNATURE.len();
    }
}

/// Hands on one member; the bytes that it takes.
fn take(bytes: &[u8], header: &Header<'_>, unpacking: &mut Unpacking<'_>) -> usize {
    let path = name::Decoder::of([header.name]).decode(header.name);
    if name::is_noise(&path) {
        return 0;
    }
    unpacking.list(&path);
    let rest = bytes.get(header.content_at..).unwrap_or_default();
    let sizes_follow = header.flags & 8 != 0 || header.packed_bytes == u32::MAX as usize;
    let packed = if sizes_follow { rest } else { &rest[..rest.len().min(header.packed_bytes)] };
    if path.ends_with(['/', '\\']) {
        return 0;
    }
    if header.flags & 1 != 0 {
        unpacking.withheld(&path, None, encrypted_member());
        return if sizes_follow { 0 } else { packed.len() };
    }
    match header.method {
        8 => {
            let mut decoder = DeflateDecoder::new(packed);
            unpacking.file(&path, None, None, &mut decoder);
            return if sizes_follow { usize::try_from(decoder.total_in()).unwrap_or(0) } else { packed.len() };
        }
        0 if sizes_follow => {
            let end =
                packed.windows(4).position(|window| matches!(window, b"PK\x07\x08" | b"PK\x03\x04" | b"PK\x01\x02"));
            let mut content = &packed[..end.unwrap_or(packed.len())];
            let length = content.len();
            unpacking.file(&path, None, None, &mut content);
            return length;
        }
        method => match content(method, packed) {
            Some(content) => {
                let cut = !sizes_follow && packed.len() < header.packed_bytes;
                unpacking.file(&path, None, None, &mut content.chain(Cut(cut)));
            }
            None => {
                let reason = problem(ProblemKind::Unsupported, "packed in a way that is not read; findable by name");
                unpacking.withheld(&path, None, reason);
            }
        },
    }
    if sizes_follow { 0 } else { packed.len() }
}

/// The content of a member packed by a method, for those that need no archive reader.
pub(super) fn content(method: u16, packed: &[u8]) -> Option<Box<dyn Read + '_>> {
    Some(match method {
        0 => Box::new(packed),
        8 => Box::new(DeflateDecoder::new(packed)),
        12 => Box::new(bzip2::bufread::BzDecoder::new(packed)),
        93 => stream::zstandard(packed),
        95 => stream::xz(packed),
        _ => return None,
    })
}

/// An error where a member should have gone on.
struct Cut(bool);

impl Read for Cut {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        if self.0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(0) }
    }
}
