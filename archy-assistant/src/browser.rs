//! What a turn may ask the caller's door to do on its own screen: nothing on the node changes by it.

use crate::{Slot, Spec};

/// The kinds of browser action that a door can declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BrowserVerb {
    /// Show a page of the node.
    Navigate,
    /// Show an app's page inside the node's page.
    OpenApp,
    /// Open an app in a place of its own.
    LaunchApp,
    /// Change the look of the page.
    Theme,
    /// Play something.
    Play,
}

impl BrowserVerb {
    /// All five.
    pub const ALL: [Self; 5] = [Self::Navigate, Self::OpenApp, Self::LaunchApp, Self::Theme, Self::Play];

    /// The name under which a model asks for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Navigate => "navigate",
            Self::OpenApp => "open-app",
            Self::LaunchApp => "launch-app",
            Self::Theme => "theme",
            Self::Play => "play",
        }
    }
}

/// One action with one of the targets that the door declared.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BrowserAction {
    /// What to do.
    pub verb: BrowserVerb,
    /// With what: always one of the declared targets.
    pub target: String,
}

/// The actions and targets that a door declares; a call outside this closed list is an unknown tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Browser(Vec<BrowserAction>);

impl Browser {
    /// A door without a browser.
    pub const NONE: Self = Self(Vec::new());

    /// Also allows `verb` with each of `targets`.
    #[must_use]
    pub fn with<T: Into<String>>(mut self, verb: BrowserVerb, targets: impl IntoIterator<Item = T>) -> Self {
        self.0.extend(targets.into_iter().map(|target| BrowserAction { verb, target: target.into() }));
        self
    }

    /// The action that a call names, if the door declared it.
    pub(crate) fn find(&self, name: &str, args: &str) -> Option<BrowserAction> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Args {
            target: String,
        }
        let args: Args = serde_json::from_str(args).ok()?;
        self.0.iter().find(|action| action.verb.name() == name && action.target == args.target).cloned()
    }

    /// Whether any target of the verb named `name` is declared.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.0.iter().any(|action| action.verb.name() == name)
    }

    /// One spec per declared verb, with its targets as candidates.
    pub(crate) fn specs(&self) -> Vec<Spec> {
        BrowserVerb::ALL
            .into_iter()
            .filter(|verb| self.knows(verb.name()))
            .map(|verb| {
                let targets: Vec<&str> = self
                    .0
                    .iter()
                    .filter(|action| action.verb == verb)
                    .map(|action| &*action.target)
                    .collect();
                Spec::browser(verb.name(), &targets, Slot::fixed("target", &targets))
            })
            .collect()
    }
}
