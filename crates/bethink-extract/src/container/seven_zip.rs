//! 7-Zip: blocks of members that are unpacked one behind the other.

use std::collections::HashSet;
use std::io::{Cursor, Read};

use bethink_core::{Problem, ProblemKind, UnixMillis};
use sevenz_rust2::{Archive, ArchiveEntry, BlockDecoder, Error, Password};

use super::unpacking::Unpacking;
use super::zip::encrypted_member;
use super::{Stopped, damaged};
use crate::extraction::problem;

/// Most memory for a decoder's window and for the directory; the strongest presets ask for 64 MiB.
const WINDOW_KIBIBYTES: usize = 128 << 10;

/// Unpacks an archive.
pub(super) fn unpack(bytes: &[u8], unpacking: &mut Unpacking<'_>) -> Stopped {
    let password = Password::empty();
    let mut source = Cursor::new(bytes);
    let archive = match Archive::read_with_memory_limit(&mut source, &password, WINDOW_KIBIBYTES) {
        Ok(archive) => archive,
        Err(error) => return Some(refusal(&error)),
    };
    for entry in &archive.files {
        unpacking.list(&listed(entry));
    }
    let encrypted = encrypted_names(&archive);
    let mut met = HashSet::new();
    for block in 0..archive.blocks.len() {
        if !unpacking.wants_more() {
            break;
        }
        let decoder = BlockDecoder::new_with_memory_limit(1, WINDOW_KIBIBYTES, block, &archive, &password, &mut source);
        met.extend(decoder.entries().iter().map(|entry| entry.name().to_owned()));
        if decoder.entries().iter().any(|entry| encrypted.contains(entry.name())) {
            for entry in decoder.entries().iter().filter(|entry| !entry.is_directory()) {
                unpacking.withheld(entry.name(), modified(entry), encrypted_member());
            }
            continue;
        }
        unpack_block(decoder, unpacking);
    }
    // Files without a byte stand in no block.
    for entry in archive.files.iter().filter(|entry| !entry.is_directory() && !met.contains(entry.name())) {
        unpacking.file(entry.name(), modified(entry), Some(0), &mut std::io::empty());
    }
    None
}

/// Unpacks the members of one block, as far as it is whole.
fn unpack_block(decoder: BlockDecoder<'_, Cursor<&[u8]>>, unpacking: &mut Unpacking<'_>) {
    let entries: Vec<ArchiveEntry> = decoder.entries().to_vec();
    let mut begun = 0;
    let mut each = |entry: &ArchiveEntry, content: &mut dyn Read| {
        begun += 1;
        if entry.is_directory() {
            return Ok(true);
        }
        unpacking.file(entry.name(), modified(entry), Some(entry.size()), content);
        // What was not read is unpacked all the same, to reach the next member.
        Ok(unpacking.may_unpack() && unpacking.affords(entry.size()))
    };
    let broke = decoder.for_each_entries(&mut each).err();
    let reason = match broke {
        Some(error) => member_refusal(&error),
        None => super::unpacking::not_unpacked(),
    };
    for entry in entries.iter().skip(begun).filter(|entry| !entry.is_directory()) {
        unpacking.withheld(entry.name(), modified(entry), reason.clone());
    }
}

/// The names of the files in blocks under a password.
fn encrypted_names(archive: &Archive) -> HashSet<&str> {
    let files = archive.files.iter().enumerate();
    files.filter(|(index, _)| archive.is_file_encrypted(*index)).map(|(_, entry)| entry.name()).collect()
}

fn listed(entry: &ArchiveEntry) -> String {
    let slash = if entry.is_directory() && !entry.name().ends_with('/') { "/" } else { "" };
    format!("{}{slash}", entry.name())
}

fn modified(entry: &ArchiveEntry) -> Option<UnixMillis> {
    /// Milliseconds from 1601 to 1970.
    const EPOCH_MILLIS: i64 = 11_644_473_600_000;
    let ticks = u64::from(entry.last_modified_date());
    let millis = i64::try_from(ticks / 10_000).ok()? - EPOCH_MILLIS;
    (millis > 0).then_some(UnixMillis(millis))
}

fn refusal(error: &Error) -> Problem {
    match error {
        Error::PasswordRequired | Error::MaybeBadPassword(_) => {
            problem(ProblemKind::Encrypted, "it opens with a password only, its list of files included")
        }
        // The directory is packed like a member, and what unpacks it has no key.
        Error::UnsupportedCompressionMethod(method) if method.contains("AES") => {
            problem(ProblemKind::Encrypted, "it opens with a password only, its list of files included")
        }
        Error::MaxMemLimited { .. } => problem(ProblemKind::Limit, "unpacking it takes too much memory"),
        Error::UnsupportedCompressionMethod(_) | Error::Unsupported(_) => {
            problem(ProblemKind::Unsupported, "packed in a way that is not read")
        }
        _ => damaged("the archive is broken"),
    }
}

fn member_refusal(error: &Error) -> Problem {
    match error {
        Error::PasswordRequired | Error::MaybeBadPassword(_) => encrypted_member(),
        Error::MaxMemLimited { .. } => {
            problem(ProblemKind::Limit, "unpacking it takes too much memory; findable by name")
        }
        Error::UnsupportedCompressionMethod(_) | Error::Unsupported(_) => {
            problem(ProblemKind::Unsupported, "packed in a way that is not read; findable by name")
        }
        _ => problem(ProblemKind::Damaged, super::unpacking::DAMAGED_MEMBER),
    }
}
