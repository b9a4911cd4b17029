//! Real worker processes that crash, hang, balloon and lie: each costs its one file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bethink_core::{Locator, ProblemKind};
use bethink_extract::{Enforcement, Extraction, Extractor, ExtractorSettings, Limits, confinement};

use crate::sample_pdf::pdf;
use crate::worker_program::extractor_of;

fn extractor(arguments: &[&str], limits: Limits) -> Extractor {
    extractor_of(2, arguments, limits)
}

fn ask(extractor: &Extractor, order: &str) -> Extraction {
    extractor.extract(Path::new("order.pdf"), &pdf(order, &["The tram climbs", "", "The hill sleeps"]))
}

/// The worker, or one that took its place, reads well.
#[track_caller]
fn assert_reads(extractor: &Extractor, order: &str) {
    let Extraction::Text(extracted) = ask(extractor, order) else { panic!("{order}: no text") };
    assert_eq!(extracted.text, "The tram climbs\nThe hill sleeps\n", "{order}");
    let places: Vec<&Locator> = extracted.marks.iter().map(|mark| &mark.locator).collect();
    assert_eq!(places, [&Locator::Page(1), &Locator::Page(3)], "{order}");
}

#[track_caller]
fn assert_fails(extractor: &Extractor, order: &str, kind: ProblemKind) {
    match ask(extractor, order) {
        Extraction::Failed(problem) => assert_eq!(problem.kind, kind, "{order}: {}", problem.detail),
        other => panic!("{order}: {other:?}"),
    }
}

#[test]
fn a_worker_reads_what_this_process_would_read() {
    let with_worker = extractor(&[], Limits::default());
    assert_reads(&with_worker, "nothing");
    let here = Extractor::new(ExtractorSettings::default());
    assert_eq!(ask(&with_worker, "nothing"), ask(&here, "nothing"));
}

#[test]
fn whatever_kills_a_worker_costs_one_file() {
    let limits = Limits {
        // A small balloon, and time to blow it up on a busy machine.
        worker_memory_bytes: 300 << 20,
        processor: Duration::from_secs(60),
        processor_most: Duration::from_secs(60),
        ..Limits::default()
    };
    let extractor = extractor(&[], limits);
    for order in ["panic", "abort", "overflow", "balloon"] {
        assert_fails(&extractor, order, ProblemKind::Crashed);
        assert_reads(&extractor, "nothing");
    }
}

#[test]
fn a_worker_that_does_not_come_back_is_ended() {
    let limits = Limits { processor: Duration::from_millis(100), ..Limits::default() };
    let extractor = extractor(&[], limits);
    for order in ["hang", "spin"] {
        assert_fails(&extractor, order, ProblemKind::Limit);
    }
    let patient = self::extractor(&[], Limits::default());
    assert_reads(&patient, "nothing");
}

#[test]
fn what_libraries_print_does_not_reach_the_pipe() {
    assert_reads(&extractor(&[], Limits::default()), "print");
}

/// Each attempt panics in the worker if it succeeds, which costs the file.
#[cfg(unix)]
#[test]
fn a_worker_opens_nothing() {
    let extractor = extractor(&[], Limits::default());
    for order in ["read", "list", "write", "connect", "socket", "descriptors"] {
        assert_reads(&extractor, order);
    }
    assert!(!Path::new("/tmp/bethink-extract-worker-wrote-this").exists());
}

/// What only the kernel can refuse, where it does.
#[cfg(unix)]
#[test]
fn a_worker_starts_removes_and_signals_nothing() {
    if confinement().system_calls != Enforcement::Full {
        println!("skipped: this kernel filters no system calls");
        return;
    }
    let kept = Path::new("/tmp/bethink-extract-worker-removed-this");
    std::fs::write(kept, b"still here").unwrap();
    let extractor = extractor(&[], Limits::default());
    for order in ["fork", "exec", "signal", "trace", "code", "remove", "reopen"] {
        assert_reads(&extractor, order);
    }
    std::fs::remove_file(kept).unwrap();
}

#[test]
fn a_parser_may_start_threads() {
    let extractor = extractor(&[], Limits::default());
    assert_reads(&extractor, "thread");
    // An order that nobody knows panics, as a successful attempt does.
    #[cfg(unix)]
    assert_fails(&extractor, "misspelt", ProblemKind::Crashed);
}

#[test]
fn asking_for_the_confinement_confines_nobody() {
    let first = confinement();
    assert_eq!(confinement(), first, "{first}");
    assert!(std::fs::read_dir("/").is_ok());
    assert!(std::net::UdpSocket::bind(("127.0.0.1", 0)).is_ok());
}

#[test]
fn what_is_no_worker_is_told_apart() {
    assert_fails(&extractor(&["--garbage"], Limits::default()), "nothing", ProblemKind::Crashed);
    assert_fails(&extractor(&["--leave"], Limits::default()), "nothing", ProblemKind::Crashed);
    let missing = ExtractorSettings {
        worker_command: Some((PathBuf::from("/no/such/program"), Vec::new())),
        ..ExtractorSettings::default()
    };
    // Not the file's fault: the kind says that it is worth another try.
    assert_fails(&Extractor::new(missing), "nothing", ProblemKind::Unreadable);
}

#[test]
fn many_threads_share_a_small_pool() {
    let limits = Limits { worker_files: 3, ..Limits::default() };
    let extractor = extractor(&[], limits);
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let extractor = &extractor;
            scope.spawn(move || {
                for file in 0..4 {
                    if (thread + file) % 3 == 0 {
                        assert_fails(extractor, "abort", ProblemKind::Crashed);
                    } else {
                        assert_reads(extractor, "nothing");
                    }
                }
            });
        }
    });
}

#[test]
fn text_past_the_limit_is_cut_and_the_worker_lives_on() {
    let limits = Limits { text_bytes: 20, ..Limits::default() };
    let extractor = extractor(&[], limits);
    for _ in 0..2 {
        let Extraction::Text(extracted) = ask(&extractor, "nothing") else { panic!("text was expected") };
        assert_eq!(extracted.text, "The tram climbs\nThe ");
        assert_eq!(extracted.problems[0].kind, ProblemKind::Limit);
    }
}

#[test]
fn a_file_too_large_for_a_worker_is_not_sent() {
    let limits = Limits { worker_source_bytes: 100, ..Limits::default() };
    match ask(&extractor(&["--leave"], limits), "nothing") {
        Extraction::Skipped(problem) => assert_eq!(problem.kind, ProblemKind::Limit),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tag_of_endless_attributes_ends_with_the_clock() {
    let mut page = b"<p>before<a ".to_vec();
    for number in 0..400_000 {
        page.extend(format!("a{number} ").bytes());
    }
    let limits =
        Limits { processor: Duration::from_millis(500), processor_per_mebibyte: Duration::ZERO, ..Limits::default() };
    match extractor(&[], limits).extract(Path::new("x.html"), &page) {
        Extraction::Failed(problem) => assert_eq!(problem.kind, ProblemKind::Limit),
        other => panic!("{other:?}"),
    }
}
