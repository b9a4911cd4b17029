//! Names of people and things in the form in which they are compared.

use bethink_text::fold;

/// A name without what people write differently: case, accents, width, script, punctuation, spaces. Two
/// spellings with one key are one name: `Ånne-Marie`, `anne marie`; `Иван`, `Ivan`. A name of signs
/// alone, which would be left empty, stays as it is. Other scripts become Latin letters by the usual
/// table of one letter at a time; a spelling that sounds alike but is written otherwise (`Yulia`,
/// `Julia`) needs an alias.
pub fn name_key(name: &str) -> String {
    let folded = fold(name);
    let latin = if folded.is_ascii() { folded.clone() } else { deunicode::deunicode(&folded).to_ascii_lowercase() };
    let words = latin.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    let key = words.collect::<Vec<_>>().join(" ");
    if key.is_empty() { folded.trim().to_owned() } else { key }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_has_one_key() {
        for (one, other) in [
            ("Site Roadmap", "site-roadmap"),
            ("  Ånne   Marie ", "anne-marie"),
            ("Иван Петров", "ivan petrov"),
            ("cafe\u{301}", "CAFÉ"),
            ("\u{227}", "a\u{307}"),
            ("Σωκράτης", "sokrates"),
            ("O'Brien", "o\u{2019}brien"),
        ] {
            assert_eq!(name_key(one), name_key(other), "{one} {other}");
        }
        assert_ne!(name_key("Anna"), name_key("Anne"));
        assert_eq!(name_key("…"), "...");
        assert_ne!(name_key("?"), name_key("!"));
    }
}
