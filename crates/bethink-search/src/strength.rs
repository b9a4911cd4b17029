//! Match strength: how much a hit deserves to be believed, from evidence that does not depend on
//! what else was found.

use bethink_core::MatchStrength;
use bethink_store::Tier;

/// Cosine above which a passage speaks of the same thing. MiniLM gives unrelated English prose a
/// mean of about .05 with a spread of .08; relevant passages of the development sets have a median
/// near .5.
const STRONG_COSINE: f32 = 0.45;

/// Cosine below which nothing of the meaning is shared.
const WEAK_COSINE: f32 = 0.25;

/// The static model's cosines lie higher for unrelated text, so its word is worth a look at most.
const WEAK_STATIC_COSINE: f32 = 0.45;

/// Share of the question's weight in words above which a passage is a strong match by words alone.
const STRONG_WORDS: f32 = 0.75;

/// Share below which a few shared words are chance.
const WEAK_WORDS: f32 = 0.34;

/// Share below which shared words are chance where the transformer says that the meaning is another
/// one. All off-domain questions that came through on locomo-dev with questions of cosqa-dev shared
/// a third to a half of their words with a passage whose cosine was below .18.
const WEAK_WORDS_AGAINST_MEANING: f32 = 0.51;

/// Content words found in one passage that are no chance, however long the question is: of a question
/// of thirty words no passage holds a third.
const WEAK_WORD_COUNT: usize = 4;

/// The same where the transformer says that the meaning is another one.
const WEAK_WORD_COUNT_AGAINST_MEANING: usize = 6;

/// Cosine of the transformer below which the meaning is another one.
const OTHER_MEANING_COSINE: f32 = 0.2;

/// The strength of one hit.
///
/// `words` is the share of the question's content words that stand in the passage or its headings, and
/// `found` how many those are; `cosine` the best model's.
pub fn strength_of(words: f32, found: usize, cosine: Option<f32>, tier: Option<Tier>) -> MatchStrength {
    let meaning = match (cosine, tier) {
        (Some(cosine), Some(Tier::Transformer)) if cosine >= STRONG_COSINE => MatchStrength::Strong,
        (Some(cosine), Some(Tier::Transformer)) if cosine >= WEAK_COSINE => MatchStrength::Weak,
        (Some(cosine), Some(Tier::Static)) if cosine >= WEAK_STATIC_COSINE => MatchStrength::Weak,
        _ => MatchStrength::None,
    };
    let is_other_meaning =
        tier == Some(Tier::Transformer) && cosine.is_some_and(|cosine| cosine < OTHER_MEANING_COSINE);
    let (weak_words, weak_count) = if is_other_meaning {
        (WEAK_WORDS_AGAINST_MEANING, WEAK_WORD_COUNT_AGAINST_MEANING)
    } else {
        (WEAK_WORDS, WEAK_WORD_COUNT)
    };
    let literal = if words >= STRONG_WORDS {
        MatchStrength::Strong
    } else if words >= weak_words || found >= weak_count {
        MatchStrength::Weak
    } else {
        MatchStrength::None
    };
    meaning.max(literal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_are_strong_and_none_without_meaning_is_none() {
        assert_eq!(strength_of(1.0, 1, None, None), MatchStrength::Strong);
        assert_eq!(strength_of(0.0, 0, None, None), MatchStrength::None);
        assert_eq!(strength_of(0.0, 0, Some(0.1), Some(Tier::Transformer)), MatchStrength::None);
        assert_eq!(strength_of(0.0, 0, Some(0.6), Some(Tier::Transformer)), MatchStrength::Strong);
        assert_eq!(strength_of(0.0, 0, Some(0.6), Some(Tier::Static)), MatchStrength::Weak);
        assert_eq!(strength_of(0.45, 1, Some(0.05), Some(Tier::Transformer)), MatchStrength::None);
        assert_eq!(strength_of(0.45, 1, None, None), MatchStrength::Weak);
        assert_eq!(strength_of(0.2, 5, None, None), MatchStrength::Weak);
    }
}
