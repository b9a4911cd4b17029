//! The real models against vectors that a NumPy program computed from the original weights in double
//! precision (`tests/data`). Skipped, and said so, on a machine without the converted models.

use std::path::PathBuf;

use bethink_embed::{EmbedError, Numerics, kernels_available, open_with};

use crate::tiny::cosine;

/// What every kernel must reach in single precision and with rows of bytes.
/// Half-precision word vectors alone give 0.9999999.
const LEAST_COSINE: f64 = 0.9999;
/// What every kernel must reach where linear layers are run in bytes, for every text and on average.
const LEAST_COSINE_OF_BYTES: f64 = 0.99;
const MEAN_COSINE_OF_BYTES: f64 = 0.997;

fn local_model(name: &str) -> Option<PathBuf> {
    // `cargo xtask test` says where; by hand, the folder in which it keeps them.
    let folder = match std::env::var_os("BETHINK_TEST_MODELS") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".cache/bethink/models"),
    };
    let path = folder.join(format!("{name}.bethink-model"));
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {} is not here (`cargo xtask test` fetches it)", path.display());
    None
}

fn texts() -> Vec<String> {
    serde_json::from_str(include_str!("../data/texts.json")).unwrap()
}

fn vectors(bytes: &[u8], dimension: usize) -> Vec<Vec<f32>> {
    let numbers: Vec<f32> =
        bytes.chunks_exact(2).map(|pair| half::f16::from_le_bytes([pair[0], pair[1]]).to_f32()).collect();
    numbers.chunks_exact(dimension).map(<[f32]>::to_vec).collect()
}

fn compare(name: &str, bytes: &[u8], dimension: usize) {
    let Some(path) = local_model(name) else { return };
    let (texts, expected) = (texts(), vectors(bytes, dimension));
    assert_eq!(texts.len(), expected.len());
    let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
    for kernel in kernels_available() {
        let model = open_with(&path, kernel).unwrap();
        let (mut least, mut sum, mut count) = (1.0f64, 0.0, 0.0);
        let runs_in_bytes = model.spec().numerics == Numerics::Int8;
        let bound = if runs_in_bytes { LEAST_COSINE_OF_BYTES } else { LEAST_COSINE };
        for ((result, expected), text) in model.embed_passages(&borrowed).iter().zip(&expected).zip(&texts) {
            match result {
                Ok(vector) => {
                    let cosine = cosine(vector, expected);
                    assert!(cosine >= bound, "{kernel}: {cosine} for {text:?}");
                    least = least.min(cosine);
                    (sum, count) = (sum + cosine, count + 1.0);
                }
                // The reference has zeros where no word is known.
                Err(error) => {
                    assert!(matches!(error, EmbedError::NothingToEmbed));
                    assert!(expected.iter().all(|number| *number == 0.0), "{text:?}");
                }
            }
        }
        let mean = sum / count;
        assert!(!runs_in_bytes || mean >= MEAN_COSINE_OF_BYTES, "{kernel}: mean {mean}");
        println!("{name} {kernel}: least cosine {least:.7}, mean {mean:.7}");
    }
}

#[test]
fn all_minilm_l6_v2() {
    compare("all-minilm-l6-v2", include_bytes!("../data/all-minilm-l6-v2.f16"), 384);
}

#[test]
fn potion_base_8m() {
    compare("potion-base-8m", include_bytes!("../data/potion-base-8m.f16"), 256);
}
