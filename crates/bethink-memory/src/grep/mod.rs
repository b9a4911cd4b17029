//! `grep_memory`: a pattern over the whole log, the newest hits first.
//!
//! Promises: the pattern as it was given, and literally where that cannot be or finds nothing; time
//! linear in the log and bounded besides; the twelve newest by their own time, whatever the order in
//! which they were logged; every hit looked up in the log before it leaves. Refuses: conversations with
//! agents, in which a question would find itself.
//!
//! ```text
//! pattern  what was typed, compiled
//! mirror   the log's texts in one file, to be scanned at the speed of the memory bus
//! scan     the mirror's blocks on several threads, newest first
//! newest   the best so far
//! excerpt  three hundred characters around a match
//! ```

mod excerpt;
mod mirror;
mod newest;
mod pattern;
mod scan;

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use bethink_core::UnixMillis;
use bethink_store::memory::{EventKind, LoggedEvent, MemoryReader};

pub use excerpt::EXCERPT_CHARACTERS;
pub use mirror::remove as remove_mirror;

use crate::error::Result;
use excerpt::around;
use mirror::Mirror;
use newest::Newest;
use pattern::Pattern;

/// Hits of one answer.
pub const MOST_HITS: usize = 12;

/// How long one search may take. Lazily built automata need about a fifth of a second for the worst
/// patterns over a million events; only one that defeats them and falls back on simulation comes here.
const TIME: Duration = Duration::from_secs(3);

/// Whether events of this kind are searched by pattern.
pub fn is_searched(kind: EventKind) -> bool {
    kind != EventKind::Agent
}

/// One hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepHit {
    /// The event.
    pub event: LoggedEvent,
    /// Up to three hundred characters around the match, on one line.
    pub excerpt: String,
    /// The match, in bytes of the excerpt.
    pub matched: Range<usize>,
}

/// The answer to a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GrepAnswer {
    /// The hits, newest first.
    pub hits: Vec<GrepHit>,
    /// Whether older hits were left out.
    pub more: bool,
    /// Whether the pattern was taken letter by letter.
    pub literal: bool,
    /// Events in the log; 0 ends every search.
    pub events: u64,
    /// Sentences that the reader should know.
    pub notes: Vec<String>,
}

impl GrepAnswer {
    /// The answer where nothing was ever logged, in words that end the search.
    pub fn of_an_empty_log() -> Self {
        let note = "the log is empty: no pattern can match; do not search it again".to_owned();
        Self { notes: vec![note], ..Self::default() }
    }
}

/// Searches the log for a pattern. `mirror` is the file of the mirror, which is made if it is not there.
///
/// # Errors
/// A failure of the data plane. Trouble with the mirror only makes the search slower.
pub fn grep_memory(store: &dyn MemoryReader, mirror: &Path, typed: &str) -> Result<GrepAnswer> {
    let state = store.log_state()?;
    if state.events == 0 {
        return Ok(GrepAnswer::of_an_empty_log());
    }
    let mut answer = GrepAnswer { events: state.events, ..GrepAnswer::default() };
    if typed.is_empty() {
        answer.notes.push("an empty pattern matches everything: these are the newest events".to_owned());
    }
    let deadline = Instant::now() + TIME;
    let opened = match Mirror::up_to_date(mirror, store, &state) {
        Ok(mirror) => Some(mirror),
        Err(error) => {
            tracing::warn!(%error, "the log is searched without its mirror");
            None
        }
    };
    let search = |pattern: &Pattern| -> Result<(Vec<GrepHit>, bool, bool)> {
        let mut newest = Newest::new(MOST_HITS);
        let searched = match &opened {
            Some(opened) => scan::scan(opened, mirror, store, pattern, deadline, &mut newest)?,
            None => scan::without_mirror(store, pattern, deadline, &mut newest)?,
        };
        Ok((hits(store, pattern, &newest)?, newest.has_more(), searched))
    };
    let (mut found, mut more, mut complete);
    match Pattern::compile(typed) {
        Ok(pattern) => {
            answer.literal = pattern.is_literal();
            (found, more, complete) = search(&pattern)?;
            if found.is_empty() && complete && !pattern.is_literal() {
                let (literally, more_literally, all) = search(&Pattern::literal(typed)?)?;
                if !literally.is_empty() {
                    answer.literal = true;
                    answer.notes.push("as a pattern it matches nothing; it was taken letter by letter".to_owned());
                    (found, more, complete) = (literally, more_literally, all);
                }
            }
        }
        Err(reason) => {
            answer.literal = true;
            answer.notes.push(format!("{reason}; it was taken letter by letter"));
            (found, more, complete) = search(&Pattern::literal(typed)?)?;
        }
    }
    if !complete {
        let seconds = TIME.as_secs();
        answer.notes.push(format!(
            "the search was ended after {seconds} seconds; older events were not looked at; use a simpler pattern"
        ));
    } else if found.is_empty() {
        answer
            .notes
            .push(format!("none of the {} events matches; another wording may, the same one never", state.events));
    }
    answer.hits = found;
    answer.more = more;
    Ok(answer)
}

/// The winners as the log has them now; what was forgotten meanwhile, or does not match after all, falls away.
fn hits(store: &dyn MemoryReader, pattern: &Pattern, newest: &Newest) -> Result<Vec<GrepHit>> {
    let positions: Vec<u64> = newest.best().into_iter().map(|(_, position)| position).collect();
    let mut hits = Vec::with_capacity(positions.len());
    for event in store.events_at(&positions)? {
        let Some(range) = pattern.find(event.event.text.as_bytes()) else { continue };
        let (excerpt, matched) = around(&event.event.text, range, EXCERPT_CHARACTERS);
        hits.push(GrepHit { event, excerpt, matched });
    }
    Ok(hits)
}

/// When an event happened and where it stands: what newest is measured by.
type Place = (UnixMillis, u64);
