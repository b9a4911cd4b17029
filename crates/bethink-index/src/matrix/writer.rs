//! The write side: appending, forgetting, merging, committing.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use bethink_core::{ContentId, ModelId, PassageId, Sequence};

use super::manifest::{DeadRows, MANIFEST, Manifest, MatrixStamp, SegmentEntry, segment_name};
use super::merge::{MergedRows, Size, choose};
use super::quantise::Rows;
use super::segment::{MatrixShape, RowSource, Segment, write_segment};
use crate::IndexError;
use crate::writer_lock::WriterLock;

/// Rows are kept in memory up to this many bytes, then written as a segment of their own, so
/// that filling a matrix of any size takes the same memory.
const PENDING_BYTES: usize = 16 * 1024 * 1024;

/// One vector to be stored.
#[derive(Debug, Clone, Copy)]
pub struct VectorRow<'a> {
    /// The passage that it stands for.
    pub passage: PassageId,
    /// The content that the passage belongs to.
    pub content: ContentId,
    /// The vector; it is brought to unit length.
    pub vector: &'a [f32],
}

/// Writes the matrix of one model. Nothing is seen by readers before [`MatrixWriter::commit`].
pub struct MatrixWriter {
    folder: PathBuf,
    manifest: Manifest,
    segments: Vec<Segment>,
    /// Contents to forget, with how many segments there were when they were removed: what was
    /// appended later under the same id stays.
    removed: HashMap<ContentId, usize>,
    pending: Pending,
    _lock: WriterLock,
}

#[derive(Default)]
struct Pending {
    rows: Rows,
    ids: Vec<(PassageId, ContentId)>,
    /// Place of each pending passage; appending it again replaces it.
    places: HashMap<PassageId, usize>,
}

impl MatrixWriter {
    /// Opens the matrix of a folder for writing. What belongs to another store, model or dimension
    /// or is damaged is thrown away, and the matrix begins empty with both sequences at zero.
    ///
    /// # Errors
    /// [`IndexError::Busy`] when another process writes it; otherwise when the system refuses.
    pub fn open(folder: &Path, store: [u8; 16], model: &ModelId, dimension: usize) -> Result<Self, IndexError> {
        let lock = WriterLock::acquire(folder)?;
        let shape = MatrixShape { store, model: model.clone(), dimension };
        let mut manifest = match Manifest::read(folder)? {
            Some(manifest) if manifest.shape == shape => manifest,
            _ => Manifest::empty(shape.clone()),
        };
        let mut segments = Vec::with_capacity(manifest.segments.len());
        for entry in &manifest.segments {
            match Segment::open(&folder.join(segment_name(entry.number)), &shape)? {
                Some(segment) if segment.file().identity() == entry.identity => segments.push(segment),
                _ => {
                    // The numbers go on, so that a reader of the old manifest never finds a new
                    // file under an old name.
                    manifest = Manifest { next: manifest.next, ..Manifest::empty(shape) };
                    segments.clear();
                    break;
                }
            }
        }
        let writer = Self {
            folder: folder.to_path_buf(),
            manifest,
            segments,
            removed: HashMap::new(),
            pending: Pending::default(),
            _lock: lock,
        };
        writer.clear_strangers();
        Ok(writer)
    }

    /// What the matrix was last committed as; from here the caller catches up.
    pub fn stamp(&self) -> MatrixStamp {
        self.manifest.stamp()
    }

    /// Adds vectors. A passage that has one already gets the new one, so replaying is harmless.
    ///
    /// # Errors
    /// When a vector has another dimension or no direction (the rows before it are kept), or the
    /// system refuses a segment.
    pub fn append(&mut self, rows: &[VectorRow<'_>]) -> Result<(), IndexError> {
        for row in rows {
            if row.vector.len() != self.manifest.shape.dimension {
                return Err(IndexError::Dimension { expected: self.manifest.shape.dimension, given: row.vector.len() });
            }
            self.pending.push(row, self.manifest.shape.stride())?;
            for (segment, entry) in self.segments.iter().zip(&mut self.manifest.segments) {
                if let Some(older) = segment.find(row.passage) {
                    entry.dead.insert(older);
                }
            }
            if self.pending.rows.numbers.len() * size_of::<i16>() >= PENDING_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Forgets every vector of a content. What is appended for it afterwards is kept.
    pub fn remove_content(&mut self, content: ContentId) {
        self.removed.insert(content, self.segments.len());
        if self.pending.ids.iter().any(|(_, of)| *of == content) {
            self.pending.retain(self.manifest.shape.stride(), |of| of != content);
        }
    }

    /// Makes everything so far durable and visible, as of these sequences of the store.
    ///
    /// # Errors
    /// When the system refuses; the last commit then stands, for this writer too on the next try.
    pub fn commit(&mut self, change: Sequence, vector: Sequence) -> Result<(), IndexError> {
        self.flush()?;
        self.apply_removals();
        let sizes: Vec<Size> = self
            .segments
            .iter()
            .zip(&self.manifest.segments)
            .map(|(segment, entry)| Size { rows: segment.rows(), dead: entry.dead.count() })
            .collect();
        let chosen = choose(&sizes);
        self.merge(&chosen)?;
        self.manifest.change = change;
        self.manifest.vector = vector;
        self.manifest.write(&self.folder)?;
        self.clear_strangers();
        Ok(())
    }

    /// Writes every segment that holds dead rows anew, so that no forgotten vector is left in any
    /// file of the folder, and commits as of the last sequences. Readers that have the old files
    /// mapped keep them until they close.
    ///
    /// # Errors
    /// As for [`MatrixWriter::commit`].
    pub fn purge(&mut self) -> Result<(), IndexError> {
        self.flush()?;
        self.apply_removals();
        let dead: Vec<usize> =
            (0..self.segments.len()).filter(|place| self.manifest.segments[*place].dead.count() > 0).collect();
        for place in dead.into_iter().rev() {
            self.merge(&[place])?;
        }
        let (change, vector) = (self.manifest.change, self.manifest.vector);
        self.commit(change, vector)
    }

    /// Writes the pending rows as a segment.
    fn flush(&mut self) -> Result<(), IndexError> {
        if self.pending.ids.is_empty() {
            return Ok(());
        }
        let sorted = SortedPending::new(&self.pending, self.manifest.shape.stride());
        let (entry, segment) = add_segment(&self.folder, &mut self.manifest, &sorted)?;
        self.segments.push(segment);
        self.manifest.segments.push(entry);
        self.pending = Pending::default();
        Ok(())
    }

    fn apply_removals(&mut self) {
        if self.removed.is_empty() {
            return;
        }
        for (place, (segment, entry)) in self.segments.iter().zip(&mut self.manifest.segments).enumerate() {
            for row in 0..segment.rows() {
                if self.removed.get(&segment.content(row)).is_some_and(|existed| place < *existed) {
                    entry.dead.insert(row);
                }
            }
        }
        self.removed.clear();
    }

    /// Writes the live rows of the chosen segments (ascending places) as one.
    fn merge(&mut self, chosen: &[usize]) -> Result<(), IndexError> {
        if chosen.is_empty() {
            return Ok(());
        }
        let parts: Vec<(&Segment, &DeadRows)> =
            chosen.iter().map(|place| (&self.segments[*place], &self.manifest.segments[*place].dead)).collect();
        // Rotten bits must not be copied under a fresh checksum.
        if let Some((place, _)) = chosen.iter().zip(&parts).find(|(_, (segment, _))| !segment.file().verify()) {
            return Err(IndexError::Damaged {
                path: self.folder.join(segment_name(self.manifest.segments[*place].number)),
                detail: "a section does not have its checksum".to_owned(),
            });
        }
        let rows = MergedRows::new(&parts);
        let mut manifest = self.manifest.clone();
        let merged = if rows.rows() > 0 { Some(add_segment(&self.folder, &mut manifest, &rows)?) } else { None };
        for place in chosen.iter().rev() {
            manifest.segments.remove(*place);
            self.segments.remove(*place);
        }
        if let Some((entry, segment)) = merged {
            manifest.segments.push(entry);
            self.segments.push(segment);
        }
        self.manifest = manifest;
        Ok(())
    }

    /// Deletes whatever the manifest does not name: merged segments, and what a killed writer left.
    /// Best effort, since the next writer tries again.
    fn clear_strangers(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let known = name == MANIFEST
                || name == WriterLock::NAME
                || self.manifest.segments.iter().any(|segment| name == segment_name(segment.number).as_str());
            if !known {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn add_segment(
    folder: &Path,
    manifest: &mut Manifest,
    rows: &dyn RowSource,
) -> Result<(SegmentEntry, Segment), IndexError> {
    let number = manifest.next;
    let path = folder.join(segment_name(number));
    write_segment(&path, &manifest.shape, rows)?;
    manifest.next += 1;
    let segment = Segment::open(&path, &manifest.shape)?.ok_or_else(|| IndexError::Damaged {
        path: path.clone(),
        detail: "a segment cannot be read back".to_owned(),
    })?;
    Ok((SegmentEntry { number, identity: segment.file().identity(), dead: DeadRows::default() }, segment))
}

impl Pending {
    fn push(&mut self, row: &VectorRow<'_>, stride: usize) -> Result<(), IndexError> {
        self.rows.push(row.vector)?;
        let last = self.ids.len();
        match self.places.get(&row.passage) {
            Some(place) => {
                let (place, rows) = (*place, &mut self.rows);
                rows.numbers.copy_within(last * stride.., place * stride);
                rows.numbers.truncate(last * stride);
                rows.scales.swap_remove(place);
                self.ids[place].1 = row.content;
            }
            None => {
                self.places.insert(row.passage, last);
                self.ids.push((row.passage, row.content));
            }
        }
        Ok(())
    }

    fn retain(&mut self, stride: usize, keep: impl Fn(ContentId) -> bool) {
        let old = std::mem::take(self);
        for (place, (passage, content)) in old.ids.into_iter().enumerate() {
            if keep(content) {
                self.places.insert(passage, self.ids.len());
                self.ids.push((passage, content));
                self.rows.scales.push(old.rows.scales[place]);
                self.rows.numbers.extend_from_slice(&old.rows.numbers[place * stride..(place + 1) * stride]);
            }
        }
    }
}

struct SortedPending<'a> {
    pending: &'a Pending,
    stride: usize,
    order: Vec<usize>,
}

impl<'a> SortedPending<'a> {
    fn new(pending: &'a Pending, stride: usize) -> Self {
        let mut order: Vec<usize> = (0..pending.ids.len()).collect();
        order.sort_unstable_by_key(|place| pending.ids[*place].0);
        Self { pending, stride, order }
    }
}

impl RowSource for SortedPending<'_> {
    fn rows(&self) -> usize {
        self.order.len()
    }

    fn numbers(&self, index: usize, into: &mut Vec<i16>) {
        let place = self.order[index];
        into.clear();
        into.extend_from_slice(&self.pending.rows.numbers[place * self.stride..(place + 1) * self.stride]);
    }

    fn scale(&self, index: usize) -> f32 {
        self.pending.rows.scales[self.order[index]]
    }

    fn passage(&self, index: usize) -> PassageId {
        self.pending.ids[self.order[index]].0
    }

    fn content(&self, index: usize) -> ContentId {
        self.pending.ids[self.order[index]].1
    }
}
