//! Judged questions, and what was answered.

/// A place that answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RightPlace {
    /// The file, relative to the collection.
    pub path: String,
    /// First and last line, from 1; `None` where the whole file is the answer.
    pub lines: Option<(u32, u32)>,
    /// How well it answers; 0 means not at all.
    pub grade: u32,
}

/// A question with the places that answer it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedQuestion {
    /// Its name in the collection.
    pub id: String,
    /// The places; none for a question that nothing in the collection answers.
    pub right: Vec<RightPlace>,
}

impl JudgedQuestion {
    /// Whether nothing answers it, so that the right answer is none.
    pub fn is_negative(&self) -> bool {
        self.right.is_empty()
    }
}

/// One place that was answered; answers are lists of them, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The file, relative to the collection.
    pub path: String,
    /// The line, from 1; 0 where only the file was named.
    pub line: u32,
    /// The score, comparable inside one run.
    pub score: f64,
}
