//! The read side: scanning and scoring.
//!
//! A scan streams the upper parts of all rows, four bits a number, and the rows that these bring up are scored by
//! all twelve bits. A certified scan then goes once more through what it computed: every row whose rough
//! cosine is within its proven error of the last of the nearest is scored as well, so that its answer is that of
//! scoring every row by all bits.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;

use bethink_core::{ContentId, PassageId};

use super::kernel::{BLOCK_ROWS, Kernel};
use super::manifest::{DeadRows, Manifest, MatrixStamp, segment_name};
use super::quantise::{COARSE_STEP, CoarseQuery, QuantisedQuery};
use super::segment::Segment;
use crate::best::Best;
use crate::section_file::VERIFY_AT_OPEN_BYTES;
use crate::{ContentSet, IndexError};

/// From this many rows on, two threads share a scan. Below it, starting a thread (tens of µs)
/// costs more than it saves.
const TWO_THREADS_ROWS: usize = 50_000;
/// Blocks whose rough cosines are computed at a time: they stay in the first-level cache.
const STEP_BLOCKS: usize = 16;
/// A manifest that was replaced while its segments were being opened is read again, this often.
const OPEN_ATTEMPTS: usize = 4;

/// Candidates that a scan gathers by their upper parts beyond the limit, before all bits decide. A prototype found
/// .9998 of the hundred nearest of 280,000 real passages among 400.
const SPARE_CANDIDATES: usize = 300;

/// A passage near in meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SemanticHit {
    /// The passage.
    pub passage: PassageId,
    /// The content that it belongs to.
    pub content: ContentId,
    /// Cosine of the angle to the query, −1 to 1; rounding moves it by less than .002 (tested).
    pub cosine: f32,
}

/// The vectors of one model, as one commit left them.
#[derive(Debug)]
pub struct Matrix {
    manifest: Manifest,
    segments: Vec<Segment>,
    kernel: Kernel,
}

impl Matrix {
    /// Maps the matrix of a folder; `None` when there is none, or it is damaged or of another
    /// format, so that it has to be built again.
    ///
    /// # Errors
    /// When the system refuses a file that is there.
    pub fn open(folder: &Path) -> Result<Option<Self>, IndexError> {
        let mut before = None;
        for _ in 0..OPEN_ATTEMPTS {
            let Some(manifest) = Manifest::read(folder)? else { return Ok(None) };
            if let Some(segments) = open_segments(folder, &manifest)? {
                return Ok(Some(Self { manifest, segments, kernel: Kernel::best() }));
            }
            // A writer may have merged these segments away since; if the manifest did not move, it
            // is no race but damage.
            if before.as_ref() == Some(&manifest) {
                return Ok(None);
            }
            before = Some(manifest);
        }
        Ok(None)
    }

    /// What the matrix was built from.
    pub fn stamp(&self) -> MatrixStamp {
        self.manifest.stamp()
    }

    /// How many vectors can be answered with.
    pub fn rows(&self) -> usize {
        self.parts().map(|(segment, dead)| segment.rows() - dead.count().min(segment.rows())).sum()
    }

    /// Reads every byte and compares it with its checksum; `doctor` does so, a query does not.
    pub fn verify(&self) -> bool {
        self.segments.iter().all(|segment| segment.file().verify())
    }

    fn parts(&self) -> impl Iterator<Item = (&Segment, &DeadRows)> {
        self.segments.iter().zip(self.manifest.segments.iter().map(|entry| &entry.dead))
    }

    fn quantise(&self, query: &[f32]) -> Result<QuantisedQuery, IndexError> {
        if query.len() != self.manifest.shape.dimension {
            return Err(IndexError::Dimension { expected: self.manifest.shape.dimension, given: query.len() });
        }
        QuantisedQuery::new(query)
    }

    /// The `limit` passages nearest to the query, among those of the scope, nearest first; equal
    /// cosines by passage. Every live row is looked at by its upper bits; of the truly nearest it can miss the
    /// few that 300 others seem to precede by them. See [`Matrix::scan_certified`].
    ///
    /// # Errors
    /// When the query has another dimension than the matrix, or no direction.
    pub fn scan(
        &self,
        query: &[f32],
        limit: usize,
        scope: Option<&ContentSet>,
    ) -> Result<Vec<SemanticHit>, IndexError> {
        let query = self.quantise(query)?;
        let gathered = self.gathered(limit);
        let found = self.in_stretches(|from, to| self.gather(&query, gathered, scope, from, to, &mut Forgotten::new()));
        Ok(self.nearest(&query, limit, gathered, found.into_iter().flatten().collect()))
    }

    /// As [`Matrix::scan`], and none is missed: the answer is that of scoring every live row of the scope by all
    /// its bits ([`Matrix::score`]).
    ///
    /// # Errors
    /// As for [`Matrix::scan`].
    pub fn scan_certified(
        &self,
        query: &[f32],
        limit: usize,
        scope: Option<&ContentSet>,
    ) -> Result<Vec<SemanticHit>, IndexError> {
        let query = self.quantise(query)?;
        let gathered = self.gathered(limit);
        let stretches = self.in_stretches(|from, to| {
            let mut roughs = Kept(Vec::with_capacity(to - from + BLOCK_ROWS));
            let candidates = self.gather(&query, gathered, scope, from, to, &mut roughs);
            (from, to, candidates, roughs.0)
        });
        let candidates = stretches.iter().flat_map(|(_, _, candidates, _)| candidates.iter().copied()).collect();
        let likely = self.nearest(&query, limit, gathered, candidates);
        // With fewer than asked for, every row of the scope was a candidate.
        let Some(last) = limit.checked_sub(1).and_then(|last| likely.get(last)) else { return Ok(likely) };
        let mut survivors = Vec::new();
        for (from, to, _, roughs) in &stretches {
            self.survivors(&query.coarse, last.cosine, scope, self.spans(*from, *to), roughs, &mut survivors);
        }
        Ok(self.nearest(&query, limit, survivors.len(), survivors))
    }

    /// How many candidates the upper parts bring up for a limit; none for none.
    fn gathered(&self, limit: usize) -> usize {
        if limit == 0 { 0 } else { limit.saturating_add(SPARE_CANDIDATES).min(self.all_rows()) }
    }

    fn all_rows(&self) -> usize {
        self.segments.iter().map(Segment::rows).sum()
    }

    /// What a task finds in all rows, counted over all segments: in two stretches where that pays.
    fn in_stretches<T: Send>(&self, task: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
        let total = self.all_rows();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        if total < TWO_THREADS_ROWS || threads < 2 {
            return vec![task(0, total)];
        }
        let middle = total / 2;
        let (first, second) = std::thread::scope(|threads| {
            let other = threads.spawn(|| task(middle, total));
            let first = task(0, middle);
            (first, other.join())
        });
        match second {
            Ok(second) => vec![first, second],
            // A panic of the helper is this thread's panic.
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// The nearest of the candidates that seem nearest, by all bits.
    fn nearest(
        &self,
        query: &QuantisedQuery,
        limit: usize,
        gathered: usize,
        mut candidates: Vec<Candidate>,
    ) -> Vec<SemanticHit> {
        if candidates.len() > gathered {
            candidates.select_nth_unstable_by(gathered, nearer);
            candidates.truncate(gathered);
        }
        let mut fine = FineScore::new(self.kernel, query);
        let mut hits: Vec<SemanticHit> = candidates
            .iter()
            .map(|candidate| SemanticHit {
                passage: candidate.passage,
                content: self.segments[candidate.segment].content(candidate.row),
                cosine: fine.cosine(&self.segments[candidate.segment], candidate.row),
            })
            .collect();
        hits.sort_unstable_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.passage.cmp(&b.passage)));
        hits.truncate(limit);
        hits
    }

    /// The rows `from..to`, counted over all segments, some at a time. A stretch takes the blocks that begin in
    /// it, so that neighbours neither share a row nor leave one out.
    fn spans(&self, from: usize, to: usize) -> impl Iterator<Item = Span<'_>> {
        let mut before = 0;
        self.parts().enumerate().flat_map(move |(place, (segment, dead))| {
            let block_at = |row: usize| row.saturating_sub(before).min(segment.rows()).div_ceil(BLOCK_ROWS);
            let (start, end) = (block_at(from), block_at(to));
            before += segment.rows();
            (start..end).step_by(STEP_BLOCKS).map(move |block| {
                let blocks = block..(block + STEP_BLOCKS).min(end);
                let first = block * BLOCK_ROWS;
                let rows = (blocks.end * BLOCK_ROWS).min(segment.rows()) - first;
                Span { place, segment, dead, blocks, first, rows }
            })
        })
    }

    /// The rows of a stretch that seem nearest, and the rough cosines of all of them.
    fn gather(
        &self,
        query: &QuantisedQuery,
        limit: usize,
        scope: Option<&ContentSet>,
        from: usize,
        to: usize,
        memory: &mut impl RoughMemory,
    ) -> Vec<Candidate> {
        let unit = query.coarse.scale * COARSE_STEP as f32;
        let mut products = [0i32; STEP_BLOCKS * BLOCK_ROWS];
        let mut best = Best::new(limit, nearer);
        let mut threshold = f32::NEG_INFINITY;
        for span in self.spans(from, to) {
            let products = &mut products[..span.blocks.len() * BLOCK_ROWS];
            let blocks = span.segment.blocks(span.blocks.start, span.blocks.end);
            self.kernel.coarse_products(&query.coarse, blocks, products);
            let scales = span.segment.scales(span.first, span.first + span.rows);
            let roughs =
                memory.fill(products.iter().zip(scales).map(|(product, scale)| *product as f32 * scale * unit));
            for (block, roughs) in roughs.chunks(BLOCK_ROWS).enumerate() {
                let highest =
                    roughs.iter().fold(f32::NEG_INFINITY, |most, rough| if *rough > most { *rough } else { most });
                if highest < threshold {
                    continue;
                }
                for (offset, rough) in roughs.iter().enumerate() {
                    if *rough >= threshold
                        && let Some(candidate) = span.candidate(block * BLOCK_ROWS + offset, *rough, scope)
                        && best.push(candidate)
                        && let Some(bound) = best.bound()
                    {
                        threshold = bound.rough;
                    }
                }
            }
        }
        best.into_sorted()
    }

    /// The rows of these spans whose cosine may reach the given one.
    fn survivors<'a>(
        &self,
        query: &CoarseQuery,
        cosine: f32,
        scope: Option<&ContentSet>,
        spans: impl Iterator<Item = Span<'a>>,
        mut roughs: &[f32],
        survivors: &mut Vec<Candidate>,
    ) {
        for span in spans {
            let (of_span, rest) = roughs.split_at(span.rows.min(roughs.len()));
            roughs = rest;
            let norms = span.segment.norms(span.first, span.first + span.rows);
            for (offset, (rough, norm)) in of_span.iter().zip(norms).enumerate() {
                if *rough + query.slack(norm) >= cosine
                    && let Some(candidate) = span.candidate(offset, *rough, scope)
                {
                    survivors.push(candidate);
                }
            }
        }
    }

    /// The cosine of each of the given passages, in their order; `None` for those without a vector.
    ///
    /// # Errors
    /// When the query has another dimension than the matrix, or no direction.
    pub fn score(&self, query: &[f32], passages: &[PassageId]) -> Result<Vec<Option<f32>>, IndexError> {
        let query = self.quantise(query)?;
        let mut fine = FineScore::new(self.kernel, &query);
        Ok(passages.iter().map(|passage| self.find(*passage).map(|(segment, row)| fine.cosine(segment, row))).collect())
    }

    /// The stored vector of a passage, at about unit length: what diversity compares hits by.
    pub fn vector(&self, passage: PassageId) -> Option<Vec<f32>> {
        let (segment, row) = self.find(passage)?;
        let scale = segment.scale(row);
        let mut numbers = Vec::new();
        segment.numbers(row, &mut numbers);
        numbers.truncate(self.manifest.shape.dimension);
        Some(numbers.iter().map(|number| f32::from(*number) * scale).collect())
    }

    fn find(&self, passage: PassageId) -> Option<(&Segment, usize)> {
        // The newest segments are the likeliest to hold the live row.
        let parts: Vec<_> = self.parts().collect();
        parts.into_iter().rev().find_map(|(segment, dead)| {
            let row = segment.find(passage)?;
            (!dead.contains(row)).then_some((segment, row))
        })
    }
}

fn open_segments(folder: &Path, manifest: &Manifest) -> Result<Option<Vec<Segment>>, IndexError> {
    let mut budget_bytes = VERIFY_AT_OPEN_BYTES;
    let mut segments = Vec::with_capacity(manifest.segments.len());
    for entry in &manifest.segments {
        match Segment::open(&folder.join(segment_name(entry.number)), &manifest.shape)? {
            Some(segment)
                if segment.file().identity() == entry.identity && segment.file().verify_within(&mut budget_bytes) =>
            {
                segments.push(segment);
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(segments))
}

/// Where rough cosines go.
trait RoughMemory {
    /// Takes the next ones, and shows them.
    fn fill(&mut self, roughs: impl Iterator<Item = f32>) -> &[f32];
}

/// Keeps the last step's.
struct Forgotten([f32; STEP_BLOCKS * BLOCK_ROWS]);

impl Forgotten {
    fn new() -> Self {
        Self([0.0; STEP_BLOCKS * BLOCK_ROWS])
    }
}

impl RoughMemory for Forgotten {
    fn fill(&mut self, roughs: impl Iterator<Item = f32>) -> &[f32] {
        let mut count = 0;
        for (place, rough) in self.0.iter_mut().zip(roughs) {
            *place = rough;
            count += 1;
        }
        &self.0[..count]
    }
}

/// Keeps all.
struct Kept(Vec<f32>);

impl RoughMemory for Kept {
    fn fill(&mut self, roughs: impl Iterator<Item = f32>) -> &[f32] {
        let start = self.0.len();
        self.0.extend(roughs);
        &self.0[start..]
    }
}

/// Some rows of a segment, in whole blocks.
struct Span<'a> {
    place: usize,
    segment: &'a Segment,
    dead: &'a DeadRows,
    blocks: Range<usize>,
    first: usize,
    rows: usize,
}

impl Span<'_> {
    /// A row of the span, if it is alive and in the scope.
    fn candidate(&self, offset: usize, rough: f32, scope: Option<&ContentSet>) -> Option<Candidate> {
        let row = self.first + offset;
        let passes = !self.dead.contains(row) && scope.is_none_or(|scope| scope.contains(self.segment.content(row)));
        passes.then(|| Candidate { rough, passage: self.segment.passage(row), segment: self.place, row })
    }
}

/// A row that its upper parts bring up.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    rough: f32,
    passage: PassageId,
    segment: usize,
    row: usize,
}

/// Nearest first; equals by passage.
fn nearer(a: &Candidate, b: &Candidate) -> Ordering {
    b.rough.total_cmp(&a.rough).then(a.passage.cmp(&b.passage))
}

/// Cosines from all twelve bits of a row.
struct FineScore<'a> {
    kernel: Kernel,
    query: &'a QuantisedQuery,
    upper: Vec<u8>,
}

impl<'a> FineScore<'a> {
    fn new(kernel: Kernel, query: &'a QuantisedQuery) -> Self {
        Self { kernel, query, upper: Vec::new() }
    }

    fn cosine(&mut self, segment: &Segment, row: usize) -> f32 {
        let (mut upper, mut lower) = ([0], [0]);
        self.upper.clear();
        self.upper.extend(segment.upper(row).map(|upper| upper as u8));
        self.kernel.products(self.query, &self.upper, &mut upper);
        self.kernel.products(self.query, segment.lower(row), &mut lower);
        // Whole numbers until the last step, so that the result is the same on every machine.
        let product = i64::from(upper[0]) * i64::from(COARSE_STEP) + i64::from(lower[0]);
        (product as f64 * f64::from(self.query.scale) * f64::from(segment.scale(row))) as f32
    }
}
