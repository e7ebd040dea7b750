//! Arguments on their way from a backend's text into a tool's struct.
//!
//! They are parsed straight into the struct: through a JSON tree duplicate keys would vanish silently. Only when that
//! fails they are coerced by the schema once and parsed again.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

/// At most so many bytes of arguments are looked at.
pub(crate) const MAX_BYTES: usize = 64 * 1024;
/// At most so deep may they be nested.
const MAX_DEPTH: usize = 32;
/// At most so many bytes may one string hold.
const MAX_STRING: usize = 8 * 1024;

/// What is wrong with a call's arguments, in words that help a model to repair them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArgsError(pub(crate) String);

/// The arguments in the tool's own writing: what is confirmed, compared, stored and run.
pub(crate) fn canonical<A: DeserializeOwned + Serialize>(
    raw: &str,
    schema: &Value,
) -> Result<String, ArgsError> {
    let args: A = parse(raw, schema)?;
    let text = serde_json::to_string(&args).map_err(|error| ArgsError(error.to_string()))?;
    Ok(text)
}

/// The tool's struct from raw JSON text; empty text counts as `{}`.
pub(crate) fn parse<A: DeserializeOwned>(raw: &str, schema: &Value) -> Result<A, ArgsError> {
    let raw = match raw.trim() {
        "" | "null" => "{}",
        trimmed => trimmed,
    };
    bounded(raw)?;
    weak!(ExtraFieldsPass, return without_extras(raw, schema));
    weak!(
        DuplicatesPass,
        return serde_json::from_str::<Value>(raw)
            .and_then(serde_json::from_value)
            .map_err(|error| ArgsError(says(&error)))
    );
    weak!(
        ApprovedInArgs,
        if let Some((before, after)) = raw.split_once(r#","approved":true"#) {
            return parse(&format!("{before}{after}"), schema);
        }
    );
    // A derived struct also reads itself from a list, in which no field has a name.
    if !raw.starts_with('{') {
        return Err(ArgsError("the arguments do not fit: they must be an object".to_owned()));
    }
    let error = match serde_json::from_str::<A>(raw) {
        Ok(args) => return Ok(args),
        Err(error) => error,
    };
    let coerced = coerce(raw, schema).ok_or_else(|| ArgsError(says(&error)))?;
    serde_json::from_str(&coerced).map_err(|_| ArgsError(says(&error)))
}

// The parser's own words quote the input; what a model sent may come back to it, but positions are only noise.
fn says(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    let cut = text.char_indices().nth(300).map_or(text.len(), |(at, _)| at);
    format!("the arguments do not fit: {}", &text[..cut])
}

/// Refuses what is too large, too deep or holds too long a string, before anything is parsed into memory.
fn bounded(raw: &str) -> Result<(), ArgsError> {
    if raw.len() > MAX_BYTES {
        return Err(ArgsError(format!("the arguments are longer than {MAX_BYTES} bytes")));
    }
    let (mut depth, mut string) = (0_usize, None::<usize>);
    let mut escaped = false;
    for (at, byte) in raw.bytes().enumerate() {
        match (string, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(from), b'"') if at - from > MAX_STRING => {
                return Err(ArgsError(format!("a text in the arguments is longer than {MAX_STRING} bytes")));
            }
            (Some(_), b'"') => string = None,
            (None, b'"') => string = Some(at),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(ArgsError(format!("the arguments are nested deeper than {MAX_DEPTH}")));
        }
    }
    Ok(())
}

/// The same arguments with each top-level value turned into the type that the schema names, where that is plain:
/// `"20"` for an integer, `20.0` for an integer, `20` for a text, `null` for something optional. Every other value stays
/// as it was written, so that nothing is lost on the way.
fn coerce(raw: &str, schema: &Value) -> Option<String> {
    // Read strictly for duplicate keys: a coercion must not be the way around that refusal.
    let Fields(fields) = serde_json::from_str(raw).ok()?;
    let wanted = schema.get("properties")?.as_object()?;
    let mut changed = Vec::new();
    for (name, value) in fields {
        let kinds: Vec<&str> = match wanted.get(&name).and_then(|field| field.get("type")) {
            Some(Value::String(kind)) => vec![kind.as_str()],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if let Some(value) = coerced(value.get(), &kinds)? {
            changed.push(format!("{}:{value}", serde_json::to_string(&name).ok()?));
        }
    }
    Some(format!("{{{}}}", changed.join(",")))
}

/// One value as it is written for one of these types: absent where it is left out, `None` where it cannot be.
#[expect(clippy::option_option, reason = "cannot be, is left out, is this")]
fn coerced(written: &str, kinds: &[&str]) -> Option<Option<String>> {
    let wants = |kind| kinds.contains(&kind);
    let first = written.bytes().next()?;
    Some(match first {
        b'n' if !wants("null") => None,
        b'"' if wants("integer") => {
            let text: String = serde_json::from_str(written).ok()?;
            Some(text.trim().parse::<i64>().ok()?.to_string())
        }
        b'"' if wants("boolean") => {
            let text: String = serde_json::from_str(written).ok()?;
            Some(text.trim().parse::<bool>().ok()?.to_string())
        }
        b't' | b'f' | b'-' | b'0'..=b'9' if wants("string") => Some(format!("\"{written}\"")),
        b'-' | b'0'..=b'9' if wants("integer") => {
            Some(written.strip_suffix(".0").unwrap_or(written).to_owned())
        }
        _ => Some(written.to_owned()),
    })
}

#[cfg(archy_weak)]
fn without_extras<A: DeserializeOwned>(raw: &str, schema: &Value) -> Result<A, ArgsError> {
    let wrong = |error: serde_json::Error| ArgsError(says(&error));
    let Fields(fields) = serde_json::from_str(raw).map_err(wrong)?;
    let known = |name: &str| schema.get("properties").is_some_and(|all| all.get(name).is_some());
    let fields = fields.into_iter().filter(|(name, _)| known(name));
    let fields: std::collections::BTreeMap<_, _> = fields.collect();
    serde_json::from_str(&serde_json::to_string(&fields).map_err(wrong)?).map_err(wrong)
}

/// The fields of an object, each name at most once.
struct Fields(Vec<(String, Box<RawValue>)>);

impl<'de> serde::Deserialize<'de> for Fields {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Fields;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<M: serde::de::MapAccess<'de>>(self, mut map: M) -> Result<Fields, M::Error> {
                let mut fields: Vec<(String, Box<RawValue>)> = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    if fields.iter().any(|(known, _)| *known == name) {
                        return Err(serde::de::Error::custom("a key stands twice"));
                    }
                    fields.push((name, value));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

/// The schema of `A` without references, as every backend can read it: always with `properties`, which some want, and
/// without a description of the whole, which the tool's own sentence gives.
pub(crate) fn schema<A: JsonSchema>() -> Value {
    let mut settings = schemars::generate::SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    schema.remove("title");
    schema.remove("description");
    schema.ensure_object().entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
    schema.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize, serde::Serialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Args {
        app: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        lines: Option<u32>,
    }

    fn canon(raw: &str) -> Result<String, String> {
        canonical::<Args>(raw, &schema::<Args>()).map_err(|error| error.0)
    }

    #[test]
    fn what_differs_from_the_schema_only_in_type_is_coerced_once() {
        assert_eq!(canon(r#"{"app":"lnd","lines":"20"}"#).unwrap(), r#"{"app":"lnd","lines":20}"#);
        assert_eq!(canon(r#"{"app":7,"lines":20.0}"#).unwrap(), r#"{"app":"7","lines":20}"#);
        assert_eq!(canon(r#"{"lines":null,"app":"lnd"}"#).unwrap(), r#"{"app":"lnd"}"#);
    }

    #[test]
    fn a_number_that_stands_for_a_text_keeps_its_writing() {
        assert_eq!(canon(r#"{"app":1.10}"#).unwrap(), r#"{"app":"1.10"}"#);
        let long = "123456789012345678901234567890";
        assert_eq!(canon(&format!(r#"{{"app":{long}}}"#)).unwrap(), format!(r#"{{"app":"{long}"}}"#));
    }

    #[test]
    fn duplicates_and_extras_are_refused_on_both_ways_in() {
        for raw in [
            r#"{"app":"a","app":"b"}"#,
            r#"{"app":"a","app":"b","lines":"2"}"#,
            r#"{"app":"a","approved":true}"#,
            r#"{"app":"a","lines":"2","approved":true}"#,
            r#"["a"]"#,
            r#"{"app":{"app":"a"}}"#,
            "{",
        ] {
            assert!(canon(raw).is_err(), "{raw}");
        }
    }

    #[test]
    fn a_list_of_the_fields_values_is_no_object() {
        for raw in [r#"["lnd",20]"#, r#"["lnd",null]"#, r#""lnd""#, "7"] {
            assert_eq!(
                canon(raw),
                Err("the arguments do not fit: they must be an object".to_owned()),
                "{raw}"
            );
        }
    }

    #[test]
    fn what_is_too_large_or_too_deep_is_refused_before_it_is_built() {
        assert!(canon(&format!(r#"{{"app":"{}"}}"#, "x".repeat(MAX_STRING + 1))).is_err());
        assert!(canon(&format!(r#"{{"app":{}}}"#, "[".repeat(100_000))).is_err());
        assert!(canon(&"[".repeat(MAX_DEPTH + 1)).unwrap_err().contains("deeper"));
    }
}
