//! The file `winmail.dat` that Outlook sends where it should send attachments: TNEF, Microsoft's transport
//! neutral encapsulation format (MS-OXTNEF).
//!
//! Behind a signature and a key stand attributes: a level (1 the message, 2 an attachment), a name of four
//! bytes, a length, as many bytes, and a sum of them. An attachment begins with its rendering data; its title, its
//! date and its bytes follow, and a list of MAPI properties that has its long name. All numbers are little-endian.

use bethink_core::UnixMillis;

use super::enclosure::Enclosure;
use super::word::in_charset;

const SIGNATURE: &[u8] = b"\x78\x9F\x3E\x22";
/// Bytes of the signature and the key.
const HEAD_BYTES: usize = 6;

const BODY: u32 = 0x0002_800C;
const RENDERING: u32 = 0x0006_9002;
const TITLE: u32 = 0x0001_8010;
const DATA: u32 = 0x0006_800F;
const CHANGED: u32 = 0x0003_8013;
const PROPERTIES: u32 = 0x0006_9005;

/// The properties of MAPI that name a file, the better ones first.
const LONG_NAME: u16 = 0x3707;
const DISPLAY_NAME: u16 = 0x3001;

/// Files of one such file that are taken; Outlook sends a dozen.
const MOST_FILES: usize = 10_000;

/// Values of one property that are stepped over.
const MOST_VALUES: u32 = 10_000;

/// What was in it.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// The text of the message, where it is plain.
    pub(super) body: String,
    /// The files.
    pub(crate) files: Vec<Enclosure>,
}

/// Whether these bytes are such a file.
pub(super) fn is_tnef(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}

/// An attachment that is being put together.
#[derive(Default)]
struct Attachment<'a> {
    title: Option<String>,
    name: Option<String>,
    modified: Option<UnixMillis>,
    data: Option<&'a [u8]>,
}

impl Attachment<'_> {
    fn finish(self, files: &mut Vec<Enclosure>) {
        let Some(data) = self.data.filter(|_| files.len() < MOST_FILES) else { return };
        let name = self.name.or(self.title);
        let mut file = Enclosure::new(name.as_deref(), "application/octet-stream", false, data.to_vec());
        file.modified = self.modified;
        files.push(file);
    }
}

/// Takes it apart, as far as it is whole.
pub(crate) fn contents(bytes: &[u8]) -> Contents {
    let mut contents = Contents::default();
    let mut open: Option<Attachment<'_>> = None;
    let mut rest = bytes.get(HEAD_BYTES..).unwrap_or_default();
    while let Some((name, value, behind)) = attribute(rest) {
        rest = behind;
        match (name, &mut open) {
            (BODY, _) if contents.body.is_empty() => contents.body = string(value),
            (RENDERING, _) => {
                if let Some(done) = open.replace(Attachment::default()) {
                    done.finish(&mut contents.files);
                }
            }
            (TITLE, Some(attachment)) => attachment.title = Some(string(value)),
            (CHANGED, Some(attachment)) => attachment.modified = moment(value),
            (DATA, Some(attachment)) => attachment.data = Some(value),
            (PROPERTIES, Some(attachment)) => attachment.name = long_name(value),
            _ => {}
        }
    }
    if let Some(last) = open {
        last.finish(&mut contents.files);
    }
    contents
}

/// The first attribute: its name, its bytes, and what is behind its sum.
fn attribute(bytes: &[u8]) -> Option<(u32, &[u8], &[u8])> {
    let (_level, bytes) = bytes.split_first()?;
    let (name, bytes) = four(bytes)?;
    let (length, bytes) = four(bytes)?;
    let length = usize::try_from(length).ok()?;
    let (value, bytes) = bytes.split_at_checked(length)?;
    // The last sum may be missing.
    Some((name, value, bytes.get(2..).unwrap_or_default()))
}

/// The text up to its zero, in whatever charset it is.
fn string(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    in_charset(&bytes[..end], None)
}

/// A date: year, month, day, hour, minute, second, weekday, two bytes each, in the sender's time, which is not
/// told and taken for universal time.
fn moment(bytes: &[u8]) -> Option<UnixMillis> {
    let number = |place: usize| {
        let pair = bytes.get(2 * place..2 * place + 2)?;
        Some(i16::from_le_bytes([pair[0], pair[1]]))
    };
    let small = |place: usize| i8::try_from(number(place)?).ok();
    let date = jiff::civil::DateTime::new(number(0)?, small(1)?, small(2)?, small(3)?, small(4)?, small(5)?, 0);
    let instant = jiff::tz::TimeZone::UTC.to_timestamp(date.ok()?).ok()?;
    Some(UnixMillis(instant.as_millisecond()))
}

/// The long name among the properties of an attachment.
fn long_name(bytes: &[u8]) -> Option<String> {
    let (count, mut bytes) = four(bytes)?;
    let mut display = None;
    for _ in 0..count {
        let Some((kind, id, rest)) = property_head(bytes) else { break };
        let Some((value, rest)) = property_value(kind, rest) else { break };
        bytes = rest;
        match id {
            LONG_NAME if !value.is_empty() => return Some(property_text(kind, value)),
            DISPLAY_NAME if !value.is_empty() => display = Some(property_text(kind, value)),
            _ => {}
        }
    }
    display
}

/// A property's type and number, and what follows; the name of a named property is stepped over.
fn property_head(bytes: &[u8]) -> Option<(u16, u16, &[u8])> {
    /// Numbers from here on are given by name: a GUID, and a number or a text.
    const NAMED: u16 = 0x8000;
    let (tag, mut bytes) = four(bytes)?;
    let (kind, id) = (tag as u16, (tag >> 16) as u16);
    if id >= NAMED {
        let (by_text, rest) = four(bytes.get(16..)?)?;
        let (number, rest) = four(rest)?;
        bytes = if by_text == 0 { rest } else { rest.get(padded(number)?..)? };
    }
    Some((kind, id, bytes))
}

/// The first value of a property of that type, and what is behind all of them.
fn property_value(kind: u16, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    const SEVERAL: u16 = 0x1000;
    let width = match kind & !SEVERAL {
        0x0002 | 0x0003 | 0x0004 | 0x000A | 0x000B => Some(4),
        0x0005 | 0x0006 | 0x0007 | 0x0014 | 0x0040 => Some(8),
        0x0048 => Some(16),
        // Texts, bytes and objects say how many there are and how long each is.
        0x000D | 0x001E | 0x001F | 0x0102 => None,
        _ => return None,
    };
    let (count, mut bytes) = if width.is_none() || kind & SEVERAL != 0 { four(bytes)? } else { (1, bytes) };
    let mut first: Option<&[u8]> = None;
    for _ in 0..count.min(MOST_VALUES) {
        let (value, rest) = match width {
            Some(width) => bytes.split_at_checked(width)?,
            None => {
                let (length, rest) = four(bytes)?;
                (rest.get(..usize::try_from(length).ok()?)?, rest.get(padded(length)?..).unwrap_or_default())
            }
        };
        first.get_or_insert(value);
        bytes = rest;
    }
    Some((first.unwrap_or_default(), bytes))
}

fn property_text(kind: u16, value: &[u8]) -> String {
    const WIDE: u16 = 0x001F;
    if kind != WIDE {
        return string(value);
    }
    encoding_rs::UTF_16LE.decode_without_bom_handling(value).0.trim_end_matches('\0').to_owned()
}

/// A length up to the next multiple of four.
fn padded(length: u32) -> Option<usize> {
    usize::try_from(length.checked_next_multiple_of(4)?).ok()
}

fn four(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn attribute_of(level: u8, name: u32, value: &[u8]) -> Vec<u8> {
        let length = u32::try_from(value.len()).unwrap().to_le_bytes();
        [&[level], &name.to_le_bytes()[..], &length, value, &[0, 0]].concat()
    }

    fn properties() -> Vec<u8> {
        let wide: Vec<u8> = "Übersicht 2026.csv\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let length = u32::try_from(wide.len()).unwrap().to_le_bytes();
        let mut bytes = 3u32.to_le_bytes().to_vec();
        // A number, a named property with a text for its name, then the long name.
        bytes.extend([&0x0E20_0003u32.to_le_bytes()[..], &7u32.to_le_bytes()].concat());
        bytes.extend([&0x8001_0003u32.to_le_bytes()[..], &[9; 16], &1u32.to_le_bytes(), &6u32.to_le_bytes()].concat());
        bytes.extend([&b"a\0b\0\0\0\0\0"[..], &1u32.to_le_bytes()].concat());
        bytes.extend([&0x3707_001Fu32.to_le_bytes()[..], &1u32.to_le_bytes(), &length, &wide].concat());
        bytes.extend([0; 3][..(4 - wide.len() % 4) % 4].iter());
        bytes
    }

    fn sample() -> Vec<u8> {
        let date: Vec<u8> = [2026i16, 3, 14, 9, 26, 0, 6].iter().flat_map(|number| number.to_le_bytes()).collect();
        [
            &b"\x78\x9F\x3E\x22\x01\x00"[..],
            &attribute_of(1, BODY, b"See the files.\0"),
            &attribute_of(2, RENDERING, &[0; 14]),
            &attribute_of(2, TITLE, b"BERSIC~1.CSV\0"),
            &attribute_of(2, CHANGED, &date),
            &attribute_of(2, DATA, b"stop,minutes\nHill,12\n"),
            &attribute_of(2, PROPERTIES, &properties()),
            &attribute_of(2, RENDERING, &[0; 14]),
            &attribute_of(2, TITLE, b"note.txt\0"),
            &attribute_of(2, DATA, b"The tram climbs"),
        ]
        .concat()
    }

    #[test]
    fn files_come_out_under_their_long_names() {
        assert!(is_tnef(&sample()));
        let contents = contents(&sample());
        assert_eq!(contents.body, "See the files.");
        let files: Vec<_> =
            contents.files.iter().map(|file| (file.name.as_str(), file.bytes.clone().unwrap())).collect();
        let wanted = [("Übersicht 2026.csv", &b"stop,minutes\nHill,12\n"[..]), ("note.txt", b"The tram climbs")];
        assert_eq!(files, wanted.map(|(name, bytes)| (name, bytes.to_vec())));
        assert_eq!(contents.files[0].modified, Some(UnixMillis(1_773_480_360_000)));
    }

    #[test]
    fn what_is_cut_off_keeps_what_came_before() {
        let whole = sample();
        for end in 0..whole.len() {
            let files = contents(&whole[..end]).files;
            assert!(files.iter().all(|file| file.bytes.as_ref().is_ok_and(|bytes| !bytes.is_empty())));
        }
        assert_eq!(contents(&whole[..whole.len() - 1]).files.len(), 2);
    }
}
