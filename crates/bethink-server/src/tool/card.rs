//! The tools: names, when to use which, and what they take.
//!
//! Descriptions are constants. Nothing that was read from a file ever stands in one.

use super::answer::{
    AskOutput, FindOutput, GrepOutput, NotebookOutput, PinOutput, ReadOutput, RememberOutput, StatusOutput,
};
use super::arguments::{Argument, Shape};
use super::{JsonObject, schema};
use crate::wire::WrittenObject;

/// Which tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// `find_file`.
    FindFile,
    /// `semantic_grep`.
    SemanticGrep,
    /// `note_search`.
    NoteSearch,
    /// `read_around`.
    ReadAround,
    /// `index_status`.
    IndexStatus,
    /// `grep_memory`.
    GrepMemory,
    /// `check_notebook`.
    CheckNotebook,
    /// `remember`.
    Remember,
    /// `pin`.
    Pin,
    /// `note_upsert`.
    NoteUpsert,
}

/// One tool.
#[derive(Debug)]
pub(crate) struct ToolCard {
    /// Which.
    pub which: Which,
    /// Its name, the same on every surface.
    pub name: &'static str,
    /// Its title for people.
    pub title: &'static str,
    /// When to use it.
    pub says: &'static str,
    /// What it takes.
    pub arguments: &'static [Argument],
    /// Whether it writes to the memory.
    pub writes: bool,
    /// Whether repeating and rewording its questions is stopped.
    pub guarded: bool,
}

impl ToolCard {
    /// The schema of the structured content that it gives.
    pub(crate) fn output_schema(&self) -> JsonObject {
        match self.which {
            Which::FindFile => schema::output::<FindOutput>(),
            Which::SemanticGrep | Which::NoteSearch => schema::output::<AskOutput>(),
            Which::ReadAround => schema::output::<ReadOutput>(),
            Which::IndexStatus => schema::output::<StatusOutput>(),
            Which::GrepMemory => schema::output::<GrepOutput>(),
            Which::CheckNotebook => schema::output::<NotebookOutput>(),
            Which::Remember => schema::output::<RememberOutput>(),
            Which::Pin => schema::output::<PinOutput>(),
            Which::NoteUpsert => schema::output::<WrittenObject>(),
        }
    }
}

const fn text(name: &'static str, says: &'static str) -> Argument {
    Argument { name, shape: Shape::Text, required: false, says }
}

const fn count(name: &'static str, says: &'static str) -> Argument {
    Argument { name, shape: Shape::Count, required: false, says }
}

const CURSOR: Argument = text("cursor", "The cursor of the last answer, all other arguments unchanged: the next page.");
const WITHIN: Argument = text(
    "within",
    "Only what lies under this folder or file (absolute path). Leave it out unless the \
                               place is certain: what it hides is not shown.",
);

/// Every tool, in the order in which they are listed.
pub(crate) const TOOLS: &[ToolCard] = &[
    ToolCard {
        which: Which::FindFile,
        name: "find_file",
        title: "Find a file by name, kind or time",
        says: "Find files and folders by what is known of their NAME, kind or time, anywhere on this machine, indexed or \
               not. Use it when words of the file's name are known, or only when it was opened or changed. For what a file \
               SAYS use semantic_grep. Words may be apart, in any order, misspelt.",
        arguments: &[
            text(
                "query",
                "Words of the name, e.g. `acme memo`. No sentence, no wildcards. May be empty if a time is given.",
            ),
            text(
                "kind",
                "document, spreadsheet, presentation, image, audio, video, code, archive, folder, or an extension \
                  such as pptx.",
            ),
            WITHIN,
            text("opened", "When it was last opened: yesterday, last week, march, 2026-03, 3 days."),
            text("modified", "When it was last changed, in the same phrases."),
            count("limit", "Most files to give; 0 means 20, at most 50."),
            CURSOR,
        ],
        writes: false,
        guarded: false,
    },
    ToolCard {
        which: Which::SemanticGrep,
        name: "semantic_grep",
        title: "Search file contents by meaning",
        says: "Find PASSAGES in the user's indexed files by meaning and by words: the thought need not stand there in the \
               words of the query. Use it for what a file says, explains or argues, and for exact phrases, identifiers and \
               error messages. Gives path:line places to read on from with read_around.",
        arguments: &[
            Argument {
                name: "query",
                shape: Shape::Text,
                required: true,
                says: "The thought as the text might put it, in one phrase; quote \"exact words\".",
            },
            WITHIN,
            count("limit", "Most passages to give; 0 means 10, at most 50."),
            CURSOR,
        ],
        writes: false,
        guarded: false,
    },
    ToolCard {
        which: Which::NoteSearch,
        name: "note_search",
        title: "Search everything",
        says: "One ranked list over everything known: names, titles, headings and contents together. Use it first when it is \
               unclear whether a name or a content is remembered.",
        arguments: &[
            Argument {
                name: "query",
                shape: Shape::Text,
                required: true,
                says: "Whatever is remembered: words, names, the thought.",
            },
            count("limit", "Most hits to give; 0 means 10, at most 50."),
            Argument {
                name: "explain",
                shape: Shape::Flag,
                required: false,
                says: "Also say why each hit scored as it did (long).",
            },
            CURSOR,
        ],
        writes: false,
        guarded: false,
    },
    ToolCard {
        which: Which::ReadAround,
        name: "read_around",
        title: "Read the text around a hit",
        says: "Read the extracted text of an indexed file (PDF and HTML included) around a line that a hit gave, numbered as \
               hits number it. Read before you claim what a file says.",
        arguments: &[
            text("path", "The hit's path (absolute)."),
            count("document_id", "The hit's document_id; instead of path."),
            count("line", "The hit's line; 0 starts at the top."),
            count("column", "The hit's column, if it has one: shows that part of a long line."),
            count("context", "Lines before and after; 0 means 20."),
            CURSOR,
        ],
        writes: false,
        guarded: false,
    },
    ToolCard {
        which: Which::IndexStatus,
        name: "index_status",
        title: "What is indexed",
        says: "Say what is covered, pending and failed. Use it once when a search finds nothing that should be there.",
        arguments: &[],
        writes: false,
        guarded: false,
    },
    ToolCard {
        which: Which::GrepMemory,
        name: "grep_memory",
        title: "Search the log by pattern",
        says: "Search what the user has logged (messages, calls, journal, pins; no conversations with agents) by a \
               regular expression; the newest matches first. Use it for exact words and names; by meaning use note_search.",
        arguments: &[Argument {
            name: "pattern",
            shape: Shape::Text,
            required: true,
            says: "A regular expression, or plain words; case counts where a capital is typed.",
        }],
        writes: false,
        guarded: true,
    },
    ToolCard {
        which: Which::CheckNotebook,
        name: "check_notebook",
        title: "Ask the user's notebook",
        says: "What is noted about a person, a topic or the user: digests, guidance, pins. Use it before you assume \
               anything about the user.",
        arguments: &[
            text("query", "Words to look for; empty gives everything within the other arguments."),
            text("person", "Only about this person, by any of their names."),
            text("topic", "Only with this tag."),
            count("days_back", "Only of so many days back; 0 means all."),
            text("when", "Only of then: yesterday, last week, 2026-03, 2026-03-01..2026-03-31."),
        ],
        writes: false,
        guarded: true,
    },
    ToolCard {
        which: Which::Remember,
        name: "remember",
        title: "Keep something in the log",
        says: "Append something to the user's log for good. Use it when the user asks to remember what happened or was \
               said.",
        arguments: &[
            Argument { name: "text", shape: Shape::Text, required: true, says: "What to keep, in full sentences." },
            text("kind", "journal, message, call, document or remembered."),
            text("person", "Whom it is from or about."),
            text("source", "Where it comes from."),
            text("date", "When it happened, as 2026-03-31 or 2026-03-31T15:00-07:00; empty means now."),
        ],
        writes: true,
        guarded: false,
    },
    ToolCard {
        which: Which::Pin,
        name: "pin",
        title: "Pin a thought",
        says: "Keep one thought of the user as it stands, as a note of its own. The same thought is pinned once.",
        arguments: &[
            Argument { name: "text", shape: Shape::Text, required: true, says: "The thought." },
            text("person", "Whom it is about."),
            text("source", "Where it comes from."),
            text("tags", "Words to find it by, parted by commas."),
        ],
        writes: true,
        guarded: false,
    },
    ToolCard {
        which: Which::NoteUpsert,
        name: "note_upsert",
        title: "Write a note",
        says: "Make a note, or change the one of the same kind and title; earlier texts stay in its history. Notes that \
               the user wrote are never changed: what you write there waits for the user's word.",
        arguments: &[
            text(
                "kind",
                "person, about-you, guidance, digest-conversation, digest-post, digest-call, note, skill or \
                  instruction; empty means note.",
            ),
            text("title", "What it is called; a person's note may leave it out."),
            text("identity", "What makes it this note among its kind, if not the title."),
            Argument { name: "body", shape: Shape::Text, required: true, says: "The whole text, as Markdown." },
            text("tags", "Words to find it by, parted by commas."),
            text("person", "Whom it is about."),
            text("about", "The day that it is about, as 2026-03-31."),
            count("version", "The version that you have read, to write over nothing newer; 0 means any."),
        ],
        writes: true,
        guarded: false,
    },
];

/// The card of a name.
pub(crate) fn named(name: &str) -> Option<&'static ToolCard> {
    TOOLS.iter().find(|tool| tool.name == name)
}
