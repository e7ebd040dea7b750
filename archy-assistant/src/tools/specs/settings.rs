//! The settings of the machine that can be read and changed. What is not listed is not there: no secret is.

use std::sync::Arc;

use super::known_names::named;
use super::{all, part};
use crate::{Candidates, Category, Sentence, Slot, Spec};

/// The result is a record `{key: Text, value: Others}`.
pub(crate) fn setting_get(keys: Arc<dyn Candidates>) -> Spec {
    Spec::new("setting_get", Category::System, "The current value of one setting.")
        .slot(Slot::live("key", named(keys)))
        .phrases([
            "what is the {key}",
            "which {key} is set",
            "which {key} are we on",
            "what {key} am i using",
            "tell me the {key}",
            "show me the {key}",
            "is the {key} on",
            "current {key}",
            "value of the {key} setting",
            "what is the {key} set to",
            "check the {key}",
            "which {key} is the node in",
            "what is {key} configured to",
            "which {key} is active",
            "is {key} enabled",
            "what {key} does the node use",
            "what {key} is it running at",
            "{key} configured",
        ])
        .answer(|setting| {
            Sentence::plain("The ").and(setting.get("key")).and(" is ").and(setting.get("value")).and(".")
        })
}

/// The result is a list of records `{key: Text, value: Others}`.
pub(crate) fn settings_list() -> Spec {
    Spec::new("settings_list", Category::System, "All settings with their values.")
        .phrases([
            "show me all the settings",
            "list the settings",
            "every setting with its current value",
            "what settings are there",
            "what can be configured",
            "how is the node configured",
            "show the configuration",
            "show the preferences",
            "current configuration",
            "which settings can i change",
            "what are the settings",
            "overview of the settings",
            "which options are set",
            "print the config",
            "open the settings",
            "read me the settings",
        ])
        .answer(|settings| {
            all(
                settings,
                |setting| Sentence::from(setting.get("key")).and(part(" is ", setting.get("value"), "")),
                "There are no settings",
            )
            .and(".")
        })
}

/// The result is a record `{key: Text, value: Others}`.
pub(crate) fn setting_set(keys: Arc<dyn Candidates>, values: Arc<dyn Candidates>) -> Spec {
    Spec::new("setting_set", Category::System, "Changes one setting to a new value. A person confirms first.")
        .slot(Slot::live("key", named(keys)))
        .slot(Slot::live("value", named(values)))
        .phrases([
            "set the {key} to {value}",
            "change a setting",
            "switch to {value}",
            "use {value}",
            "make {value} the {key}",
            "turn the {key} up to {value}",
            "turn the {key} down to {value}",
            "put the {key} on {value}",
            "go {value}",
            "call the {key} {value}",
            "call the node {value}",
            "rename the node to {value}",
            "name the node {value}",
            "move the {key} to {value}",
            "start using {value}",
            "enable {value}",
            "turn on {value}",
            "rename the {key} to {value}",
            "raise the {key} to {value}",
            "lower the {key} to {value}",
            "{key} should be {value}",
            "hostnamectl set-hostname {value}",
            "timedatectl set-timezone {value}",
            "export {key}={value}",
        ])
        .answer(|setting| {
            Sentence::plain("The ").and(setting.get("key")).and(" is now ").and(setting.get("value")).and(".")
        })
}
