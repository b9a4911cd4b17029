//! A Discord channel as DiscordChatExporter writes it.

use super::clock::written;
use super::texts;
use super::transcript::Transcript;
use crate::json::{Elements, Ending, Value, read as read_json, string};

/// Reads the messages.
pub(super) fn read(source: &str, transcript: &mut Transcript<'_>) -> Ending {
    read_json(source, &mut Messages { transcript, guild: String::new() })
}

struct Messages<'a, 'b> {
    transcript: &'a mut Transcript<'b>,
    guild: String,
}

impl Elements for Messages<'_, '_> {
    fn streams(&self, key: &str) -> bool {
        key == "messages"
    }

    fn wants(&self, key: &str) -> bool {
        matches!(key, "guild" | "channel")
    }

    fn element(&mut self, _: &str, message: Value) -> bool {
        let author = message.get("author").unwrap_or(&Value::Null);
        let name = ["nickname", "name"].map(|key| string(author, key)).into_iter().find(|name| !name.is_empty());
        let mut text = string(&message, "content").to_owned();
        let embeds = message.get("embeds").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for embed in embeds {
            for part in
                ["title", "description"].map(|key| string(embed, key)).into_iter().filter(|part| !part.is_empty())
            {
                text.push('\n');
                text.push_str(part);
            }
        }
        for name in texts(message.get("attachments"), "fileName") {
            text.push_str(&format!("\n(file: {name})"));
        }
        self.transcript.message(name.unwrap_or_default(), written(string(&message, "timestamp")), &text)
    }

    fn value(&mut self, key: &str, value: Value) {
        let name = string(&value, "name");
        if key == "guild" {
            self.guild = name.to_owned();
        } else if self.guild.is_empty() {
            self.transcript.conversation(name);
        } else {
            self.transcript.conversation(&format!("{}: {name}", self.guild));
        }
    }
}
