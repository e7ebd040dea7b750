//! The radio: who may ask over it, and what it does.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Category;

/// `assistant-status` of the radio: only the node's own page or terminal reads it. What lists keys has each as 64 hexadecimal
/// digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MeshStatus {
    /// Whether anybody is answered at all.
    pub enabled: bool,
    /// Who answers first; absent where no model is listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// Whether an Ollama server was found.
    pub ollama_detected: bool,
    /// The models that could answer.
    pub models: Vec<String>,
    /// Whether contacts that the node trusts may ask, besides those allowed.
    pub trusted_only: bool,
    /// Who may ask.
    pub allowed_contacts: Vec<String>,
    /// Who may not, whatever else is said.
    pub denied_askers: Vec<String>,
    /// The owner's own radios, which may also propose.
    pub owner_keys: Vec<String>,
    /// Whether strangers may ask.
    pub strangers: MeshStrangers,
    /// What may be seen by those not named in `contact_categories`.
    pub categories: Vec<Category>,
    /// What a contact may see instead, by key.
    pub contact_categories: BTreeMap<String, Vec<Category>>,
    /// The thousandths of an hour that may be spent on the air.
    pub airtime_permille: u16,
    /// The milliseconds that were spent within the hour, and that may be.
    pub airtime_spent_ms: u64,
    /// See `airtime_spent_ms`.
    pub airtime_allowed_ms: u64,
    /// Whether the radio is there, in one sentence.
    pub radio: String,
    /// Whom the radio knows.
    pub contacts: Vec<MeshContact>,
}

/// A contact of the radio.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MeshContact {
    /// Its whole key.
    pub key: String,
    /// What it calls itself, which proves nothing.
    pub name: String,
}

/// Whether those may ask of whom nothing is known but a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeshStrangers {
    /// They hear nothing.
    Refused,
    /// Everyone within reach, under as many keys as they like.
    AnswerEveryoneInReach,
}

/// `assistant-configure` of the radio: changes what is given and leaves the rest. Only the owner at the node's own page or
/// terminal. It answers with [`MeshStatus`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MeshConfigure {
    /// Whether anybody is answered at all.
    pub enabled: Option<bool>,
    /// Whether contacts that the node trusts may ask, besides those allowed.
    pub trusted_only: Option<bool>,
    /// Who may ask, in place of the list before.
    pub allowed_contacts: Option<Vec<String>>,
    /// Who may not, in place of the list before.
    pub denied_askers: Option<Vec<String>>,
    /// The owner's own radios, in place of the list before.
    pub owner_keys: Option<Vec<String>>,
    /// Whether strangers may ask.
    pub strangers: Option<MeshStrangers>,
    /// What may be seen by those not named in `contact_categories`.
    pub categories: Option<Vec<Category>>,
    /// What a contact may see instead, by key; in place of all before.
    pub contact_categories: Option<BTreeMap<String, Vec<Category>>>,
    /// The thousandths of an hour that may be spent on the air, up to 1000.
    pub airtime_permille: Option<u16>,
}
