//! Folding: one spelling for what people regard as the same word.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use crate::character::{is_accent, is_invisible};

/// Text in the form in which it is compared: compatibility-normalised (NFKC: full and half width,
/// ligatures, circled digits), lower case (`ß` is `ss`, final sigma is sigma), without accents,
/// zero-width characters and bidirectional controls. Folding twice changes nothing.
pub fn fold(text: &str) -> String {
    fold_cow(text).into_owned()
}

/// [`fold`], borrowing where the text is folded already.
pub(crate) fn fold_cow(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        };
    }
    let mut letters = String::with_capacity(text.len());
    for character in text.nfkd() {
        for lower in character.to_lowercase() {
            match lower {
                'ß' => letters.push_str("ss"),
                'ς' => letters.push('σ'),
                'ı' => letters.push('i'),
                // Letters that carry a stroke have no decomposition, but people type them bare.
                'ø' => letters.push('o'),
                'ł' => letters.push('l'),
                'đ' | 'ð' => letters.push('d'),
                'ħ' => letters.push('h'),
                'æ' => letters.push_str("ae"),
                'œ' => letters.push_str("oe"),
                'þ' => letters.push_str("th"),
                other if is_accent(other) || is_invisible(other) => {}
                other => letters.push(other),
            }
        }
    }
    Cow::Owned(letters.nfc().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_regard_as_equal_folds_alike() {
        for (left, right) in [
            ("Straße", "STRASSE"),
            ("Crème Brûlée", "creme brulee"),
            ("ﬁle", "FILE"),
            ("ＡＢＣ１２３", "abc123"),
            ("ｶﾞ", "ガ"),
            ("Ørsted", "orsted"),
            ("Ёлка", "елка"),
            ("ὈΔΥΣΣΕΎΣ", "οδυσσευς"),
            ("אָלֶף", "אלף"),
            ("مُحَمَّد", "محمد"),
            ("zero\u{200B}width\u{202E}", "zerowidth"),
            ("한글", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}"),
            ("İstanbul", "istanbul"),
        ] {
            assert_eq!(fold(left), fold(right), "{left} {right}");
        }
    }

    #[test]
    fn vowel_signs_are_kept_where_they_make_the_word() {
        assert_ne!(fold("กี่"), fold("ก"));
        assert_ne!(fold("कि"), fold("क"));
        assert_ne!(fold("が"), fold("か"));
    }
}
