use archy_assistant::host::{Setting, SettingControl, SettingKey, Settings};
use archy_assistant::{Answer, Caller, Category, HostError};

use super::{FakeHome, ready};
use crate::setting_rules::known;

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
