//! Which segments make up a matrix, and which of their rows are dead.

use std::path::Path;

use bethink_core::{ModelId, Sequence};

use super::segment::MatrixShape;
use crate::section_file::{Checksum, FactsReader, FactsWriter, SectionFile, SectionWriter, u64_at};
use crate::{CacheStamp, IndexError};

const MAGIC: &[u8; 8] = b"BTNKMTRX";
const VERSION: u32 = 1;
const SECTIONS: usize = 1;

/// Name of the manifest inside a matrix's folder.
pub(crate) const MANIFEST: &str = "manifest";

/// What a matrix was built from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixStamp {
    /// The store, and its last change that the matrix contains.
    pub cache: CacheStamp,
    /// The last vector of the store that the matrix contains.
    pub vector: Sequence,
    /// The model whose vectors these are.
    pub model: ModelId,
    /// How many numbers a vector has.
    pub dimension: usize,
}

/// Rows that are not answered with any more: a bit a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DeadRows {
    words: Vec<u64>,
    count: usize,
}

impl DeadRows {
    #[inline]
    pub(crate) fn contains(&self, row: usize) -> bool {
        self.words.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    pub(crate) fn insert(&mut self, row: usize) {
        if self.words.len() <= row / 64 {
            self.words.resize(row / 64 + 1, 0);
        }
        let word = &mut self.words[row / 64];
        let bit = 1 << (row % 64);
        self.count += usize::from(*word & bit == 0);
        *word |= bit;
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    fn write(&self, facts: &mut FactsWriter) {
        let mut bytes = Vec::with_capacity(self.words.len() * 8);
        for word in &self.words {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        facts.bytes(&bytes);
    }

    fn read(facts: &mut FactsReader<'_>) -> Option<Self> {
        let bytes = facts.bytes()?;
        let words: Vec<u64> = (0..bytes.len() / 8).filter_map(|index| u64_at(bytes, index)).collect();
        let count = words.iter().map(|word| word.count_ones() as usize).sum();
        Some(Self { words, count })
    }
}

/// One segment as the manifest knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SegmentEntry {
    pub(crate) number: u64,
    /// The header checksum of the file that is meant; another file under the name is not it.
    pub(crate) identity: Checksum,
    pub(crate) dead: DeadRows,
}

pub(crate) fn segment_name(number: u64) -> String {
    format!("segment-{number:012}")
}

/// The manifest of a matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) shape: MatrixShape,
    pub(crate) change: Sequence,
    pub(crate) vector: Sequence,
    /// Number for the next segment; never used twice under one manifest's history.
    pub(crate) next: u64,
    pub(crate) segments: Vec<SegmentEntry>,
}

impl Manifest {
    pub(crate) fn empty(shape: MatrixShape) -> Self {
        Self { shape, change: Sequence(0), vector: Sequence(0), next: 1, segments: Vec::new() }
    }

    pub(crate) fn stamp(&self) -> MatrixStamp {
        MatrixStamp {
            cache: CacheStamp { store: self.shape.store, sequence: self.change },
            vector: self.vector,
            model: self.shape.model.clone(),
            dimension: self.shape.dimension,
        }
    }

    /// Reads the manifest of a folder; `None` when it is missing or damaged.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, IndexError> {
        let Some(file) = SectionFile::open(&folder.join(MANIFEST), MAGIC, VERSION, SECTIONS)? else { return Ok(None) };
        Ok(Self::parse(file.section(0)))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut facts = FactsReader(bytes);
        let shape = MatrixShape::read(&mut facts)?;
        let change = Sequence(facts.number()?);
        let vector = Sequence(facts.number()?);
        let next = facts.number()?;
        let count = facts.number()?;
        let mut segments = Vec::new();
        for _ in 0..count {
            segments.push(SegmentEntry {
                number: facts.number()?,
                identity: facts.array()?,
                dead: DeadRows::read(&mut facts)?,
            });
        }
        Some(Self { shape, change, vector, next, segments })
    }

    /// Replaces the folder's manifest.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), IndexError> {
        let mut facts = FactsWriter::default();
        self.shape.write(&mut facts);
        facts.number(self.change.0);
        facts.number(self.vector.0);
        facts.number(self.next);
        facts.number(self.segments.len() as u64);
        for segment in &self.segments {
            facts.number(segment.number);
            facts.bytes(&segment.identity);
            segment.dead.write(&mut facts);
        }
        let mut writer = SectionWriter::create(&folder.join(MANIFEST), MAGIC, VERSION, SECTIONS)?;
        writer.section(|sink| sink(&facts.0))?;
        writer.finish()
    }
}
