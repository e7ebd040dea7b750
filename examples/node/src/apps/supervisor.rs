use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::catalog::Catalog;
use super::manifest::{self, Manifest, is_id};
use super::record::{Ended, Record};
use super::status::{App, Restarted, Running, Status};
use super::{AppsError, folder, log, restarts, start, stop};

/// For an app whose manifest no longer says.
const STOP_DEFAULT: Duration = Duration::from_secs(10);
const OPEN_PATIENCE: Duration = Duration::from_secs(15);

/// Starts, stops and finds the apps of one data directory.
///
/// It holds nothing but two paths: everything is read from the disk and from `/proc` when it is asked for, so clones,
/// threads and other processes agree, and dropping it leaves the apps running. All methods block, for a bounded time.
#[derive(Debug, Clone)]
pub struct Supervisor {
    apps: PathBuf,
    program: PathBuf,
}

impl Supervisor {
    /// Opens a data directory with the running program as the shim. A fresh one gets the demo app `hello`.
    ///
    /// # Errors
    /// `Storage`: the directory can be neither read nor created.
    pub fn open(data: &Path) -> Result<Self, AppsError> {
        let program =
            std::env::current_exe().map_err(AppsError::storage("find", Path::new("/proc/self/exe")))?;
        Self::open_with(data, &program)
    }

    /// Opens a data directory for a host that is not itself the node's program.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with(data: &Path, program: &Path) -> Result<Self, AppsError> {
        let data = std::path::absolute(data).map_err(AppsError::storage("find", data))?;
        let supervisor = Self { apps: data.join("apps"), program: program.to_owned() };
        let run = supervisor.apps.join("run");
        if !run.is_dir() {
            folder::create_private_dir(&supervisor.apps)?;
            let _lock = folder::lock(&supervisor.apps.join("open.lock"), OPEN_PATIENCE)?;
            let hello = supervisor.apps.join("hello.toml");
            if !run.is_dir() && !hello.exists() {
                folder::replace(&hello, manifest::HELLO.as_bytes())?;
            }
            // Last: where it is, the directory is not fresh, and a manifest that was taken away stays away.
            folder::create_private_dir(&run)?;
        }
        Ok(supervisor)
    }

    /// All apps by id, also those whose manifest is broken, or gone while they run.
    ///
    /// # Errors
    /// `Storage`: the manifests' directory cannot be read.
    pub fn apps(&self) -> Result<Vec<App>, AppsError> {
        let mut entries = self.catalog()?.0;
        let run = self.apps.join("run");
        for entry in fs::read_dir(&run).map_err(AppsError::storage("read", &run))? {
            let id =
                entry.map_err(AppsError::storage("read", &run))?.file_name().to_string_lossy().into_owned();
            if is_id(&id)
                && !entries.contains_key(&id)
                && self.running(&id).is_ok_and(|running| running.is_some())
            {
                entries.insert(id, Err("its manifest is gone".to_owned()));
            }
        }
        Ok(entries.into_iter().map(|(id, manifest)| self.app(id, manifest)).collect())
    }

    fn app(&self, id: String, manifest: Result<Manifest, String>) -> App {
        let broken = |reason| Status::Broken { reason, running: self.running(&id).unwrap_or_default() };
        match manifest {
            Ok(Manifest { name, aliases, depends_on, .. }) => {
                let status = self.status(&id).unwrap_or_else(|error| broken(error.to_string()));
                App { id, name, aliases, depends_on, status }
            }
            Err(reason) => {
                let status = broken(reason);
                App { name: id.clone(), id, aliases: Vec::new(), depends_on: Vec::new(), status }
            }
        }
    }

    fn status(&self, id: &str) -> Result<Status, AppsError> {
        let Some(record) = Record::read(&self.folder(id)?)? else { return Ok(Status::Stopped) };
        if record.process()?.is_some() {
            return Ok(Status::Running(Running::of(&record)));
        }
        Ok(match record.ended {
            Some(Ended::Exited(code)) => Status::Exited { code: Some(code) },
            // Nobody was left to see it end.
            None if record.identity.is_of_this_boot().unwrap_or(true) => Status::Exited { code: None },
            Some(Ended::Stopped) | None => Status::Stopped,
        })
    }

    fn running(&self, id: &str) -> Result<Option<Running>, AppsError> {
        let Some(record) = Record::read(&self.folder(id)?)? else { return Ok(None) };
        Ok(record.process()?.map(|_| Running::of(&record)))
    }

    /// Starts an app and first what it depends on; returns when it runs (and its port answers). One that runs is left
    /// alone.
    ///
    /// # Errors
    /// `Unknown`; `Broken`, also of a dependency; `Busy`; `StartFailed`: nothing runs; `NotAnswering`: it does run;
    /// `Storage`.
    pub fn start(&self, id: &str) -> Result<Running, AppsError> {
        let catalog = self.catalog()?;
        self.start_needs(&catalog, id)?;
        let manifest = catalog.get(id)?;
        let (folder, _lock) = self.lock(id, manifest.stop())?;
        start::start(&self.program, manifest, &folder)
    }

    /// Starts every app that wants to run when the node does, but for those that a person stopped. Returns
    /// those that failed, and why.
    ///
    /// # Errors
    /// `Storage`: the manifests' directory cannot be read.
    pub fn autostart(&self) -> Result<Vec<(String, AppsError)>, AppsError> {
        let stopped = |id: &str| {
            let record = self.folder(id).and_then(|folder| Record::read(&folder));
            record.is_ok_and(|record| record.is_some_and(|record| record.ended == Some(Ended::Stopped)))
        };
        let apps = self.catalog()?.0.into_values().filter_map(Result::ok);
        let wanted = apps.filter(|app| app.autostart && !stopped(&app.id));
        Ok(wanted.filter_map(|app| self.start(&app.id).err().map(|error| (app.id, error))).collect())
    }

    /// Stops an app: SIGTERM to its session, SIGKILL after its manifest's `stop_seconds`; returns its pid once it is
    /// gone, `None` if it did not run. Apps that depend on it are left alone, see [`Self::dependents`].
    ///
    /// # Errors
    /// `Unknown`, `Busy`, `StillRunning`, `Storage`. A broken manifest is none.
    pub fn stop(&self, id: &str) -> Result<Option<u32>, AppsError> {
        let stop = match self.catalog()?.get(id) {
            Ok(manifest) => manifest.stop(),
            Err(error) if self.running(id)?.is_none() => return Err(error),
            Err(_) => STOP_DEFAULT,
        };
        let (folder, _lock) = self.lock(id, stop)?;
        stop::stop(id, &folder, stop)
    }

    /// Stops an app and starts it again, with nobody else between; one that did not run is started.
    ///
    /// # Errors
    /// As [`Self::stop`] and [`Self::start`]. What can be known to be wrong is so before anything is stopped.
    pub fn restart(&self, id: &str) -> Result<Restarted, AppsError> {
        let catalog = self.catalog()?;
        self.start_needs(&catalog, id)?;
        let manifest = catalog.get(id)?;
        let (folder, _lock) = self.lock(id, manifest.stop())?;
        let begun = Instant::now();
        let stopped = stop::stop(id, &folder, manifest.stop())?;
        let running = start::start(&self.program, manifest, &folder)?;
        if stopped.is_some() {
            restarts::remember(&folder, begun.elapsed());
        }
        Ok(Restarted { stopped, running })
    }

    /// The last `lines` lines of an app's output, oldest first, each of at most 1000 characters. Other people's text.
    ///
    /// # Errors
    /// `Unknown`, `Storage`.
    pub fn logs(&self, id: &str, lines: usize) -> Result<Vec<String>, AppsError> {
        let folder = self.folder(id)?;
        if !folder.is_dir() && !self.catalog()?.0.contains_key(id) {
            return Err(AppsError::Unknown { id: id.to_owned() });
        }
        log::tail(&folder, lines)
    }

    /// Ids of the apps that need this one, directly or through others.
    ///
    /// # Errors
    /// `Unknown`, `Broken`, `Storage`.
    pub fn dependents(&self, id: &str) -> Result<Vec<String>, AppsError> {
        let catalog = self.catalog()?;
        catalog.get(id)?;
        Ok(catalog.dependents(id))
    }

    /// How long a restart takes: the median of the last five, at least 1; a guess before the first.
    ///
    /// # Errors
    /// `Unknown`: the id cannot be one.
    pub fn typical_restart_seconds(&self, id: &str) -> Result<u64, AppsError> {
        Ok(restarts::typical_seconds(&self.folder(id)?))
    }

    fn catalog(&self) -> Result<Catalog, AppsError> {
        Catalog::read(&self.apps)
    }

    fn folder(&self, id: &str) -> Result<PathBuf, AppsError> {
        // An id that is none must not become a path.
        if is_id(id) {
            Ok(self.apps.join("run").join(id))
        } else {
            Err(AppsError::Unknown { id: id.to_owned() })
        }
    }

    /// The app's folder, and the right to start and stop it until the lock is dropped.
    fn lock(&self, id: &str, stop: Duration) -> Result<(PathBuf, fs::File), AppsError> {
        let folder = self.folder(id)?;
        folder::create_private_dir(&folder)?;
        // The longest that another may take to stop and start.
        let patience = stop::patience(stop) + start::patience(stop);
        let lock = folder::lock(&folder.join("change.lock"), patience)?;
        Ok((folder, lock.ok_or_else(|| AppsError::Busy { id: id.to_owned() })?))
    }

    fn start_needs(&self, catalog: &Catalog, id: &str) -> Result<(), AppsError> {
        for need in catalog.start_order(id)?.into_iter().filter(|need| need.id != id) {
            let (folder, _lock) = self.lock(&need.id, need.stop())?;
            start::start(&self.program, need, &folder)?;
        }
        Ok(())
    }
}
