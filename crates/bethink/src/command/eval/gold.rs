//! Judged questions and runs, one JSON object a line.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use bethink_engine::eval::{JudgedQuestion, Place, RightPlace};
use serde_json::Value;

/// A question to ask, and what is right.
#[derive(Debug)]
pub(super) struct Asked {
    /// Its name as the set has it, a string or a number.
    pub(super) name: Value,
    /// Its words.
    pub(super) text: String,
    /// The folder or file that it is asked over, relative to the set's.
    pub(super) scope: Option<String>,
    /// Whether the set says what is right; without that it is asked and not judged.
    pub(super) is_judged: bool,
    /// What is right.
    pub(super) judged: JudgedQuestion,
}

/// Reads questions.
pub(super) fn read(path: &Path) -> Result<Vec<Asked>> {
    Ok(read_lines(path)?.iter().map(asked).collect())
}

/// Reads a run that was written earlier.
pub(super) fn read_run(path: &Path) -> Result<BTreeMap<String, Vec<Place>>> {
    let lines = read_lines(path)?;
    Ok(lines.iter().map(|line| (identity(&line["qid"]), items(&line["results"]).map(place).collect())).collect())
}

/// The objects of a file, each on its line.
pub(super) fn read_lines(path: &Path) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| serde_json::from_str(line).with_context(|| format!("{}:{number}", path.display())))
        .collect()
}

/// A name, whether it is written as a string or as a number.
pub(super) fn identity(name: &Value) -> String {
    name.as_str().map_or_else(|| name.to_string(), str::to_owned)
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn asked(line: &Value) -> Asked {
    let right = items(&line["golds"])
        .map(|gold| RightPlace {
            path: gold["path"].as_str().unwrap_or_default().to_owned(),
            lines: lines(number(&gold["start"]), number(&gold["end"])),
            grade: gold["rel"].as_u64().map_or(1, |grade| u32::try_from(grade).unwrap_or(u32::MAX)),
        })
        .collect();
    Asked {
        name: line["qid"].clone(),
        text: line["text"].as_str().unwrap_or_default().to_owned(),
        scope: line["scope"].as_str().map(str::to_owned),
        is_judged: line["golds"].is_array(),
        judged: JudgedQuestion { id: identity(&line["qid"]), right },
    }
}

/// Lines of a right place; a start of 0 says that the whole file is meant.
pub(super) fn lines(start: u32, end: u32) -> Option<(u32, u32)> {
    (start > 0).then_some((start, end.max(start)))
}

fn place(result: &Value) -> Place {
    Place {
        path: result["path"].as_str().unwrap_or_default().to_owned(),
        line: number(&result["line"]),
        score: result["score"].as_f64().unwrap_or_default(),
    }
}

fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn questions_are_read_with_and_without_what_is_right() {
        let judged = asked(
            &json!({"qid": 7, "text": "who", "scope": "a", "golds": [{"path": "a/b", "start": 2, "end": 4, "rel": 1}]}),
        );
        assert_eq!((judged.judged.id.as_str(), judged.is_judged), ("7", true));
        assert_eq!(judged.judged.right[0].lines, Some((2, 4)));
        let whole =
            asked(&json!({"qid": "x", "text": "who", "golds": [{"path": "b", "start": 0, "end": 0, "rel": 2}]}));
        assert_eq!((whole.judged.right[0].lines, whole.judged.right[0].grade), (None, 2));
        assert!(!asked(&json!({"qid": "x", "text": "who"})).is_judged);
        assert!(asked(&json!({"qid": "x", "text": "who", "golds": []})).judged.is_negative());
    }
}
