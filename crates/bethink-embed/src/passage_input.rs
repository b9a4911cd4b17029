//! What is embedded for a passage: its text, with as much of where it stands as adds something.
//!
//! A passage torn from its heading loses what it is about ("It was moved to Tuesday"). Measured on
//! labelled sets, heading and title before the text find more; the same words twice do not, and a
//! trail so long that it pushes the text out of the sequence limit loses.

/// Most characters of title and headings together: about 40 tokens of the 256 that are read.
const MAX_TRAIL_CHARACTERS: usize = 160;
/// Between title and headings.
const SEPARATOR: &str = " > ";

/// The text to embed for a passage: `title > heading > heading`, a line feed, and the passage's text.
///
/// Of the trail is left out what says nothing new: a heading that the text itself begins with, a title
/// or heading that is empty or that repeats one that is there. When the trail is too long, its outermost
/// parts go first, because the innermost heading is nearest to what the passage says; one part that is
/// too long by itself is cut between characters.
#[must_use]
pub fn passage_input(title: Option<&str>, heading: &[String], text: &str) -> String {
    let beginning = comparable(first_line(text));
    let mut trail: Vec<(String, String)> = Vec::new();
    let mut room = MAX_TRAIL_CHARACTERS;
    let outwards = heading.iter().map(String::as_str).rev().chain(title);
    for part in outwards {
        let shown = part.split_whitespace().collect::<Vec<_>>().join(" ");
        let key = comparable(&shown);
        if key.is_empty() || key == beginning || trail.iter().any(|(_, known)| *known == key) {
            continue;
        }
        let length = shown.chars().count();
        if length > room {
            if trail.is_empty() {
                trail.push((shown.chars().take(room).collect(), key));
            }
            break;
        }
        room = room.saturating_sub(length + SEPARATOR.len());
        trail.push((shown, key));
    }
    if trail.is_empty() {
        return text.to_owned();
    }
    let parts: Vec<&str> = trail.iter().rev().map(|(shown, _)| shown.as_str()).collect();
    format!("{}\n{text}", parts.join(SEPARATOR))
}

/// The first line that has something in it.
fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// Letters and digits only, in lower case: `## 2.1 Set-up` and `2.1 Set-up` are the same heading.
fn comparable(text: &str) -> String {
    // A first line can be a megabyte, and more than the trail may hold is never equal to a part of it
    // that is worth leaving out.
    text.chars()
        .filter(|character| character.is_alphanumeric())
        .take(2 * MAX_TRAIL_CHARACTERS)
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(title: Option<&str>, heading: &[&str], text: &str) -> String {
        let heading: Vec<String> = heading.iter().map(|part| (*part).to_owned()).collect();
        passage_input(title, &heading, text)
    }

    #[test]
    fn the_trail_goes_before_the_text() {
        assert_eq!(input(Some("Manual"), &["Set-up", "Linux"], "Run it."), "Manual > Set-up > Linux\nRun it.");
        assert_eq!(input(None, &[], "Run it."), "Run it.");
    }

    #[test]
    fn what_says_nothing_new_is_left_out() {
        assert_eq!(input(Some("Manual"), &["Manual", "  "], "Run it."), "Manual\nRun it.");
        assert_eq!(input(Some("Manual"), &["Set-up"], "\n## Set-up\n\nRun it."), "Manual\n\n## Set-up\n\nRun it.");
        assert_eq!(input(Some("***"), &[], "Run it."), "Run it.");
    }

    #[test]
    fn a_long_trail_keeps_the_innermost() {
        let long = "wide ".repeat(30);
        assert_eq!(input(Some(&long), &["near"], "x"), format!("{} > near\nx", long.trim()));
        assert_eq!(input(Some("title"), &[&long, "near"], "x"), format!("{} > near\nx", long.trim()));
        let endless = "ö".repeat(10_000);
        assert_eq!(input(Some("title"), &[&endless], "x").chars().count(), MAX_TRAIL_CHARACTERS + 2);
    }

    proptest::proptest! {
        #[test]
        fn the_text_is_whole_and_last(title in ".{0,200}", heading in ".{0,200}", text in "(?s).{0,200}") {
            let made = input(Some(&title), &[&heading], &text);
            proptest::prop_assert!(made.ends_with(&text));
            let trail = made.chars().count() - text.chars().count();
            proptest::prop_assert!(trail <= MAX_TRAIL_CHARACTERS + 1);
        }
    }
}
