//! What the surfaces ask for: the four questions that an agent may put.
//!
//! A trait rather than the engine itself, so that the surfaces can be tried over pipes against
//! answers that a test made up, slow ones and broken ones included.

use bethink_engine::{
    AskAnswer, AskRequest, Author, Engine, EventRequest, FindAnswer, FindRequest, GrepAnswer, MemoryEvent, Note,
    NoteRequest, NotebookReply, NotebookRequest, PinRequest, ReadAnswer, ReadRequest, Result, Status, Written,
};

/// Something that answers. Calls come from several threads at once and may block.
pub trait Answers: Send + Sync {
    /// A question by words and meaning.
    ///
    /// # Errors
    /// Whatever kept the question from being answered.
    fn ask(&self, request: &AskRequest) -> Result<AskAnswer>;

    /// Files by name, kind and time.
    ///
    /// # Errors
    /// Whatever kept the question from being answered.
    fn find(&self, request: &FindRequest) -> Result<FindAnswer>;

    /// The text around a place.
    ///
    /// # Errors
    /// Whatever kept the text from being read.
    fn read(&self, request: &ReadRequest) -> Result<ReadAnswer>;

    /// The state of the index.
    ///
    /// # Errors
    /// Whatever kept the state from being read.
    fn status(&self) -> Result<Status>;

    /// A pattern over the log.
    ///
    /// # Errors
    /// Whatever kept the log from being searched.
    fn grep_memory(&self, pattern: &str) -> Result<GrepAnswer>;

    /// A question to the notebook.
    ///
    /// # Errors
    /// Whatever kept the question from being answered.
    fn check_notebook(&self, request: &NotebookRequest) -> Result<NotebookReply>;

    /// Keeps an event.
    ///
    /// # Errors
    /// Whatever kept it from being kept.
    fn remember(&self, request: &EventRequest) -> Result<MemoryEvent>;

    /// Pins a thought; whether it is new is told.
    ///
    /// # Errors
    /// Whatever kept it from being pinned.
    fn pin(&self, request: &PinRequest) -> Result<(Note, bool)>;

    /// Writes a note on an agent's behalf.
    ///
    /// # Errors
    /// Whatever kept it from being written.
    fn write_note(&self, request: &NoteRequest) -> Result<Written>;

    /// Enters a call in the audit trail.
    ///
    /// # Errors
    /// Whatever kept it from being entered.
    fn record_access(&self, tool: &str, arguments: &str, answered: &[String]) -> Result<()>;
}

impl Answers for Engine {
    fn ask(&self, request: &AskRequest) -> Result<AskAnswer> {
        Engine::ask(self, request)
    }

    fn find(&self, request: &FindRequest) -> Result<FindAnswer> {
        Engine::find(self, request)
    }

    fn read(&self, request: &ReadRequest) -> Result<ReadAnswer> {
        Engine::read(self, request)
    }

    fn status(&self) -> Result<Status> {
        Engine::status(self)
    }

    fn grep_memory(&self, pattern: &str) -> Result<GrepAnswer> {
        Engine::grep_memory(self, pattern)
    }

    fn check_notebook(&self, request: &NotebookRequest) -> Result<NotebookReply> {
        Engine::check_notebook(self, request)
    }

    fn remember(&self, request: &EventRequest) -> Result<MemoryEvent> {
        Engine::log_event(self, request)
    }

    fn pin(&self, request: &PinRequest) -> Result<(Note, bool)> {
        Engine::pin(self, request, Author::Agent)
    }

    fn write_note(&self, request: &NoteRequest) -> Result<Written> {
        Engine::write_note(self, request, Author::Agent)
    }

    fn record_access(&self, tool: &str, arguments: &str, answered: &[String]) -> Result<()> {
        Engine::record_access(self, tool, arguments, answered)
    }
}
