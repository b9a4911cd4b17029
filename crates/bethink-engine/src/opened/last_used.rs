//! macOS: the moment of last use, which the system keeps beside each file that a person opens.
//!
//! It is an extended attribute whose value is a `timespec`: seconds since 1970 and nanoseconds, each
//! eight bytes, least significant first.

use std::path::Path;

use bethink_core::UnixMillis;

use super::{OpenedRecord, OpenedSource};

/// The attribute's name; everything behind `#` says how it is treated when the file is copied.
const ATTRIBUTE: &str = "com.apple.lastuseddate#PS";

/// The moment of last use.
pub(super) struct LastUsed;

impl OpenedRecord for LastUsed {
    fn source(&self) -> OpenedSource {
        OpenedSource::LastUsed
    }

    fn beside(&self, path: &Path) -> Option<UnixMillis> {
        attribute(path, ATTRIBUTE).and_then(|value| moment(&value))
    }
}

/// The value of an extended attribute, if the file has it and it is of the length of a moment.
#[cfg(unix)]
fn attribute(path: &Path, name: &str) -> Option<[u8; 16]> {
    let mut value = [0; 16];
    let length = rustix::fs::lgetxattr(path, name, &mut value).ok()?;
    (length == value.len()).then_some(value)
}

#[cfg(not(unix))]
fn attribute(_: &Path, _: &str) -> Option<[u8; 16]> {
    None
}

fn moment(value: &[u8; 16]) -> Option<UnixMillis> {
    let (seconds, nanoseconds) = value.split_first_chunk::<8>()?;
    let nanoseconds = i64::from_le_bytes(nanoseconds.try_into().ok()?);
    let millis = i64::from_le_bytes(*seconds).checked_mul(1000)?;
    (0..1_000_000_000).contains(&nanoseconds).then(|| UnixMillis(millis.saturating_add(nanoseconds / 1_000_000)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_moment_is_seconds_and_nanoseconds() {
        let mut value = [0; 16];
        value[..8].copy_from_slice(&1_767_434_400_i64.to_le_bytes());
        value[8..].copy_from_slice(&500_999_999_i64.to_le_bytes());
        assert_eq!(moment(&value), Some(UnixMillis(1_767_434_400_500)));
        value[8..].copy_from_slice(&1_000_000_000_i64.to_le_bytes());
        assert_eq!(moment(&value), None);
        assert_eq!(moment(&[0xFF; 16]), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_attribute_is_read_where_files_have_some() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let name = "user.bethink.test";
        let set = rustix::fs::setxattr(file.path(), name, &[7; 16], rustix::fs::XattrFlags::empty());
        if set.is_err() {
            println!("skipped: the file system of the temporary folder keeps no extended attributes");
            return;
        }
        assert_eq!(attribute(file.path(), name), Some([7; 16]));
        rustix::fs::setxattr(file.path(), name, &[7; 15], rustix::fs::XattrFlags::empty()).unwrap();
        assert_eq!(attribute(file.path(), name), None);
        assert_eq!(LastUsed.beside(file.path()), None);
    }
}
