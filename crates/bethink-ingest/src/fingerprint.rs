//! Has this file changed? Stamps screen, BLAKE3 of the bytes decides.
//!
//! A stamp is what the file system says: size, times, inode. Equal stamps mean that a file is not
//! looked at again, so a stamp may only be recorded as true when nobody can have written to the file
//! after it was taken without moving it. Clocks of file systems tick coarsely (two seconds on FAT,
//! a few milliseconds elsewhere): a file that was written within [`RACY_NS`] before it was read could
//! be written once more under the very same stamp. Such a file, and one that changed while it was
//! read, is recorded with a *doubtful* stamp, which equals no stamp of a real file: the next sweep
//! hashes it again. Git calls the same thing "racily clean".
//!
//! Reading refuses to follow links anywhere below the file's root, to open anything but regular files (a FIFO put in a file's place
//! cannot hang it), and to read more than it was allowed.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use bethink_core::{ContentHash, UnixMillis};
use bethink_store::FileStamp;

use crate::beneath::open_below;

/// A file changed less than this before it was read could change again unseen: FAT counts in steps
/// of two seconds.
pub const RACY_NS: i64 = 2_000_000_000;

/// How often a file that changes while it is read is read again before what was read is taken.
pub const READ_ATTEMPTS: u32 = 3;

/// The status-change time of a doubtful stamp; no real file has it.
const DOUBTFUL_CHANGED_NS: i64 = -1;

/// The stamp of a file from what the system says of it.
pub fn stamp_of(metadata: &Metadata) -> FileStamp {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        FileStamp {
            size_bytes: metadata.len(),
            modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
            device: metadata.dev(),
        }
    }
    #[cfg(not(unix))]
    {
        let modified = metadata.modified().map(UnixMillis::from_system_time).unwrap_or_default();
        FileStamp {
            size_bytes: metadata.len(),
            modified_ns: modified.0.saturating_mul(1_000_000),
            ..FileStamp::default()
        }
    }
}

#[cfg(unix)]
fn nanoseconds(seconds: i64, nanoseconds: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
}

/// Bytes that the file takes on the disk; its size where the platform does not say.
pub fn allocated_bytes(metadata: &Metadata) -> u64 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        metadata.blocks().saturating_mul(512)
    }
    #[cfg(not(unix))]
    {
        metadata.len()
    }
}

/// Whether two stamps are of the same unchanged file. The device is left out: its number changes
/// when a volume is mounted again, and size, both times and inode agreeing by chance on another
/// volume at the same path does not happen.
pub fn same_stamp(one: &FileStamp, other: &FileStamp) -> bool {
    FileStamp { device: 0, ..*one } == FileStamp { device: 0, ..*other }
}

/// The stamp with a mark that the next sweep must not trust it.
pub fn doubtful(stamp: FileStamp) -> FileStamp {
    FileStamp { changed_ns: DOUBTFUL_CHANGED_NS, ..stamp }
}

/// Whether a recorded stamp was doubtful when it was taken.
pub fn is_doubtful(stamp: &FileStamp) -> bool {
    stamp.changed_ns == DOUBTFUL_CHANGED_NS
}

/// Whether the file was written so shortly before `now` that its stamp proves nothing.
pub fn is_racy(stamp: &FileStamp, now: UnixMillis) -> bool {
    // The status-change time cannot be set by hand, so it is asked where there is one.
    let written = if stamp.changed_ns > 0 { stamp.changed_ns } else { stamp.modified_ns };
    now.0.saturating_mul(1_000_000).saturating_sub(written).abs() < RACY_NS
}

/// The bytes of a file with what they are known by.
#[derive(Debug)]
pub struct FileRead {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Their BLAKE3.
    pub hash: ContentHash,
    /// The stamp to record, doubtful where it proves nothing.
    pub stamp: FileStamp,
}

/// Why a file could not be read.
#[derive(Debug)]
pub enum ReadTrouble {
    /// It is not there any more.
    Vanished,
    /// It is not a regular file any more.
    NotAFile,
    /// It has more bytes than may be read.
    TooLarge {
        /// Its size in bytes.
        size_bytes: u64,
        /// Its stamp.
        stamp: FileStamp,
    },
    /// The system refused or failed; it may succeed another time.
    Passing(io::Error),
}

/// Opens a regular file for reading, never if it is a link itself (see [`open_below`] for the folders on
/// the way), never blocking, and where the system
/// allows it without moving its access time: that time tells when the *user* opened the file.
///
/// # Errors
/// Whatever the system says.
pub fn open_quietly(path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let careful = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC;
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            // Only the owner may ask for it; everybody else is refused with EPERM and asks again.
            match OpenOptions::new().read(true).custom_flags(careful | libc::O_NOATIME).open(path) {
                Err(error) if error.raw_os_error() == Some(libc::EPERM) => {}
                opened => return opened,
            }
        }
        OpenOptions::new().read(true).custom_flags(careful).open(path)
    }
    #[cfg(not(unix))]
    {
        OpenOptions::new().read(true).open(path)
    }
}

/// Reads a file below a root, of up to `limit_bytes`, whole. A file that changes meanwhile is read again, up to
/// [`READ_ATTEMPTS`] times; what was read last is then taken, with a doubtful stamp.
///
/// # Errors
/// See [`ReadTrouble`].
pub fn read(root: &Path, path: &Path, limit_bytes: u64, now: UnixMillis) -> Result<FileRead, ReadTrouble> {
    let mut attempt = 1;
    loop {
        let (mut file, stamp) = open_within(root, path, limit_bytes)?;
        // One byte more than the size, so that growth is seen without reading on for ever. The size
        // is only a hint for the capacity: files under /proc say 0 and then give bytes.
        let capacity = usize::try_from(stamp.size_bytes).unwrap_or(0).saturating_add(1);
        let mut bytes = Vec::new();
        if bytes.try_reserve_exact(capacity).is_err() {
            return Err(ReadTrouble::Passing(io::Error::from(io::ErrorKind::OutOfMemory)));
        }
        let allowed = limit_bytes.saturating_add(1);
        (&mut file).take(allowed).read_to_end(&mut bytes).map_err(|error| sorted(error, path))?;
        if bytes.len() as u64 > limit_bytes {
            return Err(ReadTrouble::TooLarge { size_bytes: bytes.len() as u64, stamp });
        }
        let after = file.metadata().map_err(|error| sorted(error, path))?;
        let steady = stamp_of(&after) == stamp && bytes.len() as u64 == stamp.size_bytes;
        if !steady && attempt < READ_ATTEMPTS {
            attempt += 1;
            continue;
        }
        let hash = ContentHash(*blake3::hash(&bytes).as_bytes());
        let stamp = if steady && !is_racy(&stamp, now) { stamp } else { doubtful(stamp) };
        return Ok(FileRead { bytes, hash, stamp });
    }
}

/// Opens a regular file below a root that is no larger than the limit, with its stamp at that moment.
fn open_within(root: &Path, path: &Path, limit_bytes: u64) -> Result<(File, FileStamp), ReadTrouble> {
    let file = open_below(root, path).map_err(|error| sorted(error, path))?;
    let metadata = file.metadata().map_err(|error| sorted(error, path))?;
    if !metadata.is_file() {
        return Err(ReadTrouble::NotAFile);
    }
    let stamp = stamp_of(&metadata);
    if stamp.size_bytes > limit_bytes {
        return Err(ReadTrouble::TooLarge { size_bytes: stamp.size_bytes, stamp });
    }
    Ok((file, stamp))
}

/// BLAKE3 of a file below a root, of up to `limit_bytes`, read in pieces, with its stamp as [`read`] would give it.
///
/// # Errors
/// See [`ReadTrouble`].
pub fn hash(
    root: &Path,
    path: &Path,
    limit_bytes: u64,
    now: UnixMillis,
) -> Result<(ContentHash, FileStamp), ReadTrouble> {
    let (mut file, stamp) = open_within(root, path, limit_bytes)?;
    let mut hasher = blake3::Hasher::new();
    let copied = io::copy(&mut (&mut file).take(limit_bytes.saturating_add(1)), &mut hasher)
        .map_err(|error| sorted(error, path))?;
    let after = file.metadata().map_err(|error| sorted(error, path))?;
    let steady = stamp_of(&after) == stamp && copied == stamp.size_bytes;
    let stamp = if steady && !is_racy(&stamp, now) { stamp } else { doubtful(stamp) };
    Ok((ContentHash(*hasher.finalize().as_bytes()), stamp))
}

fn sorted(error: io::Error, path: &Path) -> ReadTrouble {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadTrouble::Vanished,
        // A link on the way.
        #[cfg(unix)]
        _ if error.raw_os_error() == Some(libc::ELOOP) => ReadTrouble::NotAFile,
        // A link or a socket in the file's place.
        _ if path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) => ReadTrouble::NotAFile,
        _ => ReadTrouble::Passing(error),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    /// Ten minutes after anything that these tests write.
    fn later() -> UnixMillis {
        UnixMillis(UnixMillis::from_system_time(std::time::SystemTime::now()).0 + 600_000)
    }

    #[test]
    fn a_settled_file_has_the_stamp_of_the_system() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        fs::write(&path, "text").unwrap();
        let read = read(folder.path(), &path, 100, later()).unwrap();
        assert_eq!(read.bytes, b"text");
        assert_eq!(read.hash.0, *blake3::hash(b"text").as_bytes());
        assert_eq!(read.stamp, stamp_of(&path.symlink_metadata().unwrap()));
        assert_eq!(hash(folder.path(), &path, 100, later()).unwrap(), (read.hash, read.stamp));
    }

    #[test]
    fn a_file_written_just_now_has_a_doubtful_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        fs::write(&path, "text").unwrap();
        let written = UnixMillis(stamp_of(&path.symlink_metadata().unwrap()).changed_ns / 1_000_000);
        let read = read(folder.path(), &path, 100, written).unwrap();
        assert!(is_doubtful(&read.stamp));
        assert!(!same_stamp(&read.stamp, &stamp_of(&path.symlink_metadata().unwrap())));
    }

    #[test]
    fn what_is_no_file_is_never_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(read(folder.path(), &folder.path().join("gone"), 100, later()), Err(ReadTrouble::Vanished)));
        assert!(matches!(read(folder.path(), folder.path(), 100, later()), Err(ReadTrouble::NotAFile)));
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/etc/hostname", &link).unwrap();
        assert!(matches!(read(folder.path(), &link, 100, later()), Err(ReadTrouble::NotAFile)));
        let fifo = folder.path().join("pipe.md");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        assert!(matches!(read(folder.path(), &fifo, 100, later()), Err(ReadTrouble::NotAFile)));
    }

    #[test]
    fn a_file_over_the_limit_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        fs::write(&path, "12345").unwrap();
        assert!(matches!(read(folder.path(), &path, 4, later()), Err(ReadTrouble::TooLarge { size_bytes: 5, .. })));
        assert!(read(folder.path(), &path, 5, later()).is_ok());
    }
}
