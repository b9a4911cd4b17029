//! What a document says its title is, where a person could have meant it.

/// Characters of a title that are kept.
const TITLE_CHARS: usize = 300;

/// The title, if a person could have meant it: word processors write file names and "Untitled" there.
pub(crate) fn sensible(title: &str) -> Option<String> {
    const PREFIXES: [&str; 3] = ["Microsoft Word - ", "Microsoft PowerPoint - ", "Microsoft Excel - "];
    const FILE_ENDINGS: [&str; 20] = [
        ".doc", ".docx", ".dvi", ".tex", ".indd", ".qxd", ".qxp", ".ppt", ".pptx", ".xls", ".xlsx", ".pdf", ".rtf",
        ".odt", ".pub", ".pages", ".wpd", ".ps", ".fm", ".html",
    ];
    let title = title.split(|character: char| character.is_whitespace() || character.is_control());
    let title: Vec<&str> = title.filter(|word| !word.is_empty()).collect();
    let title = title.join(" ");
    let title = PREFIXES.iter().find_map(|prefix| title.strip_prefix(prefix)).unwrap_or(&title);
    let lower = title.to_lowercase();
    let is_file = FILE_ENDINGS.iter().any(|ending| lower.ends_with(ending));
    let letters = title.chars().filter(|character| character.is_alphabetic()).count();
    let is_default = ["untitled", "slide 1", "powerpoint presentation", "document", "title", "unknown"]
        .iter()
        .any(|default| lower == *default || lower.starts_with("untitled"));
    if is_file || is_default || letters < 2 || title.contains(char::REPLACEMENT_CHARACTER) {
        return None;
    }
    Some(title.chars().take(TITLE_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_programs_are_no_titles() {
        for title in
            ["", "untitled-3", "Microsoft Word - memo_final2.doc", "12", "paper.dvi", "PowerPoint Presentation"]
        {
            assert_eq!(sensible(title), None, "{title}");
        }
        assert_eq!(sensible(" The\n tram\0 ").as_deref(), Some("The tram"));
        assert_eq!(sensible("Microsoft Word - The tram").as_deref(), Some("The tram"));
    }
}
