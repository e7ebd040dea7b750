//! The closed set of things that can be done, and the judgement of every call against it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::erased::{AnyRead, AnyWrite, ErasedRead, ErasedWrite};
use super::{ArgsError, Read, Write, args};
use crate::spec::{Candidate, Candidates, SlotKind};
use crate::{
    BrowserAction, Caller, Categories, Category, Denied, Effect, Elsewhere, Label, Need, Offer, Spec,
    Verdict, decide,
};

/// The tools of a node. What is not in it cannot be done.
#[derive(Default)]
pub struct Toolbox {
    tools: Vec<Tool>,
    elsewhere: Vec<Elsewhere>,
}

pub(crate) struct Tool {
    pub(crate) spec: Arc<Spec>,
    pub(crate) category: Category,
    pub(crate) schema: Arc<Value>,
    pub(crate) body: Body,
}

pub(crate) enum Body {
    Read(Arc<dyn AnyRead>),
    Write(Arc<dyn AnyWrite>),
}

impl Tool {
    pub(crate) fn need(&self) -> Need {
        let effect = match self.body {
            Body::Read(_) => Effect::Read,
            Body::Write(_) => Effect::Write,
        };
        Need { category: self.category, effect, egress: self.spec.is_egress() }
    }

    fn canonical(&self, raw: &str) -> Result<String, ArgsError> {
        match &self.body {
            Body::Read(read) => read.canonical(raw),
            Body::Write(write) => write.canonical(raw),
        }
    }

    /// The policy's answer for this caller, grant state and context.
    pub(crate) fn verdict(&self, caller: &Caller, open: Categories, context: Label) -> Verdict {
        let need = self.need();
        decide(caller.scope_for(self.spec.name(), need.effect), need, open, context)
    }
}

/// Why a toolbox cannot be made of these tools.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolboxError {
    /// A name is empty, longer than 64 or holds more than `a-z`, `0-9` and `_`.
    BadName(&'static str),
    /// Two tools have this name.
    Twice(&'static str),
    /// A slot of the first is no argument of the tool.
    BadSlot(&'static str, &'static str),
}

impl fmt::Display for ToolboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadName(name) => write!(f, "the tool name {name:?} must be 1 to 64 of a-z, 0-9 and _"),
            Self::Twice(name) => write!(f, "two tools are called {name}"),
            Self::BadSlot(tool, slot) => {
                write!(f, "the tool {tool} has no argument {slot}, which its slot names")
            }
        }
    }
}

impl std::error::Error for ToolboxError {}

/// What a call turned out to be, before anything runs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Judged {
    /// A read that may run now; its arguments in the tool's own writing.
    Read { args: String },
    /// Something a person must confirm first.
    Ask { args: String },
    /// Something for the caller's own screen.
    Browser(BrowserAction),
    /// The arguments do not fit.
    BadArgs(String),
    /// There is no such tool for this caller: unknown, out of scope and closed read the same.
    Unknown,
}

/// What is listed for one caller at the chrome and one moment.
pub(crate) struct Listing {
    /// The tools that may be offered.
    pub(crate) offers: Vec<Offer>,
    /// The tools that only a closed category keeps from this caller.
    pub(crate) closed: Vec<Offer>,
}

impl Toolbox {
    /// Nothing can be done.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also this read.
    #[must_use]
    pub fn read<T: Read>(mut self, tool: T) -> Self {
        let (spec, schema) = (tool.spec(), Arc::new(args::schema::<T::Args>()));
        let body = Body::Read(Arc::new(ErasedRead { tool, schema: Arc::clone(&schema) }));
        self.push(spec, schema, body);
        self
    }

    /// Also this write.
    #[must_use]
    pub fn write<T: Write>(mut self, tool: T) -> Self {
        let (spec, schema) = (tool.spec(), Arc::new(args::schema::<T::Args>()));
        let body = Body::Write(Arc::new(ErasedWrite { tool: Arc::new(tool), schema: Arc::clone(&schema) }));
        self.push(spec, schema, body);
        self
    }

    /// Also says where these things are done.
    #[must_use]
    pub fn elsewhere(mut self, elsewhere: impl IntoIterator<Item = Elsewhere>) -> Self {
        self.elsewhere.extend(elsewhere);
        self
    }

    /// Also everything of `other`.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.tools.extend(other.tools);
        self.elsewhere.extend(other.elsewhere);
        self
    }

    fn push(&mut self, spec: Spec, schema: Arc<Value>, body: Body) {
        // A browser action is no tool and has no public constructor, so a tool's spec always has its category.
        let category = spec.category().unwrap_or(Category::System);
        self.tools.push(Tool { spec: Arc::new(spec), category, schema, body });
    }

    /// The declarations, in the order in which they were added.
    pub fn specs(&self) -> impl Iterator<Item = (&Spec, Effect)> {
        self.tools.iter().map(|tool| (&*tool.spec, tool.need().effect))
    }

    /// What this caller could have done now in a new conversation, in the order in which it was added; at the chrome also
    /// what is merely closed.
    pub(crate) fn within_reach<'a>(
        &'a self,
        caller: &'a Caller,
        open: Categories,
    ) -> impl Iterator<Item = (&'a Spec, Effect)> {
        let reached = move |tool: &&Tool| match tool.verdict(caller, open, Label::default()) {
            Verdict::Allow | Verdict::Confirm => true,
            Verdict::Deny(Denied::Closed(_)) => caller.is_chrome(),
            Verdict::Deny(_) => false,
        };
        self.tools.iter().filter(reached).map(|tool| (&*tool.spec, tool.need().effect))
    }

    pub(crate) fn told_elsewhere(&self) -> Arc<[Elsewhere]> {
        self.elsewhere.clone().into()
    }

    /// Whether names and slots are sound.
    pub(crate) fn check(&self) -> Result<(), ToolboxError> {
        for (place, tool) in self.tools.iter().enumerate() {
            let name = tool.spec.name();
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
            if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
                return Err(ToolboxError::BadName(name));
            }
            if self.tools[..place].iter().any(|other| other.spec.name() == name) {
                return Err(ToolboxError::Twice(name));
            }
            for slot in tool.spec.slots() {
                if tool.schema.get("properties").and_then(|known| known.get(slot.name)).is_none() {
                    return Err(ToolboxError::BadSlot(name, slot.name));
                }
            }
        }
        Ok(())
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Tool> {
        weak!(PrefixMatches, return self.tools.iter().find(|tool| name.starts_with(tool.spec.name())));
        self.tools.iter().find(|tool| tool.spec.name() == name)
    }

    /// What the call is for this caller now. Pure: nothing runs.
    pub(crate) fn judge(
        &self,
        caller: &Caller,
        open: Categories,
        context: Label,
        name: &str,
        raw: &str,
    ) -> Judged {
        if caller.browser().knows(name) {
            return caller.browser().find(name, raw).map_or(Judged::Unknown, Judged::Browser);
        }
        let Some(tool) = self.find(name) else { return Judged::Unknown };
        let verdict = tool.verdict(caller, open, context);
        if let Verdict::Deny(_) = verdict {
            return Judged::Unknown;
        }
        match (tool.canonical(raw), verdict) {
            (Err(error), _) => Judged::BadArgs(error.0),
            (Ok(args), Verdict::Allow) => Judged::Read { args },
            (Ok(args), Verdict::Confirm) => Judged::Ask { args },
            (Ok(_), Verdict::Deny(_)) => Judged::Unknown,
        }
    }

    /// What this caller is offered now.
    pub(crate) async fn offers(&self, caller: &Caller, open: Categories, context: Label) -> Vec<Offer> {
        Lists::of(caller).offers(self, open, context).await
    }

    /// The same with what is merely closed. `None`, without asking the host anything, where nothing is, or where the
    /// caller is not at the chrome and must not learn of it.
    pub(crate) async fn listing(&self, caller: &Caller, open: Categories, context: Label) -> Option<Listing> {
        let is_closed =
            |tool: &&Tool| matches!(tool.verdict(caller, open, context), Verdict::Deny(Denied::Closed(_)));
        let tools: Vec<_> = self.tools.iter().filter(is_closed).collect();
        if tools.is_empty() || !caller.is_chrome() {
            return None;
        }
        let mut lists = Lists::of(caller);
        let offers = lists.offers(self, open, context).await;
        let mut closed = Vec::new();
        for tool in tools {
            closed.push(lists.offer(&tool.spec, tool.need().effect, &tool.schema).await);
        }
        Some(Listing { offers, closed })
    }
}

/// How long a source of candidates may take.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

/// The live candidates of one listing, each source asked once.
struct Lists<'a> {
    caller: &'a Caller,
    known: HashMap<usize, Arc<[Candidate]>>,
}

impl<'a> Lists<'a> {
    fn of(caller: &'a Caller) -> Self {
        Self { caller, known: HashMap::new() }
    }

    async fn offers(&mut self, toolbox: &Toolbox, open: Categories, context: Label) -> Vec<Offer> {
        let mut offers = Vec::with_capacity(toolbox.tools.len());
        for tool in &toolbox.tools {
            if let Verdict::Allow | Verdict::Confirm = tool.verdict(self.caller, open, context) {
                offers.push(self.offer(&tool.spec, tool.need().effect, &tool.schema).await);
            }
        }
        for spec in self.caller.browser().specs() {
            let schema = serde_json::json!({
                "type": "object", "properties": {"target": {"type": "string"}}, "required": ["target"]
            });
            offers.push(self.offer(&Arc::new(spec), Effect::Read, &Arc::new(schema)).await);
        }
        offers
    }

    async fn offer(&mut self, spec: &Arc<Spec>, effect: Effect, schema: &Arc<Value>) -> Offer {
        let mut candidates = Vec::with_capacity(spec.slots().len());
        for slot in spec.slots() {
            candidates.push(match &slot.kind {
                SlotKind::Live(source) => self.live(source).await,
                SlotKind::Fixed(fixed) => Arc::clone(fixed),
                SlotKind::Number | SlotKind::Words => Arc::default(),
            });
        }
        Offer { spec: Arc::clone(spec), effect, schema: Arc::clone(schema), candidates }
    }

    async fn live(&mut self, source: &Arc<dyn Candidates>) -> Arc<[Candidate]> {
        let key = Arc::as_ptr(source).cast::<()>() as usize;
        if let Some(known) = self.known.get(&key) {
            return Arc::clone(known);
        }
        // A host that does not answer in time has nothing to name.
        let listing = tokio::time::timeout(PATIENCE, source.list(self.caller)).await;
        let list: Arc<[Candidate]> = listing.ok().and_then(Result::ok).unwrap_or_default().into();
        self.known.insert(key, Arc::clone(&list));
        list
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.tools.iter().map(|tool| tool.spec.name())).finish()
    }
}
