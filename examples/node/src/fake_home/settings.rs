use archy_assistant::host::{Choice, Setting, SettingControl, SettingKey, SettingRule, Settings};
use archy_assistant::{Answer, Caller, Category, HostError};

use super::{FakeHome, ready};
use crate::time_zones;

impl Settings for FakeHome {
    fn list<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<Setting>> {
        let moving = self.moving();
        let settings = moving.settings.iter().filter_map(|(key, value)| {
            let (names, rule) = known(key)?;
            Some(Setting {
                key: SettingKey::new(key).ok()?,
                names: names.iter().map(|name| (*name).to_owned()).collect(),
                category: Category::System,
                rule,
                value: Some(value.clone()),
            })
        });
        ready(settings.collect())
    }
}

impl SettingControl for FakeHome {
    fn set<'a>(&'a self, _: &'a Caller, key: &'a SettingKey, value: &'a str) -> Answer<'a, String> {
        Box::pin(async move {
            let mut moving = self.moving();
            let setting = moving.settings.get_mut(key.as_str());
            let setting = setting.ok_or_else(|| HostError::new(format!("there is no setting {key}")))?;
            value.clone_into(setting);
            Ok(setting.clone())
        })
    }
}

/// What a setting is also called, and what it may be.
fn known(key: &str) -> Option<(&'static [&'static str], SettingRule)> {
    let one_of =
        |values: &[&str]| SettingRule::OneOf(values.iter().map(|value| Choice::new(*value)).collect());
    Some(match key {
        "hostname" => (&["host name", "name of the node"], SettingRule::HostName),
        "timezone" => (&["time zone"], SettingRule::TimeZone(time_zones::all())),
        "language" => {
            let codes = [
                "en", "cs", "da", "de", "es", "fi", "fr", "it", "ja", "nb", "nl", "pl", "pt", "ru", "sv",
                "tr", "uk", "zh",
            ];
            (&[], SettingRule::Language(codes.map(str::to_owned).to_vec()))
        }
        "theme" => (
            &["look", "colours"],
            SettingRule::OneOf(vec![
                Choice::new("light").called("light mode").called("light theme"),
                Choice::new("dark").called("dark mode").called("dark theme"),
            ]),
        ),
        "log_level" => (&["logging"], one_of(&["error", "warn", "info", "debug", "trace"])),
        _ => return None,
    })
}
