//! A set of requests: one JSON object per line.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::exit::Trouble;

/// One case.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) id: String,
    /// What is said, turn by turn, in one conversation.
    pub(crate) say: Vec<String>,
    pub(crate) expect: Expect,
}

/// What must come of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Expect {
    /// Exactly these calls.
    Calls(Vec<Call>),
    /// `"ask"`, a question back at the end; or `"none"`, no call at all.
    Word(Word),
}

/// See [`Expect::Word`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Word {
    Ask,
    None,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    pub(crate) tool: String,
    pub(crate) args: Map<String, Value>,
}

// By hand, so that what is wrong is told and not only that neither fits.
impl<'de> Deserialize<'de> for Expect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let read = match value {
            Value::String(_) => Word::deserialize(value).map(Self::Word),
            value => Vec::deserialize(value).map(Self::Calls),
        };
        read.map_err(serde::de::Error::custom)
    }
}

/// Reads a set; empty lines count for nothing.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Vec<Case>, Trouble> {
    let mut cases: Vec<Case> = Vec::new();
    for (place, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let wrong = |why: &str| Trouble::bad_input(format!("{name}, line {}: {why}", place + 1));
        if line.trim_ascii().is_empty() {
            continue;
        }
        let case: Case = serde_json::from_slice(line).map_err(|error| wrong(&error.to_string()))?;
        if case.say.is_empty() {
            return Err(wrong("nothing is said in it"));
        }
        if cases.iter().any(|other| other.id == case.id) {
            return Err(wrong(&format!("the id {:?} was there before", case.id)));
        }
        cases.push(case);
    }
    if cases.is_empty() {
        return Err(Trouble::bad_input(format!("{name} holds no case")));
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_names_the_line() {
        let fine = r#"{"id":"a","say":["x"],"expect":"none"}"#;
        for (text, wrong) in [
            (format!("{fine}\n\n{fine}\n"), "set, line 3: the id \"a\" was there before"),
            ("{\"id\":\"a\",\"say\":[],\"expect\":[]}".to_owned(), "set, line 1: nothing is said in it"),
            ("\n \n".to_owned(), "set holds no case"),
        ] {
            assert_eq!(read("set", text.as_bytes()).unwrap_err().says, wrong);
        }
        for line in [
            &b"\xff"[..],
            b"{}",
            br#"{"id":"a","say":["x"],"expect":"perhaps"}"#,
            br#"{"id":"a","say":["x"],"expect":[{"tool":"t"}]}"#,
        ] {
            let error = read("set", line).unwrap_err().says;
            assert!(error.starts_with("set, line 1: "), "{error}");
        }
    }
}
