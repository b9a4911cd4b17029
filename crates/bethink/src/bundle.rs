//! The models that are part of the program, with the `bundled` feature: the released binary is then
//! one file that searches by meaning offline.
//!
//! `cargo xtask bundle` builds it; the folder of containers is named by `BETHINK_BUNDLED_MODELS` at
//! compile time. Without the feature nothing is bundled, and the program is ten megabytes.

use bethink_engine::BundledModel;

/// What is bundled.
#[cfg(feature = "bundled")]
pub const MODELS: &[BundledModel] = &[
    BundledModel {
        file_name: "all-minilm-l6-v2.bethink-model",
        bytes: include_bytes!(concat!(env!("BETHINK_BUNDLED_MODELS"), "/all-minilm-l6-v2.bethink-model")),
    },
    BundledModel {
        file_name: "potion-base-8m.bethink-model",
        bytes: include_bytes!(concat!(env!("BETHINK_BUNDLED_MODELS"), "/potion-base-8m.bethink-model")),
    },
];

/// What is bundled: nothing.
#[cfg(not(feature = "bundled"))]
pub const MODELS: &[BundledModel] = &[];
