//! Fusion: a convex sum of scores, each normalised from a fixed minimum to the question's best. After
//! Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval" (2023), who take the
//! theoretical minima, 0 for BM25 and −1 for the cosine. Here the cosine's is 0 as well: encoders put
//! unrelated texts at a cosine of about 0, so that from −1 a passage about something else would keep
//! half of the semantic share and win by two common words. Measured against (−1, share .7): equal
//! within .003 on locomo-dev, cranfield and chunkeval-dev, +.002 on policyqa-dev, +.006 on cosqa-dev.
//!
//! A passage is also judged by the company that it keeps: a share goes to what its whole text says of the
//! question, as far as that sets texts apart at all. The weights follow the evidence: meaning counts more
//! where the question is long and where the best candidates are code. `docs/design/003-ranking.md` has
//! what each of these gave and cost.
//!
//! Measured on eighteen labelled sets against reciprocal-rank fusion (constant 60): mean nDCG@10
//! .563 with the true score of both legs for every candidate, .558 with 0 where a leg did not return
//! it, .534 for rank fusion, which falls below the better leg wherever the other is weak.

use bethink_store::Tier;

use crate::channel::Candidate;

/// How much the semantic leg counts beside the lexical one, by the model that gave the cosine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FusionWeights {
    /// Share of the semantic leg where a transformer gave the cosine, in 0..=1.
    pub transformer: f32,
    /// Share of the semantic leg where only the static model did, in 0..=1.
    pub static_model: f32,
    /// Share that goes to what the whole text says, in 0..=1, before it is lowered by how little that
    /// sets the candidates apart.
    pub content: f32,
}

/// Distinct content words of a question from which on meaning counts more, and where that ends.
const LONG_QUESTION: (f32, f32) = (10.0, 30.0);

/// What a long question adds to the transformer's share: of many words some stand everywhere. Measured on
/// cisi (22 words on the mean) +.005 of nDCG@10, on cranfield and qmsum-val +.001, elsewhere nothing.
const LONG_QUESTION_ADDS: f32 = 0.1;

/// The transformer's share over code. A question's words are seldom those of the code that answers it:
/// on cosqa-dev BM25 reaches nDCG@10 .385, the transformer .591, together .517 at .5, .568 at .7, .582
/// at .8. The smaller step is taken, since one set of one language speaks for it.
const CODE_TRANSFORMER: f32 = 0.7;

impl Default for FusionWeights {
    fn default() -> Self {
        // .5 from a minimum of 0 spreads the semantic leg as .7 does from −1. The static model alone
        // scores far below BM25 on most sets, so that it helps only where the words fail.
        Self { transformer: 0.5, static_model: 0.25, content: 0.15 }
    }
}

impl FusionWeights {
    /// The weights for a question of which `share` is literal: the words are then the better witness,
    /// so the semantic leg of a question that is all literal counts half.
    pub fn for_literals(self, share: f32) -> Self {
        let kept = 1.0 - share.clamp(0.0, 1.0) / 2.0;
        Self { transformer: self.transformer * kept, static_model: self.static_model * kept, ..self }
    }

    /// The weights for a question of so many distinct content words.
    pub fn for_words(self, words: usize) -> Self {
        let (from, to) = LONG_QUESTION;
        let length = ((words as f32 - from) / (to - from)).clamp(0.0, 1.0);
        Self { transformer: (self.transformer + LONG_QUESTION_ADDS * length).min(1.0), ..self }
    }

    /// The weights where that `share` of the question's words stands anywhere in the index. Of a question
    /// in another language than the files only chance words do, and adding up chance makes it no evidence:
    /// without this xquad-cross-dev lost .012.
    pub fn for_known_words(self, share: f32) -> Self {
        Self { content: self.content * share.clamp(0.0, 1.0), ..self }
    }

    /// The weights where `share` of the best candidates is code. A file of code is seldom about one thing,
    /// so what the whole says counts as much less.
    pub fn for_code(self, share: f32) -> Self {
        let share = share.clamp(0.0, 1.0);
        let raised = (CODE_TRANSFORMER - self.transformer).max(0.0) * share;
        Self { transformer: self.transformer + raised, content: self.content * (1.0 - share), ..self }
    }

    fn semantic(self, tier: Option<Tier>) -> f32 {
        match tier {
            Some(Tier::Transformer) => self.transformer,
            Some(Tier::Static) => self.static_model,
            None => 0.0,
        }
    }
}

/// A candidate with its fused score and the three parts that add up to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fused {
    /// The candidate.
    pub candidate: Candidate,
    /// The lexical part.
    pub lexical: f32,
    /// The semantic part.
    pub semantic: f32,
    /// The part of what its whole text says.
    pub content: f32,
}

impl Fused {
    /// The fused score, in 0..=1.
    pub fn score(&self) -> f32 {
        self.lexical + self.semantic + self.content
    }
}

/// Fuses candidates, best first; ties go to the lower passage id, so the order is a function of the
/// set alone.
pub fn fuse(candidates: &[Candidate], weights: FusionWeights) -> Vec<Fused> {
    let best_lexical = candidates.iter().map(|candidate| candidate.lexical).fold(0.0, f32::max);
    let best_cosine = |tier: Tier| {
        candidates
            .iter()
            .filter(|candidate| candidate.tier == Some(tier))
            .filter_map(|candidate| candidate.cosine)
            .fold(0.0, f32::max)
    };
    let best_content = candidates.iter().map(|candidate| candidate.content_lexical).fold(0.0, f32::max);
    let content_of = |candidate: &Candidate| share_of(candidate.content_lexical, best_content);
    // What all candidates share tells none apart: inside one file, or among three, the share is small.
    // Counted in whole thousandths, so that the sum does not depend on the order of the candidates.
    let shared: u64 = candidates.iter().map(|candidate| (content_of(candidate) * 1000.0) as u64).sum();
    let mean = shared as f32 / 1000.0 / candidates.len().max(1) as f32;
    let content_share = if best_content > 0.0 { (weights.content * (1.0 - mean)).clamp(0.0, 1.0) } else { 0.0 };
    let best_static = best_cosine(Tier::Static);
    let best_transformer = best_cosine(Tier::Transformer);
    // With no semantic leg at all the lexical one carries everything, and the other way round.
    let has_semantic = candidates.iter().any(|candidate| candidate.cosine.is_some());
    let has_lexical = best_lexical > 0.0;
    let mut fused: Vec<Fused> = candidates
        .iter()
        .map(|&candidate| {
            let semantic_share = match (has_semantic, has_lexical) {
                (false, _) => 0.0,
                (true, false) => 1.0,
                // A candidate that waits for its vector is judged by its words at the share that a
                // candidate with the static model's word would have.
                (true, true) if candidate.tier.is_none() => weights.static_model,
                (true, true) => weights.semantic(candidate.tier),
            };
            let lexical = if has_lexical { candidate.lexical / best_lexical } else { 0.0 };
            let semantic = match (candidate.cosine, candidate.tier) {
                (Some(cosine), Some(Tier::Static)) => share_of(cosine, best_static),
                (Some(cosine), Some(Tier::Transformer)) => share_of(cosine, best_transformer),
                _ => 0.0,
            };
            Fused {
                candidate,
                lexical: (1.0 - content_share) * (1.0 - semantic_share) * lexical,
                semantic: (1.0 - content_share) * semantic_share * semantic.clamp(0.0, 1.0),
                content: content_share * content_of(&candidate),
            }
        })
        .collect();
    fused.sort_by(|left, right| {
        right.score().total_cmp(&left.score()).then(left.candidate.passage.cmp(&right.candidate.passage))
    });
    fused
}

/// A score as a share of the question's best; a cosine that points away counts nothing.
fn share_of(score: f32, best: f32) -> f32 {
    if best > 0.0 { score.max(0.0) / best } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use bethink_core::{ContentId, PassageId};
    use proptest::prelude::*;

    use super::*;

    fn candidate(id: u64, lexical: f32, cosine: Option<f32>, tier: Tier) -> Candidate {
        Candidate {
            passage: PassageId(id),
            content: ContentId(id),
            lexical,
            content_lexical: lexical,
            lexical_rank: None,
            cosine,
            tier: cosine.map(|_| tier),
            semantic_rank: None,
        }
    }

    fn any_candidate() -> impl Strategy<Value = Candidate> {
        (0u64..50, 0.0f32..20.0, proptest::option::of(-1.0f32..1.0), any::<bool>()).prop_map(
            |(id, lexical, cosine, sharp)| {
                candidate(id, lexical, cosine, if sharp { Tier::Transformer } else { Tier::Static })
            },
        )
    }

    proptest! {
        #[test]
        fn fusion_is_a_function_of_the_set(mut candidates in proptest::collection::vec(any_candidate(), 0..40)) {
            candidates.sort_by_key(|candidate| candidate.passage);
            candidates.dedup_by_key(|candidate| candidate.passage);
            let forward = fuse(&candidates, FusionWeights::default());
            candidates.reverse();
            prop_assert_eq!(forward, fuse(&candidates, FusionWeights::default()));
        }

        #[test]
        fn scores_stay_in_the_unit_interval(candidates in proptest::collection::vec(any_candidate(), 0..40)) {
            for fused in fuse(&candidates, FusionWeights::default()) {
                prop_assert!((0.0..=1.0001).contains(&fused.score()));
            }
        }

        #[test]
        fn a_candidate_that_is_better_in_both_legs_is_never_behind(
            lexical in 0.1f32..10.0, cosine in 0.1f32..0.9, less in 0.01f32..0.09,
        ) {
            let fused = fuse(
                &[
                    candidate(1, lexical - less, Some(cosine - less), Tier::Transformer),
                    candidate(2, lexical, Some(cosine), Tier::Transformer),
                ],
                FusionWeights::default(),
            );
            prop_assert_eq!(fused[0].candidate.passage, PassageId(2));
        }
    }

    #[test]
    fn of_equal_passages_the_one_whose_text_says_more_comes_first() {
        let with = |id: u64, lexical: f32, content_lexical: f32| Candidate {
            content_lexical,
            ..candidate(id, lexical, None, Tier::Static)
        };
        let fused = fuse(&[with(1, 4.0, 4.0), with(2, 4.0, 9.0), with(3, 1.0, 1.0)], FusionWeights::default());
        let order: Vec<u64> = fused.iter().map(|fused| fused.candidate.passage.0).collect();
        assert_eq!(order, [2, 1, 3]);
        let alone = fuse(&[with(1, 4.0, 9.0), with(2, 2.0, 9.0)], FusionWeights::default());
        assert!(alone[0].content.abs() < 1e-6, "inside one text the whole sets nothing apart: {alone:?}");
    }

    #[test]
    fn weights_follow_the_question_and_what_it_meets() {
        let weights = FusionWeights::default();
        assert_eq!(weights.for_words(5), weights);
        assert!(weights.for_words(20).transformer > weights.transformer);
        assert_eq!(weights.for_words(200).transformer, weights.for_words(30).transformer);
        assert_eq!(weights.for_code(0.0), weights);
        assert!((weights.for_code(1.0).transformer - CODE_TRANSFORMER).abs() < 1e-6);
        assert!(weights.for_known_words(0.0).content.abs() < 1e-6 && weights.for_code(1.0).content.abs() < 1e-6);
        assert!(weights.for_literals(1.0).transformer < weights.transformer);
    }

    #[test]
    fn without_vectors_the_words_decide_alone() {
        let fused = fuse(
            &[candidate(1, 2.0, None, Tier::Static), candidate(2, 4.0, None, Tier::Static)],
            FusionWeights::default(),
        );
        assert_eq!(fused[0].candidate.passage, PassageId(2));
        assert!((fused[0].score() - 1.0).abs() < 1e-6);
    }
}
