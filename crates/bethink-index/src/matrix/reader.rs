//! The read side: scanning and scoring.

use std::cmp::Ordering;
use std::path::Path;

use bethink_core::{ContentId, PassageId};

use super::kernel::Kernel;
use super::manifest::{DeadRows, Manifest, MatrixStamp, segment_name};
use super::quantise::QuantisedQuery;
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

/// A passage near in meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SemanticHit {
    /// The passage.
    pub passage: PassageId,
    /// The content that it belongs to.
    pub content: ContentId,
    /// Cosine of the angle to the query, −1 to 1, to about ±.005.
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
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        if total < TWO_THREADS_ROWS || threads < 2 {
            return Ok(self.scan_stretch(&query, limit, scope, 0, total));
        }
        let middle = total / 2;
        let (mut first, second) = std::thread::scope(|threads| {
            let other = threads.spawn(|| self.scan_stretch(&query, limit, scope, middle, total));
            let first = self.scan_stretch(&query, limit, scope, 0, middle);
            (first, other.join())
        });
        match second {
            Ok(second) => first.extend(second),
            // A panic of the helper is this thread's panic.
            Err(panic) => std::panic::resume_unwind(panic),
        }
        first.sort_unstable_by(nearer);
        first.truncate(limit);
        Ok(first)
    }

    /// Scans the rows `from..to`, counted over all segments.
    fn scan_stretch(
        &self,
        query: &QuantisedQuery,
        limit: usize,
        scope: Option<&ContentSet>,
        from: usize,
        to: usize,
    ) -> Vec<SemanticHit> {
        let mut best = Best::new(limit, nearer);
        let mut threshold = f32::NEG_INFINITY;
        let mut products = [0i32; BLOCK_ROWS];
        let mut before = 0;
        for (segment, dead) in self.parts() {
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
                    let cosine = cosine(*product, query, segment.scale(row));
                    if cosine < threshold || dead.contains(row) {
                        continue;
                    }
                    let content = segment.content(row);
                    if scope.is_some_and(|scope| !scope.contains(content)) {
                        continue;
                    }
                    if best.push(SemanticHit { passage: segment.passage(row), content, cosine })
                        && let Some(bound) = best.bound()
                    {
                        threshold = bound.cosine;
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
        Ok(passages
            .iter()
            .map(|passage| {
                let (segment, row) = self.find(*passage)?;
                let mut product = [0];
                self.kernel.products(&query, segment.row_bytes(row, row + 1), &mut product);
                Some(cosine(product[0], &query, segment.scale(row)))
            })
            .collect())
    }

    /// The stored vector of a passage, at about unit length: what diversity compares hits by.
    pub fn vector(&self, passage: PassageId) -> Option<Vec<f32>> {
        let (segment, row) = self.find(passage)?;
        let scale = segment.scale(row);
        let bytes = segment.row_bytes(row, row + 1);
        Some(bytes.iter().take(self.manifest.shape.dimension).map(|byte| f32::from(*byte as i8) * scale).collect())
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

#[inline]
fn cosine(product: i32, query: &QuantisedQuery, scale: f32) -> f32 {
    product as f32 * (query.scale * scale)
}

/// Nearest first; equal cosines by passage.
fn nearer(a: &SemanticHit, b: &SemanticHit) -> Ordering {
    b.cosine.total_cmp(&a.cosine).then(a.passage.cmp(&b.passage))
}
