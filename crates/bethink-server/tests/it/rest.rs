//! REST over made-up answers: routes, errors, limits, MCP on the same port, and the end.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bethink_server::LazyEngine;
use bethink_server::rest::{Ending, RestOptions, serve};
use bethink_testkit::HttpClient;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::fake;

const TOKEN: &str = "a-token-of-a-test";

/// A server in this process.
struct Server {
    address: SocketAddr,
    ending: Ending,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let ending = Ending::default();
        let end = ending.clone();
        let options = RestOptions {
            engine: Arc::new(LazyEngine::new(|| Ok(fake::shared()))),
            user_home: Some("/home/kim".into()),
            zone: TimeZone::UTC,
            version: "1.2.3".to_owned(),
            token: TOKEN.to_owned(),
            hosts: Vec::new(),
        };
        let thread = thread::spawn(move || serve(listener, options, &end).unwrap());
        Self { address, ending, thread: Some(thread) }
    }

    fn client(&self) -> HttpClient {
        HttpClient::new(self.address, Some(TOKEN))
    }

    fn end(mut self) {
        self.ending.request();
        self.thread.take().unwrap().join().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ending.request();
    }
}

/// Every error has this shape, and says what to do next.
fn check_error(answer: &bethink_testkit::HttpAnswer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    let error = answer.json();
    assert_eq!(error["type"], "error", "{answer:?}");
    assert_eq!(error["code"], code, "{answer:?}");
    for field in ["message", "next"] {
        assert!(error[field].as_str().is_some_and(|text| text.len() > 10), "{answer:?}");
    }
    assert_eq!(error.as_object().unwrap().len(), 4, "{answer:?}");
    assert!(answer.head.to_lowercase().contains("cache-control: no-store"), "{answer:?}");
}

#[test]
fn a_tool_is_called_by_query_or_by_object_with_the_same_answer() {
    let server = Server::start();
    let client = server.client();
    let by_query = client.get("/v1/semantic_grep?query=jaw+%22force%22&limit=3");
    assert_eq!(by_query.status, 200, "{by_query:?}");
    let mut left = by_query.json();
    let mut right = client.post("/v1/semantic_grep", &json!({ "query": "jaw \"force\"", "limit": 3 })).json();
    for answer in [&mut left, &mut right] {
        answer["summary"].as_object_mut().unwrap().remove("elapsed_ms");
    }
    assert_eq!(left, right);
    assert_eq!(left["summary"]["query"], "jaw \"force\"");
    assert_eq!(left["hits"].as_array().unwrap().len(), 3);
    assert_eq!(left["hits"][0]["type"], "hit");
    assert_eq!(left["hits"][0]["path"], "/home/kim/notes/001.md");
    let cursor = left["cursor"].as_str().unwrap();
    let next = client.get(&format!("/v1/semantic_grep?query=jaw+%22force%22&limit=3&cursor={cursor}")).json();
    assert_eq!(next["hits"][0]["rank"], 4);
}

#[test]
fn answers_are_whole_where_an_agents_would_be_cut() {
    let server = Server::start();
    let answer = server.client().get("/v1/note_search?query=long&limit=30&explain=true").json();
    let hits = answer["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 30);
    assert!(hits.iter().all(|hit| hit["excerpt"].as_str().unwrap().len() > 1_000));
    assert_eq!(hits[0]["explanation"]["name"], "score");
    let read = server.client().get("/v1/read_around?path=/home/kim/a.pdf&line=200&context=150").json();
    assert_eq!((read["first_line"].as_u64(), read["last_line"].as_u64()), (Some(50), Some(350)));
    let status = server.client().get("/v1/index_status").json();
    assert_eq!(status["documents"], 7_207);
    let files = server.client().get("/v1/find_file?opened=yesterday&limit=40").json();
    assert_eq!(files["hits"].as_array().unwrap().len(), 40);
}

#[test]
fn text_is_given_to_whoever_asks_for_text() {
    let server = Server::start();
    let text = server.client().ask("GET", "/v1/semantic_grep?query=jaw&limit=1", &[("Accept", "text/plain")], "");
    assert!(text.body.starts_with("Strong match"), "{text:?}");
    assert!(text.body.contains("/home/kim/notes/001.md:10 (0.99) — a jaw␛[31m"), "{text:?}");
    assert!(text.head.to_lowercase().contains("content-type: text/plain"), "{text:?}");
}

#[test]
fn every_error_has_one_shape_and_a_next_step() {
    let server = Server::start();
    let client = server.client();
    check_error(&client.get("/v1/semantic_grep"), 400, "bad_arguments");
    check_error(&client.get("/v1/semantic_grep?q=a"), 400, "bad_arguments");
    check_error(&client.get("/v1/semantic_grep?query=a&query=b"), 400, "bad_arguments");
    check_error(&client.get("/v1/semantic_grep?query=a&limit=many"), 400, "bad_arguments");
    check_error(&client.get("/v1/semantic_grep?query=a&cursor=x"), 400, "bad_arguments");
    check_error(&client.get("/v1/find_file?query=a&kind=thing"), 400, "bad_arguments");
    check_error(&client.ask("POST", "/v1/find_file", &[], "[]"), 400, "bad_arguments");
    check_error(&client.ask("POST", "/v1/find_file", &[], "{\"query\""), 400, "bad_arguments");
    check_error(&client.get("/v1/semantic_grep?query=unindexed"), 409, "nothing_indexed");
    check_error(&client.get("/v1/read_around?path=/nowhere"), 404, "not_found");
    check_error(&client.get("/v1/read_around?document_id=9"), 404, "not_found");
    check_error(&client.get("/v1/semantic_grep?query=panic"), 500, "failed");
    check_error(&client.get("/v1/no_tool"), 404, "no_such_tool");
    check_error(&client.get("/v2"), 404, "no_such_route");
    check_error(&client.ask("DELETE", "/v1/find_file", &[], ""), 405, "wrong_method");
    check_error(&client.ask("POST", "/v1/find_file", &[], &"x".repeat(70_000)), 413, "too_large");
    // After all of that it still answers.
    assert_eq!(client.get("/v1/index_status").status, 200);
}

#[test]
fn nothing_is_told_without_the_token_or_to_foreign_pages() {
    let server = Server::start();
    let without = HttpClient::new(server.address, None);
    for target in ["/v1/index_status", "/openapi.json", "/mcp", "/nowhere"] {
        check_error(&without.get(target), 401, "unauthorized");
    }
    assert!(without.get("/v1/index_status").head.to_lowercase().contains("www-authenticate: bearer"));
    let front = without.get("/");
    assert_eq!(front.status, 200);
    assert!(front.body.contains("bethink") && front.body.contains("token"), "{front:?}");
    let wrong = HttpClient::new(server.address, Some("a-token-of-a-tesT"));
    check_error(&wrong.get("/v1/index_status"), 401, "unauthorized");
    let ours = server.client();
    check_error(&ours.ask("GET", "/v1/index_status", &[("Host", "evil.example")], ""), 403, "wrong_host");
    check_error(&ours.ask("POST", "/mcp", &[("Host", "evil.example")], "{}"), 403, "wrong_host");
    check_error(&ours.ask("GET", "/v1/index_status", &[("Origin", "http://evil.example")], ""), 403, "wrong_origin");
    let own = format!("http://{}", server.address);
    assert_eq!(ours.ask("GET", "/v1/index_status", &[("Origin", &own)], "").status, 200);
}

#[test]
fn the_description_and_the_front_page_name_every_tool() {
    let server = Server::start();
    let document = server.client().get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let front = server.client().get("/").body;
    let paths = document["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 10);
    for path in paths.keys() {
        assert!(front.contains(path), "{path}");
    }
}

#[test]
fn the_reference_page_names_every_tool_argument_and_error() {
    let page = include_str!("../../../../docs/reference/rest.md");
    let server = Server::start();
    let document = server.client().get("/openapi.json").json();
    for (path, operations) in document["paths"].as_object().unwrap() {
        let title = format!("### `{path}`");
        let section = page.split_once(&title).unwrap_or_else(|| panic!("{path} is missing")).1;
        let section = section.split("\n##").next().unwrap();
        let told: Vec<&str> = section
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(name, _)| name))
            .collect();
        let object = &operations["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"];
        let mut declared: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
        declared.sort_unstable();
        let mut told = told;
        told.sort_unstable();
        assert_eq!(told, declared, "{path}");
        assert_eq!(section.contains("`POST` alone"), operations["get"].is_null(), "{path}");
    }
    for code in document["components"]["schemas"]["Error"]["properties"]["code"]["description"]
        .as_str()
        .unwrap()
        .split('`')
        .skip(1)
        .step_by(2)
    {
        assert!(page.contains(&format!("| `{code}`")), "{code}");
    }
}

#[test]
fn mcp_is_served_on_the_same_port() {
    let server = Server::start();
    let client = server.client();
    let hello = client.post(
        "/mcp",
        &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" } } }),
    );
    assert_eq!(hello.status, 200, "{hello:?}");
    assert_eq!(hello.json()["result"]["serverInfo"]["name"], "bethink");
    let call = |id: u32, query: &str| {
        client.post(
            "/mcp",
            &json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": { "name": "semantic_grep", "arguments": { "query": query, "limit": 2 } } }),
        )
    };
    let answer = call(2, "jaw");
    assert_eq!(answer.status, 200, "{answer:?}");
    let hits = answer.json()["result"]["structuredContent"]["hits"].clone();
    let rest = client.get("/v1/semantic_grep?query=jaw&limit=2").json();
    assert_eq!(hits, rest["hits"], "the same answer on both");
    assert_eq!(call(3, "unindexed").json()["result"]["isError"], true);
    let tools = client.post("/mcp", &json!({ "jsonrpc": "2.0", "id": 4, "method": "tools/list" })).json();
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 10);
    let large = client.post("/mcp", &json!({ "x": "x".repeat(70_000) }));
    assert_eq!(large.status, 413, "{large:?}");
}

#[test]
fn nonsense_on_the_wire_costs_one_connection() {
    let server = Server::start();
    for bytes in
        [&b"\r\n\r\n\0\0garbage\r\n\r\n"[..], b"GET / HTTP/9.9\r\n\r\n", b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n"]
    {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    }
    let mut long = b"GET /".to_vec();
    long.resize(200_000, b'a');
    let mut stream = TcpStream::connect(server.address).unwrap();
    let _ = stream.write_all(&long);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/1.1 200"));
    assert_eq!(server.client().get("/v1/index_status").status, 200);
}

#[test]
fn connections_that_say_nothing_do_not_keep_others_out_of_the_places_left() {
    let server = Server::start();
    let idle: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    assert_eq!(server.client().get("/v1/index_status").status, 200);
    drop(idle);
}

#[test]
fn the_end_lets_answers_in_hand_go_out_and_takes_no_more() {
    let server = Server::start();
    let address = server.address;
    let client = server.client();
    let (asked, waiting) = std::sync::mpsc::channel();
    let slow = thread::spawn(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        let request = format!(
            "GET /v1/semantic_grep?query=sleep+300 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        asked.send(()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });
    waiting.recv().unwrap();
    // The slow question was sent before this one, which has been answered: it is in hand.
    assert_eq!(client.get("/v1/index_status").status, 200);
    let idle = TcpStream::connect(address).unwrap();
    let began = Instant::now();
    server.end();
    assert!(began.elapsed() < Duration::from_secs(30), "an idle connection holds nothing up");
    assert!(slow.join().unwrap().starts_with("HTTP/1.1 200"), "what was in hand went out");
    assert!(TcpStream::connect(address).is_err(), "nobody listens any more");
    drop(idle);
}

#[test]
fn questions_at_the_same_time_are_all_answered() {
    let server = Server::start();
    let answers: Vec<Value> = thread::scope(|scope| {
        let asked: Vec<_> = (0..20)
            .map(|number| {
                let client = server.client();
                scope.spawn(move || client.get(&format!("/v1/semantic_grep?query=sleep+5+{number}")).json())
            })
            .collect();
        asked.into_iter().map(|answer| answer.join().unwrap()).collect()
    });
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer["summary"]["query"], format!("sleep 5 {number}"));
    }
}
