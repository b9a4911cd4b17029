//! What the surfaces ask for: the four questions that an agent may put.
//!
//! A trait rather than the engine itself, so that the surfaces can be tried over pipes against
//! answers that a test made up, slow ones and broken ones included.

use bethink_engine::{AskAnswer, AskRequest, Engine, FindAnswer, FindRequest, ReadAnswer, ReadRequest, Result, Status};

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
}
