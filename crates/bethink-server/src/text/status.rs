//! The state of the index as a few lines.

use super::look::Look;
use super::{bytes, grouped, plural, shown_line};
use crate::wire;

fn reasons(counted: &[wire::Counted]) -> String {
    let total = counted.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.count));
    if counted.is_empty() {
        return grouped(total);
    }
    let parts: Vec<String> = counted.iter().map(|entry| format!("{} {}", grouped(entry.count), entry.reason)).collect();
    format!("{} ({})", grouped(total), parts.join(", "))
}

/// The state, one fact a line.
pub fn status_text(status: &wire::Status, look: &Look) -> String {
    let mut lines = vec![format!(
        "{} known, {} with text in {}, {} names for find",
        plural(status.documents, "document"),
        grouped(status.indexed),
        plural(status.passages, "passage"),
        grouped(status.names)
    )];
    lines.push(format!("without text: {}; failed: {}", reasons(&status.skipped), reasons(&status.failed)));
    for root in &status.roots {
        let completed = root.completed.as_ref().map(|moment| format!(", {}", look.day_of(moment))).unwrap_or_default();
        lines.push(format!(
            "root {} ({}{completed}, {})",
            look.path(&root.path),
            root.state,
            plural(root.documents, "document")
        ));
    }
    if status.models.is_empty() {
        lines.push("no model: search is by words only".to_owned());
    }
    for tier in &status.models {
        let total = tier.done.saturating_add(tier.pending);
        let share = if total == 0 { 100.0 } else { tier.done as f64 / total as f64 * 100.0 };
        lines.push(format!(
            "model {} ({}): {share:.0} % of passages, {} pending, {} failed",
            shown_line(&tier.model),
            tier.tier,
            grouped(tier.pending),
            grouped(tier.failed)
        ));
    }
    lines.push(format!(
        "{} of text, {} on disk, policy epoch {}",
        bytes(status.text_bytes),
        bytes(status.disk_bytes),
        status.epoch
    ));
    lines.extend(status.notes.iter().map(|note| format!("Note: {}", shown_line(note))));
    lines.join("\n")
}
