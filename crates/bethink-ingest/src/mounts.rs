//! The volumes that are mounted besides the one that the system lives on.

use std::path::{Path, PathBuf};

/// File systems that hold people's files on a disk of this machine. Network file systems are left
/// out: walking one may take hours, and may never come back if its server is away.
const DISK_FILE_SYSTEMS: [&str; 22] = [
    "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "jfs", "reiserfs", "bcachefs", "nilfs2", "vfat", "msdos",
    "exfat", "ntfs", "ntfs3", "fuseblk", "hfs", "hfsplus", "apfs", "udf", "iso9660",
];

/// Where the system itself is mounted: not a place of somebody's files.
const SYSTEM_PLACES: [&str; 13] =
    ["/boot", "/efi", "/usr", "/var", "/etc", "/opt", "/nix", "/gnu", "/snap", "/sysroot", "/proc", "/sys", "/dev"];

/// A mounted volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Volume {
    /// Where it is mounted.
    pub path: PathBuf,
    /// Its file system, as the system names it.
    pub file_system: String,
}

/// The volumes with people's files that are mounted now, by path; none where the platform does not
/// list them.
pub fn volumes() -> Vec<Volume> {
    std::fs::read("/proc/self/mounts").map(|table| volumes_in(&table)).unwrap_or_default()
}

/// The volumes in a table of the form of `/proc/self/mounts`.
fn volumes_in(table: &[u8]) -> Vec<Volume> {
    let mut volumes: Vec<Volume> = table
        .split(|byte| *byte == b'\n')
        .filter_map(|line| {
            let mut fields = line.split(|byte| *byte == b' ');
            let (_, place, kind) = (fields.next()?, fields.next()?, fields.next()?);
            let file_system = std::str::from_utf8(kind).ok()?.to_owned();
            let path = bethink_core::path_from_bytes(&unescaped(place));
            Some(Volume { path, file_system })
        })
        .filter(|volume| DISK_FILE_SYSTEMS.contains(&volume.file_system.as_str()) && !is_system_place(&volume.path))
        .collect();
    volumes.sort_by(|one, other| one.path.cmp(&other.path));
    volumes.dedup_by(|one, other| one.path == other.path);
    volumes
}

fn is_system_place(path: &Path) -> bool {
    path == Path::new("/") || SYSTEM_PLACES.iter().any(|place| path.starts_with(place))
}

/// Space, tab, newline and backslash stand in the table as a backslash and three octal digits.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        if *first == b'\\'
            && let Some(digits) = after.get(..3)
            && digits.iter().all(|digit| (b'0'..=b'7').contains(digit))
        {
            let value = digits.iter().fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            if let Ok(byte) = u8::try_from(value) {
                bytes.push(byte);
                rest = &after[3..];
                continue;
            }
        }
        bytes.push(*first);
        rest = after;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_with_files_are_told_from_the_system_and_the_network() {
        let table = b"proc /proc proc rw 0 0\n/dev/sda1 / ext4 rw 0 0\n/dev/sda2 /boot/efi vfat rw 0 0\n\
            /dev/sdb1 /media/ada/My\\040Disk exfat rw 0 0\nserver:/x /mnt/nas nfs4 rw 0 0\n\
            /dev/sdc1 /home btrfs rw 0 0\n/dev/loop0 /snap/core squashfs ro 0 0\nbroken";
        let found: Vec<PathBuf> = volumes_in(table).into_iter().map(|volume| volume.path).collect();
        assert_eq!(found, [PathBuf::from("/home"), PathBuf::from("/media/ada/My Disk")]);
    }
}
