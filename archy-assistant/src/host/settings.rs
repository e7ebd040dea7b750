//! The node's harmless settings: reading them ([`Settings`]) and changing one ([`SettingControl`]).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Answer;
use crate::{Caller, Category};

/// Parts of a name that mean a secret, or a way into the node or to its money. A key that holds one anywhere, however it
/// is separated, cannot be made; so `keyboard` is refused too, rather than letting a `key` slip through.
const FORBIDDEN: [&str; 40] = [
    "access",
    "admin",
    "allow",
    "auth",
    "bind",
    "cert",
    "credential",
    "expose",
    "federat",
    "firewall",
    "forward",
    "invite",
    "key",
    "listen",
    "login",
    "macaroon",
    "mnemonic",
    "onion",
    "pairing",
    "passphrase",
    "passw",
    "permission",
    "pincode",
    "private",
    "proxy",
    "public",
    "recovery",
    "remote",
    "root",
    "secret",
    "seed",
    "share",
    "spend",
    "ssh",
    "sudo",
    "token",
    "trust",
    "tunnel",
    "user",
    "wallet",
];
/// The same for what stands in harmless words too (`storage`, `spinner`): refused as a part between `_`.
const FORBIDDEN_PARTS: [&str; 4] = ["tor", "pin", "vpn", "upnp"];

/// The name of a setting that can be spoken about: 1 to 48 of `a-z`, `0-9` and `_`, beginning with a letter.
///
/// Settings that hold a secret or open access (passwords, SSH, remote access, proxy, trust, wallet, …) have no key:
/// whatever a host lists, a tool cannot name them.
///
/// ```
/// use archy_assistant::host::{BadSettingKey, SettingKey};
/// assert!(SettingKey::new("log_level").is_ok());
/// assert_eq!(SettingKey::new("ssh_enabled"), Err(BadSettingKey::Forbidden));
/// assert_eq!(SettingKey::new("pass_word"), Err(BadSettingKey::Forbidden));
/// assert_eq!(SettingKey::new("Log level"), Err(BadSettingKey::Malformed));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct SettingKey(String);

/// Why a name is no [`SettingKey`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadSettingKey {
    /// It is not 1 to 48 of `a-z`, `0-9` and `_`, beginning with a letter.
    Malformed,
    /// It names a secret, or a way into the node or to its money.
    Forbidden,
}

impl SettingKey {
    /// Takes a key from the host's own list.
    ///
    /// # Errors
    /// [`BadSettingKey`].
    pub fn new(key: impl Into<String>) -> Result<Self, BadSettingKey> {
        let key = key.into();
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let begins = key.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
        if key.len() > 48 || !begins || !key.bytes().all(plain) {
            return Err(BadSettingKey::Malformed);
        }
        let letters = key.replace(|letter: char| !letter.is_ascii_lowercase(), "");
        let forbidden = FORBIDDEN.iter().any(|word| letters.contains(word))
            || key.split('_').any(|part| FORBIDDEN_PARTS.contains(&part));
        if forbidden {
            return Err(BadSettingKey::Forbidden);
        }
        Ok(Self(key))
    }

    /// The key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SettingKey {
    type Error = BadSettingKey;

    fn try_from(key: String) -> Result<Self, BadSettingKey> {
        Self::new(key)
    }
}

impl fmt::Display for SettingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for BadSettingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "a setting's key is 1 to 48 of a-z, 0-9 and _, beginning with a letter",
            Self::Forbidden => "this setting holds a secret or opens access, so it cannot be spoken about",
        })
    }
}

impl std::error::Error for BadSettingKey {}

/// A setting that can be spoken about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its key.
    pub key: SettingKey,
    /// What people also call it (`time zone`), in the host's own words.
    pub names: Vec<String>,
    /// What it belongs to. The tools speak only of those of [`Category::System`], their own: another category's stay out
    /// rather than be read under a grant that was not given for them.
    pub category: Category,
    /// What it may be set to.
    pub rule: SettingRule,
    /// What it is now, where it is set.
    pub value: Option<String>,
}

impl Setting {
    /// A setting of the system that is called by its key; it may not be set yet.
    pub fn new(key: SettingKey, rule: SettingRule, value: impl Into<Option<String>>) -> Self {
        Self { key, names: Vec::new(), category: Category::System, rule, value: value.into() }
    }
}

/// What a setting may be set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingRule {
    /// One of these.
    OneOf(Vec<Choice>),
    /// One of the time zones that the host knows, as `Area/City`.
    TimeZone(Vec<String>),
    /// One of the languages that the host speaks, as codes: `en`, `pt-BR`.
    Language(Vec<String>),
    /// A host name without dots: 1 to 63 of `a-z`, `0-9` and `-`, neither beginning nor ending with `-`. Capitals are
    /// taken as small letters.
    HostName,
}

/// A value, and what people call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What is stored.
    pub value: String,
    /// What people also call it (`dark mode`), in the host's own words.
    pub names: Vec<String>,
}

impl Choice {
    /// A value that is called by its own name.
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), names: Vec::new() }
    }

    /// Also called `name`.
    #[must_use]
    pub fn called(mut self, name: impl Into<String>) -> Self {
        self.names.push(name.into());
        self
    }
}

/// Reads the settings.
///
/// Called by the tools `setting_get` and `settings_list`, by `setting_set` when it is planned (twice per confirmed
/// write), and once per request for the names that people may say.
///
/// ```
/// use archy_assistant::host::{Choice, Setting, SettingKey, SettingRule, Settings};
/// use archy_assistant::{Answer, Caller, Category, HostError};
///
/// struct OneSetting;
///
/// impl Settings for OneSetting {
///     fn list<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<Setting>> {
///         let theme = SettingKey::new("theme").map(|key| Setting {
///             key,
///             names: vec!["look".to_owned()],
///             category: Category::System,
///             rule: SettingRule::OneOf(vec![
///                 Choice::new("light").called("light mode"),
///                 Choice::new("dark").called("dark mode"),
///             ]),
///             value: Some("light".to_owned()),
///         });
///         Box::pin(async move { Ok(vec![theme.map_err(|error| HostError::new(error.to_string()))?]) })
///     }
/// }
/// ```
pub trait Settings: Send + Sync + 'static {
    /// All settings that this caller may speak about, with their values, in a stable order.
    ///
    /// # Errors
    /// When they cannot be read.
    fn list<'a>(&'a self, caller: &'a Caller) -> Answer<'a, Vec<Setting>>;
}

/// Changes a setting. Only the tool that asks a person first is given it.
pub trait SettingControl: Send + Sync + 'static {
    /// Sets `key` to `value`, which fits the rule that [`Settings::list`] gave for it a moment ago, and returns the value
    /// that is in force afterwards, as it was read back.
    ///
    /// # Errors
    /// When the value is refused or cannot be stored; then the old one is still in force.
    fn set<'a>(&'a self, caller: &'a Caller, key: &'a SettingKey, value: &'a str) -> Answer<'a, String>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_a_secret_or_opens_access_has_no_key() {
        for key in [
            "password",
            "admin_password",
            "pass_word",
            "ssh",
            "ssh_enabled",
            "s_s_h",
            "remote_access",
            "proxy_url",
            "http_proxy",
            "trusted_peers",
            "wallet_name",
            "api_key",
            "k_e_y",
            "auth_token",
            "seed",
            "rpc_secret",
            "user_name",
            "tor_enabled",
            "firewall",
            "port_forwarding",
            "private_mode",
            "macaroon",
            "tls_cert",
            "login_shell",
            "root",
            "passwd",
            "key2",
            "k3y_key",
        ] {
            assert_eq!(SettingKey::new(key), Err(BadSettingKey::Forbidden), "{key}");
        }
    }

    #[test]
    fn a_key_is_plain() {
        for key in ["hostname", "timezone", "language", "theme", "log_level", "x2", "storage_unit"] {
            assert_eq!(SettingKey::new(key).map(|key| key.to_string()), Ok(key.to_owned()));
        }
        for key in ["", "Theme", "log level", "log-level", "2x", "_x", "thème", "a.b", &"x".repeat(49)] {
            assert_eq!(SettingKey::new(key), Err(BadSettingKey::Malformed), "{key}");
        }
        assert!(serde_json::from_str::<SettingKey>("\"ssh\"").is_err(), "reading one back checks it too");
    }
}
