//! What a ZIP holds, by the names of its members. Nothing is unpacked.

/// Most members looked at; what tells stands first in all known producers.
const MEMBERS_LOOKED_AT: usize = 256;

/// The kind of document that the container is; `zip` if it is just that.
pub(super) fn kind_of(bytes: &[u8], extension: Option<&str>) -> &'static str {
    if let Some(kind) = stored_media_type(bytes) {
        return kind;
    }
    let mut kind = "zip";
    let mut visit = |name: &[u8]| {
        let found = match name {
            _ if name.starts_with(b"word/") => "docx",
            b"xl/workbook.bin" => "xlsb",
            // The binary form has parts of the same names; its workbook tells.
            _ if name.starts_with(b"xl/") => {
                kind = "xlsx";
                return false;
            }
            _ if name.starts_with(b"ppt/") => "pptx",
            b"META-INF/MANIFEST.MF" => "jar",
            b"META-INF/container.xml" => "epub",
            _ if name.starts_with(b"Index/") && name.ends_with(b".iwa") => iwork(extension),
            b"Index.zip" => iwork(extension),
            b"index.apxl" => "key",
            b"index.xml" if matches!(extension, Some("pages" | "numbers")) => iwork(extension),
            _ => return false,
        };
        kind = found;
        true
    };
    if !visit_directory(bytes, &mut visit) {
        visit_local_headers(bytes, &mut visit);
    }
    if kind == "zip" && extension == Some("epub") {
        return "epub";
    }
    kind
}

/// Whether the directory at the end is there; without it the file was cut short.
pub(super) fn has_directory(bytes: &[u8]) -> bool {
    end_record(bytes).is_some()
}

/// The three kinds of iWork share their members.
fn iwork(extension: Option<&str>) -> &'static str {
    match extension {
        Some("numbers") => "numbers",
        Some("key") => "key",
        _ => "pages",
    }
}

/// OpenDocument and EPUB store their media type, unpacked, as the first member.
fn stored_media_type(bytes: &[u8]) -> Option<&'static str> {
    let rest = bytes.get(30..)?.strip_prefix(b"mimetype")?;
    let head = &rest[..rest.len().min(128)];
    const TYPES: [(&[u8], &str); 7] = [
        (b"application/epub+zip", "epub"),
        (b"application/vnd.oasis.opendocument.text", "odt"),
        (b"application/vnd.oasis.opendocument.spreadsheet", "ods"),
        (b"application/vnd.oasis.opendocument.presentation", "odp"),
        // Drawings are pages of shapes as slides are, and StarOffice's formats became OpenDocument.
        (b"application/vnd.oasis.opendocument.graphics", "odp"),
        (b"application/vnd.sun.xml.writer", "odt"),
        (b"application/vnd.sun.xml.impress", "odp"),
    ];
    let holds = |needle: &[u8]| head.windows(needle.len()).any(|window| window == needle);
    TYPES.into_iter().find(|(media_type, _)| holds(media_type)).map(|(_, kind)| kind)
}

/// The end-of-directory record: offset of the directory.
fn end_record(bytes: &[u8]) -> Option<usize> {
    /// The record itself and the longest comment behind it.
    const SEARCHED: usize = 22 + 65_535;
    let tail_start = bytes.len().saturating_sub(SEARCHED);
    let tail = &bytes[tail_start..];
    let at = tail.windows(4).rposition(|window| window == b"PK\x05\x06")?;
    let record = tail.get(at..at + 22)?;
    Some(little_endian(&record[16..20]))
}

/// Visits the members' names in the directory until the visitor is content.
fn visit_directory(bytes: &[u8], visit: &mut dyn FnMut(&[u8]) -> bool) -> bool {
    let Some(mut at) = end_record(bytes) else { return false };
    for _ in 0..MEMBERS_LOOKED_AT {
        let Some(header) = bytes.get(at..).and_then(|rest| rest.get(..46)) else { return false };
        if !header.starts_with(b"PK\x01\x02") {
            return false;
        }
        let lengths = [28, 30, 32].map(|field| little_endian(&header[field..field + 2]));
        let Some(name) = bytes.get(at + 46..at + 46 + lengths[0]) else { return false };
        if visit(name) {
            return true;
        }
        at += 46 + lengths.iter().sum::<usize>();
    }
    false
}

/// Visits the names in the headers before each member, for a head or a file that lost its directory.
fn visit_local_headers(bytes: &[u8], visit: &mut dyn FnMut(&[u8]) -> bool) {
    /// Searched for headers; members are compressed, so a false signature is rare and harmless.
    const SEARCHED: usize = 1 << 20;
    let head = &bytes[..bytes.len().min(SEARCHED)];
    let starts = head.windows(4).enumerate().filter(|(_, window)| *window == b"PK\x03\x04").map(|(at, _)| at);
    for at in starts.take(MEMBERS_LOOKED_AT) {
        let Some(length) = head.get(at + 26..at + 28).map(little_endian) else { return };
        let Some(name) = head.get(at + 30..at + 30 + length) else { return };
        if visit(name) {
            return;
        }
    }
}

/// The number in up to four bytes, least significant first.
fn little_endian(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | usize::from(*byte))
}
