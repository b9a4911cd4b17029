//! One immutable file of vectors.
//!
//! Sections: facts (store, model, dimension, number of rows), the upper parts of the rows in blocks of sixteen (the
//! last filled up with rows of nothing), scales, passage ids, content ids, the lower parts row by row, and their
//! norms. Rows ascend by passage id, and no passage stands twice in one segment.

use std::path::Path;

use bethink_core::{ContentId, ModelId, PassageId};

use super::kernel::{BLOCK_ROWS, block_bytes, put_in_block, upper_parts};
use super::quantise::{joined, lower_norm, split, stride_of};
use crate::IndexError;
use crate::section_file::{FactsReader, FactsWriter, SectionFile, SectionWriter, u32_at, u64_at};

const MAGIC: &[u8; 8] = b"BTNKROWS";
const VERSION: u32 = 2;
const SECTIONS: usize = 7;

const FACTS: usize = 0;
const BLOCKS: usize = 1;
const SCALES: usize = 2;
const PASSAGES: usize = 3;
const CONTENTS: usize = 4;
const LOWER: usize = 5;
const NORMS: usize = 6;

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
            && rows.div_ceil(BLOCK_ROWS).checked_mul(block_bytes(stride)) == Some(file.section(BLOCKS).len())
            && rows.checked_mul(stride) == Some(file.section(LOWER).len())
            && rows.checked_mul(4) == Some(file.section(NORMS).len())
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

    /// The blocks `from..to` of upper parts.
    pub(crate) fn blocks(&self, from: usize, to: usize) -> &[u8] {
        let bytes = block_bytes(self.stride);
        self.file.section(BLOCKS).get(from * bytes..to * bytes).unwrap_or(&[])
    }

    /// The upper parts of a row.
    pub(crate) fn upper(&self, row: usize) -> impl Iterator<Item = i8> {
        let block = row / BLOCK_ROWS;
        upper_parts(self.blocks(block, block + 1), row % BLOCK_ROWS)
    }

    /// The lower parts of a row as signed bytes.
    pub(crate) fn lower(&self, row: usize) -> &[u8] {
        self.file.section(LOWER).get(row * self.stride..(row + 1) * self.stride).unwrap_or(&[])
    }

    /// Scales of the rows `from..to`.
    pub(crate) fn scales(&self, from: usize, to: usize) -> impl Iterator<Item = f32> {
        numbers_at(self.file.section(SCALES), from, to)
    }

    /// Norms of the lower parts of the rows `from..to`, in cosines.
    pub(crate) fn norms(&self, from: usize, to: usize) -> impl Iterator<Item = f32> {
        numbers_at(self.file.section(NORMS), from, to)
    }

    /// The numbers of a row.
    pub(crate) fn numbers(&self, row: usize, into: &mut Vec<i16>) {
        into.clear();
        into.extend(self.upper(row).zip(self.lower(row)).map(|(upper, lower)| joined(upper, *lower as i8)));
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

fn numbers_at(section: &[u8], from: usize, to: usize) -> impl Iterator<Item = f32> {
    let bytes = section.get(from * 4..to * 4).unwrap_or(&[]);
    bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes))
}

/// Where the rows of a new segment come from, ascending by passage.
pub(crate) trait RowSource {
    fn rows(&self) -> usize;
    fn numbers(&self, index: usize, into: &mut Vec<i16>);
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
    let mut numbers = Vec::with_capacity(shape.stride());
    let mut lower = Vec::with_capacity(shape.stride());
    let nothing = vec![0; shape.stride()];
    writer.section(|sink| sink(&facts.0))?;
    writer.section(|sink| {
        let mut block = vec![0; block_bytes(shape.stride())];
        for first in (0..count).step_by(BLOCK_ROWS) {
            for place in 0..BLOCK_ROWS {
                if first + place < count {
                    source.numbers(first + place, &mut numbers);
                    put_in_block(&numbers, place, &mut block);
                } else {
                    put_in_block(&nothing, place, &mut block);
                }
            }
            sink(&block)?;
        }
        Ok(())
    })?;
    writer.section(|sink| (0..count).try_for_each(|index| sink(&source.scale(index).to_le_bytes())))?;
    writer.section(|sink| (0..count).try_for_each(|index| sink(&source.passage(index).0.to_le_bytes())))?;
    writer.section(|sink| (0..count).try_for_each(|index| sink(&source.content(index).0.to_le_bytes())))?;
    let mut norms = Vec::with_capacity(count * 4);
    writer.section(|sink| {
        (0..count).try_for_each(|index| {
            source.numbers(index, &mut numbers);
            norms.extend_from_slice(&(lower_norm(&numbers) * source.scale(index)).to_le_bytes());
            lower.clear();
            lower.extend(numbers.iter().map(|number| split(*number).1 as u8));
            sink(&lower)
        })
    })?;
    writer.section(|sink| sink(&norms))?;
    writer.finish()
}
