//! The settings of a node: what they are called, and what each may be.

use archy_assistant::host::{Choice, SettingRule};

use crate::time_zones;

const LANGUAGES: [&str; 18] = [
    "en", "cs", "da", "de", "es", "fi", "fr", "it", "ja", "nb", "nl", "pl", "pt", "ru", "sv", "tr", "uk",
    "zh",
];

/// What a setting is also called, and what it may be.
pub(crate) fn known(key: &str) -> Option<(&'static [&'static str], SettingRule)> {
    Some(match key {
        "hostname" => (&["host name", "name of the node"], SettingRule::HostName),
        "timezone" => (&["time zone"], SettingRule::TimeZone(time_zones::all())),
        "language" => (&[], SettingRule::Language(LANGUAGES.map(str::to_owned).to_vec())),
        "theme" => (
            &["look", "colours"],
            SettingRule::OneOf(vec![
                Choice::new("light").called("light mode").called("light theme"),
                Choice::new("dark").called("dark mode").called("dark theme"),
            ]),
        ),
        "log_level" => {
            let levels = ["error", "warn", "info", "debug", "trace"];
            (&["logging"], SettingRule::OneOf(levels.map(Choice::new).to_vec()))
        }
        _ => return None,
    })
}

/// Whether a rule allows a value, letter for letter.
pub(crate) fn allows(rule: &SettingRule, value: &str) -> bool {
    match rule {
        SettingRule::OneOf(choices) => choices.iter().any(|choice| choice.value == value),
        SettingRule::TimeZone(values) | SettingRule::Language(values) => {
            values.iter().any(|known| known == value)
        }
        SettingRule::HostName => {
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            (1..=63).contains(&value.len())
                && value.bytes().all(plain)
                && !value.starts_with('-')
                && !value.ends_with('-')
        }
    }
}

/// What a rule allows, for whoever has to correct a value.
pub(crate) fn allowed(rule: &SettingRule) -> String {
    match rule {
        SettingRule::OneOf(choices) => {
            let values: Vec<&str> = choices.iter().map(|choice| &*choice.value).collect();
            format!("one of {}", values.join(", "))
        }
        SettingRule::TimeZone(_) => "a name such as Europe/Berlin or UTC".to_owned(),
        SettingRule::Language(codes) => format!("one of {}", codes.join(", ")),
        SettingRule::HostName => "1 to 63 of a-z, 0-9 and -, neither beginning nor ending with -".to_owned(),
    }
}
