//! When a file was last opened, and who says so.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use bethink_core::UnixMillis;
use quick_xml::events::Event;

/// Who says when a file was last opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenedSource {
    /// The desktop's list of recently used files.
    RecentlyUsed,
    /// The desktop's activity store.
    DesktopActivity,
    /// The file system's access time, which some mounts keep only roughly.
    AccessTime,
}

impl OpenedSource {
    /// The word for it in output and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::RecentlyUsed => "recently-used",
            Self::DesktopActivity => "desktop-activity",
            Self::AccessTime => "access-time",
        }
    }
}

/// When a file was last opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened {
    /// The moment.
    pub at: UnixMillis,
    /// Who says so.
    pub source: OpenedSource,
}

/// Everything that is known about openings, gathered once a search.
#[derive(Debug, Default)]
pub(crate) struct OpenedTimes {
    recorded: HashMap<PathBuf, Opened>,
}

impl OpenedTimes {
    /// Reads the platform's own records. A record that is missing or damaged is passed over: it is
    /// one witness of several.
    pub(crate) fn gather(user_home: &Path) -> Self {
        let mut times = Self::default();
        for relative in ["kactivitymanagerd/resources/database", "zeitgeist/activity.sqlite"] {
            let database = user_home.join(".local/share").join(relative);
            if let Ok(openings) = bethink_store::sqlite::activity::read_opened(&database) {
                for (path, at) in openings {
                    times.record(path, Opened { at, source: OpenedSource::DesktopActivity });
                }
            }
        }
        // Last, so that on equal moments the list that the person sees in every file dialog is named.
        if let Ok(list) = fs::read(user_home.join(".local/share/recently-used.xbel")) {
            for (path, at) in recently_used(&list) {
                times.record(path, Opened { at, source: OpenedSource::RecentlyUsed });
            }
        }
        times
    }

    fn record(&mut self, path: PathBuf, opened: Opened) {
        let known = self.recorded.entry(path).or_insert(opened);
        if opened.at >= known.at {
            *known = opened;
        }
    }

    /// Paths that some record names.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = (&Path, Opened)> {
        self.recorded.iter().map(|(path, opened)| (path.as_path(), *opened))
    }

    /// When a file was last opened: the newest of what the records and its access time say. An access
    /// time that is not later than the last change says nothing, since writing sets both.
    pub(crate) fn of(&self, path: &Path, metadata: &Metadata) -> Option<Opened> {
        let recorded = self.recorded.get(path).copied();
        let accessed = metadata.accessed().ok().map(UnixMillis::from_system_time);
        let modified = metadata.modified().ok().map(UnixMillis::from_system_time);
        let by_access = match (accessed, modified) {
            (Some(accessed), Some(modified)) if accessed > modified && metadata.is_file() => {
                Some(Opened { at: accessed, source: OpenedSource::AccessTime })
            }
            _ => None,
        };
        match (recorded, by_access) {
            (Some(recorded), Some(by_access)) if by_access.at > recorded.at => Some(by_access),
            (Some(recorded), _) => Some(recorded),
            (None, by_access) => by_access,
        }
    }
}

/// Files and moments in a desktop's list of recently used files (XBEL, freedesktop.org "Desktop
/// Bookmark Specification"): `visited`, or `modified` where no visit is told.
fn recently_used(list: &[u8]) -> Vec<(PathBuf, UnixMillis)> {
    let list = String::from_utf8_lossy(list);
    let mut reader = quick_xml::Reader::from_str(&list);
    let mut found = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(element) | Event::Empty(element)) if element.name().as_ref() == "bookmark" => {
                let attribute = |name: &str| {
                    let attribute = element.try_get_attribute(name).ok()??;
                    Some(attribute.value.into_owned())
                };
                let path = attribute("href").as_deref().and_then(file_of_uri);
                let moment = ["visited", "modified", "added"].into_iter().find_map(|name| {
                    attribute(name)?.parse::<jiff::Timestamp>().ok().map(|moment| UnixMillis(moment.as_millisecond()))
                });
                if let (Some(path), Some(moment)) = (path, moment) {
                    found.push((path, moment));
                }
            }
            // A list that is cut off in its middle still told us its first half.
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}

/// The path of a `file://` URI, its percent escapes undone.
fn file_of_uri(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    // The list is XML, so an ampersand in a name arrives as an entity.
    let path = path.replace("&amp;", "&").replace("&apos;", "'").replace("&quot;", "\"");
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escape = (first == b'%').then(|| after.get(..2)).flatten();
        let value = escape.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match value {
            Some(value) => {
                bytes.push(value);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    Some(bethink_core::path_from_bytes(&bytes))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_recently_used_list_gives_paths_and_visits() {
        let list = br#"<?xml version="1.0"?><xbel version="1.0">
            <bookmark href="file:///home/me/a%20b%20&amp;%20c.pdf" added="2026-01-01T10:00:00Z"
                modified="2026-01-02T10:00:00Z" visited="2026-01-03T10:00:00.5Z"><info/></bookmark>
            <bookmark href="https://example.org/" visited="2026-01-03T10:00:00Z"/>
            <bookmark href="file:///broken" visited="yesterday"/><bookm"#;
        let found = recently_used(list);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, PathBuf::from("/home/me/a b & c.pdf"));
        assert_eq!(found[0].1, UnixMillis(1_767_434_400_500));
    }

    #[test]
    fn an_escape_that_is_none_stays_as_it_is() {
        assert_eq!(file_of_uri("file:///a%zz%4"), Some(PathBuf::from("/a%zz%4")));
        assert_eq!(file_of_uri("file://host/a"), Some(PathBuf::from("/a")));
        assert_eq!(file_of_uri("http://host/a"), None);
    }
}
