//! A client over the pipes of a child process: writes lines, reads lines.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longer than anything here may take on a machine that is busy with something else. Reaching it
/// means that something hangs.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: i64,
}

/// The server, which cargo builds beside the tests.
fn server() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let built = tests.parent().and_then(|deps| deps.parent()).unwrap();
    let server = built.join("examples").join(format!("fake_mcp{}", std::env::consts::EXE_SUFFIX));
    assert!(server.exists(), "{} is not there: build it with `cargo build --examples`", server.display());
    server
}

impl Client {
    /// A server that has not been spoken to.
    pub fn silent(arguments: &[&str]) -> Self {
        let mut child = Command::new(server())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = child.stdout.take().unwrap();
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, input, lines, next_id: 1 }
    }

    /// A server after its handshake.
    pub fn ready() -> Self {
        let mut client = Self::silent(&[]);
        client.handshake("2025-11-25");
        client
    }

    pub fn handshake(&mut self, version: &str) -> Value {
        let result = self.ask(
            "initialize",
            json!({
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "0" },
            }),
        );
        self.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        result
    }

    pub fn write(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// Sends a request and says its id.
    pub fn send(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        id
    }

    pub fn cancel(&mut self, id: i64) {
        let params = json!({ "requestId": id, "reason": "no longer wanted" });
        self.write(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }).to_string());
    }

    /// The next message, which must be protocol: nothing else may be on standard output.
    pub fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server says nothing");
        let message: Value = serde_json::from_str(&line).expect("standard output carries protocol only");
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    /// The result of a request; messages to others fail the test.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let message = self.next();
        assert_eq!(message["id"], id, "{message}");
        assert!(message.get("error").is_none(), "{message}");
        message["result"].clone()
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Closes standard input and waits for the end. Says what else was written, and how long it took.
    pub fn close(mut self) -> (ExitStatus, Vec<Value>, Duration) {
        drop(self.input.take());
        let closed = Instant::now();
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(serde_json::from_str(&line).unwrap()),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the server does not leave"),
            }
        }
        let status = self.child.wait().unwrap();
        (status, rest, closed.elapsed())
    }
}

/// Whether a server leaves whose output nobody reads any more, while its input stays open.
pub fn leaves_when_nobody_listens() -> bool {
    let mut child =
        Command::new(server()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // The answer to this cannot be written. Further lines may find the server gone already.
    let _ = input.write_all(b"garbage\n");
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        thread::park_timeout(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed leaves no process behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text of a tool's answer.
pub fn text(result: &Value) -> &str {
    assert_eq!(result["content"].as_array().unwrap().len(), 1);
    result["content"][0]["text"].as_str().unwrap()
}
