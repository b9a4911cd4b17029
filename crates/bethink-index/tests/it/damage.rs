//! Files that are cut, changed or missing: the cache opens as `None`, or answers as before.

use std::fs;
use std::path::{Path, PathBuf};

use bethink_core::{ContentId, Format, ModelId, PassageId, Sequence, UnixMillis};
use bethink_index::{
    CacheStamp, LexicalPassage, Lexicon, LexiconWriter, Matrix, MatrixWriter, NameEntry, NameQuery, Names,
    NamesBuilder, VectorRow,
};
use bethink_text::query_terms;
use tempfile::TempDir;

use crate::random::Random;

const STORE: [u8; 16] = [1; 16];
const DIMENSION: usize = 32;

/// Lengths to cut a file to, and places to change a byte at: close together at the head, where the
/// structure is, then spread over every section.
fn places(length: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..length.min(300)).step_by(7).collect();
    places.extend((300..length).step_by((length / 60).max(1)));
    places.extend(length.checked_sub(1));
    places
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else if fs::metadata(entry.path()).unwrap().len() > 0 {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

/// Damages every file of a folder in many places, one at a time, and hands each state to `check`.
fn damage_each(folder: &Path, mut check: impl FnMut(&str)) {
    for file in files(folder) {
        let whole = fs::read(&file).unwrap();
        let replace = |content: &[u8]| {
            // Renamed into place: a mapping of the old file, if any, stays whole.
            let beside = file.with_extension("beside");
            fs::write(&beside, content).unwrap();
            fs::rename(&beside, &file).unwrap();
        };
        for at in places(whole.len()) {
            replace(&whole[..at]);
            check(&format!("{} cut to {at}", file.display()));
            let mut changed = whole.clone();
            changed[at] ^= 0x41;
            replace(&changed);
            check(&format!("{} changed at {at}", file.display()));
        }
        fs::remove_file(&file).unwrap();
        check(&format!("{} missing", file.display()));
        replace(&whole);
    }
}

#[test]
fn a_damaged_matrix_is_none() {
    let folder = TempDir::new().unwrap();
    let model = ModelId("m".to_owned());
    let mut writer = MatrixWriter::open(folder.path(), STORE, &model, DIMENSION).unwrap();
    for passage in 0..40 {
        let vector = Random::new(passage).vector(DIMENSION);
        let row = VectorRow { passage: PassageId(passage), content: ContentId(passage / 4), vector: &vector };
        writer.append(&[row]).unwrap();
        if passage == 20 {
            writer.remove_content(ContentId(1));
            writer.commit(Sequence(1), Sequence(1)).unwrap();
        }
    }
    writer.remove_content(ContentId(7));
    writer.commit(Sequence(2), Sequence(2)).unwrap();
    drop(writer);
    let query = Random::new(500).vector(DIMENSION);
    let expected = Matrix::open(folder.path()).unwrap().unwrap().scan(&query, 50, None).unwrap();
    assert_eq!(expected.len(), 32);
    let mut refused = 0;
    damage_each(folder.path(), |what| match Matrix::open(folder.path()).unwrap() {
        None => refused += 1,
        Some(matrix) => assert_eq!(matrix.scan(&query, 50, None).unwrap(), expected, "{what}"),
    });
    assert!(refused > 100);
    assert_eq!(Matrix::open(folder.path()).unwrap().unwrap().scan(&query, 50, None).unwrap(), expected);
}

#[test]
fn a_writer_over_a_damaged_matrix_begins_anew() {
    let folder = TempDir::new().unwrap();
    let model = ModelId("m".to_owned());
    let open = || MatrixWriter::open(folder.path(), STORE, &model, DIMENSION).unwrap();
    let mut writer = open();
    let row = VectorRow { passage: PassageId(1), content: ContentId(1), vector: &[1.0; DIMENSION] };
    writer.append(&[row]).unwrap();
    writer.commit(Sequence(1), Sequence(1)).unwrap();
    drop(writer);
    let segment = files(folder.path()).into_iter().find(|file| file.to_string_lossy().contains("segment")).unwrap();
    fs::remove_file(segment).unwrap();
    let mut writer = open();
    assert_eq!(writer.stamp().cache.sequence, Sequence(0));
    writer.append(&[row]).unwrap();
    writer.commit(Sequence(3), Sequence(3)).unwrap();
    assert_eq!(Matrix::open(folder.path()).unwrap().unwrap().rows(), 1);
}

#[test]
fn what_a_killed_writer_left_is_cleared_away() {
    let folder = TempDir::new().unwrap();
    let model = ModelId("m".to_owned());
    let left = ["segment-000000000009", "manifest.77-0.unfinished", "segment-000000000001.77-0.unfinished"];
    for name in left {
        fs::write(folder.path().join(name), b"half a file").unwrap();
    }
    drop(MatrixWriter::open(folder.path(), STORE, &model, DIMENSION).unwrap());
    for name in left {
        assert!(!folder.path().join(name).exists(), "{name}");
    }
}

#[test]
fn damaged_names_are_none() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("names");
    let mut builder = NamesBuilder::new(CacheStamp { store: STORE, sequence: Sequence(1) }, UnixMillis(1));
    for number in 0..60 {
        let path = PathBuf::from(format!("/home/ada/folder {}/file {number} budget.md", number % 7));
        let entry =
            NameEntry { path: &path, is_folder: false, size_bytes: number, modified: UnixMillis(number as i64) };
        builder.push(&entry).unwrap();
    }
    builder.finish(&file).unwrap();
    let query = NameQuery { words: "budget folder".to_owned(), limit: 100, ..NameQuery::default() };
    let expected = Names::open(&file).unwrap().unwrap().search(&query);
    assert_eq!(expected.matches.len(), 60);
    damage_each(folder.path(), |what| {
        if let Some(names) = Names::open(&file).unwrap() {
            assert_eq!(names.search(&query), expected, "{what}");
        }
    });
}

#[test]
fn a_damaged_lexicon_never_panics_and_is_built_again() {
    let folder = TempDir::new().unwrap();
    let fill = || {
        let mut writer = LexiconWriter::open(folder.path(), STORE).unwrap();
        for content in 0..60u64 {
            let text = format!("budget river number {content}");
            let passage = LexicalPassage { passage: PassageId(content), heading: &[], text: &text };
            writer.add_passages(ContentId(content), Format::Text, &[passage]).unwrap();
        }
        writer.remove_content(ContentId(5)).unwrap();
        writer.commit(Sequence(1)).unwrap();
    };
    fill();
    let query = query_terms("budget number 7");
    let expected = Lexicon::open(folder.path()).unwrap().unwrap().passages(&query, None, 100).unwrap();
    let (mut refused, mut noticed) = (0, 0);
    damage_each(folder.path(), |what| match Lexicon::open(folder.path()) {
        Ok(None) => refused += 1,
        // The engine checks its structure, not every byte; what it lets through `verify` finds.
        Ok(Some(lexicon)) => match lexicon.passages(&query, None, 100) {
            Ok(found) if found == expected => {}
            // Its list of segments alone has no checksum: there, only what is cut is noticed.
            _ if what.contains("meta.json changed") => {}
            _ => {
                assert!(!lexicon.verify().unwrap_or(false), "{what}");
                noticed += 1;
            }
        },
        Err(error) => panic!("{error}"),
    });
    println!("{refused} refused at opening, {noticed} only noticed later");
    assert!(refused > 50);
    // Cut in half, the writer throws it away and begins anew.
    let largest = files(folder.path()).into_iter().max_by_key(|file| fs::metadata(file).unwrap().len()).unwrap();
    let content = fs::read(&largest).unwrap();
    fs::write(&largest, &content[..content.len() / 2]).unwrap();
    fill();
    assert_eq!(Lexicon::open(folder.path()).unwrap().unwrap().passages(&query, None, 100).unwrap(), expected);
}
