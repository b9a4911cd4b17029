//! Lines of `find`.

use super::look::Look;
use super::shown::shown_line;
use super::{bytes, grouped};
use crate::wire;

/// `path (kind, 1.2 MB, modified 2026-03-01, opened 2026-03-02 by access-time) typo`.
pub fn find_line(hit: &wire::FindHit, look: &Look) -> String {
    let mut facts = vec![hit.kind.clone()];
    if hit.size > 0 {
        facts.push(bytes(hit.size));
    }
    facts.push(format!("modified {}", look.day_of(&hit.modified)));
    if let Some(opened) = &hit.opened {
        let source = hit.opened_source.map(|source| format!(" by {source}")).unwrap_or_default();
        facts.push(format!("opened {}{source}", look.day_of(opened)));
    }
    if hit.how == "typo" {
        facts.push("name is only alike".to_owned());
    }
    format!("{} ({})", look.path(&hit.path), facts.join(", "))
}

/// Where was looked, in one sentence: `looked in work folders (1,203 names), home (not to its end)`.
pub fn find_header(summary: &wire::FindSummary, look: &Look) -> String {
    let places: Vec<String> = summary
        .looked_in
        .places
        .iter()
        .map(|place| {
            let end = if place.complete { "" } else { ", not to its end" };
            format!("{} ({} names{end})", place.place, grouped(place.names))
        })
        .collect();
    let mut header =
        if places.is_empty() { "looked nowhere".to_owned() } else { format!("looked in {}", places.join(", ")) };
    for window in &summary.windows {
        let (first, last) = (look.day_of(&window.start), look.last_day_before(&window.end));
        let days = if first == last { first } else { format!("{first} to {last}") };
        header.push_str(&format!("; {} “{}”: {days}", window.what, shown_line(&window.phrase)));
    }
    header
}
