//! Real files, where they are at hand.

use std::path::{Path, PathBuf};

use bethink_core::{Extracted, Format, Language};
use bethink_text::{PASSAGE_LIMIT_TOKENS, cut, excerpt, first_heading, model_tokens, query_terms};

fn shared() -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|above| above.join("../shared"))
        .find(|path| path.is_dir());
    if found.is_none() {
        println!("skipped: ../shared is not here");
    }
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&entry.path(), found),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
}

fn format_of(path: &Path) -> Format {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        "md" => Format::Markdown,
        "org" => Format::Org,
        "rst" => Format::Rst,
        "json" | "jsonl" | "ipynb" => Format::Json,
        "yaml" | "yml" => Format::Yaml,
        "toml" | "ini" => Format::Toml,
        "csv" | "tsv" => Format::Csv,
        "xml" => Format::Xml,
        other => Language::from_extension(other).map_or(Format::Text, Format::Code),
    }
}

#[test]
fn real_files_are_cut_into_passages_that_tile_them() {
    let Some(shared) = shared() else { return };
    let mut files = Vec::new();
    collect(&shared.join("data/files"), &mut files);
    let mut cut_files = 0;
    for path in files {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        if bytes.len() > 20_000_000 {
            continue;
        }
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let source = Extracted { format: format_of(&path), text, ..Extracted::default() };
        let passages = cut(&source);
        let joined: String = passages.iter().map(|passage| &source.text[passage.range.clone()]).collect();
        assert!(joined == source.text, "{}", path.display());
        for passage in &passages {
            let text = &source.text[passage.range.clone()];
            assert!(model_tokens(text) <= PASSAGE_LIMIT_TOKENS + 40, "{}:{}", path.display(), passage.line);
            let found = excerpt(text, passage.line, &query_terms("the budget of 2026"), 160);
            assert!(!found.text.chars().any(char::is_control));
        }
        let _ = first_heading(&source);
        cut_files += 1;
    }
    assert!(cut_files > 0, "no text file was found below {}", shared.display());
}
