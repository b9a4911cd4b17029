//! What a person typed, as terms, phrases and literals. Nothing that can be typed is an error.

use std::borrow::Cow;

use crate::character::{CharacterClass, classify};
use crate::stopword::is_stopword;
use crate::term::token_term;
use crate::token::{Token, TokenKind, tokens};

/// Distinct terms kept of a query. A pasted page has more; its first 64 say what it is about, and
/// every further one costs a list of postings.
pub const MAXIMUM_QUERY_TERMS: usize = 64;

/// Phrases and literals kept of a query.
const MAXIMUM_PHRASES: usize = 16;

/// Longest literal, in bytes; and longest phrase, in terms.
const LONGEST_LITERAL_BYTES: usize = 256;
const LONGEST_PHRASE_TERMS: usize = 32;

/// Only so much of a query is read, in bytes: the terms are full long before.
const LONGEST_QUERY_BYTES: usize = 64 * 1024;

/// Distinct words, without stopwords, from which on a query is a text of its own that happens to hold
/// quotation marks.
const LONG_QUERY_WORDS: usize = 16;

/// In such a text quotes are what is asked for if they hold at least one in so many of its words.
const QUOTED_WORDS_IN: usize = 4;

/// One term of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// The stem, as the lexicon has it.
    pub term: String,
    /// The word as typed.
    pub original: String,
    /// An English stopword that other words of the query make superfluous. A query of stopwords
    /// alone has none flagged.
    pub stopword: bool,
    /// An identifier or a part of one.
    pub code: bool,
    /// How often it stands in the query, from 1.
    pub count: u16,
}

/// A query, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueryTerms {
    /// Distinct terms in the order typed, at most [`MAXIMUM_QUERY_TERMS`].
    pub terms: Vec<QueryTerm>,
    /// Quoted phrases, of one term or more: terms at consecutive word positions. What is quoted must
    /// stand there.
    pub phrases: Vec<Vec<String>>,
    /// What should stand in the text as typed, but for case: quoted text, and words with
    /// punctuation inside (`1.0.21`, `foo:bar(`, `.env.local`, `C++`, `TODO:`).
    pub literals: Vec<String>,
    /// What was quoted, as typed, among the literals: it must stand there as it is, but for case and
    /// the width of white space.
    pub quoted: Vec<String>,
    /// The folded last word, when the query ends in it, so that it may still be growing.
    pub prefix: Option<String>,
}

impl QueryTerms {
    /// Whether there is nothing to search for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.literals.is_empty()
    }
}

/// Takes a query apart. Balanced double quotes (straight, curly, `«»`, `「」`) and backticks mark
/// phrases; an unpaired one is an ordinary character.
pub fn query_terms(query: &str) -> QueryTerms {
    let query = &query[..query.floor_char_boundary(LONGEST_QUERY_BYTES)];
    let mut found = QueryTerms::default();
    let mut last: Option<Token<'_>> = None;
    for token in tokens(query) {
        if token.kind != TokenKind::Character {
            add_term(&mut found.terms, query, &token);
        }
        if matches!(token.kind, TokenKind::Word | TokenKind::Number) {
            last = Some(token);
        }
    }
    drop_lone_letters(&mut found.terms);
    if found.terms.iter().any(|term| !term.stopword) {
        // Stopwords stay flagged: other words carry the query.
    } else {
        found.terms.iter_mut().for_each(|term| term.stopword = false);
    }
    found.prefix = last
        .filter(|token| token.range.end == query.len() && token.text.chars().nth(1).is_some())
        .map(|token| token.text.into_owned());
    let outside = quoted(query, &mut found);
    for chunk in outside.split(|character: char| !is_literal_character(character)) {
        if let Some(literal) = literal_of(chunk) {
            add_literal(&mut found.literals, literal);
        }
    }
    loosen_quotes(&mut found);
    let bare = query.trim();
    if found.terms.is_empty() && found.literals.is_empty() && bare.chars().nth(1).is_some() {
        add_literal(&mut found.literals, bare);
    }
    found
}

fn add_term(terms: &mut Vec<QueryTerm>, query: &str, token: &Token<'_>) {
    let term = token_term(token);
    if let Some(known) = terms.iter_mut().find(|known| known.term == term) {
        known.count = known.count.saturating_add(1);
        return;
    }
    if terms.len() >= MAXIMUM_QUERY_TERMS {
        return;
    }
    let stopword = token.kind == TokenKind::Word && !token.identifier && is_stopword(&token.text);
    terms.push(QueryTerm {
        term: term.into_owned(),
        original: query[token.range.clone()].to_owned(),
        stopword,
        code: token.identifier,
        count: 1,
    });
}

/// A letter or digit that fell off an identifier (`8` of `utf8`) finds everything; the whole
/// identifier and its longer parts say it better.
fn drop_lone_letters(terms: &mut Vec<QueryTerm>) {
    if terms.iter().any(|term| term.code && term.term.chars().nth(1).is_some()) {
        terms.retain(|term| !term.code || term.term.chars().nth(1).is_some());
    }
}

fn add_literal(literals: &mut Vec<String>, literal: &str) {
    let literal = &literal[..literal.floor_char_boundary(LONGEST_LITERAL_BYTES)];
    if literals.len() < MAXIMUM_PHRASES && !literals.iter().any(|known| known == literal) {
        literals.push(literal.to_owned());
    }
}

/// The closing mark of an opening quotation mark.
fn closing(opening: char) -> Option<char> {
    Some(match opening {
        '"' => '"',
        '`' => '`',
        '“' => '”',
        '„' => '“',
        '«' => '»',
        '「' => '」',
        '『' => '』',
        _ => return None,
    })
}

/// In a pasted paragraph quotation marks are the author's: `"threshold"` in an abstract of sixty words is
/// no demand that the word stand there. It stays a literal, which is weighed. On cisi such questions had
/// no answer at all (nDCG@10 .406 with the demand, .445 without).
fn loosen_quotes(found: &mut QueryTerms) {
    let words = found.terms.iter().filter(|term| !term.stopword).count();
    let quoted: usize = found.phrases.iter().map(Vec::len).sum();
    if words >= LONG_QUERY_WORDS && quoted * QUOTED_WORDS_IN < words {
        found.phrases.clear();
        found.quoted.clear();
    }
}

/// Collects what is quoted and gives back the query without it. Each mark looks for its partner
/// once, and a kind of mark whose partner was missed is not looked for again: linear in the query.
fn quoted<'q>(query: &'q str, found: &mut QueryTerms) -> Cow<'q, str> {
    if !query.contains(|character: char| closing(character).is_some()) {
        return Cow::Borrowed(query);
    }
    let mut outside = String::with_capacity(query.len());
    let mut unpaired: Vec<char> = Vec::new();
    let mut rest = query;
    while let Some(at) = rest.find(|character: char| closing(character).is_some() && !unpaired.contains(&character)) {
        outside.push_str(&rest[..at]);
        let mut characters = rest[at..].chars();
        let Some(opening) = characters.next() else { break };
        let inside = characters.as_str();
        let Some(close) = closing(opening) else { break };
        let Some(end) = inside.find(close) else {
            unpaired.push(opening);
            outside.push(opening);
            rest = inside;
            continue;
        };
        add_phrase(found, &inside[..end]);
        outside.push(' ');
        rest = &inside[end + close.len_utf8()..];
    }
    outside.push_str(rest);
    Cow::Owned(outside)
}

fn add_phrase(found: &mut QueryTerms, text: &str) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    add_literal(&mut found.literals, text);
    add_literal(&mut found.quoted, text);
    let phrase = phrase_terms(text);
    if !phrase.is_empty() && found.phrases.len() < MAXIMUM_PHRASES && !found.phrases.contains(&phrase) {
        found.phrases.push(phrase);
    }
}

/// The terms of a phrase at consecutive positions: parts instead of identifiers, bigrams, and the
/// last grapheme of a run where a word follows it.
fn phrase_terms(text: &str) -> Vec<String> {
    let mut terms: Vec<(u32, TokenKind, String)> = Vec::new();
    for token in tokens(text) {
        let term = (token.position, token.kind, token_term(&token).into_owned());
        match terms.last_mut() {
            // At one position the part replaces its whole, the bigram stands before its grapheme.
            Some(last) if last.0 == term.0 => {
                if term.1 == TokenKind::Part {
                    *last = term;
                }
            }
            _ => terms.push(term),
        }
        if terms.len() > LONGEST_PHRASE_TERMS {
            break;
        }
    }
    if terms.len() > 1 && terms.last().is_some_and(|term| term.1 == TokenKind::Character) {
        terms.pop();
    }
    terms.truncate(LONGEST_PHRASE_TERMS);
    terms.into_iter().map(|(_, _, term)| term).collect()
}

/// What a literal may be made of: visible ASCII, and letters of scripts with spaces.
fn is_literal_character(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_graphic() } else { classify(character) == CharacterClass::Word }
}

/// The literal in a stretch without spaces, or none when it is an ordinary word with the
/// punctuation of a sentence around it.
fn literal_of(chunk: &str) -> Option<&str> {
    let mut core =
        chunk.trim_end_matches([',', ';', '!', '?', '.', '\'', '"']).trim_start_matches(['\'', '"', ',', ';']);
    while let Some(inner) = enclosed(core) {
        core = inner.trim_end_matches([',', ';', '!', '?', '.', '\'', '"']);
    }
    // A bracket that only opens or only closes belongs to the sentence around the word.
    if !core.contains(')') && core.rfind('(').is_none_or(|at| at == 0) {
        core = core.trim_start_matches('(');
    }
    if !core.contains('(') {
        core = core.trim_end_matches(')');
    }
    if let Some(label) = core.strip_suffix(':')
        && !label.bytes().any(|byte| byte.is_ascii_punctuation())
        && label.chars().any(|character| !character.is_uppercase())
    {
        core = label;
    }
    let has_word = core.chars().any(char::is_alphanumeric);
    let mut previous_word = false;
    let mut punctuated = false;
    let mut characters = core.chars().peekable();
    while let Some(character) = characters.next() {
        let word = character.is_alphanumeric() || !character.is_ascii();
        let apostrophe =
            character == '\'' && previous_word && characters.peek().is_some_and(|next| next.is_alphanumeric());
        punctuated |= !word && !apostrophe;
        previous_word = word;
    }
    (has_word && punctuated).then_some(core)
}

/// What stands inside a pair of brackets that encloses the whole.
fn enclosed(core: &str) -> Option<&str> {
    [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>'), ('\'', '\'')].into_iter().find_map(|(open, close)| {
        let inner = core.strip_prefix(open)?.strip_suffix(close)?;
        (!inner.contains(open) && !inner.contains(close)).then_some(inner)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(query: &str) -> Vec<String> {
        query_terms(query).terms.into_iter().map(|term| term.term).collect()
    }

    #[test]
    fn a_word_that_is_said_again_counts_again() {
        let found = query_terms("Trains, and more trains: which train?");
        let counts: Vec<_> = found.terms.iter().map(|term| (term.term.as_str(), term.count)).collect();
        assert_eq!(counts.first(), Some(&("train", 3)), "{counts:?}");
        let letters = ('b'..='z').flat_map(|one| ('b'..='k').map(move |other| format!("{one}{other}qx ")));
        let found = query_terms(&format!("{} bbqx", letters.collect::<String>()));
        assert_eq!((found.terms.len(), found.terms[0].count), (MAXIMUM_QUERY_TERMS, 2));
    }

    #[test]
    fn stopwords_are_flagged_only_beside_other_words() {
        let found = query_terms("where is the budget");
        let flags: Vec<bool> = found.terms.iter().map(|term| term.stopword).collect();
        assert_eq!(flags, [true, true, true, false]);
        assert!(query_terms("to be or not to be").terms.iter().all(|term| !term.stopword));
        assert_eq!(terms("to be or not to be"), ["to", "be", "or", "not"]);
    }

    #[test]
    fn literals_are_words_with_punctuation_inside() {
        for (query, expected) in [
            ("release 1.0.21", vec!["1.0.21"]),
            ("call foo:bar( now", vec!["foo:bar("]),
            ("grammar::fa", vec!["grammar::fa"]),
            ("TODO: tidy", vec!["TODO:"]),
            ("note: tidy", vec![]),
            ("C++ or C#?", vec!["C++", "C#"]),
            ("edit .env.local.", vec![".env.local"]),
            ("a-b", vec!["a-b"]),
            ("what, really? (yes).", vec![]),
            ("don't panic!", vec![]),
            ("main() returns", vec!["main()"]),
            ("重跑gen-itgc后50条", vec!["gen-itgc"]),
            ("GB/s", vec!["GB/s"]),
            ("snake_case", vec!["snake_case"]),
            ("=>", vec!["=>"]),
            ("*", vec![]),
            ("\"", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(query_terms(query).literals, expected, "{query}");
        }
    }

    #[test]
    fn quotes_make_phrases_and_an_unpaired_one_does_not() {
        let found = query_terms("the \"running shoes\" of “my friend”");
        assert_eq!(found.phrases, [vec!["run", "shoe"], vec!["my", "friend"]]);
        assert_eq!(found.literals, ["running shoes", "my friend"]);
        assert!(query_terms("a 19\" rack").phrases.is_empty());
        assert_eq!(query_terms("\"東京都 tower\"").phrases, [vec!["東京", "京都", "都", "tower"]]);
        assert_eq!(query_terms("\"fooBar baz\"").phrases, [vec!["foo", "bar", "baz"]]);
    }

    #[test]
    fn quotes_in_a_pasted_paragraph_are_the_authors() {
        let paragraph = "Systems for information retrieval that have continuous weights assigned to index terms \
                         describing records in a database, where a \"threshold\" decides which documents come back";
        let found = query_terms(paragraph);
        assert!(found.phrases.is_empty() && found.quoted.is_empty(), "{found:?}");
        assert_eq!(found.literals, ["threshold"]);
        let asked = query_terms(&format!("\"{paragraph}\""));
        assert_eq!(asked.phrases.len(), 2, "{asked:?}");
        assert_eq!(query_terms("which deck had the slide titled \"Project Phoenix\"").quoted, ["Project Phoenix"]);
    }

    #[test]
    fn the_word_being_typed_is_the_prefix() {
        assert_eq!(query_terms("find the budg").prefix.as_deref(), Some("budg"));
        assert_eq!(query_terms("find the budget ").prefix, None);
        assert_eq!(query_terms("東京").prefix, None);
        assert_eq!(query_terms("x").prefix, None);
    }

    #[test]
    fn mixed_scripts_are_found_by_their_latin_part() {
        let indexed: Vec<String> = {
            let mut found = Vec::new();
            crate::index_terms("重跑gen-itgc后50条", false, &mut |term, _, _| found.push(term.to_owned()));
            found
        };
        assert!(terms("itgc").iter().all(|term| indexed.contains(term)));
        assert!(terms("条").iter().all(|term| indexed.contains(term)));
        assert!(terms("跑").iter().all(|term| indexed.contains(term)));
    }

    #[test]
    fn a_pasted_page_is_bounded() {
        let page: String = (0..2000).map(|index| format!("word{index} ")).collect();
        assert!(query_terms(&page).terms.len() <= MAXIMUM_QUERY_TERMS);
        assert!(query_terms(&"\"a b\" ".repeat(2000)).phrases.len() <= MAXIMUM_PHRASES);
        assert!(query_terms(&"\"".repeat(10_001)).terms.is_empty());
    }
}
