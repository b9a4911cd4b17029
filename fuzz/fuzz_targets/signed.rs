//! The reader of messages in their signatures.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| bethink_extract::fuzzing::signed(bytes));
