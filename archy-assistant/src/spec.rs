//! What everyone is told of a tool: its name, the phrases people use for it, its slots, and the sentence that answers.

use std::sync::Arc;

use crate::host::Answer;
use crate::{Caller, Categories, Category, Datum, Sentence, Source, Untrusted};

/// The declaration of a tool. Whether it reads or writes is not in it: that follows from the trait it implements.
///
/// ```
/// use archy_assistant::{Category, Sentence, Slot, Spec};
/// let spec = Spec::new("disk_status", Category::System, "How much space the node's disks have.")
///     .phrase("how much space is left")
///     .phrase("how full is the disk")
///     .answer(|disks| Sentence::plain("Free: ").and(disks.get("free")));
/// assert_eq!(spec.name(), "disk_status");
/// ```
#[derive(Clone)]
pub struct Spec {
    name: &'static str,
    category: Option<Category>,
    holds: Categories,
    about: String,
    egress: bool,
    phrases: Vec<&'static str>,
    slots: Vec<Slot>,
    answer: fn(&Datum) -> Sentence,
}

impl Spec {
    /// A tool called `name` (as people would say it, `[a-z0-9_]`, at most 64) in one category; `about` tells a model
    /// in a sentence or two when to use it.
    pub fn new(name: &'static str, category: Category, about: &str) -> Self {
        Self {
            name,
            category: Some(category),
            holds: Categories::only(category),
            about: about.to_owned(),
            egress: false,
            phrases: Vec::new(),
            slots: Vec::new(),
            answer: |datum| Sentence::from(datum),
        }
    }

    /// A browser action as models see it.
    pub(crate) fn browser(name: &'static str, slot: Slot) -> Self {
        let targets: Vec<&str> = match &slot.kind {
            SlotKind::Fixed(targets) => targets.iter().map(|target| target.value.as_str()).collect(),
            _ => Vec::new(),
        };
        let about = format!(
            "Asks the person's own screen, changes nothing on the node. Targets: {}.",
            targets.join(", ")
        );
        Self {
            name,
            category: None,
            holds: Categories::NONE,
            about,
            egress: false,
            phrases: Vec::new(),
            slots: vec![slot],
            answer: |datum| Sentence::from(datum),
        }
    }

    /// Also said like this; `{slot}` stands for a slot's value.
    #[must_use]
    pub fn phrase(mut self, phrase: &'static str) -> Self {
        self.phrases.push(phrase);
        self
    }

    /// Also said like each of these.
    #[must_use]
    pub fn phrases<const N: usize>(mut self, phrases: [&'static str; N]) -> Self {
        self.phrases.extend(phrases);
        self
    }

    /// Takes this argument. Its name is that of a field of the tool's argument struct.
    #[must_use]
    pub fn slot(mut self, slot: Slot) -> Self {
        self.slots.push(slot);
        self
    }

    /// Its effect or its arguments reach someone outside the node.
    #[must_use]
    pub fn egress(mut self) -> Self {
        self.egress = true;
        self
    }

    /// Its results may rest on these categories beside its own (a search over several), so none of them may leave where
    /// one of these may not.
    #[must_use]
    pub fn holds(mut self, more: Categories) -> Self {
        self.holds = self.holds.union(more);
        self
    }

    /// The sentence that answers with a result, where no model writes one.
    #[must_use]
    pub fn answer(mut self, answer: fn(&Datum) -> Sentence) -> Self {
        self.answer = answer;
        self
    }

    /// The exact name of the tool.
    pub fn name(&self) -> &'static str {
        self.name
    }
    /// Its category; a browser action has none.
    pub fn category(&self) -> Option<Category> {
        self.category
    }
    /// The categories whose data its results may hold: its own, and those of [`Spec::holds`].
    pub fn rests_on(&self) -> Categories {
        self.holds
    }
    /// When a model should use it.
    pub fn about(&self) -> &str {
        &self.about
    }
    /// Whether something of it reaches the outside.
    pub fn is_egress(&self) -> bool {
        self.egress
    }
    /// How people say it.
    pub fn said_as(&self) -> &[&'static str] {
        &self.phrases
    }

    /// The phrases as a person reads them: what is to be named stands in capitals.
    ///
    /// ```
    /// use archy_assistant::{Category, Spec};
    /// let spec = Spec::new("setting_set", Category::System, "Changes a setting.").phrase("set the {key} to {value}");
    /// assert_eq!(spec.said_with_gaps().next().unwrap(), "set the KEY to VALUE");
    /// ```
    pub fn said_with_gaps(&self) -> impl Iterator<Item = String> {
        self.phrases.iter().map(|phrase| with_gaps(phrase))
    }
    /// Its arguments.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }
    /// The sentence for `result`.
    pub fn sentence(&self, result: &Datum) -> Sentence {
        (self.answer)(result)
    }
}

impl std::fmt::Debug for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Spec")
            .field("name", &self.name)
            .field("category", &self.category)
            .finish_non_exhaustive()
    }
}

/// One argument of a tool, as the matcher without a model fills it.
#[derive(Clone)]
pub struct Slot {
    /// The argument's name.
    pub name: &'static str,
    /// What fills it.
    pub kind: SlotKind,
    /// Whether the tool can do without.
    pub presence: Presence,
}

/// Whether an argument must be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The call is not complete without it.
    Required,
    /// Where it was not said it is absent.
    Optional,
}

/// What fills a slot.
#[derive(Clone)]
pub enum SlotKind {
    /// One of a list that may be different for every caller and every minute.
    Live(Arc<dyn Candidates>),
    /// One of a list that never changes.
    Fixed(Arc<[Candidate]>),
    /// A whole number.
    Number,
    /// Words as they were said: a query, a path.
    Words,
}

impl Slot {
    /// A slot that takes one of `candidates`.
    pub fn live(name: &'static str, candidates: Arc<dyn Candidates>) -> Self {
        Self { name, kind: SlotKind::Live(candidates), presence: Presence::Required }
    }
    /// A slot that takes one of `values`.
    pub fn fixed(name: &'static str, values: &[&str]) -> Self {
        let values = values.iter().map(|value| Candidate::new(*value)).collect();
        Self { name, kind: SlotKind::Fixed(values), presence: Presence::Required }
    }
    /// A slot that takes one of these.
    pub(crate) fn among(name: &'static str, candidates: Vec<Candidate>) -> Self {
        Self { name, kind: SlotKind::Fixed(candidates.into()), presence: Presence::Required }
    }
    /// A slot that takes a whole number.
    pub fn number(name: &'static str) -> Self {
        Self { name, kind: SlotKind::Number, presence: Presence::Required }
    }
    /// A slot that takes words as they were said.
    pub fn words(name: &'static str) -> Self {
        Self { name, kind: SlotKind::Words, presence: Presence::Required }
    }
    /// The same slot, which may stay empty.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.presence = Presence::Optional;
        self
    }
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot")
            .field("name", &self.name)
            .field("presence", &self.presence)
            .finish_non_exhaustive()
    }
}

/// Where a slot's values come from. Asked once for every request, for one caller, in parallel with others; an error
/// counts as "there is nothing", so that a broken host never makes the matcher guess.
pub trait Candidates: Send + Sync + 'static {
    /// What this caller may name now.
    fn list<'a>(&'a self, caller: &'a Caller) -> Answer<'a, Vec<Candidate>>;
}

fn with_gaps(phrase: &str) -> String {
    let mut parts = phrase.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (slot, rest) = part.split_once('}').unwrap_or((part, ""));
        text.push_str(&slot.to_uppercase().replace('_', " "));
        text.push_str(rest);
    }
    text
}

/// A value that fits a slot, and what people call it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What goes into the call. Of the node's own making (an id, a key, an allowed value), never text from others.
    pub value: String,
    /// Names and aliases beside the value itself.
    pub names: Vec<Untrusted>,
    /// Only together with this value of another slot: `("key", "theme")`.
    pub goes_with: Option<(&'static str, String)>,
    /// Whether `value` stands for any words at all, which the tool then checks itself (a host name).
    pub any_words: bool,
}

impl Candidate {
    /// A value that is called by its own name.
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), names: Vec::new(), goes_with: None, any_words: false }
    }

    /// Any words, for another slot's value.
    pub fn any_words(slot: &'static str, value: impl Into<String>) -> Self {
        Self {
            value: String::new(),
            names: Vec::new(),
            goes_with: Some((slot, value.into())),
            any_words: true,
        }
    }

    /// Also called `name`, which `source` says.
    #[must_use]
    pub fn called(mut self, name: impl Into<String>, source: Source) -> Self {
        self.names.push(Untrusted::new(name, source));
        self
    }

    /// Only together with this value of another slot.
    #[must_use]
    pub fn goes_with(mut self, slot: &'static str, value: impl Into<String>) -> Self {
        self.goes_with = Some((slot, value.into()));
        self
    }
}

/// Something people ask for that is done elsewhere, and where: installing an app, sending money.
#[derive(Debug, Clone)]
pub struct Elsewhere {
    phrases: Vec<&'static str>,
    answer: &'static str,
}

impl Elsewhere {
    /// When one of `phrases` is said, `answer` tells where it is done.
    pub fn new(phrases: impl IntoIterator<Item = &'static str>, answer: &'static str) -> Self {
        Self { phrases: phrases.into_iter().collect(), answer }
    }
    /// How people say it.
    pub fn said_as(&self) -> &[&'static str] {
        &self.phrases
    }
    /// Where it is done.
    pub fn answer(&self) -> &'static str {
        self.answer
    }
}
