//! Moments as people and programs write them: what an event's own time is read from.

use bethink_core::UnixMillis;
use jiff::fmt::temporal::{Pieces, PiecesOffset};
use jiff::tz::{Offset, TimeZone};

use crate::engine::Engine;
use crate::error::{EngineError, Result};

impl Engine {
    /// A moment and the zone that was written with it: `2026-03-31T15:00-07:00`, `2026-03-31 15:00`,
    /// `2026-03-31`. Without a zone it is the engine's; without a time it is the start of the day.
    pub(crate) fn moment(&self, text: &str) -> Result<(UnixMillis, Option<String>)> {
        read(text, self.zone()).ok_or_else(|| EngineError::UnknownMoment { text: text.to_owned() })
    }
}

fn read(text: &str, zone: &TimeZone) -> Option<(UnixMillis, Option<String>)> {
    let pieces = Pieces::parse(text.trim()).ok()?;
    let civil = pieces.date().to_datetime(pieces.time().unwrap_or_default());
    let offset = match pieces.offset() {
        Some(PiecesOffset::Numeric(offset)) => Some(offset.offset()),
        Some(PiecesOffset::Zulu) => Some(Offset::UTC),
        _ => None,
    };
    if let Some(offset) = offset {
        let timestamp = offset.to_timestamp(civil).ok()?;
        return Some((UnixMillis(timestamp.as_millisecond()), Some(offset.to_string())));
    }
    let timestamp = zone.to_ambiguous_timestamp(civil).compatible().ok()?;
    let name = zone.iana_name().map(str::to_owned);
    Some((UnixMillis(timestamp.as_millisecond()), name))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_moment_keeps_the_zone_that_it_was_told_in() {
        let vienna = TimeZone::get("Europe/Vienna").unwrap();
        let at = |text: &str| read(text, &vienna).map(|(moment, zone)| (moment.0 / 1000, zone.unwrap_or_default()));
        assert_eq!(at("2026-03-31T15:00-07:00"), Some((1_774_994_400, "-07".to_owned())));
        assert_eq!(at("2026-03-31T22:00:00Z").map(|(moment, _)| moment), Some(1_774_994_400));
        assert_eq!(at("2026-04-01 00:00"), Some((1_774_994_400, "Europe/Vienna".to_owned())));
        assert_eq!(at("2026-04-01"), at("2026-04-01 00:00"));
        // The night on which the clocks go forward has no half past two.
        assert_eq!(at("2026-03-29 02:30"), at("2026-03-29 03:30"));
        for unknown in ["", "yesterday", "2026-13-01", "31.3.2026", "15:00"] {
            assert_eq!(at(unknown), None, "{unknown}");
        }
    }
}
