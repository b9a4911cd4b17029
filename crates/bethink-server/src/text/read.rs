//! Lines of `read`, numbered as hits number them.

use super::shown::{shown, shown_line};
use crate::wire;

/// `  12→text`, with the place that begins there on a line of its own before it. Every line that
/// comes from the file begins with its number, so that no text of a file can pass for ours.
pub fn numbered(lines: &[wire::ReadLine]) -> String {
    let widest = lines.last().map_or(0, |line| line.line.to_string().len());
    let mut out = String::new();
    for line in lines {
        if let Some(place) = line.locator.as_ref().filter(|_| line.turns) {
            out.push_str(&format!("{:>widest$}  [{}]\n", "", shown_line(place)));
        }
        // A text line never holds a line feed; should an extractor let one through, it is shown.
        let text = shown(&line.text).replace('\n', "␊");
        out.push_str(&format!("{:>widest$}  {text}\n", line.line));
    }
    out
}

/// `path (pdf, 340 lines), under Heading > Heading`.
pub fn read_header(summary: &wire::ReadSummary, look: &super::Look) -> String {
    let mut header = format!(
        "{} ({}, {})",
        look.path(&summary.path),
        summary.kind,
        super::plural(u64::from(summary.lines_total), "line")
    );
    if !summary.heading.is_empty() {
        header.push_str(&format!(", under {}", shown_line(&summary.heading.join(" > "))));
    }
    header
}
