use std::collections::BTreeMap;

use bethink_core::{ContentId, ModelId, PassageId, Sequence};
use bethink_index::{ContentSet, IndexError, Matrix, MatrixWriter, SemanticHit, VectorRow};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::random::Random;

const STORE: [u8; 16] = [7; 16];
const DIMENSION: usize = 48;

fn model() -> ModelId {
    ModelId("tests-48".to_owned())
}

fn writer(folder: &TempDir) -> MatrixWriter {
    MatrixWriter::open(folder.path(), STORE, &model(), DIMENSION).unwrap()
}

fn append(writer: &mut MatrixWriter, passage: u64, content: u64, vector: &[f32]) {
    writer.append(&[VectorRow { passage: PassageId(passage), content: ContentId(content), vector }]).unwrap();
}

fn matrix(folder: &TempDir) -> Matrix {
    Matrix::open(folder.path()).unwrap().unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// What the matrix should hold: passage to content and vector.
type Model = BTreeMap<u64, (u64, Vec<f32>)>;

#[derive(Debug, Clone)]
enum Step {
    Append { passage: u64, content: u64, seed: u64 },
    Remove { content: u64 },
    Commit,
    Reopen,
    Purge,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0u64..60, 0u64..12, any::<u64>()).prop_map(|(passage, content, seed)| Step::Append { passage, content, seed }),
        2 => (0u64..12).prop_map(|content| Step::Remove { content }),
        2 => Just(Step::Commit),
        1 => Just(Step::Reopen),
        1 => Just(Step::Purge),
    ];
    prop::collection::vec(step, 0..80)
}

fn play(folder: &TempDir, steps: &[Step]) -> Model {
    let mut model = Model::new();
    let mut committed = Model::new();
    let mut open = writer(folder);
    for step in steps {
        match step {
            Step::Append { passage, content, seed } => {
                let vector = Random::new(*seed).vector(DIMENSION);
                append(&mut open, *passage, *content, &vector);
                model.insert(*passage, (*content, vector));
            }
            Step::Remove { content } => {
                open.remove_content(ContentId(*content));
                model.retain(|_, (of, _)| of != content);
            }
            Step::Commit => {
                open.commit(Sequence(1), Sequence(1)).unwrap();
                committed = model.clone();
            }
            Step::Reopen => {
                drop(open);
                open = writer(folder);
                model = committed.clone();
            }
            Step::Purge => {
                open.purge().unwrap();
                committed = model.clone();
            }
        }
    }
    open.commit(Sequence(9), Sequence(8)).unwrap();
    model
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_done_to_it_a_matrix_holds_the_last_vector_of_each_living_passage(steps in steps(), seed in any::<u64>()) {
        let folder = TempDir::new().unwrap();
        let model = play(&folder, &steps);
        let matrix = matrix(&folder);
        prop_assert!(matrix.verify());
        prop_assert_eq!(matrix.rows(), model.len());
        prop_assert_eq!((matrix.stamp().cache.sequence, matrix.stamp().vector), (Sequence(9), Sequence(8)));

        let query = Random::new(seed).vector(DIMENSION);
        let all = matrix.scan(&query, 1000, None).unwrap();
        prop_assert_eq!(all.len(), model.len());
        for hit in &all {
            let (content, vector) = &model[&hit.passage.0];
            prop_assert_eq!(hit.content, ContentId(*content));
            prop_assert!((hit.cosine - cosine(&query, vector)).abs() < 0.002);
        }
        // Order, limits, scopes and single scores all follow from the whole scan.
        prop_assert!(all.is_sorted_by(|a, b| a.cosine > b.cosine || a.cosine == b.cosine && a.passage < b.passage));
        prop_assert_eq!(matrix.scan(&query, 5, None).unwrap(), &all[..all.len().min(5)]);
        let scope: ContentSet = (0..6).map(ContentId).collect();
        let scoped: Vec<SemanticHit> = all.iter().copied().filter(|hit| hit.content.0 < 6).collect();
        prop_assert_eq!(matrix.scan(&query, 1000, Some(&scope)).unwrap(), scoped);
        let passages: Vec<PassageId> = (0..70).map(PassageId).collect();
        let scores = matrix.score(&query, &passages).unwrap();
        for (passage, score) in passages.iter().zip(scores) {
            let hit = all.iter().find(|hit| hit.passage == *passage);
            prop_assert_eq!(score, hit.map(|hit| hit.cosine));
            prop_assert_eq!(matrix.vector(*passage).is_some(), hit.is_some());
        }
    }

    #[test]
    fn how_rows_are_spread_over_segments_changes_no_answer(
        seeds in prop::collection::vec(any::<u64>(), 1..60),
        borders in prop::collection::vec(0usize..60, 0..20),
    ) {
        let (together, apart) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let (mut one, mut many) = (writer(&together), writer(&apart));
        for (passage, seed) in seeds.iter().enumerate() {
            // Every third vector is a copy, so that ties are common.
            let vector = Random::new(if passage % 3 == 0 { 5 } else { *seed }).vector(DIMENSION);
            append(&mut one, passage as u64, 1, &vector);
            append(&mut many, passage as u64, 1, &vector);
            if borders.contains(&passage) {
                many.commit(Sequence(1), Sequence(1)).unwrap();
            }
        }
        one.commit(Sequence(2), Sequence(2)).unwrap();
        many.commit(Sequence(2), Sequence(2)).unwrap();
        let query = Random::new(99).vector(DIMENSION);
        let (one, many) = (matrix(&together), matrix(&apart));
        for limit in [1, 4, 100] {
            prop_assert_eq!(one.scan(&query, limit, None).unwrap(), many.scan(&query, limit, None).unwrap());
        }
    }
}

#[test]
fn the_nearest_are_those_of_the_float_vectors() {
    const ROWS: usize = 4000;
    const WIDE: usize = 384;
    const QUERIES: usize = 40;
    for clustered in [false, true] {
        let mut random = Random::new(11);
        let centres: Vec<Vec<f32>> = (0..50).map(|_| random.vector(WIDE)).collect();
        let draw = |random: &mut Random| {
            let mut vector = random.vector(WIDE);
            if clustered {
                let centre = &centres[random.below(centres.len())];
                vector.iter_mut().zip(centre).for_each(|(number, centre)| *number = centre + 0.6 * *number);
            }
            vector
        };
        let vectors: Vec<Vec<f32>> = (0..ROWS).map(|_| draw(&mut random)).collect();
        let folder = TempDir::new().unwrap();
        let mut writer = MatrixWriter::open(folder.path(), STORE, &ModelId("wide".to_owned()), WIDE).unwrap();
        for (passage, vector) in vectors.iter().enumerate() {
            append(&mut writer, passage as u64, 1, vector);
        }
        writer.commit(Sequence(1), Sequence(1)).unwrap();
        let matrix = matrix(&folder);
        let mut found = 0;
        for _ in 0..QUERIES {
            let query = draw(&mut random);
            let mut exact: Vec<(f32, usize)> =
                vectors.iter().enumerate().map(|(row, vector)| (cosine(&query, vector), row)).collect();
            exact.sort_by(|a, b| b.0.total_cmp(&a.0));
            let hits = matrix.scan(&query, 10, None).unwrap();
            found += exact[..10].iter().filter(|(_, row)| hits.iter().any(|hit| hit.passage.0 == *row as u64)).count();
        }
        let recall = found as f64 / (10 * QUERIES) as f64;
        assert!(recall >= 0.99, "recall@10 {recall} (clustered: {clustered})");
        println!("recall@10 {recall} (clustered: {clustered})");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_certified_scan_misses_nothing(
        seed in 1u64..1000,
        dimension in prop_oneof![Just(3usize), Just(40), Just(256)],
        limit in prop_oneof![1usize..5, 20usize..60],
        scoped in any::<bool>(),
    ) {
        const ROWS: u64 = 1200;
        let folder = TempDir::new().unwrap();
        let mut writer = MatrixWriter::open(folder.path(), STORE, &model(), dimension).unwrap();
        let mut random = Random::new(seed);
        // Many rows hardly differ, so that their order hangs on the last bits.
        let centres: Vec<Vec<f32>> = (0..4).map(|_| random.vector(dimension)).collect();
        for passage in 0..ROWS {
            let mut vector = random.vector(dimension);
            let centre = &centres[passage as usize % centres.len()];
            vector.iter_mut().zip(centre).for_each(|(number, centre)| *number = centre + 0.01 * *number);
            append(&mut writer, passage, passage % 7, &vector);
            if passage == 500 {
                writer.commit(Sequence(1), Sequence(1)).unwrap();
            }
        }
        writer.remove_content(ContentId(3));
        writer.commit(Sequence(2), Sequence(2)).unwrap();
        let matrix = Matrix::open(folder.path()).unwrap().unwrap();
        let scope: Option<ContentSet> = scoped.then(|| [ContentId(1), ContentId(3), ContentId(5)].into_iter().collect());
        let query = &centres[0];
        let all: Vec<PassageId> = (0..ROWS).map(PassageId).collect();
        let in_scope = |passage: &PassageId| !scoped || [1, 3, 5].contains(&(passage.0 % 7));
        let mut expected: Vec<(f32, u64)> = all
            .iter()
            .zip(matrix.score(query, &all).unwrap())
            .filter(|(passage, _)| in_scope(passage))
            .filter_map(|(passage, cosine)| Some((cosine?, passage.0)))
            .collect();
        expected.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        expected.truncate(limit);
        let hits = matrix.scan_certified(query, limit, scope.as_ref()).unwrap();
        let found: Vec<(f32, u64)> = hits.iter().map(|hit| (hit.cosine, hit.passage.0)).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn two_threads_answer_as_one() {
    // Enough rows to be shared, in a dimension small enough to be quick.
    let folder = TempDir::new().unwrap();
    let mut writer = MatrixWriter::open(folder.path(), STORE, &model(), 4).unwrap();
    let mut random = Random::new(3);
    let vectors: Vec<Vec<f32>> = (0..60_000).map(|_| random.vector(4)).collect();
    for (passage, vector) in vectors.iter().enumerate() {
        append(&mut writer, passage as u64, passage as u64 % 100, vector);
    }
    writer.commit(Sequence(1), Sequence(1)).unwrap();
    let matrix = matrix(&folder);
    let query = random.vector(4);
    let passages: Vec<PassageId> = (0..60_000).map(PassageId).collect();
    let mut expected: Vec<(f32, u64)> =
        matrix.score(&query, &passages).unwrap().into_iter().flatten().zip(0u64..).collect();
    expected.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let hits = matrix.scan_certified(&query, 300, None).unwrap();
    let found: Vec<(f32, u64)> = hits.iter().map(|hit| (hit.cosine, hit.passage.0)).collect();
    assert_eq!(found, expected[..300]);
}

#[test]
fn what_is_not_committed_is_not_seen_and_a_second_writer_waits() {
    let folder = TempDir::new().unwrap();
    assert!(Matrix::open(folder.path()).unwrap().is_none());
    let mut first = writer(&folder);
    append(&mut first, 1, 1, &[1.0; DIMENSION]);
    assert!(Matrix::open(folder.path()).unwrap().is_none());
    assert!(matches!(MatrixWriter::open(folder.path(), STORE, &model(), DIMENSION), Err(IndexError::Busy { .. })));
    first.commit(Sequence(1), Sequence(1)).unwrap();
    let before = matrix(&folder);
    append(&mut first, 2, 1, &[1.0; DIMENSION]);
    first.commit(Sequence(2), Sequence(2)).unwrap();
    assert_eq!((before.rows(), matrix(&folder).rows()), (1, 2));
    drop(first);
    writer(&folder);
}

#[test]
fn another_store_model_or_dimension_begins_anew() {
    for (store, name, dimension) in
        [([8; 16], "tests-48", DIMENSION), (STORE, "other", DIMENSION), (STORE, "tests-48", 12)]
    {
        let folder = TempDir::new().unwrap();
        let mut first = writer(&folder);
        append(&mut first, 1, 1, &[1.0; DIMENSION]);
        first.commit(Sequence(5), Sequence(5)).unwrap();
        drop(first);
        let mut second = MatrixWriter::open(folder.path(), store, &ModelId(name.to_owned()), dimension).unwrap();
        assert_eq!(second.stamp().cache.sequence, Sequence(0));
        second.commit(Sequence(1), Sequence(0)).unwrap();
        let matrix = matrix(&folder);
        assert_eq!((matrix.rows(), matrix.stamp().cache.store), (0, store));
    }
}

#[test]
fn vectors_of_another_dimension_are_an_error() {
    let folder = TempDir::new().unwrap();
    let mut open = writer(&folder);
    let row = VectorRow { passage: PassageId(1), content: ContentId(1), vector: &[1.0; 3] };
    assert!(matches!(open.append(&[row]), Err(IndexError::Dimension { expected: DIMENSION, given: 3 })));
    open.commit(Sequence(1), Sequence(1)).unwrap();
    assert!(matches!(matrix(&folder).scan(&[1.0; 3], 5, None), Err(IndexError::Dimension { .. })));
    assert!(matches!(matrix(&folder).scan(&[0.0; DIMENSION], 5, None), Err(IndexError::NoDirection)));
}

#[test]
fn a_purged_vector_is_in_no_file() {
    let folder = TempDir::new().unwrap();
    let mut open = writer(&folder);
    // A row that is recognised by its bytes: full magnitude, alternating signs in threes.
    let marked: Vec<f32> = (0..DIMENSION).map(|at| if at % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let bytes: Vec<u8> = marked.iter().map(|number| (*number as i8 * 127) as u8).collect();
    for passage in 0..40 {
        append(&mut open, passage, passage, &Random::new(passage).vector(DIMENSION));
    }
    append(&mut open, 100, 100, &marked);
    open.commit(Sequence(1), Sequence(1)).unwrap();
    let holds = || {
        std::fs::read_dir(folder.path()).unwrap().flatten().any(|entry| {
            let content = std::fs::read(entry.path()).unwrap();
            content.windows(bytes.len()).any(|window| window == bytes)
        })
    };
    assert!(holds());
    open.remove_content(ContentId(100));
    open.commit(Sequence(2), Sequence(1)).unwrap();
    assert!(holds(), "one dead row of many is not worth a rewrite");
    open.purge().unwrap();
    assert!(!holds());
    assert_eq!((matrix(&folder).rows(), matrix(&folder).stamp().cache.sequence), (40, Sequence(2)));
}

#[test]
fn many_commits_leave_few_files() {
    let folder = TempDir::new().unwrap();
    let mut open = writer(&folder);
    for passage in 0..60 {
        append(&mut open, passage, passage, &Random::new(passage).vector(DIMENSION));
        open.commit(Sequence(passage), Sequence(passage)).unwrap();
    }
    assert!(std::fs::read_dir(folder.path()).unwrap().count() <= 10);
    assert_eq!(matrix(&folder).rows(), 60);
}
