//! The letters of a name as 64 bits: a word whose letters are not all there cannot be there.

/// Bits for a–z, then for 0–9; all other characters share the rest by a hash.
const DIGITS_FROM: u32 = 26;
const OTHERS_FROM: u32 = 36;
const OTHERS: u32 = 64 - OTHERS_FROM;

/// The letters of a folded text.
pub(crate) fn letters(text: &str) -> u64 {
    text.chars().fold(0, |letters, character| letters | bit(character))
}

fn bit(character: char) -> u64 {
    match character {
        'a'..='z' => 1 << (character as u32 - 'a' as u32),
        '0'..='9' => 1 << (DIGITS_FROM + character as u32 - '0' as u32),
        ' ' => 0,
        // Multiplicative hashing spreads neighbouring code points (Knuth, TAOCP 6.4).
        other => 1 << (OTHERS_FROM + ((other as u32).wrapping_mul(0x9E37_79B1) >> 16) % OTHERS),
    }
}

/// How many of the wanted letters are not there. One edit brings in at most one letter that was
/// not there before.
pub(crate) fn lacking(wanted: u64, there: u64) -> u32 {
    (wanted & !there).count_ones()
}
