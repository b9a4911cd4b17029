//! How much an answer may hold.
//!
//! Tokens are estimated as characters / 4, which is near for English and code and generous by half
//! for scripts that take a token a character. Text and structured content are each held to the
//! budget: hosts show the model one or the other.

use crate::wire;

/// Budget of an answer in tokens: half of what a whole task of an agent is meant to cost.
pub(crate) const ANSWER_TOKENS: usize = 2_000;

/// Budget of `find_file`, whose hits are paths.
pub(crate) const FIND_TOKENS: usize = 1_200;

/// Excerpts are not cut below this many characters: a hit that cannot be judged is worth nothing,
/// so hits are left to the next page instead.
const SHORTEST_EXCERPT: usize = 100;

/// Titles and headings longer than this are cut, in characters.
const LONGEST_TITLE: usize = 100;

/// Other paths with the same bytes that a hit names at the most.
const MOST_COPIES: usize = 2;

/// The estimate for this many characters.
pub(crate) fn tokens(characters: usize) -> usize {
    characters.div_ceil(4)
}

/// Something that was left out of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cut {
    /// Hits left to the next page.
    pub hits: usize,
    /// Whether excerpts were shortened.
    pub excerpts: bool,
}

/// Makes hits fit: first their excerpts are shortened evenly (the longest first, so that all end
/// with the same limit), then the last hits go. One hit always stays.
///
/// `cost` is the estimate for a list of hits in whichever form is larger.
pub(crate) fn fit_hits(hits: &mut Vec<wire::Hit>, budget: usize, cost: impl Fn(&[wire::Hit]) -> usize) -> Cut {
    for hit in hits.iter_mut() {
        hit.copies.truncate(MOST_COPIES);
        hit.title = hit.title.as_deref().map(|title| shortened(title, LONGEST_TITLE));
        for heading in &mut hit.heading {
            *heading = shortened(heading, LONGEST_TITLE);
        }
        // The innermost headings say the most.
        let above = hit.heading.len().saturating_sub(3);
        hit.heading.drain(..above);
    }
    let mut cut = Cut::default();
    if cost(hits) <= budget {
        return cut;
    }
    let longest = hits.iter().map(|hit| hit.excerpt.chars().count()).max().unwrap_or(0);
    let limited = |limit: usize| -> Vec<wire::Hit> {
        let shorten = |hit: &wire::Hit| wire::Hit { excerpt: shortened(&hit.excerpt, limit), ..hit.clone() };
        hits.iter().map(shorten).collect()
    };
    // The largest limit that fits, by halving: the cost never falls as the limit grows.
    let (mut fits, mut fails) = (SHORTEST_EXCERPT.min(longest), longest);
    while fits + 1 < fails {
        let middle = fits + (fails - fits) / 2;
        if cost(&limited(middle)) <= budget { fits = middle } else { fails = middle }
    }
    let shortened_hits = limited(fits);
    cut.excerpts = shortened_hits.iter().zip(hits.iter()).any(|(new, old)| new.excerpt != old.excerpt);
    *hits = shortened_hits;
    cut.hits = fit_count(hits, budget, cost);
    cut
}

/// Takes hits from the end until the rest fits; at least one stays. Says how many went.
pub(crate) fn fit_count<T>(hits: &mut Vec<T>, budget: usize, cost: impl Fn(&[T]) -> usize) -> usize {
    let before = hits.len();
    while hits.len() > 1 && cost(hits) > budget {
        hits.pop();
    }
    before - hits.len()
}

/// A text cut to so many characters, the mark of the cut included.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_shortened_on_characters() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("äbcdef", 4), "äbc…");
        assert_eq!(shortened("a cdef", 3), "a…");
        assert_eq!(shortened("abc", 0), "…");
    }

    #[test]
    fn one_hit_always_stays() {
        let mut hits = vec![1, 2, 3];
        assert_eq!(fit_count(&mut hits, 0, |hits| hits.len()), 2);
        assert_eq!(hits, [1]);
        let mut hits = vec![1, 2, 3];
        assert_eq!(fit_count(&mut hits, 2, |hits| hits.len()), 1);
        assert_eq!(fit_count(&mut Vec::<u8>::new(), 0, |hits| hits.len()), 0);
    }
}
