//! Installing into hosts' files, in a home folder of its own.

use std::fs;
use std::path::Path;

use bethink_server::install::{Change, Host, InstallError, Launch, Places, apply, plan, snippet};
use insta::assert_snapshot;
use tempfile::TempDir;

fn launch() -> Launch {
    Launch { program: "/opt/bethink".into(), arguments: vec!["mcp".to_owned()], environment: Vec::new() }
}

fn places(home: &Path) -> Places {
    Places { user_home: home.to_owned(), config: home.join(".config"), codex_home: None, claude_config: None }
}

#[test]
fn every_host_is_made_to_know_the_server_once() {
    for (host, name) in Host::ALL {
        assert_eq!(Host::from_name(name).unwrap(), host);
        let home = TempDir::new().unwrap();
        let first = plan(host, &launch(), &places(home.path())).unwrap();
        assert_eq!(first.change, Change::Create);
        assert_eq!(first.after.trim(), snippet(host, &launch()).unwrap().trim());
        let applied = apply(&first).unwrap();
        assert_eq!(applied.backup, None);
        assert_eq!(fs::read_to_string(&first.file).unwrap(), first.after);
        let second = plan(host, &launch(), &places(home.path())).unwrap();
        assert_eq!(second.change, Change::Nothing, "{name}");
        assert_eq!(apply(&second).unwrap().written, None);
        // A program that has moved is an update of the same entry.
        let moved = Launch { program: "/usr/bin/bethink".into(), ..launch() };
        let third = plan(host, &moved, &places(home.path())).unwrap();
        assert_eq!(third.change, Change::Update);
        let applied = apply(&third).unwrap();
        assert_eq!(fs::read_to_string(applied.backup.unwrap()).unwrap(), first.after);
        assert!(!third.after.contains("/opt/bethink"));
        let mut names: Vec<_> =
            fs::read_dir(first.file.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.retain(|name| name.to_string_lossy().contains("new-"));
        assert!(names.is_empty(), "{names:?}");
    }
    assert!(matches!(Host::from_name("emacs"), Err(InstallError::UnknownHost { .. })));
}

#[test]
fn snippets() {
    let launch = Launch { environment: vec![("BETHINK_HOME".to_owned(), "/data".to_owned())], ..launch() };
    let all: String =
        Host::ALL.iter().map(|(host, name)| format!("# {name}\n{}\n", snippet(*host, &launch).unwrap())).collect();
    assert_snapshot!(all);
}

#[test]
fn what_else_the_file_holds_stays_to_the_byte() {
    let home = TempDir::new().unwrap();
    let file = home.path().join(".claude.json");
    let before = "{\n  \"zeta\": 1.50,\n  // mine\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }\n  },\n  \"alpha\": \"é\\u00e9\"\n}\n";
    fs::write(&file, before).unwrap();
    let made = plan(Host::Claude, &launch(), &places(home.path())).unwrap();
    assert_eq!(made.change, Change::Add);
    apply(&made).unwrap();
    let after = fs::read_to_string(&file).unwrap();
    let entry = ",\n    \"bethink\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/bethink\",\n      \"args\": [\"mcp\"]\n    }";
    assert_eq!(after.replace(entry, ""), before);
    assert_eq!(fs::read_to_string(home.path().join(".claude.json.before-bethink")).unwrap(), before);
}

#[test]
fn a_broken_file_is_left_alone_and_the_snippet_given() {
    let home = TempDir::new().unwrap();
    for (host, name, text) in
        [(Host::Cursor, ".cursor/mcp.json", "{ \"mcpServers\": "), (Host::Codex, ".codex/config.toml", "[[[")]
    {
        let file = home.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        let error = plan(host, &launch(), &places(home.path())).unwrap_err();
        assert!(matches!(error, InstallError::Broken { .. }), "{error}");
        assert!(error.to_string().contains("/opt/bethink"), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    fs::write(home.path().join(".cursor/mcp.json"), "{\"mcpServers\": []}").unwrap();
    let error = plan(Host::Cursor, &launch(), &places(home.path())).unwrap_err();
    assert!(matches!(error, InstallError::ByHand { .. }), "{error}");
}

#[test]
fn a_file_that_changed_meanwhile_is_not_overwritten() {
    let home = TempDir::new().unwrap();
    let made = plan(Host::Claude, &launch(), &places(home.path())).unwrap();
    fs::write(home.path().join(".claude.json"), "{\"new\": true}").unwrap();
    assert!(matches!(apply(&made), Err(InstallError::ChangedMeanwhile { .. })));
    assert_eq!(fs::read_to_string(home.path().join(".claude.json")).unwrap(), "{\"new\": true}");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = TempDir::new().unwrap();
    let real = home.path().join("dotfiles.json");
    fs::write(&real, "{}").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, home.path().join(".claude.json")).unwrap();
    let applied = apply(&plan(Host::Claude, &launch(), &places(home.path())).unwrap()).unwrap();
    assert!(home.path().join(".claude.json").is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("bethink"));
    for file in [&real, &applied.backup.unwrap()] {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
