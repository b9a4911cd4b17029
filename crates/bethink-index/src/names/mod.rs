//! Every path with its kind, size and time, in one file that a query maps and scans.
//!
//! A name is searched by its words: letters and digits, folded, with everything else (`_`, `-`, `.`,
//! brackets, spaces) as a border. Each word of the query has to be found in the file's name or in
//! the folders above it; a whole word counts more than a beginning, a beginning more than a middle,
//! a middle more than a misspelling, and the name more than the folders. Only when nothing holds
//! every word is a word allowed to be missing, and the answer says how many are.
//!
//! Promises: paths come back byte for byte; nothing is parsed at opening; the order of an answer
//! does not depend on the order in which names were collected. Refuses: to look at the disk.

mod answer;
mod builder;
mod file;
mod letters;
mod quality;
mod query;
mod search;
mod typo;
mod words;

pub use answer::{HiddenMatch, NameAnswer, NameHow, NameMatch};
pub use builder::{NameEntry, NamesBuilder};
pub use file::Names;
pub use query::{ModifiedWindow, NameQuery};
