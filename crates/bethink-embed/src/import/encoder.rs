//! A BERT encoder into our container: weights laid out for the kernels, constants folded in.
//!
//! What is done here is never done again: the three projections of attention become one matrix, the
//! query part of it is divided by the root of the head's width, the embedding of token type 0 is added
//! to the positions, and every matrix is cut into panels (see [`crate::transformer::PANEL`]), of single
//! precision or of bytes.

use serde_json::Value;

use super::description::Description;
use super::safetensors::Tensors;
use super::source::Source;
use super::tokenizer::Tokenizer;
use super::{Candidate, Converted};
use crate::container::{Encoding, Section};
use crate::manifest::EncoderShape;
use crate::transformer::{
    ChannelWeights, PANEL, SCALES_SUFFIX, TOTALS_SUFFIX, WIDTH_MULTIPLE, names, quantise_weights,
};
use crate::wordpiece::{vocabulary_hash, vocabulary_sections};
use crate::{EmbedError, ModelManifest, Numerics, Pooling, Tier, TokenizerSettings};

/// Bounds beyond any encoder that is usable on a processor.
const MAX_LAYERS: usize = 48;
const MAX_WIDTH: usize = 8192;
const MAX_POSITIONS: usize = 8192;
/// Tokens of a text that are read when the model does not say: BERT's usual number of positions.
const USUAL_SEQUENCE_LIMIT: usize = 512;

/// What sentence-transformers writes beside an encoder.
pub(super) struct Limits {
    sequence_limit: Option<usize>,
    pooling: Result<Pooling, String>,
}

impl Limits {
    pub(super) fn read(source: &mut Source, candidate: &Candidate) -> Result<Self, EmbedError> {
        let mut sequence_limit = None;
        const SETTINGS: &str = "sentence_bert_config.json";
        for place in [candidate.beside(SETTINGS), candidate.above(SETTINGS)] {
            if let Some(settings) = source.json(&place)? {
                sequence_limit = sequence_limit.or(settings["max_seq_length"].as_u64().map(|limit| limit as usize));
            }
        }
        let mut pooling = None;
        const POOLING: &str = "1_Pooling/config.json";
        for place in [candidate.beside(POOLING), candidate.above(POOLING)] {
            if let Some(settings) = source.json(&place)? {
                pooling = pooling.or(Some(pooling_of(&settings)));
            }
        }
        Ok(Self { sequence_limit, pooling: pooling.unwrap_or(Ok(Pooling::Mean)) })
    }
}

fn pooling_of(settings: &Value) -> Result<Pooling, String> {
    let chosen: Vec<&str> = settings
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, value)| key.starts_with("pooling_mode_") && **value == Value::Bool(true))
        .map(|(key, _)| key.as_str())
        .collect();
    match chosen[..] {
        ["pooling_mode_mean_tokens"] | [] => Ok(Pooling::Mean),
        ["pooling_mode_cls_token"] => Ok(Pooling::Cls),
        _ => Err(format!("it pools by {}", chosen.join(" and "))),
    }
}

/// Tensors under the prefix that this model's names have.
struct Weights<'a> {
    tensors: &'a Tensors<'a>,
    prefix: String,
}

impl Weights<'_> {
    fn matrix(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        self.tensors.matrix(&format!("{}{name}", self.prefix), shape)
    }

    /// Gain and bias of a layer normalisation, under their present or their former names.
    fn norm(&self, name: &str, width: usize) -> Result<Vec<f32>, String> {
        let former = self.tensors.has(&format!("{}{name}.gamma", self.prefix));
        let (gain, bias) = if former { ("gamma", "beta") } else { ("weight", "bias") };
        let mut both = self.matrix(&format!("{name}.{gain}"), &[width])?;
        both.extend(self.matrix(&format!("{name}.{bias}"), &[width])?);
        Ok(both)
    }
}

pub(super) fn convert(
    tensors: &Tensors<'_>,
    config: &Value,
    limits: Limits,
    tokenizer: Tokenizer,
    description: Description,
    numerics: Numerics,
) -> Result<Converted, String> {
    const WORD_TABLE: &str = "embeddings.word_embeddings.weight";
    let prefix = tensors
        .names()
        .find_map(|name| name.strip_suffix(WORD_TABLE))
        .ok_or("its weights are neither a BERT encoder's nor a model2vec table")?
        .to_owned();
    let weights = Weights { tensors, prefix };
    let shape = shape_of(config)?;
    let hidden = number(config, "hidden_size")?;
    check_widths(&shape, hidden)?;
    let word_shape = tensors.shape(&format!("{}{WORD_TABLE}", weights.prefix))?.to_vec();
    let words = tokenizer.words.len();
    if word_shape.first().is_none_or(|rows| *rows < words) || word_shape.len() != 2 || word_shape[1] != hidden {
        return Err(format!("its vocabulary has {words} words, its table the shape {word_shape:?}"));
    }
    let (Some(open), Some(close)) = (tokenizer.open, tokenizer.close) else {
        return Err("its vocabulary lacks [CLS] or [SEP]".into());
    };

    let (mut sections, longest_word_bytes) = vocabulary_sections(&tokenizer.words);
    let mut table = weights.matrix(WORD_TABLE, &word_shape)?;
    table.truncate(words * hidden);
    sections.push(half_precision(names::WORDS, hidden, &table)?);
    drop(table);
    let positions = positions(&weights, hidden)?;
    let position_count = positions.len() / hidden;
    sections.push(Section::new(names::POSITIONS, Encoding::Float32, hidden, &positions));
    let norm = weights.norm("embeddings.LayerNorm", hidden)?;
    sections.push(Section::new(names::EMBEDDING_NORM, Encoding::Float32, hidden, &norm));
    for layer in 0..shape.layers {
        push_layer(&mut sections, &weights, layer, &shape, hidden, numerics)?;
    }

    let sequence_limit = limits.sequence_limit.unwrap_or(USUAL_SEQUENCE_LIMIT).min(position_count);
    if sequence_limit < 3 {
        return Err(format!("it reads {sequence_limit} tokens of a text"));
    }
    let mut manifest = ModelManifest {
        id: bethink_core::ModelId(String::new()),
        name: description.name,
        tier: Tier::Transformer,
        dimension: hidden,
        sequence_limit,
        pooling: limits.pooling?,
        query_prefix: description.query_prefix,
        passage_prefix: description.passage_prefix,
        numerics,
        licence: description.licence,
        source: description.source,
        vocabulary_hash: vocabulary_hash(&tokenizer.words, tokenizer.unknown, Some(open), Some(close)),
        tokenizer: TokenizerSettings {
            words,
            longest_word_bytes,
            unknown: tokenizer.unknown,
            open: Some(open),
            close: Some(close),
        },
        encoder: Some(shape),
    };
    manifest.id = manifest.derive_id();
    Ok(Converted { manifest, sections })
}

fn number(config: &Value, key: &str) -> Result<usize, String> {
    let value = config[key].as_u64().ok_or_else(|| format!("its config.json does not name {key}"))?;
    usize::try_from(value).ok().filter(|value| *value <= MAX_WIDTH).ok_or_else(|| format!("its {key} is {value}"))
}

fn shape_of(config: &Value) -> Result<EncoderShape, String> {
    let kind = config["model_type"].as_str().unwrap_or("bert");
    if kind != "bert" {
        return Err(format!("it is of the kind {kind}"));
    }
    let activation = config["hidden_act"].as_str().unwrap_or("gelu");
    if activation != "gelu" {
        return Err(format!("its activation is {activation}"));
    }
    let positions = config["position_embedding_type"].as_str().unwrap_or("absolute");
    if positions != "absolute" {
        return Err(format!("its positions are {positions}"));
    }
    let layer_norm_epsilon = config["layer_norm_eps"].as_f64().unwrap_or(1e-12) as f32;
    if !(0.0..=1.0).contains(&layer_norm_epsilon) {
        return Err(format!("its layer_norm_eps is {layer_norm_epsilon}"));
    }
    Ok(EncoderShape {
        layers: number(config, "num_hidden_layers")?,
        heads: number(config, "num_attention_heads")?,
        intermediate: number(config, "intermediate_size")?,
        layer_norm_epsilon,
    })
}

fn check_widths(shape: &EncoderShape, hidden: usize) -> Result<(), String> {
    let fits = hidden > 0
        && (1..=MAX_LAYERS).contains(&shape.layers)
        && shape.heads > 0
        && hidden.is_multiple_of(shape.heads)
        && hidden.is_multiple_of(WIDTH_MULTIPLE)
        && shape.intermediate > 0
        && shape.intermediate.is_multiple_of(WIDTH_MULTIPLE)
        && (hidden / shape.heads).is_multiple_of(WIDTH_MULTIPLE);
    if fits {
        return Ok(());
    }
    Err(format!(
        "its shape ({} layers, {} heads, width {hidden} and {}) does not fit the kernels",
        shape.layers, shape.heads, shape.intermediate
    ))
}

/// Positions with the embedding of token type 0 added: every text is of that type.
fn positions(weights: &Weights<'_>, hidden: usize) -> Result<Vec<f32>, String> {
    let table_name = "embeddings.position_embeddings.weight";
    let shape = weights.tensors.shape(&format!("{}{table_name}", weights.prefix))?.to_vec();
    if shape.first().is_none_or(|rows| *rows == 0 || *rows > MAX_POSITIONS) {
        return Err(format!("its table of positions has the shape {shape:?}"));
    }
    let mut positions = weights.matrix(table_name, &[shape[0], hidden])?;
    let types_name = "embeddings.token_type_embeddings.weight";
    let types_shape = weights.tensors.shape(&format!("{}{types_name}", weights.prefix))?.to_vec();
    let types = weights.matrix(types_name, &[types_shape.first().copied().unwrap_or(0), hidden])?;
    let first_type = types.get(..hidden).ok_or("its table of token types is empty")?;
    for row in positions.chunks_exact_mut(hidden) {
        row.iter_mut().zip(first_type).for_each(|(number, added)| *number += added);
    }
    Ok(positions)
}

fn push_layer(
    sections: &mut Vec<Section>,
    weights: &Weights<'_>,
    layer: usize,
    shape: &EncoderShape,
    hidden: usize,
    numerics: Numerics,
) -> Result<(), String> {
    let stem = format!("encoder.layer.{layer}");
    let attention = format!("{stem}.attention");
    // Divided here once instead of every score at every reading.
    let scale = 1.0 / ((hidden / shape.heads) as f32).sqrt();
    let mut projections = Vec::with_capacity(3 * hidden * hidden);
    let mut projection_bias = Vec::with_capacity(3 * hidden);
    for (part, factor) in [("query", scale), ("key", 1.0), ("value", 1.0)] {
        let matrix = weights.matrix(&format!("{attention}.self.{part}.weight"), &[hidden, hidden])?;
        let bias = weights.matrix(&format!("{attention}.self.{part}.bias"), &[hidden])?;
        projections.extend(matrix.iter().map(|number| number * factor));
        projection_bias.extend(bias.iter().map(|number| number * factor));
    }
    let mut push = |part: &str, inputs: usize, matrix: &[f32], bias: &[f32]| {
        push_matrix(sections, layer, part, inputs, matrix, numerics);
        let bias_name = names::of_layer(layer, &names::bias(part));
        sections.push(Section::new(bias_name, Encoding::Float32, bias.len(), bias));
    };
    push(names::PROJECTIONS, hidden, &projections, &projection_bias);
    for (part, source, outputs, inputs) in [
        (names::ATTENTION_OUT, format!("{attention}.output.dense"), hidden, hidden),
        (names::UP, format!("{stem}.intermediate.dense"), shape.intermediate, hidden),
        (names::DOWN, format!("{stem}.output.dense"), hidden, shape.intermediate),
    ] {
        let matrix = weights.matrix(&format!("{source}.weight"), &[outputs, inputs])?;
        let bias = weights.matrix(&format!("{source}.bias"), &[outputs])?;
        push(part, inputs, &matrix, &bias);
    }
    for (part, source) in [
        (names::ATTENTION_NORM, format!("{attention}.output.LayerNorm")),
        (names::OUT_NORM, format!("{stem}.output.LayerNorm")),
    ] {
        let norm = weights.norm(&source, hidden)?;
        sections.push(Section::new(names::of_layer(layer, part), Encoding::Float32, hidden, &norm));
    }
    Ok(())
}

/// The weights of a linear layer in the numbers and the layout of its class.
fn push_matrix(
    sections: &mut Vec<Section>,
    layer: usize,
    part: &str,
    inputs: usize,
    matrix: &[f32],
    numerics: Numerics,
) {
    let name = |suffix: &str| names::of_layer(layer, &format!("{part}{suffix}"));
    if numerics != Numerics::Int8 {
        sections.push(Section::new(name(""), Encoding::Float32, PANEL, &panels(matrix, inputs)));
        return;
    }
    let made = quantise_weights(matrix, inputs);
    let outputs = made.scales.len();
    sections.push(Section::new(name(""), Encoding::Int8, ChannelWeights::COLUMNS, &made.weights));
    sections.push(Section::new(name(SCALES_SUFFIX), Encoding::Float32, outputs, &made.scales));
    sections.push(Section::new(name(TOTALS_SUFFIX), Encoding::Signed32, outputs, &made.totals));
}

/// `matrix` has a row of `inputs` numbers for every output. The result has, for every panel of
/// [`PANEL`] outputs, a row of that many numbers for every input.
fn panels(matrix: &[f32], inputs: usize) -> Vec<f32> {
    let mut laid_out = Vec::with_capacity(matrix.len());
    for panel in matrix.chunks_exact(PANEL * inputs) {
        for input in 0..inputs {
            laid_out.extend((0..PANEL).map(|output| panel[output * inputs + input]));
        }
    }
    laid_out
}

/// The table of words is half the file and read a row at a time, so it is kept in half precision:
/// the error, 2^-12 of each number, is far below what moves a ranking (cosine above 0.99999).
fn half_precision(name: &str, columns: usize, numbers: &[f32]) -> Result<Section, String> {
    let halves: Vec<u16> = numbers.iter().map(|number| half::f16::from_f32(*number).to_bits()).collect();
    if halves.iter().any(|bits| !half::f16::from_bits(*bits).is_finite()) {
        return Err("its table of words holds numbers beyond half precision".into());
    }
    Ok(Section::new(name, Encoding::Float16, columns, &halves))
}
