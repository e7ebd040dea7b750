//! A home that exists in memory only, read from a `home.toml`: what request cases speak about, with nothing behind it.
//!
//! It gives every trait of the assistant's host. What the file does not say is made up and always the same.

mod apps;
mod files;
mod machine;
mod settings;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use archy_assistant::host::Running;
use archy_assistant::{Answer, FirstTools, GrantSource, Timestamp};
use serde::Deserialize;

/// When everything in it began.
const BEGAN: Timestamp = Timestamp(1_796_068_812_000);

/// The home.
pub struct FakeHome {
    apps: Vec<AppEntry>,
    folders: Vec<String>,
    moving: Mutex<Moving>,
}

/// What changes.
struct Moving {
    settings: BTreeMap<String, String>,
    /// By id; an app that is not in it is stopped.
    running: BTreeMap<String, Running>,
    /// How many runs there have been.
    runs: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HomeFile {
    #[serde(default, rename = "app")]
    apps: Vec<AppEntry>,
    #[serde(default)]
    settings: BTreeMap<String, String>,
    #[serde(default)]
    folders: FolderNames,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct FolderNames {
    #[serde(default)]
    names: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AppEntry {
    id: String,
    name: String,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    depends_on: Vec<String>,
    #[serde(default)]
    stopped: bool,
}

impl FakeHome {
    /// Reads the text of a `home.toml`. Every app runs, unless it says `stopped = true`.
    ///
    /// # Errors
    /// When it is no such file.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let HomeFile { apps, settings, folders } = toml::from_str(text)?;
        let mut moving = Moving { settings, running: BTreeMap::new(), runs: 0 };
        for app in apps.iter().filter(|app| !app.stopped) {
            moving.run(&app.id);
        }
        Ok(Self { apps, folders: folders.names, moving: Mutex::new(moving) })
    }

    /// All the tools over it but `assistant_status`, which needs to be told of its backends.
    pub fn tools(self: &Arc<Self>, grants: Arc<dyn GrantSource>) -> FirstTools {
        FirstTools::new()
            .apps(Arc::clone(self) as _)
            .app_control(Arc::clone(self) as _)
            .settings(Arc::clone(self) as _)
            .setting_control(Arc::clone(self) as _)
            .system(Arc::clone(self) as _)
            .network(Arc::clone(self) as _)
            .peers(Arc::clone(self) as _)
            .files(Arc::clone(self) as _)
            .notes(Arc::clone(self) as _)
            .bitcoin(Arc::clone(self) as _)
            .balances(Arc::clone(self) as _)
            .search(grants)
    }

    fn moving(&self) -> MutexGuard<'_, Moving> {
        self.moving.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Moving {
    fn run(&mut self, app: &str) -> Running {
        self.runs += 1;
        let since = Timestamp(BEGAN.0 + u64::from(self.runs) * 1000);
        let running = Running { since: Some(since), pid: Some(1000 + self.runs) };
        self.running.insert(app.to_owned(), running);
        running
    }
}

fn ready<'a, T: Send + 'a>(answer: T) -> Answer<'a, T> {
    Box::pin(async move { Ok(answer) })
}

#[cfg(test)]
mod tests;
