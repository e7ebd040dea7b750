//! One thing that was looked at.

use std::fmt;

use serde::Serialize;

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// As it should be.
    Ok,
    /// It may be meant so, or could not be looked at.
    Warn,
    /// Not as it should be.
    Fail,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "FAIL",
        })
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    /// The stable name of what is looked at; one may come several times, for several faults.
    pub(crate) name: &'static str,
    pub(crate) state: State,
    /// What was looked at, and what was found.
    pub(crate) says: String,
    /// What to do; absent where all is well.
    pub(crate) remedy: Option<String>,
}

impl Check {
    pub(super) fn ok(name: &'static str, says: impl Into<String>) -> Self {
        Self { name, state: State::Ok, says: says.into(), remedy: None }
    }

    pub(super) fn warn(name: &'static str, says: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, state: State::Warn, says: says.into(), remedy: Some(remedy.into()) }
    }

    pub(super) fn fail(name: &'static str, says: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, state: State::Fail, says: says.into(), remedy: Some(remedy.into()) }
    }
}
