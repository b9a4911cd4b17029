//! How much an answer may hold.
//!
//! Tokens are estimated from characters: four of ASCII, two of other alphabets, one of scripts that
//! are written densely (Han, Kana, Hangul, emoji), which is near what tokenizers do. Text and
//! structured content are each held to the budget: hosts show the model one or the other.

use crate::wire;

/// How much room an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// The budget of tokens: a model reads the answer.
    Tokens,
    /// Whatever was asked for: a program reads the answer, and reads it whole.
    Whole,
}

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

/// The estimate for a text.
pub(crate) fn tokens(text: &str) -> usize {
    let quarters = text.chars().fold(0_usize, |sum, character| {
        sum + match character as u32 {
            0..=0x7F => 1,
            0x80..=0x1FFF => 2,
            // Dashes, quotation marks and arrows, which our own lines are full of.
            0x2000..=0x2BFF => 2,
            _ => 4,
        }
    });
    quarters.div_ceil(4)
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
    fn dense_scripts_cost_more() {
        assert_eq!(tokens("abcd"), 1);
        assert_eq!(tokens("абвг"), 2);
        assert_eq!(tokens("顎の骨折"), 4);
        assert_eq!(tokens(""), 0);
    }

    fn hit(excerpt: &str) -> wire::Hit {
        wire::Hit {
            object: "hit",
            rank: 1,
            score: 0.5,
            path: "/a".to_owned(),
            path_bytes: None,
            line: 1,
            column: None,
            locator: "line 1".to_owned(),
            title: Some("t".repeat(300)),
            heading: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
            kind: "text".to_owned(),
            ext: String::new(),
            excerpt: excerpt.to_owned(),
            modified: String::new(),
            strength: "strong",
            document_id: 1,
            moved_from: None,
            copies: vec!["/b".to_owned(); 9],
            caveat: None,
            explanation: None,
        }
    }

    #[test]
    fn the_longest_excerpts_are_shortened_first_and_evenly() {
        let characters = |hits: &[wire::Hit]| -> usize { hits.iter().map(|hit| hit.excerpt.chars().count()).sum() };
        let mut hits = vec![hit(&"x".repeat(1000)), hit("short"), hit(&"ü".repeat(600))];
        let cut = fit_hits(&mut hits, 805, characters);
        assert_eq!(cut, Cut { hits: 0, excerpts: true });
        let lengths: Vec<usize> = hits.iter().map(|hit| hit.excerpt.chars().count()).collect();
        assert_eq!(lengths, [400, 5, 400]);
        assert_eq!(hits[0].heading, ["b", "c", "d"]);
        assert_eq!(hits[0].copies.len(), MOST_COPIES);
        assert_eq!(hits[0].title.as_ref().map(|title| title.chars().count()), Some(LONGEST_TITLE));
    }

    #[test]
    fn hits_go_when_shortening_is_not_enough() {
        let characters = |hits: &[wire::Hit]| -> usize { hits.iter().map(|hit| hit.excerpt.chars().count()).sum() };
        let mut hits = vec![hit(&"x".repeat(500)); 6];
        assert_eq!(fit_hits(&mut hits, 350, characters), Cut { hits: 3, excerpts: true });
        assert_eq!(characters(&hits), 3 * SHORTEST_EXCERPT);
        let mut fitting = vec![hit("short")];
        assert_eq!(fit_hits(&mut fitting, 350, characters), Cut::default());
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
