//! Output schemas, and the values that obey them.
//!
//! On the wire of JSON Lines a missing value is `null`. Over MCP it is left out: a `null` costs
//! tokens and says nothing to a model. The schema is the one of the wire types with nullable fields
//! turned into optional ones, and without `format`, which some hosts refuse to know. Descriptions
//! stay only where a name does not say it: hosts exist that put output schemas before the model too,
//! and with all of them the list of tools was twice as long.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;

use super::JsonObject;

/// Fields whose name alone would mislead.
const TELLING: [&str; 7] = ["match", "excerpt", "text", "cursor", "cut", "path_bytes", "pending"];

/// The schema of `T` as [`plain`] writes it.
pub(crate) fn output<T: JsonSchema>() -> JsonObject {
    let schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    let mut value = schema.to_value();
    simplify(&mut value);
    let mut object = match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    };
    object.remove("$schema");
    object.remove("title");
    object
}

/// A value without its nulls.
pub(crate) fn plain<T: Serialize>(value: &T) -> Value {
    // Structs of strings, numbers and lists of such: JSON can say all of them.
    let mut value = serde_json::to_value(value).unwrap_or_default();
    remove_nulls(&mut value);
    value
}

fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|_, value| !value.is_null());
            object.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

/// Removes `format` and null from a schema; what could be null is no longer required.
fn simplify(schema: &mut Value) {
    let Value::Object(object) = schema else {
        if let Value::Array(items) = schema {
            items.iter_mut().for_each(simplify);
        }
        return;
    };
    object.remove("format");
    // What a whole object is stands in the description of the tool.
    if object.contains_key("properties") {
        object.remove("description");
    }
    if object.get("const").is_none() {
        // `minimum: 0` of unsigned numbers is noise in an output.
        object.remove("minimum");
        object.remove("maximum");
    }
    let mut nullable = Vec::new();
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for (name, property) in properties.iter_mut() {
            if make_solid(property) {
                nullable.push(Value::String(name.clone()));
            }
            simplify(property);
            if let Value::Object(property) = property
                && !TELLING.contains(&name.as_str())
            {
                property.remove("description");
            }
        }
    }
    if let Some(Value::Array(required)) = object.get_mut("required") {
        required.retain(|name| !nullable.contains(name));
    }
    for (name, value) in object.iter_mut() {
        if name != "properties" {
            simplify(value);
        }
    }
    // Under `$defs` stand schemas by name, which the loop above reached as an object of schemas.
}

/// Takes null out of what a property may be; says whether it was there.
fn make_solid(property: &mut Value) -> bool {
    let Value::Object(object) = property else { return false };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        let before = types.len();
        types.retain(|name| name != "null");
        let had_null = types.len() < before;
        if let [only] = &types[..] {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
        return had_null;
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        let before = choices.len();
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        let had_null = choices.len() < before;
        if let [Value::Object(only)] = &choices[..] {
            let only = only.clone();
            object.remove("anyOf");
            object.extend(only);
        }
        return had_null;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A thing.
    #[derive(Serialize, JsonSchema)]
    struct Inner {
        /// The name.
        name: Option<String>,
        /// Words of a file.
        excerpt: Option<String>,
        size: u64,
    }

    #[derive(Serialize, JsonSchema)]
    struct Outer {
        inner: Option<Inner>,
        list: Vec<Inner>,
        #[serde(skip_serializing_if = "Option::is_none")]
        skipped: Option<u32>,
    }

    #[test]
    fn nulls_go_from_schema_and_value_alike() {
        let schema = Value::Object(output::<Outer>());
        assert_eq!(schema["required"], json!(["list"]));
        assert_eq!(schema["properties"]["skipped"], json!({ "type": "integer" }));
        assert_eq!(schema["properties"]["inner"], json!({ "$ref": "#/$defs/Inner" }));
        assert_eq!(schema["$defs"]["Inner"]["required"], json!(["size"]));
        let inner = &schema["$defs"]["Inner"];
        assert_eq!(inner["properties"]["name"], json!({ "type": "string" }));
        let told = json!({ "type": "string", "description": "Words of a file." });
        assert_eq!((&inner["properties"]["excerpt"], inner.get("description")), (&told, None));
        let value =
            plain(&Outer { inner: None, list: vec![Inner { name: None, excerpt: None, size: 1 }], skipped: None });
        assert_eq!(value, json!({ "list": [{ "size": 1 }] }));
    }
}
