//! `grep_memory`: what is found, in which order, and what never happens (M1 to M3, M14).

use std::fs::{self, OpenOptions};

use bethink_core::UnixMillis;
use bethink_memory::grep::{GrepAnswer, grep_memory, remove_mirror};
use bethink_store::memory::{EventKind, MemoryReader, MemoryWriter};
use bethink_store::sqlite::SqliteMemory;

use crate::place::Place;

fn grep(place: &Place, pattern: &str) -> GrepAnswer {
    grep_memory(&place.store, &place.mirror(), pattern).unwrap()
}

fn texts(answer: &GrepAnswer) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.event.event.text.as_str()).collect()
}

#[test]
fn an_empty_log_ends_the_search() {
    let place = Place::new();
    let answer = grep(&place, "anything");
    assert!(answer.hits.is_empty() && answer.events == 0);
    assert!(answer.notes[0].contains("do not search it again"), "{:?}", answer.notes);
}

#[test]
fn the_twelve_newest_by_their_own_time_come_first() {
    let mut place = Place::new();
    // What happened last was logged first: an import of old letters after a day's notes.
    place.log(EventKind::Journal, 9_000_000, (0..10).map(|number| format!("tram ride {number}")));
    place.log(EventKind::Message, 1_000, (0..10).map(|number| format!("old tram letter {number}")));
    let answer = grep(&place, "tram");
    assert_eq!(answer.hits.len(), 12);
    assert!(answer.more && !answer.hits[0].event.event.text.contains("old"));
    assert_eq!(texts(&answer)[..2], ["tram ride 9", "tram ride 8"]);
    assert_eq!(texts(&answer)[10..], ["old tram letter 9", "old tram letter 8"]);
}

#[test]
fn conversations_with_agents_are_left_out() {
    let mut place = Place::new();
    place.log(EventKind::Agent, 5_000, ["where did I write of the tram?"]);
    place.log(EventKind::Journal, 1_000, ["tram 28 ride in Lisbon"]);
    assert_eq!(texts(&grep(&place, "tram")), ["tram 28 ride in Lisbon"]);
}

#[test]
fn case_counts_where_a_capital_was_typed() {
    let mut place = Place::new();
    place.log(EventKind::Journal, 0, ["Lisbon", "lisbon"]);
    assert_eq!(grep(&place, "lisbon").hits.len(), 2);
    assert_eq!(texts(&grep(&place, "Lisbon")), ["Lisbon"]);
    assert_eq!(grep(&place, r"\Slisbon|^lisbon\S?$").hits.len(), 2, "a class is no capital");
}

#[test]
fn m3_what_is_no_pattern_or_never_matches_is_taken_literally() {
    let mut place = Place::new();
    let literal = ["see foo[ there", "call html(json.data", "call .html(json.data) twice", "a back\\slash"];
    place.log(EventKind::Journal, 0, literal);
    for (pattern, expected) in [
        ("foo[", vec![literal[0]]),
        ("html(json.data", vec![literal[2], literal[1]]),
        (".html(json.data)", vec![literal[2]]),
        ("\\", vec![literal[3]]),
    ] {
        let answer = grep(&place, pattern);
        assert_eq!(texts(&answer), expected, "{pattern}");
        assert!(answer.literal && answer.notes.iter().any(|note| note.contains("letter by letter")), "{pattern}");
    }
    let everything = grep(&place, "");
    assert_eq!(everything.hits.len(), 4);
    assert!(everything.notes[0].contains("empty pattern"));
    let nothing = grep(&place, "zebrafish.+marmalade");
    assert!(nothing.hits.is_empty() && nothing.notes[0].contains("none of the 4 events"));
}

#[test]
fn an_excerpt_is_three_hundred_characters_around_the_match() {
    let mut place = Place::new();
    place.log(EventKind::Journal, 0, [format!("{}needle{}", "straw ".repeat(900), " straw".repeat(900))]);
    let answer = grep(&place, "needle");
    let hit = &answer.hits[0];
    assert_eq!(hit.excerpt.chars().count(), 300);
    assert_eq!(&hit.excerpt[hit.matched.clone()], "needle");
}

/// Enough for several blocks of the mirror and a tail.
fn several_blocks() -> Place {
    let mut place = Place::new();
    for round in 0..5_i64 {
        place.log(
            EventKind::Message,
            round * 10_000_000,
            (0..2_000).map(|number| {
                let rare = if number == 700 { " quetzal" } else { "" };
                format!("round {round} message {number} about nothing much{rare}")
            }),
        );
    }
    place
}

#[test]
fn the_mirror_gives_what_the_log_has() {
    let place = several_blocks();
    let first = grep(&place, "quetzal");
    assert_eq!(first.hits.len(), 5);
    assert!(!first.more);
    assert!(fs::metadata(place.mirror()).unwrap().len() > 100_000, "whole blocks are mirrored");
    assert_eq!(grep(&place, "quetzal"), first, "a second time from the mirror as it is");
    let line = grep(&place, "^round 3 message 199. about");
    assert_eq!(line.hits.len(), 10);
    assert_eq!(texts(&grep(&place, r"\Around 0 message 0 ")).len(), 1);
    assert_eq!(grep(&place, "message").hits.len(), 12);
    // A pattern may cross line feeds, and never from one event into the next.
    assert!(grep(&place, r"much\sround").hits.is_empty());
}

#[test]
fn a_mirror_that_is_gone_damaged_or_of_another_memory_is_built_again() {
    let place = several_blocks();
    let right = grep(&place, "quetzal");
    let whole = fs::read(place.mirror()).unwrap();
    let damages: [&dyn Fn(); 5] = [
        &|| fs::remove_file(place.mirror()).unwrap(),
        &|| fs::write(place.mirror(), b"").unwrap(),
        &|| fs::write(place.mirror(), b"something else entirely, longer than a header of the mirror is").unwrap(),
        &|| fs::write(place.mirror(), &whole[..whole.len() / 2]).unwrap(),
        &|| {
            let mut other = whole.clone();
            other[20] ^= 0xFF;
            fs::write(place.mirror(), other).unwrap();
        },
    ];
    for (number, damage) in damages.into_iter().enumerate() {
        damage();
        assert_eq!(grep(&place, "quetzal"), right, "damage {number}");
        assert_eq!(fs::read(place.mirror()).unwrap(), whole, "damage {number}");
    }
    // What a writer that died left behind the valid part is written over.
    OpenOptions::new().write(true).open(place.mirror()).unwrap().set_len(whole.len() as u64 + 999).unwrap();
    assert_eq!(grep(&place, "quetzal"), right);
}

#[test]
fn what_was_forgotten_is_in_no_byte_of_the_mirror() {
    let mut place = several_blocks();
    let answer = grep(&place, "quetzal");
    let ids: Vec<_> = answer.hits.iter().map(|hit| hit.event.event.id).collect();
    assert_eq!(place.store.forget_events(&ids, UnixMillis(1)).unwrap(), 5);
    remove_mirror(&place.mirror()).unwrap();
    assert!(fs::read(place.mirror()).unwrap().is_empty());
    assert!(grep(&place, "quetzal").hits.is_empty());
    // Even where emptying it was missed, the state of the log differs and it is built again.
    for file in [place.mirror(), place.store.path().to_path_buf()] {
        let bytes = fs::read(&file).unwrap();
        assert!(!bytes.windows(7).any(|window| window == b"quetzal"), "{}", file.display());
    }
    assert_eq!(grep(&place, "message 700").hits.len(), 0);
    assert_eq!(grep(&place, "message 701").hits.len(), 5);
}

#[test]
fn a_log_that_grows_is_searched_to_its_end() {
    let mut place = several_blocks();
    assert_eq!(grep(&place, "quetzal").hits.len(), 5);
    for number in 0..3 {
        place.log(EventKind::Journal, 1_000_000_000 + number * 1000, [format!("quetzal {number}")]);
        assert_eq!(texts(&grep(&place, "quetzal"))[0], format!("quetzal {number}"));
    }
    let other = SqliteMemory::open(place.store.path()).unwrap();
    assert_eq!(other.log_state().unwrap().events, 10_003);
}

#[test]
fn m3_patterns_that_defeat_other_engines_end() {
    let place = several_blocks();
    for pattern in ["(a+)+$", "[a-z ,]{0,90}TOKEN[a-z ,]{0,90}", r"(\w+\s?)*!$", "(x|xx|xxx)*y", &"a?".repeat(500)] {
        let answer = grep(&place, pattern);
        assert!(answer.hits.len() <= 12, "{pattern}");
    }
}
