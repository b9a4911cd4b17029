//! Finding a model's vocabulary: `tokenizer.json`, or `vocab.txt`.
//!
//! Only uncased WordPiece is understood. Everything in a `tokenizer.json` that would make other
//! tokens than ours is looked at and refused by name.

use serde_json::Value;

use super::Candidate;
use super::source::Source;
use crate::EmbedError;

/// Most words of a vocabulary. Multilingual ones have 250,000.
const MAX_WORDS: usize = 1_000_000;

/// A vocabulary and its special tokens.
pub(super) struct Tokenizer {
    /// Words by token.
    pub(super) words: Vec<String>,
    pub(super) unknown: u32,
    pub(super) open: Option<u32>,
    pub(super) close: Option<u32>,
}

pub(super) fn load(source: &mut Source, candidate: &Candidate) -> Result<Tokenizer, EmbedError> {
    let path = source.path().to_path_buf();
    let unsupported = |reason: String| EmbedError::unsupported(&path, reason);
    if let Some(json) = source.json(&candidate.beside("tokenizer.json"))? {
        return from_json(&json).map_err(unsupported);
    }
    if let Some(text) = source.text(&candidate.beside("vocab.txt"))? {
        let settings = source.json(&candidate.beside("tokenizer_config.json"))?.unwrap_or_default();
        if settings["do_lower_case"] == Value::Bool(false) || settings["strip_accents"] == Value::Bool(false) {
            return Err(unsupported("its tokenizer tells upper from lower case or accents".into()));
        }
        return from_words(words_of_lines(&text)).map_err(unsupported);
    }
    Err(unsupported(format!("there is no tokenizer.json or vocab.txt beside {}", candidate.weights)))
}

fn words_of_lines(text: &str) -> Vec<String> {
    // Only the line feed parts words: some vocabularies hold other line separators as words.
    let mut words: Vec<String> =
        text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line).to_owned()).collect();
    if words.last().is_some_and(String::is_empty) {
        words.pop();
    }
    words
}

fn from_json(json: &Value) -> Result<Tokenizer, String> {
    let model = &json["model"];
    let kind = model["type"].as_str().unwrap_or("WordPiece");
    if kind != "WordPiece" {
        return Err(format!("its tokenizer is of the kind {kind}, only WordPiece is understood"));
    }
    if model["continuing_subword_prefix"].as_str().unwrap_or("##") != "##"
        || model["max_input_chars_per_word"].as_u64().unwrap_or(100) != 100
    {
        return Err("its WordPiece tokenizer has unusual settings".into());
    }
    let normalizer = &json["normalizer"];
    let plain_bert = normalizer["type"] == "BertNormalizer"
        && normalizer["lowercase"] == Value::Bool(true)
        && normalizer["strip_accents"] != Value::Bool(false)
        && normalizer["clean_text"] != Value::Bool(false)
        && normalizer["handle_chinese_chars"] != Value::Bool(false)
        && json["pre_tokenizer"]["type"] == "BertPreTokenizer";
    if !plain_bert {
        return Err("its tokenizer does not prepare text as uncased BERT does".into());
    }
    let vocabulary = model["vocab"].as_object().ok_or("its tokenizer has no vocabulary")?;
    let count = vocabulary.values().filter_map(Value::as_u64).max().map_or(0, |last| last.saturating_add(1));
    if count > MAX_WORDS as u64 {
        return Err(format!("its vocabulary claims {count} words"));
    }
    let mut words = vec![String::new(); count as usize];
    for (word, token) in vocabulary {
        let place = token.as_u64().and_then(|token| words.get_mut(token as usize));
        *place.ok_or("its vocabulary has a word without a number")? = word.clone();
    }
    let mut tokenizer = from_words(words)?;
    if let Some(unknown) = model["unk_token"].as_str() {
        tokenizer.unknown = token_of(&tokenizer.words, unknown).ok_or("its token for unknown words is missing")?;
    }
    Ok(tokenizer)
}

fn from_words(words: Vec<String>) -> Result<Tokenizer, String> {
    if words.is_empty() || words.len() > MAX_WORDS {
        return Err(format!("its vocabulary has {} words", words.len()));
    }
    let unknown = token_of(&words, "[UNK]").ok_or("its vocabulary has no token [UNK]")?;
    let (open, close) = (token_of(&words, "[CLS]"), token_of(&words, "[SEP]"));
    Ok(Tokenizer { words, unknown, open, close })
}

fn token_of(words: &[String], word: &str) -> Option<u32> {
    words.iter().position(|known| known == word).map(|token| token as u32)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn bert(vocabulary: &Value) -> Value {
        json!({
            "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocabulary},
        })
    }

    #[test]
    fn reads_both_forms_alike() {
        let from_lines = from_words(words_of_lines("[UNK]\r\n[CLS]\n[SEP]\n\u{2028}\n##x\n")).unwrap();
        let json = bert(&json!({"##x": 4, "[CLS]": 1, "[UNK]": 0, "\u{2028}": 3, "[SEP]": 2}));
        let from_json = from_json(&json).unwrap();
        assert_eq!(from_lines.words, from_json.words);
        assert_eq!((from_json.unknown, from_json.open, from_json.close), (0, Some(1), Some(2)));
    }

    #[test]
    fn refuses_what_it_would_read_otherwise() {
        let good = bert(&json!({"[UNK]": 0}));
        assert!(from_json(&good).is_ok());
        for (pointer, value) in [
            ("/normalizer/lowercase", json!(false)),
            ("/normalizer/strip_accents", json!(false)),
            ("/normalizer/type", json!("NFC")),
            ("/pre_tokenizer/type", json!("Metaspace")),
            ("/model/type", json!("BPE")),
            ("/model/continuing_subword_prefix", json!("@@")),
            ("/model/vocab", json!({"[UNK]": 4_000_000_000_u64})),
            ("/model/vocab", json!({"[UNK]": u64::MAX})),
            ("/model/vocab", json!({"[UNK]": 0, "a": -1})),
            ("/model/vocab", json!({"a": 0})),
            ("/model/vocab", json!([])),
        ] {
            let mut bad = good.clone();
            *bad.pointer_mut(pointer).unwrap() = value;
            assert!(from_json(&bad).is_err(), "{pointer}");
        }
    }
}
