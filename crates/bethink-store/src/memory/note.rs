//! A note: something that is held to be true or worth keeping, with the history of how it came to be so.

use bethink_core::{MemoryId, UnixMillis};

/// What sort of note it is. Each kind has its own identities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// What is known of a person.
    Person,
    /// What is known of the owner.
    AboutYou,
    /// How the owner wants things done.
    Guidance,
    /// What a conversation came to.
    DigestConversation,
    /// What a post came to.
    DigestPost,
    /// What a call came to.
    DigestCall,
    /// A thought that was kept, as by a pin.
    Sparked,
    /// Any other note.
    Note,
    /// How something is done, for an agent.
    Skill,
    /// What an agent is to keep to.
    Instruction,
}

impl NoteKind {
    /// Every kind, with its word in SQL, JSON, paths and on the command line.
    pub const ALL: [(Self, &'static str); 10] = [
        (Self::Person, "person"),
        (Self::AboutYou, "about-you"),
        (Self::Guidance, "guidance"),
        (Self::DigestConversation, "digest-conversation"),
        (Self::DigestPost, "digest-post"),
        (Self::DigestCall, "digest-call"),
        (Self::Sparked, "sparked"),
        (Self::Note, "note"),
        (Self::Skill, "skill"),
        (Self::Instruction, "instruction"),
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("note", |(_, name)| name)
    }

    /// The kind of that word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

/// Who wrote something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Author {
    /// The owner, whose words win.
    Owner,
    /// An agent, through a tool.
    Agent,
    /// The distiller.
    Distiller,
}

impl Author {
    /// Every author, with the word for them.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Owner, "owner"), (Self::Agent, "agent"), (Self::Distiller, "distiller")];

    /// The word for it.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(author, _)| *author == self).map_or("owner", |(_, name)| name)
    }

    /// The author of that word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(author, _)| *author)
    }
}

/// What a note says. Two notes that say the same are the same, whatever else differs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NoteContent {
    /// What it is called.
    pub title: String,
    /// Words to find it by, without line feeds.
    pub tags: Vec<String>,
    /// Its text, as Markdown.
    pub body: String,
    /// Where it comes from.
    pub source: Option<String>,
    /// The moment that it is about.
    pub about: Option<UnixMillis>,
}

/// One note as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its identity.
    pub id: MemoryId,
    /// What sort of note it is.
    pub kind: NoteKind,
    /// What makes it this note among those of its kind.
    pub identity: String,
    /// Whom it is about.
    pub person: Option<MemoryId>,
    /// What it says.
    pub content: NoteContent,
    /// When it was made.
    pub created: UnixMillis,
    /// When its content last changed.
    pub updated: UnixMillis,
    /// Counts its changes, from 1.
    pub version: u64,
    /// Whether the owner has written it; nobody else changes it then.
    pub user_edited: bool,
}

/// A note to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteWrite {
    /// The identity that it gets if it is new.
    pub id: MemoryId,
    /// What sort of note it is.
    pub kind: NoteKind,
    /// What makes it this note among those of its kind.
    pub identity: String,
    /// Whom it is about.
    pub person: Option<MemoryId>,
    /// What it is to say.
    pub content: NoteContent,
    /// Who writes.
    pub author: Author,
    /// The version that the writer has seen; 0 for none. `None` writes whatever is there.
    pub expected: Option<u64>,
    /// Now.
    pub at: UnixMillis,
    /// What each of its words is worth to a search.
    pub terms: Vec<(String, u32)>,
    /// Its tags in the form in which they are compared.
    pub tag_keys: Vec<String>,
}

/// What became of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// It is a new note.
    Created(Note),
    /// The note says this now.
    Updated(Note),
    /// It said so already; nothing was touched.
    Unchanged(Note),
    /// The owner has written it, so this waits for the owner's word.
    Suggested(Note, Suggestion),
    /// The owner has dismissed exactly this before.
    Dismissed(Note),
    /// The writer has not seen what is there now; nothing was touched. `None` where there is no such note.
    Stale(Option<Note>),
}

/// What a note said once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The version.
    pub version: u64,
    /// When it came to be.
    pub recorded: UnixMillis,
    /// Who wrote it.
    pub author: Author,
    /// What it said.
    pub content: NoteContent,
}

/// What somebody would have a note say that its owner has written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Its number.
    pub number: u64,
    /// The note.
    pub note: MemoryId,
    /// When it was made.
    pub made: UnixMillis,
    /// Who made it.
    pub author: Author,
    /// What the note would say.
    pub content: NoteContent,
}

/// Which notes are asked for. What is not said does not restrict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NoteFilter {
    /// Only these kinds.
    pub kinds: Vec<NoteKind>,
    /// Only about one of these people.
    pub people: Vec<MemoryId>,
    /// Only with this tag, in the form in which tags are compared.
    pub tag: Option<String>,
    /// Not before this moment.
    pub from: Option<UnixMillis>,
    /// Before this moment.
    pub until: Option<UnixMillis>,
}

/// A note and what a search found in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoredNote {
    /// The note.
    pub note: Note,
    /// What its matching words are worth together; 0 where no words were asked for.
    pub worth: u64,
    /// How many of the words asked for it has.
    pub words: u64,
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Their identity.
    pub id: MemoryId,
    /// Their name.
    pub name: String,
    /// Every spelling by which they are known, their name first.
    pub spellings: Vec<Spelling>,
}

/// One spelling of a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spelling {
    /// The form in which names are compared.
    pub key: String,
    /// As it was written.
    pub text: String,
}

/// What changed in the notebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryChanged {
    /// A note was made, changed or forgotten.
    Note(MemoryId),
    /// A person was made, changed, merged or forgotten.
    Person(MemoryId),
}

/// One entry of the order of changes. A consumer looks the present state up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryChange {
    /// Its position.
    pub sequence: u64,
    /// What changed.
    pub changed: MemoryChanged,
}
