//! The tools: what an agent or a program may ask, whichever surface it comes by.
//!
//! One table of cards says which tools there are and what they take; one piece of code reads the
//! arguments, asks the engine and builds the answer, in words and as structured content. MCP and
//! REST only carry it, so that the two cannot disagree.
//!
//! Refuses: to write anything but the memory, by the tools that are made for it and say so; every other tool
//! only reads. What comes back from files is data: it stands in
//! fields of its own, one line a hit, numbered where it is read, and never in a description.

mod answer;
mod arguments;
mod budget;
mod call;
mod card;
mod cursor;
mod desk;
mod guard;
mod memory;
mod schema;
mod trouble;

pub(crate) use arguments::schema as input_schema;
pub(crate) use budget::Room;
pub(crate) use call::Said;
pub(crate) use card::{TOOLS, ToolCard, named};
pub(crate) use desk::Desk;
pub(crate) use trouble::{Trouble, TroubleKind};

/// An object of JSON: arguments, and schemas.
pub(crate) type JsonObject = serde_json::Map<String, serde_json::Value>;

/// Questions that are worked on at the same time. More would only wait for the same two or four
/// cores and hold their memory while they wait.
pub(crate) const AT_ONCE: usize = 4;
