//! Laws that hold for every text.

use std::collections::HashSet;

use bethink_core::{Extracted, Format, Language, Locator, Mark, UnixMillis, locator_at};
use bethink_text::{
    PASSAGE_LIMIT_TOKENS, cut, excerpt, fold, index_terms, lines, model_tokens, query_terms, time_phrase, tokens,
    visible,
};
use jiff::tz::TimeZone;
use proptest::prelude::*;

const FORMATS: [Format; 19] = [
    Format::Text,
    Format::Markdown,
    Format::Org,
    Format::Rst,
    Format::Html,
    Format::Code(Language::Rust),
    Format::Code(Language::Python),
    Format::Code(Language::C),
    Format::Code(Language::Sql),
    Format::Json,
    Format::Yaml,
    Format::Toml,
    Format::Csv,
    Format::Xml,
    Format::Docx,
    Format::Xlsx,
    Format::Asciidoc,
    Format::Latex,
    Format::Chat,
];

/// Stretches that mean something to some scanner, and some that mean trouble.
fn stretch() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z ,.]{0,60}",
        2 => "\\PC{0,20}",
        1 => any::<String>(),
        2 => prop::sample::select(vec![
            "\n", "\n\n", "\r\n", "\r", "# Heading\n", "## Sub\n\n", "Title\n=====\n", "---\n", "```\n", "~~~~\n", "* Org\n",
            "fn main() {\n", "    def x(self):\n", "class A:\n", "}\n", "- item\n", "a,b,\"c\n", "key: value\n", "[table]\n",
            "  \"json\": {\n", "\u{301}", "\u{200d}", "👨\u{200d}👩\u{200d}👧", "🇩🇪🇫🇷", "–", "東京都の天気。", "ภาษาไทย", "한국어", "\u{feff}",
            "\u{202e}", "\0", "\u{1b}[2J", "1.0.21", "C++", "fooBarBaz_qux", "don't", "\"", "'''", "\"\"\"", "\t", "  ",
            "ǅ", "ﬃ", "İ", "ẞ", "ʼn", "\u{1100}\u{1161}\u{11a8}", "ｶﾞ", "الْعَرَبِيَّة",
        ]).prop_map(str::to_owned),
        1 => ("[a-z]{1,3}|[–。\u{301}😀x]", 1_usize..900).prop_map(|(unit, count)| unit.repeat(count)),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(stretch(), 0..60).prop_map(|stretches| stretches.concat())
}

fn extracted() -> impl Strategy<Value = Extracted> {
    (
        text(),
        prop::sample::select(FORMATS.to_vec()),
        prop::collection::vec((any::<prop::sample::Index>(), 0_u64..3), 0..6),
    )
        .prop_map(|(text, format, places)| {
            let mut marks: Vec<Mark> = places
                .into_iter()
                .map(|(index, kind)| {
                    let offset = text.floor_char_boundary(index.index(text.len() + 1));
                    let locator = match kind {
                        0 => Locator::Page(offset as u32),
                        1 => Locator::Timecode { millis: offset as u64 },
                        _ => Locator::Sheet { name: "a".to_owned(), row: offset as u32 },
                    };
                    Mark { offset, locator }
                })
                .collect();
            marks.sort_by_key(|mark| mark.offset);
            Extracted { format, text, marks, ..Extracted::default() }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn passages_tile_the_text(source in extracted()) {
        let passages = cut(&source);
        let mut reached = 0;
        let starts: Vec<usize> = lines(&source.text).map(|range| range.start).collect();
        for passage in &passages {
            prop_assert_eq!(passage.range.start, reached);
            prop_assert!(passage.range.end > reached);
            reached = passage.range.end;
            let line = starts.partition_point(|start| *start <= passage.range.start);
            prop_assert_eq!(passage.line as usize, line);
            prop_assert_eq!(&passage.locator, source.locator_at(passage.range.start));
            for offset in passage.range.clone() {
                let inside = locator_at(&passage.locator, &passage.marks, offset - passage.range.start);
                prop_assert_eq!(inside, source.locator_at(offset));
            }
            let tokens = model_tokens(&source.text[passage.range.clone()]);
            // Estimates round up a line at a time; blanks between lines are not counted.
            prop_assert!(tokens <= PASSAGE_LIMIT_TOKENS + 40, "{} tokens", tokens);
        }
        prop_assert_eq!(reached, source.text.len());
    }

    #[test]
    fn folding_twice_changes_nothing(text in text()) {
        let once = fold(&text);
        prop_assert_eq!(fold(&once), once);
    }

    #[test]
    fn tokens_are_ordered_pieces_of_the_text(text in text(), code in any::<bool>()) {
        let mut position = 0;
        for token in tokens(&text) {
            prop_assert!(!token.text.is_empty() && token.text.len() <= 600);
            prop_assert!(text.get(token.range.clone()).is_some_and(|piece| !piece.is_empty()));
            prop_assert!(token.position >= position);
            position = token.position;
        }
        index_terms(&text, code, &mut |term, range, _| {
            assert!(!term.is_empty() && text.get(range).is_some());
        });
    }

    #[test]
    fn a_word_of_a_text_is_found_by_itself(text in text()) {
        let mut indexed = HashSet::new();
        index_terms(&text, false, &mut |term, _, _| { indexed.insert(term.to_owned()); });
        for word in text.split_whitespace().take(8) {
            for term in query_terms(word).terms {
                prop_assert!(indexed.contains(&term.term), "{} of {}", term.term, word);
            }
        }
    }

    #[test]
    fn excerpts_are_one_line_and_mark_what_matched(
        text in text(), query in text(), graphemes in 0_usize..200, first in 1_u32..1000
    ) {
        use unicode_segmentation::UnicodeSegmentation;
        let words: Vec<&str> = text.split_whitespace().take(2).collect();
        for query in [query_terms(&query), query_terms(&words.join(" "))] {
            let found = excerpt(&text, first, &query, graphemes);
            prop_assert!(!found.text.chars().any(char::is_control), "{:?}", found.text);
            prop_assert!(found.text.graphemes(true).count() <= graphemes);
            let mut reached = 0;
            for range in &found.matched {
                prop_assert!(range.start >= reached && range.end > range.start);
                prop_assert!(found.text.get(range.clone()).is_some());
                reached = range.end;
            }
            prop_assert!(found.line >= first && (found.line - first) as usize <= lines(&text).count());
        }
    }

    #[test]
    fn queries_never_fail_and_are_bounded(query in prop_oneof![text(), any::<String>()]) {
        let found = query_terms(&query);
        prop_assert!(found.terms.len() <= 64 && found.literals.len() <= 16 && found.phrases.len() <= 16);
        prop_assert!(found.terms.iter().all(|term| !term.term.is_empty() && !term.original.is_empty()));
        prop_assert!(found.terms.is_empty() || found.terms.iter().any(|term| !term.stopword));
    }

    #[test]
    fn what_is_made_visible_stays_so(text in text()) {
        let shown = visible(&text).into_owned();
        prop_assert!(!shown.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\t')));
        prop_assert_eq!(visible(&shown), shown.as_str());
    }

    #[test]
    fn time_phrases_never_panic_and_never_run_backwards(
        phrase in prop_oneof![
            any::<String>(),
            prop::collection::vec(prop::sample::select(vec![
                "last", "past", "this", "since", "before", "from", "to", "between", "and", "..", "ago", "3", "days", "weeks",
                "a", "months", "year", "march", "monday", "2026", "2026-02-29", "14", "morning", "summer", "q1", "late",
                "9999-12-31", "99999", "weekend", "of", "decades", "1900", "2199", "today", "hours",
            ]), 0..6).prop_map(|words| words.join(" ")),
        ],
        now in prop_oneof![any::<i64>(), 0_i64..4_000_000_000_000],
    ) {
        if let Ok(window) = time_phrase(&phrase, UnixMillis(now), &TimeZone::UTC) {
            prop_assert!(window.start < window.end);
        }
    }

    #[test]
    fn text_far_away_changes_no_passage(
        sections in prop::collection::vec(prop::collection::vec("([a-z]{2,9} ){20,80}[a-z]{3}\\.\n\n", 1..8), 4..20),
        inserted in "([a-z]{2,9} ){5,60}[a-z]{3}\\.\n\n",
    ) {
        let body: String = sections.iter().enumerate()
            .map(|(index, paragraphs)| format!("## Section {index}\n\n{}", paragraphs.concat())).collect();
        for (format, most) in [(Format::Markdown, 3), (Format::Text, 5)] {
            let source = |text: String| Extracted { format, text, ..Extracted::default() };
            let before: HashSet<_> = cut(&source(format!("# Title\n\nOpening words.\n\n{body}"))).into_iter().map(|passage| passage.key).collect();
            let after = cut(&source(format!("# Title\n\n{inserted}Opening words.\n\n{body}")));
            let changed = after.iter().filter(|passage| !before.contains(&passage.key)).count();
            prop_assert!(changed <= most, "{} changed", changed);
        }
    }
}

#[test]
fn long_lines_of_wide_characters_never_panic() {
    for unit in ["👨\u{200d}👩\u{200d}👧", "–", "é", "e\u{301}", "🇩🇪", "語", "a–", "\u{301}", "\u{1b}", "İ"]
    {
        let line = unit.repeat(100_000 / unit.len());
        for query in ["–", "語", "a", "needle", "e\u{301}", "\"–\""] {
            let found = excerpt(&line, 1, &query_terms(query), 80);
            assert!(!found.text.is_empty());
        }
        let source = Extracted { text: line, ..Extracted::default() };
        assert!(cut(&source).len() > 1);
    }
}
