//! The reader of Outlook's `winmail.dat`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| bethink_extract::fuzzing::winmail(bytes));
