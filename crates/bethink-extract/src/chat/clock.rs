//! When a message was written, as `2024-05-01 12:30`.

use crate::json::Value;

/// A time that an export writes out (`2024-05-01T12:30:15.123+02:00`), to the minute, in its own zone.
pub(super) fn written(time: &str) -> Option<String> {
    let minute = time.get(..16)?;
    let shape = minute.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        10 => matches!(byte, b'T' | b' '),
        13 => byte == b':',
        _ => byte.is_ascii_digit(),
    });
    shape.then(|| minute.replace('T', " "))
}

/// Milliseconds since 1970, in UTC.
pub(super) fn from_millis(millis: i64) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(millis).ok()?;
    Some(time.strftime("%Y-%m-%d %H:%M").to_string())
}

/// Seconds since 1970 as a number or as digits, in UTC.
pub(super) fn from_seconds(seconds: &Value) -> Option<String> {
    let seconds = match seconds {
        Value::String(digits) => digits.parse::<f64>().ok()?,
        number => number.as_f64()?,
    };
    // Outside of this there is no date, and inside it nothing is lost that a minute shows.
    const MOST_SECONDS: f64 = 253_402_300_799.0;
    if !(1.0..=MOST_SECONDS).contains(&seconds) {
        return None;
    }
    #[allow(clippy::cast_possible_truncation)]
    from_millis((seconds * 1000.0) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_to_the_minute() {
        assert_eq!(written("2024-05-01T12:30:15.123+02:00").as_deref(), Some("2024-05-01 12:30"));
        assert_eq!(written("Tuesday, May 9, 2017"), None);
        assert_eq!(from_seconds(&Value::from("1452988821.000002")).as_deref(), Some("2016-01-17 00:00"));
        assert_eq!(from_seconds(&Value::from(1_714_566_600.5)).as_deref(), Some("2024-05-01 12:30"));
        assert_eq!(from_seconds(&Value::from(1e300)), None);
    }
}
