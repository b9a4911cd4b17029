//! Any file through the door, with what is inside it.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| bethink_extract::fuzzing::door(bytes));
