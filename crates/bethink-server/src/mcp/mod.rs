//! The Model Context Protocol over standard input and output.
//!
//! Promises: the handshake is answered at once, whatever a model takes to load; several questions
//! run at the same time; a line that is no message is answered with a protocol error and the next
//! line is read as if nothing had been; what a tool cannot do is an answer that says what to do
//! next, never a broken protocol; every answer fits a budget of tokens, says what it left out and
//! gives a cursor to it; when standard input closes, the process is gone within a second.
//!
//! Refuses: to write. Every tool only reads. What comes back from files is data: it stands in
//! fields of its own, one line a hit, numbered where it is read, and never in a description.

mod guide;
mod handler;
mod line;
mod serve;
mod transport;

pub(crate) use handler::Handler;

pub use guide::{GUIDE, instructions};
pub use serve::{Background, ServeOptions, serve, serve_stdio};
