//! Every serde type of the wire, shared by `--json`, MCP and REST.
//!
//! Output is JSON Lines: objects whose `type` says what they are (`hit`, `line`, `event`, …), then
//! one that sums up. The order of fields is the order in which they are declared here and is part
//! of the promise; new fields are added, old ones never change their meaning. Numbers that a
//! consumer may lack are `null`, not absent, in the fields that the design names for every hit;
//! everything else is left out where there is nothing to say.
//!
//! Moments are RFC 3339 in UTC, whole seconds. Paths are the exact path where it is UTF-8; where it
//! is not, `path` is a readable likeness and `path_bytes` holds the bytes in hexadecimal.

mod ask;
mod doctor;
mod error;
mod event;
mod explanation;
mod find;
mod format;
mod index;
mod lines;
mod model;
mod moment;
mod note;
mod path;
mod read;
mod score;
mod status;

pub use ask::{Hidden, Hit, Summary, Where};
pub use doctor::{Detail, Diagnosis, Trouble, Why};
pub use error::ErrorObject;
pub use event::{AccessObject, Event, EventSummary, Forgot, Match, event_list_lines, grep_lines};
pub use explanation::Explanation;
pub use find::{FindHit, FindSummary, FindWhere, HiddenByKind, Place, Window};
pub use format::Format;
pub use index::{Counted, Forgotten, IndexEvent, IndexSummary, RootOutcome};
pub use lines::{ask_lines, find_lines, json_line, read_lines, status_line};
pub use model::Model;
pub use moment::rfc3339;
pub use note::{
    NoteObject, NotebookSummary, PersonObject, RevisionObject, SuggestionObject, WrittenObject, notebook_lines,
};
pub use path::{WirePath, extension};
pub use read::{ReadLine, ReadSummary};
pub use status::{Root, Status, Tier};
