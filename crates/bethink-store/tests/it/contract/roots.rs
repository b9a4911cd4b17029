//! Roots and the identity of an index.

use std::path::{Path, PathBuf};

use bethink_core::{RootId, UnixMillis};
use bethink_store::{Forgotten, IndexReader, IndexWriter, RootState, StoreError};

use super::Backend;
use super::sample;

pub fn the_identity_stays<B: Backend>() {
    let place = B::create();
    let first = place.writer().store_id().unwrap();
    assert_eq!(place.reader().store_id().unwrap(), first);
    assert_ne!(B::create().writer().store_id().unwrap(), first);
    let writer = place.writer();
    assert_eq!(writer.sequence().unwrap().0, 0);
    assert_eq!(writer.oldest_change().unwrap().0, 0);
    assert_eq!(writer.epoch().unwrap(), place.reader().epoch().unwrap());
}

pub fn a_root_is_added_once<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    let notes = writer.add_root(Path::new("/home/notes")).unwrap();
    let code = writer.add_root(Path::new("/home/code")).unwrap();
    assert_eq!(writer.add_root(Path::new("/home/notes")).unwrap(), notes);
    assert_ne!(notes.id, code.id);
    assert_eq!(notes.state, RootState::Pending);
    assert_eq!(notes.completed, None);
    let paths: Vec<PathBuf> = place.reader().roots().unwrap().into_iter().map(|root| root.path).collect();
    assert_eq!(paths, [PathBuf::from("/home/code"), PathBuf::from("/home/notes")]);
}

pub fn the_state_of_a_root_is_kept<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    let root = writer.add_root(Path::new("/home")).unwrap().id;
    let state = |place: &B| {
        let root = place.reader().roots().unwrap().remove(0);
        (root.state, root.completed)
    };
    writer.record_root_state(root, RootState::Complete, UnixMillis(5)).unwrap();
    assert_eq!(state(&place), (RootState::Complete, Some(UnixMillis(5))));
    // A volume that is away was walked to the end all the same, once.
    writer.record_root_state(root, RootState::Missing, UnixMillis(9)).unwrap();
    assert_eq!(state(&place), (RootState::Missing, Some(UnixMillis(5))));
    let refused = RootState::Unreadable("permission denied".to_owned());
    writer.record_root_state(root, refused.clone(), UnixMillis(10)).unwrap();
    assert_eq!(state(&place), (refused, Some(UnixMillis(5))));
    writer.record_root_state(root, RootState::Pending, UnixMillis(11)).unwrap();
    assert_eq!(state(&place), (RootState::Pending, Some(UnixMillis(5))));
    let unknown = writer.record_root_state(RootId(99), RootState::Pending, UnixMillis(1));
    assert!(matches!(unknown, Err(StoreError::UnknownRoot(RootId(99)))));
}

pub fn a_forgotten_root_takes_its_documents<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    let gone = writer.add_root(Path::new("/gone")).unwrap().id;
    let kept = writer.add_root(Path::new("/kept")).unwrap().id;
    let model = sample::model("static");
    writer.register_model(&model).unwrap();
    writer
        .apply(&sample::publish(vec![
            sample::text(gone, "/gone/only", "only there\n"),
            sample::text(gone, "/gone/copy", "in both\n"),
            sample::text(kept, "/kept/copy", "in both\n"),
        ]))
        .unwrap();
    sample::embed_all(&mut writer, &model);
    let shared = sample::content(&writer, "/kept/copy");
    let before = writer.sequence().unwrap();

    assert_eq!(writer.forget_root(gone).unwrap(), Forgotten { documents: 2, contents: 1 });
    assert_eq!(sample::paths(&writer, None), [PathBuf::from("/kept/copy")]);
    assert_eq!(sample::text_of(&writer, shared), "in both\n");
    assert_eq!(writer.roots().unwrap().len(), 1);
    assert_eq!(writer.tiers().unwrap()[0].done, 1);
    // Two documents and one content.
    assert_eq!(writer.changes_after(before, 10).unwrap().len(), 3);
    assert_eq!(writer.forget_root(gone).unwrap(), Forgotten::default());
    // The same folder again is another root.
    assert_ne!(writer.add_root(Path::new("/gone")).unwrap().id, gone);
}

pub fn what_has_no_file_has_a_root_that_nobody_walks<B: Backend>() {
    let mut writer = B::create().writer();
    let root = writer.add_root(Path::new(bethink_core::MEMORY_ROOT)).unwrap();
    let note = sample::text(root.id, "memory:/notes/0/walnut.md", "walnut\n");
    writer.apply(&sample::publish(vec![note])).unwrap();
    assert_eq!(writer.roots().unwrap(), []);
    let found = writer.documents_under(Some(Path::new(bethink_core::MEMORY_ROOT)), None, 9).unwrap();
    assert_eq!(found[0].path, Path::new("memory:/notes/0/walnut.md"));
    assert!(matches!(
        writer.apply(&sample::publish(vec![sample::text(root.id, "notes/walnut.md", "walnut\n")])),
        Err(StoreError::Unstorable { .. })
    ));
}
