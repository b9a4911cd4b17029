//! Who a model is: its name, licence, origin and prefixes, gathered from what lies around its weights.

use super::Candidate;
use super::source::Source;
use crate::{EmbedError, ModelSource};

/// Weights that are known by their hash, for packages that do not say what they hold.
const KNOWN_WEIGHTS: [(&str, &str, &str); 2] = [
    ("53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db", "all-minilm-l6-v2", "Apache-2.0"),
    ("f65d0f325faadc1e121c319e2faa41170d3fa07d8c89abd48ca5358d9a223de2", "potion-base-8m", "MIT"),
];

/// Folder names that say nothing about the model within.
const NAMELESS_FOLDERS: [&str; 6] = ["model", "models", "onnx", "0_transformer", "0_staticembedding", "data"];

/// Most characters of a name: it becomes a file name.
const MAX_NAME_CHARACTERS: usize = 64;

/// What is known about a model besides its numbers.
pub(super) struct Description {
    pub(super) name: String,
    pub(super) licence: String,
    pub(super) source: ModelSource,
    pub(super) query_prefix: String,
    pub(super) passage_prefix: String,
}

pub(super) fn describe(
    source: &mut Source,
    candidate: &Candidate,
    weights_sha256: String,
) -> Result<Description, EmbedError> {
    let known = KNOWN_WEIGHTS.iter().find(|(hash, ..)| *hash == weights_sha256);
    let readme = source.text(&candidate.beside("README.md"))?.unwrap_or_default();
    let metadata = package_metadata(source)?;
    let package = field(&metadata, "Name").map_or_else(|| base_name(source), str::to_owned);
    let name = match known {
        Some((_, name, _)) => (*name).to_owned(),
        None => name_of(candidate, &readme, &package),
    };
    let licence = known
        .map(|(_, _, licence)| (*licence).to_owned())
        .or_else(|| front_matter(&readme, "license").map(str::to_owned))
        .or_else(|| field(&metadata, "License-Expression").or_else(|| field(&metadata, "License")).map(str::to_owned))
        .unwrap_or_else(|| "unknown".to_owned());
    let (query_prefix, passage_prefix) = prefixes(source, candidate, &name)?;
    let version = field(&metadata, "Version").unwrap_or_default().to_owned();
    Ok(Description {
        name,
        licence,
        source: ModelSource { package, version, weights_sha256 },
        query_prefix,
        passage_prefix,
    })
}

/// A name with nothing in it that could not stand in a file name on any system.
pub(super) fn file_safe(name: &str) -> String {
    let mut safe = String::new();
    for character in name.trim().chars().take(MAX_NAME_CHARACTERS) {
        match character.to_ascii_lowercase() {
            kept @ ('a'..='z' | '0'..='9' | '.' | '_') => safe.push(kept),
            _ if safe.ends_with('-') => {}
            _ => safe.push('-'),
        }
    }
    let safe = safe.trim_matches(['-', '.', '_']);
    if safe.is_empty() { "model".to_owned() } else { safe.to_owned() }
}

fn name_of(candidate: &Candidate, readme: &str, package: &str) -> String {
    let own_file = candidate.weights.rsplit('/').next().unwrap_or_default().trim_end_matches(".safetensors");
    let folder = candidate.folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let says_something = |name: &str| !name.is_empty() && !NAMELESS_FOLDERS.contains(&name.to_lowercase().as_str());
    let heading = readme.lines().find_map(|line| line.strip_prefix("# "));
    let chosen =
        [Some(own_file), Some(folder), heading, Some(package)].into_iter().flatten().find(|name| says_something(name));
    file_safe(chosen.unwrap_or_default())
}

fn base_name(source: &Source) -> String {
    source.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The METADATA of the one package that a wheel, or an unpacked wheel, holds.
fn package_metadata(source: &mut Source) -> Result<String, EmbedError> {
    let name = source.names().iter().find(|name| name.ends_with(".dist-info/METADATA")).cloned();
    Ok(match name {
        Some(name) => source.text(&name)?.unwrap_or_default(),
        None => String::new(),
    })
}

/// A field of the head of a METADATA file.
fn field<'a>(metadata: &'a str, name: &str) -> Option<&'a str> {
    metadata
        .lines()
        .take_while(|line| !line.is_empty())
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        .map(str::trim)
        .filter(|value| !value.is_empty() && value.len() <= 200)
}

/// A plain value of the YAML between the dashes at the top of a model card.
fn front_matter<'a>(readme: &'a str, key: &str) -> Option<&'a str> {
    let mut lines = readme.lines();
    if lines.next()?.trim_end() != "---" {
        return None;
    }
    lines
        .take_while(|line| line.trim_end() != "---")
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))
        .map(|value| value.trim().trim_matches(['"', '\'']))
        .filter(|value| !value.is_empty() && value.len() <= 200)
}

/// Prefixes that the model names itself, or that its family is known to want.
fn prefixes(source: &mut Source, candidate: &Candidate, name: &str) -> Result<(String, String), EmbedError> {
    const SETTINGS: &str = "config_sentence_transformers.json";
    for place in [candidate.beside(SETTINGS), candidate.above(SETTINGS)] {
        let Some(settings) = source.json(&place)? else { continue };
        let prompt = |keys: &[&str]| {
            keys.iter().find_map(|key| settings["prompts"][key].as_str()).filter(|prompt| prompt.len() <= 1000)
        };
        let (query, passage) = (prompt(&["query"]), prompt(&["passage", "document", "corpus"]));
        if query.is_some() || passage.is_some() {
            return Ok((query.unwrap_or_default().to_owned(), passage.unwrap_or_default().to_owned()));
        }
    }
    // Their model cards say so in prose only.
    Ok(if name.starts_with("e5-") || name.contains("-e5-") {
        ("query: ".to_owned(), "passage: ".to_owned())
    } else if name.contains("bge-") && name.contains("-en") {
        ("Represent this sentence for searching relevant passages: ".to_owned(), String::new())
    } else {
        (String::new(), String::new())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_fit_for_files() {
        for (name, safe) in [
            ("All MiniLM/L6", "all-minilm-l6"),
            ("../../etc/passwd", "etc-passwd"),
            (".hidden", "hidden"),
            ("名前", "model"),
            ("", "model"),
            ("potion-base-8M", "potion-base-8m"),
        ] {
            assert_eq!(file_safe(name), safe);
        }
    }

    #[test]
    fn front_matter_and_fields_are_read() {
        assert_eq!(front_matter("---\nlanguage: en\nlicense: mit\n---\nlicense: no", "license"), Some("mit"));
        assert_eq!(front_matter("license: no", "license"), None);
        assert_eq!(field("Name: a\nVersion: 1\n\nName: b", "Version"), Some("1"));
        assert_eq!(field("Name: a\n\nVersion: 1", "Version"), None);
    }

    #[test]
    fn a_name_comes_from_the_first_place_that_has_one() {
        let candidate = |weights: &str, folder: &str| Candidate { weights: weights.into(), folder: folder.into() };
        assert_eq!(name_of(&candidate("a/tiny/model.safetensors", "a/tiny/"), "# Card", "package"), "tiny");
        assert_eq!(name_of(&candidate("model/model.safetensors", "model/"), "x\n# Big Card\n", "package"), "big-card");
        assert_eq!(name_of(&candidate("model.safetensors", ""), "", "my_package"), "my_package");
        assert_eq!(name_of(&candidate("own.safetensors", ""), "", "my_package"), "own");
    }
}
