//! The index of names.

use bethink_index::{NameQuery, Names};
use bethink_ingest::{NameSource, NameSourceKind, NamesOptions, Rules, Stop, build_names};

use crate::bench::Bench;

#[test]
fn names_cover_more_than_the_roots_and_never_secrets() {
    let bench = Bench::new();
    bench.write("work/.gitignore", "*.pdf\n");
    bench.write("work/Acme Financial - One Page Memo.pdf", "x");
    bench.write("home/.ssh/id_rsa", "x");
    bench.write("home/private.pem", "x");
    bench.write("home/holiday photo.jpg", "x");
    bench.write("home/node_modules/left-pad.js", "x");
    let source = |kind, name: &str| NameSource { kind, path: bench.home.path(name) };
    let sources =
        [source(NameSourceKind::Home, ""), source(NameSourceKind::Work, "work"), source(NameSourceKind::Home, "home")];
    let rules = Rules::new(&bench.home.home());
    let report = build_names(
        &bench.caches,
        &bench.store,
        &rules,
        &sources,
        &NamesOptions::default(),
        &bench.clock,
        &Stop::new(),
    )
    .unwrap();
    assert!(report.sources.iter().all(|source| source.complete));
    assert_eq!(report.sources[0].source.kind, NameSourceKind::Work);
    assert_eq!(report.sources.iter().map(|source| source.names).collect::<Vec<_>>(), [2, 3, 0]);
    let names = Names::open(&bench.caches.names()).unwrap().unwrap();
    assert_eq!(names.len(), 5, "the memo, the photo, and the three folders");
    let answer = names.search(&NameQuery { words: "financial memo".to_owned(), limit: 5, ..NameQuery::default() });
    assert_eq!(answer.matches.len(), 1);
}
