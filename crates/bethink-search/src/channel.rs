//! The channels: each looks through everything in its own way and gives candidates. The union of
//! their candidates is then scored by every channel, so that no candidate is judged by the one
//! channel that happened to bring it up.

use std::collections::BTreeMap;

use bethink_core::{ContentId, PassageId};
use bethink_embed::Embedder;
use bethink_index::{ContentSet, Lexicon, Matrix};
use bethink_store::Tier;
use bethink_text::QueryTerms;

use crate::error::Result;

/// Candidates that each channel gives. Deep enough that the true best ten of the fused order are in
/// the union (recall@200 of either leg is above .97 on every development set), shallow enough that
/// scoring the union costs less than a millisecond.
const CANDIDATES_PER_CHANNEL: usize = 200;

/// The number of candidates a channel gives for an answer of that many hits: more hits than usual need
/// more candidates than usual, since folding and caps take some away.
pub(crate) fn candidates_for(limit: usize) -> usize {
    CANDIDATES_PER_CHANNEL.max(limit.saturating_mul(2))
}

/// One model's vectors with the model that can read a question for them.
pub struct SemanticTier<'a> {
    /// Whether the model covers everything or sharpens.
    pub tier: Tier,
    /// The vectors.
    pub matrix: &'a Matrix,
    /// The model.
    pub embedder: &'a dyn Embedder,
}

/// A passage that some channel brought up, with what every channel says of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The passage.
    pub passage: PassageId,
    /// The text that it belongs to.
    pub content: ContentId,
    /// BM25 of the question's terms; 0 where none occurs.
    pub lexical: f32,
    /// BM25 of the question's terms, each where it is best among the candidates of the same content: what
    /// the text says as a whole; at least `lexical`.
    pub content_lexical: f32,
    /// Rank in the lexical channel, from 1.
    pub lexical_rank: Option<u32>,
    /// Cosine to the question under the best model that has a vector for it.
    pub cosine: Option<f32>,
    /// Which model that was.
    pub tier: Option<Tier>,
    /// Rank in the semantic channel, from 1.
    pub semantic_rank: Option<u32>,
}

/// Everything that is needed to ask the channels.
pub(crate) struct Channels<'a> {
    pub(crate) lexicon: Option<&'a Lexicon>,
    pub(crate) tiers: &'a [SemanticTier<'a>],
    pub(crate) depth: usize,
}

/// A question made ready for the channels: its terms, and its vector under each tier.
pub(crate) struct Prepared {
    pub(crate) terms: QueryTerms,
    pub(crate) vectors: Vec<Vec<f32>>,
}

impl Channels<'_> {
    pub(crate) fn prepare(&self, text: &str, terms: QueryTerms) -> Result<Prepared> {
        let vectors = self
            .tiers
            .iter()
            .map(|tier| tier.embedder.embed_query(text))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        Ok(Prepared { terms, vectors })
    }

    /// The union of every channel's best candidates under a scope, each scored by every channel.
    pub(crate) fn candidates(&self, prepared: &Prepared, scope: Option<&ContentSet>) -> Result<Vec<Candidate>> {
        // A sorted map keeps the union deterministic whatever order the channels answer in.
        let mut union: BTreeMap<PassageId, Candidate> = BTreeMap::new();
        if let Some(lexicon) = self.lexicon {
            let hits = lexicon.passages(&prepared.terms, scope, self.depth)?;
            for (rank, hit) in (1..).zip(hits) {
                let candidate = union.entry(hit.passage).or_insert_with(|| Candidate::new(hit.passage, hit.content));
                candidate.lexical = hit.score;
                candidate.lexical_rank = Some(rank);
            }
        }
        for (tier, vector) in self.tiers.iter().zip(&prepared.vectors) {
            let hits = tier.matrix.scan(vector, CANDIDATES_PER_CHANNEL, scope)?;
            for (rank, hit) in (1..).zip(hits) {
                let candidate = union.entry(hit.passage).or_insert_with(|| Candidate::new(hit.passage, hit.content));
                // Tiers come static first: a transformer's word replaces the static model's.
                candidate.cosine = Some(hit.cosine);
                candidate.tier = Some(tier.tier);
                candidate.semantic_rank = Some(rank);
            }
        }
        let mut candidates: Vec<Candidate> = union.into_values().collect();
        // Quoted words must stand there as they are: what only resembles them in meaning is no answer.
        if let (Some(lexicon), false) = (self.lexicon, prepared.terms.phrases.is_empty()) {
            let passages: Vec<PassageId> = candidates.iter().map(|candidate| candidate.passage).collect();
            let mut holds = lexicon.holds_phrases(&prepared.terms, &passages)?.into_iter();
            candidates.retain(|_| holds.next().unwrap_or(false));
        }
        self.score_all(prepared, &mut candidates)?;
        Ok(candidates)
    }

    /// Fills in what a channel would say of candidates that it did not bring up itself.
    fn score_all(&self, prepared: &Prepared, candidates: &mut [Candidate]) -> Result<()> {
        if let Some(lexicon) = self.lexicon {
            let passages: Vec<PassageId> = candidates.iter().map(|candidate| candidate.passage).collect();
            let contents: Vec<ContentId> = candidates.iter().map(|candidate| candidate.content).collect();
            let scores = lexicon.score_together(&prepared.terms, &passages, &contents)?;
            for (candidate, score) in candidates.iter_mut().zip(scores) {
                candidate.lexical = score.own;
                candidate.content_lexical = score.together;
            }
        }
        for (tier, vector) in self.tiers.iter().zip(&prepared.vectors) {
            let missing: Vec<usize> =
                (0..candidates.len()).filter(|&index| candidates[index].tier != Some(tier.tier)).collect();
            let passages: Vec<PassageId> = missing.iter().map(|&index| candidates[index].passage).collect();
            for (index, cosine) in missing.into_iter().zip(tier.matrix.score(vector, &passages)?) {
                let candidate = &mut candidates[index];
                if let Some(cosine) = cosine
                    && candidate.tier.is_none_or(|known| known < tier.tier)
                {
                    candidate.cosine = Some(cosine);
                    candidate.tier = Some(tier.tier);
                }
            }
        }
        Ok(())
    }
}

impl Candidate {
    /// A passage that was found by reading through the text.
    pub(crate) fn by_words(passage: PassageId, content: ContentId, score: f32) -> Self {
        Self { lexical: score, content_lexical: score, ..Self::new(passage, content) }
    }

    fn new(passage: PassageId, content: ContentId) -> Self {
        Self {
            passage,
            content,
            lexical: 0.0,
            content_lexical: 0.0,
            lexical_rank: None,
            cosine: None,
            tier: None,
            semantic_rank: None,
        }
    }
}
