//! The forward pass: right by an independent program, and the same with every kernel and in every company.

use bethink_embed::{EmbedError, Embedder, Kernel, Numerics, kernels_available, open, open_with};
use proptest::prelude::*;

use crate::tiny;

/// Kernels in single precision round differently; this is far below what moves a ranking.
const TOLERANCE: f32 = 1e-4;
/// What every other kernel must reach against the plain one where bfloat16 or bytes are used: a byte that
/// falls to the other side of a step moves all that follows a little. The real model reaches more (see
/// `reference`); this one has weights of noise, which rounding hurts most.
const LEAST_COSINE: f64 = 0.999;
/// What bytes must reach against single precision with this model of noise.
const LEAST_COSINE_OF_BYTES: f64 = 0.99;

fn texts() -> Vec<String> {
    let words = ["a", "be", "cat", "dogs", "hello, world!", "the quick brown fox", "zebra?", "x y z x y z x y z x y"];
    let mut texts: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    // Every count of tokens from the fewest to the limit and beyond: tiles of all sizes occur.
    texts.extend((1..40).map(|count| vec!["q"; count].join(" ")));
    texts.extend((1..40).map(|count| "abcdefghijklmnopqrstuvwxyz"[..count.min(26)].to_owned()));
    texts
}

fn embed(model: &dyn Embedder, texts: &[String]) -> Vec<Vec<f32>> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    model.embed_passages(&texts).into_iter().map(Result::unwrap).collect()
}

/// The vector of a passage that is embedded by itself.
fn alone(model: &dyn Embedder, text: &str) -> Vec<f32> {
    model.embed_passages(&[text]).remove(0).unwrap()
}

fn assert_close(left: &[f32], right: &[f32], what: &str) {
    assert_eq!(left.len(), right.len());
    for (x, y) in left.iter().zip(right) {
        assert!((x - y).abs() < TOLERANCE, "{what}: {x} and {y}");
    }
}

/// The numbers come from a NumPy program in double precision that makes the same weights.
#[test]
fn gives_the_vectors_of_an_independent_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = tiny::encoder(folder.path());
    let expected: [(&str, [f32; 8]); 3] = [
        ("a", [-0.097308, -0.040692, -0.127407, -0.205337, -0.051118, -0.043861, -0.031521, 0.058324]),
        ("hello world", [-0.198534, -0.040962, -0.222651, -0.050960, 0.004137, -0.057419, -0.072650, -0.024810]),
        (
            "the quick brown fox jumps over the lazy dog again and again",
            [-0.212642, -0.019289, -0.266188, -0.083578, -0.019099, -0.106794, -0.114934, -0.025851],
        ),
    ];
    for kernel in kernels_available() {
        let model = open_with(&path, kernel).unwrap();
        for (text, beginning) in &expected {
            let vector = model.embed_query(text).unwrap();
            assert_eq!(vector.len(), tiny::HIDDEN);
            assert_close(&vector[..8], beginning, &format!("{kernel} {text}"));
        }
    }
}

#[test]
fn every_kernel_agrees_with_the_plain_one() {
    let folder = tempfile::tempdir().unwrap();
    for path in tiny::encoders(folder.path()) {
        let plain = open_with(&path, Kernel::Plain).unwrap();
        let is_single = plain.spec().numerics == Numerics::Float32;
        let expected = embed(&*plain, &texts());
        for kernel in kernels_available() {
            let vectors = embed(&*open_with(&path, kernel).unwrap(), &texts());
            for ((left, right), text) in expected.iter().zip(&vectors).zip(texts()) {
                if is_single && kernel != Kernel::Amx {
                    assert_close(left, right, &format!("{kernel} {text}"));
                } else {
                    let cosine = tiny::cosine(left, right);
                    assert!(cosine > LEAST_COSINE, "{kernel} {text}: {cosine}");
                }
            }
        }
    }
}

#[test]
fn bytes_are_near_single_precision_and_never_mistaken_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let [single, bytes] = tiny::encoders(folder.path()).map(|path| open(&path).unwrap());
    assert_eq!((single.spec().numerics, bytes.spec().numerics), (Numerics::Float32, Numerics::Int8));
    assert_ne!(single.spec().id, bytes.spec().id);
    for ((left, right), text) in embed(&*single, &texts()).iter().zip(embed(&*bytes, &texts())).zip(texts()) {
        let cosine = tiny::cosine(left, &right);
        assert!(cosine > LEAST_COSINE_OF_BYTES, "{text}: {cosine}");
    }
}

#[test]
fn vectors_have_unit_length_and_keep_the_order_of_the_texts() {
    let folder = tempfile::tempdir().unwrap();
    for path in tiny::encoders(folder.path()).into_iter().chain([tiny::static_table(folder.path())]) {
        let model = open(&path).unwrap();
        let together = embed(&*model, &texts());
        for (vector, text) in together.iter().zip(texts()) {
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            assert!((length - 1.0).abs() < 1e-5);
            assert_close(vector, &alone(&*model, &text), &text);
            assert!(tiny::cosine(vector, &model.embed_query(&text).unwrap()) > LEAST_COSINE, "{text}");
        }
    }
}

#[test]
fn a_text_is_cut_at_the_sequence_limit() {
    let folder = tempfile::tempdir().unwrap();
    let model = open(&tiny::encoder(folder.path())).unwrap();
    assert_eq!(model.spec().sequence_limit, tiny::SEQUENCE_LIMIT);
    let full = vec!["w"; tiny::SEQUENCE_LIMIT - 2].join(" ");
    let longer = format!("{full} and more of it");
    assert_eq!(model.embed_query(&full).unwrap(), model.embed_query(&longer).unwrap());
    let shorter = vec!["w"; tiny::SEQUENCE_LIMIT - 3].join(" ");
    assert_ne!(model.embed_query(&full).unwrap(), model.embed_query(&shorter).unwrap());
    // Far beyond the limit is no different: nothing behind it is read.
    assert_eq!(model.embed_query(&full).unwrap(), model.embed_query(&"w ".repeat(2_000_000)).unwrap());
}

#[test]
fn a_text_without_words_has_no_vector_and_disturbs_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let ([single, bytes], table) = (tiny::encoders(folder.path()), tiny::static_table(folder.path()));
    for path in [&single, &bytes, &table] {
        let model = open(path).unwrap();
        for nothing in ["", "   \n\t", "\u{200b}\u{feff}"] {
            assert!(matches!(model.embed_query(nothing), Err(EmbedError::NothingToEmbed)), "{nothing:?}");
        }
        let mixed = model.embed_passages(&["cat", "", "dog"]);
        assert!(matches!(mixed[1], Err(EmbedError::NothingToEmbed)));
        for (mixed, text) in [(&mixed[0], "cat"), (&mixed[2], "dog")] {
            assert_close(mixed.as_ref().unwrap(), &alone(&*model, text), text);
        }
        assert!(model.embed_passages(&[]).is_empty());
    }
    // A table has no vector for an unknown word; an encoder reads that there is one.
    assert!(matches!(open(&table).unwrap().embed_query("☃"), Err(EmbedError::NothingToEmbed)));
    for encoder in [single, bytes] {
        assert!(open(&encoder).unwrap().embed_query("☃").is_ok());
    }
}

#[test]
fn a_batch_larger_than_what_is_run_at_once_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    for path in tiny::encoders(folder.path()) {
        let model = open(&path).unwrap();
        let texts: Vec<String> = (0..300).map(|number| format!("{} x", "ab ".repeat(number % 23))).collect();
        for (vector, text) in embed(&*model, &texts).iter().zip(&texts) {
            assert_close(vector, &alone(&*model, text), text);
        }
    }
}

#[test]
fn a_model_serves_several_threads_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for path in tiny::encoders(folder.path()) {
        let model = open(&path).unwrap();
        let alone = embed(&*model, &texts());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(embed(&*model, &texts()), alone));
            }
        });
    }
}

#[test]
fn prefixes_of_the_manifest_are_put_before_texts() {
    let folder = tempfile::tempdir().unwrap();
    let bare = open(&tiny::encoder(folder.path())).unwrap();
    let mut files = tiny::encoder_files(&tiny::encoder_tensors(), &tiny::encoder_config());
    let prompts = br#"{"prompts": {"query": "ask ", "passage": "say "}}"#.to_vec();
    files.push(("config_sentence_transformers.json".into(), prompts));
    let prefixed = open(&tiny::build(folder.path(), "prefixed", &files)).unwrap();
    assert_eq!(prefixed.embed_query("cat").unwrap(), bare.embed_query("ask cat").unwrap());
    assert_eq!(prefixed.embed_passages(&["cat"])[0].as_ref().unwrap(), &alone(&*bare, "say cat"));
    assert_ne!(prefixed.spec().id, bare.spec().id);
    assert!(matches!(prefixed.embed_query(" "), Err(EmbedError::NothingToEmbed)));
}

#[test]
fn the_plain_kernel_is_always_there_and_missing_ones_are_refused() {
    assert_eq!(kernels_available()[0], Kernel::Plain);
    let folder = tempfile::tempdir().unwrap();
    let path = tiny::encoder(folder.path());
    for kernel in [Kernel::Avx2, Kernel::AvxVnni, Kernel::Avx512, Kernel::Avx512Vnni, Kernel::Amx] {
        let opened = open_with(&path, kernel);
        if kernels_available().contains(&kernel) {
            assert!(opened.is_ok());
        } else {
            assert!(matches!(opened, Err(EmbedError::KernelUnavailable { .. })));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn no_text_gives_anything_but_a_unit_vector_or_nothing(texts in prop::collection::vec("(?s).{0,80}", 1..6)) {
        let folder = tempfile::tempdir().unwrap();
        for path in tiny::encoders(folder.path()).into_iter().chain([tiny::static_table(folder.path())]) {
            let model = open(&path).unwrap();
            let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
            for result in model.embed_passages(&borrowed) {
                match result {
                    Ok(vector) => {
                        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
                        prop_assert!((length - 1.0).abs() < 1e-5);
                    }
                    Err(error) => prop_assert!(matches!(error, EmbedError::NothingToEmbed)),
                }
            }
        }
    }
}
