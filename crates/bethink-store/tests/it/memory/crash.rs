//! What was acknowledged is there, whatever is killed and whoever writes beside (M7 to M9).

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use bethink_core::{MemoryId, UnixMillis};
use bethink_store::memory::{Author, MemoryReader, MemoryWriter, NoteContent, NoteKind, NoteWrite};
use bethink_store::sqlite::{SqliteMemory, SqliteMemoryReader};

use super::event;

const FILE_VARIABLE: &str = "BETHINK_MEMORY_CRASH_FILE";
const WRITER_VARIABLE: &str = "BETHINK_MEMORY_CRASH_WRITER";
const WRITES_VARIABLE: &str = "BETHINK_MEMORY_CRASH_WRITES";
const ACKNOWLEDGED: &str = "acknowledged ";

/// An identity of one writer's own.
fn id(writer: u8, number: u64) -> MemoryId {
    let mut bytes = [writer; 16];
    bytes[8..].copy_from_slice(&number.to_be_bytes());
    MemoryId(bytes)
}

fn note(writer: u8, number: u64) -> NoteWrite {
    NoteWrite {
        id: id(writer + 100, number),
        kind: NoteKind::Note,
        identity: format!("note-{writer}"),
        person: None,
        content: NoteContent {
            title: format!("note {writer}"),
            body: format!("text {number}"),
            ..NoteContent::default()
        },
        author: Author::Agent,
        expected: None,
        at: UnixMillis(number as i64),
        terms: vec![("text".to_owned(), 1), (format!("number{number}"), 1)],
        tag_keys: Vec::new(),
    }
}

/// The writer: appends an event, changes its note, says so, goes on.
#[test]
#[ignore = "a child process of the other tests"]
fn child() {
    let Some(file) = std::env::var_os(FILE_VARIABLE) else { return };
    let writer: u8 = std::env::var(WRITER_VARIABLE).unwrap().parse().unwrap();
    let writes: u64 = std::env::var(WRITES_VARIABLE).unwrap().parse().unwrap();
    let mut memory = SqliteMemory::open(Path::new(&file)).unwrap();
    let first = (1..).find(|number| memory.find_event(id(writer, *number)).unwrap().is_none()).unwrap();
    for number in first..first.saturating_add(writes) {
        let mut said = event(0, number as i64, &format!("writer {writer} event {number}"));
        said.id = id(writer, number);
        memory.insert_events(&[said]).unwrap();
        memory.write_note(&note(writer, number)).unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "{ACKNOWLEDGED}{number}").unwrap();
        out.flush().unwrap();
    }
}

fn start(file: &Path, writer: u8, writes: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["memory::crash::child", "--exact", "--ignored", "--nocapture"])
        .env(FILE_VARIABLE, file)
        .env(WRITER_VARIABLE, writer.to_string())
        .env(WRITES_VARIABLE, writes.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The last number that a writer acknowledged.
fn acknowledged(line: &str) -> Option<u64> {
    // The harness may put its own words before ours on a line.
    line.split_once(ACKNOWLEDGED).map(|(_, number)| number.trim().parse().unwrap())
}

#[test]
fn a_killed_writer_loses_nothing_that_it_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.db");
    drop(SqliteMemory::open(&file).unwrap());
    let mut last = 0;
    for round in 0..30_usize {
        let mut writer = start(&file, 1, u64::MAX);
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        for _ in 0..=round % 4 {
            last = lines.by_ref().find_map(|line| acknowledged(&line.unwrap())).unwrap();
        }
        writer.kill().unwrap();
        // What it had said before it died was said, too.
        last = lines.map_while(Result::ok).filter_map(|line| acknowledged(&line)).last().unwrap_or(last);
        writer.wait().unwrap();
        let reader = SqliteMemoryReader::open(&file).unwrap().unwrap();
        let events = reader.log_state().unwrap().events;
        assert!((last..=last + 1).contains(&events), "{last} were acknowledged, {events} are there");
        let note = reader.note_of(NoteKind::Note, "note-1").unwrap().unwrap();
        let version: u64 = note.content.body.strip_prefix("text ").unwrap().parse().unwrap();
        assert!((last..=last + 1).contains(&version), "note {version} after {last} were acknowledged");
        let history = reader.history(note.id).unwrap();
        assert_eq!((history.len() as u64, history[0].version), (note.version, note.version));
        let found = reader.notes(&Default::default(), Some(&[format!("number{version}")]), 9).unwrap();
        assert_eq!(found.len(), 1, "a note and its words are written together");
        assert_eq!(reader.check_integrity().unwrap(), Vec::<String>::new());
    }
}

/// The negative control: a check that could not fail would prove nothing.
#[test]
fn damage_is_found_by_the_check_and_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.db");
    let mut memory = SqliteMemory::open(&file).unwrap();
    let events: Vec<_> = (1..200).map(|number| event(number, 1, &"words ".repeat(200))).collect();
    memory.insert_events(&events).unwrap();
    assert_eq!(memory.check_integrity().unwrap(), Vec::<String>::new());
    drop(memory);
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0x5A);
    fs::write(&file, bytes).unwrap();
    let found = SqliteMemory::open(&file).and_then(|memory| memory.check_integrity());
    assert!(found.is_err() || found.is_ok_and(|wrong| !wrong.is_empty()));
}

#[test]
fn m7_four_processes_write_and_read_at_once_and_lose_nothing() {
    const WRITES: u64 = 40;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.db");
    drop(SqliteMemory::open(&file).unwrap());
    let mut writers: Vec<Child> = (1..=4).map(|writer| start(&file, writer, WRITES)).collect();
    let reader = SqliteMemoryReader::open(&file).unwrap().unwrap();
    let mut seen = 0;
    while writers.iter_mut().any(|writer| writer.try_wait().unwrap().is_none()) {
        let events = reader.log_state().unwrap().events;
        assert!(events >= seen, "what was there stays there");
        seen = events;
    }
    for writer in &mut writers {
        assert!(writer.wait().unwrap().success(), "no writer was told that the database is locked");
    }
    assert_eq!(reader.log_state().unwrap().events, 4 * WRITES);
    for writer in 1..=4 {
        let note = reader.note_of(NoteKind::Note, &format!("note-{writer}")).unwrap().unwrap();
        assert_eq!((note.version, note.content.body.as_str()), (WRITES, "text 40"));
    }
    assert_eq!(reader.check_integrity().unwrap(), Vec::<String>::new());
}
