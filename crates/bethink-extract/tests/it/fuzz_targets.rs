//! The fuzz targets of `fuzz/`, which need another build: each is there, and each holds over mutants
//! of the samples.

use std::panic::catch_unwind;
use std::path::Path;

use bethink_extract::fuzzing::{TARGETS, Target};
use bethink_extract::sniff;

use crate::mutants::{Sample, mutant, own_samples};

/// Mutants that each target is given.
const MUTANTS: u64 = 100;

/// As in a worker, where nesting has more room than in a thread of a test.
const STACK_BYTES: usize = 64 << 20;

#[test]
fn every_target_has_its_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for target in TARGETS {
        let program = std::fs::read_to_string(folder.join(format!("fuzz_targets/{}.rs", target.name))).unwrap();
        assert!(program.contains(&format!("bethink_extract::fuzzing::{}(", target.name)), "{}", target.name);
        assert!(manifest.contains(&format!("name = \"{}\"", target.name)), "{}", target.name);
    }
    let programs = std::fs::read_dir(folder.join("fuzz_targets")).unwrap().count();
    assert_eq!(programs, TARGETS.len());
}

#[test]
fn every_target_holds_over_mutants() {
    let mut broken = Vec::new();
    for target in TARGETS {
        let trying = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(|| try_mutants(target));
        broken.extend(trying.unwrap().join().unwrap());
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// What the target does not survive.
fn try_mutants(target: &Target) -> Vec<String> {
    let reads = |sample: &Sample| {
        let extension = sample.path.extension().and_then(|extension| extension.to_str());
        target.format.is_none_or(|format| sniff(&sample.bytes, extension) == format)
    };
    let mut samples: Vec<Sample> = own_samples().into_iter().filter(reads).collect();
    // What has no sample of its own is told apart by its content; anything will do.
    if samples.is_empty() {
        samples = own_samples();
    }
    let mut broken = Vec::new();
    for sample in &samples {
        if catch_unwind(|| (target.run)(&sample.bytes)).is_err() {
            broken.push(format!("{} on {}", target.name, sample.path.display()));
        }
    }
    for number in 0..MUTANTS {
        let (sample, bytes) = mutant(number, &samples);
        if catch_unwind(|| (target.run)(&bytes)).is_err() {
            broken.push(format!("{} on mutant {number}, of {}", target.name, sample.path.display()));
        }
    }
    broken
}
