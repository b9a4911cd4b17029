//! The figures of a run, for a person and, as one JSON object, for a program.

use std::io::Write;

use anyhow::Result;
use bethink_engine::eval::{Comparison, Figure, Summary, compare};
use serde_json::{Map, Value, json};

use crate::output;

/// Prints the figures, and beside each what changed against an earlier run.
pub(super) fn print(summary: &Summary, earlier: Option<&Summary>, as_json: bool) -> Result<()> {
    let mut out = output::stdout();
    if as_json {
        writeln!(out, "{}", object(summary, earlier))?;
    } else {
        for (figure, mean) in &summary.means {
            let change = earlier.and_then(|earlier| compare(earlier, summary, *figure));
            writeln!(out, "{:<12} {mean:.4}{}", figure.name(), change.map(told).unwrap_or_default())?;
        }
        writeln!(out, "{:<12} {}", "questions", summary.questions)?;
        if let Some(negatives) = &summary.negatives {
            writeln!(out, "{:<12} {:.4} of {}", "neg_empty", negatives.empty, negatives.questions)?;
            if let (Some(separation), Some(rejected)) = (negatives.separation, negatives.rejected_at_95) {
                writeln!(out, "{:<12} {separation:.4}", "neg_auc")?;
                writeln!(out, "{:<12} {rejected:.4}", "neg_at95")?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

fn told(change: Comparison) -> String {
    let (low, high) = change.interval;
    format!(
        "  {:+.4} [{low:+.4}, {high:+.4}], better on {}, worse on {} of {}",
        change.difference, change.wins, change.losses, change.questions
    )
}

fn object(summary: &Summary, earlier: Option<&Summary>) -> Value {
    let mut object: Map<String, Value> =
        summary.means.iter().map(|(figure, mean)| (figure.name().to_owned(), json!(mean))).collect();
    object.insert("n".to_owned(), json!(summary.questions));
    if let Some(negatives) = &summary.negatives {
        object.insert("neg_n".to_owned(), json!(negatives.questions));
        object.insert("neg_empty".to_owned(), json!(negatives.empty));
        object.insert("neg_auc".to_owned(), json!(negatives.separation));
        object.insert("neg_reject_at95".to_owned(), json!(negatives.rejected_at_95));
    }
    if let Some(earlier) = earlier {
        let changes: Map<String, Value> = Figure::ALL
            .iter()
            .filter_map(|figure| Some((figure.name().to_owned(), compare(earlier, summary, *figure)?)))
            .map(|(name, change)| {
                let (low, high) = change.interval;
                (name, json!({ "difference": change.difference, "low": low, "high": high, "wins": change.wins, "losses": change.losses }))
            })
            .collect();
        object.insert("against".to_owned(), Value::Object(changes));
    }
    Value::Object(object)
}
