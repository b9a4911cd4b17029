//! The models that a home has: containers in its models folder, opened when a question or the write
//! path first needs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bethink_embed::{Embedder, ModelManifest, Tier as ModelFileTier};
use bethink_store::Tier;

use crate::engine::Engine;
use crate::error::{EngineError, Result};

/// Extension of a model container.
const EXTENSION: &str = "bethink-model";

/// Whether a model covers everything or sharpens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModelTier {
    /// Token vectors averaged: microseconds a passage.
    Static,
    /// A transformer: milliseconds a passage.
    Transformer,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelStatus {
    /// Its name.
    pub name: String,
    /// Its identity: vectors of two models are never compared.
    pub id: String,
    /// Its tier.
    pub tier: ModelTier,
    /// Numbers in a vector.
    pub dimension: u32,
    /// Tokens that it reads at the most; 0 where it has no limit.
    pub sequence_limit: u32,
    /// Licence.
    pub licence: String,
    /// Where its weights come from.
    pub source: String,
    /// SHA-256 of the original weights.
    pub weights_sha256: String,
    /// The container.
    pub path: PathBuf,
    /// Bytes on disk.
    pub size_bytes: u64,
}

/// The embedders of a home, each opened once a process.
#[derive(Default)]
pub(crate) struct ModelShelf {
    opened: OnceLock<Vec<OpenModel>>,
}

/// A model that is ready to embed.
#[derive(Clone)]
pub(crate) struct OpenModel {
    pub(crate) tier: Tier,
    pub(crate) embedder: Arc<dyn Embedder>,
}

impl ModelShelf {
    /// The models of the folders, static before transformer, at most one of each tier: the first by
    /// file name. A container that cannot be opened is reported and passed over: search by words must
    /// go on.
    pub(crate) fn open(&self, folders: &[PathBuf]) -> &[OpenModel] {
        self.opened.get_or_init(|| {
            let mut models: Vec<OpenModel> = Vec::new();
            for path in containers(folders) {
                match bethink_embed::open(&path) {
                    Ok(embedder) => {
                        let tier = match embedder.spec().tier {
                            ModelFileTier::Static => Tier::Static,
                            ModelFileTier::Transformer => Tier::Transformer,
                        };
                        if models.iter().all(|model| model.tier != tier) {
                            models.push(OpenModel { tier, embedder: Arc::from(embedder) });
                        }
                    }
                    Err(error) => tracing::warn!(%error, "a model was passed over"),
                }
            }
            models.sort_by_key(|model| model.tier);
            models
        })
    }
}

/// Model containers of the folders, by file name, the first folder's before the second's.
pub(crate) fn containers(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in folders {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        let mut here: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION))
            .collect();
        here.sort();
        found.extend(here);
    }
    found
}

impl Engine {
    /// Every model of this home with its manifest, and those that cannot be used with the reason.
    ///
    /// # Errors
    /// None at present; a damaged container is listed in the second part.
    pub fn models(&self) -> Result<(Vec<ModelStatus>, Vec<String>)> {
        self.manifests(bethink_embed::manifest)
    }

    /// Like [`Engine::models`], and every byte of every container is hashed.
    ///
    /// # Errors
    /// None at present; a damaged container is listed in the second part.
    pub fn verify_models(&self) -> Result<(Vec<ModelStatus>, Vec<String>)> {
        self.manifests(bethink_embed::verify)
    }

    /// Takes a model into this home: our own container, a safetensors file, a folder, or a wheel.
    ///
    /// # Errors
    /// [`EngineError::NoSuchPath`], or [`EngineError::Model`] with what is wrong with the source.
    pub fn add_model(&self, source: &Path) -> Result<Vec<ModelStatus>> {
        let source = self.absolute(source);
        if !source.exists() {
            return Err(EngineError::NoSuchPath { path: source });
        }
        self.home().create()?;
        let added = bethink_embed::import(&source, &self.home().models())?;
        let (models, _) = self.models()?;
        let ids: Vec<String> = added.iter().map(|manifest| manifest.id.0.clone()).collect();
        Ok(models.into_iter().filter(|model| ids.contains(&model.id)).collect())
    }

    fn manifests(
        &self,
        read: impl Fn(&Path) -> std::result::Result<ModelManifest, bethink_embed::EmbedError>,
    ) -> Result<(Vec<ModelStatus>, Vec<String>)> {
        self.unpack_bundled();
        let mut models = Vec::new();
        let mut troubles = Vec::new();
        for path in containers(&self.model_folders()) {
            match read(&path) {
                Ok(manifest) => models.push(ModelStatus {
                    name: manifest.name,
                    id: manifest.id.0,
                    tier: match manifest.tier {
                        ModelFileTier::Static => ModelTier::Static,
                        ModelFileTier::Transformer => ModelTier::Transformer,
                    },
                    dimension: u32::try_from(manifest.dimension).unwrap_or(u32::MAX),
                    sequence_limit: u32::try_from(manifest.sequence_limit).unwrap_or(u32::MAX),
                    licence: manifest.licence,
                    source: format!("{} {}", manifest.source.package, manifest.source.version).trim_end().to_owned(),
                    weights_sha256: manifest.source.weights_sha256,
                    size_bytes: fs::metadata(&path).map_or(0, |metadata| metadata.len()),
                    path,
                }),
                Err(error) => troubles.push(error.to_string()),
            }
        }
        Ok((models, troubles))
    }
}
