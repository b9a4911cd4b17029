//! A day of a Slack channel: an array of messages in Slack's own markup.

use std::collections::HashMap;

use super::clock::from_seconds;
use super::texts;
use super::transcript::Transcript;
use crate::json::{Elements, Ending, Value, read as read_json, string};

/// People whose names are remembered.
const MOST_PEOPLE: usize = 10_000;

/// Reads the messages.
pub(super) fn read(source: &str, transcript: &mut Transcript<'_>) -> Ending {
    read_json(source, &mut Messages { transcript, people: HashMap::new() })
}

struct Messages<'a, 'b> {
    transcript: &'a mut Transcript<'b>,
    /// Names by the identifiers that messages mention; a channel's file knows only who wrote in it.
    people: HashMap<String, String>,
}

impl Elements for Messages<'_, '_> {
    fn streams(&self, _: &str) -> bool {
        false
    }

    fn wants(&self, _: &str) -> bool {
        false
    }

    fn element(&mut self, _: &str, message: Value) -> bool {
        let profile = message.get("user_profile").or_else(|| message.get("bot_profile")).unwrap_or(&Value::Null);
        let named = ["display_name", "real_name", "name"].map(|key| string(profile, key));
        let user = string(&message, "user");
        let name = named.into_iter().chain([string(&message, "username"), user, string(&message, "bot_id")]);
        let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned();
        let name = self.people.get(user).cloned().unwrap_or(name);
        if !user.is_empty() && name != user && self.people.len() < MOST_PEOPLE {
            self.people.insert(user.to_owned(), name.clone());
        }
        let mut text = self.readable(string(&message, "text"));
        let attachments = message.get("attachments").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for attachment in attachments {
            let parts = ["title", "text", "fallback"].map(|key| string(attachment, key));
            let said = if parts[1].is_empty() { [parts[0], parts[2]] } else { [parts[0], parts[1]] };
            for part in said.into_iter().filter(|part| !part.is_empty()) {
                text.push('\n');
                text.push_str(&self.readable(part));
            }
        }
        for name in texts(message.get("files"), "name") {
            text.push_str(&format!("\n(file: {name})"));
        }
        self.transcript.message(&name, message.get("ts").and_then(from_seconds), &text)
    }

    fn value(&mut self, _: &str, _: Value) {}
}

impl Messages<'_, '_> {
    /// Slack's markup as a person reads it: mentions by name, links with their words, entities.
    fn readable(&self, text: &str) -> String {
        let mut readable = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('<') {
            readable.push_str(&rest[..at]);
            let Some(end) = rest[at..].find('>') else { break };
            let inner = &rest[at + 1..at + end];
            let (target, label) = inner.split_once('|').unwrap_or((inner, ""));
            match target.as_bytes().first() {
                Some(b'@') => {
                    let known = self.people.get(&target[1..]).map(String::as_str);
                    readable.push('@');
                    readable.push_str(if label.is_empty() { known.unwrap_or(&target[1..]) } else { label });
                }
                Some(b'#') => {
                    readable.push('#');
                    readable.push_str(if label.is_empty() { &target[1..] } else { label });
                }
                Some(b'!') => {
                    readable.push('@');
                    readable.push_str(if label.is_empty() { &target[1..] } else { label });
                }
                _ if label.is_empty() || target.contains(label) => readable.push_str(target),
                _ => readable.push_str(&format!("{label} ({target})")),
            }
            rest = &rest[at + end + 1..];
        }
        readable.push_str(rest);
        readable.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    }
}
