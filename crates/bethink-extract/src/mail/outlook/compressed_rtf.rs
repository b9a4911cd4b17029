//! The compression of rich text in Outlook's messages, as Microsoft describes it in MS-OXRTFCP.
//!
//! Layout: packed size (4), unpacked size (4), `LZFu` or `MELA` (4), checksum (4), content. With `MELA` the
//! content is plain. With `LZFu`, each byte of flags says of eight items, from its lowest bit, whether one is a
//! byte or two bytes that refer into a dictionary of 4,096: twelve bits of place, four of length less two. The
//! dictionary begins with words that rich text uses. A reference to where the next byte would go is the end.

/// The beginning of the dictionary.
const DICTIONARY: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \
    \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \
    \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

const DICTIONARY_BYTES: usize = 4096;

/// The rich text, as far as it unpacks and no longer than allowed.
pub(super) fn unpacked(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let (header, content) = bytes.split_at_checked(16)?;
    match &header[8..12] {
        b"MELA" => return Some(content[..content.len().min(most)].to_vec()),
        b"LZFu" => {}
        _ => return None,
    }
    let mut dictionary = [0u8; DICTIONARY_BYTES];
    dictionary[..DICTIONARY.len()].copy_from_slice(DICTIONARY);
    let mut place = DICTIONARY.len();
    let mut out = Vec::new();
    let mut rest = content.iter().copied();
    while let Some(flags) = rest.next() {
        for bit in 0..8 {
            if out.len() >= most {
                return Some(out);
            }
            if flags >> bit & 1 == 0 {
                let Some(byte) = rest.next() else { return Some(out) };
                out.push(byte);
                dictionary[place] = byte;
                place = (place + 1) % DICTIONARY_BYTES;
                continue;
            }
            let (Some(high), Some(low)) = (rest.next(), rest.next()) else { return Some(out) };
            let reference = usize::from(high) << 8 | usize::from(low);
            let (mut from, length) = (reference >> 4, (reference & 0xF) + 2);
            if from == place {
                return Some(out);
            }
            for _ in 0..length {
                let byte = dictionary[from];
                out.push(byte);
                dictionary[place] = byte;
                place = (place + 1) % DICTIONARY_BYTES;
                from = (from + 1) % DICTIONARY_BYTES;
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_description_unpack() {
        let simple: [u8; 49] = [
            0x2d, 0x00, 0x00, 0x00, 0x2b, 0x00, 0x00, 0x00, 0x4c, 0x5a, 0x46, 0x75, 0xf1, 0xc5, 0xc7, 0xa7, 0x03, 0x00,
            0x0a, 0x00, 0x72, 0x63, 0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0a, 0xf3, 0x20, 0x68, 0x65, 0x6c, 0x09,
            0x00, 0x20, 0x62, 0x77, 0x05, 0xb0, 0x6c, 0x64, 0x7d, 0x0a, 0x80, 0x0f, 0xa0,
        ];
        assert_eq!(unpacked(&simple, 1000).as_deref(), Some(&b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"[..]));
        let overlapping: [u8; 30] = [
            0x1a, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00, 0x4c, 0x5a, 0x46, 0x75, 0xe2, 0xd4, 0x4b, 0x51, 0x41, 0x00,
            0x04, 0x20, 0x57, 0x58, 0x59, 0x5a, 0x0d, 0x6e, 0x7d, 0x01, 0x0e, 0xb0,
        ];
        assert_eq!(unpacked(&overlapping, 1000).as_deref(), Some(&b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"[..]));
        assert_eq!(unpacked(b"short", 1000), None);
    }
}
