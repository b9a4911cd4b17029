//! The protocol: handshakes, nonsense, several requests at once, cancelling, and leaving (case F24).

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, leaves_when_nobody_listens, text};

/// What a request of the protocol without handshake carries.
fn metadata() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn a_second_request_with_the_id_of_one_in_hand_is_refused() {
    let mut client = Client::ready();
    let call = |id: i64, query: &str| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": "semantic_grep", "arguments": { "query": query } } })
        .to_string()
    };
    client.write(&call(77, "sleep 300 first"));
    client.write(&call(77, "second"));
    let refused = client.next();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(77), &json!(-32600)), "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("id of its own"), "{refused}");
    let first = client.next();
    assert_eq!(first["id"], 77, "{first}");
    assert_eq!(first["result"]["structuredContent"]["summary"]["query"], "sleep 300 first");
    // Once it is answered the id is free, however unwise that is.
    client.write(&call(77, "third"));
    assert_eq!(client.next()["result"]["structuredContent"]["summary"]["query"], "third");
}

#[test]
fn the_handshake_names_the_server_and_teaches() {
    let mut client = Client::silent(&[]);
    let result = client.handshake("2025-11-25");
    assert_eq!(result["protocolVersion"], "2025-11-25");
    assert_eq!(result["serverInfo"]["name"], "bethink");
    assert_eq!(result["serverInfo"]["version"], "1.2.3");
    assert!(result["instructions"].as_str().unwrap().contains("semantic_grep"));
    assert!(result["capabilities"]["tools"].is_object());
    assert!(result["capabilities"]["prompts"].is_object());
}

#[test]
fn older_clients_keep_their_revision_and_unknown_ones_get_the_newest_with_a_handshake() {
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut client = Client::silent(&[]);
        assert_eq!(client.handshake(asked)["protocolVersion"], given);
        assert_eq!(client.ask("tools/list", json!({}))["tools"].as_array().unwrap().len(), 10);
    }
}

#[test]
fn the_revision_without_a_handshake_is_served() {
    let mut client = Client::silent(&[]);
    let found = client.ask("server/discover", json!({ "_meta": metadata() }));
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    let result = client
        .ask("tools/call", json!({ "name": "semantic_grep", "arguments": { "query": "jaw" }, "_meta": metadata() }));
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["isError"], false);
}

#[test]
fn the_handshake_does_not_wait_for_the_engine() {
    // Opening takes a minute here, longer than the client's patience.
    let mut client = Client::silent(&["slow-open"]);
    client.handshake("2025-11-25");
    client.ask("tools/list", json!({}));
    client.ask("prompts/list", json!({}));
    // Nor does leaving wait for it.
    client.send("tools/call", json!({ "name": "index_status" }));
    let (status, rest, elapsed) = client.close();
    assert!(status.success());
    assert_eq!(rest, Vec::<Value>::new());
    assert!(elapsed < Duration::from_secs(25), "{elapsed:?}");
}

#[test]
fn nonsense_is_answered_and_the_next_line_is_read() {
    let mut client = Client::silent(&[]);
    // Before the handshake …
    client.write("hello");
    assert_eq!(client.next()["error"]["code"], -32700);
    client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
    client.write(&json!({ "jsonrpc": "2.0", "id": "early", "method": "tools/list" }).to_string());
    let early = client.next();
    assert_eq!(early["id"], "early");
    assert!(early["error"].is_object());
    client.handshake("2025-11-25");
    // … and after it.
    for (line, code) in [
        ("garbage", -32700),
        ("{\"jsonrpc\":\"2.0\",\"id\":", -32700),
        ("[]", -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"no/such\"}", -32601),
        ("{\"jsonrpc\":\"2.0\",\"id\":78,\"method\":\"tools/call\",\"params\":{\"name\":5}}", -32602),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":79,\"method\":\"tools/call\",\"params\":{\"name\":\"find_file\",\"arguments\":[]}}",
            -32602,
        ),
        ("{\"jsonrpc\":\"2.0\",\"id\":80,\"method\":\"tools/call\",\"params\":{\"name\":\"nope\"}}", -32602),
        ("{\"jsonrpc\":\"2.0\",\"id\":81,\"method\":\"prompts/get\",\"params\":{\"name\":\"nope\"}}", -32602),
    ] {
        client.write(line);
        let answer = client.next();
        assert_eq!(answer["error"]["code"], code, "{line} -> {answer}");
        if let Some(id) = serde_json::from_str::<Value>(line).ok().and_then(|line| line["id"].as_i64()) {
            assert_eq!(answer["id"], id, "{line} -> {answer}");
        }
    }
    // Blank lines and notifications that nobody knows are passed over.
    client.write("");
    client.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard\"}");
    assert_eq!(client.call("semantic_grep", json!({ "query": "jaw" }))["isError"], false);
}

#[test]
fn a_line_of_ten_megabytes_is_refused_and_the_next_is_read() {
    let mut client = Client::ready();
    let query = "x".repeat(10 << 20);
    let params = json!({ "name": "semantic_grep", "arguments": { "query": query } });
    client.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":900,\"method\":\"tools/call\",\"params\":{params}}}"));
    let refused = client.next();
    assert_eq!((&refused["error"]["code"], &refused["id"]), (&json!(-32600), &json!(900)));
    assert_eq!(client.call("semantic_grep", json!({ "query": "jaw" }))["isError"], false);
}

#[test]
fn two_at_once_are_both_answered_and_the_quick_one_first() {
    let mut client = Client::ready();
    let slow = client.send("tools/call", json!({ "name": "semantic_grep", "arguments": { "query": "sleep 1500" } }));
    let quick = client.send("tools/call", json!({ "name": "find_file", "arguments": { "query": "acme" } }));
    assert_eq!(client.next()["id"], quick);
    assert_eq!(client.next()["id"], slow);
}

#[test]
fn a_cancelled_request_is_not_answered() {
    let mut client = Client::ready();
    let cancelled =
        client.send("tools/call", json!({ "name": "semantic_grep", "arguments": { "query": "sleep 800" } }));
    client.cancel(cancelled);
    // Another that ends later is answered, and nothing came before it.
    let later = client.send("tools/call", json!({ "name": "semantic_grep", "arguments": { "query": "sleep 1600" } }));
    assert_eq!(client.next()["id"], later);
    let (status, rest, _) = client.close();
    assert!(status.success());
    assert_eq!(rest, Vec::<Value>::new());
}

#[test]
fn more_requests_than_places_are_all_answered() {
    let mut client = Client::ready();
    let mut ids: Vec<i64> = (0..20)
        .map(|_| client.send("tools/call", json!({ "name": "semantic_grep", "arguments": { "query": "sleep 20" } })))
        .collect();
    let mut answered: Vec<i64> = (0..20).map(|_| client.next()["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    answered.sort_unstable();
    assert_eq!(answered, ids);
}

#[test]
fn when_the_input_closes_the_process_leaves_whatever_is_running() {
    let mut client = Client::ready();
    client.send("tools/call", json!({ "name": "semantic_grep", "arguments": { "query": "sleep 60000" } }));
    let (status, rest, elapsed) = client.close();
    assert!(status.success());
    assert_eq!(rest, Vec::<Value>::new());
    // The promise is a second; the bound here only tells leaving from waiting for the minute.
    assert!(elapsed < Duration::from_secs(25), "{elapsed:?}");
}

#[test]
fn requests_that_are_piped_in_are_answered_before_leaving() {
    let mut client = Client::silent(&[]);
    let id = client.send(
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } }),
    );
    let call = client.send("tools/call", json!({ "name": "semantic_grep", "arguments": { "query": "sleep 100" } }));
    let (status, rest, _) = client.close();
    assert!(status.success());
    let ids: Vec<i64> = rest.iter().map(|message| message["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, [id, call]);
}

#[test]
fn a_client_that_says_nothing_and_goes_leaves_no_process() {
    let (status, rest, _) = Client::silent(&[]).close();
    assert!(status.success());
    assert_eq!(rest, Vec::<Value>::new());
}

#[test]
fn the_guide_is_a_prompt() {
    let mut client = Client::ready();
    assert_eq!(client.ask("prompts/list", json!({}))["prompts"][0]["name"], "how-to-search");
    let prompt = client.ask("prompts/get", json!({ "name": "how-to-search" }));
    assert!(prompt["messages"][0]["content"]["text"].as_str().unwrap().contains("punch force"));
}

#[test]
fn what_panics_inside_is_an_answer_and_the_server_goes_on() {
    let mut client = Client::ready();
    let result = client.call("semantic_grep", json!({ "query": "panic" }));
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("bethink doctor"));
    assert_eq!(client.call("semantic_grep", json!({ "query": "jaw" }))["isError"], false);
}

#[test]
fn when_nobody_reads_the_output_the_process_leaves() {
    assert!(leaves_when_nobody_listens());
}
