//! Files inside files are documents of their own, and live and die with their container.

use bethink_core::ProblemKind;
use bethink_index::{NameQuery, Names};
use bethink_ingest::{DiskVerifier, FileVerdict, NameSource, NameSourceKind, NamesOptions, Rules, Stop, build_names};
use bethink_store::{IndexReader, Outcome};
use bethink_testkit::zip_of;

use crate::bench::Bench;

#[test]
fn members_are_found_under_their_containers_path() {
    let mut bench = Bench::new();
    let inner = zip_of(&[("deep.txt", b"a walrus at the bottom")]);
    bench.write("a.zip", zip_of(&[("letters/anna.md", b"# Anna\n\nthe ocelot sleeps"), ("inner.zip", &inner)]));
    let summary = bench.index();
    assert_eq!(summary.indexed, 4, "{summary:?}");
    assert_eq!(bench.found("ocelot"), ["a.zip!/letters/anna.md"]);
    assert_eq!(bench.found("walrus"), ["a.zip!/inner.zip!/deep.txt"]);
    let extracted = bench.extracted();
    assert_eq!(bench.index().unchanged, 1, "a container that is as it was is not opened");
    assert_eq!(bench.extracted(), extracted);
    assert_eq!(bench.found("ocelot"), ["a.zip!/letters/anna.md"]);
}

#[test]
fn a_changed_container_keeps_what_is_still_inside() {
    let mut bench = Bench::new();
    bench.write("a.zip", zip_of(&[("one.txt", b"the ocelot sleeps"), ("two.txt", b"a lynx wakes")]));
    bench.index();
    let identity = bench.document("a.zip!/one.txt").id;
    bench.write("a.zip", zip_of(&[("one.txt", b"the ocelot sleeps"), ("three.txt", b"some marmot")]));
    let summary = bench.index();
    assert_eq!(summary.removed, 1);
    assert_eq!(bench.documents(), ["a.zip", "a.zip!/one.txt", "a.zip!/three.txt"]);
    assert_eq!(bench.document("a.zip!/one.txt").id, identity);
    assert_eq!((bench.found("lynx"), bench.found("marmot")), (vec![], vec!["a.zip!/three.txt".to_owned()]));
    bench.assert_vectors_are_those_of_live_passages();
}

#[test]
fn members_move_and_go_with_their_container() {
    let mut bench = Bench::new();
    let path = bench.write("a.zip", zip_of(&[("one.txt", b"the ocelot sleeps")]));
    bench.index();
    let identity = bench.document("a.zip!/one.txt").id;
    std::fs::create_dir(bench.home.path("kept")).unwrap();
    std::fs::rename(&path, bench.home.path("kept/b.zip")).unwrap();
    let extracted = bench.extracted();
    let summary = bench.index();
    assert_eq!((summary.moved, summary.removed), (1, 0));
    assert_eq!(bench.extracted(), extracted, "nothing is opened for a move");
    assert_eq!(bench.found("ocelot"), ["kept/b.zip!/one.txt"]);
    assert_eq!(bench.document("kept/b.zip!/one.txt").id, identity);
    std::fs::remove_file(bench.home.path("kept/b.zip")).unwrap();
    assert_eq!(bench.index().removed, 2);
    assert_eq!(bench.documents(), Vec::<String>::new());
}

#[test]
fn a_copy_of_a_container_is_opened_as_well() {
    let mut bench = Bench::new();
    let bytes = zip_of(&[("one.txt", b"the ocelot sleeps")]);
    bench.write("a.zip", &bytes);
    bench.index();
    bench.write("b.zip", &bytes);
    let summary = bench.index();
    assert_eq!(summary.embedded, 0, "the same texts have the same vectors");
    assert_eq!(bench.found("ocelot"), ["a.zip!/one.txt", "b.zip!/one.txt"]);
}

#[test]
fn a_file_that_was_unpacked_is_a_new_document() {
    let mut bench = Bench::new();
    bench.write("a.zip", zip_of(&[("one.txt", b"the ocelot sleeps")]));
    bench.index();
    bench.write("one.txt", b"the ocelot sleeps");
    let summary = bench.index();
    assert_eq!((summary.moved, summary.embedded), (0, 0));
    assert_eq!(bench.found("ocelot"), ["a.zip!/one.txt", "one.txt"]);
}

#[test]
fn secrets_stay_secret_inside() {
    let mut bench = Bench::new();
    let key = b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA ocelot\n";
    let within = zip_of(&[("deep/key.txt", &key[..]), ("deep/.env", b"TOKEN=ocelot"), ("deep/calm.txt", b"an ocelot")]);
    let members: [(&str, &[u8]); 5] = [
        ("inner.zip", &within),
        ("home/.env", b"TOKEN=ocelot"),
        ("home/.ssh/config", b"ocelot"),
        ("notes/key.txt", key),
        ("notes/fine.txt", b"the ocelot sleeps"),
    ];
    bench.write("backup.zip", zip_of(&members));
    bench.index();
    let mut found = bench.found("ocelot");
    found.sort();
    assert_eq!(found, ["backup.zip!/inner.zip!/deep/calm.txt", "backup.zip!/notes/fine.txt"]);
    let key = bench.document("backup.zip!/notes/key.txt");
    assert!(key.hash.is_none() && key.content.is_none());
}

#[test]
fn a_damaged_member_costs_itself() {
    let mut bench = Bench::new();
    bench.write("a.zip", zip_of(&[("torn.zip", b"PK\x03\x04 and no more"), ("fine.txt", b"the ocelot sleeps")]));
    bench.index();
    assert_eq!(bench.found("ocelot"), ["a.zip!/fine.txt"]);
    let torn = bench.document("a.zip!/torn.zip").outcome;
    let kind = match torn {
        Outcome::Skipped { kind, .. } | Outcome::Failed { kind, .. } => Some(kind),
        Outcome::Indexed => None,
    };
    assert_eq!(kind, Some(ProblemKind::Damaged));
}

#[test]
fn the_disk_is_asked_about_the_container() {
    let mut bench = Bench::new();
    let path = bench.write("a.zip", zip_of(&[("one.txt", b"the ocelot sleeps")]));
    bench.index();
    let rules = Rules::new(&bench.home.home());
    let verdict = |bench: &Bench| {
        let verifier = DiskVerifier::new(&bench.store, &rules, &bench.clock, None).unwrap();
        verifier.verify(&bench.document("a.zip!/one.txt"))
    };
    assert_eq!(verdict(&bench), FileVerdict::Current);
    let moved = bench.home.path("b.zip");
    std::fs::rename(&path, &moved).unwrap();
    assert_eq!(verdict(&bench), FileVerdict::Moved(bench.home.path("b.zip!/one.txt")));
    std::fs::write(&path, zip_of(&[("one.txt", b"the lynx sleeps")])).unwrap();
    assert_eq!(verdict(&bench), FileVerdict::Changed);
    std::fs::remove_file(&moved).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(verdict(&bench), FileVerdict::Gone);
}

#[test]
fn members_are_found_by_name() {
    let mut bench = Bench::new();
    bench.write("a.zip", zip_of(&[("letters/anna karenina.txt", b"text")]));
    bench.index();
    let rules = Rules::new(&bench.home.home());
    let sources = [NameSource { kind: NameSourceKind::Work, path: bench.home.files() }];
    let options = NamesOptions::default();
    build_names(&bench.caches, &bench.store, &rules, &sources, &options, &bench.clock, &Stop::new()).unwrap();
    let names = Names::open(&bench.caches.names()).unwrap().unwrap();
    let query = NameQuery { words: "karenina".to_owned(), limit: 5, ..NameQuery::default() };
    let found: Vec<_> = names.search(&query).matches.into_iter().map(|found| found.path).collect();
    assert_eq!(found, [bench.home.path("a.zip!/letters/anna karenina.txt")]);
    assert_eq!(bench.store.members(None, 9).unwrap().len(), 1);
}
