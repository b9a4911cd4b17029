//! The notebook: M2, M4, M10 to M12, M14 and M15 of the memory's cases, people and pins.

use std::time::Duration;

use bethink_core::UnixMillis;
use bethink_memory::{
    NoteDraft, NotebookQuestion, PinDraft, Resolution, add_person, check_notebook, decide_suggestion, merge_people,
    person_for, pin, resolve_person, write_note,
};
use bethink_store::memory::{
    Author, EventFilter, EventKind, MemoryReader, MemoryWriter, Note, NoteFilter, NoteKind, Written,
};

use crate::place::{HandClock, Place};

/// A notebook and a clock that moves a second with every write.
struct Notebook {
    place: Place,
    clock: HandClock,
}

impl Notebook {
    fn new() -> Self {
        Self { place: Place::new(), clock: HandClock::at(UnixMillis(1_000_000)) }
    }

    fn write(&mut self, draft: NoteDraft, author: Author) -> Written {
        self.clock.advance(Duration::from_secs(1));
        write_note(&mut self.place.store, &self.clock, draft, author, None).unwrap()
    }

    fn note(&mut self, title: &str, body: &str) -> Note {
        match self.write(NoteDraft::new(NoteKind::Note, title, body), Author::Agent) {
            Written::Created(note) | Written::Updated(note) | Written::Unchanged(note) => note,
            other => panic!("{other:?}"),
        }
    }

    fn titles(&self, question: &NotebookQuestion) -> Vec<String> {
        let answer = check_notebook(&self.place.store, question).unwrap();
        answer.notes.into_iter().map(|note| note.note.content.title).collect()
    }

    fn ask(&self, query: &str) -> Vec<String> {
        self.titles(&NotebookQuestion { query: query.to_owned(), ..NotebookQuestion::default() })
    }
}

#[test]
fn m4_two_spellings_of_an_identity_are_one_note() {
    let mut book = Notebook::new();
    let first = book.note("Site Roadmap", "soon");
    for spelling in ["site-roadmap", "SITE  ROADMAP", "Site Roadmap"] {
        let again = book.note(spelling, "soon");
        assert_eq!(again.id, first.id, "{spelling}");
    }
    let composed = book.note("\u{227} plan", "x");
    assert_eq!(book.note("a\u{307} plan", "x").id, composed.id);
    let other_kind = book.write(NoteDraft::new(NoteKind::Guidance, "Site Roadmap", "soon"), Author::Agent);
    assert!(matches!(other_kind, Written::Created(_)), "each kind has identities of its own");
}

#[test]
fn m10_the_same_again_is_nothing_and_another_word_is_a_revision() {
    let mut book = Notebook::new();
    let loves = book.note("food", "loves Chinese food");
    let changes = book.place.store.memory_changes_after(0, 99).unwrap().len();
    let again = book.note("food", "loves Chinese food");
    assert_eq!(again, loves, "updated does not move");
    assert_eq!(book.place.store.memory_changes_after(0, 99).unwrap().len(), changes);
    let hates = book.note("food", "hates Chinese food");
    assert_eq!((hates.id, hates.version), (loves.id, 2));
    let history = book.place.store.history(loves.id).unwrap();
    let bodies: Vec<&str> = history.iter().map(|revision| revision.content.body.as_str()).collect();
    assert_eq!(bodies, ["hates Chinese food", "loves Chinese food"]);
    assert_eq!(book.ask("hates"), ["food"]);
    assert!(book.ask("loves").is_empty(), "what is superseded is not current");
}

#[test]
fn m11_what_the_owner_wrote_is_never_overwritten() {
    let mut book = Notebook::new();
    book.note("Anna", "likes trams");
    let edited = "likes trams — *and* ferries.\n\n  Two spaces, an emoji 🚋.";
    let Written::Updated(mine) = book.write(NoteDraft::new(NoteKind::Note, "Anna", edited), Author::Owner) else {
        panic!("the owner may always write");
    };
    assert!(mine.user_edited);
    for number in 0..10 {
        let draft = NoteDraft::new(NoteKind::Note, "Anna", format!("distilled {number}"));
        let written = book.write(draft, if number % 2 == 0 { Author::Distiller } else { Author::Agent });
        assert!(matches!(written, Written::Suggested(..)), "{written:?}");
    }
    assert_eq!(book.place.store.find_note(mine.id).unwrap(), Some(mine.clone()), "byte for byte");
    // The same suggestion twice is one.
    book.write(NoteDraft::new(NoteKind::Note, "Anna", "distilled 0"), Author::Agent);
    let waiting = book.place.store.suggestions(99).unwrap();
    assert_eq!(waiting.len(), 10);

    let dismissed = decide_suggestion(&mut book.place.store, &book.clock, waiting[0].1.number, false).unwrap();
    assert_eq!(dismissed, mine);
    let again = book.write(NoteDraft::new(NoteKind::Note, "Anna", "distilled 0"), Author::Distiller);
    assert!(matches!(again, Written::Dismissed(_)), "what was dismissed is not suggested again");
    let accepted = decide_suggestion(&mut book.place.store, &book.clock, waiting[1].1.number, true).unwrap();
    assert_eq!((accepted.content.body.as_str(), accepted.version), ("distilled 1", 3));
    assert!(decide_suggestion(&mut book.place.store, &book.clock, waiting[1].1.number, true).is_err());
    assert_eq!(book.place.store.suggestions(99).unwrap().len(), 8);
}

#[test]
fn a_stale_write_is_refused_with_what_is_there() {
    let mut book = Notebook::new();
    let mut write = |body: &str, expected| {
        let draft = NoteDraft::new(NoteKind::Note, "plan", body);
        write_note(&mut book.place.store, &book.clock, draft, Author::Agent, expected).unwrap()
    };
    assert!(matches!(write("x", Some(1)), Written::Stale(None)));
    assert!(matches!(write("one", Some(0)), Written::Created(_)));
    assert!(matches!(write("two", Some(1)), Written::Updated(_)));
    match write("three", Some(1)) {
        Written::Stale(Some(note)) => assert_eq!((note.version, note.content.body.as_str()), (2, "two")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn words_count_where_they_stand_and_ties_go_to_the_newest() {
    let mut book = Notebook::new();
    book.note("body only", "a tram");
    book.note("older tram", "nothing");
    book.note("newer tram", "nothing");
    let mut tagged = NoteDraft::new(NoteKind::Note, "tagged", "nothing");
    tagged.tags = vec!["Tram".to_owned()];
    book.write(tagged, Author::Agent);
    assert_eq!(book.ask("trams"), ["newer tram", "older tram", "tagged", "body only"]);
    assert_eq!(book.ask("the"), Vec::<String>::new());
    for number in 0..20 {
        book.note(&format!("tram {number}"), "x");
    }
    let answer =
        check_notebook(&book.place.store, &NotebookQuestion { query: "tram".to_owned(), ..Default::default() });
    let answer = answer.unwrap();
    assert_eq!((answer.notes.len(), answer.more), (8, true));
    assert_eq!(answer.notes[0].note.content.title, "tram 19");
}

#[test]
fn m14_nothing_asked_gives_everything_within_the_facets() {
    let mut book = Notebook::new();
    for day in 1..=5_i64 {
        let mut draft = NoteDraft::new(NoteKind::DigestCall, format!("call {day}"), "x");
        draft.about = Some(UnixMillis(day * 1_000));
        book.write(draft, Author::Agent);
    }
    let filter = NoteFilter { from: Some(UnixMillis(2_000)), until: Some(UnixMillis(5_000)), ..NoteFilter::default() };
    for query in ["", "*", "  "] {
        let question = NotebookQuestion { query: query.to_owned(), filter: filter.clone(), limit: 0 };
        assert_eq!(book.titles(&question), ["call 4", "call 3", "call 2"]);
    }
}

#[test]
fn m15_facets_restrict_before_anything_is_scored() {
    let mut book = Notebook::new();
    let anna = person_for(&mut book.place.store, &book.clock, "Anna Keller").unwrap();
    let mut about_anna = NoteDraft::new(NoteKind::Note, "walk", "a tram, once");
    about_anna.person = Some(anna.id);
    about_anna.tags = vec!["Lisbon trip".to_owned()];
    book.write(about_anna, Author::Agent);
    for number in 0..150 {
        book.note(&format!("tram tram {number}"), "tram tram tram");
    }
    let by = |filter: NoteFilter| NotebookQuestion { query: "tram".to_owned(), filter, limit: 0 };
    let people = NoteFilter { people: vec![anna.id], ..NoteFilter::default() };
    assert_eq!(book.titles(&by(people)), ["walk"]);
    let tagged = NoteFilter { tag: Some("lisbon-trip".to_owned()), ..NoteFilter::default() };
    assert_eq!(book.titles(&by(tagged)), ["walk"]);
}

#[test]
fn m2_how_much_of_the_question_a_note_has_is_told() {
    let mut book = Notebook::new();
    for number in 0..5 {
        book.note(&format!("flow {number}"), "source → sink");
    }
    let question = NotebookQuestion { query: "heat sink thermal simulation".to_owned(), ..Default::default() };
    let answer = check_notebook(&book.place.store, &question).unwrap();
    assert_eq!(answer.words, 4);
    assert!(answer.notes.iter().all(|note| note.words == 1), "one word of four");
    assert!(book.ask("zebrafish quantum marmalade sentinel").is_empty());
    assert!(book.ask("???").is_empty(), "signs alone are not everything");
}

#[test]
fn a_forgotten_note_is_nowhere() {
    let mut book = Notebook::new();
    let note = book.note("quetzal", "a bird called quetzalcoatl");
    book.note("quetzal", "a god called quetzalcoatl");
    assert!(book.place.store.forget_note(note.id, UnixMillis(1)).unwrap());
    assert!(!book.place.store.forget_note(note.id, UnixMillis(1)).unwrap());
    assert!(book.ask("quetzal").is_empty());
    assert_eq!(book.place.store.find_note(note.id).unwrap(), None);
    assert_eq!(book.place.store.history(note.id).unwrap(), []);
    let bytes = std::fs::read(book.place.store.path()).unwrap();
    assert!(!bytes.windows(12).any(|window| window == b"quetzalcoatl"));
    assert_eq!(book.place.store.check_integrity().unwrap(), Vec::<String>::new());
}

#[test]
fn a_name_means_who_is_known_by_it() {
    let mut book = Notebook::new();
    let (store, clock) = (&mut book.place.store, &book.clock);
    let anna = person_for(store, clock, "Anna Keller").unwrap();
    let ivan = add_person(store, clock, "Иван Петров", &["Vanya".to_owned()]).unwrap();
    for (name, id) in [
        ("ANNA KELLER", anna.id),
        ("anna", anna.id),
        ("Ånna-Keller", anna.id),
        ("Ivan Petrov", ivan.id),
        ("vanya", ivan.id),
    ] {
        match resolve_person(store, name).unwrap() {
            Resolution::One(person) => assert_eq!(person.id, id, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
    assert_eq!(resolve_person(store, "Ann").unwrap(), Resolution::Nobody, "half a word is no name");
    assert_eq!(resolve_person(store, "").unwrap(), Resolution::Nobody);
    let other = add_person(store, clock, "Anna Berg", &[]).unwrap();
    match resolve_person(store, "Anna").unwrap() {
        Resolution::Several(people) => assert_eq!(people.len(), 2),
        other => panic!("{other:?}"),
    }
    let refused = person_for(store, clock, "anna").unwrap_err().to_string();
    assert!(refused.contains("Anna Berg") && refused.contains("Anna Keller"), "{refused}");

    merge_people(store, clock, other.id, anna.id).unwrap();
    assert!(merge_people(store, clock, anna.id, anna.id).is_err());
    match resolve_person(store, "Anna Berg").unwrap() {
        Resolution::One(person) => assert_eq!((person.id, person.name.as_str()), (anna.id, "Anna Keller")),
        other => panic!("{other:?}"),
    }
    assert_eq!(store.people().unwrap().len(), 2);
}

#[test]
fn pins_accumulate_and_the_same_one_is_pinned_once() {
    let mut book = Notebook::new();
    let anna = person_for(&mut book.place.store, &book.clock, "Anna").unwrap();
    let draft = |text: &str| PinDraft {
        text: text.to_owned(),
        person: Some((anna.id, anna.name.clone())),
        source: Some("a walk".to_owned()),
        tags: vec!["idea".to_owned()],
        zone: None,
    };
    let mut put = |text: &str| pin(&mut book.place.store, &book.clock, draft(text), Author::Owner).unwrap();
    let (first, is_new) = put("trams should sing");
    assert!(is_new && first.kind == NoteKind::Sparked && first.person == Some(anna.id));
    assert!(put("trams should dance").1);
    let (again, is_new) = put("trams should  SING");
    assert_eq!((again.id, is_new), (first.id, false));
    let filter = EventFilter { kinds: vec![EventKind::Pin], ..EventFilter::default() };
    assert_eq!(book.place.store.newest_events(&filter, None, 9).unwrap().len(), 2);
    assert_eq!(book.ask("trams").len(), 2);
}
