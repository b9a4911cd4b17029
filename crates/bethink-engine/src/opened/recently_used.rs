//! Linux and its kin: the desktop's list of recently used files, and its activity stores.

use std::fs;
use std::path::{Path, PathBuf};

use bethink_core::UnixMillis;
use quick_xml::events::Event;

use super::{OpenedRecord, OpenedSource};

/// The activity stores of KDE (KActivities) and of Zeitgeist.
pub(super) struct DesktopActivity;

impl OpenedRecord for DesktopActivity {
    fn source(&self) -> OpenedSource {
        OpenedSource::DesktopActivity
    }

    fn listed(&self, user_home: &Path) -> Vec<(PathBuf, UnixMillis)> {
        let stores = ["kactivitymanagerd/resources/database", "zeitgeist/activity.sqlite"];
        let databases = stores.into_iter().map(|store| user_home.join(".local/share").join(store));
        databases
            .flat_map(|database| bethink_store::sqlite::activity::read_opened(&database).unwrap_or_default())
            .collect()
    }
}

/// The list of recently used files.
pub(super) struct RecentlyUsed;

impl OpenedRecord for RecentlyUsed {
    fn source(&self) -> OpenedSource {
        OpenedSource::RecentlyUsed
    }

    fn listed(&self, user_home: &Path) -> Vec<(PathBuf, UnixMillis)> {
        let list = fs::read(user_home.join(".local/share/recently-used.xbel"));
        list.map(|list| recently_used(&list)).unwrap_or_default()
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
