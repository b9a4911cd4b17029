//! How good answers are, against questions whose right places are known.
//!
//! Promises: a pure function of the judged questions and of what was answered; the figures are those of
//! any other scorer of the same definitions to the third decimal; comparing two runs gives the same
//! interval every time. Refuses: to read a file, to ask a question, to average away that a question was
//! not answered: such a question counts with 0.

mod bootstrap;
mod figure;
mod judged;
mod summary;

pub use bootstrap::{Comparison, compare};
pub use figure::{Figure, Figures, LINE_SLACK, judge};
pub use judged::{JudgedQuestion, Place, RightPlace};
pub use summary::{Negatives, Summary, summarise};
