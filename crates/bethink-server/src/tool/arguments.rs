//! What a tool may be given, declared once: the schema, the reading and the complaint all come from
//! one table, so that they cannot disagree.
//!
//! Reading is generous with shapes that models really send (`"10"` for 10, `null` for nothing) and
//! strict with names: an argument that is not known is a filter that would silently not apply.

use serde_json::{Value, json};

use super::JsonObject;
use super::trouble::Trouble;

/// What an argument holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Text; empty means not given.
    Text,
    /// A whole number from 0; 0 means the default.
    Count,
    /// Yes or no.
    Flag,
}

/// One argument of one tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Argument {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// Whether a call without it makes no sense.
    pub required: bool,
    /// What it means, for a model that reads the schema.
    pub says: &'static str,
}

/// The input schema of these arguments. Plain types with defaults: hosts exist that refuse a
/// nullable integer or a `format` that they do not know.
pub(crate) fn schema(arguments: &[Argument]) -> JsonObject {
    let mut properties = JsonObject::new();
    for argument in arguments {
        let mut property = match argument.shape {
            Shape::Text => json!({ "type": "string", "description": argument.says }),
            Shape::Count => json!({ "type": "integer", "minimum": 0, "description": argument.says }),
            Shape::Flag => json!({ "type": "boolean", "description": argument.says }),
        };
        if !argument.required {
            property["default"] = match argument.shape {
                Shape::Text => json!(""),
                Shape::Count => json!(0),
                Shape::Flag => json!(false),
            };
        }
        properties.insert(argument.name.to_owned(), property);
    }
    let required: Vec<&str> =
        arguments.iter().filter(|argument| argument.required).map(|argument| argument.name).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// The arguments of one call, checked against the table.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Given {
    values: JsonObject,
}

impl Given {
    /// Checks names and shapes.
    ///
    /// # Errors
    /// What is wrong, and which arguments there are.
    pub(crate) fn check(tool: &str, arguments: &[Argument], given: Option<JsonObject>) -> Result<Self, Trouble> {
        let mut values = JsonObject::new();
        for (name, value) in given.unwrap_or_default() {
            let Some(argument) = arguments.iter().find(|argument| argument.name == name) else {
                let what = format!("{tool} has no argument “{}”.", brief(&name));
                return Err(Trouble::arguments(what, listed(tool, arguments)));
            };
            if value.is_null() {
                continue;
            }
            let read = match argument.shape {
                Shape::Text => text(value),
                Shape::Count => count(&value).map(|count| json!(count)),
                Shape::Flag => flag(&value).map(Value::Bool),
            };
            let Some(read) = read else {
                let wanted = match argument.shape {
                    Shape::Text => "text",
                    Shape::Count => "a whole number from 0",
                    Shape::Flag => "true or false",
                };
                return Err(Trouble::arguments(format!("“{name}” must be {wanted}."), listed(tool, arguments)));
            };
            values.insert(name, read);
        }
        Ok(Self { values })
    }

    /// A text argument, trimmed; empty where it was not given.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.values.get(name).and_then(Value::as_str).unwrap_or_default().trim()
    }

    /// A text argument, `None` where it was not given.
    pub(crate) fn some_text(&self, name: &str) -> Option<&str> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    /// A count; 0 where it was not given.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.values.get(name).and_then(Value::as_u64).unwrap_or_default()
    }

    /// A flag; false where it was not given.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.values.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// Every argument but the cursor, as one text that is equal for equal questions.
    pub(crate) fn question(&self) -> String {
        let mut question = self.values.clone();
        question.remove("cursor");
        // What equals its default was as good as not given.
        question.retain(|_, value| *value != json!("") && *value != json!(0) && *value != json!(false));
        Value::Object(question).to_string()
    }
}

fn listed(tool: &str, arguments: &[Argument]) -> String {
    if arguments.is_empty() {
        return format!("{tool} takes no arguments.");
    }
    let names: Vec<String> = arguments
        .iter()
        .map(|argument| {
            let shape = match argument.shape {
                Shape::Text => "text",
                Shape::Count => "number",
                Shape::Flag => "true/false",
            };
            let need = if argument.required { ", required" } else { "" };
            format!("{} ({shape}{need})", argument.name)
        })
        .collect();
    format!("Arguments of {tool}: {}.", names.join(", "))
}

/// A foreign name cut to what fits a sentence.
fn brief(name: &str) -> String {
    crate::text::shown_line(&name.chars().take(40).collect::<String>()).into_owned()
}

fn text(value: Value) -> Option<Value> {
    match value {
        Value::String(_) => Some(value),
        // `modified: 2026` arrives as a number.
        Value::Number(number) => Some(Value::String(number.to_string())),
        _ => None,
    }
}

fn count(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            // `10.0` is how some languages write 10.
            let float = number.as_f64()?;
            (float.fract() == 0.0 && (0.0..=9e15).contains(&float)).then_some(float as u64)
        }),
        Value::String(text) if text.trim().is_empty() => Some(0),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => match text.trim().to_lowercase().as_str() {
            "true" | "yes" => Some(true),
            "false" | "no" | "" => Some(false),
            _ => None,
        },
        Value::Number(number) => number.as_u64().filter(|number| *number < 2).map(|number| number == 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SOME: &[Argument] = &[
        Argument { name: "query", shape: Shape::Text, required: true, says: "words" },
        Argument { name: "limit", shape: Shape::Count, required: false, says: "how many" },
        Argument { name: "explain", shape: Shape::Flag, required: false, says: "why" },
    ];

    fn check(value: Value) -> Result<Given, Trouble> {
        Given::check("tool", SOME, value.as_object().cloned())
    }

    #[test]
    fn shapes_that_models_send_are_understood() {
        let given = check(json!({ "query": " a ", "limit": "7", "explain": "true" })).unwrap();
        assert_eq!((given.text("query"), given.count("limit"), given.flag("explain")), ("a", 7, true));
        let given = check(json!({ "query": 2026, "limit": 7.0, "explain": null })).unwrap();
        assert_eq!((given.text("query"), given.count("limit"), given.flag("explain")), ("2026", 7, false));
        assert_eq!(Given::check("tool", SOME, None).unwrap().text("query"), "");
    }

    #[test]
    fn an_unknown_name_is_told_with_the_known_ones() {
        let error = check(json!({ "q": "a" })).unwrap_err();
        assert_eq!(
            error.to_string(),
            "tool has no argument “q”. Arguments of tool: query (text, required), limit (number), explain (true/false)."
        );
        for bad in [json!({"limit": -1}), json!({"limit": 1.5}), json!({"query": []}), json!({"explain": "perhaps"})] {
            assert!(check(bad).unwrap_err().what.contains("must be"));
        }
    }

    #[test]
    fn equal_questions_are_equal_whatever_the_cursor_and_the_defaults() {
        let bare = check(json!({ "query": "a" })).unwrap().question();
        assert_eq!(check(json!({ "limit": 0, "query": "a", "explain": false })).unwrap().question(), bare);
        assert_ne!(check(json!({ "query": "b" })).unwrap().question(), bare);
    }

    #[test]
    fn schemas_are_plain() {
        assert_eq!(
            Value::Object(schema(SOME)),
            json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "words" },
                    "limit": { "type": "integer", "minimum": 0, "default": 0, "description": "how many" },
                    "explain": { "type": "boolean", "default": false, "description": "why" },
                },
                "required": ["query"],
                "additionalProperties": false,
            })
        );
    }
}
