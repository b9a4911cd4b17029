//! Files made worse on purpose: the same from the same number and the same samples.
//!
//! A mutant comes from one sample, or two: bits turned, an end or a stretch missing, a stretch of
//! another file inside, zeros, a stretch repeated, a field that holds a length or an offset changed to
//! one that lies. What is packed would hide most of that behind a checksum, so the parts of a ZIP are
//! changed unpacked and packed again.

use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::shared;

/// A sample file.
pub struct Sample {
    /// Its path, for its name.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Samples of every format that come with this repository.
pub fn own_samples() -> Vec<Sample> {
    let samples = samples_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples"));
    assert!(samples.len() > 50, "the samples are missing");
    samples
}

/// Those, and the real files beside the repository where they are.
pub fn all_samples() -> Vec<Sample> {
    let mut samples = own_samples();
    if let Some(folder) = shared::files() {
        samples.extend(samples_below(&folder));
    }
    samples
}

/// The files below a folder that are not empty, by name, so that numbers mean the same everywhere.
fn samples_below(folder: &Path) -> Vec<Sample> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut samples = Vec::new();
    for path in paths {
        if path.is_dir() {
            samples.extend(samples_below(&path));
        } else {
            let bytes = std::fs::read(&path).unwrap();
            samples.extend((!bytes.is_empty()).then_some(Sample { path, bytes }));
        }
    }
    samples
}

/// The mutant of that number: the sample that it comes from, and its bytes.
pub fn mutant(number: u64, samples: &[Sample]) -> (&Sample, Vec<u8>) {
    let mut chance = Chance(number);
    let sample = &samples[chance.below(samples.len())];
    let other = &samples[chance.below(samples.len())];
    let mut bytes = chance.inside_zip(&sample.bytes, &other.bytes).unwrap_or_else(|| sample.bytes.clone());
    // One change finds what several would hide behind the first.
    let changes = [1, 1, 1, 2, 4][chance.below(5)];
    for _ in 0..changes {
        chance.change(&mut bytes, &other.bytes);
    }
    (sample, bytes)
}

/// A generator of numbers (SplitMix64) that depends on nothing but its seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 1).unwrap() % end.max(1)
    }

    /// A stretch of so many bytes: mostly short, sometimes all.
    fn stretch(&mut self, length: usize) -> std::ops::Range<usize> {
        let from = self.below(length);
        let most = if self.below(4) == 0 { length } else { 64 };
        from..length.min(from + 1 + self.below(most))
    }

    fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        match self.below(8) {
            0 => bytes.truncate(self.below(bytes.len())),
            1 => {
                for _ in 0..=self.below(20) {
                    let at = self.below(bytes.len());
                    bytes[at] ^= 1 << self.below(8);
                }
            }
            2 => {
                let inserted = self.stretch(other.len());
                let at = self.below(bytes.len());
                bytes.splice(at..at, other[inserted].iter().copied());
            }
            3 => {
                let head = self.below(bytes.len());
                let tail = self.below(other.len());
                bytes.truncate(head);
                bytes.extend(&other[tail..]);
            }
            4 => {
                let removed = self.stretch(bytes.len());
                bytes.drain(removed);
            }
            5 => {
                let zeroed = self.stretch(bytes.len());
                bytes[zeroed].fill(0);
            }
            6 => {
                let stretch = self.stretch(bytes.len());
                let repeated = bytes[stretch.clone()].repeat(1 + self.below(50));
                bytes.splice(stretch.end..stretch.end, repeated.into_iter().take(1 << 20));
            }
            _ => self.lie(bytes),
        }
    }

    /// Changes a field that may hold a length, a count or an offset.
    fn lie(&mut self, bytes: &mut [u8]) {
        let width = [1, 2, 4, 8][self.below(4)].min(bytes.len());
        let at = self.below(bytes.len() - width + 1);
        let field = &mut bytes[at..at + width];
        let is_text = field.iter().all(u8::is_ascii_digit);
        match self.below(5) {
            // A number in letters stays one.
            _ if is_text => field.fill(b'0' + u8::try_from(self.below(10)).unwrap()),
            0 => field.fill(0),
            1 => field.fill(0xFF),
            2 => {
                field.fill(0xFF);
                field[width - 1] = 0x7F;
            }
            3 => {
                field.fill(0);
                field[self.below(width)] = 0x80;
            }
            _ => {
                let first = self.below(width);
                field[first] = field[first].wrapping_add([1, 0xFF, 2, 0x10][self.below(4)]);
            }
        }
    }

    /// The same ZIP with one part changed, half of the time and where it is one.
    fn inside_zip(&mut self, bytes: &[u8], other: &[u8]) -> Option<Vec<u8>> {
        /// Larger ones take long to pack and show no more.
        const MOST_BYTES: usize = 200_000;
        if !bytes.starts_with(b"PK") || bytes.len() > MOST_BYTES || self.below(2) == 0 {
            return None;
        }
        let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
        let changed = self.below(archive.len());
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for index in 0..archive.len() {
            let mut part = archive.by_index(index).ok()?;
            let mut content = Vec::new();
            let name = part.name().ok()?.into_owned();
            part.by_ref().take(1 << 20).read_to_end(&mut content).ok()?;
            if index == changed {
                self.change(&mut content, other);
            }
            writer.start_file(name, SimpleFileOptions::default().compression_method(CompressionMethod::Stored)).ok()?;
            writer.write_all(&content).ok()?;
        }
        Some(writer.finish().ok()?.into_inner())
    }
}
