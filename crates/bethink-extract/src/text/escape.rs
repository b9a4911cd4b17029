//! Bytes written as a marker and two hexadecimal digits: `%20` in references, `=C3` in mails and cards.

/// The text with its escapes undone, each byte through `map`. A marker without two digits stays.
pub(crate) fn unescaped(text: &str, marker: u8, map: impl Fn(u8) -> u8) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        match after.split_at_checked(2).and_then(|(digits, after)| Some((hex_byte(digits)?, after))) {
            Some((byte, after)) if *first == marker => {
                bytes.push(map(byte));
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

/// The byte of two hexadecimal digits; a sign is none.
pub(crate) fn hex_byte(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u8::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_escapes_are_undone_and_broken_ones_stay() {
        let undone = |text| String::from_utf8_lossy(&unescaped(text, b'%', |byte| byte)).into_owned();
        assert_eq!(undone("a%20b%C3%A9"), "a b\u{e9}");
        assert_eq!(undone("100% %zz %+1 %4"), "100% %zz %+1 %4");
        assert_eq!(unescaped("a=0D=0Ab", b'=', |_| b' '), b"a  b");
    }
}
