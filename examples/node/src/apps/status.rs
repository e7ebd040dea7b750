use super::record::Record;

/// An app and how it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct App {
    /// Names it for ever; strict, unless its manifest's file name is what is broken.
    pub id: String,
    /// What people call it: other people's text. For a broken app, its id.
    pub name: String,
    /// What people also call it: other people's text.
    pub aliases: Vec<String>,
    /// Ids of what is started before it.
    pub depends_on: Vec<String>,
    /// How it is.
    pub status: Status,
}

/// How an app is, as observed now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Its main process lives.
    Running(Running),
    /// It never ran, was stopped, or the machine booted since.
    Stopped,
    /// It ended by itself.
    Exited {
        /// Its code, 128 and the signal's number if a signal ended it; `None` if nobody saw it end.
        code: Option<i32>,
    },
    /// It cannot be started.
    Broken {
        /// Why; it may quote the manifest.
        reason: String,
        /// It runs all the same: its manifest broke later. It can be stopped.
        running: Option<Running>,
    },
}

/// A running app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Its main process.
    pub pid: u32,
    /// When it started, in seconds since 1970.
    pub since: u64,
    /// Its port on 127.0.0.1, if its command asks for one.
    pub port: Option<u16>,
}

impl Running {
    pub(super) fn of(record: &Record) -> Self {
        Self { pid: record.identity.pid, since: record.since, port: record.port }
    }

    /// Where its page is, if it has a port.
    pub fn url(&self) -> Option<String> {
        self.port.map(|port| format!("http://127.0.0.1:{port}/"))
    }
}

/// What a restart did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restarted {
    /// The process that was stopped, `None` if the app did not run.
    pub stopped: Option<u32>,
    /// The one that runs now.
    pub running: Running,
}
