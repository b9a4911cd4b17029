//! Models, claims, fences and vectors.

use std::time::Duration;

use bethink_core::{Fence, ModelId, PassageId, Sequence, UnixMillis};
use bethink_store::{
    Batch, DEFAULT_LEASE, EmbeddingClaim, IndexReader, IndexWriter, ModelSpec, NewVector, Restamp, StoreError, Tier,
};

use super::Backend;
use super::sample::{self, publish, text, text_at};

const NOW: UnixMillis = UnixMillis(1_000_000);

fn start<B: Backend>(files: &[(&str, &str)]) -> (B, B::Writer, ModelSpec) {
    let place = B::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    let model = sample::model("static");
    writer.register_model(&model).unwrap();
    writer.apply(&publish(files.iter().map(|(path, words)| text(root, path, words)).collect())).unwrap();
    (place, writer, model)
}

fn claim<W: IndexWriter>(writer: &mut W, model: &ModelSpec, limit: usize) -> EmbeddingClaim {
    writer.claim_embeddings(&model.id, limit, NOW, DEFAULT_LEASE).unwrap()
}

fn answer(claim: &EmbeddingClaim) -> Vec<NewVector> {
    let vector = |task: &bethink_store::EmbeddingTask| Ok(sample::vector(task.key));
    claim.tasks.iter().map(|task| NewVector { passage: task.passage, key: task.key, vector: vector(task) }).collect()
}

fn texts(claim: &EmbeddingClaim) -> Vec<&str> {
    claim.tasks.iter().map(|task| task.text.as_str()).collect()
}

/// Done, pending, failed.
fn progress<R: IndexReader>(reader: &R, model: &ModelSpec) -> (u64, u64, u64) {
    let tier = reader.tiers().unwrap().into_iter().find(|tier| tier.model.id == model.id).unwrap();
    (tier.done, tier.pending, tier.failed)
}

pub fn every_passage_has_a_vector_or_waits<B: Backend>() {
    let (place, mut writer, model) = start::<B>(&[("/a", "one\ntwo\n"), ("/b", "three\n")]);
    assert_eq!(progress(&writer, &model), (0, 3, 0));
    let first = claim(&mut writer, &model, 2);
    assert_eq!(first.tasks.len(), 2);
    assert_eq!(first.model, model.id);
    assert_eq!(first.expires.0, NOW.0 + 60_000);
    // What is claimed waits until its vector is there.
    assert_eq!(progress(&place.reader(), &model), (0, 3, 0));
    assert_eq!(writer.publish_vectors(&first, &answer(&first)).unwrap(), 2);
    assert_eq!(progress(&place.reader(), &model), (2, 1, 0));
    assert_eq!(sample::embed_all(&mut writer, &model), 1);
    assert_eq!(progress(&place.reader(), &model), (3, 0, 0));
    assert_eq!(claim(&mut writer, &model, 10).tasks, []);
    assert_eq!(claim(&mut writer, &model, 0).tasks, []);
    // A task says what its passage says.
    let passages = writer.passages_of(sample::content(&writer, "/a")).unwrap();
    let task = first.tasks.iter().find(|task| task.passage == passages[1].id).unwrap();
    assert_eq!((&task.text, &task.heading, task.key), (&passages[1].text, &passages[1].heading, passages[1].key));
    assert_eq!(task.title.as_deref(), Some("one"));
    // And the other way round: asking for vectors by passage.
    let ids: Vec<PassageId> = passages.iter().rev().map(|passage| passage.id).collect();
    let vectors = place.reader().vectors_of(&model.id, &[&ids[..], &[PassageId(999)]].concat()).unwrap();
    assert_eq!(vectors.iter().map(|vector| vector.passage).collect::<Vec<_>>(), ids);
    assert_eq!(vectors[0].vector, sample::vector(passages[1].key));
    assert_eq!(vectors[0].content, passages[0].content);
    let mut ascending = ids.clone();
    ascending.sort();
    assert_eq!(writer.passages_with_vector(&model.id, &ids).unwrap(), ascending);
}

pub fn a_claim_takes_the_newest_files_first<B: Backend>() {
    let (_place, mut writer, model) = start::<B>(&[]);
    let root = sample::root(&mut writer);
    writer
        .apply(&publish(vec![
            text_at(root, "/old", "old\n", 10),
            text_at(root, "/new", "new\n", 30),
            text_at(root, "/middle", "middle\n", 20),
            text_at(root, "/copied", "copied\n", 5),
            text_at(root, "/touched", "touched\n", 6),
        ]))
        .unwrap();
    // A newer copy and a newer stamp make a text urgent; the loss of the newest copy takes that back.
    let batch = publish(vec![text_at(root, "/copy", "copied\n", 40), text_at(root, "/copy of old", "old\n", 50)]);
    writer.apply(&batch).unwrap();
    let restamps = vec![Restamp { document: sample::document(&writer, "/touched"), stamp: sample::stamp(60, 8) }];
    let removals = vec![sample::document(&writer, "/copy of old")];
    writer.apply(&Batch { restamps, removals, ..Batch::default() }).unwrap();
    let claimed = claim(&mut writer, &model, 10);
    assert_eq!(texts(&claimed), ["touched\n", "copied\n", "new\n", "middle\n", "old\n"]);
}

pub fn what_is_hastened_is_claimed_first<B: Backend>() {
    let (_place, mut writer, model) = start::<B>(&[]);
    let root = sample::root(&mut writer);
    let file = |path: &str, second: i64| text_at(root, path, &path[1..], second);
    writer
        .apply(&publish(vec![file("/a", 10), file("/b", 20), file("/c", 30), file("/d", 40), file("/e", 50)]))
        .unwrap();
    let at = |path: &str, second: i64| (sample::document(&writer, path), UnixMillis(second * 1_000));
    let gone = (bethink_core::DocumentId(9_999), UnixMillis(99_000));
    let urgent = [at("/a", 60), at("/b", 45), at("/d", 5), gone];
    assert_eq!(writer.hasten_embeddings(&urgent).unwrap(), 2);
    assert_eq!(writer.hasten_embeddings(&urgent).unwrap(), 0, "twice is once");
    assert_eq!(writer.hasten_embeddings(&[]).unwrap(), 0);
    assert_eq!(texts(&claim(&mut writer, &model, 3)), ["a", "e", "b"]);
    // A change of the file says anew how urgent it is.
    writer.apply(&publish(vec![text_at(root, "/c", "changed", 35)])).unwrap();
    assert_eq!(texts(&claim(&mut writer, &model, 9)), ["d", "changed"]);
}

pub fn a_later_claim_supersedes<B: Backend>() {
    let (place, mut writer, model) = start::<B>(&[("/a", "one\ntwo\nthree\n")]);
    let mut other = place.writer();
    let first = claim(&mut writer, &model, 2);
    let second = claim(&mut other, &model, 10);
    // Nobody gets what another one holds.
    assert_eq!((first.tasks.len(), second.tasks.len()), (2, 1));
    assert!(second.fence > first.fence);
    let late = UnixMillis(NOW.0 + 60_000);
    let third = other.claim_embeddings(&model.id, 1, late, DEFAULT_LEASE).unwrap();
    assert!(third.fence > second.fence);
    assert_eq!(third.tasks[0], first.tasks[0]);
    // One of the first claim's two passages is not its own any more.
    assert_eq!(writer.publish_vectors(&first, &answer(&first)).unwrap(), 1);
    assert!(matches!(writer.publish_vectors(&first, &answer(&first)), Err(StoreError::Superseded)));
    assert_eq!(other.publish_vectors(&third, &answer(&third)).unwrap(), 1);
    // Twice is once.
    assert!(matches!(other.publish_vectors(&third, &answer(&third)), Err(StoreError::Superseded)));
    // A token that was never given out opens nothing.
    let forged = EmbeddingClaim { fence: Fence(u64::MAX), ..second.clone() };
    assert!(matches!(other.publish_vectors(&forged, &answer(&second)), Err(StoreError::Superseded)));
    assert_eq!(other.publish_vectors(&second, &[]).unwrap(), 0);
    assert_eq!(other.publish_vectors(&second, &answer(&second)).unwrap(), 1);
    assert_eq!(progress(&writer, &model), (3, 0, 0));
}

pub fn leases_run_out<B: Backend>() {
    let (_place, mut writer, model) = start::<B>(&[("/a", "one\n")]);
    let lease = Duration::from_millis(500);
    let first = writer.claim_embeddings(&model.id, 1, NOW, lease).unwrap();
    let at = |writer: &mut B::Writer, later| {
        writer.claim_embeddings(&model.id, 1, UnixMillis(NOW.0 + later), lease).unwrap().tasks.len()
    };
    assert_eq!(at(&mut writer, 0), 0);
    assert_eq!(at(&mut writer, 499), 0);
    // Late, but nobody else has it: the work is not thrown away.
    assert_eq!(writer.publish_vectors(&first, &answer(&first)).unwrap(), 1);
    assert_eq!(at(&mut writer, 500), 0);
    let (_place, mut writer, model) = start::<B>(&[("/a", "one\n")]);
    writer.claim_embeddings(&model.id, 1, NOW, lease).unwrap();
    assert_eq!(at(&mut writer, 500), 1);
}

pub fn a_lease_from_a_wrong_clock_runs_out<B: Backend>() {
    let (_place, mut writer, model) = start::<B>(&[("/a", "one\n")]);
    let next_year = UnixMillis(NOW.0 + 365 * 86_400_000);
    assert_eq!(writer.claim_embeddings(&model.id, 1, next_year, DEFAULT_LEASE).unwrap().tasks.len(), 1);
    // The clock has been put right: that lease must not hold for a year.
    assert_eq!(claim(&mut writer, &model, 1).tasks.len(), 1);
    // A few seconds' difference between two processes takes nothing from anybody.
    let earlier = UnixMillis(NOW.0 - 5_000);
    assert_eq!(writer.claim_embeddings(&model.id, 1, earlier, DEFAULT_LEASE).unwrap().tasks.len(), 0);
}

pub fn a_released_claim_is_free_again<B: Backend>() {
    let (place, mut writer, model) = start::<B>(&[("/a", "one\ntwo\n")]);
    let first = claim(&mut writer, &model, 2);
    writer.release_claim(&first).unwrap();
    let mut other = place.writer();
    let second = claim(&mut other, &model, 2);
    assert_eq!(second.tasks, first.tasks);
    // Releasing what is not held any more frees nothing.
    writer.release_claim(&first).unwrap();
    assert_eq!(claim(&mut writer, &model, 2).tasks, []);
    assert!(matches!(writer.publish_vectors(&first, &answer(&first)), Err(StoreError::Superseded)));
}

pub fn an_edit_under_a_claim_publishes_nothing<B: Backend>() {
    let (_place, mut writer, model) = start::<B>(&[("/a", "one\n"), ("/b", "two\n")]);
    let root = sample::root(&mut writer);
    let claimed = claim(&mut writer, &model, 2);
    writer.apply(&publish(vec![text(root, "/a", "another\n")])).unwrap();
    assert_eq!(writer.publish_vectors(&claimed, &answer(&claimed)).unwrap(), 1);
    assert_eq!(progress(&writer, &model), (1, 1, 0));
    assert_eq!(texts(&claim(&mut writer, &model, 2)), ["another\n"]);
    // A vector for another text than the passage's is refused, whoever holds the claim.
    let (_place, mut writer, model) = start::<B>(&[("/a", "one\n")]);
    let claimed = claim(&mut writer, &model, 1);
    let mut vectors = answer(&claimed);
    vectors[0].key = sample::key("something else");
    assert!(matches!(writer.publish_vectors(&claimed, &vectors), Err(StoreError::Superseded)));
    assert_eq!(progress(&writer, &model), (0, 1, 0));
}

pub fn an_edit_embeds_only_what_is_new<B: Backend>() {
    let (_place, mut writer, model) = start::<B>(&[("/a", "one\ntwo\nthree\n")]);
    let root = sample::root(&mut writer);
    assert_eq!(sample::embed_all(&mut writer, &model), 3);
    let applied = writer.apply(&publish(vec![text(root, "/a", "zero\none\ntwo\nthree\n")])).unwrap();
    assert_eq!(applied.vectors_reused, 3);
    assert_eq!(progress(&writer, &model), (3, 1, 0));
    assert_eq!(texts(&claim(&mut writer, &model, 9)), ["zero\n"]);
    // Across files, too; and the vector is the very same.
    let applied = writer.apply(&publish(vec![text(root, "/b", "two\n")])).unwrap();
    assert_eq!(applied.vectors_reused, 1);
    let passage = writer.passages_of(sample::content(&writer, "/b")).unwrap()[0].id;
    assert_eq!(writer.vectors_of(&model.id, &[passage]).unwrap()[0].vector, sample::vector(sample::key("two\n")));
}

pub fn equal_passages_are_embedded_once<B: Backend>() {
    let (_place, mut writer, model) = start::<B>(&[("/a", "same\nsame\nother\nsame\n"), ("/b", "own\nsame\n")]);
    assert_eq!(progress(&writer, &model), (0, 6, 0));
    assert_eq!(sample::embed_all(&mut writer, &model), 3);
    assert_eq!(progress(&writer, &model), (6, 0, 0));
}

pub fn a_vector_that_cannot_be_leaves_the_queue<B: Backend>() {
    let (_place, mut writer, model) = start::<B>(&[("/a", "one\ntwo\nthree\n")]);
    let claimed = claim(&mut writer, &model, 3);
    let mut vectors = answer(&claimed);
    vectors[0].vector = Err("the tokenizer refused it".to_owned());
    vectors[1].vector = Ok(vec![f32::NAN, 0.0]);
    assert_eq!(writer.publish_vectors(&claimed, &vectors).unwrap(), 1);
    assert_eq!(progress(&writer, &model), (1, 0, 2));
    assert_eq!(claim(&mut writer, &model, 3).tasks, []);
    // Registering again does not bring them back.
    writer.register_model(&model).unwrap();
    assert_eq!(progress(&writer, &model), (1, 0, 2));
    assert!(matches!(writer.publish_vectors(&claimed, &vectors), Err(StoreError::Superseded)));
}

pub fn registering_late_queues_everything<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    writer.apply(&publish(vec![text_at(root, "/a", "one\n", 5), text_at(root, "/b", "two\nthree\n", 9)])).unwrap();
    assert_eq!(writer.tiers().unwrap(), []);
    let model = sample::model("late");
    assert!(matches!(
        writer.claim_embeddings(&model.id, 1, NOW, DEFAULT_LEASE),
        Err(StoreError::UnknownModel(unknown)) if unknown == model.id
    ));
    writer.register_model(&model).unwrap();
    assert_eq!(progress(&writer, &model), (0, 3, 0));
    assert_eq!(texts(&claim(&mut writer, &model, 9)), ["two\n", "three\n", "one\n"]);
    writer.register_model(&model).unwrap();
    assert_eq!(progress(&writer, &model), (0, 3, 0));
}

pub fn a_model_keeps_its_dimension<B: Backend>() {
    let (_place, mut writer, model) = start::<B>(&[("/a", "one\n")]);
    let wider = ModelSpec { dimension: 3, ..model.clone() };
    assert!(matches!(writer.register_model(&wider), Err(StoreError::Dimension { known: 2, found: 3, .. })));
    let claimed = claim(&mut writer, &model, 1);
    let vectors =
        vec![NewVector { passage: claimed.tasks[0].passage, key: claimed.tasks[0].key, vector: Ok(vec![1.0]) }];
    assert!(matches!(
        writer.publish_vectors(&claimed, &vectors),
        Err(StoreError::Dimension { known: 2, found: 1, .. })
    ));
    assert_eq!(writer.tiers().unwrap()[0].model, model);
    assert_eq!(progress(&writer, &model), (0, 1, 0));
}

pub fn models_do_not_mix<B: Backend>() {
    let (_place, mut writer, model) = start::<B>(&[("/a", "one\ntwo\n")]);
    let other = ModelSpec { id: ModelId("transformer".to_owned()), tier: Tier::Transformer, dimension: 3 };
    writer.register_model(&other).unwrap();
    sample::embed_all(&mut writer, &model);
    assert_eq!((progress(&writer, &model), progress(&writer, &other)), ((2, 0, 0), (0, 2, 0)));
    let claimed = claim(&mut writer, &other, 1);
    let task = &claimed.tasks[0];
    let vectors = vec![NewVector { passage: task.passage, key: task.key, vector: Ok(vec![0.0, 0.5, -1.0]) }];
    writer.publish_vectors(&claimed, &vectors).unwrap();
    let passages = [task.passage];
    assert_eq!(writer.vectors_of(&other.id, &passages).unwrap()[0].vector, [0.0, 0.5, -1.0]);
    assert_eq!(writer.vectors_of(&model.id, &passages).unwrap()[0].vector, sample::vector(task.key));
    assert_eq!(writer.vectors_after(&other.id, Sequence(0), 10).unwrap().len(), 1);
    assert_eq!(writer.vectors_after(&model.id, Sequence(0), 10).unwrap().len(), 2);
    let tiers: Vec<ModelSpec> = writer.tiers().unwrap().into_iter().map(|tier| tier.model).collect();
    assert_eq!(tiers, [model, other]);
}

pub fn a_forgotten_model_is_forgotten<B: Backend>() {
    let (_place, mut writer, model) = start::<B>(&[("/a", "one\ntwo\n")]);
    let claimed = claim(&mut writer, &model, 1);
    sample::embed_all(&mut writer, &model);
    let last = writer.vectors_after(&model.id, Sequence(0), 10).unwrap().last().unwrap().sequence;
    writer.forget_model(&model.id).unwrap();
    assert_eq!(writer.tiers().unwrap(), []);
    assert_eq!(writer.vectors_after(&model.id, Sequence(0), 10).unwrap(), []);
    assert!(matches!(writer.publish_vectors(&claimed, &answer(&claimed)), Err(StoreError::Superseded)));
    writer.release_claim(&claimed).unwrap();
    writer.forget_model(&model.id).unwrap();
    // Back again: everything waits, and neither fences nor sequences start over.
    writer.register_model(&model).unwrap();
    assert_eq!(progress(&writer, &model), (0, 2, 0));
    assert!(claim(&mut writer, &model, 1).fence > claimed.fence);
    sample::embed_all(&mut writer, &model);
    assert!(writer.vectors_after(&model.id, Sequence(0), 1).unwrap()[0].sequence > last);
}

pub fn sequences_only_grow<B: Backend>() {
    let (place, mut writer, model) = start::<B>(&[("/a", "one\ntwo\n")]);
    let root = sample::root(&mut writer);
    sample::embed_all(&mut writer, &model);
    let reader = place.reader();
    let vectors = reader.vectors_after(&model.id, Sequence(0), 10).unwrap();
    assert!(vectors[0].sequence < vectors[1].sequence);
    assert_eq!(reader.vectors_after(&model.id, vectors[0].sequence, 10).unwrap(), vectors[1..]);
    assert_eq!(reader.vectors_after(&model.id, Sequence(0), 1).unwrap(), vectors[..1]);
    let newest = vectors[1].sequence;
    // Taken over by an edit: a new vector at a new position, although its numbers are old.
    writer.apply(&publish(vec![text(root, "/a", "two\n")])).unwrap();
    let after = reader.vectors_after(&model.id, Sequence(0), 10).unwrap();
    assert_eq!(after.len(), 1);
    assert!(after[0].sequence > newest);
    assert_eq!(reader.vectors_after(&model.id, Sequence(u64::MAX), 10).unwrap(), []);
}

pub fn vectors_come_back_in_half_precision<B: Backend>() {
    let (_place, mut writer, model) = start::<B>(&[("/a", "one\n")]);
    let claimed = claim(&mut writer, &model, 1);
    let task = &claimed.tasks[0];
    // A third and a small number: both lose at most half a step of half precision.
    let given = [1.0 / 3.0, -0.000_123_4];
    let vectors = vec![NewVector { passage: task.passage, key: task.key, vector: Ok(given.to_vec()) }];
    writer.publish_vectors(&claimed, &vectors).unwrap();
    let found = &writer.vectors_of(&model.id, &[task.passage]).unwrap()[0].vector;
    for (given, found) in given.iter().zip(found) {
        assert!((given - found).abs() <= given.abs() / 2048.0 && found != given, "{given} became {found}");
    }
}
