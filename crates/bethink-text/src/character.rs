//! What a single character is to a reader: part of a word, written without spaces, a picture,
//! or something that is not meant to be seen.

use unicode_normalization::char::is_combining_mark;

/// How the tokenizer treats a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CharacterClass {
    /// Letters, digits and marks of scripts that put spaces between words, and the underscore.
    Word,
    /// Scripts that write words without spaces, or (Korean) inflect inside them: indexed as
    /// bigrams of graphemes.
    Dense,
    /// A picture character; a token by itself.
    Picture,
    /// Inside a word it is skipped without ending it (joiners, soft hyphen, bidi marks).
    Invisible,
    /// Ends a word.
    Other,
}

/// Classifies a character.
pub(crate) fn classify(character: char) -> CharacterClass {
    if character.is_ascii() {
        return if character.is_ascii_alphanumeric() || character == '_' {
            CharacterClass::Word
        } else {
            CharacterClass::Other
        };
    }
    if is_dense(character) {
        CharacterClass::Dense
    } else if is_invisible(character) {
        CharacterClass::Invisible
    } else if character.is_alphanumeric() || is_combining_mark(character) {
        CharacterClass::Word
    } else if is_picture(character) {
        CharacterClass::Picture
    } else {
        CharacterClass::Other
    }
}

/// Whether a character belongs to a script that is indexed as bigrams: Han, Kana, Bopomofo,
/// Hangul (syllables and conjoining letters), Yi, Thai, Lao, Myanmar, Khmer, Tai scripts, Tibetan.
pub(crate) fn is_dense(character: char) -> bool {
    matches!(character as u32,
        0x0E01..=0x0E4E | 0x0E81..=0x0ECE | 0x0EDC..=0x0EDF // Thai and Lao, without their digits
        | 0x0F40..=0x0FBC // Tibetan letters
        | 0x1000..=0x103F | 0x1050..=0x108F | 0x109A..=0x109F // Myanmar, without its digits
        | 0x1100..=0x11FF | 0xA960..=0xA97F | 0xD7B0..=0xD7FF // conjoining Hangul
        | 0x1780..=0x17D3 | 0x17DC..=0x17DD // Khmer
        | 0x1950..=0x19DF | 0x1A20..=0x1A7F | 0xAA60..=0xAADF // Tai Le, Tai Lue, Tai Tham, Tai Viet
        | 0x2E80..=0x2FD5 | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3031..=0x3035 | 0x303B
        | 0x3041..=0x3096 | 0x3099..=0x309F | 0x30A1..=0x30FA | 0x30FC..=0x312F | 0x3131..=0x318E
        | 0x31A0..=0x31BF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xA000..=0xA48C
        | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFF66..=0xFFDC | 0x1AFF0..=0x1B2FF | 0x20000..=0x323AF)
}

/// Whether a character takes no room or only steers direction: zero-width spaces and joiners,
/// the byte order mark, bidirectional controls, soft hyphens, invisible operators, tag characters.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character as u32,
        0x00AD | 0x034F | 0x061C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF
        | 0xFFA0 | 0xFFF0..=0xFFFB | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

/// Whether a character is a pictograph or another symbol that people search for by itself.
fn is_picture(character: char) -> bool {
    matches!(character as u32,
        0x203C | 0x2049 | 0x2122 | 0x2139 | 0x2194..=0x21AA | 0x231A..=0x23FF | 0x24C2
        | 0x25AA..=0x27BF | 0x2934..=0x2935 | 0x2B05..=0x2B55 | 0x1F000..=0x1FAFF)
}

/// Whether a mark is an accent: something that people leave out when they type. Vowel signs of
/// Indic and South-East Asian scripts are marks as well, but leaving them out changes the word.
pub(crate) fn is_accent(character: char) -> bool {
    matches!(character as u32,
        0x0300..=0x036F | 0x0483..=0x0489 | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0xFE20..=0xFE2F
        | 0x0591..=0x05BD | 0x05BF | 0x05C1..=0x05C2 | 0x05C4..=0x05C5 | 0x05C7 // Hebrew points
        | 0x0610..=0x061A | 0x0640 | 0x064B..=0x065F | 0x0670 // Arabic vowels and the tatweel
        | 0x06D6..=0x06DC | 0x06DF..=0x06E4 | 0x06E7..=0x06E8 | 0x06EA..=0x06ED)
}
