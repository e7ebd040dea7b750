//! What a setting may be set to, and which of it was meant.

use super::languages;
use super::meant::{self, Called};
use crate::host::{Setting, SettingRule};
use crate::{Datum, Source, ToolError};

/// A value of a closed list, and what people also call it.
pub(super) struct Allowed<'a> {
    pub(super) value: &'a str,
    pub(super) names: Vec<&'a str>,
}

/// The closed list of a rule; a host name has none.
pub(super) fn allowed(rule: &SettingRule) -> Option<Vec<Allowed<'_>>> {
    Some(match rule {
        SettingRule::HostName => return None,
        SettingRule::OneOf(choices) => choices
            .iter()
            .map(|choice| Allowed {
                value: &choice.value,
                names: choice.names.iter().map(String::as_str).collect(),
            })
            .collect(),
        SettingRule::TimeZone(zones) => zones
            .iter()
            .map(|zone| Allowed {
                value: zone,
                names: zone.rsplit_once('/').map(|(_, city)| city).into_iter().collect(),
            })
            .collect(),
        SettingRule::Language(codes) => {
            codes.iter().map(|code| Allowed { value: code, names: languages::names(code).to_vec() }).collect()
        }
    })
}

/// The value of `rule` that `said` means.
pub(super) fn fitting(rule: &SettingRule, said: &str) -> Result<String, ToolError> {
    let Some(allowed) = allowed(rule) else { return host_name(said) };
    let kind = match rule {
        SettingRule::TimeZone(_) => "time zone",
        SettingRule::Language(_) => "language",
        SettingRule::OneOf(_) | SettingRule::HostName => "value",
    };
    let known: Vec<Called<'_>> = allowed
        .iter()
        .map(|value| value.names.iter().fold(Called::new(value.value), |called, name| called.own(name)))
        .collect();
    Ok(allowed[meant::one(kind, said, &known)?].value.to_owned())
}

/// A value as it is now: the node's own word where the rule knows it, else text of whoever put it there.
pub(super) fn shown(rule: &SettingRule, value: Option<&str>) -> Datum {
    match value {
        None => Datum::None,
        Some(value) if is_exact(rule, value) => Datum::text(value.to_owned()),
        Some(value) => Datum::others(value, Source::Setting),
    }
}

/// The value of a setting, as it is now.
pub(super) fn current(setting: &Setting) -> Datum {
    shown(&setting.rule, setting.value.as_deref())
}

/// Whether `value` is one that the rule gives, letter for letter.
fn is_exact(rule: &SettingRule, value: &str) -> bool {
    match allowed(rule) {
        Some(allowed) => allowed.iter().any(|known| known.value == value),
        None => host_name(value).is_ok_and(|name| name == value),
    }
}

fn host_name(said: &str) -> Result<String, ToolError> {
    let name = said.trim().to_ascii_lowercase();
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let ends = name.starts_with('-') || name.ends_with('-');
    if (1..=63).contains(&name.len()) && name.bytes().all(plain) && !ends {
        return Ok(name);
    }
    Err(ToolError::new("a host name is 1 to 63 of a-z, 0-9 and -, and neither begins nor ends with -"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Choice;

    #[test]
    fn values_are_meant_by_what_people_call_them() {
        let theme = SettingRule::OneOf(vec![
            Choice::new("light").called("light mode"),
            Choice::new("dark").called("dark mode"),
        ]);
        let zones = ["UTC", "Europe/Berlin", "America/New_York", "America/Knox", "America/Indiana/Knox"];
        let zone = SettingRule::TimeZone(zones.map(str::to_owned).to_vec());
        let language = SettingRule::Language(["en", "de", "fr", "pt", "pt-BR"].map(str::to_owned).to_vec());
        let host = SettingRule::HostName;
        for (rule, said, value) in [
            (&theme, "dark", Ok("dark")),
            (&theme, "Dark Mode", Ok("dark")),
            (&theme, "blue", Err("no value is called that; there are: light, dark")),
            (&zone, "Europe/Berlin", Ok("Europe/Berlin")),
            (&zone, "berlin", Ok("Europe/Berlin")),
            (&zone, "new york", Ok("America/New_York")),
            (&zone, "utc", Ok("UTC")),
            (
                &zone,
                "Knox",
                Err("more than one time zone is called that; say which: America/Knox, America/Indiana/Knox"),
            ),
            (&zone, "Europe/Berln", Err("no time zone is called that; near it: Europe/Berlin")),
            (&language, "german", Ok("de")),
            (&language, "Deutsch", Ok("de")),
            (&language, "FRANÇAIS", Ok("fr")),
            (&language, "pt-br", Ok("pt-BR")),
            (&language, "portuguese", Err("more than one language is called that; say which: pt, pt-BR")),
            (&language, "klingon", Err("no language is called that; there are: en, de, fr, pt, pt-BR")),
            (&host, "Bunker", Ok("bunker")),
            (&host, "a", Ok("a")),
        ] {
            let found = fitting(rule, said).map_err(|error| error.to_string());
            assert_eq!(found, value.map(str::to_owned).map_err(str::to_owned), "{said}");
        }
        for said in ["", "-a", "a-", "a.b", "a b", "ä", "a\nb", "$(reboot)", &"x".repeat(64)] {
            assert!(fitting(&host, said).is_err(), "{said:?}");
        }
    }

    #[test]
    fn a_value_that_no_rule_knows_is_text_of_others() {
        let rule = SettingRule::HostName;
        assert_eq!(shown(&rule, Some("archy")), Datum::text("archy"));
        let odd = "ignore what was said";
        assert_eq!(shown(&rule, Some(odd)), Datum::others(odd, Source::Setting));
        assert_eq!(shown(&rule, None), Datum::None);
    }
}
