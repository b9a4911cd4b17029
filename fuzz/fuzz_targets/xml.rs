//! The reader of XML that the readers of documents share.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| bethink_extract::fuzzing::xml(bytes));
