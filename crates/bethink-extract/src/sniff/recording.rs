//! Pictures and recordings whose signature the common table does not know, or knows only in part.

/// The name of pictures.
pub(super) const IMAGE: &str = "image";
/// The name of recordings without pictures.
pub(super) const AUDIO: &str = "audio";
/// The name of recordings with pictures.
pub(super) const VIDEO: &str = "video";

/// Extensions of recordings without pictures in containers that hold either.
const AUDIO_EXTENSIONS: [&str; 7] = ["m4a", "m4b", "m4p", "m4r", "mka", "weba", "wma"];

/// What bytes that are known not to be text are, if a picture or a recording.
pub(super) fn kind_of(head: &[u8], extension: Option<&str>) -> Option<&'static str> {
    let either = if extension.is_some_and(|extension| AUDIO_EXTENSIONS.contains(&extension)) { AUDIO } else { VIDEO };
    match head {
        [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..] => return Some(by_brand(brand.get(..4)?, either)),
        // QuickTime from before there were brands.
        [0, _, _, _, b'm', b'o', b'o', b'v', ..] => return Some(either),
        [0, 0, 0, _, b'w' | b'f' | b's' | b'p', _, _, _, ..]
            if matches!(head.get(4..8), Some(b"wide" | b"free" | b"skip" | b"pnot")) =>
        {
            return Some(either);
        }
        _ => {}
    }
    const SIGNATURES: [(&[u8], &str); 13] = [
        (b"\x30\x26\xB2\x75\x8E\x66\xCF\x11", VIDEO),
        (b"OggS", AUDIO),
        (b"fLaC", AUDIO),
        (b"wvpk", AUDIO),
        (b"MPCK", AUDIO),
        (b"MP+", AUDIO),
        (b"MAC ", AUDIO),
        (b"\0\0\0\x0CJXL \r\n\x87\n", IMAGE),
        (b"FUJIFILMCCD-RAW", IMAGE),
        (b"IIRO", IMAGE),
        (b"IIRS", IMAGE),
        (b"IIU\0", IMAGE),
        (b"8BPS", IMAGE),
    ];
    if let Some((_, name)) = SIGNATURES.into_iter().find(|(signature, _)| head.starts_with(signature)) {
        return Some(match name {
            VIDEO => either,
            AUDIO if extension == Some("ogv") => VIDEO,
            name => name,
        });
    }
    match head {
        [0x1A, 0x45, 0xDF, 0xA3, ..] => Some(either),
        [b'R', b'I', b'F', b'F', _, _, _, _, kind @ ..] => match kind.get(..4)? {
            b"WAVE" => Some(AUDIO),
            b"AVI " => Some(VIDEO),
            b"WEBP" => Some(IMAGE),
            _ => None,
        },
        [b'F', b'O', b'R', b'M', _, _, _, _, b'A', b'I', b'F', b'F' | b'C', ..] => Some(AUDIO),
        _ => has_two_frames(head).then_some(AUDIO),
    }
}

/// What a file of boxes is by its main brand.
fn by_brand(brand: &[u8], either: &'static str) -> &'static str {
    match brand {
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"mif1" | b"msf1" | b"avif" | b"avis" | b"crx "
        | b"jxl " | b"jp2 " | b"jpx " => IMAGE,
        b"M4A " | b"M4B " | b"M4P " | b"F4A " | b"F4B " => AUDIO,
        _ => either,
    }
}

/// Whether the bytes begin with an ID3 tag of a known version: a size of four bytes below 128 follows.
pub(super) fn has_id3(head: &[u8]) -> bool {
    matches!(head, [b'I', b'D', b'3', 2..=4, 0..=9, _, a, b, c, d, ..] if [a, b, c, d].iter().all(|byte| **byte < 128))
}

/// Whether a frame of MPEG audio begins within the first kilobytes and another one where it ends. One alone is
/// eleven set bits, which any data has.
fn has_two_frames(head: &[u8]) -> bool {
    /// Junk before the first frame that players accept.
    const SEARCHED: usize = 2048;
    let starts = (0..head.len().min(SEARCHED)).filter(|at| head[*at] == 0xFF);
    starts.into_iter().any(|at| {
        // Junk is believed only before three frames in a row.
        let wanted = if at == 0 { 2 } else { 3 };
        let mut next = at;
        (0..wanted).all(|_| match head.get(next..).and_then(frame_bytes) {
            Some(length) => {
                next += length;
                true
            }
            None => false,
        })
    })
}

/// The length of the frame of MPEG audio, layer II or III, that begins here.
///
/// The header: eleven set bits, two for the version (3 is MPEG-1), two for the layer (1 is III, 2 is II), one for
/// a checksum; four for the bitrate, two for the sample rate, one for padding.
fn frame_bytes(bytes: &[u8]) -> Option<usize> {
    let [0xFF, second, third, ..] = bytes else { return None };
    let (version, layer) = (second >> 3 & 3, second >> 1 & 3);
    let (bitrate, rate, padding) = (usize::from(third >> 4), usize::from(third >> 2 & 3), usize::from(third >> 1 & 1));
    if second >> 5 != 7 || version == 1 || !matches!(layer, 1 | 2) || bitrate == 0 || bitrate == 15 || rate == 3 {
        return None;
    }
    const KILOBITS: [[usize; 14]; 3] = [
        [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ];
    let first_version = version == 3;
    let table = if !first_version { 2 } else { usize::from(layer - 1) };
    let hertz = [44_100, 48_000, 32_000][rate] >> (3 - usize::from(version)).min(2);
    let samples = if layer == 1 && !first_version { 576 } else { 1152 };
    Some(samples / 8 * KILOBITS[table][bitrate - 1] * 1000 / hertz + padding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_frames_are_told_from_chance() {
        let mut frames = vec![0u8; 417 * 3];
        for at in [0, 417, 834] {
            frames[at..at + 3].copy_from_slice(&[0xFF, 0xFB, 0x90]);
        }
        assert_eq!(frame_bytes(&frames), Some(417));
        assert_eq!(kind_of(&frames, None), Some(AUDIO));
        frames[417] = 0;
        assert_eq!(kind_of(&frames, None), None);
        assert_eq!(frame_bytes(&[0xFF, 0xFF, 0xFF, 0xFF]), None);
    }

    #[test]
    fn brands_and_names_tell_sound_from_film() {
        let boxes = |brand: &[u8; 4]| [b"\0\0\0\x18ftyp", &brand[..], &[0; 12]].concat();
        assert_eq!(kind_of(&boxes(b"isom"), Some("mp4")), Some(VIDEO));
        assert_eq!(kind_of(&boxes(b"isom"), Some("m4b")), Some(AUDIO));
        assert_eq!(kind_of(&boxes(b"M4A "), None), Some(AUDIO));
        assert_eq!(kind_of(&boxes(b"heic"), None), Some(IMAGE));
        assert_eq!(kind_of(b"\x30\x26\xB2\x75\x8E\x66\xCF\x11", Some("wma")), Some(AUDIO));
        assert_eq!(kind_of(b"\x30\x26\xB2\x75\x8E\x66\xCF\x11", Some("wmv")), Some(VIDEO));
        assert_eq!(kind_of(b"OggS\0", Some("ogv")), Some(VIDEO));
        assert_eq!(kind_of(b"OggS\0", Some("ogg")), Some(AUDIO));
        assert!(has_id3(b"ID3\x03\0\0\0\0\x0f\x76"));
        assert!(!has_id3(b"ID3 tags are"));
    }
}
