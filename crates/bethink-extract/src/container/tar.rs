//! TAR: members one after another, with GNU and PAX long names and sparse files.

use std::io::Read;

use ::tar::{Archive, Entry, EntryType};
use bethink_core::UnixMillis;

use super::name;
use super::unpacking::Unpacking;
use super::{Stopped, damaged};

/// Unpacks an archive from wherever its bytes come.
pub(super) fn unpack(content: impl Read, unpacking: &mut Unpacking<'_>) -> Stopped {
    let mut archive = Archive::new(content);
    // Archives that were appended to with `cat` have an end in their middle.
    archive.set_ignore_zeros(true);
    let entries = match archive.entries() {
        Ok(entries) => entries,
        Err(_) => return Some(damaged("the archive cannot be read")),
    };
    for entry in entries {
        let Ok(mut entry) = entry else {
            return Some(damaged("the archive is broken; files before the break are kept"));
        };
        let facts = Facts::of(&mut entry);
        if facts.is_noise() {
            continue;
        }
        unpacking.list(&facts.path);
        if facts.has_content {
            let size = entry.size();
            unpacking.file(&facts.path, facts.modified, Some(size), &mut entry);
        }
        if !unpacking.wants_more() {
            break;
        }
    }
    None
}

/// What a member's headers say.
struct Facts {
    path: String,
    modified: Option<UnixMillis>,
    has_content: bool,
}

impl Facts {
    fn of(entry: &mut Entry<'_, impl Read>) -> Self {
        let kind = entry.header().entry_type();
        let mut path = name::decoded(&entry.path_bytes());
        let mut seconds = entry.header().mtime().ok().filter(|seconds| *seconds > 0);
        if let Ok(Some(extensions)) = entry.pax_extensions() {
            for extension in extensions.flatten() {
                match extension.key() {
                    // The path in the header of a sparse file is one that GNU tar made up.
                    Ok("GNU.sparse.name") => path = name::decoded(extension.value_bytes()),
                    Ok("mtime") => {
                        let whole = extension.value().ok().and_then(|value| value.split('.').next()?.parse().ok());
                        seconds = whole.or(seconds);
                    }
                    _ => {}
                }
            }
        }
        // Archives older than `ustar` tell folders by the slash alone.
        let is_folder = kind.is_dir() || path.ends_with('/');
        if is_folder && !path.ends_with('/') {
            path.push('/');
        }
        let has_content = !is_folder && !has_no_content(kind);
        let modified = seconds.and_then(|seconds| i64::try_from(seconds).ok()?.checked_mul(1000)).map(UnixMillis);
        Self { path, modified, has_content }
    }

    /// Headers about the whole archive, and the attributes that macOS keeps beside each file.
    fn is_noise(&self) -> bool {
        self.path.is_empty() || matches!(self.path.as_str(), "./" | "pax_global_header") || name::is_noise(&self.path)
    }
}

/// Kinds that are no file with content of its own: links, devices, headers. Any other kind is read as a
/// file, as the standard asks.
fn has_no_content(kind: EntryType) -> bool {
    kind.is_hard_link()
        || kind.is_symlink()
        || kind.is_character_special()
        || kind.is_block_special()
        || kind.is_fifo()
        || kind.is_pax_global_extensions()
        || kind.is_pax_local_extensions()
        || kind.is_gnu_longname()
        || kind.is_gnu_longlink()
}
