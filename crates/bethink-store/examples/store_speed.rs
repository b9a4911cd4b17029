//! Measures the store on this machine: `cargo run --release -p bethink-store --example store_speed`.
//!
//! Writes into a temporary folder (give another one as the argument, to measure another disk) and
//! prints one line a figure. Documents are made up, so that the figures need no data of anybody's.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bethink_core::{
    ContentHash, ContentId, Format, Locator, ModelId, Passage, PassageId, PassageKey, RootId, Sequence, UnixMillis,
};
use bethink_store::sqlite::{SqliteIndex, SqliteIndexReader};
use bethink_store::{
    Batch, DEFAULT_LEASE, FileStamp, IndexReader, IndexWriter, ModelSpec, NewContent, NewVector, Publication, Reading,
    Tier,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A small generator, so that runs are alike (SplitMix64, Steele et al. 2014).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

fn bytes<const LENGTH: usize>(dice: &mut Dice) -> [u8; LENGTH] {
    std::array::from_fn(|_| dice.roll() as u8)
}

fn document(dice: &mut Dice, root: RootId, path: PathBuf, passages: usize, passage_bytes: usize) -> Publication {
    let mut text = String::with_capacity(passages * passage_bytes);
    let mut cut = Vec::with_capacity(passages);
    for ordinal in 0..passages {
        let start = text.len();
        while text.len() < start + passage_bytes {
            text.push_str(&format!("word{} ", dice.roll() % 20_000));
        }
        text.push('\n');
        cut.push(Passage {
            key: PassageKey(bytes(dice)),
            range: start..text.len(),
            line: ordinal as u32 + 1,
            heading: vec!["Chapter".to_owned(), format!("Section {ordinal}")],
            locator: Locator::Line,
            marks: Vec::new(),
        });
    }
    Publication {
        root,
        path,
        stamp: FileStamp {
            size_bytes: text.len() as u64,
            modified_ns: dice.roll() as i64 >> 4,
            ..FileStamp::default()
        },
        hash: Some(ContentHash(bytes(dice))),
        reading: Reading::Text(NewContent {
            format: Format::Markdown,
            title: Some("A title".to_owned()),
            text,
            passages: cut,
            problems: Vec::new(),
            extractor_version: 1,
            cutter_version: 1,
        }),
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Applies a batch; what it did is of no interest here.
fn apply(index: &mut SqliteIndex, batch: &Batch) -> Outcome<()> {
    index.apply(batch)?;
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<(T, Duration)> {
    let start = Instant::now();
    Ok((work()?, start.elapsed()))
}

fn small_documents(folder: &Path) -> Outcome<()> {
    const DOCUMENTS: usize = 5000;
    let mut dice = Dice(1);
    let file = folder.join("small.db");
    let mut index = SqliteIndex::open(&file)?;
    let root = index.add_root(Path::new("/home"))?.id;
    let model = ModelSpec { id: ModelId("static".to_owned()), tier: Tier::Static, dimension: 256 };
    index.register_model(&model)?;
    let publications: Vec<Publication> = (0..DOCUMENTS)
        .map(|number| {
            let path = PathBuf::from(format!("/home/me/Documents/folder {}/note {number}.md", number / 50));
            document(&mut dice, root, path, 4, 900)
        })
        .collect();
    let text_bytes: u64 = publications.iter().map(|publication| publication.stamp.size_bytes).sum();
    let batches: Vec<Batch> =
        publications.chunks(20).map(|some| Batch { publications: some.to_vec(), ..Batch::default() }).collect();
    let mut slowest = Duration::ZERO;
    let ((), publishing) = timed(|| {
        for batch in &batches {
            let ((), taken) = timed(|| apply(&mut index, batch))?;
            slowest = slowest.max(taken);
        }
        Ok(())
    })?;
    println!(
        "publish {DOCUMENTS} documents by 20, 4 passages each: {:.0} documents/s, {:.1} MB/s, slowest batch {slowest:.1?}",
        DOCUMENTS as f64 / publishing.as_secs_f64(),
        text_bytes as f64 / 1e6 / publishing.as_secs_f64()
    );
    let ((), again) = timed(|| batches.iter().try_for_each(|batch| apply(&mut index, batch)))?;
    println!("publish them again unchanged: {:.0} documents/s", DOCUMENTS as f64 / again.as_secs_f64());

    let vector: Vec<f32> = vec![0.0625; 256];
    let (count, embedding) = timed(|| {
        let mut count = 0;
        loop {
            let claim = index.claim_embeddings(&model.id, 256, UnixMillis(0), DEFAULT_LEASE)?;
            if claim.tasks.is_empty() {
                return Ok(count);
            }
            let vectors: Vec<NewVector> = claim
                .tasks
                .iter()
                .map(|task| NewVector { passage: task.passage, key: task.key, vector: Ok(vector.clone()) })
                .collect();
            count += index.publish_vectors(&claim, &vectors)?;
        }
    })?;
    println!("claim and publish vectors by 256: {:.0} vectors/s", count as f64 / embedding.as_secs_f64());
    println!(
        "size: {:.2} bytes a text byte, vectors of 256 numbers included",
        index.statistics(None)?.database_bytes as f64 / text_bytes as f64
    );

    let newest = index.contents_after(ContentId(0), usize::MAX)?;
    let ids: Vec<PassageId> = (0..100).map(|_| PassageId(1 + dice.roll() % (4 * newest.len() as u64))).collect();
    let mut openings = Vec::new();
    let mut readings = Vec::new();
    let mut cold_readings = Vec::new();
    for _ in 0..21 {
        let (reader, opening) = timed(|| SqliteIndexReader::open(&file)?.ok_or_else(|| "no index".into()))?;
        openings.push(opening);
        cold_readings.push(timed(|| Ok(reader.passages(&ids)?))?.1);
        readings.push(timed(|| Ok(reader.passages(&ids)?))?.1);
    }
    println!("open for reading: {:.2?}", median(openings));
    println!("100 passages: {:.2?} first after opening, {:.2?} again", median(cold_readings), median(readings));
    let (vectors, reading) = timed(|| Ok(index.vectors_after(&model.id, Sequence(0), usize::MAX)?))?;
    println!("read {} vectors: {reading:.1?}", vectors.len());

    let documents = index.documents_under(None, None, DOCUMENTS / 2)?;
    let removals = documents.into_iter().map(|document| document.id).collect();
    let ((), removing) = timed(|| apply(&mut index, &Batch { removals, ..Batch::default() }))?;
    let ((), compacting) = timed(|| {
        index.compact()?;
        Ok(())
    })?;
    println!("remove {} documents: {removing:.1?}, then compact: {compacting:.1?}", DOCUMENTS / 2);
    Ok(())
}

fn many_documents(folder: &Path) -> Outcome<()> {
    const DOCUMENTS: usize = 100_000;
    let mut dice = Dice(2);
    let file = folder.join("many.db");
    let mut index = SqliteIndex::open(&file)?;
    let root = index.add_root(Path::new("/home"))?.id;
    for first in (0..DOCUMENTS).step_by(500) {
        let publications = (first..first + 500)
            .map(|number| {
                let path = format!("/home/me/Documents/{}/folder {}/note {number}.md", number / 20_000, number / 50);
                document(&mut dice, root, PathBuf::from(path), 1, 200)
            })
            .collect();
        index.apply(&Batch { publications, ..Batch::default() })?;
    }
    drop(index);
    for scope in ["/home", "/home/me/Documents/2", "/home/me/Documents/2/folder 900"] {
        let mut times = Vec::new();
        let mut count = 0;
        for _ in 0..5 {
            let reader = SqliteIndexReader::open(&file)?.ok_or("no index")?;
            let (contents, taken) = timed(|| Ok(reader.contents_under(Path::new(scope))?))?;
            count = contents.len();
            times.push(taken);
        }
        println!("contents under {scope}, {count} of {DOCUMENTS}: {:.2?}", median(times));
    }
    let reader = SqliteIndexReader::open(&file)?.ok_or("no index")?;
    let (_, taken) = timed(|| Ok(reader.statistics(None)?))?;
    println!("statistics of {DOCUMENTS} documents: {taken:.1?}");
    Ok(())
}

/// Peak of resident memory in MB, where the system tells.
fn peak_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn large_document(folder: &Path) -> Outcome<()> {
    const PASSAGES: usize = 250_000;
    let mut dice = Dice(3);
    let mut index = SqliteIndex::open(&folder.join("large.db"))?;
    let root = index.add_root(Path::new("/home"))?.id;
    index.register_model(&ModelSpec { id: ModelId("static".to_owned()), tier: Tier::Static, dimension: 256 })?;
    let publication = document(&mut dice, root, PathBuf::from("/home/large.txt"), PASSAGES, 800);
    let size = publication.stamp.size_bytes as f64 / 1e6;
    let batch = Batch { publications: vec![publication], ..Batch::default() };
    let before = peak_megabytes();
    let ((), taken) = timed(|| apply(&mut index, &batch))?;
    println!("publish one document of {size:.0} MB, {PASSAGES} passages: {taken:.1?}");
    if let (Some(before), Some(after)) = (before, peak_megabytes()) {
        println!("memory over the document itself: {:.0} MB", after - before);
    }
    let document = index.documents_under(None, None, 1)?.remove(0).id;
    drop(batch);
    let removal = Batch { removals: vec![document], ..Batch::default() };
    let ((), removing) = timed(|| apply(&mut index, &removal))?;
    let ((), compacting) = timed(|| {
        index.compact()?;
        Ok(())
    })?;
    println!("remove it: {removing:.1?}, then compact: {compacting:.1?}");
    Ok(())
}

fn main() -> Outcome<()> {
    let parent = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::tempdir_in(parent)?;
    large_document(folder.path())?;
    small_documents(folder.path())?;
    many_documents(folder.path())
}
