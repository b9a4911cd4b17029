//! Showing text that others wrote, above all names of files, which may hold any character.

use std::borrow::Cow;

/// The text with control, zero-width and bidirectional characters made visible; line feeds and tabs
/// stay. The same forms as excerpts have, so that showing a shown text changes nothing.
pub use bethink_engine::visible as shown;

/// The same for what must stay on one line: line feeds and tabs become pictures too.
pub fn shown_line(text: &str) -> Cow<'_, str> {
    let shown = shown(text);
    if shown.contains(['\n', '\t']) {
        return Cow::Owned(shown.replace('\n', "␊").replace('\t', "␉"));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_could_steer_is_shown() {
        assert_eq!(shown_line("a\u{1b}[2J\nb\t\r"), "a␛[2J␊b␉␍");
        assert_eq!(shown("a\nb\tc\u{202E}"), "a\nb\tc\\u{202e}");
        assert_eq!(shown_line("می\u{200C}خواهم ❤\u{FE0F}"), "می\u{200C}خواهم ❤\u{FE0F}");
        assert_eq!(shown_line("tag\u{E0041}"), "tag\\u{e0041}");
    }

    proptest! {
        #[test]
        fn a_shown_line_is_one_line_and_showing_again_changes_nothing(text in any::<String>()) {
            let once = shown_line(&text).into_owned();
            prop_assert!(!once.chars().any(|character| character.is_control()));
            prop_assert_eq!(once.lines().count() <= 1, true);
            prop_assert_eq!(shown_line(&once).into_owned(), once.clone());
        }
    }
}
