//! The fields of the two indexes, and what each is worth.

use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};

use super::tokenizer::TERMS;

/// Raised whenever the fields or the meaning of their terms change.
pub(crate) const FORMAT: u32 = 1;

/// What a word in a heading above the passage adds, beside 1 for the same word in its text. A
/// heading is short, so its BM25 is high already, and all passages of a section share it; half
/// keeps the passage that says the word above the one that merely stands below it.
const HEADING_WORTH: f32 = 0.5;
/// What a word in a title, and in the folders above, adds beside 1 for one in the file's name.
const TITLE_WORTH: f32 = 0.8;
const FOLDER_WORTH: f32 = 0.3;

/// Name of the column that holds the passage or document.
pub(crate) const ID: &str = "id";
/// Name of the column that holds the passage's content.
pub(crate) const CONTENT: &str = "content";

/// A searched field and what its score is multiplied by.
pub(crate) type WeighedField = (Field, f32);

/// Fields of the passages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassageFields {
    pub(crate) passage: Field,
    pub(crate) content: Field,
    pub(crate) body: Field,
    pub(crate) heading: Field,
}

impl PassageFields {
    pub(crate) fn define() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let fields = Self {
            passage: schema.add_u64_field(ID, INDEXED | FAST),
            content: schema.add_u64_field(CONTENT, INDEXED | FAST),
            body: schema.add_text_field("body", words()),
            heading: schema.add_text_field("heading", words()),
        };
        (schema.build(), fields)
    }

    pub(crate) fn weighed(&self) -> [WeighedField; 2] {
        [(self.body, 1.0), (self.heading, HEADING_WORTH)]
    }
}

/// Fields of the documents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocumentFields {
    pub(crate) document: Field,
    pub(crate) name: Field,
    pub(crate) title: Field,
    pub(crate) folders: Field,
}

impl DocumentFields {
    pub(crate) fn define() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let fields = Self {
            document: schema.add_u64_field(ID, INDEXED | FAST),
            name: schema.add_text_field("name", words()),
            title: schema.add_text_field("title", words()),
            folders: schema.add_text_field("folders", words()),
        };
        (schema.build(), fields)
    }

    pub(crate) fn weighed(&self) -> [WeighedField; 3] {
        [(self.name, 1.0), (self.title, TITLE_WORTH), (self.folders, FOLDER_WORTH)]
    }
}

fn words() -> TextOptions {
    TextOptions::default().set_indexing_options(
        TextFieldIndexing::default().set_tokenizer(TERMS).set_index_option(IndexRecordOption::WithFreqsAndPositions),
    )
}
