//! `bethink serve` as a process: the token, the same order on every surface, refusals, and its end.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use bethink_testkit::HttpClient;
use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

/// How long is waited between two questions: answering takes processor time from the one who follows changes,
/// who is the lowest of guests.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(250);
/// How many questions are asked before the change counts as not followed: five minutes on a busy machine.
const PATIENCE: usize = 1200;

/// A server that has said where it serves.
struct Served {
    child: Child,
    address: SocketAddr,
    said: BufReader<ChildStderr>,
}

impl Served {
    fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let arguments: Vec<&str> = ["serve", "--port", "0"].iter().chain(arguments).copied().collect();
        let mut child = sandbox.command(&arguments).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let address = line.strip_prefix("serving http://").and_then(|rest| rest.split(';').next());
        let address = address.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        Self { child, address, said }
    }

    fn client(&self, sandbox: &Sandbox) -> HttpClient {
        let token = fs::read_to_string(sandbox.data_home().join("token")).unwrap();
        HttpClient::new(self.address, Some(token.trim()))
    }

    /// Ends it as a terminal or a service manager does.
    fn end(mut self, signal: &str) -> i32 {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.said, &mut rest).unwrap();
        assert!(!rest.contains("panicked"), "{rest}");
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // A test that failed leaves no process behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks until there is a hit.
fn wait_for(client: &HttpClient, word: &str) {
    let mut answer = Value::Null;
    for _ in 0..PATIENCE {
        answer = client.get(&format!("/v1/semantic_grep?query={word}")).json();
        if answer["hits"].as_array().is_some_and(|hits| !hits.is_empty()) {
            return;
        }
        std::thread::park_timeout(BETWEEN_QUESTIONS);
    }
    panic!("no hit for {word}: {answer}, {}", client.get("/v1/index_status").body);
}

fn indexed() -> Sandbox {
    let sandbox = Sandbox::new();
    for (number, animal) in ["heron", "avocet", "bittern", "heron and avocet", "godwit"].iter().enumerate() {
        sandbox.write(
            format!("birds/{number}.md"),
            format!("# Field note {number}\n\nSaw a {animal} at the pond in the morning, and rain on the lake.\n"),
        );
    }
    sandbox.write("birds/ponds.md", "Ponds where a heron stands, and a heron again: north, south, mill.\n");
    sandbox.index();
    sandbox
}

/// Places in their order, whatever surface told them.
fn places(hits: &[Value]) -> Vec<(String, u64)> {
    hits.iter().map(|hit| (hit["path"].as_str().unwrap().to_owned(), hit["line"].as_u64().unwrap_or(0))).collect()
}

#[test]
fn the_order_is_the_same_on_the_command_line_over_mcp_and_over_rest() {
    let sandbox = indexed();
    let served = Served::start(&sandbox, &[]);
    let client = served.client(&sandbox);
    let protocol = |tool: &str, arguments: Value| -> Vec<Value> {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments } });
        let answer = client.post("/mcp", &call).json();
        answer["result"]["structuredContent"]["hits"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
    };
    for (command, tool, query) in [
        ("grep", "semantic_grep", "heron at the pond"),
        ("search", "note_search", "heron at the pond"),
        ("search", "note_search", "ponds"),
        ("find", "find_file", "ponds"),
        ("grep", "semantic_grep", "godwit"),
    ] {
        let ran = sandbox.run(&[command, "--json", "-n", "5", query]);
        let lines: Vec<Value> = ran.json().into_iter().filter(|line| line["type"] == "hit").collect();
        let told = places(&lines);
        assert!(!told.is_empty(), "{query}: {ran:?}");
        let rest = client.post(&format!("/v1/{tool}"), &json!({ "query": query, "limit": 5 })).json();
        assert_eq!(places(rest["hits"].as_array().unwrap()), told, "{tool} {query} over REST");
        assert_eq!(places(&protocol(tool, json!({ "query": query, "limit": 5 }))), told, "{tool} {query} over MCP");
    }
}

#[test]
fn a_change_is_followed_while_it_serves() {
    let sandbox = indexed();
    let served = Served::start(&sandbox, &[]);
    let client = served.client(&sandbox);
    sandbox.write("birds/new.md", "A whimbrel on the mud at low tide.\n");
    wait_for(&client, "whimbrel");
    assert_eq!(served.end("-INT"), 0);
}

#[test]
fn a_database_that_is_deleted_under_it_is_built_again() {
    let sandbox = indexed();
    let served = Served::start(&sandbox, &[]);
    let client = served.client(&sandbox);
    assert_eq!(client.get("/v1/index_status").status, 200);
    for name in ["index.db", "index.db-wal", "index.db-shm"] {
        let _ = fs::remove_file(sandbox.data_home().join(name));
    }
    // The next change is when a watcher looks up.
    sandbox.write("birds/new.md", "A whimbrel on the mud at low tide.\n");
    wait_for(&client, "whimbrel");
    assert_eq!(sandbox.grep("godwit"), ["birds/4.md"], "what was there before is there again");
    assert_eq!(served.end("-INT"), 0);
}

#[test]
fn the_token_is_private_and_stays_the_same() {
    let sandbox = indexed();
    let served = Served::start(&sandbox, &["--no-watch"]);
    let file = sandbox.data_home().join("token");
    let token = fs::read_to_string(&file).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(served.client(&sandbox).get("/v1/index_status").json()["indexed"], 6);
    assert_eq!(HttpClient::new(served.address, Some("0123456789abcdef")).get("/v1/index_status").status, 401);
    assert_eq!(served.end("-TERM"), 0);
    let again = Served::start(&sandbox, &["--no-watch"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), token);
    assert_eq!(again.end("-TERM"), 0);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let refused = sandbox.run(&["serve", "--port", "0"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("others could") && refused.stderr.contains("rm '"), "{refused:?}");
}

#[test]
fn what_cannot_be_served_is_refused_with_the_next_command() {
    let sandbox = indexed();
    let refuse = |arguments: &[&str], words: &[&str]| {
        let ran: Ran = sandbox.run(arguments);
        assert_eq!(ran.code, 2, "{ran:?}");
        for word in words {
            assert!(ran.stderr.contains(word), "{word}: {ran:?}");
        }
    };
    refuse(&["serve", "--bind", "0.0.0.0"], &["other machines", "bethink serve --bind 0.0.0.0 --allow-remote"]);
    refuse(&["serve", "--bind", "::", "--port", "0"], &["--allow-remote"]);
    refuse(&["serve", "--bind", "192.0.2.1", "--allow-remote"], &["no address of this machine", "--bind 127.0.0.1"]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    refuse(&["serve", "--port", &port], &["is taken", "bethink serve --port"]);
    let served = Served::start(&sandbox, &["--no-watch"]);
    let address = served.address.to_string();
    refuse(&["serve", "--port", "0"], &["another bethink serves", &address, "BETHINK_HOME"]);
    assert_eq!(served.end("-TERM"), 0);
    // The claim falls with its process.
    let again = Served::start(&sandbox, &["--no-watch"]);
    assert_eq!(again.end("-TERM"), 0);
}

#[test]
fn an_empty_home_is_served_and_says_what_to_do() {
    let sandbox = Sandbox::new();
    let served = Served::start(&sandbox, &[]);
    let client = served.client(&sandbox);
    let answer = client.get("/v1/semantic_grep?query=anything");
    assert_eq!(
        (answer.status, answer.json()["code"].as_str().map(str::to_owned)),
        (409, Some("nothing_indexed".into()))
    );
    assert!(answer.json()["next"].as_str().unwrap().contains("bethink index"));
    assert_eq!(served.end("-INT"), 0);
}
