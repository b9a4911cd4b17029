//! The compact text of answers, the same for an agent and (before colours) for a person.
//!
//! Promises: one hit is one line; nothing in a path, title or excerpt can break the line, steer a
//! terminal or turn the reading direction, because what is not meant to be seen is made visible.
//! Refuses: to decide what is shown. It says what it was given.

mod amount;
mod find;
mod hit;
mod look;
mod read;
mod shown;
mod status;

pub use amount::{bytes, grouped, plural};
pub use find::{find_header, find_line};
pub use hit::{HitLine, ask_header};
pub use look::Look;
pub use read::{numbered, read_header};
pub use shown::{shown, shown_line};
pub use status::status_text;
