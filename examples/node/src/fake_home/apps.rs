use archy_assistant::host::{App, AppControl, AppId, AppState, AppStatus, Apps, Observed};
use archy_assistant::{Answer, Caller, HostError, Source, Untrusted};

use super::{AppEntry, FakeHome, ready};

impl FakeHome {
    fn entry(&self, id: &AppId) -> Result<&AppEntry, HostError> {
        let entry = self.apps.iter().find(|app| app.id == id.as_str());
        entry.ok_or_else(|| HostError::new(format!("there is no app {id}")))
    }

    fn app(&self, entry: &AppEntry) -> Option<App> {
        let named = |name: &String| Untrusted::new(name, Source::AppName);
        let running = self.moving().running.get(&entry.id).copied();
        Some(App {
            id: AppId::new(&entry.id).ok()?,
            name: named(&entry.name),
            aliases: entry.aliases.iter().map(named).collect(),
            state: running.map_or(AppState::Stopped, AppState::Running),
        })
    }

    /// What `id` needs, near and far, what comes first at the end.
    fn needs<'a>(&'a self, id: &'a str) -> Vec<&'a str> {
        let mut needs = Vec::new();
        let mut next = vec![id];
        while let Some(id) = next.pop() {
            let entry = self.apps.iter().find(|app| app.id == id);
            for need in entry.map_or(&[][..], |app| &app.depends_on) {
                if !needs.contains(&need.as_str()) {
                    needs.push(need);
                    next.push(need);
                }
            }
        }
        needs
    }

    fn ids<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<AppId> {
        ids.filter_map(|id| AppId::new(id).ok()).collect()
    }
}

impl Apps for FakeHome {
    fn list<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<App>> {
        ready(self.apps.iter().filter_map(|entry| self.app(entry)).collect())
    }

    fn status<'a>(&'a self, _: &'a Caller, app: &'a AppId) -> Answer<'a, AppStatus> {
        Box::pin(async move {
            let entry = self.entry(app)?;
            let others = self.apps.iter().map(|other| other.id.as_str());
            let dependents = others.filter(|other| self.needs(other).contains(&app.as_str()));
            Ok(AppStatus {
                app: self.app(entry).ok_or_else(|| HostError::new("the app's id is no id"))?,
                needs: Self::ids(self.needs(app.as_str()).into_iter()),
                dependents: Self::ids(dependents),
                restart_seconds: Some(5),
            })
        })
    }

    fn logs<'a>(&'a self, _: &'a Caller, app: &'a AppId, lines: usize) -> Answer<'a, Vec<Untrusted>> {
        Box::pin(async move {
            self.entry(app)?;
            let line = |number: usize| Untrusted::new(format!("line {number}"), Source::Log(app.to_string()));
            Ok((1..=lines.min(500)).map(line).collect())
        })
    }
}

impl AppControl for FakeHome {
    fn start<'a>(&'a self, _: &'a Caller, app: &'a AppId) -> Answer<'a, Observed> {
        Box::pin(async move {
            self.entry(app)?;
            let mut moving = self.moving();
            if let Some(running) = moving.running.get(app.as_str()).copied() {
                return Ok(Observed { before: Some(running), after: Some(running) });
            }
            for need in self.needs(app.as_str()).into_iter().rev() {
                if !moving.running.contains_key(need) {
                    moving.run(need);
                }
            }
            Ok(Observed { before: None, after: Some(moving.run(app.as_str())) })
        })
    }

    fn stop<'a>(&'a self, _: &'a Caller, app: &'a AppId) -> Answer<'a, Observed> {
        Box::pin(async move {
            self.entry(app)?;
            Ok(Observed { before: self.moving().running.remove(app.as_str()), after: None })
        })
    }

    fn restart<'a>(&'a self, _: &'a Caller, app: &'a AppId) -> Answer<'a, Observed> {
        Box::pin(async move {
            self.entry(app)?;
            let mut moving = self.moving();
            let before = moving.running.remove(app.as_str());
            Ok(Observed { before, after: Some(moving.run(app.as_str())) })
        })
    }
}
