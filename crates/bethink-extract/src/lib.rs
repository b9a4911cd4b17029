//! The untrusted boundary: bytes in, text with locators out.
//!
//! Everything that a stranger could have written passes through here and through nothing else.
//! The crate promises that no input makes it panic, hang, or grow without bound towards its
//! caller: formats whose parsers are large run in worker processes under limits (`worker`), the
//! others are linear scans over bytes that are already in memory. It never opens a file, never
//! writes one, and never logs what it reads.
//!
//! One folder a format family (`text`, `html`, `pdf`); a family is one implementation of
//! `family::Family` and one line in `family::FAMILIES`.

#![deny(unsafe_code)]

mod allowance;
mod binary_office;
mod book;
mod bookmarks;
mod chat;
mod container;
mod evernote;
mod extraction;
mod extractor;
mod family;
mod flow;
mod format_entry;
#[doc(hidden)]
pub mod fuzzing;
mod html;
mod iwork;
mod json;
mod limits;
mod mail;
mod media;
mod member;
mod notebook;
mod onenote;
mod ooxml;
mod opendocument;
mod package;
mod pdf;
mod record;
mod rtf;
mod sheet;
mod sniff;
mod subtitle;
mod text;
mod title;
mod worker;
mod xml;

pub use extraction::Extraction;
pub use extractor::{Extractor, ExtractorSettings};
pub use format_entry::{FormatEntry, formats};
pub use limits::Limits;
pub use member::{MemberFile, MemberVisitor};
pub use sniff::sniff;
pub use worker::{Confinement, Enforcement, PdfLibrary, confinement, worker_main};
#[doc(hidden)]
pub use worker::{Meter, WorkerCost, worker_main_meeting};

/// Rises whenever the same bytes would yield other text, so that stored texts are read anew. An
/// extractor with a library of the user's has a version of its own: [`Extractor::version`].
pub const EXTRACTOR_VERSION: u32 = 3;
