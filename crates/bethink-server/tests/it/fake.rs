//! Answers that are made up, for a server in a child process: quick, slow, endless and broken ones.
//!
//! Which one is chosen by the query, because a query is all that a client can send.

#![allow(dead_code, clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bethink_core::{DocumentId, Explanation, FileKind, Format, Locator, MatchStrength, MemoryId, Score, UnixMillis};
use bethink_engine::{
    AskAnswer, AskRequest, EngineError, EventKind, EventRequest, FindAnswer, FindHit, FindRequest, GrepAnswer, GrepHit,
    Hidden, Hit, LoggedEvent, LookedIn, MemoryEvent, Note, NoteContent, NoteKind, NoteRequest, NotebookReply,
    NotebookRequest, Opened, OpenedSource, PinRequest, ReadAnswer, ReadLine, ReadRequest, ReadTarget, Result,
    RootStatus, ShownNote, Status, TierStatus, Where, WindowUsed, Written,
};
use bethink_server::Answers;

/// 2026-03-01T09:30:00Z.
pub const MOMENT: UnixMillis = UnixMillis(1_772_357_400_000);

/// Lines of the made-up text that `read` reads.
pub const LINES: u32 = 400;

pub struct Fake;

fn event(text: &str) -> MemoryEvent {
    MemoryEvent {
        id: MemoryId([1; 16]),
        device: "here".to_owned(),
        kind: EventKind::Journal,
        time: MOMENT,
        zone: None,
        source: None,
        thread: None,
        person: Some("Anna".to_owned()),
        person_key: None,
        text: text.to_owned(),
    }
}

fn note(body: &str) -> Note {
    Note {
        id: MemoryId([2; 16]),
        kind: NoteKind::Note,
        identity: "roadmap".to_owned(),
        person: None,
        content: NoteContent { title: "Roadmap".to_owned(), body: body.to_owned(), ..NoteContent::default() },
        created: MOMENT,
        updated: MOMENT,
        version: 1,
        user_edited: false,
    }
}

pub fn hit(rank: usize, excerpt: &str) -> Hit {
    Hit {
        rank,
        score: Score(1.0 - rank as f32 / 100.0),
        strength: MatchStrength::Strong,
        path: PathBuf::from(format!("/home/kim/notes/{rank:03}.md")),
        moved_from: None,
        line: rank as u32 * 10,
        column: None,
        locator: Locator::Line,
        heading: vec!["Boxing".to_owned(), "Jaws".to_owned()],
        title: Some("The physics of boxing".to_owned()),
        format: Some(Format::Markdown),
        excerpt: excerpt.to_owned(),
        matched: Vec::new(),
        modified: MOMENT,
        document: DocumentId(rank as u64),
        passage: None,
        copies: Vec::new(),
        caveat: None,
        explanation: None,
    }
}

pub fn answer(query: &str, hits: Vec<Hit>) -> AskAnswer {
    let strength = if hits.is_empty() { MatchStrength::None } else { MatchStrength::Strong };
    AskAnswer {
        query: query.to_owned(),
        hits,
        strength,
        documents: 7_207,
        searched: 7_201,
        pending: 12,
        unreadable: 6,
        looked_in: Where { within: None, roots: vec!["/home/kim/notes".into()] },
        is_partial: false,
        hidden: None,
        notes: Vec::new(),
    }
}

impl Answers for Fake {
    fn grep_memory(&self, pattern: &str) -> Result<GrepAnswer> {
        let event = event(&format!("{pattern} was logged\u{202E}"));
        let hit =
            GrepHit { event: LoggedEvent { position: 1, event }, excerpt: "a\u{202E} tram".to_owned(), matched: 0..1 };
        Ok(GrepAnswer { hits: vec![hit], events: 7, ..GrepAnswer::default() })
    }

    fn check_notebook(&self, request: &NotebookRequest) -> Result<NotebookReply> {
        let shown = |number: usize| ShownNote {
            note: note(&"long ".repeat(number * 400)),
            person: request.person.clone(),
            worth: 3,
            words: 1,
        };
        let notes = (1..=8).map(shown).collect();
        Ok(NotebookReply { notes, words: 1, strength: MatchStrength::Strong, more: true, remarks: Vec::new() })
    }

    fn remember(&self, request: &EventRequest) -> Result<MemoryEvent> {
        Ok(event(&request.text))
    }

    fn pin(&self, request: &PinRequest) -> Result<(Note, bool)> {
        Ok((note(&request.text), true))
    }

    fn write_note(&self, request: &NoteRequest) -> Result<Written> {
        Ok(if request.expected.is_some() { Written::Stale(None) } else { Written::Created(note(&request.body)) })
    }

    fn record_access(&self, _tool: &str, _arguments: &str, _answered: &[String]) -> Result<()> {
        Ok(())
    }

    fn ask(&self, request: &AskRequest) -> Result<AskAnswer> {
        let words: Vec<&str> = request.query.split_whitespace().collect();
        match words[..] {
            ["sleep", millis, ..] => thread::sleep(Duration::from_millis(millis.parse().unwrap())),
            ["panic", ..] => panic!("made up"),
            ["unindexed", ..] => return Err(EngineError::NothingIndexed),
            ["nothing", ..] => return Ok(answer(&request.query, Vec::new())),
            ["print", ..] => {}
            _ => {}
        }
        let excerpt = if words.first() == Some(&"long") {
            "a long sentence about jaws ".repeat(60)
        } else {
            "a jaw\u{1b}[31m".to_owned()
        };
        let mut hits: Vec<Hit> = (1..=request.limit.min(30)).map(|rank| hit(rank, &excerpt)).collect();
        if request.explain {
            for hit in &mut hits {
                hit.explanation = Some(Explanation {
                    value: 0.9,
                    name: "score".to_owned(),
                    detail: String::new(),
                    children: vec![Explanation {
                        value: 0.9,
                        name: "relevance".to_owned(),
                        detail: "semantic first".to_owned(),
                        children: Vec::new(),
                    }],
                });
            }
        }
        let mut answer = answer(&request.query, hits);
        answer.looked_in.within.clone_from(&request.within);
        if request.within.is_some() {
            answer.hidden = Some(Hidden { better: 2, best_score: Score(0.99), best_path: "/srv/better.md".into() });
        }
        Ok(answer)
    }

    fn find(&self, request: &FindRequest) -> Result<FindAnswer> {
        if request.kind.as_deref() == Some("thing") {
            return Err(EngineError::UnknownKind { word: "thing".to_owned() });
        }
        let none = request.query.starts_with("nothing");
        let count = if none { 0 } else { request.limit.min(40) };
        let hits = (1..=count)
            .map(|rank| FindHit {
                rank,
                score: 0.5,
                path: PathBuf::from(format!("/home/kim/deals/Acme Financial - One Page Memo {rank:03}.pptx")),
                kind: FileKind::Presentation,
                size_bytes: 1_240_000,
                modified: MOMENT,
                opened: Some(Opened { at: MOMENT, source: OpenedSource::RecentlyUsed }),
                how: if rank == 3 { "typo" } else { "words" },
            })
            .collect();
        let windows = request.opened.iter().map(|phrase| WindowUsed {
            what: "opened",
            phrase: phrase.clone(),
            start: MOMENT,
            end: UnixMillis(MOMENT.0 + 86_400_000),
        });
        Ok(FindAnswer {
            query: request.query.clone(),
            hits,
            looked_in: vec![
                LookedIn { place: "work folders", names: 1_203, complete: true },
                LookedIn { place: "home", names: 40_000, complete: false },
            ],
            nearest: if none { vec!["/home/kim/noting.md".into()] } else { Vec::new() },
            hidden_by_kind: None,
            windows: windows.collect(),
            notes: Vec::new(),
        })
    }

    fn read(&self, request: &ReadRequest) -> Result<ReadAnswer> {
        let path = match &request.target {
            ReadTarget::Path(path) if path.ends_with("a.pdf") => path.clone(),
            ReadTarget::Path(path) => return Err(EngineError::NoSuchPath { path: path.clone() }),
            ReadTarget::Document(DocumentId(7)) => PathBuf::from("/home/kim/a.pdf"),
            ReadTarget::Document(id) => return Err(EngineError::NoSuchDocument { id: id.0 }),
        };
        let context = request.context.unwrap_or(20);
        let (first, last) = match request.line {
            Some(line) if line > LINES => return Err(EngineError::NoSuchLine { path, line, lines: LINES }),
            Some(line) => (line.saturating_sub(context).max(1), (line + context).min(LINES)),
            None => (1, (2 * context + 1).min(LINES)),
        };
        let line = |number: u32| ReadLine {
            number,
            text: format!("line {number} of the text, which says something about the force of punches"),
            locator: (number % 50 == 1).then_some(Locator::Page(number / 50 + 1)),
            turns: number % 50 == 1,
        };
        Ok(ReadAnswer {
            path,
            document: Some(DocumentId(7)),
            format: Format::Pdf,
            title: None,
            lines_total: LINES,
            heading: vec!["Boxing".to_owned()],
            lines: (first..=last).map(line).collect(),
            notes: Vec::new(),
        })
    }

    fn status(&self) -> Result<Status> {
        Ok(Status {
            home: "/home/kim/.local/share/bethink".into(),
            roots: vec![RootStatus {
                path: "/home/kim/notes".into(),
                state: "complete",
                documents: 7_207,
                completed: Some(MOMENT),
            }],
            documents: 7_207,
            indexed: 7_201,
            skipped: vec![("binary".to_owned(), 4)],
            failed: vec![("damaged".to_owned(), 2)],
            passages: 40_000,
            text_bytes: 31_000_000,
            disk_bytes: 90_000_000,
            tiers: vec![TierStatus {
                model: "static".to_owned(),
                tier: "static",
                done: 30_000,
                pending: 10_000,
                failed: 0,
            }],
            names: 41_203,
            epoch: 1,
            notes: Vec::new(),
        })
    }
}

/// What answers, shared.
pub fn shared() -> Arc<dyn Answers> {
    Arc::new(Fake)
}
