//! Moments as text.

use bethink_core::UnixMillis;
use jiff::Timestamp;

/// RFC 3339 in UTC, whole seconds, as `2026-03-01T09:30:00Z`. A moment beyond the years that the
/// format can say (a broken file-system time stamp) becomes the nearest that it can.
pub fn rfc3339(moment: UnixMillis) -> String {
    let seconds = moment.0.div_euclid(1000);
    let bounded = seconds.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    // The years before 0 have no spelling in RFC 3339.
    let year_zero = -62_167_219_200;
    match Timestamp::from_second(bounded.max(year_zero)) {
        Ok(timestamp) => timestamp.to_string(),
        Err(_) => "1970-01-01T00:00:00Z".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_has_a_spelling() {
        assert_eq!(rfc3339(UnixMillis(0)), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(UnixMillis(-1)), "1969-12-31T23:59:59Z");
        assert_eq!(rfc3339(UnixMillis(1_772_357_400_999)), "2026-03-01T09:30:00Z");
        assert_eq!(rfc3339(UnixMillis(i64::MIN)), "0000-01-01T00:00:00Z");
        assert!(rfc3339(UnixMillis(i64::MAX)).starts_with("9999-12-3"));
    }
}
