//! Containers that are whole, and containers that are not.

use std::fs;
use std::path::Path;

use bethink_embed::{EmbedError, EncoderNumerics, import, manifest, open, verify};

use crate::tiny;

/// The error of everything that reads a head; all three must agree that there is one.
fn refusal(path: &Path) -> EmbedError {
    assert!(open(path).is_err());
    assert!(verify(path).is_err());
    let error = manifest(path).unwrap_err();
    let message = error.to_string();
    assert!(message.contains(&path.display().to_string()), "{message}");
    assert!(message.contains("bethink models add"), "{message}");
    error
}

#[test]
fn a_whole_container_says_the_same_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    for path in tiny::encoders(folder.path()).into_iter().chain([tiny::static_table(folder.path())]) {
        let said = manifest(&path).unwrap();
        assert_eq!(verify(&path).unwrap(), said);
        assert_eq!(open(&path).unwrap().spec(), &said);
        assert_eq!(said.id, said.derive_id());
        assert_eq!(path.file_name().unwrap().to_str().unwrap(), said.file_name());
    }
}

#[test]
fn what_is_not_there_or_no_model_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.bethink-model");
    assert!(matches!(refusal(&missing), EmbedError::NotFound { .. }));
    for bytes in
        [&b""[..], b"BTHK", b"something else entirely, and long enough to be a head of a file of ours, is it not?"]
    {
        let path = folder.path().join("other.bethink-model");
        fs::write(&path, bytes).unwrap();
        assert!(matches!(refusal(&path), EmbedError::NotAModel { .. }));
    }
    assert!(open(folder.path()).is_err());
}

#[test]
fn another_version_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = tiny::static_table(folder.path());
    let mut bytes = fs::read(&path).unwrap();
    bytes[8] = 99;
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(refusal(&path), EmbedError::OtherVersion { found: 99, .. }));
}

#[test]
fn every_truncation_and_extension_is_seen_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = tiny::static_table(folder.path());
    let bytes = fs::read(&path).unwrap();
    let cut = folder.path().join("cut.bethink-model");
    let step = 97;
    for length in (8..200).chain((200..bytes.len()).step_by(step)) {
        fs::write(&cut, &bytes[..length]).unwrap();
        assert!(matches!(refusal(&cut), EmbedError::Damaged { .. }), "{length}");
    }
    fs::write(&cut, [&bytes[..], b"more"].concat()).unwrap();
    assert!(matches!(refusal(&cut), EmbedError::Damaged { .. }));
}

#[test]
fn every_changed_byte_is_seen_at_the_latest_by_verify() {
    let folder = tempfile::tempdir().unwrap();
    let path = tiny::static_table(folder.path());
    let bytes = fs::read(&path).unwrap();
    let changed = folder.path().join("changed.bethink-model");
    // The head in full, the rest at intervals that reach every section.
    for at in (0..1500).chain((1500..bytes.len()).step_by(61)) {
        let mut copy = bytes.clone();
        copy[at] ^= 0x41;
        fs::write(&changed, &copy).unwrap();
        assert!(verify(&changed).is_err(), "{at}");
        // Opened unverified it may give wrong vectors, and must do no worse.
        if let Ok(model) = open(&changed) {
            let _any = model.embed_passages(&["hello world", "zebra", ""]);
        }
    }
}

#[test]
fn a_damaged_encoder_is_refused_or_wrong_and_nothing_worse() {
    let folder = tempfile::tempdir().unwrap();
    let changed = folder.path().join("changed.bethink-model");
    for path in tiny::encoders(folder.path()) {
        let bytes = fs::read(&path).unwrap();
        for at in (0..bytes.len()).step_by(2311) {
            let mut copy = bytes.clone();
            copy[at..].iter_mut().take(64).for_each(|byte| *byte = 0xff);
            fs::write(&changed, &copy).unwrap();
            assert!(verify(&changed).is_err());
            if let Ok(model) = open(&changed) {
                for result in model.embed_passages(&["hello world", "zebra ☃"]) {
                    match result {
                        Ok(vector) => assert!(vector.iter().all(|number| number.is_finite())),
                        Err(error) => assert!(matches!(error, EmbedError::Damaged { .. })),
                    }
                }
            }
        }
    }
}

/// What an earlier version wrote is read: it differs in the number alone.
#[test]
fn a_container_of_the_first_version_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = tiny::encoder_in(folder.path(), EncoderNumerics::Single);
    let vector = open(&path).unwrap().embed_query("hello world").unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[8] = 1;
    let manifest_end = 96 + u64::from_le_bytes(bytes[16..24].try_into().unwrap()) as usize;
    let sections = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let head = (manifest_end + 64 * sections).next_multiple_of(64);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes[..64]);
    hasher.update(&bytes[96..head]);
    let hash = *hasher.finalize().as_bytes();
    bytes[64..96].copy_from_slice(&hash);
    fs::write(&path, &bytes).unwrap();
    assert!(verify(&path).is_ok());
    assert_eq!(open(&path).unwrap().embed_query("hello world").unwrap(), vector);
}

#[test]
fn a_container_is_imported_by_verifying_and_copying() {
    let folder = tempfile::tempdir().unwrap();
    let path = tiny::encoder(folder.path());
    let elsewhere = folder.path().join("new").join("home");
    let renamed = folder.path().join("download.bin");
    fs::copy(&path, &renamed).unwrap();
    let manifests = import(&renamed, &elsewhere).unwrap();
    assert_eq!(manifests, [manifest(&path).unwrap()]);
    assert_eq!(fs::read(elsewhere.join(manifests[0].file_name())).unwrap(), fs::read(&path).unwrap());

    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 100;
    bytes[last] ^= 1;
    fs::write(&renamed, bytes).unwrap();
    assert!(matches!(import(&renamed, &elsewhere), Err(EmbedError::Damaged { .. })));
    assert!(verify(&elsewhere.join(manifests[0].file_name())).is_ok());
}
