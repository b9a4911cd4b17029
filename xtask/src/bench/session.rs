//! bethink as an agent sees it: one MCP session over standard input and output, many questions.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::Bench;
use super::corpus::Corpus;
use super::measurement::{Distribution, tree_bytes};
use super::subject::{home, program};

/// The revision of the protocol that is asked for.
const PROTOCOL_REVISION: &str = "2025-11-25";
/// A server that has not answered by then is taken for dead.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a session showed.
pub struct Warm {
    /// From the process's start to the answer of the handshake.
    pub handshake: Duration,
    /// The first question: model, matrix and lexicon are opened for it.
    pub first: Duration,
    /// All later ones.
    pub later: Distribution,
    /// What the server held at the end, shared pages counted once.
    pub held_bytes: u64,
}

/// Asks the corpus's questions in one session.
pub fn warm(bench: &Bench, corpus: &Corpus) -> Result<Warm> {
    let started = Instant::now();
    let mut session = Session::open(bench)?;
    session.request(
        "initialize",
        &json!({
            "protocolVersion": PROTOCOL_REVISION,
            "capabilities": {},
            "clientInfo": {"name": "bethink-bench", "version": "1"},
        }),
    )?;
    let handshake = started.elapsed();
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    let mut walls = Vec::new();
    for query in corpus.queries.iter().take(bench.warm_queries + 1) {
        let asked = Instant::now();
        let answer = session
            .request("tools/call", &json!({"name": "semantic_grep", "arguments": {"query": query, "limit": 10}}))?;
        walls.push(asked.elapsed());
        if answer.get("isError").and_then(Value::as_bool) == Some(true) {
            bail!("semantic_grep failed: {answer}");
        }
    }
    let held_bytes = tree_bytes(session.child.id());
    let first = walls.first().copied().context("the corpus has no questions")?;
    let later = Distribution::new(walls.split_off(1))?;
    session.close()?;
    Ok(Warm { handshake, first, later, held_bytes })
}

struct Session {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Value>,
    next_id: u64,
}

impl Session {
    fn open(bench: &Bench) -> Result<Self> {
        let mut child = program(bench, &home(bench, "meaning"), true)
            .args(["mcp", "--no-watch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start `bethink mcp`")?;
        let input = child.stdin.take().context("`bethink mcp` has no standard input")?;
        let output = child.stdout.take().context("`bethink mcp` has no standard output")?;
        let (sender, answers) = channel();
        // The thread ends with the server's standard output, or when nobody listens any more.
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(std::io::Result::ok) {
                if let Ok(message) = serde_json::from_str::<Value>(&line)
                    && sender.send(message).is_err()
                {
                    break;
                }
            }
        });
        Ok(Self { child, input, answers, next_id: 1 })
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        writeln!(self.input, "{message}").context("`bethink mcp` closed its standard input")?;
        self.input.flush().context("`bethink mcp` closed its standard input")
    }

    /// Sends a request and waits for its own answer; notifications in between are passed over.
    fn request(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))?;
        loop {
            let message = self
                .answers
                .recv_timeout(PATIENCE)
                .with_context(|| format!("`bethink mcp` gave no answer to {method}"))?;
            if message.get("id").and_then(Value::as_u64) != Some(id) {
                continue;
            }
            if let Some(error) = message.get("error") {
                bail!("`bethink mcp` refused {method}: {error}");
            }
            return Ok(message.get("result").cloned().unwrap_or(Value::Null));
        }
    }

    /// Closes the standard input and sees the server go.
    fn close(mut self) -> Result<()> {
        drop(self.input);
        let asked = Instant::now();
        // The contract is one second; a benchmark is no test, so it only gives up on a server that stays.
        const LONGEST_FAREWELL: Duration = Duration::from_secs(10);
        while self.child.try_wait().context("`bethink mcp` got lost")?.is_none() {
            if asked.elapsed() > LONGEST_FAREWELL {
                self.child.kill().context("`bethink mcp` cannot be ended")?;
                self.child.wait().context("`bethink mcp` got lost")?;
                bail!("`bethink mcp` was still there {} s after its standard input closed", LONGEST_FAREWELL.as_secs());
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}
