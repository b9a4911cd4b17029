//! Changes as they happen (case L8).

use std::fs;
use std::time::Duration;

use bethink_ingest::{Indexer, Rules, Silent, Stop, Summary, WatchMode, WatchNotice, Watcher};

use crate::bench::Bench;

/// Waits, at the most so long that a machine under load gets there too.
const LONGEST: Duration = Duration::from_secs(30);

fn settled(watcher: &mut Watcher) -> Vec<std::path::PathBuf> {
    match watcher.wait(LONGEST, &Stop::new()).unwrap() {
        WatchNotice::Settled(paths) => paths,
        other => panic!("something changed, and it says {other:?}"),
    }
}

fn reconcile(bench: &mut Bench, paths: &[std::path::PathBuf]) -> Summary {
    let options = bench.options.clone();
    bench.with_parts(|parts| Indexer::new(parts).reconcile(paths, &options, &Silent, &Stop::new())).unwrap()
}

#[test]
fn saves_renames_and_new_folders_are_reported_once_they_settle() {
    let mut bench = Bench::new();
    bench.write("a.md", "alpha");
    bench.write("node_modules/x.md", "junk");
    bench.write("sub/b.md", "beta");
    bench.index();
    let rules = Rules::new(&bench.home.home());
    let mut watcher = Watcher::start(&[bench.home.files()], &rules, &Stop::new()).unwrap();
    if *watcher.mode() != WatchMode::Events {
        println!("skipped: the system does not watch here ({:?})", watcher.mode());
        return;
    }
    assert_eq!(watcher.watched_folders(), 2, "the root and one folder; never node_modules");

    // An editor's save: a new file beside the old one, then renamed over it.
    bench.write("a.md.new", "gamma");
    fs::rename(bench.home.path("a.md.new"), bench.home.path("a.md")).unwrap();
    bench.write("node_modules/y.md", "junk");
    let paths = settled(&mut watcher);
    assert!(paths.contains(&bench.home.path("a.md")), "{paths:?}");
    assert!(!paths.iter().any(|path| path.to_string_lossy().contains("node_modules/")), "{paths:?}");
    assert_eq!(reconcile(&mut bench, &paths).indexed, 1);
    assert_eq!(bench.found("gamma"), ["a.md"]);

    // A new folder with a file in it is watched from then on.
    bench.write("new/deep/c.md", "delta");
    let paths = settled(&mut watcher);
    assert_eq!(reconcile(&mut bench, &paths).indexed, 1);
    bench.write("new/deep/c.md", "epsilon");
    let paths = settled(&mut watcher);
    reconcile(&mut bench, &paths);
    assert_eq!(bench.found("epsilon"), ["new/deep/c.md"]);

    fs::rename(bench.home.path("sub"), bench.home.path("renamed")).unwrap();
    let paths = settled(&mut watcher);
    let summary = reconcile(&mut bench, &paths);
    assert_eq!((summary.moved, summary.removed), (1, 0), "{paths:?}");

    // The old name comes back as another folder.
    bench.write("sub/d.md", "zeta");
    let paths = settled(&mut watcher);
    assert_eq!(reconcile(&mut bench, &paths).indexed, 1);
    bench.write("sub/d.md", "theta");
    let paths = settled(&mut watcher);
    reconcile(&mut bench, &paths);
    assert_eq!(bench.found("theta"), ["sub/d.md"]);

    fs::remove_file(bench.home.path("renamed/b.md")).unwrap();
    let paths = settled(&mut watcher);
    assert_eq!(reconcile(&mut bench, &paths).removed, 1);
}

#[test]
fn only_what_changed_is_reconciled() {
    let mut bench = Bench::new();
    bench.write("a/one.md", "alpha");
    bench.write("b/two.md", "beta");
    bench.index();
    bench.write("a/one.md", "gamma");
    bench.write("b/two.md", "delta");
    bench.write("outside/.env", "canary");
    let mut paths = ["a", "a/one.md", "outside/.env", "gone.md"].map(|name| bench.home.path(name)).to_vec();
    paths.push(bench.home.outside().join("nobody's.md"));
    let summary = reconcile(&mut bench, &paths);
    assert_eq!(summary.indexed, 1);
    assert_eq!(bench.found("gamma"), ["a/one.md"]);
    assert_eq!(bench.found("beta"), ["b/two.md"]);
    assert!(bench.found("canary").is_empty());
}

/// Waits for a sweep, whatever else is reported before.
fn swept(watcher: &mut Watcher) -> String {
    let until = std::time::Instant::now() + LONGEST;
    while std::time::Instant::now() < until {
        if let WatchNotice::Sweep { reason } = watcher.wait(LONGEST, &Stop::new()).unwrap() {
            return reason;
        }
    }
    panic!("a root was exchanged, and no sweep was asked for");
}

#[test]
fn a_root_that_was_exchanged_is_swept_and_watched_anew() {
    let bench = Bench::new();
    bench.write("root/sub/a.md", "alpha");
    bench.write("single.md", "one");
    let (root, away) = (bench.home.path("root"), bench.home.outside().join("away"));
    let rules = Rules::new(&bench.home.home());
    let mut watcher = Watcher::start(&[root.clone(), bench.home.path("single.md")], &rules, &Stop::new()).unwrap();
    if *watcher.mode() != WatchMode::Events {
        println!("skipped: the system does not watch here ({:?})", watcher.mode());
        return;
    }
    // Renamed, and made anew at once.
    fs::rename(&root, &away).unwrap();
    bench.write("root/sub/b.md", "beta");
    swept(&mut watcher);
    bench.write("root/sub/b.md", "gamma");
    assert!(settled(&mut watcher).contains(&bench.home.path("root/sub/b.md")));

    // Deleted for a while.
    fs::remove_dir_all(&root).unwrap();
    swept(&mut watcher);
    bench.write("root/sub/c.md", "delta");
    swept(&mut watcher);
    bench.write("root/sub/c.md", "epsilon");
    assert!(settled(&mut watcher).contains(&bench.home.path("root/sub/c.md")));

    // Deleted and made anew between two looks.
    fs::remove_dir_all(&root).unwrap();
    bench.write("root/sub/d.md", "zeta");
    swept(&mut watcher);
    bench.write("root/sub/d.md", "eta");
    assert!(settled(&mut watcher).contains(&bench.home.path("root/sub/d.md")));
    fs::write(away.join("sub/a.md"), "the folder that moved away is not watched").unwrap();
    let quiet = watcher.wait(Duration::from_secs(3), &Stop::new()).unwrap();
    assert_eq!(quiet, WatchNotice::Quiet, "a root that stays asks for nothing");
}
