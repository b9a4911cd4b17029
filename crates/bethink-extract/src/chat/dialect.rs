//! Whose export a file is, by the keys at its head.

use super::whatsapp;

/// A way to write chats down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// ChatGPT's `conversations.json`, or one of its conversations.
    ChatGpt,
    /// Claude's `conversations.json`.
    Claude,
    /// A session of Claude Code or Codex, one event a line.
    Agent,
    /// A day of a Slack channel.
    Slack,
    /// A channel as DiscordChatExporter writes it.
    Discord,
    /// Telegram's `result.json`, of one chat or of all.
    Telegram,
    /// A thread of Messenger or Instagram.
    Messenger,
    /// A thread of Google Chat from Takeout.
    GoogleChat,
    /// A chat that WhatsApp exported as text.
    WhatsApp,
}

impl Dialect {
    /// The dialect of a text that starts so; `None` where it is no chat.
    pub(crate) fn of(head: &str) -> Option<Self> {
        let keys = |keys: &[&str]| keys.iter().all(|key| has_key(head, key));
        match head.as_bytes().first()? {
            b'[' if head[1..].trim_start().starts_with('{') => {
                if keys(&["mapping", "create_time"]) {
                    Some(Self::ChatGpt)
                } else if keys(&["chat_messages", "uuid"]) {
                    Some(Self::Claude)
                } else {
                    (keys(&["ts", "type", "text"]) && has_slack_time(head)).then_some(Self::Slack)
                }
            }
            b'{' => {
                if keys(&["mapping", "create_time", "current_node"]) {
                    Some(Self::ChatGpt)
                } else if keys(&["chat_messages", "uuid"]) {
                    Some(Self::Claude)
                } else if keys(&["guild", "channel", "messages"]) {
                    Some(Self::Discord)
                } else if keys(&["messages", "from_id", "text"]) && (keys(&["date_unixtime"]) || keys(&["date"]))
                    || keys(&["about", "personal_information"]) && head.contains("Telegram")
                {
                    Some(Self::Telegram)
                } else if keys(&["participants", "messages", "sender_name", "timestamp_ms"])
                    || keys(&["participants", "messages", "senderName", "timestamp"])
                {
                    Some(Self::Messenger)
                } else if keys(&["messages", "creator", "created_date"]) {
                    Some(Self::GoogleChat)
                } else {
                    is_agent(head).then_some(Self::Agent)
                }
            }
            _ => whatsapp::is_chat(head).then_some(Self::WhatsApp),
        }
    }
}

/// Whether a quoted key stands in the head.
fn has_key(head: &str, key: &str) -> bool {
    head.match_indices(key).any(|(at, _)| {
        let behind = &head[at + key.len()..];
        head[..at].ends_with('"') && behind.strip_prefix('"').is_some_and(|rest| rest.trim_start().starts_with(':'))
    })
}

/// Whether a time is written as Slack writes them: seconds, a point, and a counter of six digits.
fn has_slack_time(head: &str) -> bool {
    head.match_indices("\"ts\"").any(|(at, key)| {
        let value = head[at + key.len()..].trim_start().strip_prefix(':').map(str::trim_start).unwrap_or_default();
        let Some((seconds, rest)) = value.strip_prefix('"').and_then(|value| value.split_once('.')) else {
            return false;
        };
        let counter = rest.bytes().take_while(u8::is_ascii_digit).count();
        seconds.len() >= 9 && seconds.bytes().all(|byte| byte.is_ascii_digit()) && counter == 6
    })
}

/// Lines of events that are looked at.
const EVENTS: usize = 12;

/// Whether the lines are events of a session: objects of a type, with the session's name or a payload.
fn is_agent(head: &str) -> bool {
    let mut lines = head.lines().filter(|line| !line.trim().is_empty()).take(EVENTS);
    let first = lines.next().unwrap_or_default();
    if !first.trim_end().ends_with('}') && head.lines().count() > 1 {
        return false;
    }
    [first].into_iter().chain(lines).any(|line| {
        let keys = |keys: &[&str]| keys.iter().all(|key| has_key(line, key));
        let claude_code = keys(&["type", "sessionId"]) && (keys(&["message"]) || keys(&["uuid"]));
        let codex = keys(&["timestamp", "type", "payload"]) && line.contains("session_meta");
        line.starts_with('{') && (claude_code || codex)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_told_by_their_keys() {
        let cases = [
            (r#"[{"title": "x", "create_time": 1.0, "mapping": {"#, Some(Dialect::ChatGpt)),
            (r#"[{"uuid":"x","name":"y","chat_messages":["#, Some(Dialect::Claude)),
            (r#"[{"type":"message","text":"x","ts":"1452988821.000002"}]"#, Some(Dialect::Slack)),
            (r#"[{"type":"message","text":"x","ts":"now"}]"#, None),
            (r#"{"guild": {"id": "1"}, "channel": {}, "messages": ["#, Some(Dialect::Discord)),
            (
                r#"{"name": "x", "messages": [{"date": "2024", "from_id": "user1", "text": ""}]}"#,
                Some(Dialect::Telegram),
            ),
            (r#"{"participants":[],"messages":[{"sender_name":"x","timestamp_ms":1}]}"#, Some(Dialect::Messenger)),
            (r#"{"messages": [{"creator": {}, "created_date": "x"}]}"#, Some(Dialect::GoogleChat)),
            ("{\"type\":\"summary\"}\n{\"type\":\"user\",\"sessionId\":\"1\",\"message\":{}}\n", Some(Dialect::Agent)),
            ("{\"timestamp\":\"x\",\"type\":\"session_meta\",\"payload\":{}}\n", Some(Dialect::Agent)),
            (r#"{"type": "x", "messages": []}"#, None),
            (r#"[1, 2]"#, None),
        ];
        for (head, dialect) in cases {
            assert_eq!(Dialect::of(head), dialect, "{head}");
        }
    }
}
