//! A first index that is killed again and again (case F7).

use crate::bench::{Bench, word};
use crate::processes::{index_in_child, lines};

fn write_notes(bench: &Bench) {
    for number in 0..150 {
        let (note, matter) = (word(number), word(1_000 + number % 10));
        let text = format!("# Note {number}\n\n{note} speaks of {matter} at length.\n").repeat(3);
        bench.write(format!("{}/{number}.md", number % 5), text);
    }
}

#[test]
fn twenty_kills_lose_nothing_that_was_committed() {
    let mut bench = Bench::new();
    write_notes(&bench);
    let (home, files) = (bench.home.home(), bench.home.files());
    let mut kept = 0;
    for kill in 0..20 {
        let mut child = index_in_child(&home, &files);
        // Killed after another number of its steps each time: in the middle of extraction, of a
        // commit, of the caches' commit, of embedding.
        let last = lines(&mut child).take(1 + kill % 7).last();
        child.kill().unwrap();
        child.wait().unwrap();
        let documents = bench.documents().len();
        assert!(documents >= kept, "what was committed stays: {documents} after {kept}, last heard {last:?}");
        kept = documents;
    }
    assert!(kept > 0, "progress was kept over the kills");
    bench.index();
    let mut undisturbed = Bench::new();
    write_notes(&undisturbed);
    undisturbed.index();
    assert_eq!(bench.documents(), undisturbed.documents());
    for words in [&word(1_003), &word(77), &word(149), "length"] {
        assert_eq!(bench.found(words), undisturbed.found(words), "{words}");
    }
    assert_eq!(bench.found(&word(77)).len(), 1);
    bench.assert_vectors_are_those_of_live_passages();
    assert_eq!(bench.index().unchanged, 150);
}
