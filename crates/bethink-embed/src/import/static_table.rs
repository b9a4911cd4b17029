//! A model2vec table into our container: one row of signed bytes and one scale for every word.
//!
//! Eight bits a number lose nothing that ranking shows (measured: same nDCG on four sets) and make the
//! file a quarter of its size. Weights and shared rows of newer models are multiplied in here, so that
//! at run time there is one table, indexed by token.

use super::Converted;
use super::description::Description;
use super::safetensors::Tensors;
use super::tokenizer::Tokenizer;
use crate::container::{Encoding, Section};
use crate::static_model::{ROWS, SCALES};
use crate::wordpiece::{vocabulary_hash, vocabulary_sections};
use crate::{ModelManifest, Numerics, Pooling, Tier, TokenizerSettings};

/// Tokens of a text that are read: model2vec's own default.
const SEQUENCE_LIMIT: usize = 512;
/// Names that the table goes by: model2vec's own, and sentence-transformers'.
const TABLE_NAMES: [&str; 2] = ["embeddings", "embedding.weight"];
/// Most numbers of a vector.
const MAX_DIMENSION: usize = 4096;
/// Largest value of a row in signed bytes.
const QUANTUM_LIMIT: f32 = 127.0;

pub(super) fn is_static(tensors: &Tensors<'_>) -> bool {
    TABLE_NAMES.iter().any(|name| tensors.has(name))
}

pub(super) fn convert(
    tensors: &Tensors<'_>,
    tokenizer: Tokenizer,
    description: Description,
) -> Result<Converted, String> {
    let name = TABLE_NAMES.into_iter().find(|name| tensors.has(name)).unwrap_or(TABLE_NAMES[0]);
    let shape = tensors.shape(name)?;
    let [rows, dimension] = *shape else { return Err(format!("its table has the shape {shape:?}")) };
    if dimension == 0 || dimension > MAX_DIMENSION {
        return Err(format!("its vectors have {dimension} numbers"));
    }
    let table = tensors.floats(name)?;
    let words = tokenizer.words.len();
    let row_of: Vec<usize> =
        if tensors.has("mapping") { tensors.indexes("mapping")? } else { (0..rows.min(words)).collect() };
    let weights = if tensors.has("weights") { tensors.floats("weights")? } else { vec![1.0; words] };
    if row_of.len() < words || weights.len() < words {
        return Err(format!("its vocabulary has {words} words, its table only {}", row_of.len().min(weights.len())));
    }
    let mut quantised = Vec::with_capacity(words * dimension);
    let mut scales = Vec::with_capacity(words);
    for (row, weight) in row_of[..words].iter().zip(&weights) {
        let row = table.chunks_exact(dimension).nth(*row).ok_or("its mapping points outside its table")?;
        let peak = row.iter().fold(0.0f32, |peak, number| peak.max(number.abs()));
        let step = if peak > 0.0 { peak / QUANTUM_LIMIT } else { 1.0 };
        quantised.extend(row.iter().map(|number| (number / step).round().clamp(-QUANTUM_LIMIT, QUANTUM_LIMIT) as i8));
        scales.push(step * weight);
    }
    let (mut sections, longest_word_bytes) = vocabulary_sections(&tokenizer.words);
    sections.push(Section::new(ROWS, Encoding::Int8, dimension, &quantised));
    sections.push(Section::new(SCALES, Encoding::Float32, 1, &scales));
    let mut manifest = ModelManifest {
        id: bethink_core::ModelId(String::new()),
        name: description.name,
        tier: Tier::Static,
        dimension,
        sequence_limit: SEQUENCE_LIMIT,
        pooling: Pooling::Mean,
        query_prefix: description.query_prefix,
        passage_prefix: description.passage_prefix,
        numerics: Numerics::Int8Rows,
        licence: description.licence,
        source: description.source,
        vocabulary_hash: vocabulary_hash(&tokenizer.words, tokenizer.unknown, None, None),
        tokenizer: TokenizerSettings { words, longest_word_bytes, unknown: tokenizer.unknown, open: None, close: None },
        encoder: None,
    };
    manifest.id = manifest.derive_id();
    Ok(Converted { manifest, sections })
}
