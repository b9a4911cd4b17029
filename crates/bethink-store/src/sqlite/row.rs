//! Rows into records and back, every column checked.

use std::ops::Range;

use bethink_core::{
    ContentHash, ContentId, DocumentId, Format, Locator, Mark, ModelId, PassageId, PassageKey, Problem, ProblemKind,
    RootId, Sequence, UnixMillis, path_from_bytes,
};
use half::f16;
use rusqlite::Row;

use super::failure::undecodable;
use super::packed;
use crate::record::{
    Change, Changed, ContentRecord, DocumentRecord, FileStamp, ModelSpec, Outcome, PassageRecord, Root, RootState,
    Tier, VectorRecord,
};

type Decoded<T> = rusqlite::Result<T>;

/// Columns that [`document`] decodes, of the table `document`.
pub(super) const DOCUMENT: &str = "id, root, path, size_bytes, modified_ns, changed_ns, inode, device, hash, content, \
                                   outcome, kind, detail";

/// Columns that [`content`] decodes, of the table `content`.
pub(super) const CONTENT: &str = "id, hash, format, title, lines, text_bytes, passages, problems";

/// Columns that [`passage`] decodes, of the table `passage`.
pub(super) const PASSAGE: &str = "id, content, ordinal, key, start_byte, line, heading, locator, marks, text";

/// Columns that [`vector`] decodes, of the table `vector`.
pub(super) const VECTOR: &str = "sequence, passage, content, data";

/// The kinds of change, as the column `kind` of `change` counts them.
pub(super) const CHANGED_CONTENT: i64 = 0;
/// A document changed.
pub(super) const CHANGED_DOCUMENT: i64 = 1;

/// A document from the columns [`DOCUMENT`].
pub(super) fn document(row: &Row<'_>) -> Decoded<DocumentRecord> {
    Ok(DocumentRecord {
        id: DocumentId(identity(row, 0)?),
        root: RootId(identity(row, 1)?),
        path: path_from_bytes(row.get_ref(2)?.as_blob()?),
        stamp: FileStamp {
            size_bytes: row.get::<_, i64>(3)?.cast_unsigned(),
            modified_ns: row.get(4)?,
            changed_ns: row.get(5)?,
            inode: row.get::<_, i64>(6)?.cast_unsigned(),
            device: row.get::<_, i64>(7)?.cast_unsigned(),
        },
        hash: row.get::<_, Option<[u8; 32]>>(8)?.map(ContentHash),
        content: row.get::<_, Option<i64>>(9)?.map(|id| ContentId(id.cast_unsigned())),
        outcome: outcome(row, 10)?,
    })
}

fn outcome(row: &Row<'_>, first: usize) -> Decoded<Outcome> {
    let number: i64 = row.get(first)?;
    if number == 0 {
        return Ok(Outcome::Indexed);
    }
    let kind = problem_kind(row, first + 1)?;
    let detail = row.get::<_, Option<String>>(first + 2)?.unwrap_or_default();
    match number {
        1 => Ok(Outcome::Skipped { kind, detail }),
        2 => Ok(Outcome::Failed { kind, detail }),
        _ => Err(undecodable(first, "outcome")),
    }
}

/// An outcome as its three columns.
pub(super) fn outcome_columns(outcome: &Outcome) -> (i64, Option<&'static str>, Option<&str>) {
    match outcome {
        Outcome::Indexed => (0, None, None),
        Outcome::Skipped { kind, detail } => (1, Some(kind.name()), Some(detail)),
        Outcome::Failed { kind, detail } => (2, Some(kind.name()), Some(detail)),
    }
}

/// A problem's kind by its name.
pub(super) fn problem_kind(row: &Row<'_>, column: usize) -> Decoded<ProblemKind> {
    ProblemKind::from_name(row.get_ref(column)?.as_str()?).ok_or_else(|| undecodable(column, "kind of problem"))
}

/// A content from the columns [`CONTENT`].
pub(super) fn content(row: &Row<'_>) -> Decoded<ContentRecord> {
    Ok(ContentRecord {
        id: ContentId(identity(row, 0)?),
        hash: ContentHash(row.get(1)?),
        format: Format::from_name(row.get_ref(2)?.as_str()?).ok_or_else(|| undecodable(2, "format"))?,
        title: row.get(3)?,
        lines: row.get(4)?,
        text_bytes: identity(row, 5)?,
        passages: row.get(6)?,
        problems: problems(row, 7)?,
    })
}

fn problems(row: &Row<'_>, column: usize) -> Decoded<Vec<Problem>> {
    match row.get_ref(column)?.as_blob_or_null()? {
        None => Ok(Vec::new()),
        Some(packed) => packed::unpack_problems(packed).ok_or_else(|| undecodable(column, "list of problems")),
    }
}

/// A passage from the columns [`PASSAGE`].
pub(super) fn passage(row: &Row<'_>) -> Decoded<PassageRecord> {
    let text: String = row.get(9)?;
    Ok(PassageRecord {
        id: PassageId(identity(row, 0)?),
        content: ContentId(identity(row, 1)?),
        ordinal: row.get(2)?,
        key: PassageKey(row.get(3)?),
        range: range(row, 4, text.len())?,
        line: row.get(5)?,
        heading: heading(row, 6)?,
        locator: locator(row, 7)?,
        marks: marks(row, 8)?,
        text,
    })
}

fn range(row: &Row<'_>, column: usize, length: usize) -> Decoded<Range<usize>> {
    let start = usize::try_from(row.get::<_, i64>(column)?).map_err(|_| undecodable(column, "byte offset"))?;
    let end = start.checked_add(length).ok_or_else(|| undecodable(column, "byte offset"))?;
    Ok(start..end)
}

/// Headings of a blob column.
pub(super) fn heading(row: &Row<'_>, column: usize) -> Decoded<Vec<String>> {
    match row.get_ref(column)?.as_blob_or_null()? {
        None => Ok(Vec::new()),
        Some(packed) => packed::unpack_headings(packed).ok_or_else(|| undecodable(column, "heading path")),
    }
}

fn locator(row: &Row<'_>, column: usize) -> Decoded<Locator> {
    match row.get_ref(column)?.as_blob_or_null()? {
        None => Ok(Locator::Line),
        Some(packed) => packed::unpack_locator(packed).ok_or_else(|| undecodable(column, "locator")),
    }
}

fn marks(row: &Row<'_>, column: usize) -> Decoded<Vec<Mark>> {
    match row.get_ref(column)?.as_blob_or_null()? {
        None => Ok(Vec::new()),
        Some(packed) => packed::unpack_marks(packed).ok_or_else(|| undecodable(column, "list of places")),
    }
}

/// A root from `id, path, state, reason, completed`.
pub(super) fn root(row: &Row<'_>) -> Decoded<Root> {
    Ok(Root {
        id: RootId(identity(row, 0)?),
        path: path_from_bytes(row.get_ref(1)?.as_blob()?),
        state: match row.get::<_, i64>(2)? {
            0 => RootState::Pending,
            1 => RootState::Complete,
            2 => RootState::Missing,
            3 => RootState::Unreadable(row.get::<_, Option<String>>(3)?.unwrap_or_default()),
            _ => return Err(undecodable(2, "state of a root")),
        },
        completed: row.get::<_, Option<i64>>(4)?.map(UnixMillis),
    })
}

/// A root's state as its two columns.
pub(super) fn root_state_columns(state: &RootState) -> (i64, Option<&str>) {
    match state {
        RootState::Pending => (0, None),
        RootState::Complete => (1, None),
        RootState::Missing => (2, None),
        RootState::Unreadable(reason) => (3, Some(reason)),
    }
}

/// A change from `sequence, kind, id`.
pub(super) fn change(row: &Row<'_>) -> Decoded<Change> {
    let id = identity(row, 2)?;
    let changed = match row.get::<_, i64>(1)? {
        CHANGED_CONTENT => Changed::Content(ContentId(id)),
        CHANGED_DOCUMENT => Changed::Document(DocumentId(id)),
        _ => return Err(undecodable(1, "kind of change")),
    };
    Ok(Change { sequence: Sequence(identity(row, 0)?), changed })
}

/// A model from `id, tier, dimension` starting at a column.
pub(super) fn model(row: &Row<'_>, first: usize) -> Decoded<ModelSpec> {
    Ok(ModelSpec {
        id: ModelId(row.get(first)?),
        tier: match row.get::<_, i64>(first + 1)? {
            0 => Tier::Static,
            1 => Tier::Transformer,
            _ => return Err(undecodable(first + 1, "tier")),
        },
        dimension: row.get(first + 2)?,
    })
}

/// A tier as its column.
pub(super) fn tier_column(tier: Tier) -> i64 {
    match tier {
        Tier::Static => 0,
        Tier::Transformer => 1,
    }
}

/// A vector of so many numbers, from the columns [`VECTOR`].
pub(super) fn vector(row: &Row<'_>, dimension: u32) -> Decoded<VectorRecord> {
    let data = row.get_ref(3)?.as_blob()?;
    if data.len() as u64 != u64::from(dimension) * 2 {
        return Err(undecodable(3, "vector of its model's dimension"));
    }
    Ok(VectorRecord {
        sequence: Sequence(identity(row, 0)?),
        passage: PassageId(identity(row, 1)?),
        content: ContentId(identity(row, 2)?),
        vector: data.chunks_exact(2).map(|pair| f16::from_le_bytes([pair[0], pair[1]]).to_f32()).collect(),
    })
}

/// A vector's numbers in half precision; `None` where one of them is not finite there.
pub(super) fn vector_column(vector: &[f32]) -> Option<Vec<u8>> {
    let mut data = Vec::with_capacity(vector.len() * 2);
    for number in vector {
        let narrowed = f16::from_f32(*number);
        if !narrowed.is_finite() {
            return None;
        }
        data.extend_from_slice(&narrowed.to_le_bytes());
    }
    Some(data)
}

/// A number that is never negative: an identity or a size.
pub(super) fn identity(row: &Row<'_>, column: usize) -> Decoded<u64> {
    u64::try_from(row.get::<_, i64>(column)?).map_err(|_| undecodable(column, "number from 0"))
}

/// A limit as SQL counts it.
pub(super) fn limit_column(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
