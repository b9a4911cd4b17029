//! Telegram's `result.json`: one chat, or all of them in a list.

use super::clock::written;
use super::transcript::Transcript;
use crate::json::{Elements, Ending, Value, read as read_json, string};

/// Reads the messages of every chat.
pub(super) fn read(source: &str, transcript: &mut Transcript<'_>) -> Ending {
    read_json(source, &mut Messages { transcript })
}

struct Messages<'a, 'b> {
    transcript: &'a mut Transcript<'b>,
}

impl Elements for Messages<'_, '_> {
    fn streams(&self, key: &str) -> bool {
        matches!(key, "chats" | "left_chats" | "list" | "messages")
    }

    fn descends(&self, key: &str) -> bool {
        key == "list"
    }

    fn wants(&self, key: &str) -> bool {
        key == "name"
    }

    fn element(&mut self, key: &str, message: Value) -> bool {
        if key != "messages" || string(&message, "type") == "service" {
            return !self.transcript.is_full();
        }
        let mut text = String::new();
        if !string(&message, "forwarded_from").is_empty() {
            text.push_str(&format!("(from {}) ", string(&message, "forwarded_from")));
        }
        match message.get("text") {
            Some(Value::String(words)) => text.push_str(words),
            Some(Value::Array(parts)) => {
                text.extend(parts.iter().filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str())));
            }
            _ => {}
        }
        let file = [string(&message, "file_name"), string(&message, "file")].into_iter().find(|name| !name.is_empty());
        // What was not exported says so in parentheses instead of a path.
        if let Some(name) = file.filter(|name| !name.starts_with('(')) {
            let name = name.rsplit('/').next().unwrap_or(name);
            text.push_str(&format!("\n(file: {name})"));
        }
        if !string(&message, "title").is_empty() {
            text.push_str(&format!("\n(song: {} {})", string(&message, "performer"), string(&message, "title")));
        }
        self.transcript.message(string(&message, "from"), written(string(&message, "date")), &text)
    }

    fn value(&mut self, _: &str, name: Value) {
        self.transcript.conversation(name.as_str().unwrap_or_default());
    }
}
