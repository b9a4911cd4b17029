//! The questions, in SQL.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bethink_core::{
    ContentHash, ContentId, DocumentId, Epoch, Format, MEMORY_ROOT, ModelId, PassageId, ProblemKind, RootId, Sequence,
    path_bytes,
};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use super::connection::log_path;
use super::failure::Attempt;
use super::handle::Handle;
use super::row;
use super::scope::Scope;
use crate::record::{
    Change, ContentRecord, DocumentCounts, DocumentRecord, PassageRecord, Root, Statistics, StoreId, TierProgress,
    VectorRecord,
};
use crate::{IndexReader, Result};

/// Every row of a query.
pub(super) fn rows<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    decode: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Attempt<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let decoded = statement.query_map(parameters, decode)?.collect::<rusqlite::Result<Vec<T>>>()?;
    Ok(decoded)
}

/// The row of a query, if there is one.
pub(super) fn find<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    decode: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Attempt<Option<T>> {
    Ok(connection.prepare_cached(sql)?.query_row(parameters, decode).optional()?)
}

/// The row of a query that always has one.
pub(super) fn one<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    decode: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Attempt<T> {
    Ok(connection.prepare_cached(sql)?.query_row(parameters, decode)?)
}

/// The newest change.
pub(super) fn newest_change(connection: &Connection) -> Attempt<Sequence> {
    let sql = "SELECT max(coalesce((SELECT max(sequence) FROM change), 0), pruned_through) FROM meta";
    one(connection, sql, [], |row| Ok(Sequence(row::identity(row, 0)?)))
}

/// The document at exactly this path.
pub(super) fn document_at(connection: &Connection, path: &Path) -> Attempt<Option<DocumentRecord>> {
    let sql = format!("SELECT {} FROM document WHERE path = ?1", row::DOCUMENT);
    find(connection, &sql, [path_bytes(path)], row::document)
}

/// The document of that identity.
pub(super) fn document_of(connection: &Connection, id: DocumentId) -> Attempt<Option<DocumentRecord>> {
    let sql = format!("SELECT {} FROM document WHERE id = ?1", row::DOCUMENT);
    find(connection, &sql, [id.0.cast_signed()], row::document)
}

/// The content read from these bytes in this way.
pub(super) fn content_of(
    connection: &Connection,
    hash: ContentHash,
    format: Format,
    extractor_version: u32,
    cutter_version: u32,
) -> Attempt<Option<ContentId>> {
    let sql =
        "SELECT id FROM content WHERE hash = ?1 AND format = ?2 AND extractor_version = ?3 AND cutter_version = ?4";
    find(connection, sql, params![hash.0, format.name(), extractor_version, cutter_version], content_id)
}

/// A registered model's number and dimension.
pub(super) fn model_number(connection: &Connection, model: &ModelId) -> Attempt<Option<(i64, u32)>> {
    let sql = "SELECT number, dimension FROM model WHERE id = ?1";
    find(connection, sql, [&model.0], |row| Ok((row.get(0)?, row.get(1)?)))
}

fn content_id(row: &Row<'_>) -> rusqlite::Result<ContentId> {
    Ok(ContentId(row::identity(row, 0)?))
}

/// Documents of a scope in the order of their paths, as many as asked for. `condition` is SQL.
fn documents_in(connection: &Connection, scope: &Scope, condition: &str, limit: usize) -> Attempt<Vec<DocumentRecord>> {
    let mut documents = Vec::new();
    if limit == 0 {
        return Ok(documents);
    }
    // The path itself sorts before what lies under it, but between the two may stand any number of
    // paths outside of the scope, so it is a question of its own.
    if let Some(exact) = &scope.exact {
        let sql = format!("SELECT {} FROM document WHERE path = ?1 AND {condition}", row::DOCUMENT);
        documents.extend(find(connection, &sql, [exact], row::document)?);
    }
    let limit = row::limit_column(limit - documents.len());
    let select = format!("SELECT {} FROM document WHERE {condition} AND path >= ?1", row::DOCUMENT);
    documents.extend(match &scope.upper {
        Some(upper) => {
            let sql = format!("{select} AND path < ?2 ORDER BY path LIMIT ?3");
            rows(connection, &sql, params![scope.lower, upper, limit], row::document)?
        }
        None => {
            let sql = format!("{select} ORDER BY path LIMIT ?2");
            rows(connection, &sql, params![scope.lower, limit], row::document)?
        }
    });
    Ok(documents)
}

/// Contents of a scope, ascending, each once.
fn contents_in(connection: &Connection, scope: &Scope) -> Attempt<Vec<ContentId>> {
    let decode = |row: &Row<'_>| row.get::<_, Option<i64>>(0);
    let mut contents = match (&scope.exact, &scope.upper) {
        (Some(exact), Some(upper)) => {
            // No DISTINCT and no ORDER BY: they tempt the planner to walk the index on contents.
            let range = "SELECT content FROM document WHERE path >= ?1 AND path < ?2";
            let mut contents = rows(connection, range, params![scope.lower, upper], decode)?;
            contents.extend(find(connection, "SELECT content FROM document WHERE path = ?1", [exact], decode)?);
            contents
        }
        _ => rows(connection, "SELECT id FROM content", [], decode)?,
    };
    contents.retain(Option::is_some);
    contents.sort_unstable();
    contents.dedup();
    Ok(contents.into_iter().flatten().map(|id| ContentId(id.cast_unsigned())).collect())
}

/// Number of documents by outcome and kind of problem.
type OutcomeCounts = BTreeMap<(i64, Option<ProblemKind>), u64>;

fn count_outcomes(connection: &Connection, scope: &Scope) -> Attempt<(OutcomeCounts, u64)> {
    let mut counts = OutcomeCounts::new();
    let mut with_text = 0;
    let decode = |row: &Row<'_>| {
        let outcome: i64 = row.get(0)?;
        let kind = if outcome == 0 { None } else { Some(row::problem_kind(row, 1)?) };
        Ok((outcome, kind, row::identity(row, 2)?, row::identity(row, 3)?))
    };
    let select = "SELECT outcome, kind, count(*), count(content) FROM document";
    let group = "GROUP BY outcome, kind";
    let mut counted = match &scope.upper {
        Some(upper) => {
            let sql = format!("{select} WHERE path >= ?1 AND path < ?2 {group}");
            rows(connection, &sql, params![scope.lower, upper], decode)?
        }
        None => rows(connection, &format!("{select} {group}"), [], decode)?,
    };
    if let Some(exact) = &scope.exact {
        counted.extend(rows(connection, &format!("{select} WHERE path = ?1 {group}"), [exact], decode)?);
    }
    for (outcome, kind, documents, texts) in counted {
        *counts.entry((outcome, kind)).or_default() += documents;
        with_text += texts;
    }
    Ok((counts, with_text))
}

/// Sizes of texts: contents, passages, bytes.
fn measure_contents(connection: &Connection, scope: &Scope) -> Attempt<(u64, u64, u64)> {
    let decode = |row: &Row<'_>| Ok((row::identity(row, 0)?, row::identity(row, 1)?, row::identity(row, 2)?));
    if scope.exact.is_none() {
        let sql = "SELECT count(*), coalesce(sum(passages), 0), coalesce(sum(text_bytes), 0) FROM content";
        return one(connection, sql, [], decode);
    }
    let mut measured = (0, 0, 0_u64);
    for content in contents_in(connection, scope)? {
        let sql = "SELECT 1, passages, text_bytes FROM content WHERE id = ?1";
        let (contents, passages, bytes) = one(connection, sql, [content.0.cast_signed()], decode)?;
        measured = (measured.0 + contents, measured.1 + passages, measured.2.saturating_add(bytes));
    }
    Ok(measured)
}

/// Calls for each vector that the model has for one of the passages, in the order asked for.
fn with_vectors<T>(
    connection: &Connection,
    columns: &str,
    model: i64,
    passages: &[PassageId],
    mut decode: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Attempt<Vec<T>> {
    let sql = format!("SELECT {columns} FROM vector WHERE passage = ?1 AND model = ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = Vec::new();
    for passage in passages {
        let parameters = (passage.0.cast_signed(), model);
        found.extend(statement.query_row(parameters, &mut decode).optional()?);
    }
    Ok(found)
}

impl<Access: Send> IndexReader for Handle<Access> {
    fn store_id(&self) -> Result<StoreId> {
        self.read("read its identity", |connection| {
            one(connection, "SELECT store_id FROM meta", [], |row| Ok(StoreId(row.get(0)?)))
        })
    }

    fn sequence(&self) -> Result<Sequence> {
        self.read("read its newest change", newest_change)
    }

    fn epoch(&self) -> Result<Epoch> {
        self.read("read its policy epoch", |connection| {
            one(connection, "SELECT epoch FROM meta", [], |row| Ok(Epoch(row::identity(row, 0)?)))
        })
    }

    fn roots(&self) -> Result<Vec<Root>> {
        self.read("listed its roots", |connection| {
            let sql = "SELECT id, path, state, reason, completed FROM root WHERE path <> ?1 ORDER BY path";
            rows(connection, sql, [MEMORY_ROOT.as_bytes()], row::root)
        })
    }

    fn find_document_at(&self, path: &Path) -> Result<Option<DocumentRecord>> {
        self.read("looked up a path", |connection| document_at(connection, path))
    }

    fn find_document(&self, id: DocumentId) -> Result<Option<DocumentRecord>> {
        self.read("looked up a document", |connection| document_of(connection, id))
    }

    fn documents_under(&self, under: Option<&Path>, after: Option<&Path>, limit: usize) -> Result<Vec<DocumentRecord>> {
        let scope = Scope::new(under).after(after);
        self.read("listed documents", |connection| documents_in(connection, &scope, "true", limit))
    }

    fn members(&self, after: Option<&Path>, limit: usize) -> Result<Vec<DocumentRecord>> {
        let scope = Scope::new(None).after(after);
        // The separator as bytes: a text would not be looked for inside a blob.
        let condition = "instr(path, x'212F') > 1";
        self.read("listed files inside files", |connection| documents_in(connection, &scope, condition, limit))
    }

    fn documents_with(&self, contents: &[ContentId]) -> Result<Vec<DocumentRecord>> {
        self.read("looked up the documents of contents", |connection| {
            let sql = format!("SELECT {} FROM document WHERE content = ?1 ORDER BY path", row::DOCUMENT);
            let mut statement = connection.prepare_cached(&sql)?;
            let mut documents = Vec::new();
            let mut seen = BTreeSet::new();
            for content in contents.iter().filter(|content| seen.insert(**content)) {
                for document in statement.query_map([content.0.cast_signed()], row::document)? {
                    documents.push(document?);
                }
            }
            Ok(documents)
        })
    }

    fn documents_with_hash(&self, hash: ContentHash) -> Result<Vec<DocumentRecord>> {
        self.read("looked up documents by hash", |connection| {
            let sql = format!("SELECT {} FROM document WHERE hash = ?1 ORDER BY path", row::DOCUMENT);
            rows(connection, &sql, [hash.0], row::document)
        })
    }

    fn find_content(
        &self,
        hash: ContentHash,
        format: Format,
        extractor_version: u32,
        cutter_version: u32,
    ) -> Result<Option<ContentId>> {
        self.read("looked up a content", |connection| {
            content_of(connection, hash, format, extractor_version, cutter_version)
        })
    }

    fn content(&self, id: ContentId) -> Result<Option<ContentRecord>> {
        self.read("read a content", |connection| {
            let sql = format!("SELECT {} FROM content WHERE id = ?1", row::CONTENT);
            find(connection, &sql, [id.0.cast_signed()], row::content)
        })
    }

    fn contents_under(&self, under: &Path) -> Result<Vec<ContentId>> {
        let scope = Scope::new(Some(under));
        self.read("listed the contents under a path", |connection| contents_in(connection, &scope))
    }

    fn passages(&self, ids: &[PassageId]) -> Result<Vec<PassageRecord>> {
        self.read("read passages", |connection| {
            let sql = format!("SELECT {} FROM passage WHERE id = ?1", row::PASSAGE);
            let mut statement = connection.prepare_cached(&sql)?;
            let mut passages = Vec::with_capacity(ids.len().min(4096));
            for id in ids {
                passages.extend(statement.query_row([id.0.cast_signed()], row::passage).optional()?);
            }
            Ok(passages)
        })
    }

    fn passages_of(&self, content: ContentId) -> Result<Vec<PassageRecord>> {
        self.read("read a content's passages", |connection| {
            let sql = format!("SELECT {} FROM passage WHERE content = ?1 ORDER BY ordinal", row::PASSAGE);
            rows(connection, &sql, [content.0.cast_signed()], row::passage)
        })
    }

    fn changes_after(&self, after: Sequence, limit: usize) -> Result<Vec<Change>> {
        self.read("read its changes", |connection| {
            let sql = "SELECT sequence, kind, id FROM change WHERE sequence > ?1 ORDER BY sequence LIMIT ?2";
            let after = i64::try_from(after.0).unwrap_or(i64::MAX);
            rows(connection, sql, [after, row::limit_column(limit)], row::change)
        })
    }

    fn oldest_change(&self) -> Result<Sequence> {
        self.read("read its oldest change", |connection| {
            one(connection, "SELECT pruned_through FROM meta", [], |row| Ok(Sequence(row::identity(row, 0)?)))
        })
    }

    fn contents_after(&self, after: ContentId, limit: usize) -> Result<Vec<ContentId>> {
        self.read("listed contents", |connection| {
            let sql = "SELECT id FROM content WHERE id > ?1 ORDER BY id LIMIT ?2";
            let after = i64::try_from(after.0).unwrap_or(i64::MAX);
            rows(connection, sql, [after, row::limit_column(limit)], content_id)
        })
    }

    fn tiers(&self) -> Result<Vec<TierProgress>> {
        self.read("measured its models", |connection| {
            let sql = "SELECT id, tier, dimension, \
                       (SELECT count(*) FROM vector WHERE model = number), \
                       (SELECT count(*) FROM embedding_queue WHERE model = number AND failure IS NULL), \
                       (SELECT count(*) FROM embedding_queue WHERE model = number AND failure IS NOT NULL) \
                       FROM model ORDER BY tier, number";
            rows(connection, sql, [], |row| {
                Ok(TierProgress {
                    model: row::model(row, 0)?,
                    done: row::identity(row, 3)?,
                    pending: row::identity(row, 4)?,
                    failed: row::identity(row, 5)?,
                })
            })
        })
    }

    fn has_waiting(&self, model: &ModelId) -> Result<bool> {
        self.read("asked what waits", |connection| {
            let Some((number, _)) = model_number(connection, model)? else { return Ok(false) };
            let sql = "SELECT 1 FROM embedding_queue WHERE model = ?1 AND failure IS NULL LIMIT 1";
            Ok(find(connection, sql, [number], |_| Ok(()))?.is_some())
        })
    }

    fn vectors_after(&self, model: &ModelId, after: Sequence, limit: usize) -> Result<Vec<VectorRecord>> {
        self.read("read vectors", |connection| {
            let Some((number, dimension)) = model_number(connection, model)? else { return Ok(Vec::new()) };
            let columns = row::VECTOR;
            let sql =
                format!("SELECT {columns} FROM vector WHERE model = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3");
            let after = i64::try_from(after.0).unwrap_or(i64::MAX);
            rows(connection, &sql, [number, after, row::limit_column(limit)], |row| row::vector(row, dimension))
        })
    }

    fn vectors_of(&self, model: &ModelId, passages: &[PassageId]) -> Result<Vec<VectorRecord>> {
        self.read("read the vectors of passages", |connection| {
            let Some((number, dimension)) = model_number(connection, model)? else { return Ok(Vec::new()) };
            with_vectors(connection, row::VECTOR, number, passages, |row| row::vector(row, dimension))
        })
    }

    fn passages_with_vector(&self, model: &ModelId, passages: &[PassageId]) -> Result<Vec<PassageId>> {
        self.read("looked for the vectors of passages", |connection| {
            let Some((number, _)) = model_number(connection, model)? else { return Ok(Vec::new()) };
            let mut found =
                with_vectors(connection, "passage", number, passages, |row| Ok(PassageId(row::identity(row, 0)?)))?;
            found.sort_unstable();
            found.dedup();
            Ok(found)
        })
    }

    fn document_counts(&self, under: Option<&Path>) -> Result<DocumentCounts> {
        let scope = Scope::new(under);
        self.read("counted its documents", |connection| {
            if under.is_some() {
                let (counts, indexed) = count_outcomes(connection, &scope)?;
                let failed = counts.iter().filter(|((outcome, _), _)| *outcome == 2).map(|(_, count)| count).sum();
                return Ok(DocumentCounts { documents: counts.values().sum(), indexed, failed });
            }
            // Each of these is answered from an index alone, or from the few documents with trouble.
            let count = |sql: &str| one(connection, sql, [], |row| row::identity(row, 0));
            Ok(DocumentCounts {
                documents: count("SELECT count(*) FROM document")?,
                indexed: count("SELECT count(*) FROM document WHERE content IS NOT NULL")?,
                failed: count("SELECT count(*) FROM document WHERE outcome > 0 AND outcome = 2")?,
            })
        })
    }

    fn statistics(&self, under: Option<&Path>) -> Result<Statistics> {
        let scope = Scope::new(under);
        let mut statistics = self.read("counted its documents", |connection| {
            let (counts, indexed) = count_outcomes(connection, &scope)?;
            let (contents, passages, text_bytes) = measure_contents(connection, &scope)?;
            let with_outcome = |number: i64| {
                let kinds = counts.iter().filter(move |((outcome, _), _)| *outcome == number);
                kinds.filter_map(|((_, kind), count)| Some(((*kind)?, *count))).collect()
            };
            Ok(Statistics {
                documents: counts.values().sum(),
                indexed,
                skipped: with_outcome(1),
                failed: with_outcome(2),
                contents,
                passages,
                text_bytes,
                database_bytes: 0,
                epoch: Some(one(connection, "SELECT epoch FROM meta", [], |row| Ok(Epoch(row::identity(row, 0)?)))?),
            })
        })?;
        let bytes_at = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        statistics.database_bytes = bytes_at(self.path()) + bytes_at(&log_path(self.path()));
        Ok(statistics)
    }

    fn documents_with_trouble(&self, under: Option<&Path>, limit: usize) -> Result<Vec<DocumentRecord>> {
        let scope = Scope::new(under);
        self.read("listed documents with trouble", |connection| documents_in(connection, &scope, "outcome > 0", limit))
    }
}

/// Whether a root of that identity is known.
pub(super) fn has_root(connection: &Connection, id: RootId) -> Attempt<bool> {
    Ok(find(connection, "SELECT 1 FROM root WHERE id = ?1", [id.0.cast_signed()], |_| Ok(()))?.is_some())
}
