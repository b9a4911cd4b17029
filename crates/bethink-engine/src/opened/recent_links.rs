//! Windows: the folder of recent files, in which the system lays a link to each file that is opened.
//!
//! A link's own modification time is the moment of the opening; where it points is in the link. Source of
//! the layout: "[MS-SHLLINK]: Shell Link (.LNK) Binary File Format", sections 2.1 to 2.3. Only links with
//! a local path are read: the others lead to devices and web pages.

use std::fs;
use std::path::{Path, PathBuf};

use bethink_core::UnixMillis;

use super::{OpenedRecord, OpenedSource};

/// Links read at the most; the system keeps some hundred and fifty.
const LINKS: usize = 5_000;

/// Bytes of a link at the most.
const LINK_BYTES: u64 = 1 << 20;

/// The folder of recent files.
pub(super) struct RecentLinks;

impl OpenedRecord for RecentLinks {
    fn source(&self) -> OpenedSource {
        OpenedSource::RecentLink
    }

    fn listed(&self, user_home: &Path) -> Vec<(PathBuf, UnixMillis)> {
        let Ok(listing) = fs::read_dir(user_home.join("AppData/Roaming/Microsoft/Windows/Recent")) else {
            return Vec::new();
        };
        let opening = |entry: fs::DirEntry| {
            let metadata = entry.metadata().ok().filter(|metadata| metadata.len() <= LINK_BYTES)?;
            let path = entry.path();
            let is_link = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("lnk"));
            let target = is_link.then(|| fs::read(&path).ok()).flatten().and_then(|link| target(&link))?;
            Some((PathBuf::from(target), UnixMillis::from_system_time(metadata.modified().ok()?)))
        };
        listing.flatten().take(LINKS).filter_map(opening).collect()
    }
}

/// The local path that a link points to.
fn target(link: &[u8]) -> Option<String> {
    const HEADER_BYTES: usize = 0x4C;
    const HAS_ID_LIST: u32 = 1;
    const HAS_INFO: u32 = 1 << 1;
    const HAS_LOCAL_PATH: u32 = 1;
    /// An information block whose header is this long holds its paths in UTF-16 as well.
    const WIDE_HEADER_BYTES: u32 = 0x24;

    if number(link, 0)? as usize != HEADER_BYTES {
        return None;
    }
    let flags = number(link, 20)?;
    let mut at = HEADER_BYTES;
    if flags & HAS_ID_LIST != 0 {
        let length = link.get(at..at + 2)?;
        at += 2 + usize::from(u16::from_le_bytes([length[0], length[1]]));
    }
    if flags & HAS_INFO == 0 {
        return None;
    }
    let info = link.get(at..)?;
    let info = info.get(..number(info, 0)? as usize)?;
    if number(info, 8)? & HAS_LOCAL_PATH == 0 {
        return None;
    }
    let path = if number(info, 4)? >= WIDE_HEADER_BYTES {
        wide(info, number(info, 28)?)? + &wide(info, number(info, 32)?).unwrap_or_default()
    } else {
        narrow(info, number(info, 16)?)? + &narrow(info, number(info, 24)?).unwrap_or_default()
    };
    (!path.is_empty()).then_some(path)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// A text of one byte a character, up to its final zero. Its code page is that of the machine; what is
/// not ASCII in it is in the wide text as well, on every system of this century.
fn narrow(info: &[u8], offset: u32) -> Option<String> {
    let text = info.get(offset as usize..).filter(|_| offset > 0)?;
    let end = text.iter().position(|byte| *byte == 0)?;
    Some(text[..end].iter().map(|byte| char::from(*byte)).collect())
}

/// A text of two bytes a unit, up to its final zero.
fn wide(info: &[u8], offset: u32) -> Option<String> {
    let text = info.get(offset as usize..).filter(|_| offset > 0)?;
    let units = text.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    Some(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn link(id_list: &[u8], narrow: &[u8], wide: Option<&str>) -> Vec<u8> {
        let mut link = vec![0; 0x4C];
        link[0] = 0x4C;
        link[20] = 0b10 | u8::from(!id_list.is_empty());
        if !id_list.is_empty() {
            link.extend(u16::try_from(id_list.len()).unwrap().to_le_bytes());
            link.extend(id_list);
        }
        let header: u32 = if wide.is_some() { 0x24 } else { 0x1C };
        let narrow_at = header;
        let suffix_at = narrow_at + u32::try_from(narrow.len()).unwrap();
        let mut body = [narrow, b"\0"].concat();
        let wide_at = header + u32::try_from(body.len()).unwrap();
        body.extend(wide.unwrap_or_default().encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
        let wide_suffix_at = header + u32::try_from(body.len()).unwrap();
        body.extend([0, 0]);
        let mut fields = vec![0, header, 1, 0, narrow_at, 0, suffix_at];
        if wide.is_some() {
            fields.extend([wide_at, wide_suffix_at]);
        }
        fields[0] = header + u32::try_from(body.len()).unwrap();
        link.extend(fields.into_iter().flat_map(u32::to_le_bytes));
        link.extend(body);
        link
    }

    #[test]
    fn a_link_tells_where_it_leads() {
        assert_eq!(target(&link(b"", b"C:\\a b.txt", None)).as_deref(), Some("C:\\a b.txt"));
        assert_eq!(target(&link(b"ids", b"C:\\?.txt", Some("C:\\\u{fc}.txt"))).as_deref(), Some("C:\\\u{fc}.txt"));
    }

    #[test]
    fn a_torn_link_leads_nowhere() {
        let whole = link(b"ids", b"C:\\a.txt", Some("C:\\a.txt"));
        for length in 0..whole.len() {
            let _ = target(&whole[..length]);
            let mut bent = whole.clone();
            bent[length] = 0xFF;
            let _ = target(&bent);
        }
        assert_eq!(target(&whole[..0x4C]), None);
    }

    #[test]
    fn openings_are_listed_with_their_moments() {
        let home = tempfile::tempdir().unwrap();
        let recent = home.path().join("AppData/Roaming/Microsoft/Windows/Recent");
        fs::create_dir_all(&recent).unwrap();
        fs::write(recent.join("a.txt.lnk"), link(b"", b"C:\\a.txt", None)).unwrap();
        fs::write(recent.join("desktop.ini"), "[x]").unwrap();
        let at = UnixMillis::from_system_time(fs::metadata(recent.join("a.txt.lnk")).unwrap().modified().unwrap());
        assert_eq!(RecentLinks.listed(home.path()), [(PathBuf::from("C:\\a.txt"), at)]);
        assert_eq!(RecentLinks.listed(Path::new("/nowhere")), []);
    }
}
