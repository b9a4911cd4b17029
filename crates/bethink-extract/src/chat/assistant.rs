//! Conversations with assistants: the exports of ChatGPT and Claude.

use std::collections::HashSet;

use super::clock::{from_seconds, written};
use super::dialect::Dialect;
use super::texts;
use super::transcript::Transcript;
use crate::json::{Elements, Ending, Value, read as read_json, string};

/// Bytes of one attached file's text that are kept beside the message.
const ATTACHMENT_BYTES: usize = 256 << 10;

/// Reads every conversation.
pub(super) fn read(source: &str, dialect: Dialect, transcript: &mut Transcript<'_>) -> Ending {
    let conversation = if dialect == Dialect::ChatGpt { chatgpt } else { claude };
    if source.trim_start().starts_with('{') {
        // One conversation by itself.
        return match serde_json::from_str(source) {
            Ok(value) => {
                conversation(&value, transcript);
                Ending::Whole
            }
            Err(_) => Ending::Broken,
        };
    }
    read_json(source, &mut Conversations { transcript, conversation })
}

struct Conversations<'a, 'b> {
    transcript: &'a mut Transcript<'b>,
    conversation: fn(&Value, &mut Transcript<'_>),
}

impl Elements for Conversations<'_, '_> {
    fn streams(&self, _: &str) -> bool {
        false
    }

    fn wants(&self, _: &str) -> bool {
        false
    }

    fn element(&mut self, _: &str, value: Value) -> bool {
        (self.conversation)(&value, self.transcript);
        !self.transcript.is_full()
    }

    fn value(&mut self, _: &str, _: Value) {}
}

/// A tree of messages, from its roots down. Answers that were asked for again stand one after another,
/// each followed by what was said below it.
fn chatgpt(conversation: &Value, transcript: &mut Transcript<'_>) {
    transcript.conversation(string(conversation, "title"));
    let Some(mapping) = conversation.get("mapping").and_then(Value::as_object) else { return };
    let is_root = |node: &Value| {
        let parent = node.get("parent").and_then(Value::as_str);
        parent.is_none_or(|parent| !mapping.contains_key(parent))
    };
    let mut open: Vec<&str> = mapping.iter().filter(|(_, node)| is_root(node)).map(|(id, _)| id.as_str()).collect();
    let mut seen: HashSet<&str> = HashSet::new();
    while let Some(id) = open.pop() {
        let Some(node) = mapping.get(id).filter(|_| seen.insert(id)) else { continue };
        if let Some(message) = node.get("message")
            && !chatgpt_message(message, transcript)
        {
            return;
        }
        let children = node.get("children").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        open.extend(children.iter().rev().filter_map(Value::as_str));
    }
}

fn chatgpt_message(message: &Value, transcript: &mut Transcript<'_>) -> bool {
    let author = message.get("author").unwrap_or(&Value::Null);
    let metadata = message.get("metadata").unwrap_or(&Value::Null);
    let hidden = metadata.get("is_visually_hidden_from_conversation").and_then(Value::as_bool).unwrap_or(false);
    let content = message.get("content").unwrap_or(&Value::Null);
    if hidden || matches!(string(content, "content_type"), "user_editable_context" | "model_editable_context") {
        return true;
    }
    let speaker = match (string(author, "role"), string(author, "name")) {
        ("assistant", _) => "ChatGPT",
        ("user", _) => "User",
        (role, "") => role,
        (_, name) => name,
    };
    let text = match string(content, "content_type") {
        "tether_quote" | "tether_browsing_display" => {
            let parts = [string(content, "title"), string(content, "text"), string(content, "result")];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
        }
        "thoughts" => texts(content.get("thoughts"), "content").collect::<Vec<_>>().join("\n\n"),
        "code" => format!("```\n{}\n```", string(content, "text")),
        _ => {
            let parts = content.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let words =
                |part: &'_ Value| part.as_str().or_else(|| part.get("text").and_then(Value::as_str)).map(str::to_owned);
            let mut words: Vec<String> = parts.iter().filter_map(words).collect();
            words.extend(content.get("text").and_then(Value::as_str).map(str::to_owned));
            words.join("\n")
        }
    };
    let text = with_names(text, texts(metadata.get("attachments"), "name"));
    transcript.message(speaker, message.get("create_time").and_then(from_seconds), &text)
}

fn claude(conversation: &Value, transcript: &mut Transcript<'_>) {
    transcript.conversation(string(conversation, "name"));
    let messages = conversation.get("chat_messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for message in messages {
        let speaker = match string(message, "sender") {
            "human" => "User",
            "assistant" => "Claude",
            other => other,
        };
        let parts = message.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut said: Vec<String> =
            parts.iter().filter_map(claude_part).filter(|part| !part.trim().is_empty()).collect();
        if said.is_empty() {
            said.push(string(message, "text").to_owned());
        }
        let attachments = message.get("attachments").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for attachment in attachments {
            let text = string(attachment, "extracted_content");
            said.push(format!("(file: {})", string(attachment, "file_name")));
            said.push(text[..text.floor_char_boundary(ATTACHMENT_BYTES.min(text.len()))].to_owned());
        }
        let text = with_names(said.join("\n\n"), texts(message.get("files"), "file_name"));
        if !transcript.message(speaker, written(string(message, "created_at")), &text) {
            return;
        }
    }
}

/// What a part of a message says: words, and what was written into a document beside the conversation.
fn claude_part(part: &Value) -> Option<String> {
    match string(part, "type") {
        "text" => Some(string(part, "text").to_owned()),
        "tool_use" => {
            let input = part.get("input")?;
            let document = [string(input, "content"), string(input, "new_str"), string(input, "code")];
            let document = document.into_iter().find(|text| !text.is_empty())?;
            Some(format!("{}\n\n{document}", string(input, "title")))
        }
        _ => None,
    }
}

/// A text with the names of the files that came with it.
fn with_names<'a>(mut text: String, names: impl Iterator<Item = &'a str>) -> String {
    for name in names {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("(file: {name})"));
    }
    text
}
