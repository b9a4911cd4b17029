//! Formats by their first bytes.

use super::recording::{self, AUDIO, IMAGE, VIDEO};

/// A signature that no text begins with, or that settles the matter although text follows (PDF, RTF,
/// PostScript, TAR). `zip` and `ole` are containers to look into.
pub(super) fn strong(head: &[u8]) -> Option<&'static str> {
    let opening = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    if opening.starts_with(b"%PDF-") {
        return Some("pdf");
    }
    const SIGNATURES: [(&[u8], &str); 16] = [
        (b"PK\x03\x04", "zip"),
        (b"PK\x05\x06", "zip"),
        (b"PK\x07\x08", "zip"),
        (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "ole"),
        (b"{\\rtf", "rtf"),
        (b"%!PS", "ps"),
        (b"\xC5\xD0\xD3\xC6", "ps"),
        (b"\x04%!PS", "ps"),
        (b"\x1F\x8B", "gz"),
        (b"\xFD7zXZ\0", "xz"),
        (b"\x28\xB5\x2F\xFD", "zst"),
        (b"\x04\x22\x4D\x18", "lz4"),
        (b"7z\xBC\xAF\x27\x1C", "7z"),
        (b"Rar!\x1A\x07", "rar"),
        (b"\x7FELF", "elf"),
        (b"\xE4\x52\x5C\x7B\x8C\xD8\xA7\x4D", "one"),
    ];
    let listed = SIGNATURES.into_iter().find(|(signature, _)| head.starts_with(signature));
    if let Some((_, name)) = listed {
        return Some(name);
    }
    if recording::has_id3(head) {
        return Some(AUDIO);
    }
    is_tar(head).then_some("tar")
}

/// A signature of the common table, for bytes that are known not to be text.
pub(super) fn weak(head: &[u8], extension: Option<&str>) -> Option<&'static str> {
    if let Some(name) = recording::kind_of(head, extension) {
        return Some(name);
    }
    infer::get(head).map(|kind| match (kind.matcher_type(), kind.extension()) {
        // The table's name for compound files without a known class identifier.
        (_, "msi") => "ole",
        // Pages and layers are no picture.
        (infer::MatcherType::Image, name) if !matches!(name, "djvu" | "ora") => IMAGE,
        (infer::MatcherType::Audio, _) => AUDIO,
        (infer::MatcherType::Video, _) => VIDEO,
        (_, extension) => extension,
    })
}

/// Whether a PDF header stands at the start of a line or behind binary bytes in the first kilobyte.
pub(super) fn has_late_pdf_header(head: &[u8]) -> bool {
    const HEADER_WITHIN: usize = 1024;
    let head = &head[..head.len().min(HEADER_WITHIN)];
    head.windows(5).enumerate().any(|(at, window)| {
        window == b"%PDF-" && at.checked_sub(1).is_none_or(|before| !matches!(head[before], b' '..=b'~'))
    })
}

/// Whether the first 512 bytes are a TAR header: the `ustar` magic, or, for archives older than it, a
/// checksum that fits (the sum of all bytes, with its own eight counted as spaces).
pub(crate) fn is_tar(head: &[u8]) -> bool {
    let Some(header) = head.get(..512) else { return false };
    let stored = &header[148..156];
    let digits = stored.trim_ascii_start().iter().take_while(|byte| matches!(byte, b'0'..=b'7'));
    let checksum = digits.fold(0u32, |sum, digit| sum.wrapping_mul(8).wrapping_add(u32::from(digit - b'0')));
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    let own: u32 = stored.iter().map(|byte| u32::from(*byte)).sum();
    checksum != 0 && header[0] != 0 && sum - own + 8 * u32::from(b' ') == checksum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_tar_is_told_by_its_checksum() {
        let mut header = [0u8; 512];
        header[..9].copy_from_slice(b"notes.txt");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        assert_eq!(strong(&header), Some("tar"));
        header[0] = b'm';
        assert_eq!(strong(&header), None);
    }
}
