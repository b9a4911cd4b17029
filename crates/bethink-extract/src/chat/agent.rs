//! Sessions of coding agents (Claude Code, Codex): one event a line, of which the messages are kept, the
//! tools by name and object, and of what tools printed the first lines.

use super::clock::written;
use super::transcript::Transcript;
use crate::json::{Ending, Value, string};

/// Bytes kept of what a tool printed: enough to recognise an error, little beside what was said.
const PRINTED_BYTES: usize = 1000;

/// Bytes kept of what a tool was asked.
const ASKED_BYTES: usize = 400;

/// Opens what the program tells the model about itself.
const SURROUNDINGS: [&str; 4] =
    ["<environment_context>", "<user_instructions>", "<permissions instructions>", "# AGENTS.md instructions"];

/// Reads the events. A line that is no JSON costs that line.
pub(super) fn read(source: &str, transcript: &mut Transcript<'_>) -> Ending {
    let mut broken = false;
    for line in source.lines().filter(|line| !line.trim().is_empty()) {
        let Ok(event) = serde_json::from_str::<Value>(line) else {
            broken = true;
            continue;
        };
        if !self::event(&event, transcript) {
            return Ending::Whole;
        }
    }
    if broken { Ending::Broken } else { Ending::Whole }
}

fn event(event: &Value, transcript: &mut Transcript<'_>) -> bool {
    let time = written(string(event, "timestamp"));
    match string(event, "type") {
        "summary" => {
            transcript.conversation(string(event, "summary"));
            true
        }
        "response_item" => item(event.get("payload").unwrap_or(&Value::Null), time, transcript),
        // Codex's older sessions have the items themselves in the lines.
        "message" | "function_call" | "function_call_output" => item(event, time, transcript),
        "user" | "assistant" => {
            let hidden = event.get("isMeta").and_then(Value::as_bool).unwrap_or(false);
            let message = event.get("message").unwrap_or(&Value::Null);
            hidden || said(string(event, "type"), message.get("content"), time, transcript)
        }
        _ => true,
    }
}

fn item(item: &Value, time: Option<String>, transcript: &mut Transcript<'_>) -> bool {
    match string(item, "type") {
        "message" => {
            let role = string(item, "role");
            matches!(role, "system" | "developer") || said(role, item.get("content"), time, transcript)
        }
        "function_call" | "custom_tool_call" => {
            let asked = [string(item, "arguments"), string(item, "input")].into_iter().find(|text| !text.is_empty());
            let asked = asked.unwrap_or_default();
            transcript.message(string(item, "name"), time, head(asked, ASKED_BYTES))
        }
        "function_call_output" | "custom_tool_call_output" => {
            let output = item.get("output").unwrap_or(&Value::Null);
            let text = output.as_str().unwrap_or_else(|| string(output, "content"));
            transcript.message("output", time, head(text, PRINTED_BYTES))
        }
        _ => true,
    }
}

/// A message whose content is a text or a list of parts.
fn said(role: &str, content: Option<&Value>, time: Option<String>, transcript: &mut Transcript<'_>) -> bool {
    let speaker = match role {
        "user" => "User",
        "assistant" => "Assistant",
        other => other,
    };
    let parts = match content {
        Some(Value::String(text)) => return surroundings(text) || transcript.message(speaker, time, text),
        Some(Value::Array(parts)) => parts,
        _ => return true,
    };
    parts.iter().all(|part| match string(part, "type") {
        "text" | "input_text" | "output_text" => {
            let text = string(part, "text");
            surroundings(text) || transcript.message(speaker, time.clone(), text)
        }
        "tool_use" => {
            let input = part.get("input").unwrap_or(&Value::Null);
            let keys = ["description", "command", "file_path", "path", "pattern", "query", "url", "prompt"];
            let asked = keys.map(|key| string(input, key)).into_iter().filter(|value| !value.is_empty());
            let asked = asked.map(|value| head(value, ASKED_BYTES)).collect::<Vec<_>>().join("\n");
            transcript.message(string(part, "name"), time.clone(), &asked)
        }
        "tool_result" => {
            let printed = match part.get("content") {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Array(parts)) => {
                    parts.iter().map(|part| string(part, "text")).collect::<Vec<_>>().join("\n")
                }
                _ => String::new(),
            };
            transcript.message("output", time.clone(), head(&printed, PRINTED_BYTES))
        }
        _ => true,
    })
}

fn surroundings(text: &str) -> bool {
    SURROUNDINGS.iter().any(|opening| text.trim_start().starts_with(opening))
}

fn head(text: &str, most_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(most_bytes.min(text.len()))]
}
