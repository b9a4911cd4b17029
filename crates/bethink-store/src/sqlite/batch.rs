//! What one batch does, inside one transaction.
//!
//! The order is moves, restamps, publications, removals; then contents that lost their last document
//! go, then the log of changes is written, each entity once. New passages look for the vector of an
//! equal passage before anything is removed, so an edited file keeps the vectors of what stayed.
//!
//! Promises: publishing what is there changes nothing; ids that are gone already are passed over,
//! since another process may have been faster. Refuses, before the lock is taken, what no store can
//! hold, and under it, publications for a root or content that is gone.

use std::collections::{BTreeSet, HashSet};

use bethink_core::{ContentHash, ContentId, DocumentId, Format, RootId, path_bytes};
use rusqlite::{Connection, params};

use super::embedding::{self, Embedding};
use super::failure::Attempt;
use super::packed;
use super::reader::{content_of, document_at, document_of, find, has_root, newest_change, one, rows};
use super::row::{self, CHANGED_CONTENT, CHANGED_DOCUMENT, outcome_columns};
use crate::record::{
    Applied, Batch, DocumentRecord, FileStamp, Forgotten, Move, NewContent, Outcome, Publication, Reading, Restamp,
};
use crate::{Result, StoreError};

/// Refuses a batch that says what no store can hold.
pub(super) fn check(batch: &Batch) -> Result<()> {
    let paths = batch.moves.iter().map(|moved| &moved.path);
    for path in paths.chain(batch.publications.iter().map(|publication| &publication.path)) {
        // What has no file has a path of its own kind.
        if !path.is_absolute() && !bethink_core::is_memory_path(path) {
            return Err(StoreError::Unstorable { path: path.clone(), detail: "its path is not absolute" });
        }
        if path_bytes(path).contains(&0) {
            return Err(StoreError::Unstorable { path: path.clone(), detail: "its path has a zero byte" });
        }
    }
    for publication in &batch.publications {
        if let Reading::Text(content) = &publication.reading {
            check_content(publication, content)?;
        }
    }
    Ok(())
}

fn check_content(publication: &Publication, content: &NewContent) -> Result<()> {
    let unstorable = |detail| StoreError::Unstorable { path: publication.path.clone(), detail };
    if publication.hash.is_none() {
        return Err(unstorable("its text comes without the hash of its bytes"));
    }
    if Format::from_name(content.format.name()) != Some(content.format) {
        return Err(unstorable("its format holds no text"));
    }
    let untiled = |detail| StoreError::Untiled { path: publication.path.clone(), detail };
    let mut covered = 0;
    for (ordinal, passage) in content.passages.iter().enumerate() {
        if passage.range.start != covered || passage.range.end < covered {
            return Err(untiled(format!("passage {ordinal} is {:?}, after byte {covered}", passage.range)));
        }
        if content.text.get(passage.range.clone()).is_none() {
            return Err(untiled(format!("passage {ordinal} is {:?}, off the text's characters", passage.range)));
        }
        covered = passage.range.end;
    }
    if covered != content.text.len() {
        return Err(untiled(format!("they end at byte {covered} of {}", content.text.len())));
    }
    Ok(())
}

/// Applies a checked batch.
pub(super) fn apply(connection: &Connection, batch: &Batch) -> Attempt<Applied> {
    let mut writing = Writing::begin(connection)?;
    writing.move_documents(&batch.moves)?;
    for restamp in &batch.restamps {
        writing.restamp(restamp)?;
    }
    for publication in &batch.publications {
        writing.publish(publication)?;
    }
    for document in &batch.removals {
        writing.remove(*document)?;
    }
    writing.finish()
}

/// Forgets a root with its documents.
pub(super) fn forget_root(connection: &Connection, root: RootId) -> Attempt<Forgotten> {
    let mut writing = Writing::begin(connection)?;
    let documents: Vec<DocumentId> =
        rows(connection, "SELECT id FROM document WHERE root = ?1", [root.0.cast_signed()], |row| {
            Ok(DocumentId(row::identity(row, 0)?))
        })?;
    for document in &documents {
        writing.remove(*document)?;
    }
    let applied = writing.finish()?;
    let mut statement = connection.prepare_cached("DELETE FROM root WHERE id = ?1")?;
    if statement.execute([root.0.cast_signed()])? > 0 {
        note_residue(connection)?;
    }
    Ok(Forgotten { documents: documents.len() as u64, contents: applied.contents_removed.len() as u64 })
}

/// Counts that deleted bytes may stand in free space now.
pub(super) fn note_residue(connection: &Connection) -> Attempt<()> {
    connection.prepare_cached("UPDATE meta SET residue = residue + 1")?.execute([])?;
    Ok(())
}

struct Writing<'connection> {
    connection: &'connection Connection,
    embedding: Embedding,
    epoch: i64,
    known_roots: HashSet<RootId>,
    /// Contents that this transaction made.
    added: BTreeSet<ContentId>,
    /// Contents that lost a document, or never had one yet.
    maybe_orphaned: BTreeSet<ContentId>,
    /// Contents whose newest document may be another one now.
    retimed: BTreeSet<ContentId>,
    changed_documents: Vec<DocumentId>,
    changed_before: HashSet<DocumentId>,
    vectors_reused: u64,
    leaves_residue: bool,
}

impl<'connection> Writing<'connection> {
    fn begin(connection: &'connection Connection) -> Attempt<Self> {
        Ok(Self {
            connection,
            embedding: Embedding::begin(connection)?,
            epoch: one(connection, "SELECT epoch FROM meta", [], |row| row.get(0))?,
            known_roots: HashSet::new(),
            added: BTreeSet::new(),
            maybe_orphaned: BTreeSet::new(),
            retimed: BTreeSet::new(),
            changed_documents: Vec::new(),
            changed_before: HashSet::new(),
            vectors_reused: 0,
            leaves_residue: false,
        })
    }

    fn execute(&self, sql: &str, parameters: impl rusqlite::Params) -> Attempt<usize> {
        Ok(self.connection.prepare_cached(sql)?.execute(parameters)?)
    }

    fn note_change(&mut self, document: DocumentId) {
        if self.changed_before.insert(document) {
            self.changed_documents.push(document);
        }
    }

    fn require_root(&mut self, root: RootId) -> Attempt<()> {
        if !self.known_roots.contains(&root) {
            if !has_root(self.connection, root)? {
                return Err(StoreError::UnknownRoot(root).into());
            }
            self.known_roots.insert(root);
        }
        Ok(())
    }

    /// Moves happen at once, not one after the other: two files may have changed places.
    fn move_documents(&mut self, moves: &[Move]) -> Attempt<()> {
        // Of several moves of one document the last one says where it is.
        let mut latest = HashSet::new();
        let mut moving = Vec::new();
        for moved in moves.iter().rev().filter(|moved| latest.insert(moved.document)) {
            self.require_root(moved.root)?;
            if let Some(document) = document_of(self.connection, moved.document)? {
                moving.push((moved, document));
            }
        }
        moving.reverse();
        for (_, document) in &moving {
            // No path has a zero byte, so a parked document stands in nobody's way.
            let mut parked = vec![0];
            parked.extend_from_slice(document.id.to_string().as_bytes());
            self.execute("UPDATE document SET path = ?2 WHERE id = ?1", (number(document.id.0), parked))?;
        }
        for (moved, document) in moving {
            if let Some(overwritten) = document_at(self.connection, &moved.path)? {
                self.remove(overwritten.id)?;
            }
            let sql = "UPDATE document SET path = ?2, root = ?3, epoch = ?4 WHERE id = ?1";
            let parameters = (number(document.id.0), path_bytes(&moved.path), number(moved.root.0), self.epoch);
            self.execute(sql, parameters)?;
            if document.path != moved.path || document.root != moved.root {
                self.note_change(document.id);
                self.leaves_residue = true;
            }
            self.stamp(&document, &moved.stamp)?;
        }
        Ok(())
    }

    fn restamp(&mut self, restamp: &Restamp) -> Attempt<()> {
        match document_of(self.connection, restamp.document)? {
            Some(document) => self.stamp(&document, &restamp.stamp),
            None => Ok(()),
        }
    }

    fn stamp(&mut self, document: &DocumentRecord, stamp: &FileStamp) -> Attempt<()> {
        if document.stamp == *stamp {
            return Ok(());
        }
        let sql = "UPDATE document SET size_bytes = ?2, modified_ns = ?3, changed_ns = ?4, inode = ?5, device = ?6 \
                   WHERE id = ?1";
        self.execute(
            sql,
            (
                number(document.id.0),
                number(stamp.size_bytes),
                stamp.modified_ns,
                stamp.changed_ns,
                number(stamp.inode),
                number(stamp.device),
            ),
        )?;
        if document.stamp.modified_ns != stamp.modified_ns {
            self.retimed.extend(document.content);
        }
        Ok(())
    }

    fn publish(&mut self, publication: &Publication) -> Attempt<()> {
        self.require_root(publication.root)?;
        let earlier = document_at(self.connection, &publication.path)?;
        let (content, outcome) = self.read_content(publication, earlier.as_ref())?;
        let keeps_earlier = matches!(publication.reading, Reading::Failed { keep_earlier: true, .. });
        let earlier_hash = earlier.as_ref().filter(|_| keeps_earlier).and_then(|document| document.hash);
        let hash = publication.hash.or(earlier_hash);

        let Some(earlier) = earlier else {
            let document = self.insert(publication, hash, content, &outcome)?;
            self.retimed.extend(content);
            self.note_change(document);
            return Ok(());
        };
        self.stamp(&earlier, &publication.stamp)?;
        let present = (earlier.root, earlier.hash, earlier.content, &earlier.outcome);
        if present == (publication.root, hash, content, &outcome) {
            return Ok(());
        }
        let (number_of_outcome, kind, detail) = outcome_columns(&outcome);
        let sql = "UPDATE document SET root = ?2, hash = ?3, content = ?4, outcome = ?5, kind = ?6, detail = ?7, \
                   epoch = ?8 WHERE id = ?1";
        self.execute(
            sql,
            params![
                number(earlier.id.0),
                number(publication.root.0),
                hash.map(|hash| hash.0),
                content.map(|content| number(content.0)),
                number_of_outcome,
                kind,
                detail,
                self.epoch,
            ],
        )?;
        if earlier.content != content {
            self.maybe_orphaned.extend(earlier.content);
            self.retimed.extend(earlier.content);
            self.retimed.extend(content);
        }
        self.leaves_residue = true;
        self.note_change(earlier.id);
        Ok(())
    }

    fn read_content(
        &mut self,
        publication: &Publication,
        earlier: Option<&DocumentRecord>,
    ) -> Attempt<(Option<ContentId>, Outcome)> {
        Ok(match &publication.reading {
            Reading::Text(new) => {
                let unhashed = StoreError::Unstorable {
                    path: publication.path.clone(),
                    detail: "its text comes without the hash of its bytes",
                };
                let hash = publication.hash.ok_or(unhashed)?;
                let known = content_of(self.connection, hash, new.format, new.extractor_version, new.cutter_version)?;
                let content = match known {
                    Some(content) => content,
                    None => self.add_content(hash, new, publication.stamp.modified_ns)?,
                };
                (Some(content), Outcome::Indexed)
            }
            Reading::Known(content) => {
                let sql = "SELECT 1 FROM content WHERE id = ?1";
                if find(self.connection, sql, [number(content.0)], |_| Ok(()))?.is_none() {
                    return Err(StoreError::UnknownContent(*content).into());
                }
                (Some(*content), Outcome::Indexed)
            }
            Reading::Skipped { kind, detail } => (None, Outcome::Skipped { kind: *kind, detail: detail.clone() }),
            Reading::Failed { kind, detail, keep_earlier } => {
                let kept = earlier.filter(|_| *keep_earlier).and_then(|document| document.content);
                (kept, Outcome::Failed { kind: *kind, detail: detail.clone() })
            }
        })
    }

    fn insert(
        &self,
        publication: &Publication,
        hash: Option<ContentHash>,
        content: Option<ContentId>,
        outcome: &Outcome,
    ) -> Attempt<DocumentId> {
        let (number_of_outcome, kind, detail) = outcome_columns(outcome);
        let stamp = &publication.stamp;
        let sql = "INSERT INTO document (root, path, size_bytes, modified_ns, changed_ns, inode, device, hash, content, \
                   outcome, kind, detail, epoch) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
        self.execute(
            sql,
            params![
                number(publication.root.0),
                path_bytes(&publication.path),
                number(stamp.size_bytes),
                stamp.modified_ns,
                stamp.changed_ns,
                number(stamp.inode),
                number(stamp.device),
                hash.map(|hash| hash.0),
                content.map(|content| number(content.0)),
                number_of_outcome,
                kind,
                detail,
                self.epoch,
            ],
        )?;
        Ok(DocumentId(self.connection.last_insert_rowid().cast_unsigned()))
    }

    fn add_content(&mut self, hash: ContentHash, new: &NewContent, modified_ns: i64) -> Attempt<ContentId> {
        let sql = "INSERT INTO content (hash, format, extractor_version, cutter_version, lines, text_bytes, passages, \
                   title, problems) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        self.execute(
            sql,
            params![
                hash.0,
                new.format.name(),
                new.extractor_version,
                new.cutter_version,
                count_lines(&new.text),
                new.text.len() as i64,
                u32::try_from(new.passages.len()).unwrap_or(u32::MAX),
                new.title,
                packed::pack_problems(&new.problems),
            ],
        )?;
        let content = self.connection.last_insert_rowid();
        let sql = "INSERT INTO passage (content, ordinal, key, start_byte, line, heading, locator, marks, text) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let mut insert = self.connection.prepare_cached(sql)?;
        for (ordinal, passage) in new.passages.iter().enumerate() {
            insert.execute(params![
                content,
                ordinal as i64,
                passage.key.0,
                passage.range.start as i64,
                passage.line,
                packed::pack_headings(&passage.heading),
                packed::pack_locator(&passage.locator),
                packed::pack_marks(&passage.marks),
                new.text.get(passage.range.clone()).unwrap_or_default(),
            ])?;
            let id = self.connection.last_insert_rowid();
            self.vectors_reused += self.embedding.enrol(self.connection, id, content, passage.key, modified_ns)?;
        }
        let content = ContentId(content.cast_unsigned());
        self.added.insert(content);
        self.maybe_orphaned.insert(content);
        Ok(content)
    }

    fn remove(&mut self, id: DocumentId) -> Attempt<()> {
        let Some(document) = document_of(self.connection, id)? else { return Ok(()) };
        self.execute("DELETE FROM document WHERE id = ?1", [number(id.0)])?;
        self.maybe_orphaned.extend(document.content);
        self.retimed.extend(document.content);
        self.note_change(id);
        self.leaves_residue = true;
        Ok(())
    }

    fn remove_orphans(&mut self) -> Attempt<Vec<ContentId>> {
        let mut removed = Vec::new();
        for content in std::mem::take(&mut self.maybe_orphaned) {
            let sql = "SELECT 1 FROM document WHERE content = ?1 LIMIT 1";
            if find(self.connection, sql, [number(content.0)], |_| Ok(()))?.is_some() {
                continue;
            }
            // Passages, vectors and waiting tasks go with it, by the schema's own cascade.
            self.execute("DELETE FROM content WHERE id = ?1", [number(content.0)])?;
            self.leaves_residue = true;
            self.retimed.remove(&content);
            // What came and went inside one transaction was never seen by anybody.
            if !self.added.remove(&content) {
                removed.push(content);
            }
        }
        Ok(removed)
    }

    fn finish(mut self) -> Attempt<Applied> {
        let removed = self.remove_orphans()?;
        for content in &self.retimed {
            embedding::retime(self.connection, *content)?;
        }
        let mut log = self.connection.prepare_cached("INSERT INTO change (kind, id) VALUES (?1, ?2)")?;
        for content in self.added.iter().chain(&removed) {
            log.execute((CHANGED_CONTENT, number(content.0)))?;
        }
        for document in &self.changed_documents {
            log.execute((CHANGED_DOCUMENT, number(document.0)))?;
        }
        if self.leaves_residue {
            note_residue(self.connection)?;
        }
        Ok(Applied {
            sequence: newest_change(self.connection)?,
            contents_added: self.added.into_iter().collect(),
            contents_removed: removed,
            vectors_reused: self.vectors_reused,
        })
    }
}

/// An unsigned number as SQLite keeps it, bit for bit.
fn number(unsigned: u64) -> i64 {
    unsigned.cast_signed()
}

/// Lines as every line number in bethink counts them: each of `\n`, `\r\n` and a lone `\r` ends one,
/// and a last line without an end counts.
fn count_lines(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let is_end = |at: usize| match bytes[at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    let ends = (0..bytes.len()).filter(|at| is_end(*at)).count();
    let unended = usize::from(!text.is_empty() && !text.ends_with(['\n', '\r']));
    u32::try_from(ends + unended).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_line_end_ends_one_line() {
        for (text, lines) in
            [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\r\nb\r\n", 2), ("a\rb\r", 2), ("\n\n", 2), ("\r\r\n", 2)]
        {
            assert_eq!(count_lines(text), lines, "{text:?}");
        }
    }
}
