//! An engine that opens on the first question.
//!
//! A host starts its servers when the user opens a window and waits seconds at the most for the
//! handshake; models and matrices may take longer than that to load and are not needed for it. A
//! failed opening is not remembered: the user may run `bethink index` meanwhile, and the next
//! question should find what it made.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bethink_engine::Result;

use crate::answers::Answers;

type Opener = dyn Fn() -> Result<Arc<dyn Answers>> + Send + Sync;

/// Opens what answers when it is first needed, once.
pub struct LazyEngine {
    open: Box<Opener>,
    opened: Mutex<Option<Arc<dyn Answers>>>,
}

impl LazyEngine {
    /// One that opens by calling `open`, which is called again only after it failed.
    pub fn new(open: impl Fn() -> Result<Arc<dyn Answers>> + Send + Sync + 'static) -> Self {
        Self { open: Box::new(open), opened: Mutex::new(None) }
    }

    /// What answers. The first caller opens it while the others wait.
    ///
    /// # Errors
    /// Whatever kept it from opening.
    pub fn get(&self) -> Result<Arc<dyn Answers>> {
        // An opening that panicked left `None` behind, which is a sound state to start from.
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answers) = &*opened {
            return Ok(Arc::clone(answers));
        }
        let answers = (self.open)()?;
        *opened = Some(Arc::clone(&answers));
        Ok(answers)
    }
}

impl fmt::Debug for LazyEngine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LazyEngine").finish_non_exhaustive()
    }
}
