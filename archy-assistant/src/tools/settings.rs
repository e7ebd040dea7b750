//! Reading the settings.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::meant::{self, Called};
use super::setting_value::current;
use super::specs;
use crate::host::{Setting, Settings};
use crate::{Caller, Candidates, Category, Datum, HostError, NoArgs, Read, Spec, ToolError};

/// The settings that the tools speak about: those of their own category, because their results are labelled with it.
pub(super) async fn spoken_of(settings: &dyn Settings, caller: &Caller) -> Result<Vec<Setting>, HostError> {
    let mut settings = settings.list(caller).await?;
    settings.retain(|setting| setting.category == Category::System);
    Ok(settings)
}

/// The setting that `said` means.
pub(super) async fn find(settings: &dyn Settings, caller: &Caller, said: &str) -> Result<Setting, ToolError> {
    let mut all = spoken_of(settings, caller).await?;
    let known: Vec<Called<'_>> = all
        .iter()
        .map(|setting| {
            setting.names.iter().fold(Called::new(setting.key.as_str()), |called, name| called.own(name))
        })
        .collect();
    let place = meant::one("setting", said, &known)?;
    Ok(all.swap_remove(place))
}

fn told(setting: &Setting) -> Datum {
    Datum::record([("key", Datum::text(setting.key.as_str().to_owned())), ("value", current(setting))])
}

/// All settings.
pub(super) struct SettingsList(pub(super) Arc<dyn Settings>);

impl Read for SettingsList {
    type Args = NoArgs;

    fn spec(&self) -> Spec {
        specs::settings_list()
    }

    async fn read(&self, caller: &Caller, _: NoArgs) -> Result<Datum, ToolError> {
        Ok(Datum::List(spoken_of(&*self.0, caller).await?.iter().map(told).collect()))
    }
}

/// A setting, as it was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyArgs {
    /// The setting's key, or its name.
    key: String,
}

/// One setting.
pub(super) struct SettingGet {
    pub(super) settings: Arc<dyn Settings>,
    pub(super) keys: Arc<dyn Candidates>,
}

impl Read for SettingGet {
    type Args = KeyArgs;

    fn spec(&self) -> Spec {
        specs::setting_get(Arc::clone(&self.keys))
    }

    async fn read(&self, caller: &Caller, args: KeyArgs) -> Result<Datum, ToolError> {
        Ok(told(&find(&*self.settings, caller, &args.key).await?))
    }
}
