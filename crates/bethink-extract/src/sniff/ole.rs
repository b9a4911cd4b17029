//! What a compound file (OLE) holds, by the names in its directory.
//!
//! Layout: a header of 512 bytes with the sector size (a power of two at offset 30), the first
//! directory sector (offset 48) and the first 109 sectors of the allocation table (from 76); sector
//! `n` stands at `(n + 1) << power`. A directory entry is 128 bytes: 64 of UTF-16 name, then its
//! length with the final zero.

use super::ENCRYPTED_OFFICE;

/// Directory sectors followed. A sector holds four entries or more, and what tells is near the root.
const SECTORS_FOLLOWED: usize = 256;

/// The kind of document that the container is; `ole` if its names tell nothing.
pub(super) fn kind_of(bytes: &[u8]) -> &'static str {
    let mut kind = "ole";
    visit_names(bytes, &mut |name| {
        let told = match name {
            // An encrypted OOXML file is a compound file around the cipher text.
            "EncryptedPackage" => ENCRYPTED_OFFICE,
            "WordDocument" => "doc",
            "Workbook" | "Book" => "xls",
            "PowerPoint Document" => "ppt",
            // A message may hold documents, never the other way round.
            "__properties_version1.0" | "__nameid_version1.0" => "msg",
            _ => return false,
        };
        if kind == "ole" || told == "msg" {
            kind = told;
        }
        kind == "msg"
    });
    kind
}

/// Visits the directory's names until the visitor is content or the chain ends.
fn visit_names(bytes: &[u8], visit: &mut dyn FnMut(&str) -> bool) -> Option<()> {
    let power = u32::from(*bytes.get(30)?);
    if !matches!(power, 9 | 12) {
        return None;
    }
    let sector_bytes = 1usize << power;
    let sector = |number: u32| -> Option<&[u8]> {
        let start = (usize::try_from(number).ok()? + 1).checked_mul(sector_bytes)?;
        let rest = bytes.get(start..)?;
        Some(&rest[..rest.len().min(sector_bytes)])
    };
    let mut number = word(bytes, 48)?;
    for _ in 0..SECTORS_FOLLOWED {
        for entry in sector(number)?.chunks_exact(128) {
            let length = usize::from(entry[64]).min(64).saturating_sub(2);
            let units = entry[..length].as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
            let name: String =
                char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
            if visit(&name) {
                return Some(());
            }
        }
        let per_sector = u32::try_from(sector_bytes / 4).ok()?;
        let table = usize::try_from(number / per_sector).ok().filter(|table| *table < 109)?;
        let table_sector = sector(word(bytes, 76 + 4 * table)?)?;
        number = word(table_sector, 4 * usize::try_from(number % per_sector).ok()?)?;
    }
    None
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
