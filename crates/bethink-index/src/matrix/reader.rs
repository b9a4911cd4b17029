//! The read side: scanning and scoring.

use std::cmp::Ordering;
use std::path::Path;

use bethink_core::{ContentId, PassageId};

use super::kernel::Kernel;
use super::manifest::{DeadRows, Manifest, MatrixStamp, segment_name};
use super::quantise::{FINE_STEPS, QuantisedQuery, unpack_fine};
use super::segment::Segment;
use crate::best::Best;
use crate::section_file::VERIFY_AT_OPEN_BYTES;
use crate::{ContentSet, IndexError};

/// From this many rows on, two threads share a scan. Below it, starting a thread (tens of µs)
/// costs more than it saves.
const TWO_THREADS_ROWS: usize = 50_000;
/// Rows scored at a time: the products stay in the first-level cache.
const BLOCK_ROWS: usize = 256;
/// A manifest that was replaced while its segments were being opened is read again, this often.
const OPEN_ATTEMPTS: usize = 4;

/// Candidates that a scan gathers by their bytes beyond the limit, before their fine parts decide:
/// half as many again, and some more for small limits.
const SPARE_CANDIDATES: usize = 32;

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
    /// cosines by passage. Every live row is looked at.
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
        let total: usize = self.segments.iter().map(Segment::rows).sum();
        let gathered = limit.saturating_add(limit / 2).saturating_add(SPARE_CANDIDATES).min(total);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut candidates = if limit == 0 {
            Vec::new()
        } else if total < TWO_THREADS_ROWS || threads < 2 {
            self.scan_stretch(&query, gathered, scope, 0, total)
        } else {
            let middle = total / 2;
            let (mut first, second) = std::thread::scope(|threads| {
                let other = threads.spawn(|| self.scan_stretch(&query, gathered, scope, middle, total));
                let first = self.scan_stretch(&query, gathered, scope, 0, middle);
                (first, other.join())
            });
            match second {
                Ok(second) => first.extend(second),
                // A panic of the helper is this thread's panic.
                Err(panic) => std::panic::resume_unwind(panic),
            }
            first
        };
        candidates.sort_unstable_by(nearer);
        candidates.truncate(gathered);
        let mut fine = FineScore::new(self.kernel, &query);
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
        Ok(hits)
    }

    /// Scans the bytes of the rows `from..to`, counted over all segments.
    fn scan_stretch(
        &self,
        query: &QuantisedQuery,
        limit: usize,
        scope: Option<&ContentSet>,
        from: usize,
        to: usize,
    ) -> Vec<Candidate> {
        let mut best = Best::new(limit, nearer);
        let mut threshold = f32::NEG_INFINITY;
        let mut products = [0i32; BLOCK_ROWS];
        let mut before = 0;
        for (place, (segment, dead)) in self.parts().enumerate() {
            let start = from.saturating_sub(before).min(segment.rows());
            let end = to.saturating_sub(before).min(segment.rows());
            before += segment.rows();
            let mut row = start;
            while row < end {
                let stop = (row + BLOCK_ROWS).min(end);
                let products = &mut products[..stop - row];
                self.kernel.products(query, segment.row_bytes(row, stop), products);
                for (offset, product) in products.iter().enumerate() {
                    let row = row + offset;
                    let rough = *product as f32 * segment.scale(row);
                    if rough < threshold || dead.contains(row) {
                        continue;
                    }
                    if scope.is_some_and(|scope| !scope.contains(segment.content(row))) {
                        continue;
                    }
                    if best.push(Candidate { rough, passage: segment.passage(row), segment: place, row })
                        && let Some(bound) = best.bound()
                    {
                        threshold = bound.rough;
                    }
                }
                row = stop;
            }
        }
        best.into_sorted()
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
        let mut fine = Vec::new();
        unpack_fine(segment.fine(row), &mut fine);
        let numbers = segment
            .row_bytes(row, row + 1)
            .iter()
            .zip(&fine)
            .map(|(byte, fine)| (f32::from(*byte as i8) + f32::from(*fine as i8) / FINE_STEPS as f32) * scale);
        Some(numbers.take(self.manifest.shape.dimension).collect())
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

/// A row that its bytes bring up.
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
    unpacked: Vec<u8>,
}

impl<'a> FineScore<'a> {
    fn new(kernel: Kernel, query: &'a QuantisedQuery) -> Self {
        Self { kernel, query, unpacked: Vec::new() }
    }

    fn cosine(&mut self, segment: &Segment, row: usize) -> f32 {
        let (mut bytes, mut fine) = ([0], [0]);
        self.kernel.products(self.query, segment.row_bytes(row, row + 1), &mut bytes);
        unpack_fine(segment.fine(row), &mut self.unpacked);
        self.kernel.products(self.query, &self.unpacked, &mut fine);
        // Whole numbers until the last step, so that the result is the same on every machine.
        let product = i64::from(bytes[0]) * i64::from(FINE_STEPS) + i64::from(fine[0]);
        let unit = f64::from(self.query.scale) * f64::from(segment.scale(row)) / f64::from(FINE_STEPS);
        (product as f64 * unit) as f32
    }
}
