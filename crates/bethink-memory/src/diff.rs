//! What a suggestion would change, for eyes.

use bethink_store::memory::NoteContent;
use similar::TextDiff;

/// Lines around a change that are shown.
const CONTEXT_LINES: usize = 2;

/// The changes from one content to another, line by line, as a unified diff: title and tags first.
pub fn suggestion_diff(is: &NoteContent, would_be: &NoteContent) -> String {
    let written = |content: &NoteContent| {
        let tags = content.tags.join(", ");
        let tags = if tags.is_empty() { String::new() } else { format!("tags: {tags}\n") };
        format!("# {}\n{tags}\n{}\n", content.title, content.body)
    };
    let (is, would_be) = (written(is), written(would_be));
    let diff = TextDiff::from_lines(&is, &would_be);
    diff.unified_diff().context_radius(CONTEXT_LINES).header("is", "would be").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_is_marked() {
        let is = NoteContent { title: "Anna".to_owned(), body: "one\ntwo".to_owned(), ..NoteContent::default() };
        let would_be = NoteContent { body: "one\nthree".to_owned(), ..is.clone() };
        let diff = suggestion_diff(&is, &would_be);
        assert!(diff.contains("\n one\n-two\n+three\n"), "{diff}");
        assert!(!diff.contains("-# Anna"), "{diff}");
    }
}
