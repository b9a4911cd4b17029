//! The façade: opens a home, wires the parts, and answers requests in plain data.
//!
//! Everything that a person or an agent can ask for is a method of [`Engine`], takes one request and
//! gives one answer with public fields. Surfaces (command line, MCP, REST, workbench) only translate,
//! so they cannot disagree. Nothing here prints, reads the environment, or knows a wire format: the
//! binary passes in the home folder, the user's folder, the clock and the time zone.

#![forbid(unsafe_code)]

mod ask;
mod cache;
mod doctor;
mod engine;
mod error;
mod find;
mod home;
mod index;
mod memory;
mod model;
mod name;
mod opened;
mod pdf_engine;
mod read;
mod serving;
mod status;
mod sweep;
mod urgency;
mod verifier;
mod watch;

pub use ask::{AskAnswer, AskRequest, AskShape, Where};
pub use bethink_search::{Hidden, Hit, eval};
pub use doctor::{Diagnosis, Trouble, WhyPath};
pub use engine::{BundledModel, Engine, EngineOptions};
pub use error::{EngineError, Result};
pub use find::{FindAnswer, FindHit, FindRequest, HiddenByKind, KindFilter, LookedIn, WindowUsed};
pub use home::Home;
pub use index::{
    ForgetSummary, IndexEvent, IndexRequest, IndexSummary, Progress, RootOutcome, SharpenRequest, SharpenSummary, Stop,
};
pub use memory::{
    EventList, EventListRequest, EventRequest, NoteRequest, NotebookReply, NotebookRequest, PinRequest, ShownNote,
    ShownSuggestion,
};
pub use model::{ModelStatus, ModelTier};
pub use opened::{Opened, OpenedSource};
pub use pdf_engine::PdfEngineStatus;
pub use read::{ReadAnswer, ReadLine, ReadRequest, ReadTarget};
pub use serving::Serving;
pub use status::{RootStatus, Status, TierStatus};

pub use bethink_memory::MemoryError;
/// The log's own words: events, their kinds, and what a pattern finds among them.
pub use bethink_memory::grep::{GrepAnswer, GrepHit};
pub use bethink_store::memory::{
    Access, Author, EventKind, LoggedEvent, MemoryEvent, MemoryStoreError, Note, NoteContent, NoteKind, Person,
    Revision, Suggestion, Written,
};

/// Reads risky files under limits on behalf of another process: the body of the hidden subcommand
/// that [`EngineOptions::worker`] names.
pub use bethink_extract::worker_main as extract_worker;

/// The kinds of files that are read, each with how it is told, where its hits point, what is lost, and
/// where reading stops.
pub use bethink_extract::{FormatEntry, formats};

/// Text that others wrote with everything made visible that could steer a terminal, hide, or turn the
/// reading direction.
pub use bethink_text::visible;
