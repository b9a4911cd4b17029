//! Documents of the memory: `memory:/notes/ID/site-roadmap.md`. They have no file, and their paths say so:
//! no path on a disk begins like this, since those are absolute.

use std::path::{Path, PathBuf};

use crate::MemoryId;

/// What the path of every document of the memory begins with; as a scope, all of them.
pub const MEMORY_ROOT: &str = "memory:";

/// What a document of the memory is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryItem {
    /// A note.
    Note(MemoryId),
    /// A person.
    Person(MemoryId),
    /// An event of the log.
    Event(MemoryId),
}

impl MemoryItem {
    /// The folder that holds the document, whatever it is named.
    pub fn folder(self) -> PathBuf {
        let (room, id) = match self {
            Self::Note(id) => ("notes", id),
            Self::Person(id) => ("people", id),
            Self::Event(id) => ("log", id),
        };
        PathBuf::from(format!("{MEMORY_ROOT}/{room}/{id}"))
    }

    /// The document's path, given a name that tells people what it is.
    pub fn path(self, name: &str) -> PathBuf {
        self.folder().join(format!("{name}.md"))
    }

    /// What a document's path stands for; `None` for paths of files.
    pub fn of(path: &Path) -> Option<Self> {
        let mut components = path.strip_prefix(MEMORY_ROOT).ok()?.components();
        let room = components.next()?.as_os_str().to_str()?;
        let id = MemoryId::parse(components.next()?.as_os_str().to_str()?)?;
        match room {
            "notes" => Some(Self::Note(id)),
            "people" => Some(Self::Person(id)),
            "log" => Some(Self::Event(id)),
            _ => None,
        }
    }
}

/// Whether a path is that of the memory or of something in it.
pub fn is_memory_path(path: &Path) -> bool {
    path.starts_with(MEMORY_ROOT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_what_it_stands_for() {
        let id = MemoryId([7; 16]);
        for item in [MemoryItem::Note(id), MemoryItem::Person(id), MemoryItem::Event(id)] {
            let path = item.path("site-roadmap");
            assert_eq!(MemoryItem::of(&path), Some(item));
            assert_eq!(MemoryItem::of(&item.folder()), Some(item));
            assert!(is_memory_path(&path) && path.starts_with(item.folder()));
        }
        for other in ["/home/memory:/notes/x", "memory:/notes/x/y.md", "memory:", "memory:/other", "/a"] {
            assert_eq!(MemoryItem::of(Path::new(other)), None, "{other}");
        }
        assert!(is_memory_path(Path::new("memory:")) && !is_memory_path(Path::new("memory:x")));
    }
}
