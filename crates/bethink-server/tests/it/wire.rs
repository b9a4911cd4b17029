//! The wire as it is promised: whole lines, field by field, in their order.

use std::path::PathBuf;
use std::time::Duration;

use bethink_core::{Explanation, Locator, MatchStrength, Score};
use bethink_engine::{FindRequest, Hidden, IndexEvent, IndexSummary, ReadRequest, ReadTarget, RootOutcome};
use bethink_server::{Answers, wire};
use insta::assert_snapshot;

use crate::fake::{Fake, answer, hit};

const ELAPSED: Duration = Duration::from_millis(12);

#[test]
fn hits_and_summary() {
    let plain = hit(1, "a jaw");
    let mut rich = hit(2, "\"quoted\"\u{1b}");
    rich.locator = Locator::Page(3);
    rich.path = PathBuf::from("/home/kim/Ünï.PDF");
    rich.title = None;
    rich.heading.clear();
    rich.format = None;
    rich.strength = MatchStrength::Weak;
    rich.score = Score(0.123_456);
    rich.moved_from = Some("/old.pdf".into());
    rich.copies = vec!["/copy.pdf".into()];
    rich.caveat = Some("the text is older than the file");
    rich.explanation =
        Some(Explanation { value: 0.1, name: "lexical".to_owned(), detail: "jaw".to_owned(), children: Vec::new() });
    let mut answer = answer("jaw", vec![plain, rich]);
    answer.looked_in.within = Some("/home/kim".into());
    answer.hidden = Some(Hidden { better: 1, best_score: Score(0.9), best_path: "/srv/a.md".into() });
    answer.notes = vec!["A note.".to_owned()];
    assert_snapshot!(wire::ask_lines(&answer, ELAPSED));
}

#[test]
fn nothing_found() {
    assert_snapshot!(wire::ask_lines(&answer("jaw", Vec::new()), ELAPSED));
}

#[test]
fn files() {
    let request =
        FindRequest { query: "acme".to_owned(), limit: 1, opened: Some("today".to_owned()), ..Default::default() };
    assert_snapshot!(wire::find_lines(&Fake.find(&request).unwrap(), ELAPSED));
    let request = FindRequest { query: "nothing".to_owned(), ..Default::default() };
    assert_snapshot!(wire::find_lines(&Fake.find(&request).unwrap(), ELAPSED));
}

#[test]
fn lines() {
    let target = ReadTarget::Path("/a.pdf".into());
    let request =
        ReadRequest { target, line: Some(51), column: None, context: Some(1), whole: false, allow_unindexed: false };
    assert_snapshot!(wire::read_lines(&Fake.read(&request).unwrap()));
}

#[test]
fn status() {
    assert_snapshot!(wire::status_line(&Fake.status().unwrap()));
}

#[test]
fn indexing() {
    let events = [
        IndexEvent::Waiting,
        IndexEvent::Walked { files: 3, done: false },
        IndexEvent::File { path: "/a.md".into() },
        IndexEvent::Committed { files: 2, passages: 9, bytes: 400 },
        IndexEvent::Embedded { tier: "static", done: 9, pending: 0 },
    ];
    let mut lines: String = events.iter().map(|event| wire::json_line(&wire::IndexEvent::from(event))).collect();
    let summary = IndexSummary {
        roots: vec![RootOutcome { path: "/home/kim".into(), state: "complete", files: 3, note: None }],
        indexed: 2,
        skipped: vec![("binary".to_owned(), 1)],
        elapsed: ELAPSED,
        ..IndexSummary::default()
    };
    lines.push_str(&wire::json_line(&wire::IndexSummary::from(&summary)));
    assert_snapshot!(lines);
}

#[cfg(unix)]
#[test]
fn a_path_that_is_no_text_loses_nothing() {
    let mut odd = hit(1, "x");
    odd.path = bethink_core::path_from_bytes(b"/home/kim/\xff.md");
    let line = wire::json_line(&wire::Hit::from(&odd));
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(value["path"], "/home/kim/\u{FFFD}.md");
    assert_eq!(value["path_bytes"], "2f686f6d652f6b696d2fff2e6d64");
}
