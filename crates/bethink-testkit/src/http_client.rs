//! An HTTP client for tests: one request a connection, over loopback, with nothing added that the test
//! did not ask for, so that hosts, origins and broken requests can be tried.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Longer than anything may take on a machine that is busy with something else. Reaching it means that
/// something hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client of one server.
#[derive(Debug, Clone)]
pub struct HttpClient {
    address: SocketAddr,
    token: Option<String>,
}

/// What was answered.
#[derive(Debug, Clone)]
pub struct HttpAnswer {
    /// The status.
    pub status: u16,
    /// The head, as it came.
    pub head: String,
    /// The body.
    pub body: String,
}

impl HttpAnswer {
    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none, which fails the test.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl HttpClient {
    /// A client that sends this token with what [`HttpClient::get`] and [`HttpClient::post`] ask.
    pub fn new(address: SocketAddr, token: Option<&str>) -> Self {
        Self { address, token: token.map(str::to_owned) }
    }

    /// Asks with GET.
    pub fn get(&self, target: &str) -> HttpAnswer {
        self.ask("GET", target, &[], "")
    }

    /// Asks with POST and a body of JSON.
    pub fn post(&self, target: &str, body: &Value) -> HttpAnswer {
        let headers = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        self.ask("POST", target, &headers, &body.to_string())
    }

    /// Asks with further headers. A `Host` among them stands instead of the usual one.
    pub fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> HttpAnswer {
        let mut head = format!("{method} {target} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        if let Some(token) = &self.token {
            head.push_str(&format!("Authorization: Bearer {token}\r\n"));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.send(format!("{head}\r\n{body}").as_bytes())
    }

    /// Sends bytes as they are and reads to the end.
    ///
    /// # Panics
    /// When the server cannot be reached or does not answer, which fails the test.
    pub fn send(&self, bytes: &[u8]) -> HttpAnswer {
        let mut stream = TcpStream::connect(self.address).unwrap_or_else(|error| panic!("{}: {error}", self.address));
        stream.set_read_timeout(Some(PATIENCE)).unwrap_or_else(|error| panic!("{error}"));
        // A server that refuses early may close before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let ended = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let Some((head, body)) = answer.split_once("\r\n\r\n") else { panic!("no answer ({ended:?}): {answer:?}") };
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        HttpAnswer {
            status: status.unwrap_or_else(|| panic!("no status: {head}")),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }
}
