//! The parameters of a request, as its text has them.

use std::fmt;

use archy_assistant::Shown;
use archy_wire::{Code, Fault};
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Reads the parameters of a request from its text: an object, or nothing where they are absent, `null` or `[]`. A
/// dispatcher that reads a request itself leaves them as text for this: a [`Value`] keeps of two parameters of one name the
/// last, and whoever looks at the request before may have seen the first.
///
/// # Errors
///
/// [`Code::BadParams`] for parameters by position, and for one that is given twice.
pub fn params(text: Option<&str>) -> Result<Value, Fault> {
    let Some(text) = text else { return Ok(Value::Null) };
    let mut reading = serde_json::Deserializer::from_str(text);
    let value = reading.deserialize_any(Named).map_err(bad)?;
    reading.end().map_err(bad)?;
    Ok(value)
}

/// The parameters as those of one method.
pub(crate) fn read<T: DeserializeOwned>(params: Value) -> Result<T, Fault> {
    let named = match params {
        Value::Null => Map::new(),
        Value::Object(named) => named,
        _ => return Err(Fault::new(Code::BadParams, BY_NAME)),
    };
    serde_json::from_value(Value::Object(named)).map_err(bad)
}

const BY_NAME: &str = "parameters go by name, as an object";

/// The words may repeat a name or a value of the request.
#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn bad(error: serde_json::Error) -> Fault {
    Fault::new(Code::BadParams, Shown::line(&error.to_string()).to_string())
}

/// What has names, each once. What the values are is the method's to say.
struct Named;

impl<'de> Visitor<'de> for Named {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(BY_NAME)
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        match items.next_element::<Value>()? {
            None => Ok(Value::Null),
            Some(_) => Err(A::Error::custom(BY_NAME)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut named = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            if named.contains_key(&name) {
                return Err(A::Error::custom(format_args!("`{name}` is given twice")));
            }
            named.insert(name, entries.next_value()?);
        }
        Ok(Value::Object(named))
    }
}
