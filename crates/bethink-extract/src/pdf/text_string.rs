//! The strings by which a PDF speaks of itself: its title, its notes, the values of its forms.

/// A text string: UTF-16 or UTF-8 behind a byte-order mark, else PDFDocEncoding, which is Latin-1 in
/// all that people write.
pub(super) fn decoded(bytes: &[u8]) -> String {
    match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding.decode(bytes).0.into_owned(),
        None => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_strings_are_decoded_by_their_mark() {
        assert_eq!(decoded(b"\xFE\xFF\0T\0\xFC"), "Tü");
        assert_eq!(decoded(b"T\xFC"), "Tü");
    }
}
