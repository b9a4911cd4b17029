//! `bethink mcp`: the tools over standard input and output.

use std::io;
use std::sync::Arc;

use anyhow::{Context, Result};
use bethink_engine::{Engine, EngineError};
use bethink_server::mcp::{Background, ServeOptions, serve};
use bethink_server::{Answers, LazyEngine};

use crate::cli::Mcp;
use crate::environment;
use crate::failure::Ended;

/// Serves until the host closes our standard input. The handshake waits for nothing: the home is
/// opened with the first question.
pub fn run(arguments: &Mcp) -> Result<Ended> {
    let engine: Arc<Engine> = Arc::new(environment::open_engine()?);
    let answers = Arc::clone(&engine);
    let watching = Arc::clone(&engine);
    let background: Option<Background> = (!arguments.no_watch).then(|| {
        let watch: Background = Box::new(move |stop| {
            // A host starts many servers; what one of them cannot keep up, its questions still mend.
            if let Err(error) = watching.watch(&|_| {}, &stop) {
                tracing::warn!(%error, "watching ended");
            }
        });
        watch
    });
    let options = ServeOptions {
        engine: Arc::new(LazyEngine::new(move || Ok::<_, EngineError>(Arc::clone(&answers) as Arc<dyn Answers>))),
        user_home: environment::user_home(),
        zone: jiff::tz::TimeZone::system(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        host_guards: arguments.host_guards,
        background,
    };
    serve(io::stdin(), io::stdout(), options).context("cannot serve")?;
    Ok(Ended::Well)
}
