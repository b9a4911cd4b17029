//! What stands before a numbered item, and what stands for a picture.

/// A count in the letter that tells its format: `1`, `a`, `A`, `i`, `I`; `None` where nothing is shown.
pub(crate) fn counted(count: i64, format: &str) -> Option<String> {
    Some(match format {
        "" => return None,
        "a" => letters(count).unwrap_or_else(|| count.to_string()),
        "A" => letters(count).map_or_else(|| count.to_string(), |letters| letters.to_uppercase()),
        "i" => roman(count).unwrap_or_else(|| count.to_string()),
        "I" => roman(count).map_or_else(|| count.to_string(), |roman| roman.to_uppercase()),
        _ => count.to_string(),
    })
}

/// a to z, then aa to zz, as word processors go on.
fn letters(count: i64) -> Option<String> {
    /// A letter that comes more often is no label any more.
    const REPEATS: usize = 8;
    let index = usize::try_from(count).ok()?.checked_sub(1)?;
    let letter = char::from(b"abcdefghijklmnopqrstuvwxyz"[index % 26]);
    (index / 26 < REPEATS).then(|| letter.to_string().repeat(index / 26 + 1))
}

fn roman(count: i64) -> Option<String> {
    const DIGITS: [(i64, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut rest = count;
    let mut roman = String::new();
    (1..4000).contains(&count).then(|| {
        for (worth, digits) in DIGITS {
            while rest >= worth {
                roman.push_str(digits);
                rest -= worth;
            }
        }
        roman
    })
}

/// Letters of an alternative text that say something.
const ALTERNATIVE_LETTERS: usize = 4;

/// An alternative text that says something, on one line: programs write file names there.
pub(crate) fn alternative(text: &str) -> Option<String> {
    const ENDINGS: [&str; 9] = [".png", ".jpg", ".jpeg", ".gif", ".bmp", ".emf", ".wmf", ".tif", ".svg"];
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = text.to_lowercase();
    let is_file = ENDINGS.iter().any(|ending| lower.ends_with(ending));
    let letters = text.chars().filter(|character| character.is_alphabetic()).count();
    (!is_file && letters >= ALTERNATIVE_LETTERS).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_the_shapes_of_their_formats() {
        assert_eq!([4, 28].map(|count| counted(count, "a")), ["d", "bb"].map(|label| Some(label.to_owned())));
        assert_eq!([4, 1999].map(|count| counted(count, "I")), ["IV", "MCMXCIX"].map(|label| Some(label.to_owned())));
        assert_eq!(counted(0, "A").as_deref(), Some("0"));
        assert_eq!(counted(i64::MAX, "a"), Some(i64::MAX.to_string()));
        assert_eq!(counted(7, ""), None);
    }

    #[test]
    fn file_names_are_no_alternative_texts() {
        assert_eq!(alternative("IMG_0042.JPG"), None);
        assert_eq!(alternative("3"), None);
        assert_eq!(alternative(" A cat\non a tram ").as_deref(), Some("A cat on a tram"));
    }
}
