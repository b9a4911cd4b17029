//! What installing would change, worked out without changing anything.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::error::InstallError;
use super::host::{Host, Language, Launch, Places};
use super::{json, toml_file};

/// The name under which the server is entered.
pub(crate) const SERVER: &str = "bethink";

/// What happens to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is made.
    Create,
    /// The entry is added.
    Add,
    /// The entry is there and changes.
    Update,
    /// The entry is there as it should be.
    Nothing,
}

/// What installing would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// For whom.
    pub host: Host,
    /// The host's file.
    pub file: PathBuf,
    /// What happens to it.
    pub change: Change,
    /// Its text now; `None` where it is not there.
    pub before: Option<String>,
    /// Its text afterwards.
    pub after: String,
}

/// What a person would paste into the host's file.
///
/// # Errors
/// [`InstallError::PathNotText`].
pub fn snippet(host: Host, launch: &Launch) -> Result<String, InstallError> {
    let command = launch.command()?;
    Ok(match host.language() {
        Language::Json { servers, says_type } => {
            // Written member by member, because a JSON map forgets their order.
            let mut text = String::new();
            for (path, value) in entry(servers, says_type, command, launch) {
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                text = json::set(&text, &path, &value).unwrap_or(text);
            }
            text
        }
        Language::Toml => toml_file::table(command, launch),
    })
}

/// Works the change out.
///
/// # Errors
/// [`InstallError::Read`], [`InstallError::Broken`], [`InstallError::ByHand`],
/// [`InstallError::PathNotText`].
pub fn plan(host: Host, launch: &Launch, places: &Places) -> Result<Plan, InstallError> {
    let command = launch.command()?;
    let file = host.file(places);
    let before = match fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(source) => return Err(InstallError::Read { path: file, source }),
    };
    let language = host.language();
    let snippet = snippet(host, launch)?;
    let broken = |detail: String| InstallError::Broken {
        path: file.clone(),
        language: language.name(),
        detail,
        snippet: snippet.clone(),
    };
    let by_hand = |detail: String| InstallError::ByHand { path: file.clone(), detail, snippet: snippet.clone() };
    let old = before.as_deref().unwrap_or_default();
    let (after, had_entry) = match language {
        Language::Json { servers, says_type } => {
            let read = json::read(old).map_err(broken)?;
            let had_entry = read.get(servers).and_then(|servers| servers.get(SERVER)).is_some();
            let mut after = old.to_owned();
            for (path, value) in entry(servers, says_type, command, launch) {
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                after = json::set(&after, &path, &value).map_err(by_hand)?;
            }
            let now = json::read(&after).map_err(by_hand)?;
            if without_entry(read, servers) != without_entry(now, servers) {
                return Err(by_hand("an edit would change more than the entry".to_owned()));
            }
            (after, had_entry)
        }
        Language::Toml => {
            let had_entry = toml_file::has_entry(old).map_err(broken)?;
            let after = toml_file::set(old, command, launch).map_err(by_hand)?;
            (after, had_entry)
        }
    };
    let change = match (&before, had_entry) {
        (None, _) => Change::Create,
        (Some(before), _) if *before == after => Change::Nothing,
        (Some(_), true) => Change::Update,
        (Some(_), false) => Change::Add,
    };
    Ok(Plan { host, file, change, before, after })
}

/// The leaves of the entry with their paths, in the order in which they are written.
fn entry(servers: &str, says_type: bool, command: &str, launch: &Launch) -> Vec<(Vec<String>, Value)> {
    let path = |names: &[&str]| -> Vec<String> {
        [servers, SERVER].iter().chain(names).map(|name| (*name).to_owned()).collect()
    };
    let mut leaves = Vec::new();
    if says_type {
        leaves.push((path(&["type"]), json!("stdio")));
    }
    leaves.push((path(&["command"]), json!(command)));
    leaves.push((path(&["args"]), json!(launch.arguments)));
    for (name, value) in &launch.environment {
        leaves.push((path(&["env", name]), json!(value)));
    }
    leaves
}

/// What the file says beside our entry. An empty list of servers says as much as none.
fn without_entry(mut file: Map<String, Value>, servers: &str) -> Map<String, Value> {
    if let Some(Value::Object(entries)) = file.get_mut(servers) {
        entries.remove(SERVER);
        if entries.is_empty() {
            file.remove(servers);
        }
    }
    file
}
