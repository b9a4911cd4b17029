//! Sources of models as they are found in the world.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use bethink_embed::{EmbedError, Pooling, Tier, import, open, verify};

use crate::tiny;
use crate::tiny::Tensor;

fn archive(path: &Path, files: &[(String, Vec<u8>)]) {
    let mut writer = zip::ZipWriter::new(fs::File::create(path).unwrap());
    for (name, bytes) in files {
        writer.start_file(name.as_str(), zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
}

fn within(folder: &str, files: Vec<(String, Vec<u8>)>) -> Vec<(String, Vec<u8>)> {
    files.into_iter().map(|(name, bytes)| (format!("{folder}{name}"), bytes)).collect()
}

fn encoder_files() -> Vec<(String, Vec<u8>)> {
    tiny::encoder_files(&tiny::encoder_tensors(), &tiny::encoder_config())
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect())
        .unwrap_or_default();
    names.sort();
    names
}

#[test]
fn a_wheel_with_two_models_deep_within_gives_both() {
    let folder = tempfile::tempdir().unwrap();
    let wheel = folder.path().join("some_package-1.2.3-py3-none-any.whl");
    let mut files = within("some_package/_vendor/tiny-table/", tiny::static_files(&tiny::static_tensors()));
    files.extend(within("some_package/models/Tiny Encoder/", encoder_files()));
    files
        .push(("some_package/models/Tiny Encoder/README.md".into(), b"---\nlicense: apache-2.0\n---\n# Card".to_vec()));
    files.push(("some_package/__init__.py".into(), b"import nothing".to_vec()));
    let metadata = "Metadata-Version: 2.4\nName: some-package\nVersion: 1.2.3\nLicense: MIT\n\nName: not this one";
    files.push(("some_package-1.2.3.dist-info/METADATA".into(), metadata.as_bytes().to_vec()));
    archive(&wheel, &files);
    let into = folder.path().join("models");
    let mut manifests = import(&wheel, &into).unwrap();
    manifests.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(
        manifests.iter().map(|manifest| manifest.name.as_str()).collect::<Vec<_>>(),
        ["tiny-encoder", "tiny-table"]
    );
    assert_eq!(manifests.iter().map(|manifest| manifest.licence.as_str()).collect::<Vec<_>>(), ["apache-2.0", "MIT"]);
    assert_eq!(manifests.iter().map(|manifest| manifest.tier).collect::<Vec<_>>(), [Tier::Transformer, Tier::Static]);
    for manifest in &manifests {
        assert_eq!((manifest.source.package.as_str(), manifest.source.version.as_str()), ("some-package", "1.2.3"));
        assert_eq!(&verify(&into.join(manifest.file_name())).unwrap(), manifest);
    }
    assert_eq!(names(&into), ["tiny-encoder.bethink-model", "tiny-table.bethink-model"]);
}

#[test]
fn folder_archive_and_file_give_one_model() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("tiny");
    tiny::write_folder(&source, &encoder_files());
    let zip = folder.path().join("tiny.zip");
    archive(&zip, &within("tiny/", encoder_files()));
    let ids: Vec<_> = [source.clone(), zip, source.join("model.safetensors")]
        .iter()
        .map(|source| import(source, &folder.path().join("models")).unwrap()[0].id.clone())
        .collect();
    assert_eq!(ids[0], ids[1]);
    assert_eq!(ids[0], ids[2]);
}

#[test]
fn names_of_older_weights_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let usual = open(&tiny::encoder(folder.path())).unwrap().embed_query("hello world").unwrap();
    let mut tensors = tiny::encoder_tensors();
    for tensor in &mut tensors {
        tensor.name = format!("bert.{}", tensor.name)
            .replace("LayerNorm.weight", "LayerNorm.gamma")
            .replace("LayerNorm.bias", "LayerNorm.beta");
    }
    tensors.push(Tensor { name: "cls.predictions.bias".into(), shape: vec![1], numbers: vec![0.0] });
    let path = tiny::build(folder.path(), "older", &tiny::encoder_files(&tensors, &tiny::encoder_config()));
    assert_eq!(open(&path).unwrap().embed_query("hello world").unwrap(), usual);
}

#[test]
fn pooling_by_the_first_token_is_read_and_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mean = open(&tiny::encoder(folder.path())).unwrap();
    let mut files = encoder_files();
    files.push((
        "1_Pooling/config.json".into(),
        br#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#.to_vec(),
    ));
    let first = open(&tiny::build(folder.path(), "first", &files)).unwrap();
    assert_eq!((mean.spec().pooling, first.spec().pooling), (Pooling::Mean, Pooling::Cls));
    assert_ne!(mean.spec().id, first.spec().id);
    assert_ne!(mean.embed_query("hello").unwrap(), first.embed_query("hello").unwrap());
    files.last_mut().unwrap().1 = br#"{"pooling_mode_max_tokens": true}"#.to_vec();
    assert_refused(folder.path(), &files, "pooling_mode_max_tokens");
}

/// A table with one row for several words, and a weight a word, is that table multiplied out.
#[test]
fn shared_rows_and_weights_of_a_table_are_multiplied_in() {
    let folder = tempfile::tempdir().unwrap();
    let words = tiny::words().len();
    let mut tensors = tiny::static_tensors();
    tensors.push(Tensor {
        name: "weights".into(),
        shape: vec![words],
        numbers: (0..words).map(|word| 1.0 + word as f32).collect(),
    });
    let weighted = open(&tiny::build(folder.path(), "weighted", &tiny::static_files(&tensors))).unwrap();
    let plain = open(&tiny::static_table(folder.path())).unwrap();
    let (a, b) = (plain.embed_query("a").unwrap(), plain.embed_query("b").unwrap());
    assert!(tiny::cosine(&a, &weighted.embed_query("a").unwrap()) > 0.99999);
    let row = |letter: char| {
        let token = words_index(letter);
        tiny::static_tensors()[0].numbers[token * tiny::STATIC_DIMENSION..][..tiny::STATIC_DIMENSION].to_vec()
    };
    let weight = |letter: char| 1.0 + words_index(letter) as f32;
    let sum: Vec<f32> = row('a').iter().zip(&row('b')).map(|(x, y)| x * weight('a') + y * weight('b')).collect();
    assert!(tiny::cosine(&sum, &weighted.embed_query("a b").unwrap()) > 0.9999);
    assert!(tiny::cosine(&a, &b) < 0.99);
}

fn words_index(letter: char) -> usize {
    tiny::words().iter().position(|word| *word == letter.to_string()).unwrap()
}

/// The source is refused with a message that names it and holds `reason`, and nothing is left behind.
fn assert_refused(folder: &Path, files: &[(String, Vec<u8>)], reason: &str) {
    let source = folder.join("refused");
    let _none = fs::remove_dir_all(&source);
    tiny::write_folder(&source, files);
    let into = folder.join("refused-models");
    let error = import(&source, &into).unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, EmbedError::Unsupported { .. }), "{message}");
    assert!(
        message.contains(reason) && message.contains("refused") && message.contains("bethink models add"),
        "{message}"
    );
    assert_eq!(names(&into), [""; 0]);
}

#[test]
fn models_that_would_be_run_wrongly_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    for (key, value, reason) in [
        ("model_type", "roberta".into(), "roberta"),
        ("hidden_act", "relu".into(), "relu"),
        ("position_embedding_type", "relative_key".into(), "relative_key"),
        ("num_attention_heads", 3.into(), "heads"),
        ("num_attention_heads", 0.into(), "heads"),
        ("num_hidden_layers", 3.into(), "encoder.layer.2"),
        ("num_hidden_layers", 4_000_000_000_u64.into(), "num_hidden_layers"),
        ("intermediate_size", 64.into(), "intermediate"),
        ("hidden_size", serde_json::Value::Null, "hidden_size"),
    ] {
        let mut config = tiny::encoder_config();
        config[key] = value;
        assert_refused(folder.path(), &tiny::encoder_files(&tiny::encoder_tensors(), &config), reason);
    }
    let mut tensors = tiny::encoder_tensors();
    tensors[3].numbers[5] = f32::NAN;
    assert_refused(folder.path(), &tiny::encoder_files(&tensors, &tiny::encoder_config()), "LayerNorm");
    let mut files = encoder_files();
    files.retain(|(name, _)| name != "vocab.txt");
    assert_refused(folder.path(), &files, "vocab.txt");
    files.push(("vocab.txt".into(), (tiny::words().join("\n") + "\nextra").into_bytes()));
    assert_refused(folder.path(), &files, "vocabulary");
    let mut files = encoder_files();
    files[0].1.truncate(5000);
    assert_refused(folder.path(), &files, "outside");
}

#[test]
fn sources_without_a_model_say_what_was_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(&text, "notes").unwrap();
    let zip = folder.path().join("code.whl");
    archive(&zip, &[("code/__init__.py".to_owned(), Vec::new())]);
    for source in [&empty, &text, &zip] {
        let error = import(source, folder.path()).unwrap_err();
        assert!(matches!(error, EmbedError::NoModelInside { .. }), "{error}");
    }
    assert!(matches!(import(&folder.path().join("gone"), folder.path()), Err(EmbedError::NotFound { .. })));
    let broken = folder.path().join("broken.whl");
    fs::write(&broken, b"PK\x03\x04 and then nothing of use").unwrap();
    assert!(import(&broken, folder.path()).is_err());
}

#[test]
fn one_model_that_cannot_be_used_does_not_hide_one_that_can() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source");
    tiny::write_folder(&source.join("good"), &encoder_files());
    tiny::write_folder(&source.join("bad"), &[("adapter.safetensors".to_owned(), b"no weights".to_vec())]);
    let manifests = import(&source, &folder.path().join("models")).unwrap();
    assert_eq!(manifests.len(), 1);
    assert_eq!(manifests[0].name, "good");
}

#[test]
fn importing_again_replaces_and_leaves_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("tiny");
    tiny::write_folder(&source, &encoder_files());
    let into = folder.path().join("models");
    let first = import(&source, &into).unwrap();
    let opened: PathBuf = into.join(first[0].file_name());
    let model = open(&opened).unwrap();
    let before = model.embed_query("hello").unwrap();
    assert_eq!(import(&source, &into).unwrap(), first);
    // The old file stays mapped until it is let go.
    assert_eq!(model.embed_query("hello").unwrap(), before);
    assert_eq!(names(&into), [first[0].file_name()]);
}
