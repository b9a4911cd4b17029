//! Which charset a text is written in, from its bytes alone.
//!
//! The order is from certain to probable: a byte-order mark; UTF-16 and UTF-32 without one; valid
//! UTF-8; UTF-8 with a few broken places; what the text declares about itself; what its letters
//! make likely. UTF-32 is asked before UTF-16, since its little-endian mark begins with the other's.

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use super::{declared, wide};

/// A way to turn bytes into characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    /// UTF-8, broken places replaced.
    Utf8,
    /// Four bytes a character, least significant first.
    Utf32Little,
    /// Four bytes a character, most significant first.
    Utf32Big,
    /// Any encoding of the web's table, UTF-16 among them.
    Web(&'static Encoding),
}

/// A charset and where the text starts behind its byte-order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decoding {
    pub(crate) charset: Charset,
    pub(crate) mark_bytes: usize,
}

/// Bytes that the statistical detector is shown. Its verdict settles within kilobytes of letters
/// that are not ASCII; the bound keeps a 200 MB file from being scanned letter by letter.
const DETECTOR_BYTES: usize = 1 << 20;

/// The charset of a text. Never fails: some single-byte charset fits any bytes.
pub(crate) fn charset_of(bytes: &[u8]) -> Decoding {
    if let Some(decoding) = byte_order_mark(bytes) {
        return decoding;
    }
    let unmarked = |charset| Decoding { charset, mark_bytes: 0 };
    let (valid, cut) = match std::str::from_utf8(bytes) {
        Ok(_) => (true, false),
        // A text that ends inside a character was cut, by a crash or by whoever read only its head.
        Err(error) => (error.error_len().is_none(), true),
    };
    if valid && !cut && !bytes.contains(&0) {
        return unmarked(if has_japanese_escapes(bytes) { Charset::Web(ISO_2022_JP) } else { Charset::Utf8 });
    }
    if let Some(charset) = wide::charset_without_mark(bytes) {
        return unmarked(charset);
    }
    if valid || is_mostly_utf8(bytes) {
        return unmarked(Charset::Utf8);
    }
    if let Some(encoding) = declared::encoding(bytes) {
        return unmarked(Charset::Web(encoding));
    }
    let mut detector = chardetng::EncodingDetector::new();
    detector.feed(telling_part(bytes), true);
    unmarked(Charset::Web(detector.guess(None, false)))
}

/// Whether the bytes are UTF-16 or UTF-32, or carry any byte-order mark: text, whatever zeros it holds.
pub(crate) fn is_wide(bytes: &[u8]) -> bool {
    byte_order_mark(bytes).is_some()
        || (std::str::from_utf8(bytes).is_err() || bytes.contains(&0)) && wide::charset_without_mark(bytes).is_some()
}

/// The charset that a byte-order mark names.
fn byte_order_mark(bytes: &[u8]) -> Option<Decoding> {
    let (charset, mark_bytes) = match bytes {
        [0xFF, 0xFE, 0, 0, ..] if bytes.len().is_multiple_of(4) => (Charset::Utf32Little, 4),
        [0, 0, 0xFE, 0xFF, ..] => (Charset::Utf32Big, 4),
        [0xEF, 0xBB, 0xBF, ..] => (Charset::Utf8, 3),
        [0xFF, 0xFE, ..] => (Charset::Web(UTF_16LE), 2),
        [0xFE, 0xFF, ..] => (Charset::Web(UTF_16BE), 2),
        _ => return None,
    };
    Some(Decoding { charset, mark_bytes })
}

/// Whether the escapes of ISO-2022-JP occur. Such a text is pure ASCII to every other test.
fn has_japanese_escapes(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(DETECTOR_BYTES)];
    let shifts = |sequence: &[u8]| matches!(sequence, [0x1B, b'$', b'B' | b'@']);
    head.contains(&0x1B) && head.windows(3).any(shifts)
}

/// Whether the bytes are UTF-8 but for a few broken places: a log with one torn line should not have
/// all its accents misread. In other charsets, a valid sequence of several bytes is an accident.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut multibyte, mut broken) = (0usize, 0usize);
    for chunk in bytes[..bytes.len().min(DETECTOR_BYTES)].utf8_chunks() {
        multibyte += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    multibyte >= broken.saturating_mul(4)
}

/// The stretch around the first letter that is not ASCII: the rest tells the detector nothing.
fn telling_part(bytes: &[u8]) -> &[u8] {
    /// Kept before the letter, since the detector looks at neighbours.
    const LEAD_BYTES: usize = 64;
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let start = first.saturating_sub(LEAD_BYTES);
    &bytes[start..bytes.len().min(start + DETECTOR_BYTES)]
}

/// The bytes as text. Broken places become U+FFFD.
pub(crate) fn decode(bytes: &[u8], decoding: Decoding) -> String {
    let body = &bytes[decoding.mark_bytes..];
    match decoding.charset {
        Charset::Utf8 => String::from_utf8_lossy(body).into_owned(),
        Charset::Utf32Little => wide::decode_utf32(body, u32::from_le_bytes),
        Charset::Utf32Big => wide::decode_utf32(body, u32::from_be_bytes),
        Charset::Web(encoding) if encoding == UTF_8 => String::from_utf8_lossy(body).into_owned(),
        Charset::Web(encoding) => encoding.decode_without_bom_handling(body).0.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::*;

    fn read(bytes: &[u8]) -> String {
        decode(bytes, charset_of(bytes))
    }

    fn utf16(text: &str, little: bool, mark: bool) -> Vec<u8> {
        let units = mark.then_some(0xFEFF).into_iter().chain(text.encode_utf16());
        units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    }

    fn utf32(text: &str, little: bool, mark: bool) -> Vec<u8> {
        let units = mark.then_some(0xFEFF).into_iter().chain(text.chars().map(u32::from));
        units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    }

    const SAMPLES: [&str; 8] = [
        "The tram climbed the hill.\r\nNobody spoke.\r\n",
        "Grüße aus Zürich, schöne Tage\nund süße Träume\n",
        "Быстрая лиса перепрыгнула через забор.\nСнова дождь.\n",
        "吾輩は猫である。名前はまだ無い。\nどこで生れたか頓と見当がつかぬ。\n",
        "中文合約轉換體驗課問題\n设备清单\n",
        "끝말잇기 놀이를 하자\n",
        "ok\n",
        "naïve café — “quoted” ’tis\n",
    ];

    #[test]
    fn every_width_and_order_reads_with_and_without_its_mark() {
        for text in SAMPLES {
            for little in [true, false] {
                for mark in [true, false] {
                    assert_eq!(read(&utf16(text, little, mark)), text, "UTF-16 little={little} mark={mark}");
                    assert_eq!(read(&utf32(text, little, mark)), text, "UTF-32 little={little} mark={mark}");
                }
            }
            assert_eq!(read(text.as_bytes()), text);
            assert_eq!(read(&[b"\xEF\xBB\xBF", text.as_bytes()].concat()), text);
        }
    }

    #[test]
    fn wide_text_without_a_single_ascii_character_reads() {
        let text = "吾輩は猫である。名前はまだ無い。どこで生れたか頓と見当がつかぬ。";
        assert_eq!(read(&utf16(text, true, false)), text);
        assert_eq!(read(&utf16(text, false, false)), text);
    }

    #[test]
    fn the_legacy_charsets_of_the_world_read() {
        let cases: [(&str, &'static Encoding); 14] = [
            ("Die Straßenbahn fährt über die Brücke nach Köln und zurück.\n", WINDOWS_1252),
            ("It’s “quoted” – and the café’s open.\n", WINDOWS_1252),
            ("Zażółć gęślą jaźń, proszę państwa, dziękuję bardzo.\n", WINDOWS_1250),
            ("Быстрая лиса перепрыгнула через ленивую собаку.\n", WINDOWS_1251),
            ("Быстрая лиса перепрыгнула через ленивую собаку.\n", KOI8_U),
            ("Η γρήγορη αλεπού πηδάει πάνω από τον σκύλο.\n", WINDOWS_1253),
            ("Pijamalı hasta yağız şoföre çabucak güvendi.\n", WINDOWS_1254),
            ("今天天气很好,我们一起去公园散步吧。设备清单在这里。\n", GBK),
            ("中文合約轉換體驗課問題,今天天氣很好我們去公園。\n", BIG5),
            ("吾輩は猫である。名前はまだ無い。どこで生れたか頓と見当がつかぬ。\n", SHIFT_JIS),
            ("吾輩は猫である。名前はまだ無い。どこで生れたか頓と見当がつかぬ。\n", EUC_JP),
            ("吾輩は猫である。名前はまだ無い。\n", ISO_2022_JP),
            ("끝말잇기 놀이를 하자. 오늘은 날씨가 좋다.\n", EUC_KR),
            ("שלום עולם, מה שלומך היום? הכול בסדר גמור.\n", WINDOWS_1255),
        ];
        for (text, encoding) in cases {
            let (bytes, _, unmappable) = encoding.encode(text);
            assert!(!unmappable, "the sample for {} does not fit it", encoding.name());
            assert_eq!(read(&bytes), text, "{}", encoding.name());
        }
    }

    #[test]
    fn one_torn_place_does_not_cost_the_accents() {
        let mut bytes = "Zürich Köln São naïve déjà\n".repeat(3).into_bytes();
        bytes.extend(b"torn \xE2\x82 here\n");
        assert!(read(&bytes).starts_with("Zürich Köln"));
    }

    #[test]
    fn a_declared_charset_is_believed() {
        let html = b"<html><head><meta charset=koi8-r></head>\xD0\xD2\xC9\xD7\xC5\xD4</html>";
        assert!(read(html).contains("привет"));
        let xml = b"<?xml version=\"1.0\" encoding=\"ISO-8859-2\"?><a>\xB3\xF3d\xBC</a>";
        assert!(read(xml).contains("łódź"));
        let python = b"# -*- coding: cp1251 -*-\nprint('\xEF\xF0\xE8\xE2\xE5\xF2')\n";
        assert!(read(python).contains("привет"));
    }
}
