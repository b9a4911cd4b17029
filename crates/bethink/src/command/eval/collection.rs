//! A collection as search engines are usually compared with (the form of BEIR), written out as files:
//! `corpus.jsonl` (`_id`, `title`, `text`, and where the set has real files, `path`), `queries.jsonl`
//! (`_id`, `text`), `qrels.tsv` (question, document, grade, under a heading), and `passages.tsv` (question,
//! document, first line, last line, grade) where lines are judged.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use anyhow::{Context, Result, bail};
use bethink_engine::eval::{JudgedQuestion, RightPlace};
use serde_json::Value;

use super::gold::{Asked, identity, lines, read_lines};

/// Longest name of a written file, in bytes.
const LONGEST_NAME_BYTES: usize = 80;

/// Writes the documents of a collection as files into a folder and gives its questions.
pub(super) fn write_out(collection: &Path, folder: &Path) -> Result<Vec<Asked>> {
    if !collection.join("corpus.jsonl").is_file() {
        bail!(
            "{} has no corpus.jsonl; name the questions over a folder of files with: bethink eval FOLDER --queries \
             GOLD.jsonl",
            collection.display()
        );
    }
    let mut paths: BTreeMap<String, String> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for document in read_lines(&collection.join("corpus.jsonl"))? {
        let id = identity(&document["_id"]);
        let mut path = file_of(&document, &id)?;
        while !taken.insert(path.clone()) {
            path = format!("{path}_");
        }
        let target = folder.join(&path);
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        }
        std::fs::write(&target, text_of(&document)).with_context(|| format!("cannot write {}", target.display()))?;
        paths.insert(id, path);
    }
    let mut right = judgements(&collection.join("qrels.tsv"), &paths)?;
    if collection.join("passages.tsv").is_file() {
        // Where lines are judged they say which file is right as well.
        right.extend(judgements(&collection.join("passages.tsv"), &paths)?);
    }
    Ok(read_lines(&collection.join("queries.jsonl"))?
        .into_iter()
        .map(|question| {
            let id = identity(&question["_id"]);
            Asked {
                name: question["_id"].clone(),
                text: question["text"].as_str().unwrap_or_default().to_owned(),
                scope: question["meta"]["scope"].as_str().map(str::to_owned),
                is_judged: true,
                judged: JudgedQuestion { right: right.remove(&id).unwrap_or_default(), id },
            }
        })
        .collect())
}

/// Where a document is written. A path of the collection's own must stay below the folder.
fn file_of(document: &Value, id: &str) -> Result<String> {
    if let Some(path) = document["path"].as_str() {
        if path.is_empty() || !Path::new(path).components().all(|part| matches!(part, Component::Normal(_))) {
            bail!("the document {id} has a path that leads out of the collection: {path}");
        }
        return Ok(path.to_owned());
    }
    let letter = |letter: char| if letter.is_ascii_alphanumeric() || ".-_".contains(letter) { letter } else { '_' };
    let name: String = id.chars().map(letter).take(LONGEST_NAME_BYTES).collect();
    Ok(format!("docs/{name}.{}", document["ext"].as_str().unwrap_or("txt")))
}

fn text_of(document: &Value) -> String {
    let text = document["text"].as_str().unwrap_or_default();
    let mut whole = match document["title"].as_str().filter(|title| !title.is_empty()) {
        Some(title) if document["path"].is_null() => format!("{title}\n\n{text}"),
        _ => text.to_owned(),
    };
    if !whole.ends_with('\n') {
        whole.push('\n');
    }
    whole
}

/// Judgements by question, from a table of three columns, or of five with lines.
fn judgements(path: &Path, paths: &BTreeMap<String, String>) -> Result<BTreeMap<String, Vec<RightPlace>>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut right: BTreeMap<String, Vec<RightPlace>> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()).skip(1).filter(|(_, line)| !line.is_empty()) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (question, document, place, grade) = match columns[..] {
            [question, document, grade] => (question, document, None, grade),
            [question, document, start, end, grade] => {
                (question, document, lines(start.parse().unwrap_or(0), end.parse().unwrap_or(0)), grade)
            }
            _ => bail!("{}:{number}: three columns or five, parted by tabs", path.display()),
        };
        let Some(file) = paths.get(document) else {
            bail!("{}:{number}: the corpus has no document {document}", path.display());
        };
        let grade: i64 = grade.parse().with_context(|| format!("{}:{number}: the grade", path.display()))?;
        if let Some(grade) = u32::try_from(grade).ok().filter(|grade| *grade > 0) {
            right.entry(question.to_owned()).or_default().push(RightPlace { path: file.clone(), lines: place, grade });
        }
    }
    Ok(right)
}
