//! Threads of Messenger and Instagram, and of Google Chat.

use std::borrow::Cow;

use super::clock::from_millis;
use super::dialect::Dialect;
use super::texts;
use super::transcript::Transcript;
use crate::json::{Elements, Ending, Value, read as read_json, string};

/// Reads the messages in the order in which they were written: Messenger's files hold the newest first.
pub(super) fn read(source: &str, dialect: Dialect, transcript: &mut Transcript<'_>) -> Ending {
    // The thread's title stands behind its messages.
    let mut title = Title::default();
    read_json(source, &mut title);
    transcript.conversation(&title.0);
    let mut messages = Messages { dialect, said: Vec::new(), bytes: 0 };
    let ending = read_json(source, &mut messages);
    let mut said = messages.said;
    if said.first().zip(said.last()).is_some_and(|(first, last)| first.millis > last.millis) {
        said.reverse();
    }
    for Said { speaker, time, text, .. } in said {
        if !transcript.message(&speaker, time, &text) {
            break;
        }
    }
    ending
}

/// Bytes of messages that are kept to be put in order; an export splits its threads into files of ten
/// thousand messages.
const ORDERED_BYTES: usize = 64 << 20;

struct Said {
    speaker: String,
    time: Option<String>,
    millis: i64,
    text: String,
}

#[derive(Default)]
struct Title(String);

impl Elements for Title {
    fn streams(&self, _: &str) -> bool {
        false
    }

    fn wants(&self, key: &str) -> bool {
        matches!(key, "title" | "threadName")
    }

    fn element(&mut self, _: &str, _: Value) -> bool {
        true
    }

    fn value(&mut self, _: &str, value: Value) {
        self.0 = mended(value.as_str().unwrap_or_default()).into_owned();
    }
}

struct Messages {
    dialect: Dialect,
    said: Vec<Said>,
    bytes: usize,
}

impl Elements for Messages {
    fn streams(&self, key: &str) -> bool {
        key == "messages"
    }

    fn wants(&self, _: &str) -> bool {
        false
    }

    fn element(&mut self, _: &str, message: Value) -> bool {
        let said = if self.dialect == Dialect::GoogleChat { google(&message) } else { messenger(&message) };
        self.bytes += said.text.len() + said.speaker.len() + size_of::<Said>();
        self.said.push(said);
        self.bytes < ORDERED_BYTES
    }

    fn value(&mut self, _: &str, _: Value) {}
}

fn messenger(message: &Value) -> Said {
    let either = |old: &str, new: &str| {
        let old = string(message, old);
        mended(if old.is_empty() { string(message, new) } else { old }).into_owned()
    };
    let mut text = either("content", "text");
    let share = message.get("share").unwrap_or(&Value::Null);
    for part in ["share_text", "link"].map(|key| string(share, key)).into_iter().filter(|part| !part.is_empty()) {
        text.push('\n');
        text.push_str(&mended(part));
    }
    for path in texts(message.get("files"), "uri") {
        text.push_str(&format!("\n(file: {})", path.rsplit('/').next().unwrap_or(path)));
    }
    let millis = message.get("timestamp_ms").or_else(|| message.get("timestamp")).and_then(Value::as_i64).unwrap_or(0);
    let time = (millis > 0).then(|| from_millis(millis)).flatten();
    Said { speaker: either("sender_name", "senderName"), time, millis, text }
}

fn google(message: &Value) -> Said {
    let creator = message.get("creator").unwrap_or(&Value::Null);
    let name = ["name", "email"].map(|key| string(creator, key)).into_iter().find(|name| !name.is_empty());
    let mut text = string(message, "text").to_owned();
    for name in texts(message.get("attached_files"), "original_name") {
        text.push_str(&format!("\n(file: {name})"));
    }
    // `Tuesday, May 9, 2017 at 5:02:11 PM UTC`, with a narrow space before the hour's half.
    let time = string(message, "created_date").replace('\u{202f}', " ");
    Said { speaker: name.unwrap_or_default().to_owned(), time: (!time.is_empty()).then_some(time), millis: 0, text }
}

/// Meta writes each byte of UTF-8 as a character of its own; the characters that were meant.
fn mended(text: &str) -> Cow<'_, str> {
    let is_ascii = text.is_ascii();
    let bytes: Option<Vec<u8>> = text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect();
    match bytes.filter(|_| !is_ascii).map(String::from_utf8) {
        Some(Ok(meant)) => Cow::Owned(meant),
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_were_taken_for_characters_are_put_together() {
        assert_eq!(mended("Jos\u{c3}\u{a9} \u{f0}\u{9f}\u{98}\u{80}"), "José 😀");
        assert_eq!(mended("José"), "José");
        assert_eq!(mended("日本"), "日本");
    }
}
