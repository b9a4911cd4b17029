//! Properties in a compound file.
//!
//! A property of changing length is a stream `__substg1.0_IIIITTTT` (number and type in hexadecimal); one of
//! fixed length stands in `__properties_version1.0` of its folder: behind a header, sixteen bytes each, of
//! which the first two are the type, the next two the number, and the last eight the value.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use bethink_core::UnixMillis;
use cfb::CompoundFile;

use crate::mail::word::in_charset;

/// Bytes before the properties of the message that is the file.
pub(super) const MESSAGE_HEADER: usize = 32;

/// Bytes before the properties of a recipient or an attachment.
pub(super) const ITEM_HEADER: usize = 8;

/// Most recipients and attachments that are looked at, each.
const CHILDREN: usize = 5000;

/// A compound file of properties.
pub(super) struct Store<'a> {
    pub(super) file: CompoundFile<Cursor<&'a [u8]>>,
    most_bytes: usize,
    /// The code page of texts that are not Unicode.
    charset: Option<String>,
}

/// One folder's properties of fixed length.
pub(super) struct Folder {
    path: String,
    fixed: HashMap<u16, [u8; 8]>,
}

impl Folder {
    /// A property that is a number.
    pub(super) fn number(&self, id: u16) -> Option<u32> {
        self.fixed.get(&id).and_then(|value| value.first_chunk()).map(|value| u32::from_le_bytes(*value))
    }

    /// A property that is a moment, in tenths of a microsecond since 1601.
    pub(super) fn time(&self, id: u16) -> Option<u64> {
        self.fixed.get(&id).map(|value| u64::from_le_bytes(*value)).filter(|ticks| *ticks > 0)
    }

    /// The name of the charset that a property numbers.
    pub(super) fn charset(&self, id: u16) -> Option<String> {
        Some(match self.number(id)? {
            number @ (874 | 1250..=1258) => format!("windows-{number}"),
            932 => "shift_jis".to_owned(),
            936 => "gbk".to_owned(),
            949 => "euc-kr".to_owned(),
            950 => "big5".to_owned(),
            866 => "ibm866".to_owned(),
            20866 => "koi8-r".to_owned(),
            21866 => "koi8-u".to_owned(),
            number @ 28591..=28606 => format!("iso-8859-{}", number - 28590),
            50220..=50222 => "iso-2022-jp".to_owned(),
            51932 => "euc-jp".to_owned(),
            51949 => "euc-kr".to_owned(),
            54936 => "gb18030".to_owned(),
            65001 => "utf-8".to_owned(),
            _ => return None,
        })
    }
}

impl<'a> Store<'a> {
    pub(super) fn open(bytes: &'a [u8], most_bytes: usize) -> Option<Self> {
        let file = CompoundFile::open(Cursor::new(bytes)).ok()?;
        let mut store = Self { file, most_bytes, charset: None };
        let message = store.folder("/", MESSAGE_HEADER);
        let pages = [super::property::MESSAGE_CODE_PAGE, super::property::INTERNET_CODE_PAGE];
        store.charset = pages.into_iter().find_map(|id| message.charset(id));
        Some(store)
    }

    /// A folder with its properties of fixed length.
    pub(super) fn folder(&mut self, path: &str, header_bytes: usize) -> Folder {
        let bytes = self.stream(&joined(path, "__properties_version1.0")).unwrap_or_default();
        let mut fixed = HashMap::new();
        for entry in bytes.get(header_bytes..).unwrap_or_default().chunks_exact(16) {
            let id = u16::from_le_bytes([entry[2], entry[3]]);
            if let Some(value) = entry[8..].first_chunk() {
                fixed.insert(id, *value);
            }
        }
        Folder { path: path.to_owned(), fixed }
    }

    /// The paths of the storages in a folder whose names begin so, in the order of their numbers.
    pub(super) fn children(&self, path: &str, prefix: &str) -> Vec<String> {
        let Ok(entries) = self.file.read_storage(path) else { return Vec::new() };
        let found = entries.filter(|entry| entry.is_storage() && entry.name().starts_with(prefix));
        let mut paths: Vec<String> = found.take(CHILDREN).map(|entry| joined(path, entry.name())).collect();
        paths.sort_unstable();
        paths
    }

    /// Whether a stream or storage is there.
    pub(super) fn exists(&self, path: &str) -> bool {
        self.file.exists(path)
    }

    /// The bytes of a stream, as far as they go.
    pub(super) fn stream(&mut self, path: &str) -> Option<Vec<u8>> {
        if !self.file.is_stream(path) {
            return None;
        }
        let stream = self.file.open_stream(path).ok()?;
        let mut bytes = Vec::new();
        // A chain of sectors that breaks has a beginning all the same.
        let _ = stream.take(self.most_bytes as u64).read_to_end(&mut bytes);
        Some(bytes)
    }

    /// A property that is text.
    pub(super) fn text(&mut self, folder: &Folder, id: u16) -> Option<String> {
        if let Some(bytes) = self.stream(&property_path(folder, id, "001F")) {
            return Some(unicode(&bytes));
        }
        let bytes = self.stream(&property_path(folder, id, "001E"))?;
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        Some(in_charset(&bytes[..end], self.charset.as_deref()))
    }

    /// A property that is bytes.
    pub(super) fn binary(&mut self, folder: &Folder, id: u16) -> Option<Vec<u8>> {
        self.stream(&property_path(folder, id, "0102"))
    }

    /// The categories that the user gave the message: a list of texts whose number is kept beside its name.
    pub(super) fn categories(&mut self, folder: &Folder) -> String {
        let Some(id) = self.named("Keywords") else { return String::new() };
        let mut words = Vec::new();
        for number in 0..256 {
            let path = format!("{}-{number:08X}", property_path(folder, id, "101F"));
            let Some(bytes) = self.stream(&path) else { break };
            words.push(unicode(&bytes));
        }
        words.join(", ")
    }

    /// The number of a property that has a name instead of one. Its entry in a list of eight bytes each holds
    /// where the name stands (4), a kind in the lowest bit (2) and the number less 0x8000 (2).
    fn named(&mut self, name: &str) -> Option<u16> {
        let entries = self.stream("/__nameid_version1.0/__substg1.0_00030102")?;
        let names = self.stream("/__nameid_version1.0/__substg1.0_00040102")?;
        entries.chunks_exact(8).find_map(|entry| {
            let at = usize::try_from(u32::from_le_bytes(*entry.first_chunk()?)).ok()?;
            let length = usize::try_from(u32::from_le_bytes(*names.get(at..)?.first_chunk()?)).ok()?;
            let found = names.get(at.checked_add(4)?..at.checked_add(4)?.checked_add(length)?)?;
            let is_named = entry[4] & 1 == 1 && unicode(found) == name;
            is_named.then(|| 0x8000u16.checked_add(u16::from_le_bytes([entry[6], entry[7]]))).flatten()
        })
    }
}

fn property_path(folder: &Folder, id: u16, kind: &str) -> String {
    joined(&folder.path, &format!("__substg1.0_{id:04X}{kind}"))
}

fn joined(path: &str, name: &str) -> String {
    if path.ends_with('/') { format!("{path}{name}") } else { format!("{path}/{name}") }
}

fn unicode(bytes: &[u8]) -> String {
    let (text, _) = encoding_rs::UTF_16LE.decode_without_bom_handling(bytes);
    text.trim_end_matches('\0').to_owned()
}

/// A moment of Windows as milliseconds since 1970.
pub(super) fn unix_millis(ticks: u64) -> Option<UnixMillis> {
    /// Milliseconds from 1601 to 1970.
    const EPOCH_MILLIS: i64 = 11_644_473_600_000;
    i64::try_from(ticks / 10_000).ok().map(|millis| UnixMillis(millis - EPOCH_MILLIS))
}

/// A moment of Windows as it sorts.
pub(super) fn written(ticks: u64) -> String {
    let moment = unix_millis(ticks).and_then(|moment| jiff::Timestamp::from_second(moment.0.div_euclid(1000)).ok());
    moment.map(|moment| moment.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_windows_are_those_of_unix() {
        assert_eq!(written(131_134_977_020_000_000), "2016-07-20T14:15:02Z");
        assert_eq!(unix_millis(116_444_736_000_000_000), Some(UnixMillis(0)));
        assert_eq!(written(u64::MAX), "");
    }
}
