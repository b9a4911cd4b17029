//! One immutable file of vectors.
//!
//! Sections: facts (store, model, dimension, number of rows), rows, scales, passage ids, content
//! ids, fine parts of the rows. Rows ascend by passage id, and no passage stands twice in one segment.

use std::path::Path;

use bethink_core::{ContentId, ModelId, PassageId};

use super::quantise::stride_of;
use crate::IndexError;
use crate::section_file::{FactsReader, FactsWriter, SectionFile, SectionWriter, u32_at, u64_at};

const MAGIC: &[u8; 8] = b"BTNKROWS";
const VERSION: u32 = 1;
const SECTIONS: usize = 6;

const FACTS: usize = 0;
const ROWS: usize = 1;
const SCALES: usize = 2;
const PASSAGES: usize = 3;
const CONTENTS: usize = 4;
const FINE: usize = 5;

/// What all segments of one matrix have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MatrixShape {
    pub(crate) store: [u8; 16],
    pub(crate) model: ModelId,
    pub(crate) dimension: usize,
}

impl MatrixShape {
    pub(crate) fn write(&self, facts: &mut FactsWriter) {
        facts.bytes(&self.store);
        facts.bytes(self.model.0.as_bytes());
        facts.number(self.dimension as u64);
    }

    pub(crate) fn read(facts: &mut FactsReader<'_>) -> Option<Self> {
        Some(Self {
            store: facts.array()?,
            model: ModelId(String::from_utf8(facts.bytes()?.to_vec()).ok()?),
            dimension: usize::try_from(facts.number()?).ok()?,
        })
    }

    pub(crate) fn stride(&self) -> usize {
        stride_of(self.dimension)
    }
}

/// A segment, mapped.
#[derive(Debug)]
pub(crate) struct Segment {
    file: SectionFile,
    rows: usize,
    stride: usize,
}

impl Segment {
    /// Maps a segment; `None` when it is missing, damaged or of another shape.
    pub(crate) fn open(path: &Path, shape: &MatrixShape) -> Result<Option<Self>, IndexError> {
        let Some(file) = SectionFile::open(path, MAGIC, VERSION, SECTIONS)? else { return Ok(None) };
        Ok(Self::check(file, shape))
    }

    fn check(file: SectionFile, shape: &MatrixShape) -> Option<Self> {
        let mut facts = FactsReader(file.section(FACTS));
        let found = MatrixShape::read(&mut facts)?;
        let rows = usize::try_from(facts.number()?).ok()?;
        let stride = shape.stride();
        let whole = found == *shape
            && rows.checked_mul(stride) == Some(file.section(ROWS).len())
            && rows.checked_mul(stride / 2) == Some(file.section(FINE).len())
            && rows.checked_mul(4) == Some(file.section(SCALES).len())
            && rows.checked_mul(8) == Some(file.section(PASSAGES).len())
            && rows.checked_mul(8) == Some(file.section(CONTENTS).len());
        whole.then_some(Self { file, rows, stride })
    }

    pub(crate) fn file(&self) -> &SectionFile {
        &self.file
    }

    /// Number of rows, dead ones included.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The bytes of the rows `from..to`.
    pub(crate) fn row_bytes(&self, from: usize, to: usize) -> &[u8] {
        self.file.section(ROWS).get(from * self.stride..to * self.stride).unwrap_or(&[])
    }

    /// The fine parts of a row, packed.
    pub(crate) fn fine(&self, row: usize) -> &[u8] {
        let width = self.stride / 2;
        self.file.section(FINE).get(row * width..(row + 1) * width).unwrap_or(&[])
    }

    #[inline]
    pub(crate) fn scale(&self, row: usize) -> f32 {
        f32::from_bits(u32_at(self.file.section(SCALES), row).unwrap_or(0))
    }

    #[inline]
    pub(crate) fn passage(&self, row: usize) -> PassageId {
        PassageId(u64_at(self.file.section(PASSAGES), row).unwrap_or(u64::MAX))
    }

    #[inline]
    pub(crate) fn content(&self, row: usize) -> ContentId {
        ContentId(u64_at(self.file.section(CONTENTS), row).unwrap_or(u64::MAX))
    }

    /// The row of a passage, dead or alive.
    pub(crate) fn find(&self, passage: PassageId) -> Option<usize> {
        let (mut low, mut high) = (0, self.rows);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.passage(middle) < passage { low = middle + 1 } else { high = middle }
        }
        (low < self.rows && self.passage(low) == passage).then_some(low)
    }
}

/// Where the rows of a new segment come from, ascending by passage.
pub(crate) trait RowSource {
    fn rows(&self) -> usize;
    fn row(&self, index: usize) -> &[u8];
    fn fine(&self, index: usize) -> &[u8];
    fn scale(&self, index: usize) -> f32;
    fn passage(&self, index: usize) -> PassageId;
    fn content(&self, index: usize) -> ContentId;
}

/// Writes a segment; it is durable and has its name when this returns.
pub(crate) fn write_segment(path: &Path, shape: &MatrixShape, source: &dyn RowSource) -> Result<(), IndexError> {
    let mut writer = SectionWriter::create(path, MAGIC, VERSION, SECTIONS)?;
    let count = source.rows();
    let mut facts = FactsWriter::default();
    shape.write(&mut facts);
    facts.number(count as u64);
    writer.section(|sink| sink(&facts.0))?;
    writer.section(|sink| (0..count).try_for_each(|index| sink(source.row(index))))?;
    writer.section(|sink| (0..count).try_for_each(|index| sink(&source.scale(index).to_le_bytes())))?;
    writer.section(|sink| (0..count).try_for_each(|index| sink(&source.passage(index).0.to_le_bytes())))?;
    writer.section(|sink| (0..count).try_for_each(|index| sink(&source.content(index).0.to_le_bytes())))?;
    writer.section(|sink| (0..count).try_for_each(|index| sink(source.fine(index))))?;
    writer.finish()
}
