//! Names inside containers, which say nothing about their charset.

use encoding_rs::{Encoding, WINDOWS_1252};

use crate::text::{charset_of, decode};

/// The upper half of code page 850, the DOS charset of Western Europe. The letters of code page 437 that
/// occur in names stand in the same places; where that one draws boxes, this one has letters.
const DOS: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤\
                   ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";

/// A name that stands alone, as in a TAR.
pub(super) fn decoded(raw: &[u8]) -> String {
    let raw = raw.split(|byte| *byte == 0).next().unwrap_or_default();
    decode(raw, charset_of(raw))
}

/// How the names of one archive are read: all of them were written by one machine.
pub(super) enum Decoder {
    /// UTF-8, or nothing but ASCII.
    Utf8,
    Dos,
    Web(&'static Encoding),
}

impl Decoder {
    /// The decoder for all these names.
    pub(super) fn of<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> Self {
        /// Bytes that are shown to the detector.
        const SHOWN_BYTES: usize = 64 << 10;
        let mut shown = Vec::new();
        for name in names.into_iter().filter(|name| std::str::from_utf8(name).is_err()) {
            shown.extend_from_slice(name);
            shown.push(b'\n');
            if shown.len() > SHOWN_BYTES {
                break;
            }
        }
        if shown.is_empty() {
            return Self::Utf8;
        }
        let mut detector = chardetng::EncodingDetector::new();
        detector.feed(&shown, true);
        let guess = detector.guess(None, false);
        if is_dos(&shown, guess) { Self::Dos } else { Self::Web(guess) }
    }

    /// A name as text.
    pub(super) fn decode(&self, raw: &[u8]) -> String {
        match (std::str::from_utf8(raw), self) {
            (Ok(name), _) => name.to_owned(),
            (Err(_), Self::Utf8) => String::from_utf8_lossy(raw).into_owned(),
            (Err(_), Self::Dos) => raw.iter().map(|byte| dos_character(*byte)).collect(),
            (Err(_), Self::Web(encoding)) => encoding.decode_without_bom_handling(raw).0.into_owned(),
        }
    }
}

fn dos_character(byte: u8) -> char {
    let upper = usize::from(byte).checked_sub(128);
    upper.map_or(char::from(byte), |upper| DOS.chars().nth(upper).unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// Whether names are in the DOS charset rather than in the one that a detector guessed, which does not know it.
/// Its letters stand where the Windows charsets of the West have controls and quotation marks. Against a guess of
/// another script they must be few and scattered among ASCII letters, where such scripts have runs.
fn is_dos(shown: &[u8], guess: &'static Encoding) -> bool {
    let is_letter = |byte: &u8| matches!(byte, 0x80..=0x9B | 0x9D | 0xA0..=0xA5 | 0xB5..=0xB7 | 0xE1);
    if !shown.iter().all(|byte| byte.is_ascii() || is_letter(byte)) {
        return false;
    }
    let high = shown.iter().filter(|byte| !byte.is_ascii()).count();
    let ascii_letters = shown.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let mut runs = shown.split(u8::is_ascii);
    guess == WINDOWS_1252 || high * 3 <= ascii_letters && runs.all(|run| run.len() <= 2)
}

/// Files that macOS puts beside each file of an archive for its own attributes.
pub(super) fn is_noise(path: &str) -> bool {
    path.starts_with("__MACOSX/") || path.rsplit('/').next().is_some_and(|file| file.starts_with("._"))
}

/// The name of the file inside a compressed one: `notes.txt` for `notes.txt.gz`.
pub(super) fn without_compression(container: &str) -> String {
    const SUFFIXES: [(&str, &str); 13] = [
        (".tgz", ".tar"),
        (".taz", ".tar"),
        (".tbz", ".tar"),
        (".tbz2", ".tar"),
        (".txz", ".tar"),
        (".tzst", ".tar"),
        (".svgz", ".svg"),
        (".gz", ""),
        (".gzip", ""),
        (".bz2", ""),
        (".xz", ""),
        (".zst", ""),
        (".z", ""),
    ];
    let file = container.rsplit('/').next().unwrap_or(container);
    let lower = file.to_ascii_lowercase();
    let stem = SUFFIXES.into_iter().find_map(|(suffix, inner)| {
        let stem = lower.strip_suffix(suffix).filter(|stem| !stem.is_empty())?;
        Some(format!("{}{inner}", &file[..stem.len()]))
    });
    match stem {
        Some(stem) => stem,
        None if file.is_empty() => "content".to_owned(),
        None => file.to_owned(),
    }
}
