//! The objects of an archive: texts, and the strings that tables' cells refer to.
//!
//! Layout: a varint length and a header in the form of protocol buffers, then its messages one after the
//! other. The header's second fields describe them: type (1) and length (3).

/// Types of texts: `TSWP.StorageArchive` and the one that comments use.
const TEXTS: [u64; 2] = [2001, 2005];

/// The type of a table's list of strings: `TST.TableDataList`.
const STRINGS: u64 = 6005;

/// Whether an archive holds what somebody wrote: masters and styles hold what a designer did.
pub(super) fn is_content(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let file = lower.rsplit('/').next().unwrap_or_default();
    const OTHERS: [&str; 7] =
        ["masterslide", "templateslide", "documentstylesheet", "viewstate", "metadata", "annotationauthor", "theme"];
    lower.ends_with(".iwa") && !OTHERS.iter().any(|other| file.starts_with(other))
}

/// Archives in the order of their making: by the number behind their name.
pub(super) fn order(name: &str) -> (bool, u64, String) {
    let digits = name.trim_end_matches(".iwa").rsplit('-').next().and_then(|digits| digits.parse().ok());
    // The document itself stands before what it is made of.
    (!name.ends_with("Document.iwa"), digits.unwrap_or(0), name.to_owned())
}

/// The texts of an archive, in its order.
pub(super) fn texts(bytes: &[u8]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = bytes;
    while let Some((header, after)) = delimited(rest) {
        rest = after;
        for message in fields(header).filter_map(|field| field.bytes(2)) {
            let number = |wanted| fields(message).find_map(|field| field.number(wanted)).unwrap_or(0);
            let length = usize::try_from(number(3)).unwrap_or(usize::MAX);
            let Some(payload) = rest.get(..length) else { return texts };
            rest = &rest[length..];
            match number(1) {
                kind if TEXTS.contains(&kind) => texts.extend(strings(payload, 3)),
                STRINGS => {
                    let entries = fields(payload).filter_map(|field| field.bytes(3));
                    texts.extend(entries.flat_map(|entry| strings(entry, 3)));
                }
                _ => {}
            }
        }
    }
    texts
}

/// The fields of that number that are text, without the signs that stand for what is attached.
fn strings(message: &[u8], wanted: u64) -> Vec<String> {
    let texts =
        fields(message).filter_map(|field| field.bytes(wanted)).filter_map(|bytes| std::str::from_utf8(bytes).ok());
    texts.map(|text| text.replace('\u{fffc}', "")).filter(|text| !text.trim().is_empty()).collect()
}

/// One field of a message.
struct Field<'a> {
    number: u64,
    value: Value<'a>,
}

enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Other,
}

impl<'a> Field<'a> {
    fn bytes(&self, wanted: u64) -> Option<&'a [u8]> {
        match self.value {
            Value::Bytes(bytes) if self.number == wanted => Some(bytes),
            _ => None,
        }
    }

    fn number(&self, wanted: u64) -> Option<u64> {
        match self.value {
            Value::Number(number) if self.number == wanted => Some(number),
            _ => None,
        }
    }
}

/// The fields of a message, up to the first that is broken.
fn fields(message: &[u8]) -> impl Iterator<Item = Field<'_>> {
    let mut rest = message;
    std::iter::from_fn(move || {
        let (key, after) = varint(rest)?;
        let (value, after) = match key & 7 {
            0 => varint(after).map(|(number, after)| (Value::Number(number), after))?,
            1 => (Value::Other, after.get(8..)?),
            2 => delimited(after).map(|(bytes, after)| (Value::Bytes(bytes), after))?,
            5 => (Value::Other, after.get(4..)?),
            _ => return None,
        };
        rest = after;
        Some(Field { number: key >> 3, value })
    })
}

fn delimited(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = varint(bytes)?;
    let length = usize::try_from(length).ok().filter(|length| *length <= rest.len())?;
    Some(rest.split_at(length))
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0u64;
    for (at, byte) in bytes.iter().take(10).enumerate() {
        number |= u64::from(byte & 0x7F).checked_shl(7 * u32::try_from(at).ok()?)?;
        if byte & 0x80 == 0 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_strings_of_tables_are_found() {
        let text = [&[0x1A, 7][..], b"a note\n"].concat();
        let entry = [&[0x08, 1, 0x1A, 4][..], b"cell"].concat();
        let table = [&[0x1A, 8][..], &entry].concat();
        let mut archive =
            vec![18, 0x08, 1, 0x12, 6, 0x08, 0xD1, 0x0F, 0x18, 9, 0x30, 0x12, 6, 0x08, 0xF5, 0x2E, 0x18, 10, 0x30];
        // The stray bytes behind both descriptions are fields that break off, and end them.
        archive[0] = u8::try_from(archive.len() - 1).unwrap_or(0);
        archive[4] = 6;
        archive.extend(text);
        archive.extend(table);
        assert_eq!(texts(&archive), ["a note\n", "cell"]);
        assert_eq!(texts(&archive[..archive.len() - 1]), ["a note\n"]);
        assert_eq!(texts(&[0xFF; 40]), Vec::<String>::new());
    }

    #[test]
    fn masters_and_styles_are_no_content() {
        let names = ["Index/Slide-12.iwa", "Index/MasterSlide-3.iwa", "Index/Tables/DataList.iwa", "Data/a.jpg"];
        assert_eq!(names.map(is_content), [true, false, true, false]);
    }
}
