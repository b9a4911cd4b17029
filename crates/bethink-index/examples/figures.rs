//! Figures of the caches on made-up data, for comparing one state of the code with another on one
//! machine: `cargo run --release -p bethink-index --example figures -- matrix|lexicon|names [count]`.
//! `matrix COUNT FILE` takes the vectors from a file of float32, 384 numbers each: the first as they are, and
//! when they end, again with some noise.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bethink_core::{ContentId, Format, ModelId, PassageId, Sequence, UnixMillis};
use bethink_index::{
    CacheStamp, ContentSet, LexicalPassage, Lexicon, LexiconWriter, Matrix, MatrixWriter, NameEntry, NameQuery, Names,
    NamesBuilder, VectorRow,
};
use bethink_text::query_terms;

/// Marsaglia's xorshift64*.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: usize) -> usize {
        ((self.bits() >> 32) as usize * limit) >> 32
    }

    /// Roughly as words of a language are distributed: small numbers often, large ones rarely.
    fn zipf(&mut self, limit: usize) -> usize {
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        ((limit as f64).powf(unit) - 1.0) as usize
    }

    fn word(&mut self) -> String {
        const SYLLABLES: [&str; 16] =
            ["ka", "lo", "mir", "ten", "sa", "vor", "el", "ni", "pra", "du", "gos", "hem", "ri", "bu", "zet", "an"];
        let number = self.zipf(200_000) * 7919 + 11;
        let mut rest = number;
        let mut word = String::new();
        while rest > 0 {
            word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
            rest /= SYLLABLES.len();
        }
        word
    }
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: usize| times[times.len() * share / 100].as_secs_f64() * 1e3;
    println!("{what}: p50 {:.2} ms, p95 {:.2} ms", at(50), at(95));
}

fn repeat<T>(times: usize, mut work: impl FnMut(usize) -> T) -> Vec<Duration> {
    (0..times)
        .map(|turn| {
            let start = Instant::now();
            std::hint::black_box(work(turn));
            start.elapsed()
        })
        .collect()
}

fn size(folder: &std::path::Path) -> u64 {
    std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| if entry.path().is_dir() { size(&entry.path()) } else { entry.metadata().unwrap().len() })
        .sum()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let what = arguments.first().map_or("matrix", String::as_str);
    let count = arguments.get(1).and_then(|count| count.parse().ok());
    let folder = tempfile::TempDir::new().unwrap();
    match what {
        "matrix" => matrix(folder.path(), count.unwrap_or(280_000), arguments.get(2).map(PathBuf::from)),
        "lexicon" => lexicon(folder.path(), count.unwrap_or(100_000)),
        "names" => names(folder.path(), count.unwrap_or(1_000_000)),
        other => eprintln!("matrix, lexicon or names, not {other}"),
    }
}

/// Vectors of a file, or none.
fn vectors_of(file: Option<PathBuf>, dimension: usize) -> Vec<Vec<f32>> {
    let Some(file) = file else { return Vec::new() };
    let bytes = std::fs::read(&file).unwrap_or_else(|error| {
        eprintln!("cannot read the vectors in {}: {error}", file.display());
        std::process::exit(2);
    });
    let numbers: Vec<f32> = bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    numbers.chunks_exact(dimension).map(<[f32]>::to_vec).collect()
}

/// Bytes a second that one and two threads can read, with nothing done to them.
fn bandwidth() -> [f64; 2] {
    let bytes = vec![1u64; 64 << 20];
    let sum = |part: &[u64]| part.iter().fold(0u64, |sum, number| sum.wrapping_add(*number));
    let best = |times: Vec<Duration>| (bytes.len() * 8) as f64 / times.iter().min().unwrap().as_secs_f64();
    let (first, second) = bytes.split_at(bytes.len() / 2);
    [
        best(repeat(10, |_| sum(&bytes))),
        best(repeat(10, |_| {
            std::thread::scope(|threads| {
                let other = threads.spawn(|| sum(second));
                sum(first).wrapping_add(other.join().unwrap())
            })
        })),
    ]
}

fn matrix(folder: &std::path::Path, count: usize, file: Option<PathBuf>) {
    const DIMENSION: usize = 384;
    const QUERIES: usize = 60;
    let mut random = Random(42);
    let given = vectors_of(file, DIMENSION);
    let mut noise =
        || -> Vec<f32> { (0..DIMENSION).map(|_| random.below(2001) as f32 / 1000.0 - 1.0 + 1e-4).collect() };
    let mut vector = |nth: usize| -> Vec<f32> {
        let mut vector = noise();
        if let Some(given) = given.get(nth % given.len().max(1)) {
            // Noise of about .4 of the vector's length.
            let share = if nth < given.len() { 0.0 } else { 0.4 / (DIMENSION as f32 / 3.0).sqrt() };
            vector.iter_mut().zip(given).for_each(|(number, given)| *number = given + share * *number);
        }
        vector
    };
    // Queries are taken from among the rows, with noise, so that they have near ones.
    let queries: Vec<Vec<f32>> = (0..QUERIES).map(|nth| vector(given.len() + nth * 7919)).collect();
    let start = Instant::now();
    let mut writer = MatrixWriter::open(folder, [0; 16], &ModelId("figures".to_owned()), DIMENSION).unwrap();
    let mut exact: Vec<Vec<(f32, u64)>> = vec![Vec::new(); QUERIES];
    for passage in 0..count as u64 {
        let vector = vector(passage as usize);
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        for (query, exact) in queries.iter().zip(&mut exact) {
            exact.push((-query.iter().zip(&vector).map(|(a, b)| a * b).sum::<f32>() / length, passage));
            if exact.len() > 20_000 {
                exact.select_nth_unstable_by(100, |a, b| a.0.total_cmp(&b.0));
                exact.truncate(100);
            }
        }
        writer
            .append(&[VectorRow { passage: PassageId(passage), content: ContentId(passage / 40), vector: &vector }])
            .unwrap();
    }
    writer.commit(Sequence(1), Sequence(1)).unwrap();
    println!("{count} rows written in {:.1} s, {:.0} MB", start.elapsed().as_secs_f64(), size(folder) as f64 / 1e6);
    report("open", repeat(20, |_| Matrix::open(folder).unwrap().unwrap().rows()));
    let matrix = Matrix::open(folder).unwrap().unwrap();
    for exact in &mut exact {
        exact.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    for limit in [10, 100] {
        let hits = |certified: bool| -> usize {
            let of = |query: &Vec<f32>| {
                if certified { matrix.scan_certified(query, limit, None) } else { matrix.scan(query, limit, None) }
            };
            let found = |(query, exact): (&Vec<f32>, &Vec<(f32, u64)>)| {
                let hits = of(query).unwrap();
                exact.iter().take(limit).filter(|row| hits.iter().any(|hit| hit.passage.0 == row.1)).count()
            };
            queries.iter().zip(&exact).map(found).sum()
        };
        let share = |found: usize| found as f64 / (QUERIES * limit) as f64;
        println!("recall@{limit}: {:.4}, certified {:.4}", share(hits(false)), share(hits(true)));
    }
    let [one, two] = bandwidth();
    println!("read bandwidth: one thread {:.1} GB/s, two {:.1} GB/s", one / 1e9, two / 1e9);
    for limit in [10, 100, 200] {
        report(
            &format!("scan, top {limit}"),
            repeat(QUERIES, |turn| matrix.scan(&queries[turn], limit, None).unwrap()),
        );
        let certified = |turn: usize| matrix.scan_certified(&queries[turn], limit, None).unwrap();
        report(&format!("certified scan, top {limit}"), repeat(QUERIES, certified));
    }
    let scope: ContentSet = (0..count as u64 / 80).map(ContentId).collect();
    report("scan, top 200, half in scope", repeat(60, |turn| matrix.scan(&queries[turn], 200, Some(&scope)).unwrap()));
    let some: Vec<PassageId> = (0..400).map(|nth| PassageId(nth * 7919 % count as u64)).collect();
    report("score 400", repeat(60, |turn| matrix.score(&queries[turn], &some).unwrap()));
    writer.remove_content(ContentId(3));
    report("commit of one removal", repeat(1, |_| writer.commit(Sequence(2), Sequence(1)).unwrap()));
    report("purge of one removal", repeat(1, |_| writer.purge().unwrap()));
}

fn lexicon(folder: &std::path::Path, count: usize) {
    let mut random = Random(7);
    let texts: Vec<String> =
        (0..count).map(|_| (0..120).map(|_| random.word()).collect::<Vec<_>>().join(" ")).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let start = Instant::now();
    let mut writer = LexiconWriter::open(folder, [0; 16]).unwrap();
    for (passage, text) in texts.iter().enumerate() {
        let passage = passage as u64;
        let entry = LexicalPassage { passage: PassageId(passage), heading: &[], text };
        writer.add_passages(ContentId(passage / 40), Format::Text, &[entry]).unwrap();
    }
    writer.commit(Sequence(1)).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    drop(writer);
    println!(
        "{count} passages, {:.0} MB of text in {seconds:.1} s ({:.1} MB/s), size {:.2} of the text",
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / seconds,
        size(folder) as f64 / bytes as f64
    );
    report("open", repeat(20, |_| Lexicon::open(folder).unwrap().unwrap().passage_count()));
    let lexicon = Lexicon::open(folder).unwrap().unwrap();
    for words in [3, 6] {
        let queries: Vec<_> =
            (0..200).map(|_| query_terms(&(0..words).map(|_| random.word()).collect::<Vec<_>>().join(" "))).collect();
        let name = format!("{words} words, top 200");
        report(&name, repeat(200, |turn| lexicon.passages(&queries[turn], None, 200).unwrap()));
        let scope: ContentSet = (0..count as u64 / 80).map(ContentId).collect();
        let name = format!("{words} words, top 200, half in scope");
        report(&name, repeat(200, |turn| lexicon.passages(&queries[turn], Some(&scope), 200).unwrap()));
        let small: ContentSet = (0..5).map(ContentId).collect();
        let name = format!("{words} words, top 200, five contents");
        report(&name, repeat(200, |turn| lexicon.passages(&queries[turn], Some(&small), 200).unwrap()));
        let some: Vec<PassageId> = (0..400).map(|nth| PassageId(nth * 7919 % count as u64)).collect();
        report(&format!("{words} words, score 400"), repeat(100, |turn| lexicon.score(&queries[turn], &some).unwrap()));
    }
    drop(lexicon);
    let mut writer = LexiconWriter::open(folder, [0; 16]).unwrap();
    report(
        "commit of one passage",
        repeat(20, |turn| {
            let passage = (count + turn) as u64;
            let entry = LexicalPassage { passage: PassageId(passage), heading: &[], text: "one more passage" };
            writer.add_passages(ContentId(passage), Format::Text, &[entry]).unwrap();
            writer.commit(Sequence(2)).unwrap();
        }),
    );
}

fn names(folder: &std::path::Path, count: usize) {
    let mut random = Random(9);
    let file = folder.join("names");
    let start = Instant::now();
    let mut builder = NamesBuilder::new(CacheStamp { store: [0; 16], sequence: Sequence(1) }, UnixMillis(1));
    let extensions = ["md", "pdf", "rs", "txt", "jpg", "pptx"];
    let mut parent = PathBuf::from("/home/ada");
    for number in 0..count {
        if number % 12 == 0 {
            parent = PathBuf::from("/home/ada");
            for _ in 0..1 + random.below(5) {
                parent.push(random.word());
            }
        }
        let words: Vec<String> = (0..1 + random.below(3)).map(|_| random.word()).collect();
        let path = parent.join(format!("{}.{}", words.join("_"), extensions[random.below(6)]));
        let modified = UnixMillis(number as i64);
        builder.push(&NameEntry { path: &path, is_folder: false, size_bytes: 1, modified }).unwrap();
    }
    builder.finish(&file).unwrap();
    println!("{count} names in {:.1} s, {:.0} MB", start.elapsed().as_secs_f64(), size(folder) as f64 / 1e6);
    report("open", repeat(20, |_| Names::open(&file).unwrap().unwrap().len()));
    let names = Names::open(&file).unwrap().unwrap();
    for words in [1, 3] {
        let queries: Vec<NameQuery> = (0..40)
            .map(|_| NameQuery {
                words: (0..words).map(|_| random.word()).collect::<Vec<_>>().join(" "),
                limit: 20,
                ..NameQuery::default()
            })
            .collect();
        report(&format!("{words} words"), repeat(40, |turn| names.search(&queries[turn])));
        let one: Vec<NameQuery> = (0..40)
            .map(|turn| {
                // Words that stand together in some path, so that the first scan finds something.
                let all =
                    names.search(&NameQuery { limit: 1, words: queries[turn].words.clone(), ..NameQuery::default() });
                let text =
                    all.matches.first().map_or("ka".to_owned(), |found| found.path.to_string_lossy().into_owned());
                let parts: Vec<&str> = text.rsplit(['/', '_', '.']).skip(1).take(words).collect();
                NameQuery { words: parts.join(" "), limit: 20, ..NameQuery::default() }
            })
            .collect();
        report(&format!("{words} words that are there"), repeat(40, |turn| names.search(&one[turn])));
    }
    report(
        "a misspelt word",
        repeat(20, |_| {
            names.search(&NameQuery { words: "vorelnixqrasa".to_owned(), limit: 20, ..NameQuery::default() })
        }),
    );
    report("newest", repeat(20, |_| names.search(&NameQuery { limit: 20, ..NameQuery::default() })));
}
