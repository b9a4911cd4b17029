//! `bethink models list|add|verify`.

use std::io::Write;

use anyhow::{Result, bail};
use bethink_engine::{Engine, ModelStatus, ModelTier, PdfEngineStatus};
use bethink_server::text::bytes;
use bethink_server::wire;

use crate::cli::{Models, ModelsCommand};
use crate::failure::Ended;
use crate::output;

/// Lists, adds and verifies models.
pub fn run(engine: &Engine, arguments: &Models) -> Result<Ended> {
    match arguments.command.clone().unwrap_or(ModelsCommand::List { json: false }) {
        ModelsCommand::List { json } => list(engine, json),
        ModelsCommand::Add { sources } => {
            for source in &sources {
                if let Some(library) = engine.add_pdf_engine(source)? {
                    let mut out = output::stdout();
                    writeln!(out, "added {}", library_line(&library))?;
                    writeln!(out, "    licence {}", library.licence)?;
                    writeln!(out, "    sha256 {}", library.sha256)?;
                    out.flush()?;
                    output::note("what is indexed is read anew with it by: bethink index");
                    continue;
                }
                let added = engine.add_model(source)?;
                if added.is_empty() {
                    bail!("there is no model in {} that bethink can read", source.display());
                }
                let mut out = output::stdout();
                for model in added {
                    writeln!(out, "added {}", line(&model))?;
                }
                out.flush()?;
                output::note("passages are embedded with it by: bethink index");
            }
            Ok(Ended::Well)
        }
        ModelsCommand::Verify => {
            let (models, troubles) = engine.verify_models()?;
            let mut out = output::stdout();
            for model in &models {
                writeln!(out, "well  {}", line(model))?;
            }
            let library = engine.verify_pdf_engine();
            if let Ok(Some(library)) = &library {
                writeln!(out, "well  {}", library_line(library))?;
            }
            out.flush()?;
            troubles.iter().for_each(|trouble| output::note(trouble));
            if let Err(trouble) = &library {
                output::note(&trouble.to_string());
            }
            Ok(if troubles.is_empty() && library.is_ok() { Ended::Well } else { Ended::Troubled })
        }
    }
}

fn list(engine: &Engine, json: bool) -> Result<Ended> {
    let (models, troubles) = engine.models()?;
    let mut out = output::stdout();
    if json {
        for model in &models {
            out.write_all(wire::json_line(&wire::Model::from(model)).as_bytes())?;
        }
    } else {
        for model in &models {
            writeln!(out, "{}", line(model))?;
            writeln!(out, "    from {}, licence {}", model.source, model.licence)?;
            writeln!(out, "    weights sha256 {}", model.weights_sha256)?;
        }
        if let Some(library) = engine.pdf_engine() {
            writeln!(out, "{}", library_line(&library))?;
            writeln!(out, "    licence {}", library.licence)?;
            writeln!(out, "    sha256 {}", library.sha256)?;
        }
    }
    out.flush()?;
    troubles.iter().for_each(|trouble| output::note(trouble));
    if models.is_empty() && !json {
        output::note("no model yet; search goes by words. Add one with: bethink models add FILE");
    }
    Ok(if models.is_empty() { Ended::Empty } else { Ended::Well })
}

fn library_line(library: &PdfEngineStatus) -> String {
    format!("{}  reads PDF, {}", library.name, bytes(library.size_bytes))
}

fn line(model: &ModelStatus) -> String {
    let tier = match model.tier {
        ModelTier::Static => "static",
        ModelTier::Transformer => "transformer",
    };
    let limit = match model.sequence_limit {
        0 => "no limit".to_owned(),
        limit => format!("{limit} tokens"),
    };
    format!(
        "{}  {tier}, {} dimensions, {limit}, {}, id {}",
        model.name,
        model.dimension,
        bytes(model.size_bytes),
        model.id
    )
}
