//! A workbench: a home, files, a store, caches, an extractor that counts and can be told to fail, and a
//! model that counts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use bethink_core::{ContentId, PassageId};
use bethink_embed::Embedder;
use bethink_extract::{Extraction, Extractor, ExtractorSettings, MemberVisitor};
use bethink_index::{Lexicon, Matrix};
use bethink_ingest::{Caches, Extracting, IndexOptions, Indexer, IndexerParts, Progress, Silent, Stop, Summary};
use bethink_store::sqlite::SqliteIndex;
use bethink_store::{DocumentRecord, IndexReader};
use bethink_testkit::{FixedClock, HashEmbedder, TestHome};
use bethink_text::query_terms;

/// A word of letters alone that stands for a number: digits beside letters would be words of their own.
pub fn word(number: usize) -> String {
    let letter = |place: usize| char::from(b'a' + (number / place % 26) as u8);
    format!("zq{}{}{}", letter(676), letter(26), letter(1))
}

/// The real extractor, counted; panics on files whose name says so.
pub struct CountingExtractor {
    extractor: Extractor,
    pub extracted: AtomicU64,
    pub version: AtomicU32,
    pub names: Mutex<Vec<String>>,
}

impl CountingExtractor {
    fn new() -> Self {
        Self {
            extractor: Extractor::new(ExtractorSettings::default()),
            extracted: AtomicU64::new(0),
            version: AtomicU32::new(bethink_extract::EXTRACTOR_VERSION),
            names: Mutex::default(),
        }
    }
}

impl Extracting for CountingExtractor {
    fn extract(&self, path: &Path, bytes: &[u8]) -> Extraction {
        self.extracted.fetch_add(1, Ordering::Relaxed);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_poisoned = name.contains("poison");
        self.names.lock().unwrap().push(name);
        assert!(!is_poisoned, "this file is poisoned");
        self.extractor.extract(path, bytes)
    }

    fn extract_with_members(&self, path: &Path, bytes: &[u8], visitor: &mut dyn MemberVisitor) -> Extraction {
        let extraction = self.extract(path, bytes);
        self.extractor.extract_with_members(path, bytes, visitor);
        extraction
    }

    fn version(&self) -> u32 {
        self.version.load(Ordering::Relaxed)
    }
}

pub struct Bench {
    pub home: TestHome,
    pub store: SqliteIndex,
    pub caches: Caches,
    pub extractor: CountingExtractor,
    pub model: HashEmbedder,
    pub clock: FixedClock,
    pub options: IndexOptions,
}

impl Bench {
    pub fn new() -> Self {
        let home = TestHome::new();
        let store = SqliteIndex::open(&home.home().join("index.db")).unwrap();
        let caches = Caches::open(&home.home().join("cache")).unwrap();
        Self {
            home,
            store,
            caches,
            extractor: CountingExtractor::new(),
            model: HashEmbedder::of_words(),
            clock: FixedClock::after_the_test(),
            options: IndexOptions::default(),
        }
    }

    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        self.home.write(name, bytes)
    }

    pub fn with_parts<T>(&mut self, work: impl FnOnce(IndexerParts<'_>) -> T) -> T {
        let home = self.home.home();
        let embedders: [&dyn Embedder; 1] = [&self.model];
        work(IndexerParts {
            store: &mut self.store,
            caches: &self.caches,
            home: &home,
            extracting: &self.extractor,
            embedders: &embedders,
            clock: &self.clock,
        })
    }

    /// Indexes the user's files.
    pub fn index(&mut self) -> Summary {
        let roots = [self.home.files()];
        self.index_roots(&roots)
    }

    pub fn index_roots(&mut self, roots: &[PathBuf]) -> Summary {
        self.index_watched(roots, &Silent, &Stop::new())
    }

    pub fn index_watched(&mut self, roots: &[PathBuf], progress: &dyn Progress, stop: &Stop) -> Summary {
        let options = self.options.clone();
        self.with_parts(|parts| Indexer::new(parts).index(roots, &options, progress, stop)).unwrap()
    }

    /// Names below the user's files of documents whose text holds one of these words, by the lexicon.
    pub fn found(&self, words: &str) -> Vec<String> {
        let lexicon = Lexicon::open(&self.caches.lexicon()).unwrap().expect("the lexicon is there");
        assert_eq!(lexicon.stamp().sequence, self.store.sequence().unwrap(), "the lexicon has caught up");
        let hits = lexicon.passages(&query_terms(words), None, 1_000).unwrap();
        let contents: BTreeSet<ContentId> = hits.into_iter().map(|hit| hit.content).collect();
        let contents: Vec<ContentId> = contents.into_iter().collect();
        self.names_of(self.store.documents_with(&contents).unwrap())
    }

    fn names_of(&self, documents: Vec<DocumentRecord>) -> Vec<String> {
        let files = self.home.files();
        let mut names: Vec<String> = documents
            .into_iter()
            .map(|document| document.path.strip_prefix(&files).unwrap_or(&document.path).to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Names below the user's files of every document.
    pub fn documents(&self) -> Vec<String> {
        self.names_of(self.store.documents_under(None, None, 100_000).unwrap())
    }

    pub fn document(&self, name: &str) -> DocumentRecord {
        self.store.find_document_at(&self.home.path(name)).unwrap().unwrap_or_else(|| panic!("{name} is no document"))
    }

    pub fn extracted(&self) -> u64 {
        self.extractor.extracted.load(Ordering::Relaxed)
    }

    /// Every live passage has a vector in the store and a row in the matrix, and no other has.
    pub fn assert_vectors_are_those_of_live_passages(&self) {
        let model = &self.model.spec().id;
        let mut passages: Vec<PassageId> = Vec::new();
        for content in self.store.contents_after(ContentId(0), 100_000).unwrap() {
            passages.extend(self.store.passages_of(content).unwrap().into_iter().map(|passage| passage.id));
        }
        let with_vector = self.store.passages_with_vector(model, &passages).unwrap();
        let tier = self.store.tiers().unwrap().into_iter().find(|tier| tier.model.id == *model).unwrap();
        assert_eq!(tier.pending, 0);
        assert_eq!(tier.done, with_vector.len() as u64, "no vector without a passage");
        assert_eq!(tier.done + tier.failed, passages.len() as u64, "no passage without an answer");
        let matrix = Matrix::open(&self.caches.matrix(model)).unwrap().expect("the matrix is there");
        assert_eq!(matrix.rows(), with_vector.len(), "the matrix follows");
    }
}
