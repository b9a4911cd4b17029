//! Codex's TOML, edited as text: a table put at the end, or values replaced where they stand.

use toml::Table;
use toml::Value;
use toml::de::{DeTable, DeValue};

use super::host::Launch;
use super::plan::SERVER;

/// The table of all servers.
const SERVERS: &str = "mcp_servers";

/// The entry as a table of its own.
pub(crate) fn table(command: &str, launch: &Launch) -> String {
    let mut text = format!(
        "[{SERVERS}.{SERVER}]\ncommand = {}\nargs = {}\n",
        Value::String(command.to_owned()),
        arguments(launch)
    );
    if !launch.environment.is_empty() {
        text.push('\n');
        text.push_str(&environment(launch));
    }
    text
}

fn arguments(launch: &Launch) -> Value {
    Value::Array(launch.arguments.iter().cloned().map(Value::String).collect())
}

fn environment(launch: &Launch) -> String {
    let mut text = format!("[{SERVERS}.{SERVER}.env]\n");
    for (name, value) in &launch.environment {
        let key = if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
            && !name.is_empty()
        {
            name.clone()
        } else {
            Value::String(name.clone()).to_string()
        };
        text.push_str(&format!("{key} = {}\n", Value::String(value.clone())));
    }
    text
}

/// Whether the entry is there.
///
/// # Errors
/// What is wrong with the file.
pub(crate) fn has_entry(text: &str) -> Result<bool, String> {
    Ok(entry_of(&read(text)?).is_some())
}

fn read(text: &str) -> Result<Table, String> {
    text.parse::<Table>().map_err(|error| error.to_string().trim().replace('\n', " "))
}

fn entry_of(file: &Table) -> Option<&Value> {
    file.get(SERVERS)?.get(SERVER)
}

/// The file with the entry as it should be.
///
/// # Errors
/// What is in the way.
pub(crate) fn set(text: &str, command: &str, launch: &Launch) -> Result<String, String> {
    let before = read(text)?;
    let after = match entry_of(&before) {
        None => appended(text, &table(command, launch)),
        Some(_) => updated(text, command, launch)?,
    };
    let now = read(&after)?;
    let entry = entry_of(&now).ok_or("the entry would not be found again")?;
    let right = entry.get("command").and_then(Value::as_str) == Some(command)
        && entry.get("args") == Some(&arguments(launch))
        && launch
            .environment
            .iter()
            .all(|(name, value)| entry.get("env").and_then(|env| env.get(name)).and_then(Value::as_str) == Some(value));
    if !right {
        return Err("the entry would not say what it should".to_owned());
    }
    if without_entry(before) != without_entry(now) {
        return Err("an edit would change more than the entry".to_owned());
    }
    Ok(after)
}

fn without_entry(mut file: Table) -> Table {
    if let Some(Value::Table(servers)) = file.get_mut(SERVERS) {
        servers.remove(SERVER);
        if servers.is_empty() {
            file.remove(SERVERS);
        }
    }
    file
}

fn appended(text: &str, table: &str) -> String {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let table = table.replace('\n', line_end);
    let separator = match text {
        "" => String::new(),
        text if text.ends_with(&line_end.repeat(2)) => String::new(),
        text if text.ends_with('\n') => line_end.to_owned(),
        _ => line_end.repeat(2),
    };
    format!("{text}{separator}{table}")
}

/// Replaces the values that differ where they stand; what else the entry holds (a time limit, a
/// list of tools) is the user's and stays.
fn updated(text: &str, command: &str, launch: &Launch) -> Result<String, String> {
    let unplaced = || format!("[{SERVERS}.{SERVER}] lacks a value and is not a table of its own");
    let mut out = text.to_owned();
    let wanted = [("command", Value::String(command.to_owned())), ("args", arguments(launch))];
    for (name, value) in wanted {
        let file = DeTable::parse(&out).map_err(|error| error.to_string())?;
        let entry = file.get_ref().get(SERVERS).and_then(|servers| servers.get_ref().get(SERVER));
        let entry = entry.ok_or_else(unplaced)?;
        match entry.get_ref().get(name) {
            Some(old) => {
                let (range, same) = (old.span(), same(old.get_ref(), &value));
                if !same {
                    out.replace_range(range, &value.to_string());
                }
            }
            None => {
                let header = header_end(&out).ok_or_else(unplaced)?;
                let line_end = if out.contains("\r\n") { "\r\n" } else { "\n" };
                out.insert_str(header, &format!("{line_end}{name} = {value}"));
            }
        }
    }
    for (name, value) in &launch.environment {
        let file = DeTable::parse(&out).map_err(|error| error.to_string())?;
        let entry = file.get_ref().get(SERVERS).and_then(|servers| servers.get_ref().get(SERVER));
        let old_environment = entry.and_then(|entry| entry.get_ref().get("env"));
        let value = Value::String(value.clone());
        match old_environment.map(|env| env.get_ref().get(name.as_str())) {
            Some(Some(old)) => {
                let (range, same) = (old.span(), same(old.get_ref(), &value));
                if !same {
                    out.replace_range(range, &value.to_string());
                }
            }
            Some(None) => return Err(format!("its environment lacks {name}")),
            None => out = appended(&out, &environment(launch)),
        }
    }
    Ok(out)
}

/// Whether a value says already what it should, however it is written.
fn same(old: &DeValue<'_>, wanted: &Value) -> bool {
    match (old, wanted) {
        (DeValue::String(old), Value::String(wanted)) => old == wanted,
        (DeValue::Array(old), Value::Array(wanted)) => {
            old.len() == wanted.len() && old.iter().zip(wanted).all(|(old, wanted)| same(old.get_ref(), wanted))
        }
        _ => false,
    }
}

/// The end of the line that holds the entry's header, before its line end.
fn header_end(text: &str) -> Option<usize> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let bare: String = line.split('#').next()?.chars().filter(|character| !character.is_whitespace()).collect();
        if bare.replace('"', "") == format!("[{SERVERS}.{SERVER}]") {
            return Some(start + line.trim_end_matches(['\n', '\r']).len());
        }
        start += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn launch() -> Launch {
        Launch { program: "/b".into(), arguments: vec!["mcp".to_owned()], environment: Vec::new() }
    }

    #[test]
    fn the_table_is_put_at_the_end_or_its_values_replaced() {
        let table = "[mcp_servers.bethink]\ncommand = \"/b\"\nargs = [\"mcp\"]\n";
        for (before, after) in [
            ("", table.to_owned()),
            ("model = \"x\" # mine", format!("model = \"x\" # mine\n\n{table}")),
            ("[mcp_servers.other]\ncommand = 'o'\n", format!("[mcp_servers.other]\ncommand = 'o'\n\n{table}")),
            (table, table.to_owned()),
            (
                "[mcp_servers.bethink]\ncommand = '/old' # path\nargs = [\n  'mcp',\n]\nstartup_timeout_sec = 20\n[z]\n",
                "[mcp_servers.bethink]\ncommand = \"/b\" # path\nargs = [\n  'mcp',\n]\nstartup_timeout_sec = 20\n[z]\n".to_owned(),
            ),
            (
                "[ mcp_servers . bethink ] # ours\r\ncommand = '/b'\r\n",
                "[ mcp_servers . bethink ] # ours\r\nargs = [\"mcp\"]\r\ncommand = '/b'\r\n".to_owned(),
            ),
            (
                "[mcp_servers]\nbethink = { command = '/old', args = ['mcp'] }\n",
                "[mcp_servers]\nbethink = { command = \"/b\", args = ['mcp'] }\n".to_owned(),
            ),
        ] {
            let set = set(before, "/b", &launch()).unwrap();
            assert_eq!(set, after, "{before:?}");
        }
    }

    #[test]
    fn what_cannot_be_placed_is_refused() {
        for text in [
            "mcp_servers = { other = { command = 'o' } }\n",
            "[mcp_servers]\nbethink = { command = '/b' }\n",
            "mcp_servers = 3\n",
        ] {
            assert!(set(text, "/b", &launch()).is_err(), "{text}");
        }
        assert!(has_entry("x = ").is_err());
    }

    #[test]
    fn an_environment_is_added_and_kept() {
        let launch = Launch { environment: vec![("BETHINK_HOME".to_owned(), "C:\\x \"y\"".to_owned())], ..launch() };
        let once = set("a = 1\n", "/b", &launch).unwrap();
        assert_eq!(set(&once, "/b", &launch).unwrap(), once);
        let later = set("[mcp_servers.bethink]\ncommand='/b'\nargs=['mcp']\n[other]\n", "/b", &launch).unwrap();
        assert!(later.ends_with("[other]\n\n[mcp_servers.bethink.env]\nBETHINK_HOME = 'C:\\x \"y\"'\n"), "{later}");
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reader(text in any::<String>(), command in any::<String>()) {
            if let Ok(once) = set(&text, &command, &launch()) {
                prop_assert_eq!(set(&once, &command, &launch()), Ok(once.clone()));
            }
        }
    }
}
