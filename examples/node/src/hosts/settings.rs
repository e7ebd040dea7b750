//! The settings, in one small file that its owner may also write by hand.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use archy_assistant::host::{Setting, SettingControl, SettingKey, Settings};
use archy_assistant::{Answer, Caller, Category, HostError};
use serde::Deserialize;
use toml::Spanned;

use super::blocking;
use crate::data;
use crate::exit::Trouble;
use crate::setting_rules::{allowed, allows, known};

/// `settings.toml` of a data directory. A missing file, or a missing line of it, means the value that a new node has.
pub(crate) struct SettingsFile(Arc<Mutex<PathBuf>>);

/// What is in the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Kept {
    hostname: Spanned<String>,
    timezone: Spanned<String>,
    language: Spanned<String>,
    theme: Spanned<String>,
    log_level: Spanned<String>,
}

impl Default for Kept {
    fn default() -> Self {
        let value = |value: &str| Spanned::new(0..0, value.to_owned());
        Self {
            hostname: value("archy"),
            timezone: value("UTC"),
            language: value("en"),
            theme: value("light"),
            log_level: value("info"),
        }
    }
}

impl Kept {
    /// Each key with its value, in the order in which they are listed.
    fn each(&self) -> [(&'static str, &Spanned<String>); 5] {
        [
            ("hostname", &self.hostname),
            ("timezone", &self.timezone),
            ("language", &self.language),
            ("theme", &self.theme),
            ("log_level", &self.log_level),
        ]
    }

    fn value_mut(&mut self, key: &str) -> Option<&mut Spanned<String>> {
        Some(match key {
            "hostname" => &mut self.hostname,
            "timezone" => &mut self.timezone,
            "language" => &mut self.language,
            "theme" => &mut self.theme,
            "log_level" => &mut self.log_level,
            _ => return None,
        })
    }

    /// Reads the file's text; what is wrong comes as the rest of a sentence that begins with the file's name.
    fn parse(text: &str) -> Result<Self, String> {
        let line = |at: usize| text.get(..at).unwrap_or(text).matches('\n').count() + 1;
        let kept: Self = toml::from_str(text).map_err(|error| {
            let place = error.span().map(|span| format!(", line {}", line(span.start)));
            format!("{}: {}", place.unwrap_or_default(), error.message().replace('\n', " "))
        })?;
        for (key, value) in kept.each() {
            let Some((_, rule)) = known(key) else { continue };
            if !allows(&rule, value.get_ref()) {
                let (line, allowed) = (line(value.span().start), allowed(&rule));
                return Err(format!(", line {line}: {:?} is no {key}; {allowed}", value.get_ref()));
            }
        }
        Ok(kept)
    }

    fn written(&self) -> String {
        let line = |(key, value): (&str, &Spanned<String>)| format!("{key} = {:?}\n", value.get_ref());
        self.each().into_iter().map(line).collect()
    }
}

impl SettingsFile {
    /// Opens the file.
    ///
    /// # Errors
    /// One that cannot be read is told with the line that is wrong, and stays as it is.
    pub(crate) fn open(path: PathBuf) -> Result<Self, Trouble> {
        read(&path).map_err(Trouble::bad_input)?;
        Ok(Self(Arc::new(Mutex::new(path))))
    }

    /// The look that is chosen for this node; nothing where it cannot be read now.
    pub(crate) async fn theme(&self) -> Option<String> {
        let read = self.with(|path| Ok(read(path).map_err(unreadable)?.theme.into_inner()));
        read.await.ok()
    }

    fn with<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Path) -> Result<T, HostError> + Send + 'static,
    ) -> Answer<'static, T> {
        let path = Arc::clone(&self.0);
        Box::pin(blocking(move || look(&path.lock().unwrap_or_else(PoisonError::into_inner))))
    }
}

impl Settings for SettingsFile {
    fn list<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<Setting>> {
        self.with(|path| {
            let kept = read(path).map_err(unreadable)?;
            kept.each().into_iter().map(|(key, value)| setting(key, value.get_ref())).collect()
        })
    }
}

impl SettingControl for SettingsFile {
    fn set<'a>(&'a self, _: &'a Caller, key: &'a SettingKey, value: &'a str) -> Answer<'a, String> {
        let (key, value) = (key.clone(), value.to_owned());
        self.with(move |path| {
            let mut kept = read(path).map_err(unreadable)?;
            let fits = known(key.as_str()).is_some_and(|(_, rule)| allows(&rule, &value));
            let place = kept.value_mut(key.as_str()).filter(|_| fits);
            let place = place.ok_or_else(|| HostError::new("that setting does not take this value"))?;
            *place = Spanned::new(0..0, value);
            data::replace(path, kept.written().as_bytes()).map_err(|error| {
                HostError::new("the settings could not be written; the old ones are still there")
                    .caused_by(error)
            })?;
            let now = read(path).map_err(unreadable)?;
            let found = now.each().into_iter().find(|(known, _)| *known == key.as_str());
            Ok(found.map(|(_, value)| value.get_ref().clone()).unwrap_or_default())
        })
    }
}

fn unreadable(why: String) -> HostError {
    HostError::new("the settings cannot be read; start the node again to see why").caused_by(why)
}

/// The file's content. What is wrong comes as a sentence.
fn read(path: &Path) -> Result<Kept, String> {
    // Opening what is no file may wait for ever.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(format!("{} is no file; move it away", path.display()));
    }
    match fs::read_to_string(path) {
        Ok(text) => Kept::parse(&text)
            .map_err(|wrong| format!("{}{wrong}; correct it or move the file away", path.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Kept::default()),
        Err(error) => Err(data::cannot("read", path, &error).says),
    }
}

fn setting(key: &str, value: &str) -> Result<Setting, HostError> {
    let (names, rule) = known(key).ok_or_else(|| HostError::new("that is no setting of this node"))?;
    Ok(Setting {
        key: SettingKey::new(key).map_err(|error| HostError::new(error.to_string()))?,
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        category: Category::System,
        rule,
        value: Some(value.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_names_the_line() {
        for (text, wrong) in [
            ("theme = \"light\"\ntheme = 3", ", line 2: duplicate key"),
            (
                "hostname = \"box\"\n\ntheme = \"blue\"\n",
                ", line 3: \"blue\" is no theme; one of light, dark",
            ),
            (
                "timezone = \"Mars/Base\"",
                ", line 1: \"Mars/Base\" is no timezone; a name such as Europe/Berlin or UTC",
            ),
            ("hostname = 7", ", line 1: invalid type: integer `7`, expected a string"),
        ] {
            assert_eq!(Kept::parse(text).unwrap_err(), wrong, "{text}");
        }
        assert!(Kept::parse("ssh = \"on\"").unwrap_err().starts_with(", line 1: unknown field `ssh`"));
    }

    #[tokio::test]
    async fn a_value_is_kept_and_the_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.toml");
        fs::write(&path, "theme = \"dark\"").unwrap();
        let file = SettingsFile::open(path.clone()).unwrap();
        let key = |key: &str| SettingKey::new(key).unwrap();
        let set = file.set(&Caller::owner(), &key("timezone"), "Europe/Berlin").await;
        assert_eq!(set.unwrap(), "Europe/Berlin");
        for (name, value) in
            [("timezone", "Mars/Base"), ("theme", "blue"), ("hostname", "-x"), ("other", "x")]
        {
            assert!(file.set(&Caller::owner(), &key(name), value).await.is_err(), "{name}");
        }
        let expected = "hostname = \"archy\"\ntimezone = \"Europe/Berlin\"\nlanguage = \"en\"\n\
                        theme = \"dark\"\nlog_level = \"info\"\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        let listed = file.list(&Caller::owner()).await.unwrap();
        let values: Vec<_> = listed.into_iter().map(|setting| setting.value.unwrap()).collect();
        assert_eq!(values, ["archy", "Europe/Berlin", "en", "dark", "info"]);
    }
}
