//! What the cutter promises, on texts small enough to see through.

use bethink_core::{Extracted, Format, Language, Locator, Mark};

use super::*;
use crate::model_tokens;

fn extracted(format: Format, text: &str) -> Extracted {
    Extracted { format, text: text.to_owned(), ..Extracted::default() }
}

fn pieces<'t>(extracted: &'t Extracted, passages: &[Passage]) -> Vec<&'t str> {
    passages.iter().map(|passage| &extracted.text[passage.range.clone()]).collect()
}

/// A paragraph of about `words` tokens that no other seed gives.
fn paragraph(seed: usize, words: usize) -> String {
    let list = ["river", "stone", "market", "letter", "garden", "window", "engine", "summer", "budget", "voyage"];
    let chosen: Vec<String> =
        (0..words).map(|at| format!("{}{}", list[(seed * 7 + at * 3) % 10], (seed + at) % 7)).collect();
    format!("{}.\n\n", chosen.join(" "))
}

#[test]
fn an_empty_text_has_no_passages_and_a_short_one_has_one() {
    assert!(cut(&extracted(Format::Text, "")).is_empty());
    let source = extracted(Format::Markdown, "# A\n\none\n\n## B\n\ntwo\n\n## C\n\nthree\n");
    let passages = cut(&source);
    assert_eq!(passages.len(), 1);
    assert_eq!(passages[0].heading, ["A"]);
}

#[test]
fn a_passage_never_holds_two_headings() {
    let body = paragraph(1, 90);
    let text = format!("intro\n\n# A\n\n{body}## B\n\n{body}## C\n\n### D\n\n{body}# E\n");
    let source = extracted(Format::Markdown, &text);
    let passages = cut(&source);
    let paths: Vec<String> = passages.iter().map(|passage| passage.heading.join(" > ")).collect();
    assert_eq!(paths, ["", "A", "A > B", "A > C > D", "E"]);
    assert!(pieces(&source, &passages)[3].starts_with("## C\n\n### D"));
    assert_eq!(passages[1].line, 3);
}

#[test]
fn marks_are_borders_and_give_locators() {
    let text = "page one\n\u{c}page two\n\u{c}\n\u{c}page four\n";
    let at = |needle: &str| text.find(needle).unwrap_or(0);
    let mut source = extracted(Format::Pdf, text);
    source.marks = [(0, 1), (at("page two"), 2), (at("\n\u{c}page four"), 3), (at("page four"), 4)]
        .map(|(offset, page)| Mark { offset, locator: Locator::Page(page) })
        .to_vec();
    let passages = cut(&source);
    let locators: Vec<String> = passages.iter().map(|passage| passage.locator.to_string()).collect();
    assert_eq!(locators, ["page 1", "page 2", "page 4"]);
}

#[test]
fn a_little_over_the_limit_leaves_no_small_tail() {
    for words in [245, 260, 300, 320] {
        let text: String = (0..words / 10).map(|line| paragraph(line, 10)).collect();
        let source = extracted(Format::Text, &text);
        let passages = cut(&source);
        assert!(passages.len() > 1);
        for piece in pieces(&source, &passages) {
            assert!(model_tokens(piece) >= 60, "{words}: {}", model_tokens(piece));
        }
    }
}

#[test]
fn passages_are_near_their_target() {
    let text: String = (0..400).map(|seed| paragraph(seed * 13 + seed * seed, 20 + seed % 60)).collect();
    let source = extracted(Format::Text, &text);
    let passages = cut(&source);
    let mean = model_tokens(&text) / passages.len();
    assert!((150..=PASSAGE_LIMIT_TOKENS).contains(&mean), "mean {mean}");
    assert!(pieces(&source, &passages).iter().all(|piece| model_tokens(piece) <= PASSAGE_LIMIT_TOKENS));
}

#[test]
fn an_inserted_line_changes_three_passages_at_most() {
    let lines: Vec<String> =
        (0..5000).map(|n: u64| format!("2026-03-{:02} job {} took {} ms\n", n % 28 + 1, n, n * n % 977)).collect();
    let before = extracted(Format::Text, &lines.concat());
    let known: std::collections::HashSet<_> = cut(&before).into_iter().map(|passage| passage.key).collect();
    for at in (0..5000).step_by(97) {
        let text = [&lines[..at].concat(), "an inserted line\n", &lines[at..].concat()].concat();
        let changed =
            cut(&extracted(Format::Text, &text)).iter().filter(|passage| !known.contains(&passage.key)).count();
        assert!((1..=3).contains(&changed), "line {at}: {changed}");
    }
}

#[test]
fn definitions_stay_whole_and_name_their_passages() {
    let body: String = (0..14).map(|n| format!("        let value_{n} = compute({n}, other);\n")).collect();
    let functions: String = ["alpha", "beta", "gamma"]
        .map(|name| format!("    /// Does {name}.\n    fn {name}(&self) {{\n{body}    }}\n\n"))
        .concat();
    let source = extracted(Format::Code(Language::Rust), &format!("use std::io;\n\nimpl Engine {{\n{functions}}}\n"));
    let passages = cut(&source);
    let headed: Vec<String> = passages.iter().map(|passage| passage.heading.join(" > ")).collect();
    assert!(headed.contains(&"impl Engine > fn beta".to_owned()), "{headed:?}");
    assert!(pieces(&source, &passages).iter().any(|piece| piece.starts_with("    /// Does beta.")));
}

#[test]
fn lines_are_whole_unless_one_is_over_the_limit() {
    let text: String =
        (0..300).map(|n| format!("<user{}> this is message number {n}. It has two sentences.\n", n % 5)).collect();
    let source = extracted(Format::Text, &text);
    assert!(pieces(&source, &cut(&source)).iter().all(|piece| piece.ends_with('\n')));
    let giant = extracted(Format::Text, &"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo".repeat(30_000));
    let passages = cut(&giant);
    assert!(pieces(&giant, &passages).iter().all(|piece| piece.len() <= PASSAGE_LIMIT_TOKENS * 4));
    assert!(passages.iter().all(|passage| passage.line == 1));
}

#[test]
fn rows_keep_their_header_as_heading() {
    let rows: String = (0..200).map(|n| format!("{n},Person {n},\"City,\n{n}\"\n")).collect();
    let source = extracted(Format::Csv, &format!("id,name,city\n{rows}"));
    let passages = cut(&source);
    assert!(passages.len() > 3);
    assert!(passages.iter().all(|passage| passage.heading == ["id,name,city"]));
    assert!(pieces(&source, &passages).iter().all(|piece| piece.matches('"').count() % 2 == 0));
}

#[test]
fn line_numbers_count_every_terminator() {
    let text: String = (0..400).map(|n| format!("line {n} of the text{}", ["\n", "\r\n", "\r"][n % 3])).collect();
    let source = extracted(Format::Text, &text);
    let starts: Vec<usize> = crate::lines(&text).map(|range| range.start).collect();
    for passage in cut(&source) {
        assert_eq!(starts[passage.line as usize - 1], passage.range.start);
    }
}

#[test]
fn short_messages_of_a_chat_share_a_passage_and_mails_do_not() {
    let text: String =
        (0..60).map(|n| format!("Ana, 2024-05-01 12:{n:02}: message number {n} of the day\n\n")).collect();
    let starts = text.match_indices("Ana,").map(|(offset, _)| offset);
    let marks: Vec<Mark> =
        (1..).zip(starts).map(|(number, offset)| Mark { offset, locator: Locator::Message(number) }).collect();
    let mut source = extracted(Format::Chat, &text);
    source.marks = marks;
    let passages = cut(&source);
    assert!((2..20).contains(&passages.len()), "{}", passages.len());
    assert!(pieces(&source, &passages).iter().all(|piece| piece.starts_with("Ana,")));
    assert!(matches!(passages[1].locator, Locator::Message(number) if number > 1));
    source.format = Format::Mailbox;
    assert_eq!(cut(&source).len(), 60);
}
