//! What people may name: apps, settings, values and folders, as the host has them now.

use std::sync::Arc;

use super::setting_value::allowed;
use super::settings::spoken_of;
use crate::host::{Apps, Files, Settings, SharedPath};
use crate::{Answer, Caller, Candidate, Candidates, Source};

/// The apps: their ids, and as their names what others call them.
pub(super) struct AppNames(pub(super) Arc<dyn Apps>);

impl Candidates for AppNames {
    fn list<'a>(&'a self, caller: &'a Caller) -> Answer<'a, Vec<Candidate>> {
        Box::pin(async move {
            let apps = self.0.list(caller).await?.into_iter();
            Ok(apps
                .map(|app| {
                    let mut candidate = Candidate::new(app.id.as_str());
                    candidate.names.push(app.name);
                    candidate.names.extend(app.aliases);
                    candidate
                })
                .collect())
        })
    }
}

/// The keys of the settings that are spoken about.
pub(super) struct SettingKeys(pub(super) Arc<dyn Settings>);

impl Candidates for SettingKeys {
    fn list<'a>(&'a self, caller: &'a Caller) -> Answer<'a, Vec<Candidate>> {
        Box::pin(async move {
            let settings = spoken_of(&*self.0, caller).await?;
            Ok(settings.iter().map(|setting| called(setting.key.as_str(), &setting.names)).collect())
        })
    }
}

/// The values that they may be set to, each together with its key.
pub(super) struct SettingValues(pub(super) Arc<dyn Settings>);

impl Candidates for SettingValues {
    fn list<'a>(&'a self, caller: &'a Caller) -> Answer<'a, Vec<Candidate>> {
        Box::pin(async move {
            let settings = spoken_of(&*self.0, caller).await?;
            let mut candidates = Vec::new();
            for setting in &settings {
                let key = setting.key.as_str();
                match allowed(&setting.rule) {
                    None => candidates.push(Candidate::any_words("key", key)),
                    Some(allowed) => candidates.extend(
                        allowed.iter().map(|value| called(value.value, &value.names).goes_with("key", key)),
                    ),
                }
            }
            Ok(candidates)
        })
    }
}

fn called<N: AsRef<str>>(value: &str, names: &[N]) -> Candidate {
    names
        .iter()
        .fold(Candidate::new(value), |candidate, name| candidate.called(name.as_ref(), Source::Setting))
}

/// The folders that have a plain name. A value goes into calls as the node's own word, so a folder whose name could be a
/// sentence or hide something is no candidate.
pub(super) struct Folders(pub(super) Arc<dyn Files>);

impl Candidates for Folders {
    fn list<'a>(&'a self, caller: &'a Caller) -> Answer<'a, Vec<Candidate>> {
        Box::pin(async move {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
            let folders = self.0.folders(caller).await?;
            let paths = folders.iter().map(SharedPath::as_str);
            let paths = paths.filter(|path| (1..=64).contains(&path.len()) && path.bytes().all(plain));
            Ok(paths.take(100).map(Candidate::new).collect())
        })
    }
}
