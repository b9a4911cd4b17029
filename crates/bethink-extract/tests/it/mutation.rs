//! Thousands of broken files through a small pool: no panic gets out, nothing hangs, memory has a
//! bound, every file is accounted for, and the good files between them come out as ever.
//!
//! A slice runs with every suite; `cargo xtask mutate` runs as many as one likes. The parsers of
//! other people run in workers, so a worker that crashes is counted and shown, not a failure; what runs
//! in this process may not crash at all.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bethink_core::{Format, ProblemKind};
use bethink_extract::fuzzing::assert_sound;
use bethink_extract::{Extraction, Extractor, Limits, MemberFile, MemberVisitor, Meter, WorkerCost, sniff};

use crate::mutants::{Sample, all_samples, mutant, own_samples};
use crate::worker_program::extractor_of;

/// Every so many files a good one goes through.
const GOOD_EVERY: u64 = 10;

/// The most memory that a worker may ever have had resident, in bytes: what the issue of formats grants
/// a file.
const MOST_PEAK_BYTES: u64 = 512 << 20;

/// Processor time is limited in whole seconds, and counted in hundredths.
const CLOCK_SLACK: Duration = Duration::from_millis(1100);

thread_local! {
    /// What the files cost that this thread has had read since it last looked.
    static COSTS: RefCell<Vec<WorkerCost>> = const { RefCell::new(Vec::new()) };
}

/// What came of a file and of what is inside it.
#[derive(PartialEq, Debug)]
struct Reading {
    extraction: Extraction,
    members: Vec<(String, Extraction)>,
}

impl MemberVisitor for Reading {
    fn admits(&mut self, _: &str, _: &[u8]) -> bool {
        true
    }

    fn read(&mut self, member: MemberFile<'_>) -> bool {
        self.members.push((member.path, member.extraction));
        true
    }
}

fn read(extractor: &Extractor, path: &Path, bytes: &[u8]) -> Reading {
    let mut reading = Reading { extraction: Extraction::Text(Default::default()), members: Vec::new() };
    reading.extraction = extractor.extract_with_members(path, bytes, &mut reading);
    reading
}

/// What became of the mutants of one format.
#[derive(Default)]
struct Tally {
    files: u32,
    members: usize,
    outcomes: BTreeMap<String, u32>,
    most_processor: Duration,
    most_peak_bytes: u64,
}

/// The account of a run.
#[derive(Default)]
struct Account {
    tallies: BTreeMap<&'static str, Tally>,
    good: u32,
    /// Mutants that cost a worker, with what they did to it.
    notable: Vec<String>,
    /// What must not be.
    faults: Vec<String>,
}

impl Account {
    fn show(&self) {
        println!("{:<14} {:>6} {:>8} {:>9} {:>9}  outcomes", "format", "files", "members", "worst s", "peak MiB");
        for (format, tally) in &self.tallies {
            let outcomes: Vec<String> = tally.outcomes.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
            println!(
                "{format:<14} {:>6} {:>8} {:>9.2} {:>9}  {}",
                tally.files,
                tally.members,
                tally.most_processor.as_secs_f64(),
                tally.most_peak_bytes >> 20,
                outcomes.join(", ")
            );
        }
        println!("good files between them: {}", self.good);
        self.notable.iter().for_each(|line| println!("{line}"));
        self.faults.iter().for_each(|line| println!("FAULT {line}"));
    }
}

/// How an extraction ended, in a word.
fn word(extraction: &Extraction) -> String {
    match extraction {
        Extraction::Text(extracted) if extracted.problems.is_empty() => "text".to_owned(),
        Extraction::Text(extracted) => format!("text, {}", extracted.problems[0].kind.name()),
        Extraction::Skipped(problem) => format!("skipped: {}", problem.kind.name()),
        Extraction::Failed(problem) => format!("failed: {}", problem.kind.name()),
    }
}

/// Whether a reader crashed, or ran out of its time, over it.
fn broke_off(extraction: &Extraction) -> Option<ProblemKind> {
    let problems = match extraction {
        Extraction::Text(extracted) => extracted.problems.as_slice(),
        Extraction::Skipped(_) => &[],
        Extraction::Failed(problem) => std::slice::from_ref(problem),
    };
    let ended = |kind: &ProblemKind| matches!(kind, ProblemKind::Crashed);
    let late = |detail: &str| detail.contains("processor time") || detail.contains("did not end");
    problems.iter().find(|problem| ended(&problem.kind) || late(&problem.detail)).map(|problem| problem.kind)
}

struct Run<'a> {
    extractor: Extractor,
    limits: Limits,
    samples: Vec<Sample>,
    good: Vec<(&'a Sample, Reading)>,
    account: Mutex<Account>,
}

impl Run<'_> {
    /// Reads a mutant and enters it into the account.
    fn mutant(&self, number: u64) {
        let (sample, bytes) = mutant(number, &self.samples);
        let extension = sample.path.extension().and_then(|extension| extension.to_str());
        let format = catch_unwind(|| sniff(&bytes, extension)).map(|format| match format {
            Format::Other(_) => "(no reader)",
            Format::Code(_) => "(code)",
            format => format.name(),
        });
        COSTS.take();
        let before = thread_processor_time();
        let reading = catch_unwind(AssertUnwindSafe(|| {
            let reading = read(&self.extractor, &sample.path, &bytes);
            let members = reading.members.iter().map(|(_, extraction)| extraction);
            members.chain([&reading.extraction]).for_each(assert_sound);
            reading
        }));
        let here = thread_processor_time().saturating_sub(before);
        let costs = COSTS.take();
        let name = sample.path.file_name().unwrap().to_string_lossy();
        let mut account = self.account.lock().unwrap();
        let (Ok(format), Ok(reading)) = (format, reading) else {
            account.faults.push(format!("{number} of {name}: a panic got out, or what came out is unsound"));
            return keep(number, &name, &bytes);
        };
        let worst = costs.iter().map(|cost| cost.processor).max().unwrap_or_default();
        let peak = costs.iter().map(|cost| cost.peak_bytes).max().unwrap_or_default();
        let tally = account.tallies.entry(format).or_default();
        tally.files += 1;
        tally.members += reading.members.len();
        *tally.outcomes.entry(word(&reading.extraction)).or_default() += 1;
        tally.most_processor = tally.most_processor.max(worst).max(here);
        tally.most_peak_bytes = tally.most_peak_bytes.max(peak);
        let allowed = self.limits.processor_for(bytes.len()) + CLOCK_SLACK;
        if worst > allowed || here > allowed {
            account.faults.push(format!("{number} of {name}: {worst:?} in a worker, {here:?} here"));
            keep(number, &name, &bytes);
        }
        if peak > MOST_PEAK_BYTES {
            account.faults.push(format!("{number} of {name}: {} MiB resident", peak >> 20));
            keep(number, &name, &bytes);
        }
        let all = reading.members.iter().map(|(path, extraction)| (path.as_str(), extraction));
        for (path, extraction) in all.chain([("", &reading.extraction)]) {
            let Some(kind) = broke_off(extraction) else { continue };
            let line = format!("{format} {number} of {name} {path}: {} ({})", kind.name(), word(extraction));
            // A worker has costs; without any it was this process.
            if costs.is_empty() && kind == ProblemKind::Crashed {
                account.faults.push(line);
            } else {
                account.notable.push(line);
            }
            keep(number, &name, &bytes);
        }
    }

    /// Reads a good file, which must come out as it did alone.
    fn good(&self, turn: u64) {
        let (sample, expected) = &self.good[usize::try_from(turn).unwrap() % self.good.len()];
        let reading = read(&self.extractor, &sample.path, &sample.bytes);
        let mut account = self.account.lock().unwrap();
        account.good += 1;
        if reading != *expected {
            account.faults.push(format!("{} came out otherwise between broken files", sample.path.display()));
        }
    }
}

/// Writes a mutant where it can be looked at.
fn keep(number: u64, name: &str, bytes: &[u8]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{number}-{name}")), bytes).unwrap();
}

/// Processor time of the calling thread; zero where the system does not tell.
fn thread_processor_time() -> Duration {
    #[cfg(target_os = "linux")]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is a valid place for the call to write one `timespec`.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
    }
    #[cfg(not(target_os = "linux"))]
    Duration::ZERO
}

/// Sends the mutants of these numbers, and good files between them, through two workers.
fn run(numbers: Range<u64>, limits: Limits) {
    // Panics are caught and counted; their backtraces would bury the account.
    std::panic::set_hook(Box::new(|_| {}));
    let own = own_samples();
    let alone = extractor_of(1, &[], limits);
    let good: Vec<_> = own.iter().map(|sample| (sample, read(&alone, &sample.path, &sample.bytes))).collect();
    let meter: Meter = Arc::new(|cost| COSTS.with_borrow_mut(|costs| costs.push(cost)));
    let run = Run {
        extractor: extractor_of(2, &[], limits).metered(&meter),
        limits,
        samples: all_samples(),
        good,
        account: Mutex::default(),
    };
    let next = AtomicU64::new(numbers.start);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers.end {
                        break;
                    }
                    if number.is_multiple_of(GOOD_EVERY) {
                        run.good(number / GOOD_EVERY);
                    }
                    run.mutant(number);
                }
            });
        }
    });
    let _ = std::panic::take_hook();
    let account = run.account.into_inner().unwrap();
    account.show();
    let files: u32 = account.tallies.values().map(|tally| tally.files).sum();
    assert!(account.faults.is_empty(), "{} faults", account.faults.len());
    assert_eq!(u64::from(files), numbers.end - numbers.start, "every file is accounted for");
}

#[test]
fn a_slice_of_mutants_costs_no_more_than_itself() {
    // Less time than files really have, so that one which hangs does not hold the suite up.
    let limits = Limits { processor: Duration::from_secs(3), ..Limits::default() };
    run(0..300, limits);
}

#[test]
#[ignore = "takes minutes: `cargo xtask mutate`"]
fn as_many_mutants_as_wanted_cost_no_more_than_themselves() {
    let number = |name: &str, otherwise| std::env::var(name).map_or(otherwise, |value| value.parse().unwrap());
    let from = number("BETHINK_MUTATE_FROM", 0);
    run(from..from + number("BETHINK_MUTATE_COUNT", 10_000), Limits::default());
}
