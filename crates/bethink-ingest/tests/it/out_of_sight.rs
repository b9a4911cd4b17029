//! Volumes that are not mounted (case F19). A mount cannot be made in a test; what it leaves behind can:
//! documents that were recorded on another device than their folder is on now.

use std::fs;

use bethink_store::{Batch, FileStamp, IndexWriter, Restamp, RootState};

use crate::bench::Bench;

/// Makes documents look as if their files had been on another device.
fn from_another_device(bench: &mut Bench, names: &[&str]) {
    let restamps = names
        .iter()
        .map(|name| {
            let document = bench.document(name);
            let stamp = FileStamp { device: document.stamp.device + 1_000, ..document.stamp };
            Restamp { document: document.id, stamp }
        })
        .collect();
    bench.store.apply(&Batch { restamps, ..Batch::default() }).unwrap();
}

#[test]
fn an_empty_mount_point_is_a_missing_root_and_keeps_everything() {
    let mut bench = Bench::new();
    bench.write("a.md", "alpha");
    bench.index();
    from_another_device(&mut bench, &["a.md"]);
    fs::remove_file(bench.home.path("a.md")).unwrap();
    let summary = bench.index();
    assert_eq!((summary.removed, summary.roots[0].kept), (0, 1));
    assert_eq!(summary.roots[0].state, RootState::Missing);
    assert_eq!(bench.found("alpha"), ["a.md"]);
}

#[test]
fn a_volume_below_a_root_is_kept_while_its_neighbours_go_on() {
    let mut bench = Bench::new();
    bench.write("usb/a.md", "alpha");
    bench.write("b.md", "beta");
    bench.write("c.md", "gamma");
    bench.index();
    from_another_device(&mut bench, &["usb/a.md"]);
    fs::remove_file(bench.home.path("usb/a.md")).unwrap();
    fs::remove_file(bench.home.path("b.md")).unwrap();
    let summary = bench.index();
    assert_eq!((summary.removed, summary.roots[0].kept), (1, 1));
    assert_eq!(summary.roots[0].state, RootState::Complete);
    assert_eq!(bench.documents(), ["c.md", "usb/a.md"]);
}

#[test]
fn a_volume_under_a_new_number_loses_what_was_deleted_and_rereads_nothing() {
    let mut bench = Bench::new();
    bench.write("a.md", "alpha");
    bench.write("b.md", "beta");
    bench.index();
    let extracted = bench.extracted();
    from_another_device(&mut bench, &["a.md", "b.md"]);
    fs::remove_file(bench.home.path("b.md")).unwrap();
    let summary = bench.index();
    assert_eq!((summary.unchanged, summary.removed), (1, 1));
    assert_eq!(summary.bytes, 0, "the stamp tells, whatever the device is called");
    assert_eq!(bench.extracted(), extracted);
}
