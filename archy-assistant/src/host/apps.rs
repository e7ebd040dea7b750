//! The node's apps: what they are and how they are ([`Apps`]), and starting and stopping them ([`AppControl`]).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Answer;
use crate::{Caller, Timestamp, Untrusted};

/// Names an app for ever: 1 to 63 of `a-z`, `0-9` and `-`, beginning with a letter or digit. Because nothing else can
/// stand in it, it is shown, sent and confirmed as the node's own word, unlike an app's name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct AppId(String);

/// An app's id is 1 to 63 of `a-z`, `0-9` and `-`, beginning with a letter or digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadAppId;

impl AppId {
    /// Takes an id from the host's own list.
    ///
    /// # Errors
    /// [`BadAppId`] when anything else could stand in it.
    pub fn new(id: impl Into<String>) -> Result<Self, BadAppId> {
        let id = id.into();
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let fine = id.len() <= 63
            && id.bytes().next().is_some_and(plain)
            && id.bytes().all(|byte| plain(byte) || byte == b'-');
        if fine { Ok(Self(id)) } else { Err(BadAppId) }
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for AppId {
    type Error = BadAppId;

    fn try_from(id: String) -> Result<Self, BadAppId> {
        Self::new(id)
    }
}

impl fmt::Display for AppId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for BadAppId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an app's id is 1 to 63 of a-z, 0-9 and -, beginning with a letter or digit")
    }
}

impl std::error::Error for BadAppId {}

/// An app and how it is.
#[derive(Debug, Clone, PartialEq)]
pub struct App {
    /// Names it for ever.
    pub id: AppId,
    /// What people call it, from its manifest.
    pub name: Untrusted,
    /// What people also call it.
    pub aliases: Vec<Untrusted>,
    /// How it is, as observed for this answer.
    pub state: AppState,
}

/// How an app is.
#[derive(Debug, Clone, PartialEq)]
pub enum AppState {
    /// Its main process or container lives.
    Running(Running),
    /// It was stopped, or never ran since the machine came up.
    Stopped,
    /// It ended by itself.
    Ended {
        /// With this code, where it is known.
        code: Option<i32>,
    },
    /// It cannot be started as it is.
    Broken {
        /// What is wrong with it.
        why: Untrusted,
        /// It runs all the same: it broke later.
        running: Option<Running>,
    },
}

impl AppState {
    /// What runs of it.
    pub fn running(&self) -> Option<&Running> {
        match self {
            Self::Running(running) => Some(running),
            Self::Broken { running, .. } => running.as_ref(),
            Self::Stopped | Self::Ended { .. } => None,
        }
    }

    /// The word for it: `running`, `stopped`, `failed` or `broken`.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Running(_) => "running",
            Self::Stopped => "stopped",
            Self::Ended { .. } => "failed",
            Self::Broken { .. } => "broken",
        }
    }
}

/// What tells one run of an app from the next. Two runs must differ in it and one run must read the same every time,
/// because a confirmed write is carried out only on the run that was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Running {
    /// Since when, where it is known.
    pub since: Option<Timestamp>,
    /// Its main process on this machine, where there is one.
    pub pid: Option<u32>,
}

/// An app, and what hangs on it.
#[derive(Debug, Clone, PartialEq)]
pub struct AppStatus {
    /// The app.
    pub app: App,
    /// The apps that starting it also starts where they do not run.
    pub needs: Vec<AppId>,
    /// The apps that need it, directly or through others: they lose it while it is away.
    pub dependents: Vec<AppId>,
    /// How long a restart takes, in seconds, where the host has an idea.
    pub restart_seconds: Option<u64>,
}

/// What a start, stop or restart did, as it was *observed* at its beginning and its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observed {
    /// What ran before; nothing, if it did not run.
    pub before: Option<Running>,
    /// What runs now.
    pub after: Option<Running>,
}

/// Reads the apps.
///
/// Called by the tools `apps_list`, `app_status` and `app_logs`, by every write when it is planned (twice per confirmed
/// write), and once per request for the names that people may say. Each call may be dropped at any moment.
///
/// ```
/// use archy_assistant::host::{App, AppId, AppState, AppStatus, Apps};
/// use archy_assistant::{Answer, Caller, HostError, Source, Untrusted};
///
/// struct OneApp;
///
/// impl OneApp {
///     fn app(&self) -> App {
///         App {
///             id: AppId::new("hello").expect("a literal id"),
///             name: Untrusted::new("Hello", Source::AppName),
///             aliases: vec![],
///             state: AppState::Stopped,
///         }
///     }
/// }
///
/// impl Apps for OneApp {
///     fn list<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<App>> {
///         Box::pin(async move { Ok(vec![self.app()]) })
///     }
///     fn status<'a>(&'a self, _: &'a Caller, app: &'a AppId) -> Answer<'a, AppStatus> {
///         Box::pin(async move {
///             if app.as_str() != "hello" {
///                 return Err(HostError::new("there is no such app"));
///             }
///             Ok(AppStatus { app: self.app(), needs: vec![], dependents: vec![], restart_seconds: Some(2) })
///         })
///     }
///     fn logs<'a>(&'a self, _: &'a Caller, app: &'a AppId, lines: usize) -> Answer<'a, Vec<Untrusted>> {
///         let text = ["starting", "ready"].into_iter().take(lines);
///         let lines = text.map(|line| Untrusted::new(line, Source::Log(app.to_string()))).collect();
///         Box::pin(async move { Ok(lines) })
///     }
/// }
/// ```
pub trait Apps: Send + Sync + 'static {
    /// All apps that this caller may know of, in a stable order.
    ///
    /// # Errors
    /// When none can be listed; one broken app is listed as [`AppState::Broken`].
    fn list<'a>(&'a self, caller: &'a Caller) -> Answer<'a, Vec<App>>;

    /// One app of the list.
    ///
    /// # Errors
    /// When there is none with this id (any more), or its state cannot be read.
    fn status<'a>(&'a self, caller: &'a Caller, app: &'a AppId) -> Answer<'a, AppStatus>;

    /// The last `lines` lines that the app wrote, oldest first, each with [`Source::Log`](crate::Source::Log).
    ///
    /// # Errors
    /// When there is no such app, or its log cannot be read; an app that wrote nothing has an empty log.
    fn logs<'a>(&'a self, caller: &'a Caller, app: &'a AppId, lines: usize) -> Answer<'a, Vec<Untrusted>>;
}

/// Starts and stops apps. Only the three tools that ask a person first are given it.
///
/// Called once for each confirmed write, right after [`Apps::status`] has shown the same state as when it was proposed.
/// It returns when the change is done and says what it *saw*, never what it meant to do. If the call is dropped, the
/// host decides whether what began is finished; the assistant then calls the outcome unknown and never repeats it.
pub trait AppControl: Send + Sync + 'static {
    /// Starts the app, and first what it needs.
    ///
    /// # Errors
    /// When it does not run afterwards.
    fn start<'a>(&'a self, caller: &'a Caller, app: &'a AppId) -> Answer<'a, Observed>;

    /// Stops the app and leaves those alone that need it.
    ///
    /// # Errors
    /// When it still runs afterwards.
    fn stop<'a>(&'a self, caller: &'a Caller, app: &'a AppId) -> Answer<'a, Observed>;

    /// Stops the app and starts it again.
    ///
    /// # Errors
    /// When it does not run afterwards: the sentence then says so.
    fn restart<'a>(&'a self, caller: &'a Caller, app: &'a AppId) -> Answer<'a, Observed>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_cannot_say_anything() {
        for id in ["a", "0-9", "home-assistant", &"x".repeat(63)] {
            assert_eq!(AppId::new(id).map(|id| id.to_string()), Ok(id.to_owned()));
        }
        for id in ["", "-a", "A", "a b", "..", "a/b", "ä", "a\n", "a_b", &"x".repeat(64)] {
            assert_eq!(AppId::new(id), Err(BadAppId), "{id:?}");
        }
        assert!(serde_json::from_str::<AppId>("\"a b\"").is_err(), "reading one back checks it too");
    }
}
