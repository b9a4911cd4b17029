//! Worker processes: where parsers that cannot be vouched for run.
//!
//! A worker is the same program behind a hidden subcommand. It reads one file's bytes at a time from
//! its standard input, answers with text piece by piece, and can do nothing else: no descriptor but
//! its pipes and no way to another, no program to start, bounded memory and CPU time (`confine`). A
//! crash, a hang or a balloon ends the worker and costs the one file; what was read of it before is kept.

mod child;
mod confine;
mod library;
mod meter;
mod pool;
mod protocol;

pub use child::{worker_main, worker_main_meeting};
pub use confine::{Confinement, Enforcement, confinement};
pub use library::PdfLibrary;
pub use meter::{Meter, WorkerCost};
pub(crate) use pool::Pool;
pub(crate) use protocol::read_anything;
