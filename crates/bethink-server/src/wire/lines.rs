//! Answers as JSON Lines: one object a line, the summary last.

use std::time::Duration;

use bethink_engine::{AskAnswer, FindAnswer, ReadAnswer};
use serde::Serialize;

use super::{FindHit, FindSummary, Hit, ReadLine, ReadSummary, Status, Summary};

/// One object as one line, its line feed included.
pub fn json_line<T: Serialize>(object: &T) -> String {
    // The types of this room are structs of strings, numbers and lists of such; JSON can say all of
    // them, so there is no error that could be met.
    let mut line = serde_json::to_string(object).unwrap_or_default();
    line.push('\n');
    line
}

/// Hits, then the summary.
pub fn ask_lines(answer: &AskAnswer, elapsed: Duration) -> String {
    let mut lines: String = answer.hits.iter().map(|hit| json_line(&Hit::from(hit))).collect();
    lines.push_str(&json_line(&Summary::new(answer, elapsed)));
    lines
}

/// Hits, then the summary.
pub fn find_lines(answer: &FindAnswer, elapsed: Duration) -> String {
    let mut lines: String = answer.hits.iter().map(|hit| json_line(&FindHit::from(hit))).collect();
    lines.push_str(&json_line(&FindSummary::new(answer, elapsed)));
    lines
}

/// Lines, then the summary.
pub fn read_lines(answer: &ReadAnswer) -> String {
    let mut lines: String = answer.lines.iter().map(|line| json_line(&ReadLine::from(line))).collect();
    lines.push_str(&json_line(&ReadSummary::from(answer)));
    lines
}

/// The state of the index.
pub fn status_line(status: &bethink_engine::Status) -> String {
    json_line(&Status::from(status))
}
