//! The command as a person types it: real processes, real folders, an empty home.
//!
//! The acceptance cases of the shared data (`cases/files.md`), each with the test that fails when it does
//! not hold. Names without a file are tests of this program.
//!
//! | case | what | test |
//! |---|---|---|
//! | F1 | words without spaces | `questions::f1_…` |
//! | F2, F3, F22 | odd names, names that differ in separators | `pipes::f2_…`; `first_index::odd_names_…` (ingest) |
//! | F4 | names that differ in case | `robustness::f4_…` |
//! | F5 | links, pipes, sockets, devices | `robustness::f5_…` |
//! | F6 | two runs at once, questions meanwhile | `robustness::f6_…`; `processes` (ingest) |
//! | F7 | killed runs | `robustness::f7_…`; `killed` (ingest) |
//! | F8 | broken PDF files | `robustness::f8_…`; `workers` and `mutants` (extract) |
//! | F9 | a scope inside the search | `questions::f9_…` |
//! | F10 | whatever can be typed | `questions::f10_…` |
//! | F11 | no word is mandatory | `questions::f11_…` |
//! | F12 | wide characters | `encodings::f12_…` |
//! | F13 | giant lines | `robustness::f13_…`, `robustness::a_hit_in_a_giant_line_…`; `troubles` (ingest) |
//! | F14, F15 | encodings; content decides | `encodings::f14_…`, `encodings::f15_…` |
//! | F16 | closed pipes | `pipes::f16_…` |
//! | F17 | renamed files | `freshness::f17_…`, `meaning::f17_…`; `changes` (ingest) |
//! | F18 | deleted words | `freshness::f18_…` |
//! | F19 | unreadable for a moment, unmounted | `robustness::f19_…`; `out_of_sight` (ingest) |
//! | F20 | memory, growth | `robustness::f20_…`, `freshness::f20_…` |
//! | F21 | one change of many | `freshness::f21_…`; `changes` (ingest) |
//! | F23 | first start without a model | `robustness::f23_…` |
//! | F24 | an agent that dies, babbles, cancels | `protocol` (server) |
//! | F25 | a question over mixed files | `questions::f25_…` |
//! | F26 | two models | `meaning::f26_…` |
//! | F27 | words of a name | `finding::f27_…` |
//! | F28 | whole local days, daylight saving | `finding::f28_…` |
//! | F29 | a vague memory of an essay | `meaning::f29_…` |
//! | F30 | a cloned folder configures nothing | `robustness::f30_…` |

#![allow(clippy::unwrap_used)]

mod coverage;
mod encodings;
mod evaluation;
mod finding;
mod freshness;
mod inside;
mod libraries;
mod log;
mod meaning;
mod memory_search;
mod pipes;
mod questions;
mod read_only;
mod robustness;
mod sandbox;
mod serving;
