//! ZIP: members by the directory at the end; where that is missing, by the headers before each.

use std::io::{Cursor, Read};

use ::zip::extra_fields::ExtraField;
use ::zip::result::ZipError;
use ::zip::{CompressionMethod, ZipArchive, read::ZipFile};
use bethink_core::{Problem, ProblemKind, UnixMillis};

use super::unpacking::{DAMAGED_MEMBER, Unpacking};
use super::{Stopped, name, salvage};
use crate::extraction::problem;

/// Unpacks an archive.
pub(super) fn unpack(bytes: &[u8], unpacking: &mut Unpacking<'_>) -> Stopped {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else {
        return salvage::unpack(bytes, unpacking);
    };
    let count = archive.len();
    let names = name::Decoder::of(archive.file_names_raw());
    for index in 0..count {
        if let Ok(entry) = archive.by_index_data(index) {
            let path = names.decode(entry.name_raw());
            if !name::is_noise(&path) {
                unpacking.list(&path);
            }
        }
    }
    for index in 0..count {
        if !unpacking.wants_more() {
            break;
        }
        unpack_member(&mut archive, index, &names, unpacking);
    }
    None
}

fn unpack_member(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    index: usize,
    names: &name::Decoder,
    unpacking: &mut Unpacking<'_>,
) {
    let Ok(entry) = archive.by_index_data(index) else { return };
    let path = names.decode(entry.name_raw());
    if entry.is_dir() || entry.is_symlink() || name::is_noise(&path) {
        return;
    }
    let size = entry.size();
    if entry.encrypted() {
        return unpacking.withheld(&path, None, encrypted_member());
    }
    let method = entry.compression();
    let beyond_reader = match method {
        CompressionMethod::ZSTD | CompressionMethod::ZSTD_DEPRECATED => Some(93),
        CompressionMethod::XZ => Some(95),
        _ => None,
    };
    if let Some(method) = beyond_reader {
        return unpack_by_method(archive, index, method, &path, unpacking);
    }
    match archive.by_index(index) {
        Ok(mut file) => unpacking.file(&path, modified(&file), Some(size), &mut file),
        Err(ZipError::CompressionMethodNotSupported(_)) => unpacking.withheld(&path, None, unsupported_member()),
        Err(ZipError::UnsupportedArchive(_)) => unpacking.withheld(&path, None, unsupported_member()),
        Err(_) => unpacking.withheld(&path, None, problem(ProblemKind::Damaged, DAMAGED_MEMBER)),
    }
}

/// Unpacks a member that is packed in a way that the archive reader does not know.
fn unpack_by_method(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    index: usize,
    method: u16,
    path: &str,
    unpacking: &mut Unpacking<'_>,
) {
    let Ok(mut raw) = archive.by_index_raw(index) else {
        return unpacking.withheld(path, None, problem(ProblemKind::Damaged, DAMAGED_MEMBER));
    };
    let (modified, size) = (modified(&raw), raw.size());
    let mut packed = Vec::new();
    // Packed bytes are part of the container, so that their number is bounded by its own.
    let _ = raw.read_to_end(&mut packed);
    match salvage::content(method, &packed) {
        Some(mut content) => unpacking.file(path, modified, Some(size), &mut content),
        None => unpacking.withheld(path, modified, unsupported_member()),
    }
}

/// When a member was last changed: the moment that newer packers write, else the clock of the packing
/// machine, taken for universal time since nothing says where it stood.
fn modified<R: Read>(file: &ZipFile<'_, R>) -> Option<UnixMillis> {
    let moment = file.extra_data_fields().find_map(|field| match field {
        ExtraField::ExtendedTimestamp(times) => times.mod_time(),
        _ => None,
    });
    if let Some(seconds) = moment {
        return Some(UnixMillis(i64::from(seconds) * 1000));
    }
    let clock = file.last_modified()?;
    let part = |number: u8| i8::try_from(number).ok();
    let civil = jiff::civil::DateTime::new(
        i16::try_from(clock.year()).ok()?,
        part(clock.month())?,
        part(clock.day())?,
        part(clock.hour())?,
        part(clock.minute())?,
        part(clock.second())?,
        0,
    );
    let moment = jiff::tz::TimeZone::UTC.to_timestamp(civil.ok()?).ok()?;
    // The beginning of its calendar is what packers write that know no time.
    (clock.year() > 1980).then(|| UnixMillis(moment.as_millisecond()))
}

/// The reason for a member under a password.
pub(super) fn encrypted_member() -> Problem {
    problem(ProblemKind::Encrypted, "it opens with a password only; findable by name")
}

fn unsupported_member() -> Problem {
    problem(ProblemKind::Unsupported, "packed in a way that is not read; findable by name")
}
