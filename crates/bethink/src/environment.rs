//! Every environment variable that bethink reads, and what follows from them.
//!
//! | variable | meaning |
//! |---|---|
//! | `BETHINK_HOME` | the data folder, instead of the platform's |
//! | `BETHINK_MODELS` | a folder of models to use beside the home's own |
//! | `BETHINK_LOG` | what to log to standard error, as `bethink_ingest=debug` |
//! | `XDG_DATA_HOME`, `XDG_CONFIG_HOME`, `HOME` | where the platform keeps data and settings |
//! | `CODEX_HOME`, `CLAUDE_CONFIG_DIR` | where those hosts keep theirs, for `bethink install` |
//! | `TZ` | the time zone, read by the time library |
//! | `NO_COLOR`, `CLICOLOR_FORCE`, `TERM` | whether to use colours |

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use bethink_core::SystemClock;
use bethink_engine::{Engine, EngineOptions, Home};
use bethink_server::install::{Launch, Places};

const HOME: &str = "BETHINK_HOME";
const MODELS: &str = "BETHINK_MODELS";
const LOG: &str = "BETHINK_LOG";

/// The hidden subcommand that reads risky files under limits.
pub const EXTRACT_WORKER: &str = "extract-worker";

fn folder(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The user's own folder.
pub fn user_home() -> Option<PathBuf> {
    env::home_dir().filter(|path| path.is_absolute())
}

/// The data folder: `BETHINK_HOME`, or the platform's.
fn data_home() -> Result<PathBuf> {
    if let Some(home) = folder(HOME) {
        return std::path::absolute(&home).with_context(|| format!("{HOME} is {}", home.display()));
    }
    let user_home =
        user_home().with_context(|| format!("there is no home folder; set {HOME} to a folder for the index"))?;
    if cfg!(target_os = "macos") {
        return Ok(user_home.join("Library/Application Support/bethink"));
    }
    if cfg!(windows) {
        let data = folder("LOCALAPPDATA").unwrap_or_else(|| user_home.join("AppData/Local"));
        return Ok(data.join("bethink"));
    }
    // A relative XDG_DATA_HOME is invalid by its specification and ignored.
    let data = folder("XDG_DATA_HOME").filter(|path| path.is_absolute());
    Ok(data.unwrap_or_else(|| user_home.join(".local/share")).join("bethink"))
}

/// Opens the engine on the data folder that the environment names.
pub fn open_engine() -> Result<Engine> {
    open_engine_at(Home::at(data_home()?), false)
}

/// Opens the engine on a data folder; one that is not the user's own uses the user's models, too.
pub fn open_engine_at(home: Home, with_users_models: bool) -> Result<Engine> {
    let executable = env::current_exe().context("cannot tell where bethink itself is")?;
    let mut model_folders: Vec<PathBuf> = folder(MODELS).into_iter().collect();
    if with_users_models {
        model_folders.push(Home::at(data_home()?).models());
    }
    let options = EngineOptions {
        home,
        user_home: user_home(),
        // A folder that was deleted under the shell still lets absolute paths work.
        working_folder: env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        model_folders,
        bundled_models: crate::bundle::MODELS,
        clock: Arc::new(SystemClock),
        zone: jiff::tz::TimeZone::system(),
        worker: Some((executable, vec![OsString::from(EXTRACT_WORKER)])),
    };
    Ok(Engine::open(options)?)
}

/// Starts logging to standard error where asked for; otherwise nothing is logged.
pub fn start_log() {
    // The protocol library logs whole messages, and no content ever enters a log.
    if let Ok(filter) = env::var(LOG)
        && let Ok(filter) = tracing_subscriber::EnvFilter::try_new(format!("{filter},rmcp=off"))
    {
        // Failing means that a log is running already, which is all that was wanted.
        let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
    }
}

/// How a host starts this program: with the data home that is in force now, if it is not the usual one.
pub fn launch() -> Result<Launch> {
    let environment = [HOME, MODELS]
        .into_iter()
        .filter_map(|name| {
            let value = std::path::absolute(folder(name)?).ok()?;
            Some((name.to_owned(), value.to_str()?.to_owned()))
        })
        .collect();
    Ok(Launch {
        program: env::current_exe().context("cannot tell where bethink itself is")?,
        arguments: vec!["mcp".to_owned()],
        environment,
    })
}

/// Where hosts keep their files.
pub fn host_places() -> Result<Places> {
    let user_home = user_home().context("there is no home folder to set a host up in")?;
    let config = if cfg!(target_os = "macos") {
        user_home.join("Library/Application Support")
    } else if cfg!(windows) {
        folder("APPDATA").unwrap_or_else(|| user_home.join("AppData/Roaming"))
    } else {
        folder("XDG_CONFIG_HOME").filter(|path| path.is_absolute()).unwrap_or_else(|| user_home.join(".config"))
    };
    Ok(Places { user_home, config, codex_home: folder("CODEX_HOME"), claude_config: folder("CLAUDE_CONFIG_DIR") })
}
