//! The example program that serves as worker, and extractors that use it.

use std::ffi::OsString;
use std::path::PathBuf;

use bethink_extract::{Extractor, ExtractorSettings, Limits};

/// Cargo builds it with `cargo test`, beside the tests.
pub fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let examples = tests.parent().unwrap().parent().unwrap().join("examples");
    let program = examples.join("misbehaving_worker").with_extension(std::env::consts::EXE_EXTENSION);
    assert!(program.is_file(), "build it first: cargo build -p bethink-extract --examples");
    program
}

/// An extractor with so many such workers, called with these arguments.
pub fn extractor_of(pool_size: usize, arguments: &[&str], limits: Limits) -> Extractor {
    let arguments = arguments.iter().map(OsString::from).collect();
    Extractor::new(ExtractorSettings {
        worker_command: Some((program(), arguments)),
        limits,
        pool_size,
        ..ExtractorSettings::default()
    })
}
