//! Changing a setting, once a person has agreed.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::setting_value::{current, fitting};
use super::settings::find;
use super::specs;
use crate::host::{SettingControl, SettingKey, Settings};
use crate::{Approved, Caller, Candidates, ConfirmText, Datum, Plan, Source, Spec, ToolError, Undo, Write};

/// A setting, and what it is to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SetArgs {
    /// The setting's key, or its name.
    key: String,
    /// The new value.
    value: String,
}

/// Which setting, from what, to what.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct SettingChange {
    key: SettingKey,
    before: Option<String>,
    after: String,
}

/// Sets a setting.
pub(super) struct SettingSet {
    pub(super) settings: Arc<dyn Settings>,
    pub(super) control: Arc<dyn SettingControl>,
    pub(super) keys: Arc<dyn Candidates>,
    pub(super) values: Arc<dyn Candidates>,
}

impl Write for SettingSet {
    type Args = SetArgs;
    type Change = SettingChange;

    fn spec(&self) -> Spec {
        specs::setting_set(Arc::clone(&self.keys), Arc::clone(&self.values))
    }

    async fn plan(&self, caller: &Caller, args: SetArgs) -> Result<Plan<SettingChange>, ToolError> {
        let setting = find(&*self.settings, caller, &args.key).await?;
        let after = fitting(&setting.rule, &args.value)?;
        if setting.value.as_ref() == Some(&after) {
            return Err(ToolError::new(format!("{} is already {after}", setting.key)));
        }
        let text = ConfirmText::new("Change a setting").id("Setting", setting.key.as_str()).before_after(
            "Value",
            &current(&setting),
            &Datum::text(after.clone()),
        );
        let change = SettingChange { key: setting.key, before: setting.value, after };
        Ok(Plan { change, text, undo: Undo::By("set it to another value again") })
    }

    async fn apply(&self, caller: &Caller, change: Approved<SettingChange>) -> Result<Datum, ToolError> {
        let SettingChange { key, before, after } = change.into_change();
        let observed = self.control.set(caller, &key, &after).await?;
        if observed != after {
            let error = ToolError::new(format!("{key} was set to {after}, but is something else now"));
            return Err(error.caused_by(format!("the host reads back {observed:?}")));
        }
        Ok(Datum::record([
            ("key", Datum::text(key.as_str().to_owned())),
            ("before", before.map_or(Datum::None, |before| Datum::others(before, Source::Setting))),
            ("value", Datum::text(after)),
        ]))
    }
}
