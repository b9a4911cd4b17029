//! Model sources that are small enough to be made for each test: a BERT encoder and a static table.
//!
//! Their weights follow a formula, so that an independent program can make the same model: every tensor
//! is a linear congruential sequence seeded with the FNV hash of its name, cut to ten bits, which half
//! precision holds exactly.

use std::fs;
use std::path::{Path, PathBuf};

use bethink_embed::EncoderNumerics;

pub const HIDDEN: usize = 64;
const LAYERS: usize = 2;
const INTERMEDIATE: usize = 128;
const POSITIONS: usize = 32;
pub const SEQUENCE_LIMIT: usize = 24;
pub const STATIC_DIMENSION: usize = 8;

pub struct Tensor {
    pub name: String,
    pub shape: Vec<usize>,
    pub numbers: Vec<f32>,
}

/// Special tokens, the letters, the letters as continuations, a little punctuation.
pub fn words() -> Vec<String> {
    let letters = || 'a'..='z';
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
        .into_iter()
        .map(str::to_owned)
        .chain(letters().map(String::from))
        .chain(letters().map(|letter| format!("##{letter}")))
        .chain(".,!?".chars().map(String::from))
        .collect()
}

fn numbers(name: &str, count: usize, scale: f32) -> Vec<f32> {
    let mut state = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 22) as f32 - 512.0) / 1024.0 * scale
        })
        .collect()
}

fn tensor(name: &str, shape: &[usize]) -> Tensor {
    let count = shape.iter().product();
    let numbers = if name.ends_with("LayerNorm.weight") {
        numbers(name, count, 0.5).into_iter().map(|number| 1.0 + number).collect()
    } else {
        numbers(name, count, if name.starts_with("embeddings") { 1.0 } else { 0.5 })
    };
    Tensor { name: name.to_owned(), shape: shape.to_vec(), numbers }
}

pub fn encoder_tensors() -> Vec<Tensor> {
    let mut tensors = vec![
        tensor("embeddings.word_embeddings.weight", &[words().len(), HIDDEN]),
        tensor("embeddings.position_embeddings.weight", &[POSITIONS, HIDDEN]),
        tensor("embeddings.token_type_embeddings.weight", &[2, HIDDEN]),
        tensor("embeddings.LayerNorm.weight", &[HIDDEN]),
        tensor("embeddings.LayerNorm.bias", &[HIDDEN]),
    ];
    for layer in 0..LAYERS {
        let stem = format!("encoder.layer.{layer}");
        for (part, outputs, inputs) in [
            ("attention.self.query", HIDDEN, HIDDEN),
            ("attention.self.key", HIDDEN, HIDDEN),
            ("attention.self.value", HIDDEN, HIDDEN),
            ("attention.output.dense", HIDDEN, HIDDEN),
            ("intermediate.dense", INTERMEDIATE, HIDDEN),
            ("output.dense", HIDDEN, INTERMEDIATE),
        ] {
            tensors.push(tensor(&format!("{stem}.{part}.weight"), &[outputs, inputs]));
            tensors.push(tensor(&format!("{stem}.{part}.bias"), &[outputs]));
        }
        for part in ["attention.output.LayerNorm", "output.LayerNorm"] {
            tensors.push(tensor(&format!("{stem}.{part}.weight"), &[HIDDEN]));
            tensors.push(tensor(&format!("{stem}.{part}.bias"), &[HIDDEN]));
        }
    }
    tensors
}

pub fn encoder_config() -> serde_json::Value {
    serde_json::json!({
        "model_type": "bert", "hidden_act": "gelu", "hidden_size": HIDDEN, "num_hidden_layers": LAYERS,
        "num_attention_heads": 2, "intermediate_size": INTERMEDIATE, "layer_norm_eps": 1e-12,
    })
}

pub fn static_tensors() -> Vec<Tensor> {
    vec![tensor("embeddings", &[words().len(), STATIC_DIMENSION])]
}

/// The bytes of a safetensors file.
pub fn safetensors(tensors: &[Tensor]) -> Vec<u8> {
    let mut head = serde_json::Map::new();
    let mut data: Vec<u8> = Vec::new();
    for tensor in tensors {
        let start = data.len();
        data.extend(tensor.numbers.iter().flat_map(|number| number.to_le_bytes()));
        head.insert(
            tensor.name.clone(),
            serde_json::json!({"dtype": "F32", "shape": tensor.shape, "data_offsets": [start, data.len()]}),
        );
    }
    let head = serde_json::to_vec(&head).unwrap();
    [&(head.len() as u64).to_le_bytes()[..], &head, &data].concat()
}

/// The files of an encoder's folder.
pub fn encoder_files(tensors: &[Tensor], config: &serde_json::Value) -> Vec<(String, Vec<u8>)> {
    vec![
        ("model.safetensors".into(), safetensors(tensors)),
        ("config.json".into(), config.to_string().into_bytes()),
        ("vocab.txt".into(), words().join("\n").into_bytes()),
        ("sentence_bert_config.json".into(), format!("{{\"max_seq_length\": {SEQUENCE_LIMIT}}}").into_bytes()),
    ]
}

/// The files of a static model's folder.
pub fn static_files(tensors: &[Tensor]) -> Vec<(String, Vec<u8>)> {
    vec![
        ("model.safetensors".into(), safetensors(tensors)),
        ("config.json".into(), br#"{"model_type": "model2vec"}"#.to_vec()),
        ("vocab.txt".into(), words().join("\n").into_bytes()),
    ]
}

pub fn write_folder(folder: &Path, files: &[(String, Vec<u8>)]) {
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// A container of the tiny encoder within `folder`.
pub fn encoder(folder: &Path) -> PathBuf {
    build(folder, "tiny-encoder", &encoder_files(&encoder_tensors(), &encoder_config()))
}

/// A container of the tiny encoder in these numbers within `folder`.
pub fn encoder_in(folder: &Path, numerics: EncoderNumerics) -> PathBuf {
    let source = folder.join("sources").join("tiny-encoder");
    write_folder(&source, &encoder_files(&encoder_tensors(), &encoder_config()));
    let into = folder.join(format!("{numerics:?}"));
    let manifests = bethink_embed::import_as(&source, &into, numerics).unwrap();
    into.join(manifests[0].file_name())
}

/// Both classes of numerics of the tiny encoder.
pub fn encoders(folder: &Path) -> [PathBuf; 2] {
    [EncoderNumerics::Single, EncoderNumerics::Int8].map(|numerics| encoder_in(folder, numerics))
}

/// A container of the tiny table within `folder`.
pub fn static_table(folder: &Path) -> PathBuf {
    build(folder, "tiny-table", &static_files(&static_tensors()))
}

/// Writes the files as a model source of that name within `folder`, and imports it.
pub fn build(folder: &Path, name: &str, files: &[(String, Vec<u8>)]) -> PathBuf {
    let source = folder.join("sources").join(name);
    write_folder(&source, files);
    let manifests = bethink_embed::import(&source, folder).unwrap();
    assert_eq!(manifests.len(), 1);
    folder.join(manifests[0].file_name())
}

pub fn cosine(left: &[f32], right: &[f32]) -> f64 {
    assert_eq!(left.len(), right.len());
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    product(left, right) / (product(left, left) * product(right, right)).sqrt()
}
