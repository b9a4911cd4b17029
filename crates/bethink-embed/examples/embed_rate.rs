//! How fast a model is on this machine: `cargo run --release -p bethink-embed --example embed_rate -- MODEL`.
//!
//! Prints, for every kernel that the processor has: passages of the model's full length a second of
//! one thread's processor time, the median time of a short query, and the time of opening the file and embedding one query.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bethink_embed::{Embedder, Kernel, kernels_available, open_with};

/// Each figure is taken over about this long.
const MEASURED_FOR: Duration = Duration::from_secs(3);
/// Passages a call.
const BATCH: usize = 16;
const QUERY: &str = "what did the letter say about moving the meeting";
/// About 230 tokens: what the cutter aims at.
const SENTENCE: &str = "The committee met on the second Tuesday of the month, heard the treasurer's report on the \
    repairs to the northern roof, and put off its decision until three builders had been asked for their prices. ";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path: PathBuf = std::env::args_os().nth(1).ok_or("usage: embed_rate MODEL.bethink-model")?.into();
    for kernel in kernels_available() {
        measure(&path, kernel)?;
    }
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    }
    Ok(())
}

fn measure(path: &Path, kernel: Kernel) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let model = open_with(path, kernel)?;
    let opened = start.elapsed();
    black_box(model.embed_query(QUERY)?);
    let answered = start.elapsed();
    let (passages, queries) = (passages_a_second(&*model), median_query(&*model)?);
    println!(
        "{:8} {passages:9.1} passages/s, query p50 {:.3} ms, open {:.3} ms, open and first query {:.1} ms",
        kernel.to_string(),
        queries.as_secs_f64() * 1e3,
        opened.as_secs_f64() * 1e3,
        answered.as_secs_f64() * 1e3,
    );
    Ok(())
}

fn passages_a_second(model: &dyn Embedder) -> f64 {
    let texts: Vec<String> = (0..BATCH).map(|number| format!("Item {number}. {}", SENTENCE.repeat(6))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    // What is prepared once is not what is measured.
    black_box(model.embed_passages(&texts));
    let (start, busy_start) = (Instant::now(), busy());
    let mut count = 0;
    while start.elapsed() < MEASURED_FOR {
        count += black_box(model.embed_passages(&texts)).len();
    }
    // On a machine with other work the time on the processor is what counts.
    let spent = busy().zip(busy_start).map_or(start.elapsed(), |(after, before)| after - before);
    count as f64 / spent.as_secs_f64()
}

/// Time that this thread has been on a processor, where the system tells.
fn busy() -> Option<Duration> {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    status.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn median_query(model: &dyn Embedder) -> Result<Duration, bethink_embed::EmbedError> {
    let start = Instant::now();
    let mut times = Vec::new();
    while start.elapsed() < MEASURED_FOR && times.len() < 1000 {
        let query = Instant::now();
        black_box(model.embed_query(QUERY)?);
        times.push(query.elapsed());
    }
    times.sort();
    Ok(times[times.len() / 2])
}
