//! Words of names and of queries for them.

use bethink_text::fold;

/// A name as it is compared: folded, each stretch of letters and digits separated from the next by
/// one space, nothing else.
pub(crate) fn spaced(name: &str) -> String {
    let folded = fold(name);
    let mut spaced = String::with_capacity(folded.len());
    for character in folded.chars() {
        if is_word_character(character) {
            spaced.push(character);
        } else if !spaced.is_empty() && !spaced.ends_with(' ') {
            spaced.push(' ');
        }
    }
    if spaced.ends_with(' ') {
        spaced.pop();
    }
    spaced
}

/// Letters and digits of every script. Marks that folding keeps (vowel signs, voicing) belong to
/// the letter before them; pictures are words of their own kind (`🎉 party.md`), and so are the
/// degree and currency signs, since somebody may have named a file by one.
fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || !character.is_ascii() && !is_border(character)
}

/// Spaces and punctuation outside ASCII.
fn is_border(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character,
            '\u{00A1}' | '\u{00AB}' | '\u{00B7}' | '\u{00BB}' | '\u{00BF}'
            | '\u{2010}'..='\u{205E}'
            | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{301F}' | '\u{30FB}'
            | '\u{FE30}'..='\u{FE4F}' | '\u{FF01}'..='\u{FF0F}' | '\u{FFFD}')
}

/// Whether a word is of a script that puts no spaces between words, so that standing inside a
/// longer stretch says nothing against it.
pub(crate) fn is_dense(word: &str) -> bool {
    word.chars().next().is_some_and(|character| {
        matches!(character,
            '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
            | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}'
            | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_case_and_accents_are_aside() {
        for (name, expected) in [
            ("Acme Financial - One Page Memo.pptx", "acme financial one page memo pptx"),
            ("my_file-(1)[2].MD", "my file 1 2 md"),
            (".env.local", "env local"),
            ("----=-.md", "md"),
            ("{.md", "md"),
            ("°.md", "° md"),
            ("Résumé–final.doc", "resume final doc"),
            ("冰糖.mp3", "冰糖 mp3"),
            ("a\nb.md", "a b md"),
            ("---", ""),
        ] {
            assert_eq!(spaced(name), expected, "{name:?}");
        }
    }
}
