//! Documents to try a store with: every line of a text is one passage.

use std::path::{Path, PathBuf};

use bethink_core::{
    ContentHash, ContentId, DocumentId, Format, Locator, ModelId, Passage, PassageKey, Problem, ProblemKind, RootId,
};
use bethink_store::{
    Batch, FileStamp, IndexReader, IndexWriter, ModelSpec, NewContent, NewVector, Publication, Reading, Tier,
};

/// FNV-1a, 64 bits: equal texts get equal keys, and that is all that is asked of it here.
fn fingerprint(seed: u64, text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325 ^ seed, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

pub fn hash(text: &str) -> ContentHash {
    let mut bytes = [0; 32];
    for (seed, chunk) in bytes.chunks_exact_mut(8).enumerate() {
        chunk.copy_from_slice(&fingerprint(seed as u64, text).to_le_bytes());
    }
    ContentHash(bytes)
}

pub fn key(text: &str) -> PassageKey {
    let mut bytes = [0; 16];
    for (seed, chunk) in bytes.chunks_exact_mut(8).enumerate() {
        chunk.copy_from_slice(&fingerprint(seed as u64 + 9, text).to_le_bytes());
    }
    PassageKey(bytes)
}

pub fn stamp(second: i64, size: usize) -> FileStamp {
    FileStamp {
        size_bytes: size as u64,
        modified_ns: second * 1_000_000_000,
        changed_ns: second * 1_000_000_000 + 1,
        inode: 7,
        device: 3,
    }
}

pub fn new_content(text: &str) -> NewContent {
    let mut passages = Vec::new();
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let end = start + line.len();
        let heading = if index == 0 { Vec::new() } else { vec!["Part".to_owned(), format!("line {index}")] };
        let locator = if index == 0 { Locator::Line } else { Locator::Page(index as u32) };
        passages.push(Passage {
            key: key(line),
            range: start..end,
            line: index as u32 + 1,
            heading,
            locator,
            marks: Vec::new(),
        });
        start = end;
    }
    NewContent {
        format: Format::Text,
        title: text.lines().next().map(str::to_owned),
        text: text.to_owned(),
        passages,
        problems: Vec::new(),
        extractor_version: 1,
        cutter_version: 1,
    }
}

pub fn with_reading(root: RootId, path: impl AsRef<Path>, reading: Reading) -> Publication {
    Publication { root, path: path.as_ref().to_path_buf(), stamp: stamp(100, 0), hash: None, reading }
}

pub fn text(root: RootId, path: impl AsRef<Path>, text: &str) -> Publication {
    text_at(root, path, text, 100)
}

pub fn text_at(root: RootId, path: impl AsRef<Path>, text: &str, second: i64) -> Publication {
    Publication {
        stamp: stamp(second, text.len()),
        hash: Some(hash(text)),
        ..with_reading(root, path, Reading::Text(new_content(text)))
    }
}

pub fn skipped(root: RootId, path: impl AsRef<Path>, kind: ProblemKind) -> Publication {
    with_reading(root, path, Reading::Skipped { kind, detail: format!("it is {}", kind.name()) })
}

pub fn failed(root: RootId, path: impl AsRef<Path>, keep_earlier: bool) -> Publication {
    let detail = "the system refused to open it".to_owned();
    with_reading(root, path, Reading::Failed { kind: ProblemKind::Unreadable, detail, keep_earlier })
}

pub fn publish(publications: Vec<Publication>) -> Batch {
    Batch { publications, ..Batch::default() }
}

pub fn damaged_problem() -> Problem {
    Problem { kind: ProblemKind::Damaged, detail: "page 3 is cut short".to_owned() }
}

pub fn root<W: IndexWriter>(writer: &mut W) -> RootId {
    writer.add_root(Path::new("/home")).unwrap().id
}

pub fn document<R: IndexReader>(reader: &R, path: impl AsRef<Path>) -> DocumentId {
    reader.find_document_at(path.as_ref()).unwrap().unwrap().id
}

pub fn content<R: IndexReader>(reader: &R, path: impl AsRef<Path>) -> ContentId {
    reader.find_document_at(path.as_ref()).unwrap().unwrap().content.unwrap()
}

pub fn text_of<R: IndexReader>(reader: &R, content: ContentId) -> String {
    reader.passages_of(content).unwrap().into_iter().map(|passage| passage.text).collect()
}

pub fn paths<R: IndexReader>(reader: &R, under: Option<&str>) -> Vec<PathBuf> {
    let documents = reader.documents_under(under.map(Path::new), None, 1000).unwrap();
    documents.into_iter().map(|document| document.path).collect()
}

pub fn model(name: &str) -> ModelSpec {
    ModelSpec { id: ModelId(name.to_owned()), tier: Tier::Static, dimension: 2 }
}

/// A vector of length one that depends on the key and is exact in half precision.
pub fn vector(key: PassageKey) -> Vec<f32> {
    if key.0[0].is_multiple_of(2) { vec![1.0, 0.0] } else { vec![0.0, -1.0] }
}

/// Embeds everything that waits; the number of passages that were claimed.
pub fn embed_all<W: IndexWriter>(writer: &mut W, model: &ModelSpec) -> usize {
    let mut claimed = 0;
    loop {
        let claim = writer
            .claim_embeddings(&model.id, 3, bethink_core::UnixMillis(1000), bethink_store::DEFAULT_LEASE)
            .unwrap();
        if claim.tasks.is_empty() {
            return claimed;
        }
        claimed += claim.tasks.len();
        let vectors: Vec<NewVector> = claim
            .tasks
            .iter()
            .map(|task| NewVector { passage: task.passage, key: task.key, vector: Ok(vector(task.key)) })
            .collect();
        assert_eq!(writer.publish_vectors(&claim, &vectors).unwrap(), vectors.len() as u64);
    }
}
