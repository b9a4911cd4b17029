//! The tools: names, when to use which, and what they take.
//!
//! Descriptions are constants. Nothing that was read from a file ever stands in one.

use super::answer::{AskOutput, FindOutput, ReadOutput, StatusOutput};
use super::arguments::{Argument, Shape};
use super::{JsonObject, schema};

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
}

impl ToolCard {
    /// The schema of the structured content that it gives.
    pub(crate) fn output_schema(&self) -> JsonObject {
        match self.which {
            Which::FindFile => schema::output::<FindOutput>(),
            Which::SemanticGrep | Which::NoteSearch => schema::output::<AskOutput>(),
            Which::ReadAround => schema::output::<ReadOutput>(),
            Which::IndexStatus => schema::output::<StatusOutput>(),
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
            count("context", "Lines before and after; 0 means 20."),
            CURSOR,
        ],
    },
    ToolCard {
        which: Which::IndexStatus,
        name: "index_status",
        title: "What is indexed",
        says: "Say what is covered, pending and failed. Use it once when a search finds nothing that should be there.",
        arguments: &[],
    },
];

/// The card of a name.
pub(crate) fn named(name: &str) -> Option<&'static ToolCard> {
    TOOLS.iter().find(|tool| tool.name == name)
}
