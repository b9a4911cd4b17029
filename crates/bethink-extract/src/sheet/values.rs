//! Values in the XML of spreadsheets.

use std::borrow::Cow;

use crate::xml::XmlElement;

/// An attribute that is a number.
pub(super) fn number<T: std::str::FromStr>(element: &XmlElement<'_>, name: &str) -> Option<T> {
    element.attribute(name)?.trim().parse().ok()
}

/// An attribute that is a yes.
pub(super) fn is_true(element: &XmlElement<'_>, name: &str) -> bool {
    matches!(element.attribute(name).as_deref(), Some("1" | "true" | "on"))
}

/// `_x000D_` and its like, which stand for characters that XML cannot hold.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains("_x") {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        clean.push_str(&rest[..at]);
        let code = rest.get(at + 2..at + 6).filter(|_| rest.as_bytes().get(at + 6) == Some(&b'_'));
        match code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32) {
            Some(character) => {
                clean.push(character);
                rest = &rest[at + 7..];
            }
            None => {
                clean.push_str("_x");
                rest = &rest[at + 2..];
            }
        }
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_characters_come_back() {
        assert_eq!(unescaped("a_x000D_b"), "a\rb");
        assert_eq!(unescaped("max_x, _xZZZZ_ _x00"), "max_x, _xZZZZ_ _x00");
        assert_eq!(unescaped("é_x"), "é_x");
        assert_eq!(unescaped("_x00e9é"), "_x00e9é");
    }
}
