//! From where an answer is looked at: the folder that paths are told from, and the local time.

use std::path::{Path, PathBuf};

use bethink_core::UnixMillis;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::shown::shown_line;

/// A point of view.
#[derive(Debug, Clone)]
pub struct Look {
    /// Paths under this folder are told from it; all others are told in full.
    pub folder: Option<PathBuf>,
    /// The zone in which days are told.
    pub zone: TimeZone,
}

impl Look {
    /// The view of somebody who stands nowhere: every path in full.
    pub fn absolute(zone: TimeZone) -> Self {
        Self { folder: None, zone }
    }

    /// A path as it is told, on one line.
    pub fn path(&self, path: &str) -> String {
        let relative = self.folder.as_deref().and_then(|folder| Path::new(path).strip_prefix(folder).ok());
        match relative.and_then(Path::to_str) {
            Some("") => ".".to_owned(),
            // A name that begins with a dash would be taken for an option where it is pasted.
            Some(relative) if relative.starts_with('-') => format!("./{}", shown_line(relative)),
            Some(relative) => shown_line(relative).into_owned(),
            None => shown_line(path).into_owned(),
        }
    }

    /// A moment as a local day, `2026-03-01`; of a moment out of range, `?`.
    pub fn day(&self, moment: UnixMillis) -> String {
        match Timestamp::from_millisecond(moment.0) {
            Ok(timestamp) => timestamp.to_zoned_datetime(self.zone.clone()).date().to_string(),
            Err(_) => "?".to_owned(),
        }
    }

    /// A moment of the wire as a local day.
    pub(crate) fn day_of(&self, moment: &str) -> String {
        match moment.parse::<Timestamp>() {
            Ok(timestamp) => timestamp.to_zoned_datetime(self.zone.clone()).date().to_string(),
            Err(_) => "?".to_owned(),
        }
    }

    /// The local day that ends with a moment of the wire, or in which it lies.
    pub(crate) fn last_day_before(&self, end: &str) -> String {
        match end.parse::<Timestamp>() {
            Ok(end) => self.day(UnixMillis(end.as_millisecond().saturating_sub(1))),
            Err(_) => "?".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn paths_are_told_from_the_folder() {
        let look = Look { folder: Some("/home/me".into()), zone: TimeZone::UTC };
        assert_eq!(look.path("/home/me/notes/a.md"), "notes/a.md");
        assert_eq!(look.path("/home/meadow/a.md"), "/home/meadow/a.md");
        assert_eq!(look.path("/home/me/-rf\n.md"), "./-rf␊.md");
        assert_eq!(look.path("/home/me"), ".");
        assert_eq!(Look::absolute(TimeZone::UTC).path("/home/me/a"), "/home/me/a");
    }

    #[test]
    fn days_are_local() {
        let berlin = Look::absolute(TimeZone::fixed(jiff::tz::offset(2)));
        assert_eq!(berlin.day_of("2026-03-01T23:30:00Z"), "2026-03-02");
        assert_eq!(berlin.last_day_before("2026-02-28T22:00:00Z"), "2026-02-28");
        assert_eq!(berlin.day(UnixMillis(0)), "1970-01-01");
        assert_eq!(berlin.day(UnixMillis(i64::MAX)), "?");
    }
}
