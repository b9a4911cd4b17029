//! Files inside files, as a worker hands them over: in order, within limits, and without waiting for
//! each other.

use std::io::{Cursor, Write};
use std::path::Path;
use std::time::Duration;

use bethink_core::{Problem, ProblemKind};
use bethink_extract::{Extraction, Extractor, Limits, MemberFile, MemberVisitor};

use crate::sample_pdf::pdf;
use crate::worker_program::extractor_of;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Meets members, and after so many wants no more.
#[derive(Default)]
struct Visitor {
    met: Vec<(String, Extraction)>,
    most: Option<usize>,
}

impl MemberVisitor for Visitor {
    fn admits(&mut self, _: &str, _: &[u8]) -> bool {
        true
    }

    fn read(&mut self, member: MemberFile<'_>) -> bool {
        self.met.push((member.path, member.extraction));
        self.most.is_none_or(|most| self.met.len() < most)
    }
}

impl Visitor {
    fn paths(&self) -> Vec<&str> {
        self.met.iter().map(|(path, _)| path.as_str()).collect()
    }
}

/// A file that the worker answers by hand, with this order.
fn visit(extractor: &Extractor, order: &str, most: Option<usize>) -> (Extraction, Visitor) {
    let mut visitor = Visitor { most, ..Visitor::default() };
    let extraction = extractor.extract_with_members(Path::new("order.pdf"), &pdf(order, &["page"]), &mut visitor);
    (extraction, visitor)
}

fn text(extraction: &Extraction) -> &str {
    match extraction {
        Extraction::Text(extracted) => &extracted.text,
        other => panic!("no text: {other:?}"),
    }
}

fn failure(extraction: Extraction) -> Problem {
    match extraction {
        Extraction::Failed(problem) => problem,
        other => panic!("no failure: {other:?}"),
    }
}

/// All that is wrong with a conversation costs what comes after it, and the next file nothing.
fn assert_costs_the_rest(limits: Limits, order: &str, members: &[&str], kind: ProblemKind) {
    let extractor = extractor_of(1, &["--frames"], limits);
    let (extraction, visitor) = visit(&extractor, order, None);
    assert_eq!(visitor.paths(), members, "{order}");
    assert_eq!(failure(extraction).kind, kind, "{order}");
    let (extraction, visitor) = visit(&extractor, "members", None);
    assert_eq!(text(&extraction), "text of its own\n", "after {order}");
    assert_eq!(visitor.met.len(), 3, "after {order}");
}

#[test]
fn members_come_in_order_and_are_read() {
    let extractor = extractor_of(2, &["--frames"], Limits::default());
    let (extraction, visitor) = visit(&extractor, "members", None);
    assert_eq!(text(&extraction), "text of its own\n");
    assert_eq!(visitor.paths(), ["one.txt", "inner/two.txt", "three.txt"]);
    let texts: Vec<&str> = visitor.met.iter().map(|(_, extraction)| text(extraction)).collect();
    assert_eq!(texts, ["the first member", "the second member", "the third member"]);
}

#[test]
fn more_members_than_allowed_are_not_taken() {
    let limits = Limits { members: 3, ..Limits::default() };
    assert_costs_the_rest(limits, "endless", &["0.txt", "1.txt", "2.txt"], ProblemKind::Crashed);
}

#[test]
fn a_member_larger_than_allowed_ends_the_worker() {
    let limits = Limits { member_bytes: 1 << 20, ..Limits::default() };
    assert_costs_the_rest(limits, "large", &["small.txt"], ProblemKind::Crashed);
}

#[test]
fn members_larger_together_than_allowed_end_the_worker() {
    // "member 0" to "member 9" have eight bytes each.
    let limits = Limits { unpacked_bytes: 50, ..Limits::default() };
    let extractor = extractor_of(1, &["--frames"], limits);
    let (extraction, visitor) = visit(&extractor, "endless", None);
    assert_eq!(visitor.paths(), ["0.txt", "1.txt", "2.txt", "3.txt", "4.txt", "5.txt"]);
    assert_eq!(failure(extraction).kind, ProblemKind::Crashed);
}

#[test]
fn whoever_breaks_the_rules_of_members_loses_what_follows() {
    for order in ["torn", "inside", "unbegun", "nameless"] {
        assert_costs_the_rest(Limits::default(), order, &["whole.txt"], ProblemKind::Crashed);
    }
}

#[test]
fn a_hang_inside_a_member_meets_the_clock() {
    let limits = Limits { processor: Duration::from_millis(100), ..Limits::default() };
    assert_costs_the_rest(limits, "hang", &["whole.txt"], ProblemKind::Limit);
}

#[test]
fn a_crash_between_members_keeps_what_came_before() {
    let extractor = extractor_of(1, &["--frames"], Limits::default());
    let (extraction, visitor) = visit(&extractor, "die", None);
    assert_eq!(text(&visitor.met[0].1), "whole");
    assert_eq!(visitor.paths(), ["whole.txt"]);
    let Extraction::Text(extracted) = extraction else { panic!("the text before it was expected") };
    assert_eq!(extracted.text, "text before\n");
    assert_eq!(extracted.problems.len(), 1);
    assert_eq!(extracted.problems[0].kind, ProblemKind::Crashed);
}

#[test]
fn a_worker_that_goes_on_after_a_stop_is_ended() {
    let extractor = extractor_of(1, &["--frames"], Limits::default());
    for _ in 0..2 {
        let (extraction, visitor) = visit(&extractor, "endless", Some(2));
        assert_eq!(visitor.paths(), ["0.txt", "1.txt"]);
        assert_eq!(text(&extraction), "");
    }
}

#[test]
fn containers_nest_down_to_the_limit_with_one_worker_a_level() {
    let extractor = extractor_of(1, &["--frames"], Limits { nesting: 3, ..Limits::default() });
    let (_, visitor) = visit(&extractor, "doll", None);
    // Innermost first: a member has been read once those inside it have been.
    let paths = ["doll.pdf!/doll.pdf!/doll.pdf", "doll.pdf!/doll.pdf", "doll.pdf"];
    assert_eq!(visitor.paths(), paths);
    match &visitor.met[0].1 {
        Extraction::Skipped(problem) => assert_eq!(problem.kind, ProblemKind::Limit),
        other => panic!("the limit on nesting was expected: {other:?}"),
    }
}

/// The reason at the end of a text that was cut short.
fn reason(extraction: &Extraction) -> Option<ProblemKind> {
    match extraction {
        Extraction::Text(extracted) => extracted.problems.last().map(|problem| problem.kind),
        other => panic!("no text: {other:?}"),
    }
}

#[test]
fn levels_of_containers_do_not_multiply() {
    let everything = extractor_of(1, &["--frames"], Limits::default());
    let (extraction, visitor) = visit(&everything, "dolls", None);
    assert_eq!((visitor.met.len(), reason(&extraction)), (10 + 100 + 1000, None));
    let size = pdf("dolls", &["page"]).len();
    for limits in
        [Limits { members: 40, ..Limits::default() }, Limits { unpacked_bytes: 40 * size, ..Limits::default() }]
    {
        let extractor = extractor_of(1, &["--frames"], limits);
        let (extraction, visitor) = visit(&extractor, "dolls", None);
        // Ten of the innermost, then those around them; the one that was cut short is among them.
        assert_eq!(visitor.met.len(), 40, "{limits:?}");
        assert_eq!(reason(&extraction), Some(ProblemKind::Limit), "{limits:?}");
        let (extraction, visitor) = visit(&extractor, "members", None);
        assert_eq!((visitor.met.len(), reason(&extraction)), (3, None), "the next file has its own allowance");
    }
}

#[test]
fn an_archive_of_poison_is_left_alone_after_a_few() {
    let extractor = extractor_of(1, &["--frames"], Limits { broken_members: 5, ..Limits::default() });
    let (extraction, visitor) = visit(&extractor, "mines", None);
    let mines = visitor.paths().iter().filter(|path| !path.contains("whole.txt")).count();
    assert_eq!(mines, 5);
    assert_eq!(text(&extraction), "mines\n");
    assert_eq!(reason(&extraction), Some(ProblemKind::Limit));
}

#[test]
fn nested_containers_from_many_threads_do_not_wait_for_each_other() {
    let extractor = extractor_of(1, &["--frames"], Limits::default());
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let (_, visitor) = visit(&extractor, "doll", None);
                    assert_eq!(visitor.met.len(), 3);
                }
            });
        }
    });
}

fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// An archive in an archive in an archive, each with documents that need a worker of their own.
fn nested() -> Vec<u8> {
    let page = |text: &str| pdf("nothing", &[text]);
    let inner = zip(&[("deep.pdf", page("deepest")), ("deep.txt", b"plain and deep".to_vec())]);
    let middle = zip(&[("first.pdf", page("before")), ("inner.zip", inner), ("last.pdf", page("after"))]);
    zip(&[("a.pdf", page("outside")), ("folder/middle.zip", middle), ("z.txt", b"at the end".to_vec())])
}

/// What is inside [`nested`], members of a member before it.
const NESTED: [(&str, &str); 8] = [
    ("a.pdf", "outside\n"),
    ("folder/middle.zip!/first.pdf", "before\n"),
    ("folder/middle.zip!/inner.zip!/deep.pdf", "deepest\n"),
    ("folder/middle.zip!/inner.zip!/deep.txt", "plain and deep"),
    ("folder/middle.zip!/inner.zip", ""),
    ("folder/middle.zip!/last.pdf", "after\n"),
    ("folder/middle.zip", ""),
    ("z.txt", "at the end"),
];

#[test]
fn real_archives_nest_with_one_worker_a_level() {
    let extractor = extractor_of(1, &[], Limits::default());
    let bytes = nested();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut visitor = Visitor::default();
                extractor.extract_with_members(Path::new("a.zip"), &bytes, &mut visitor);
                assert_eq!(visitor.paths(), NESTED.map(|(path, _)| path));
                for ((_, extraction), (path, expected)) in visitor.met.iter().zip(NESTED) {
                    // The text of an archive itself is whatever its reader says about it.
                    if !path.ends_with(".zip") {
                        assert_eq!(text(extraction), expected, "{path}");
                    }
                }
            });
        }
    });
}

#[test]
fn a_poisoned_member_costs_itself() {
    let page = |order: &str| pdf(order, &["some page"]);
    let archive = zip(&[
        ("1.pdf", page("nothing")),
        ("2.pdf", page("abort")),
        ("3.pdf", page("panic")),
        ("4.pdf", page("spin")),
        ("5.pdf", page("overflow")),
        ("6.txt", b"words".to_vec()),
        ("7.pdf", page("nothing")),
    ]);
    // The one that spins meets the limit on processor time; the clock has room for a machine that is busy.
    let limits = Limits { processor: Duration::from_millis(100), wall_factor: 600, ..Limits::default() };
    let extractor = extractor_of(1, &[], limits);
    let mut visitor = Visitor::default();
    let extraction = extractor.extract_with_members(Path::new("a.zip"), &archive, &mut visitor);
    let kinds: Vec<Option<ProblemKind>> = visitor
        .met
        .iter()
        .map(|(_, extraction)| match extraction {
            Extraction::Text(_) => None,
            Extraction::Skipped(problem) | Extraction::Failed(problem) => Some(problem.kind),
        })
        .collect();
    let (crashed, late) = (Some(ProblemKind::Crashed), Some(ProblemKind::Limit));
    assert_eq!(kinds, [None, crashed, crashed, late, crashed, None, None]);
    assert!(text(&extraction).contains("7.pdf"));
    assert_eq!(reason(&extraction), None, "the archive itself is whole");
}
