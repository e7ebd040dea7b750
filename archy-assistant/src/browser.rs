//! What a turn may ask the caller's door to do on its own screen: nothing on the node changes by it.

use crate::turn::input::Arrived;
use crate::{CallId, Candidate, Datum, Outcome, Sentence, Slot, Source, Spec};

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

    /// How people say it, without articles; `{target}` stands for what one of the targets is called.
    pub(crate) const fn phrases(self) -> &'static [&'static str] {
        match self {
            Self::Navigate => &[
                "show {target}",
                "open {target}",
                "go to {target}",
                "take me to {target}",
                "show {target} page",
                "open {target} page",
                "go to {target} page",
            ],
            Self::OpenApp => &["open {target}", "show {target}", "open {target} here"],
            Self::LaunchApp => &[
                "open {target} in new tab",
                "open {target} in tab of its own",
                "open {target} in its own tab",
                "launch {target} in new tab",
                "launch {target} in tab of its own",
                "launch {target} in its own tab",
                "open {target}",
            ],
            Self::Theme => &[
                "make theme {target}",
                "make it {target}",
                "make page {target}",
                "make everything {target}",
                "make this page {target}",
                "set theme to {target}",
                "change theme to {target}",
                "switch theme to {target}",
                "switch to {target}",
                "switch to {target} mode",
                "switch to {target} theme",
                "change to {target} mode",
                "change to {target} theme",
                "use {target} mode",
                "use {target} theme",
                "turn on {target} mode",
                "enable {target} mode",
                "i want {target} mode",
                "i want {target} theme",
                "{target} mode",
                "{target} theme",
                "go {target}",
            ],
            Self::Play => &["play {target}", "listen to {target}"],
        }
    }

    /// The tool and the key of a setting of the node's that a page has for itself too.
    pub(crate) const fn instead_of(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Theme => Some(("setting_set", "theme")),
            Self::Navigate | Self::OpenApp | Self::LaunchApp | Self::Play => None,
        }
    }

    /// What a person reads once it was done with this target.
    fn done(self, target: &str) -> Sentence {
        Sentence::plain(match self {
            Self::Navigate => format!("This page shows {target} now."),
            Self::OpenApp | Self::LaunchApp => format!("{target} is open."),
            Self::Theme => format!("The theme of this page is {target} now."),
            Self::Play => format!("{target} plays."),
        })
    }
}

/// What became of a browser action: a closed list, so that no text of a page enters a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Browsed {
    /// The page did it.
    Done,
    /// The page could not, or the person did not want it.
    NotDone,
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
pub struct Browser(Vec<Declared>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Declared {
    action: BrowserAction,
    /// What people call the target, beside its own name.
    names: Vec<String>,
}

impl Browser {
    /// A door without a browser.
    pub const NONE: Self = Self(Vec::new());

    /// Also allows `verb` with each of `targets`.
    #[must_use]
    pub fn with<T: Into<String>>(mut self, verb: BrowserVerb, targets: impl IntoIterator<Item = T>) -> Self {
        for target in targets {
            self = self.with_called(verb, target, [] as [&str; 0]);
        }
        self
    }

    /// Also allows `verb` with `target`, which people call by these names too.
    #[must_use]
    pub fn with_called<N: Into<String>>(
        mut self,
        verb: BrowserVerb,
        target: impl Into<String>,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        let action = BrowserAction { verb, target: target.into() };
        self.0.push(Declared { action, names: names.into_iter().map(Into::into).collect() });
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
        let actions = self.0.iter().map(|declared| &declared.action);
        actions.into_iter().find(|action| action.verb.name() == name && action.target == args.target).cloned()
    }

    /// Whether any target of the verb named `name` is declared.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.0.iter().any(|declared| declared.action.verb.name() == name)
    }

    /// One spec per declared verb, with its targets as candidates.
    pub(crate) fn specs(&self) -> Vec<Spec> {
        BrowserVerb::ALL
            .into_iter()
            .filter(|verb| self.knows(verb.name()))
            .map(|verb| {
                let declared = self.0.iter().filter(|declared| declared.action.verb == verb);
                let candidates: Vec<Candidate> = declared.map(Declared::candidate).collect();
                Spec::browser(verb.name(), Slot::among("target", candidates))
            })
            .collect()
    }
}

impl Declared {
    fn candidate(&self) -> Candidate {
        let candidate = Candidate::new(self.action.target.clone());
        self.names.iter().fold(candidate, |candidate, name| candidate.called(name.clone(), Source::AppName))
    }
}

impl BrowserAction {
    /// The call that asks for it, in the one way of writing it.
    pub(crate) fn args(&self) -> String {
        serde_json::json!({ "target": self.target }).to_string()
    }

    /// The result of the call: it rests on nothing of the node's.
    pub(crate) fn arrived(&self, call: CallId, browsed: Browsed) -> Arrived {
        match browsed {
            Browsed::Done => {
                let says = self.verb.done(&self.target);
                let done = Outcome::Done(Datum::text(says.shown().to_string()));
                Arrived { says, ..Arrived::plain(call, done) }
            }
            Browsed::NotDone => Arrived::plain(call, Outcome::NotDone("this page did not do it".to_owned())),
        }
    }
}
