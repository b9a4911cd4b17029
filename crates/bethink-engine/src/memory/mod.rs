//! What the person owns: requests to the memory, answered.
//!
//! ```text
//! log     appending, listing, patterns, forgetting
//! notebook  notes, pins, people
//! projection  the memory as documents of the index
//! moment  times as people and programs write them
//! ```

mod log;
mod moment;
mod notebook;
mod projection;

use bethink_memory::MemoryError;
use bethink_store::memory::MemoryStoreError;
use bethink_store::sqlite::{SqliteMemory, SqliteMemoryReader};

pub use log::{EventList, EventListRequest, EventRequest};
pub use notebook::{NoteRequest, NotebookReply, NotebookRequest, PinRequest, ShownNote, ShownSuggestion};

use crate::engine::Engine;
use crate::error::{EngineError, Result};

impl From<MemoryStoreError> for EngineError {
    fn from(error: MemoryStoreError) -> Self {
        Self::Memory(MemoryError::Store(error))
    }
}

impl Engine {
    /// A handle that may change the memory; makes the home.
    pub(crate) fn memory(&self) -> Result<SqliteMemory> {
        self.home().create()?;
        Ok(SqliteMemory::open(&self.home().memory_database())?)
    }

    /// A handle for questions; `None` while nothing was ever remembered.
    pub(crate) fn memory_reader(&self) -> Result<Option<SqliteMemoryReader>> {
        Ok(SqliteMemoryReader::open(&self.home().memory_database())?)
    }
}
