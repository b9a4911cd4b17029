//! Excerpts: the one line of a passage that best shows why it was found.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::line::{bare, lines};
use crate::query::QueryTerms;
use crate::term::token_term;
use crate::token::{Token, TokenKind, Tokens};
use crate::visible::push_visible;

/// A line to show, with what matched in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// One line without control characters; blanks collapsed, cut with `…` where it is long.
    pub text: String,
    /// The line's number in the extracted text, from 1.
    pub line: u32,
    /// Byte ranges of `text` that match the query: ascending, apart, on character borders.
    pub matched: Vec<Range<usize>>,
}

/// A stopword decides only between lines that are otherwise equal.
const STOPWORD_WEIGHT: f32 = 0.05;

/// Quoted text and literals stand exactly as typed: they outweigh any number of loose words.
const LITERAL_WEIGHT: f32 = 20.0;

/// What a word that begins with the unfinished last word is worth.
const PREFIX_WEIGHT: f32 = 0.6;

/// What a match on the line above or below is worth, in parts of a match on the line itself.
const NEIGHBOUR_SHARE: f32 = 0.1;

/// What is taken off a heading line: the text under it says more, but a heading that holds every
/// word still wins.
const HEADING_PENALTY: f32 = 0.3;

/// Matches that are looked at when a long line is cut.
const MOST_MATCHES: usize = 512;

/// The best line of a passage for a query: the one with most distinct query terms, rare-looking
/// (longer) ones counting more. `first_line` is the passage's line number. Without any match it is
/// the first line with substance. Never fails, on any text.
pub fn excerpt(passage_text: &str, first_line: u32, query: &QueryTerms, max_graphemes: usize) -> Excerpt {
    let matcher = Matcher::new(query);
    let ranges: Vec<Range<usize>> = lines(passage_text).collect();
    let scores: Vec<f32> = ranges.iter().map(|range| matcher.score(&passage_text[range.clone()])).collect();
    let mut best: Option<(usize, f32)> = None;
    for (index, own) in scores.iter().enumerate() {
        if *own <= 0.0 {
            continue;
        }
        let above = index.checked_sub(1).map_or(0.0, |at| scores[at]);
        let below = scores.get(index + 1).copied().unwrap_or(0.0);
        let heading = if is_heading(&passage_text[ranges[index].clone()]) { HEADING_PENALTY } else { 0.0 };
        let total = own + NEIGHBOUR_SHARE * above.max(below) - heading;
        if best.is_none_or(|(_, known)| total > known) {
            best = Some((index, total));
        }
    }
    let index = best.map_or_else(|| first_with_substance(passage_text, &ranges), |(index, _)| index);
    let line_text = ranges.get(index).map_or("", |range| bare(&passage_text[range.clone()]));
    let matches = if best.is_some() { matcher.find(line_text) } else { Vec::new() };
    let (text, matched) = show(line_text, &matches, max_graphemes);
    let line = first_line.saturating_add(u32::try_from(index).unwrap_or(u32::MAX));
    Excerpt { text, line, matched }
}

fn is_heading(line: &str) -> bool {
    let trimmed = line.trim_start();
    let rest = trimmed.trim_start_matches(['#', '*']);
    rest.len() < trimmed.len() && rest.starts_with(' ') && !trimmed.starts_with("* ")
}

/// The first line that says something: letters or digits, and no heading if there is another.
fn first_with_substance(text: &str, ranges: &[Range<usize>]) -> usize {
    let speaks = |range: &Range<usize>| text[range.clone()].chars().any(char::is_alphanumeric);
    let plain = ranges.iter().position(|range| speaks(range) && !is_heading(&text[range.clone()]));
    let any = || ranges.iter().position(speaks);
    let visible = || ranges.iter().position(|range| !text[range.clone()].trim().is_empty());
    plain.or_else(any).or_else(visible).unwrap_or(0)
}

/// One stretch of a line that matches.
#[derive(Debug, Clone)]
struct Match {
    range: Range<usize>,
    /// Which term or literal it is of.
    source: usize,
    weight: f32,
}

struct Matcher<'q> {
    terms: Vec<(&'q str, f32)>,
    prefix: Option<&'q str>,
    literals: Vec<String>,
    phrases: &'q [Vec<String>],
}

impl<'q> Matcher<'q> {
    fn new(query: &'q QueryTerms) -> Self {
        let weigh = |term: &crate::QueryTerm| {
            if term.stopword {
                return STOPWORD_WEIGHT;
            }
            // Longer words are rarer (Zipf's law of abbreviation); two letters count half of ten.
            let letters = term.original.chars().count().min(10);
            0.75 + letters as f32 / 20.0
        };
        Self {
            terms: query.terms.iter().map(|term| (term.term.as_str(), weigh(term))).collect(),
            prefix: query.prefix.as_deref(),
            literals: query
                .literals
                .iter()
                .map(|literal| literal.to_lowercase())
                .filter(|literal| !literal.is_empty())
                .collect(),
            phrases: &query.phrases,
        }
    }

    fn score(&self, line: &str) -> f32 {
        let mut seen = vec![false; self.sources()];
        let mut total = 0.0;
        self.walk(line, &mut |found| {
            if !seen[found.source] {
                seen[found.source] = true;
                total += found.weight;
            }
            true
        });
        total
    }

    fn find(&self, line: &str) -> Vec<Match> {
        let mut found = Vec::new();
        self.walk(line, &mut |one| {
            found.push(one);
            found.len() < MOST_MATCHES
        });
        found.sort_by_key(|one| (one.range.start, one.range.end));
        found
    }

    /// Terms, then the prefix, then literals, then phrases.
    fn sources(&self) -> usize {
        self.terms.len() + 1 + self.literals.len() + self.phrases.len()
    }

    fn walk(&self, line: &str, sink: &mut dyn FnMut(Match) -> bool) {
        let prefix_source = self.terms.len();
        let mut progress = vec![Run::default(); self.phrases.len()];
        for token in Tokens::new(line, true) {
            let term = token_term(&token);
            let known = self.terms.iter().position(|(wanted, _)| *wanted == term);
            if let Some(source) = known {
                let weight = self.terms[source].1;
                if !sink(Match { range: token.range.clone(), source, weight }) {
                    return;
                }
            } else if let Some(prefix) = self.prefix
                && token.kind != TokenKind::Number
                && token.text.starts_with(prefix)
                && !sink(Match { range: token.range.clone(), source: prefix_source, weight: PREFIX_WEIGHT })
            {
                return;
            }
            for (index, run) in progress.iter_mut().enumerate() {
                let phrase = &self.phrases[index];
                if let Some(range) = run.step(phrase, &token, &term) {
                    let source = prefix_source + 1 + self.literals.len() + index;
                    if !sink(Match { range, source, weight: LITERAL_WEIGHT }) {
                        return;
                    }
                }
            }
        }
        for (index, literal) in self.literals.iter().enumerate() {
            let source = prefix_source + 1 + index;
            for range in find_folded(line, literal) {
                if !sink(Match { range, source, weight: LITERAL_WEIGHT }) {
                    return;
                }
            }
        }
    }
}

/// How far into a phrase the last tokens reach. The longest beginning is followed only from its
/// first term on, which is what a reader means by a quoted phrase.
#[derive(Debug, Clone, Default)]
struct Run {
    matched: usize,
    start: usize,
    position: u32,
}

impl Run {
    fn step(&mut self, phrase: &[String], token: &Token<'_>, term: &str) -> Option<Range<usize>> {
        let follows = self.matched > 0 && token.position == self.position.wrapping_add(1);
        if follows && phrase.get(self.matched).is_some_and(|wanted| wanted == term) {
            self.matched += 1;
            self.position = token.position;
        } else if phrase.first().is_some_and(|wanted| wanted == term) {
            *self = Self { matched: 1, start: token.range.start, position: token.position };
        } else if self.matched > 0 && token.position > self.position.saturating_add(1) {
            self.matched = 0;
        }
        if self.matched > 0 && self.matched == phrase.len() {
            self.matched = 0;
            return Some(self.start..token.range.end.max(self.start));
        }
        None
    }
}

/// Where a lower-case literal stands in a line, whatever the case there. Only letters whose lower
/// case has the same length can be compared in place; that is all of ASCII and nearly all others.
fn find_folded(line: &str, literal: &str) -> Vec<Range<usize>> {
    let lower = line.to_lowercase();
    if lower.len() != line.len() {
        return line.match_indices(literal).take(MOST_MATCHES).map(|(at, found)| at..at + found.len()).collect();
    }
    lower
        .match_indices(literal)
        .map(|(at, found)| at..at + found.len())
        .filter(|range| line.is_char_boundary(range.start) && line.is_char_boundary(range.end))
        .take(MOST_MATCHES)
        .collect()
}

/// One grapheme of the line as it is shown.
struct Shown {
    source: usize,
    output: usize,
}

/// Cuts a line around its matches and makes it fit to show.
fn show(line: &str, matches: &[Match], max_graphemes: usize) -> (String, Vec<Range<usize>>) {
    let (output, graphemes) = flatten(line);
    let count = graphemes.len();
    let index_of = |source: usize| graphemes.partition_point(|grapheme| grapheme.source <= source).saturating_sub(1);
    // Matches in graphemes of the output; the end is the grapheme behind the last byte.
    let spans: Vec<(Range<usize>, &Match)> = matches
        .iter()
        .filter(|found| !found.range.is_empty())
        .map(|found| (index_of(found.range.start)..(index_of(found.range.end - 1) + 1).min(count), found))
        .filter(|(span, _)| !span.is_empty())
        .collect();
    let window = window(&spans, count, max_graphemes, |index| output[graphemes[index].output..].starts_with(' '));
    let byte_of = |index: usize| graphemes.get(index).map_or(output.len(), |grapheme| grapheme.output);
    let mut text = String::new();
    if window.start > 0 && !window.is_empty() {
        text.push('…');
    }
    let shift = text.len();
    let from = byte_of(window.start);
    text.push_str(&output[from..byte_of(window.end)]);
    if window.end < count && !window.is_empty() {
        text.push('…');
    }
    let mut matched: Vec<Range<usize>> = Vec::new();
    for (span, _) in &spans {
        let span = span.start.max(window.start)..span.end.min(window.end);
        if span.is_empty() {
            continue;
        }
        let range = byte_of(span.start) - from + shift..byte_of(span.end) - from + shift;
        match matched.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => matched.push(range),
        }
    }
    (text, matched)
}

/// The line with blanks collapsed and hidden characters visible, and where each grapheme of it
/// came from.
fn flatten(line: &str) -> (String, Vec<Shown>) {
    let line_start = line.len() - line.trim_start().len();
    let line_end = line.trim_end().len().max(line_start);
    let mut output = String::with_capacity(line_end - line_start);
    let mut sources: Vec<(usize, usize)> = Vec::new();
    let mut previous = ' ';
    let mut blank = false;
    let mut characters = line[line_start..line_end].char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        if character.is_whitespace() {
            if !blank {
                sources.push((output.len(), line_start + at));
                output.push(' ');
            }
            blank = true;
        } else {
            blank = false;
            sources.push((output.len(), line_start + at));
            push_visible(&mut output, character, previous, next);
        }
        previous = character;
    }
    let mut graphemes = Vec::with_capacity(sources.len());
    let mut source = sources.iter().peekable();
    let mut current = line_start;
    for (at, _) in output.grapheme_indices(true) {
        while let Some((_, from)) = source.next_if(|(start, _)| *start <= at) {
            current = *from;
        }
        graphemes.push(Shown { source: current, output: at });
    }
    (output, graphemes)
}

/// Which graphemes are shown: all where they fit, else the stretch with the heaviest distinct
/// matches, with the room left over given to both sides.
fn window(
    spans: &[(Range<usize>, &Match)],
    count: usize,
    max_graphemes: usize,
    is_blank: impl Fn(usize) -> bool,
) -> Range<usize> {
    if count <= max_graphemes {
        return 0..count;
    }
    // Two marks of omission take their room from the text.
    let room = max_graphemes.saturating_sub(2);
    if room == 0 {
        return 0..0;
    }
    let mut best: Option<(f32, usize, usize)> = None;
    for (index, (first, _)) in spans.iter().enumerate() {
        let limit = first.start + room;
        let mut weight = 0.0;
        let mut end = first.end.min(limit);
        let mut sources: Vec<usize> = Vec::new();
        for (span, found) in &spans[index..] {
            if span.start >= limit {
                break;
            }
            if span.end <= limit && !sources.contains(&found.source) {
                sources.push(found.source);
                weight += found.weight;
                end = end.max(span.end);
            }
        }
        if best.is_none_or(|(known, _, _)| weight > known) {
            best = Some((weight, first.start, end));
        }
    }
    let (start, end) = best.map_or((0, 0), |(_, start, end)| (start, end));
    let slack = room.saturating_sub(end - start);
    let mut from = start.saturating_sub(slack / 2).min(count - room);
    // Begin behind a blank when one is near, so that no word is shown by its tail.
    if from > 0 {
        let nearest = (from..start.min(from + 12)).find(|index| is_blank(*index));
        if let Some(blank) = nearest {
            from = blank + 1;
        }
    } else {
        // Only the omission at the end is shown.
        return 0..(room + 1).min(count);
    }
    let to = (from + room).min(count);
    from..to
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query_terms;

    #[test]
    fn the_line_with_most_of_the_query_wins() {
        let text = "# Notes\n\nThe budget was late.\nThe travel budget for Lisbon was approved.\nBye.\n";
        let found = excerpt(text, 10, &query_terms("lisbon travel budgets"), 200);
        assert_eq!(found.line, 13);
        assert_eq!(found.text, "The travel budget for Lisbon was approved.");
        let shown: Vec<&str> = found.matched.iter().map(|range| &found.text[range.clone()]).collect();
        assert_eq!(shown, ["travel", "budget", "Lisbon"]);
    }

    #[test]
    fn without_a_match_the_first_line_with_substance_is_shown() {
        let found = excerpt("\n# Heading\n\n---\n  Some   text\there \n", 1, &query_terms("zebra"), 200);
        assert_eq!((found.text.as_str(), found.line), ("Some text here", 5));
        assert!(found.matched.is_empty());
        assert_eq!(excerpt("", 7, &query_terms("x"), 10), Excerpt { line: 7, ..Excerpt::default() });
        assert_eq!(excerpt("# Only\n", 1, &query_terms("zebra"), 50).text, "# Only");
    }

    #[test]
    fn long_lines_are_cut_around_the_match() {
        let line = format!("{} needle {}", "hay ".repeat(400), "stack ".repeat(400));
        let found = excerpt(&line, 1, &query_terms("needle"), 60);
        assert!(found.text.starts_with('…') && found.text.ends_with('…'));
        assert!(found.text.graphemes(true).count() <= 60);
        assert_eq!(&found.text[found.matched[0].clone()], "needle");
    }

    #[test]
    fn quoted_text_outweighs_loose_words() {
        let text = "shoes for running and other running gear\nmy running shoes\n";
        assert_eq!(excerpt(text, 1, &query_terms("gear other \"running shoes\""), 80).line, 2);
        assert_eq!(excerpt("a b c 1 0 21\nv1.0.21\n", 1, &query_terms("c 1.0.21"), 80).line, 2);
    }

    #[test]
    fn nothing_shown_can_steer_a_terminal() {
        let found = excerpt("a \u{1b}[31mred\u{202e} \u{0}needle\n", 1, &query_terms("needle"), 80);
        assert_eq!(found.text, "a ␛[31mred\\u{202e} ␀needle");
        assert_eq!(&found.text[found.matched[0].clone()], "needle");
    }

    #[test]
    fn bigrams_are_marked_as_one() {
        let found = excerpt("我住在東京都。\n", 1, &query_terms("東京都"), 80);
        assert_eq!(found.matched.len(), 1);
        assert_eq!(&found.text[found.matched[0].clone()], "東京都");
    }
}
