//! Subtitles and timed lyrics: the file's own lines, with the time of each cue.
//!
//! Known by their cues: SubRip and WebVTT, SubStation Alpha, LRC, YouTube's SBV, and MicroDVD, whose cues
//! count frames.

use bethink_core::{Format, Locator, ProblemKind};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;
use crate::text::{charset_of, decode, without_controls};

/// Frames a second of a MicroDVD file that does not say: those of a film on television in America, which
/// players assume.
const FRAMES_PER_SECOND: f64 = 23.976;

/// Reads subtitles.
pub(crate) struct SubtitleFamily;

impl Family for SubtitleFamily {
    fn reads(&self, format: Format) -> bool {
        format == Format::Subtitles
    }

    fn isolation(&self) -> Isolation {
        Isolation::Here
    }

    fn read(&self, source: &Source<'_>, limits: &Limits, sink: &mut dyn Sink) -> Outcome {
        let bytes = source.head(limits.structured_bytes, "", sink);
        let text = without_controls(decode(bytes, charset_of(source.bytes)));
        if text.trim_start().is_empty() {
            return Outcome::Skipped(problem(ProblemKind::Empty, "the file holds nothing but white space"));
        }
        let mut frames = FRAMES_PER_SECOND;
        let mut written = 0;
        let mut at = 0;
        // Where a line that only numbers the cue below it begins.
        let mut number_at = None;
        for line in text.split_inclusive(['\n', '\r']) {
            let start = at;
            at += line.len();
            let line = line.trim();
            if let Some(stated) = stated_frames(line) {
                frames = stated;
            } else if let Some(millis) = cue_start(line, frames) {
                let cue = number_at.take().unwrap_or(start);
                if cue > written && !sink.text(text[written..cue].to_owned()) {
                    return Outcome::Read;
                }
                written = cue;
                sink.mark(Locator::Timecode { millis });
            }
            let is_number = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
            // `\r\n` comes as a line and an empty rest of one.
            if is_number || !line.is_empty() {
                number_at = is_number.then_some(start);
            }
        }
        sink.text(text[written..].to_owned());
        Outcome::Read
    }

    fn entries(&self) -> Vec<FormatEntry> {
        vec![FormatEntry {
            name: "subtitles",
            detected_by: "first cue or header: SRT, WebVTT, SSA/ASS, LRC, SBV, MicroDVD",
            locator: "time of the cue, line",
            lost: "nothing (styles are kept)",
            limits: "64 MiB of the file",
        }]
    }
}

/// The start of the cue that a line opens, in milliseconds.
pub(crate) fn cue_start(line: &str, frames: f64) -> Option<u64> {
    if let Some((start, _)) = line.split_once("-->") {
        return clock(start.trim());
    }
    if let Some(dialogue) = line.strip_prefix("Dialogue:") {
        return clock(dialogue.split(',').nth(1)?.trim());
    }
    if let Some(rest) = line.strip_prefix('[') {
        return clock(rest.split_once(']')?.0);
    }
    if let Some(rest) = line.strip_prefix('{') {
        let (frame, end) = rest.split_once("}{")?;
        let is_number =
            |text: &str| !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit());
        let (end, _) = end.split_once('}')?;
        if !is_number(frame) || !(is_number(end) || end.is_empty()) {
            return None;
        }
        let seconds = frame.parse::<f64>().ok()? / frames;
        // A number of nine digits over a rate of at least one fits.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        return Some((seconds * 1000.0) as u64);
    }
    let (start, end) = line.split_once(',')?;
    clock(end)?;
    clock(start)
}

/// The rate that the first cue of a MicroDVD file states: `{1}{1}25.000`.
fn stated_frames(line: &str) -> Option<f64> {
    let rate = line.strip_prefix("{1}{1}").or_else(|| line.strip_prefix("{0}{0}"))?.trim().parse::<f64>().ok()?;
    (1.0..=1000.0).contains(&rate).then_some(rate)
}

/// `[h:]mm:ss[.,:]fff` in milliseconds.
fn clock(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let mut seconds = 0_u64;
    let mut parts = 0;
    for part in whole.split(':') {
        if part.is_empty() || part.len() > 4 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        seconds = seconds * 60 + part.parse::<u64>().ok()?;
        parts += 1;
    }
    let digits = fraction.len();
    if !(2..=3).contains(&parts) || !(1..=3).contains(&digits) || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let scale = [100, 10, 1][digits - 1];
    Some(seconds * 1000 + fraction.parse::<u64>().ok()? * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cues_of_every_kind_tell_their_start() {
        let cases = [
            ("00:01:14,815 --> 00:01:18,114", Some(74_815)),
            ("01:14.815 --> 01:18.114 align:start", Some(74_815)),
            ("1:00:00.5 --> 1:00:01", Some(3_600_500)),
            ("Dialogue: 0,0:00:01.20,0:00:04.00,Default,,0,0,0,,Hello, you", Some(1_200)),
            ("[01:02.03]Line", Some(62_030)),
            ("[ti:Song]", None),
            ("0:00:01.000,0:00:04.000", Some(1_000)),
            ("{250}{300}Hello|you", Some(10_000)),
            ("{y:i}words", None),
            ("He said, she said", None),
            ("a --> b", None),
            ("12:30 at the tram", None),
        ];
        for (line, start) in cases {
            assert_eq!(cue_start(line, 25.0), start, "{line}");
        }
    }
}
