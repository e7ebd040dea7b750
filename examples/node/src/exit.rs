//! How a command ends: one code for each way, and one sentence.

use std::fmt;
use std::process::ExitCode;

use archy_assistant::{OpenError, Refused, StoreError};

use crate::apps::AppsError;

/// The ways in which a command ends. The numbers are stable, and so are the names in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub(crate) enum Exit {
    /// Everything was done.
    Done = 0,
    /// Something went wrong that is none of the others.
    Failed = 1,
    /// What was given cannot be used: a flag, a file, a directory.
    BadInput = 2,
    /// The request needs a category that the owner has not opened.
    Closed = 3,
    /// A person must decide, and there is no terminal to ask one.
    NeedsPerson = 4,
    /// No backend could answer.
    NoAnswer = 5,
    /// The person said no, or did not decide in time.
    NotAgreed = 6,
    /// Something was begun, and nobody knows whether it happened.
    OutcomeUnknown = 7,
    /// Too much was going on at once, also after a while.
    Busy = 8,
    /// Ctrl-C.
    Cancelled = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command did not do it: the way in which it ends, and one sentence for the person.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Trouble {
    pub(crate) exit: Exit,
    pub(crate) says: String,
}

impl Trouble {
    pub(crate) fn new(exit: Exit, says: impl Into<String>) -> Self {
        Self { exit, says: says.into() }
    }

    pub(crate) fn failed(says: impl Into<String>) -> Self {
        Self::new(Exit::Failed, says)
    }

    /// What a command writes that was to write JSON.
    pub(crate) fn document(&self) -> serde_json::Value {
        serde_json::json!({"version": 1, "exit": self.exit, "error": self.says})
    }

    pub(crate) fn bad_input(says: impl Into<String>) -> Self {
        Self::new(Exit::BadInput, says)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.says)
    }
}

impl std::error::Error for Trouble {}

impl From<&StoreError> for Exit {
    /// What its owner can set right by pointing elsewhere or making room is bad input.
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::Full(_) | StoreError::Denied(_) | StoreError::Damaged(_) | StoreError::Newer(_) => {
                Self::BadInput
            }
            _ => Self::Failed,
        }
    }
}

impl From<Refused> for Trouble {
    fn from(refused: Refused) -> Self {
        let exit = match &refused {
            Refused::Unknown | Refused::Length(_) => Exit::BadInput,
            Refused::Store(error) => error.into(),
            Refused::TooMany | Refused::Busy => Exit::Busy,
            _ => Exit::Failed,
        };
        Self::new(exit, refused.to_string())
    }
}

impl From<AppsError> for Trouble {
    fn from(error: AppsError) -> Self {
        let exit = match &error {
            AppsError::Unknown { .. } | AppsError::Broken { .. } | AppsError::Storage { .. } => {
                Exit::BadInput
            }
            _ => Exit::Failed,
        };
        Self::new(exit, error.to_string())
    }
}

impl From<OpenError> for Trouble {
    fn from(error: OpenError) -> Self {
        let exit = match &error {
            OpenError::Store(error) => error.into(),
            _ => Exit::Failed,
        };
        Self::new(exit, error.to_string())
    }
}
