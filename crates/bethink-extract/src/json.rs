//! JSON of formats of their own, read element by element: what is in memory at once is one conversation
//! or one cell, not the file.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
pub(crate) use serde_json::Value;

/// Takes the values of a document one after another. False: enough.
pub(crate) trait Elements {
    /// Whether the elements of the array under this key are to be met one by one; other values are met
    /// whole where [`Self::wants`] says so.
    fn streams(&self, key: &str) -> bool;

    /// Whether the elements under this streamed key are objects to descend into, whose own keys are then
    /// asked for: chats that hold messages.
    fn descends(&self, _: &str) -> bool {
        false
    }

    /// Whether the value under this key of the outermost object, or of one descended into, is wanted.
    fn wants(&self, key: &str) -> bool;

    /// An element of the array under this key; of the outermost array under the empty key.
    fn element(&mut self, key: &str, value: Value) -> bool;

    /// The value under a key of the outermost object.
    fn value(&mut self, key: &str, value: Value);
}

/// How reading ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With the document, or when enough was had.
    Whole,
    /// At a place where it is no JSON.
    Broken,
}

/// Reads a document: an array, or an object with arrays.
pub(crate) fn read(source: &str, elements: &mut dyn Elements) -> Ending {
    let source = whole_surrogates(source);
    let mut enough = false;
    let mut deserializer = serde_json::Deserializer::from_str(&source);
    match (Root { elements, enough: &mut enough }).deserialize(&mut deserializer) {
        Err(_) if !enough => Ending::Broken,
        _ => Ending::Whole,
    }
}

struct Root<'a> {
    elements: &'a mut dyn Elements,
    enough: &'a mut bool,
}

impl<'de> DeserializeSeed<'de> for Root<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Root<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        while let Some(value) = array.next_element::<Value>()? {
            if !self.elements.element("", value) {
                *self.enough = true;
                return Err(A::Error::custom("enough"));
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some(key) = object.next_key::<Cow<'de, str>>()? {
            if self.elements.streams(&key) {
                object.next_value_seed(Under { key: &key, elements: self.elements, enough: self.enough })?;
            } else if self.elements.wants(&key) {
                self.elements.value(&key, object.next_value()?);
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// The array under a key; anything else there is met whole.
struct Under<'a> {
    key: &'a str,
    elements: &'a mut dyn Elements,
    enough: &'a mut bool,
}

impl<'de> DeserializeSeed<'de> for Under<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Under<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        if self.elements.descends(self.key) {
            while array.next_element_seed(Root { elements: self.elements, enough: self.enough })?.is_some() {}
            return Ok(());
        }
        while let Some(value) = array.next_element::<Value>()? {
            if !self.elements.element(self.key, value) {
                *self.enough = true;
                return Err(A::Error::custom("enough"));
            }
        }
        Ok(())
    }

    /// Some exports keep a list inside a wrapper (`"chats": {"list": […]}`): its arrays are streamed under
    /// their own keys.
    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<(), A::Error> {
        Root { elements: self.elements, enough: self.enough }.visit_map(object)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

/// The document with each half of a pair of UTF-16 escapes that has lost its other half replaced: exports
/// cut emoji in two, and the parser refuses what is left.
fn whole_surrogates(source: &str) -> Cow<'_, str> {
    let mut mended: Option<String> = None;
    let mut kept = 0;
    let mut at = 0;
    let bytes = source.as_bytes();
    while let Some(found) = source[at..].find('\\') {
        let escape = at + found;
        let Some(half) = surrogate(bytes, escape) else {
            // The character behind a backslash is not the start of an escape of its own.
            at = source.ceil_char_boundary((escape + 2).min(source.len()));
            continue;
        };
        let is_high = half < 0xDC00;
        if is_high && surrogate(bytes, escape + 6).is_some_and(|low| low >= 0xDC00) {
            at = escape + 12;
            continue;
        }
        let mended = mended.get_or_insert_with(|| String::with_capacity(source.len()));
        mended.push_str(&source[kept..escape]);
        mended.push_str("\\ufffd");
        at = escape + 6;
        kept = at;
    }
    match mended {
        Some(mut mended) => {
            mended.push_str(&source[kept..]);
            Cow::Owned(mended)
        }
        None => Cow::Borrowed(source),
    }
}

/// The half of a pair that an escape at this place stands for.
fn surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits =
        std::str::from_utf8(escape).ok().filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok().filter(|unit| (0xD800..0xE000).contains(unit))
}

/// The string under a key; empty where there is none.
pub(crate) fn string<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A text that is a string, or an array of them one after another (a notebook's lines).
pub(crate) fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen(Vec<String>, usize);

    impl Elements for Seen {
        fn streams(&self, key: &str) -> bool {
            matches!(key, "list" | "chats")
        }

        fn wants(&self, key: &str) -> bool {
            key == "name"
        }

        fn element(&mut self, key: &str, value: Value) -> bool {
            self.0.push(format!("{key}:{value}"));
            self.0.len() != self.1
        }

        fn value(&mut self, key: &str, value: Value) {
            self.0.push(format!("{key}={value}"));
        }
    }

    fn seen(source: &str, most: usize) -> (Vec<String>, Ending) {
        let mut seen = Seen(Vec::new(), most);
        let ending = read(source, &mut seen);
        (seen.0, ending)
    }

    #[test]
    fn elements_are_met_one_by_one_wherever_they_stand() {
        assert_eq!(seen("[1, {\"a\": 2}]", 0).0, [":1", ":{\"a\":2}"]);
        let object = "{\"name\": \"x\", \"other\": [9], \"chats\": {\"about\": 1, \"list\": [1, 2]}, \"list\": \"no\"}";
        assert_eq!(seen(object, 0).0, ["name=\"x\"", "list:1", "list:2"]);
        assert_eq!(seen("[1, 2, 3]", 2), (vec![":1".to_owned(), ":2".to_owned()], Ending::Whole));
    }

    #[test]
    fn what_came_before_the_break_is_kept() {
        assert_eq!(seen("[1, 2, {\"a\":", 0), (vec![":1".to_owned(), ":2".to_owned()], Ending::Broken));
        let deep = "[".repeat(100_000);
        assert_eq!(seen(&deep, 0).1, Ending::Broken);
    }

    #[test]
    fn halves_of_emoji_are_replaced() {
        let whole = r#"["\ud83d\ude00 \\ud83d"]"#;
        assert_eq!(whole_surrogates(whole), whole);
        assert_eq!(whole_surrogates(r#"["\ud83d \ude00\ud83dé\u00e9"]"#), r#"["\ufffd \ufffd\ufffdé\u00e9"]"#);
    }
}
