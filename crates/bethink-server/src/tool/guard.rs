//! The guard around an agent that searches the memory: it stops what would only cost time.
//!
//! Two rules hold for a turn of the conversation. The same question is answered once; a repetition is
//! refused with a pointer to the earlier answer. And a tool answers so many questions; after that it is
//! the wording that changes and not the memory. Without word from the host a turn ends with a silence.
//! Both rules step aside where the host says that it sees to this itself. Programs are not agents and
//! are not guarded.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::trouble::{Trouble, TroubleKind};

/// Questions of one tool in a turn. Of fifty simulated tasks, none that succeeded needed more than four.
const QUESTIONS_A_TURN: usize = 6;

/// A silence of this length ends a turn: a model that is at work calls again within seconds.
const SILENCE: Duration = Duration::from_secs(60);

/// What was asked in the present turn.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    /// Whether the host sees to repetitions itself.
    host_owns: bool,
    last: Option<Instant>,
    calls: usize,
    asked: HashMap<&'static str, Vec<(String, usize)>>,
}

impl Guard {
    /// A guard; one that does nothing where the host sees to repetitions itself.
    pub(crate) fn new(host_owns: bool) -> Self {
        Self { host_owns, ..Self::default() }
    }

    /// Lets a question through, or says what to do instead of asking it.
    ///
    /// # Errors
    /// The question was asked in this turn already, or the tool has answered enough of them.
    pub(crate) fn admit(&mut self, tool: &'static str, question: &str, now: Instant) -> Result<(), Trouble> {
        if self.host_owns {
            return Ok(());
        }
        if self.last.is_some_and(|last| now.saturating_duration_since(last) > SILENCE) {
            self.calls = 0;
            self.asked.clear();
        }
        self.last = Some(now);
        self.calls += 1;
        let asked = self.asked.entry(tool).or_default();
        if let Some((_, number)) = asked.iter().find(|(known, _)| known == question) {
            return Err(Trouble::new(
                TroubleKind::Arguments,
                format!("{tool} has answered exactly this already: it was call {number} of this turn."),
                "Use that answer; asking again gives the same. If it was not enough, say so to the user.",
            ));
        }
        if asked.len() >= QUESTIONS_A_TURN {
            return Err(Trouble::new(
                TroubleKind::Arguments,
                format!("{tool} has answered {QUESTIONS_A_TURN} questions in this turn, and that is all."),
                "Other wordings will not find more. Answer from what was found, and say what was not.",
            ));
        }
        asked.push((question.to_owned(), self.calls));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m21_a_repetition_is_refused_and_rewording_ends() {
        let mut guard = Guard::new(false);
        let start = Instant::now();
        assert!(guard.admit("grep_memory", "tram", start).is_ok());
        let refused = guard.admit("grep_memory", "tram", start).map_err(|trouble| trouble.to_string());
        assert!(refused.is_err_and(|said| said.contains("call 1") && said.contains("Use that answer")));
        assert!(guard.admit("check_notebook", "tram", start).is_ok(), "another tool is another question");
        for number in 1..QUESTIONS_A_TURN {
            assert!(guard.admit("grep_memory", &format!("tram {number}"), start).is_ok());
        }
        let ended = guard.admit("grep_memory", "one more", start).map_err(|trouble| trouble.to_string());
        assert!(ended.is_err_and(|said| said.contains("that is all")));
        // A silence ends the turn; refused calls count as noise, too.
        let later = start + SILENCE + Duration::from_secs(1);
        assert!(guard.admit("grep_memory", "tram", later).is_ok());
    }

    #[test]
    fn a_host_that_owns_repetitions_is_left_alone() {
        let mut guard = Guard::new(true);
        let now = Instant::now();
        assert!((0..20).all(|_| guard.admit("grep_memory", "tram", now).is_ok()));
    }
}
