//! Laws of the log.

use bethink_core::{MemoryId, UnixMillis};
use bethink_store::memory::{EventFilter, EventKind, Inserted, LoggedEvent, MemoryEvent, MemoryReader, MemoryWriter};

use super::{MemoryBackend, event};

fn texts(events: &[LoggedEvent]) -> Vec<&str> {
    events.iter().map(|event| event.event.text.as_str()).collect()
}

pub fn an_event_comes_back_whole<B: MemoryBackend>() {
    let place = B::create();
    let mut writer = place.writer();
    let whole = MemoryEvent {
        zone: Some("-07:00".to_owned()),
        source: Some("chat".to_owned()),
        thread: Some("t 1".to_owned()),
        person: Some("Ånne".to_owned()),
        person_key: Some("anne".to_owned()),
        ..event(1, -5, "first line\nsecond \u{0}\u{202E} line")
    };
    assert_eq!(writer.insert_events(std::slice::from_ref(&whole)).unwrap(), [Inserted::New(1)]);
    assert_eq!(place.reader().find_event(whole.id).unwrap(), Some(LoggedEvent { position: 1, event: whole.clone() }));
    for (kind, name) in EventKind::ALL {
        assert_eq!(EventKind::from_name(name), Some(kind));
    }
    assert_eq!(writer.find_event(MemoryId([9; 16])).unwrap(), None);
    assert_eq!(writer.check_integrity().unwrap(), Vec::<String>::new());
}

pub fn an_insertion_is_if_absent<B: MemoryBackend>() {
    let mut writer = B::create().writer();
    let one = event(1, 10, "one");
    // The same identity twice in one list, too.
    let outcomes = writer.insert_events(&[one.clone(), event(2, 20, "two"), one.clone()]).unwrap();
    assert_eq!(outcomes, [Inserted::New(1), Inserted::New(2), Inserted::Present]);
    let other = MemoryEvent { text: "another".to_owned(), ..one.clone() };
    assert_eq!(writer.insert_events(&[other, one]).unwrap(), [Inserted::Conflicting, Inserted::Present]);
    assert_eq!(texts(&writer.events_after(0, 9, usize::MAX).unwrap()), ["one", "two"]);
}

pub fn a_forgotten_event_never_comes_back<B: MemoryBackend>() {
    let mut writer = B::create().writer();
    let secret = event(1, 10, "secret");
    writer.insert_events(&[secret.clone(), event(2, 20, "kept")]).unwrap();
    let ids = [secret.id, MemoryId([7; 16])];
    assert_eq!(writer.forget_events(&ids, UnixMillis(99)).unwrap(), 1);
    assert_eq!(writer.forget_events(&ids, UnixMillis(100)).unwrap(), 0);
    assert_eq!(writer.insert_events(&[secret]).unwrap(), [Inserted::Forgotten]);
    let tombstones = writer.tombstones_after(0, 9).unwrap();
    assert_eq!(tombstones.len(), 1);
    assert_eq!((tombstones[0].id, tombstones[0].forgotten), (ids[0], UnixMillis(99)));
    let state = writer.log_state().unwrap();
    assert_eq!((state.events, state.newest, state.forgotten), (1, 2, tombstones[0].sequence));
    assert_eq!(texts(&writer.events_after(0, 9, usize::MAX).unwrap()), ["kept"]);
}

pub fn positions_only_grow<B: MemoryBackend>() {
    let mut writer = B::create().writer();
    writer.insert_events(&[event(1, 10, "one"), event(2, 20, "two")]).unwrap();
    writer.forget_events(&[MemoryId([2; 16])], UnixMillis(1)).unwrap();
    assert_eq!(writer.insert_events(&[event(3, 5, "three")]).unwrap(), [Inserted::New(3)]);
    assert_eq!(texts(&writer.events_at(&[3, 2, 1]).unwrap()), ["three", "one"]);
}

pub fn the_newest_come_by_their_own_time<B: MemoryBackend>() {
    let mut writer = B::create().writer();
    writer.insert_events(&[event(1, 30, "c"), event(2, 10, "a"), event(3, 20, "b"), event(4, 20, "b2")]).unwrap();
    let first = writer.newest_events(&EventFilter::default(), None, 2).unwrap();
    assert_eq!(texts(&first), ["c", "b2"]);
    let behind = first.last().map(|event| (event.event.time, event.position));
    assert_eq!(texts(&writer.newest_events(&EventFilter::default(), behind, 9).unwrap()), ["b", "a"]);
}

pub fn a_filter_restricts_before_it_counts<B: MemoryBackend>() {
    let mut writer = B::create().writer();
    // A hundred newer events of others must not crowd the one out.
    let mut events: Vec<MemoryEvent> = (10..110).map(|number| event(number, 1_000, "noise")).collect();
    events.push(MemoryEvent {
        person_key: Some("anna".to_owned()),
        kind: EventKind::Call,
        thread: Some("t".to_owned()),
        source: Some("s".to_owned()),
        ..event(1, 10, "anna called")
    });
    writer.insert_events(&events).unwrap();
    let nothing = EventFilter::default();
    let filters = [
        EventFilter { people: vec!["bob".to_owned(), "anna".to_owned()], ..nothing.clone() },
        EventFilter { kinds: vec![EventKind::Call], ..nothing.clone() },
        EventFilter { thread: Some("t".to_owned()), ..nothing.clone() },
        EventFilter { source: Some("s".to_owned()), ..nothing.clone() },
        EventFilter { from: Some(UnixMillis(10)), until: Some(UnixMillis(1_000)), ..nothing.clone() },
    ];
    for filter in filters {
        assert_eq!(texts(&writer.newest_events(&filter, None, 9).unwrap()), ["anna called"], "{filter:?}");
    }
    let none = EventFilter { from: Some(UnixMillis(11)), until: Some(UnixMillis(1_000)), ..nothing };
    assert!(writer.newest_events(&none, None, 9).unwrap().is_empty());
}

pub fn a_page_is_bounded<B: MemoryBackend>() {
    let mut writer = B::create().writer();
    let events: Vec<MemoryEvent> = (1..20).map(|number| event(number, 1, &"x".repeat(100))).collect();
    writer.insert_events(&events).unwrap();
    assert_eq!(writer.events_after(0, 5, usize::MAX).unwrap().len(), 5);
    assert_eq!(
        writer.events_after(3, 99, 250).unwrap().iter().map(|event| event.position).collect::<Vec<_>>(),
        [4, 5, 6]
    );
    assert_eq!(writer.events_after(3, 99, 0).unwrap().len(), 1);
    assert!(writer.events_after(19, 99, usize::MAX).unwrap().is_empty());
}

pub fn readers_see_what_is_written<B: MemoryBackend>() {
    let place = B::create();
    let mut writer = place.writer();
    let reader = place.reader();
    assert_eq!(reader.memory_id().unwrap(), writer.memory_id().unwrap());
    assert!(!reader.device().unwrap().is_empty());
    writer.insert_events(&[event(1, 10, "one")]).unwrap();
    assert_eq!(reader.log_state().unwrap().events, 1);
    assert_ne!(B::create().writer().memory_id().unwrap(), writer.memory_id().unwrap());
}
