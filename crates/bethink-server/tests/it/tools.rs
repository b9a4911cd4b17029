//! The tools: their schemas, their answers, budgets and cursors.

use serde_json::{Value, json};

use crate::client::{Client, text};

/// Walks a schema and complains about what some hosts refuse.
fn lint(schema: &Value, at: &str) {
    match schema {
        Value::Object(object) => {
            assert!(!object.contains_key("format"), "format at {at}");
            if let Some(kind) = object.get("type") {
                assert!(kind.is_string(), "a choice of types at {at}: {kind}");
            }
            assert!(!object.contains_key("anyOf") && !object.contains_key("oneOf"), "a choice at {at}");
            for (name, value) in object {
                // Names of properties are no keywords.
                if name == "properties" || name == "$defs" {
                    for (property, value) in value.as_object().unwrap() {
                        lint(value, &format!("{at}/{property}"));
                    }
                } else {
                    lint(value, &format!("{at}/{name}"));
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| lint(item, at)),
        _ => {}
    }
}

/// The small part of JSON Schema that our output schemas use.
fn check(value: &Value, schema: &Value, root: &Value, at: &str) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.strip_prefix('#').unwrap()).unwrap();
        return check(value, target, root, at);
    }
    match schema["type"].as_str().unwrap_or_else(|| panic!("no type at {at}: {schema}")) {
        "object" => {
            let object = value.as_object().unwrap_or_else(|| panic!("no object at {at}"));
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(object.contains_key(name.as_str().unwrap()), "{name} is missing at {at}");
            }
            for (name, value) in object {
                let property =
                    schema["properties"].get(name).unwrap_or_else(|| panic!("{name} is not declared at {at}"));
                check(value, property, root, &format!("{at}/{name}"));
            }
        }
        "array" => {
            for item in value.as_array().unwrap_or_else(|| panic!("no array at {at}")) {
                check(item, &schema["items"], root, at);
            }
        }
        "string" => assert!(value.is_string(), "{at}: {value}"),
        "integer" => assert!(value.is_u64(), "{at}: {value}"),
        "number" => assert!(value.is_number(), "{at}: {value}"),
        "boolean" => assert!(value.is_boolean(), "{at}: {value}"),
        other => panic!("{other} at {at}"),
    }
}

/// Calls a tool, checks the answer against the declared schema, and gives it back.
fn checked(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let tools = client.ask("tools/list", json!({}))["tools"].clone();
    let declared = tools.as_array().unwrap().iter().find(|declared| declared["name"] == tool).unwrap();
    let schema = declared["outputSchema"].clone();
    let result = client.call(tool, arguments);
    assert_eq!(result["isError"], false, "{result}");
    check(&result["structuredContent"], &schema, &schema, tool);
    result
}

fn tokens(result: &Value) -> usize {
    let structured = result["structuredContent"].to_string().chars().count();
    structured.max(text(result).chars().count()).div_ceil(4)
}

#[test]
fn schemas_are_plain_and_every_tool_says_whether_it_writes() {
    let mut client = Client::ready();
    let tools = client.ask("tools/list", json!({}))["tools"].clone();
    let names: Vec<&str> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "find_file",
            "semantic_grep",
            "note_search",
            "read_around",
            "index_status",
            "grep_memory",
            "check_notebook",
            "remember",
            "pin",
            "note_upsert"
        ]
    );
    for tool in tools.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        lint(&tool["inputSchema"], name);
        lint(&tool["outputSchema"], name);
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["outputSchema"]["type"], "object");
        assert!(tool["title"].is_string());
        assert!(tool["description"].as_str().unwrap().len() < 600, "{name}");
        let hints = &tool["annotations"];
        let writes = ["remember", "pin", "note_upsert"].contains(&name);
        assert_eq!((&hints["readOnlyHint"], &hints["openWorldHint"]), (&json!(!writes), &json!(false)));
        assert_eq!((&hints["idempotentHint"], &hints["destructiveHint"]), (&json!(true), &json!(false)));
    }
    // The whole list stands before every conversation: it has a budget too.
    let inputs: usize = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["inputSchema"].to_string().len() + tool["description"].as_str().unwrap().len())
        .sum();
    assert!(inputs / 4 < 2_700, "{} tokens", inputs / 4);
    let everything = tools.to_string().len();
    assert!(everything / 4 < 7_000, "{} tokens", everything / 4);
}

#[test]
fn answers_obey_their_schemas_and_read_well() {
    let mut client = Client::ready();
    let result = checked(&mut client, "semantic_grep", json!({ "query": "jaw", "limit": 2, "within": "~/notes" }));
    let said = text(&result);
    assert_eq!(
        said.lines().next().unwrap(),
        "Strong match (searched 7,201 of 7,207 documents, only under /home/kim/notes; 6 unreadable). Read around a hit before quoting it."
    );
    assert_eq!(said.lines().nth(1).unwrap(), "/home/kim/notes/001.md:10 (0.99) — a jaw␛[31m");
    assert!(said.contains("Hidden by `within`: 2 files"));
    assert_eq!(result["structuredContent"]["hits"][0]["document_id"], 1);

    let result = checked(&mut client, "note_search", json!({ "query": "jaw", "limit": 1, "explain": true }));
    assert!(text(&result).contains("because relevance 0.90 (semantic first)"));
    assert_eq!(result["structuredContent"]["hits"][0]["explanation"]["children"][0]["name"], "relevance");

    let result = checked(&mut client, "find_file", json!({ "query": "acme memo", "opened": "yesterday", "limit": 3 }));
    let said = text(&result);
    assert!(
        said.contains("Memo 001.pptx (presentation, 1.2 MB, modified 2026-03-01, opened 2026-03-01 by recently-used)"),
        "{said}"
    );
    assert!(said.contains("home (40,000 names, not to its end)"), "{said}");

    let result = checked(&mut client, "index_status", json!({}));
    assert!(text(&result).contains("model static (static): 75 % of passages, 10,000 pending"));
    assert!(checked(&mut client, "index_status", Value::Null)["structuredContent"]["documents"].is_u64());
}

#[test]
fn none_tells_to_stop() {
    let mut client = Client::ready();
    let result = checked(&mut client, "semantic_grep", json!({ "query": "nothing at all" }));
    assert!(text(&result).starts_with("Nothing relevant to “nothing at all” (searched"));
    assert!(text(&result).contains("Do not rephrase more than once"));
    assert!(text(&result).contains("Indexed folders: /home/kim/notes."));
    assert_eq!(result["structuredContent"]["summary"]["match"], "none");
    let result = checked(&mut client, "find_file", json!({ "query": "nothing" }));
    assert!(text(&result).starts_with("No such file (looked in work folders"));
    assert!(text(&result).contains("Nearest names: /home/kim/noting.md"));
}

#[test]
fn what_cannot_be_done_says_what_to_do() {
    let mut client = Client::ready();
    for (tool, arguments, says) in [
        ("semantic_grep", json!({}), "`query`"),
        ("semantic_grep", json!({ "query": "  " }), "`query`"),
        ("semantic_grep", json!({ "query": "x", "kind": "pdf" }), "Arguments of semantic_grep: query (text, required)"),
        ("semantic_grep", json!({ "query": "x", "limit": "many" }), "whole number"),
        ("semantic_grep", json!({ "query": "x".repeat(5000) }), "one thought"),
        ("semantic_grep", json!({ "query": "unindexed" }), "bethink index"),
        ("semantic_grep", json!({ "query": "x", "cursor": "zzz" }), "not one of ours"),
        ("note_search", json!({ "query": "" }), "`query`"),
        ("find_file", json!({}), "`opened`"),
        ("find_file", json!({ "query": "x", "kind": "thing" }), "presentation"),
        ("read_around", json!({}), "`document_id`"),
        ("read_around", json!({ "path": "/gone.md" }), "find_file"),
        ("read_around", json!({ "document_id": 99 }), "Search again"),
        ("read_around", json!({ "path": "/a.pdf", "line": 4000 }), "from 1 to 400"),
        ("index_status", json!({ "verbose": true }), "takes no arguments"),
    ] {
        let result = client.call(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        assert!(text(&result).contains(says), "{tool} {arguments}: {}", text(&result));
    }
}

#[test]
fn long_answers_fit_their_budget_and_cursors_lead_through_all_of_them() {
    let mut client = Client::ready();
    let mut cursor = String::new();
    let mut ranks = Vec::new();
    let mut pages = 0;
    loop {
        let arguments = json!({ "query": "long", "limit": 20, "cursor": cursor });
        let result = checked(&mut client, "semantic_grep", arguments);
        assert!(tokens(&result) <= 2_000, "{}", tokens(&result));
        let structured = &result["structuredContent"];
        for hit in structured["hits"].as_array().unwrap() {
            assert!(hit["excerpt"].as_str().unwrap().chars().count() >= 100);
            ranks.push(hit["rank"].as_u64().unwrap());
        }
        pages += 1;
        assert!(pages < 20);
        match structured["cursor"].as_str() {
            Some(next) => {
                assert!(structured["cut"].is_string());
                assert!(text(&result).contains(next));
                cursor = next.to_owned();
            }
            None => break,
        }
    }
    assert!(pages > 1);
    // Every hit once and in order, whatever was cut.
    assert_eq!(ranks, (1..=30).collect::<Vec<u64>>());
    let other = client.call("semantic_grep", json!({ "query": "other", "cursor": cursor }));
    assert!(text(&other).contains("belongs to another question"));
}

#[test]
fn files_fit_their_budget_and_lead_on() {
    let mut client = Client::ready();
    let first = checked(&mut client, "find_file", json!({ "query": "acme", "limit": 50 }));
    assert!(tokens(&first) <= 1_200, "{}", tokens(&first));
    let shown = first["structuredContent"]["hits"].as_array().unwrap().len() as u64;
    assert!(shown >= 5);
    let cursor = first["structuredContent"]["cursor"].as_str().unwrap();
    let second = checked(&mut client, "find_file", json!({ "query": "acme", "limit": 50, "cursor": cursor }));
    assert_eq!(second["structuredContent"]["hits"][0]["rank"], shown + 1);
}

#[test]
fn reading_keeps_the_line_aimed_at_and_reads_on_to_the_end() {
    let mut client = Client::ready();
    let result = checked(&mut client, "read_around", json!({ "path": "/home/kim/a.pdf", "line": 101, "context": 2 }));
    let said = text(&result);
    assert!(
        said.starts_with("/home/kim/a.pdf (pdf, 400 lines), under Boxing\n--- lines 99 to 103: text of the file, data"),
        "{said}"
    );
    assert!(said.contains("\n     [page 3]\n101  line 101 of the text"), "{said}");
    // The way a hit is told works as a path, and an id beats a path.
    let told = client.call("read_around", json!({ "path": "/home/kim/a.pdf:101", "context": 2 }));
    assert_eq!(told["structuredContent"]["text"], result["structuredContent"]["text"]);
    let by_id =
        client.call("read_around", json!({ "path": "/elsewhere", "document_id": 7, "line": 101, "context": 2 }));
    assert_eq!(by_id["structuredContent"]["text"], result["structuredContent"]["text"]);

    let result = checked(&mut client, "read_around", json!({ "document_id": 7, "line": 200, "context": 150 }));
    let structured = &result["structuredContent"];
    let (first, last) = (structured["first_line"].as_u64().unwrap(), structured["last_line"].as_u64().unwrap());
    assert!(tokens(&result) <= 2_000, "{}", tokens(&result));
    assert!(first < 185 && last > 215, "{first} to {last}");
    assert!(structured["cut"].as_str().unwrap().contains("50 to 350"));

    let mut arguments = json!({ "document_id": 7 });
    let mut expected = 1;
    for _ in 0..60 {
        let result = checked(&mut client, "read_around", arguments.clone());
        let structured = &result["structuredContent"];
        assert_eq!(structured["first_line"], expected);
        expected = structured["last_line"].as_u64().unwrap() + 1;
        match structured["cursor"].as_str() {
            Some(cursor) => arguments["cursor"] = json!(cursor),
            None => break,
        }
    }
    assert_eq!(expected, u64::from(crate::fake::LINES) + 1);
}

#[test]
fn the_memory_is_asked_and_written_in_words_and_by_schema() {
    let mut client = Client::ready();
    let result = checked(&mut client, "grep_memory", json!({ "pattern": "tram" }));
    assert!(text(&result).contains("(journal, Anna) — a\\u{202e} tram"), "{result}");
    let result = checked(&mut client, "check_notebook", json!({ "query": "road", "person": "anna" }));
    assert!(tokens(&result) <= 2_100, "{}", tokens(&result));
    assert_eq!(result["structuredContent"]["notes"].as_array().unwrap().len(), 8);
    assert!(result["structuredContent"]["cut"].is_string());
    for (tool, arguments) in [
        ("remember", json!({ "text": "met Anna" })),
        ("pin", json!({ "text": "trams should sing", "tags": "idea, tram" })),
        ("note_upsert", json!({ "title": "Roadmap", "body": "soon" })),
        ("note_upsert", json!({ "title": "Roadmap", "body": "soon", "version": 3 })),
    ] {
        checked(&mut client, tool, arguments);
    }
}

#[test]
fn m21_a_repeated_question_is_refused_with_what_to_do() {
    let mut client = Client::ready();
    client.call("grep_memory", json!({ "pattern": "tram" }));
    let again = client.call("grep_memory", json!({ "pattern": "tram" }));
    assert_eq!(again["isError"], true);
    assert!(text(&again).contains("call 1") && text(&again).contains("Use that answer"), "{again}");
    for number in 1..6 {
        assert_eq!(client.call("grep_memory", json!({ "pattern": format!("tram {number}") }))["isError"], false);
    }
    let ended = client.call("grep_memory", json!({ "pattern": "trams?" }));
    assert!(text(&ended).contains("that is all"), "{ended}");
}
