//! Paths, scopes, stamps and counts.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use bethink_core::{ContentHash, ContentId, DocumentId, Format, ModelId, PassageId, ProblemKind, Sequence};
use bethink_store::{Batch, FileStamp, IndexReader, IndexWriter, Outcome, Restamp};

use super::Backend;
use super::sample;

fn fill<W: IndexWriter>(writer: &mut W, paths: &[&str]) {
    let root = sample::root(writer);
    let publications = paths.iter().map(|path| sample::text(root, path, &format!("text of {path}\n"))).collect();
    writer.apply(&sample::publish(publications)).unwrap();
}

pub fn unknown_things_are_not_found<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    fill(&mut writer, &["/home/a"]);
    let reader = place.reader();
    assert_eq!(reader.find_document_at(Path::new("/home")).unwrap(), None);
    assert_eq!(reader.find_document_at(Path::new("/home/a/")).unwrap(), None);
    for id in [0, 99, u64::MAX] {
        assert_eq!(reader.find_document(DocumentId(id)).unwrap(), None);
        assert_eq!(reader.content(ContentId(id)).unwrap(), None);
        assert_eq!(reader.passages(&[PassageId(id)]).unwrap(), []);
        assert_eq!(reader.passages_of(ContentId(id)).unwrap(), []);
        assert_eq!(reader.documents_with(&[ContentId(id)]).unwrap(), []);
    }
    assert_eq!(reader.documents_with_hash(ContentHash([0; 32])).unwrap(), []);
    assert_eq!(reader.find_content(sample::hash("text of /home/a\n"), Format::Markdown, 1, 1).unwrap(), None);
    assert_eq!(reader.find_content(sample::hash("text of /home/a\n"), Format::Text, 2, 1).unwrap(), None);
    assert!(reader.find_content(sample::hash("text of /home/a\n"), Format::Text, 1, 1).unwrap().is_some());
    assert_eq!(reader.changes_after(Sequence(u64::MAX), 10).unwrap(), []);
    assert_eq!(reader.contents_after(ContentId(u64::MAX), 10).unwrap(), []);
    let nobody = ModelId("nobody".to_owned());
    assert_eq!(reader.vectors_after(&nobody, Sequence(0), 10).unwrap(), []);
    assert_eq!(reader.vectors_of(&nobody, &[PassageId(1)]).unwrap(), []);
    assert_eq!(reader.passages_with_vector(&nobody, &[PassageId(1)]).unwrap(), []);
}

pub fn a_folder_does_not_hold_its_namesake<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    fill(&mut writer, &["/a", "/a-b/x", "/a/b", "/a/b-c/x", "/a/b/c", "/a/b/c/d", "/a/b0", "/a/bc", "/a/B/c"]);
    let reader = place.reader();
    let under = |path| sample::paths(&reader, Some(path));
    assert_eq!(under("/a/b"), ["/a/b", "/a/b/c", "/a/b/c/d"].map(PathBuf::from));
    assert_eq!(under("/a/b/"), under("/a/b"));
    assert_eq!(under("/a/b/c"), ["/a/b/c", "/a/b/c/d"].map(PathBuf::from));
    assert_eq!(under("/a/bc"), [PathBuf::from("/a/bc")]);
    assert_eq!(under("/nowhere"), Vec::<PathBuf>::new());
    assert_eq!(under("/a").len(), 8);
    assert_eq!(under("/").len(), 9);
}

pub fn members_are_listed_by_themselves<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    fill(&mut writer, &["/a/b.zip", "/a/b.zip!/c", "/a/b.zip!/d.tar!/e", "/a/hey!", "/z.eml!/1/f"]);
    let reader = place.reader();
    let paths = |after: Option<&str>, limit| -> Vec<PathBuf> {
        let documents = reader.members(after.map(Path::new), limit).unwrap();
        documents.into_iter().map(|document| document.path).collect()
    };
    assert_eq!(paths(None, 10), ["/a/b.zip!/c", "/a/b.zip!/d.tar!/e", "/z.eml!/1/f"].map(PathBuf::from));
    assert_eq!(paths(Some("/a/b.zip!/c"), 1), [PathBuf::from("/a/b.zip!/d.tar!/e")]);
}

pub fn a_scope_of_everything<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    fill(&mut writer, &["/z", "/a/b", "/é"]);
    let all = sample::paths(&place.reader(), None);
    assert_eq!(all, ["/a/b", "/z", "/é"].map(PathBuf::from));
    assert_eq!(sample::paths(&place.reader(), Some("/")), all);
}

pub fn paging_sees_every_document_once<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    let names: Vec<String> =
        (0..40).map(|n| if n % 3 == 0 { format!("/d/s/{n}") } else { format!("/d/s-{n}/x") }).collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.extend(["/d/s", "/d", "/e"]);
    fill(&mut writer, &names);
    let reader = place.reader();
    for under in [None, Some("/d"), Some("/d/s"), Some("/")] {
        let whole = sample::paths(&reader, under);
        assert!(whole.is_sorted_by_key(|path| path.as_os_str().to_owned()));
        for size in [1, 2, 7, 100] {
            let mut paged: Vec<PathBuf> = Vec::new();
            loop {
                let after = paged.last().cloned();
                let page = reader.documents_under(under.map(Path::new), after.as_deref(), size).unwrap();
                if page.is_empty() {
                    break;
                }
                assert!(page.len() <= size);
                paged.extend(page.into_iter().map(|document| document.path));
            }
            assert_eq!(paged, whole, "{under:?} by {size}");
        }
        assert_eq!(reader.documents_under(under.map(Path::new), None, 0).unwrap(), []);
    }
}

pub fn contents_of_a_scope<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    writer
        .apply(&sample::publish(vec![
            sample::text(root, "/a/one", "shared\n"),
            sample::text(root, "/a/two", "shared\n"),
            sample::text(root, "/ab", "shared\n"),
            sample::text(root, "/ab/own", "own\n"),
            sample::skipped(root, "/a/picture", ProblemKind::Binary),
        ]))
        .unwrap();
    let reader = place.reader();
    let shared = sample::content(&reader, "/a/one");
    let own = sample::content(&reader, "/ab/own");
    assert_eq!(reader.contents_under(Path::new("/a")).unwrap(), [shared]);
    assert_eq!(reader.contents_under(Path::new("/a/picture")).unwrap(), []);
    assert_eq!(reader.contents_under(Path::new("/ab/own")).unwrap(), [own]);
    let mut both = vec![shared, own];
    both.sort();
    assert_eq!(reader.contents_under(Path::new("/ab")).unwrap(), both);
    assert_eq!(reader.contents_under(Path::new("/")).unwrap(), both);
    assert_eq!(reader.contents_after(ContentId(0), 10).unwrap(), both);
    assert_eq!(reader.contents_after(both[0], 10).unwrap(), [both[1]]);
    assert_eq!(reader.contents_after(ContentId(0), 1).unwrap(), [both[0]]);
    let with = reader.documents_with(&[own, shared, own]).unwrap();
    let with: Vec<PathBuf> = with.into_iter().map(|document| document.path).collect();
    assert_eq!(with, ["/ab/own", "/a/one", "/a/two", "/ab"].map(PathBuf::from));
    assert_eq!(reader.documents_with_hash(sample::hash("shared\n")).unwrap().len(), 3);
}

#[cfg(unix)]
pub fn paths_are_kept_byte_for_byte<B: Backend>() {
    use std::os::unix::ffi::OsStrExt;
    let place = B::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    // Not UTF-8, composed and decomposed, control characters, quotes, a name of nothing but 0xff.
    let names: [&[u8]; 8] = [
        b"/d/\xff\xfe",
        "/d/\u{e9}".as_bytes(),
        "/d/e\u{301}".as_bytes(),
        b"/d/a\nb",
        b"/d/'\"%_\\",
        b"/d/\xff",
        b"/d/ ",
        b"/d/A",
    ];
    let paths: Vec<PathBuf> = names.iter().map(|name| PathBuf::from(OsStr::from_bytes(name))).collect();
    let publications = paths.iter().map(|path| sample::text(root, path, &format!("{path:?}\n"))).collect();
    writer.apply(&sample::publish(publications)).unwrap();
    for path in &paths {
        assert_eq!(place.reader().find_document_at(path).unwrap().unwrap().path, *path);
    }
    let mut sorted = paths.clone();
    sorted.sort_by(|one, other| one.as_os_str().as_bytes().cmp(other.as_os_str().as_bytes()));
    assert_eq!(sample::paths(&place.reader(), Some("/d")), sorted);
    // No pattern characters and no folding of case.
    assert_eq!(place.reader().find_document_at(Path::new("/d/a")).unwrap(), None);
    assert_eq!(sample::paths(&place.reader(), Some("/d/_")), Vec::<PathBuf>::new());
}

#[cfg(not(unix))]
pub fn paths_are_kept_byte_for_byte<B: Backend>() {
    let _ = OsStr::new("");
    a_scope_of_everything::<B>();
}

pub fn stamps_are_kept_to_the_last_bit<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    writer.apply(&sample::publish(vec![sample::text(root, "/home/a", "words\n")])).unwrap();
    let document = sample::document(&writer, "/home/a");
    let before = writer.sequence().unwrap();
    for stamp in [
        FileStamp {
            size_bytes: u64::MAX,
            modified_ns: i64::MIN,
            changed_ns: i64::MAX,
            inode: u64::MAX,
            device: 1 << 63,
        },
        FileStamp { size_bytes: 0, modified_ns: -1, changed_ns: 0, inode: 0, device: 0 },
        FileStamp::default(),
    ] {
        writer.apply(&Batch { restamps: vec![Restamp { document, stamp }], ..Batch::default() }).unwrap();
        assert_eq!(place.reader().find_document(document).unwrap().unwrap().stamp, stamp);
    }
    // A stamp alone is no change.
    assert_eq!(writer.sequence().unwrap(), before);
}

pub fn statistics_add_up<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    assert_eq!(writer.statistics(None).unwrap().documents, 0);
    writer
        .apply(&sample::publish(vec![
            sample::text(root, "/a/one", "first\nsecond\n"),
            sample::text(root, "/a/two", "first\nsecond\n"),
            sample::text(root, "/ab", "other\n"),
            sample::skipped(root, "/a/picture", ProblemKind::Binary),
            sample::skipped(root, "/b/empty", ProblemKind::Empty),
            sample::skipped(root, "/b/zero", ProblemKind::Empty),
            sample::failed(root, "/a/locked", true),
        ]))
        .unwrap();
    // A failure that keeps earlier text counts as indexed and as failed.
    writer.apply(&sample::publish(vec![sample::failed(root, "/ab", true)])).unwrap();
    let all = place.reader().statistics(None).unwrap();
    assert_eq!((all.documents, all.indexed, all.contents, all.passages, all.text_bytes), (7, 3, 2, 3, 19));
    assert_eq!(all.skipped, [(ProblemKind::Empty, 2), (ProblemKind::Binary, 1)]);
    assert_eq!(all.failed, [(ProblemKind::Unreadable, 2)]);
    assert!(all.database_bytes > 0);
    assert_eq!(all.epoch, Some(writer.epoch().unwrap()));
    let some = place.reader().statistics(Some(Path::new("/a"))).unwrap();
    for under in [None, Some(Path::new("/a")), Some(Path::new("/ab")), Some(Path::new("/"))] {
        let (few, many) = (place.reader().document_counts(under).unwrap(), place.reader().statistics(under).unwrap());
        assert_eq!((few.documents, few.indexed), (many.documents, many.indexed), "{under:?}");
        assert_eq!(few.failed, many.failed.iter().map(|(_, count)| count).sum::<u64>(), "{under:?}");
    }
    assert_eq!((some.documents, some.indexed, some.contents, some.passages, some.text_bytes), (4, 2, 1, 2, 13));
    assert_eq!(some.skipped, [(ProblemKind::Binary, 1)]);
    assert_eq!(some.failed, [(ProblemKind::Unreadable, 1)]);
    let file = place.reader().statistics(Some(Path::new("/ab"))).unwrap();
    assert_eq!((file.documents, file.indexed, file.contents), (1, 1, 1));
    let root_of_all = place.reader().statistics(Some(Path::new("/"))).unwrap();
    assert_eq!((root_of_all.documents, root_of_all.passages, root_of_all.text_bytes), (7, 3, 19));
}

pub fn trouble_is_listed_by_path<B: Backend>() {
    let place = B::create();
    let mut writer = place.writer();
    let root = sample::root(&mut writer);
    writer
        .apply(&sample::publish(vec![
            sample::skipped(root, "/b/empty", ProblemKind::Empty),
            sample::text(root, "/a/fine", "fine\n"),
            sample::failed(root, "/a/locked", false),
            sample::skipped(root, "/a/picture", ProblemKind::ImageOnly),
            sample::skipped(root, "/a", ProblemKind::Encrypted),
        ]))
        .unwrap();
    let reader = place.reader();
    let trouble = |under: Option<&str>, limit| -> Vec<PathBuf> {
        let documents = reader.documents_with_trouble(under.map(Path::new), limit).unwrap();
        documents.into_iter().map(|document| document.path).collect()
    };
    assert_eq!(trouble(None, 10), ["/a", "/a/locked", "/a/picture", "/b/empty"].map(PathBuf::from));
    assert_eq!(trouble(Some("/a"), 10), ["/a", "/a/locked", "/a/picture"].map(PathBuf::from));
    assert_eq!(trouble(Some("/a"), 2), ["/a", "/a/locked"].map(PathBuf::from));
    assert_eq!(trouble(Some("/a/fine"), 2), Vec::<PathBuf>::new());
    let picture = reader.find_document_at(Path::new("/a/picture")).unwrap().unwrap();
    let detail = "it is image-only".to_owned();
    assert_eq!(picture.outcome, Outcome::Skipped { kind: ProblemKind::ImageOnly, detail });
    assert_eq!((picture.hash, picture.content), (None, None));
}
