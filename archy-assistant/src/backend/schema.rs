//! A JSON schema cut to what every vendor takes.
//!
//! Ollama keeps `type`, `properties`, `required`, `items`, and of a property also `description`, `enum` and `anyOf`; all
//! else is lost on the way there, or refused elsewhere. What can be said otherwise is: a constant becomes an `enum`, a `null` beside
//! another type goes (`required` says the same), and a bound becomes words in the description.

use serde_json::{Map, Value, json};

use crate::{Offer, SlotKind};

/// The `parameters` of a tool, with what may be named where that is a closed list that never changes. Live candidates
/// stay out: they say what the node has.
pub(crate) fn parameters(offer: &Offer) -> Value {
    let mut parameters = of_arguments(&offer.schema);
    for (slot, candidates) in offer.spec.slots().iter().zip(&offer.candidates) {
        let closed = matches!(slot.kind, SlotKind::Fixed(_)) && candidates.iter().all(|one| !one.any_words);
        let property = &mut parameters["properties"][slot.name];
        if closed && property["type"] == "string" && property["enum"].is_null() {
            property["enum"] = candidates.iter().map(|one| &*one.value).collect();
        }
    }
    parameters
}

/// Always an object, always with its `properties`, never a choice: some refuse one at the top.
fn of_arguments(schema: &Value) -> Value {
    let mut cut = property(schema);
    cut.remove("description");
    cut.remove("anyOf");
    cut.insert("type".to_owned(), json!("object"));
    cut.entry("properties").or_insert_with(|| json!({}));
    Value::Object(cut)
}

fn property(schema: &Value) -> Map<String, Value> {
    // `true` means anything; a schema that is no object cannot be sent.
    let Some(schema) = schema.as_object() else { return Map::new() };
    if let Some(choice) = only_choice(schema) {
        return choice;
    }
    let mut cut = Map::new();
    for (key, value) in schema {
        match (&**key, value) {
            ("type", value) => insert(&mut cut, key, without_null(value)),
            ("properties", Value::Object(parts)) => {
                let parts = parts.iter().map(|(name, part)| (name.clone(), Value::Object(property(part))));
                cut.insert(key.clone(), Value::Object(parts.collect()));
            }
            ("items", items) => insert(&mut cut, key, Value::Object(property(items))),
            ("required" | "enum", value) => insert(&mut cut, key, value.clone()),
            ("const", value) => insert(&mut cut, "enum", json!([value])),
            ("anyOf" | "oneOf", Value::Array(choices)) => {
                let choices = choices.iter().map(|choice| Value::Object(property(choice)));
                insert(&mut cut, "anyOf", choices.collect());
            }
            _ => {}
        }
    }
    let words = [schema.get("description").and_then(Value::as_str).map(str::to_owned), bounds(schema)];
    let words: Vec<String> = words.into_iter().flatten().collect();
    if !words.is_empty() {
        insert(&mut cut, "description", json!(words.join(" ")));
    }
    cut
}

fn insert(cut: &mut Map<String, Value>, key: &str, value: Value) {
    cut.insert(key.to_owned(), value);
}

/// Choices that are one in truth: a single one beside `null`, or constants that form an `enum`.
fn only_choice(schema: &Map<String, Value>) -> Option<Map<String, Value>> {
    let choices = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| schema.get(*key)?.as_array())?;
    let choices: Vec<&Value> = choices.iter().filter(|choice| choice["type"] != "null").collect();
    let constants: Option<Vec<&Value>> = choices.iter().map(|choice| choice.get("const")).collect();
    let told = |choice: &&Value| Some(format!("{}: {}", choice["const"], choice["description"].as_str()?));
    let (mut one, told) = match (&*choices, constants) {
        ([one], _) => (property(one), String::new()),
        (_, Some(constants)) if !constants.is_empty() => {
            let mut one = Map::new();
            if constants.iter().all(|constant| constant.is_string()) {
                insert(&mut one, "type", json!("string"));
            }
            insert(&mut one, "enum", json!(constants));
            (one, choices.iter().filter_map(told).collect::<Vec<_>>().join("; "))
        }
        _ => return None,
    };
    let own = one.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let about = schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let words = [about, own, told, bounds(schema).unwrap_or_default()];
    let words: Vec<String> = words.into_iter().filter(|words| !words.is_empty()).collect();
    if !words.is_empty() {
        insert(&mut one, "description", json!(words.join(" ")));
    }
    Some(one)
}

/// `["string", "null"]` is a string that need not be given.
fn without_null(types: &Value) -> Value {
    let Some(many) = types.as_array() else { return types.clone() };
    let many: Vec<&Value> = many.iter().filter(|one| *one != "null").collect();
    if let [one] = *many { one.clone() } else { json!(many) }
}

/// The bounds that have no field of their own, in words.
fn bounds(schema: &Map<String, Value>) -> Option<String> {
    const WORDS: [(&str, &str); 13] = [
        ("minimum", "at least "),
        ("exclusiveMinimum", "more than "),
        ("maximum", "at most "),
        ("exclusiveMaximum", "less than "),
        ("multipleOf", "a multiple of "),
        ("minLength", "characters: at least "),
        ("maxLength", "characters: at most "),
        ("minItems", "items: at least "),
        ("maxItems", "items: at most "),
        ("pattern", "matches "),
        ("format", "format "),
        ("default", "default "),
        ("examples", "for example "),
    ];
    let told = WORDS.iter().filter_map(|(key, words)| {
        let bound = schema.get(*key).filter(|bound| !bound.is_null())?;
        // The widths of Rust's numbers tell a model nothing.
        let is_width =
            *key == "format" && (schema["type"] != "string" && schema["type"] != json!(["string", "null"]));
        (!is_width).then(|| match bound {
            Value::String(text) => format!("{words}{text}"),
            Value::Array(many) => {
                format!("{words}{}", many.iter().map(Value::to_string).collect::<Vec<_>>().join(", "))
            }
            bound => format!("{words}{bound}"),
        })
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("({})", told.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_keeps_only_what_arrives() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Args", "description": "the struct's own docs", "type": "object", "additionalProperties": false,
            "properties": {
                "app": { "type": "string", "description": "Which app.", "minLength": 1, "maxLength": 64 },
                "lines": { "type": ["integer", "null"], "format": "uint32", "minimum": 1, "maximum": 500, "default": 50 },
                "level": { "description": "How bad.", "anyOf": [
                    { "oneOf": [
                        { "type": "string", "const": "all", "description": "Every line." },
                        { "type": "string", "const": "errors" },
                    ]},
                    { "type": "null" },
                ]},
                "at": { "type": "string", "format": "date-time", "pattern": "^2" },
                "kind": { "const": 3 },
                "tags": { "type": "array", "items": { "type": "string", "maxLength": 9 }, "maxItems": 3 },
                "either": { "anyOf": [{ "type": "string" }, { "type": "integer", "format": "int64" }], "default": null },
                "anything": true,
            },
            "required": ["app"],
        });
        let cut = json!({
            "type": "object",
            "properties": {
                "app": { "type": "string",
                    "description": "Which app. (characters: at least 1; characters: at most 64)" },
                "lines": { "type": "integer", "description": "(at least 1; at most 500; default 50)" },
                "level": { "type": "string", "enum": ["all", "errors"],
                    "description": "How bad. \"all\": Every line." },
                "at": { "type": "string", "description": "(matches ^2; format date-time)" },
                "kind": { "enum": [3] },
                "tags": { "type": "array", "description": "(items: at most 3)",
                    "items": { "type": "string", "description": "(characters: at most 9)" } },
                "either": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
                "anything": {},
            },
            "required": ["app"],
        });
        assert_eq!(of_arguments(&schema), cut);
    }

    #[test]
    fn a_tool_without_arguments_has_an_empty_object() {
        let empty = json!({ "type": "object", "properties": {} });
        for schema in
            [json!({}), json!(true), json!({ "type": "null" }), json!({ "type": "object", "title": "No" })]
        {
            assert_eq!(of_arguments(&schema), empty, "{schema}");
        }
    }
}
