//! The routes for programs: an OpenAPI 3.1 description made from the cards of the tools.
//!
//! OpenAPI 3.1 takes JSON Schema as it is, so that the schemas that MCP lists serve here, too; only
//! their shared definitions move to where OpenAPI keeps them.

use serde_json::{Map, Value, json};

use crate::tool::{self, TOOLS, ToolCard};
use crate::wire::ErrorObject;

/// The description of the server of this version.
pub(crate) fn document(version: &str) -> Value {
    let mut schemas = Map::new();
    let error = schemars::schema_for!(ErrorObject).to_value();
    schemas.insert("Error".to_owned(), shared(error, &mut Map::new()));
    let mut paths = Map::new();
    for card in TOOLS {
        paths.insert(format!("/v1/{}", card.name), path(card, &mut schemas));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "bethink",
            "version": version,
            "description": "Finds anything you have read, written or been told, on your own machine. The tools that write to the memory take POST alone.",
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas,
        },
    })
}

fn path(card: &ToolCard, schemas: &mut Map<String, Value>) -> Value {
    let answer = shared(Value::Object(card.output_schema()), schemas);
    let responses = json!({
        "200": {
            "description": "The answer; as text with `Accept: text/plain`.",
            "content": {
                "application/json": { "schema": answer },
                "text/plain": { "schema": { "type": "string" } },
            },
        },
        "default": {
            "description": "Why there is no answer, and what to do next.",
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
        },
    });
    let input = tool::input_schema(card.arguments);
    let parameters: Vec<Value> = card
        .arguments
        .iter()
        .map(|argument| {
            json!({
                "name": argument.name,
                "in": "query",
                "required": argument.required,
                "description": argument.says,
                "schema": input["properties"][argument.name],
            })
        })
        .collect();
    let mut methods = json!({
        "get": {
            "operationId": card.name,
            "summary": card.title,
            "description": card.says,
            "parameters": parameters,
            "responses": responses,
        },
        "post": {
            "operationId": format!("{}_by_object", card.name),
            "summary": card.title,
            "description": card.says,
            "requestBody": { "content": { "application/json": { "schema": input } } },
            "responses": responses,
        },
    });
    if card.writes
        && let Some(methods) = methods.as_object_mut()
    {
        methods.remove("get");
    }
    methods
}

/// The schema without its own definitions, which go among the shared ones.
fn shared(mut schema: Value, schemas: &mut Map<String, Value>) -> Value {
    if let Value::Object(object) = &mut schema {
        object.remove("$schema");
        if let Some(Value::Object(definitions)) = object.remove("$defs") {
            for (name, mut definition) in definitions {
                redirect(&mut definition);
                schemas.insert(name, definition);
            }
        }
    }
    redirect(&mut schema);
    schema
}

fn redirect(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(reference)) = object.get_mut("$ref")
                && let Some(name) = reference.strip_prefix("#/$defs/")
            {
                *reference = format!("#/components/schemas/{name}");
            }
            object.values_mut().for_each(redirect);
        }
        Value::Array(items) => items.iter_mut().for_each(redirect),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
        match value {
            Value::Object(object) => {
                found.extend(object.get("$ref").and_then(Value::as_str));
                object.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = document("1");
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(found.iter().any(|reference| reference.ends_with("/Hit")), "{found:?}");
        for reference in found {
            let pointer = reference.strip_prefix('#').unwrap_or_default();
            assert!(document.pointer(pointer).is_some_and(Value::is_object), "{reference}");
        }
    }

    #[test]
    fn every_tool_is_there_with_every_argument() {
        let document = document("1");
        for card in TOOLS {
            let path = &document["paths"][format!("/v1/{}", card.name)];
            assert_eq!(path["get"].is_null(), card.writes, "{}", card.name);
            let schema = &path["post"]["responses"]["200"]["content"]["application/json"]["schema"];
            assert_eq!(schema["type"], "object", "{}", card.name);
            if card.writes {
                continue;
            }
            let names: Vec<&str> = path["get"]["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|parameter| parameter["name"].as_str())
                .collect();
            let declared: Vec<&str> = card.arguments.iter().map(|argument| argument.name).collect();
            assert_eq!(names, declared, "{}", card.name);
        }
    }
}
