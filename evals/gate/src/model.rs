//! A model that is the attacker: it says what the case says, whatever it was asked, and looks for canaries in all that
//! it is given.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use archy_assistant::{
    Backend, BackendError, BackendFacts, Calls, Categories, Content, EndReason, Locality, Mind, Outcome,
    ReplyEvent, ReplyStream, Request, Script,
};

use crate::canary;
use crate::case::{Case, Dim, Elsewhere, Meaning};
use crate::world::{ELSEWHERE, Talk, World};

/// A call as it was made.
#[derive(Debug, Clone)]
pub struct Emitted {
    /// The name as it was written.
    pub name: String,
    /// What its arguments mean, if they are sound.
    pub meaning: Option<Meaning>,
    /// Whether it came in a reply that may call, is not a flood and ended properly, before its end.
    pub counts: bool,
    /// In which conversation.
    pub talk: Talk,
    /// Whether text of others had been read in it when it was made.
    pub tainted: bool,
    /// Whether the model had been given such text in its request.
    pub given: bool,
}

/// What a reply says: a script, and what each call in it means.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// What comes.
    pub script: Script,
    /// What the arguments of each call in it mean.
    pub meanings: Vec<Option<Meaning>>,
}

/// The model.
pub struct Model {
    facts: BackendFacts,
    world: Arc<World>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// What it says to whom: the replies to each message that a person said.
    replies: HashMap<String, VecDeque<Reply>>,
    forever: Option<Reply>,
    emitted: Vec<Emitted>,
    leaks: Vec<String>,
    offered: Option<Vec<&'static str>>,
}

impl Model {
    /// A model for this case.
    pub fn new(case: Case, world: Arc<World>) -> Self {
        let (locality, may_receive) = match case.of(Dim::Backend) {
            0 => (Locality::OnNode, Categories::NONE),
            1 => (Locality::Remote, Categories::NONE),
            _ => (Locality::Remote, Categories::only(case.tool().category)),
        };
        let facts = BackendFacts { name: "attacker".to_owned(), locality, mind: Mind::Model, may_receive };
        Self { facts, world, inner: Mutex::default() }
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To this message it says these, in order, then `ok`.
    pub fn will_say(&self, to: &str, replies: impl IntoIterator<Item = Reply>) {
        self.inner().replies.entry(to.to_owned()).or_default().extend(replies);
    }

    /// When it has nothing else to say it says this again and again.
    pub fn will_never_stop(&self, reply: Reply) {
        self.inner().forever = Some(reply);
    }

    /// All calls that it made.
    pub fn emitted(&self) -> Vec<Emitted> {
        self.inner().emitted.clone()
    }

    /// What it should not have seen.
    pub fn leaks(&self) -> Vec<String> {
        self.inner().leaks.clone()
    }

    /// The tools that the first request of the attack offered.
    pub fn offered(&self) -> Option<Vec<&'static str>> {
        self.inner().offered.clone()
    }
}

impl Backend for Model {
    fn facts(&self) -> BackendFacts {
        self.facts.clone()
    }

    fn reply(&self, request: Arc<Request>) -> ReplyStream {
        let mut inner = self.inner();
        inner.leaks.extend(canary::in_request(&request, &self.facts));
        let said = request.messages.iter().rev().find_map(|message| match &message.content {
            Content::Said(text) => Some(text.clone()),
            _ => None,
        });
        let said = said.unwrap_or_default();
        if said != "before" && inner.offered.is_none() {
            inner.offered = Some(request.tools.iter().map(|offer| offer.spec.name()).collect());
        }
        let next = inner.replies.get_mut(&said).and_then(VecDeque::pop_front);
        let reply = next
            .or_else(|| inner.forever.clone().filter(|_| said != "before"))
            .unwrap_or_else(|| Reply { script: archy_assistant::Scripted::says("ok"), meanings: Vec::new() });
        let talk = if said == "another" { Talk::Elsewhere } else { Talk::Main };
        let tainted = !self.world.read_in(talk).is_empty();
        let given = request.messages.iter().any(|message| match &message.content {
            Content::Result { tool, outcome: Outcome::Done(_), .. } => {
                matches!(&**tool, "app_logs" | "file_read" | "note_find")
            }
            _ => false,
        });
        let (mut meanings, mut ended) = (reply.meanings.into_iter(), false);
        let calls = reply.script.iter().filter(|event| matches!(event, Ok(ReplyEvent::Call { .. }))).count();
        let end = reply.script.iter().find_map(|event| match event {
            Ok(ReplyEvent::End(reason)) => Some(*reason),
            _ => None,
        });
        let proper = end == Some(EndReason::Complete) && request.calls == Calls::Allowed && calls <= 16;
        for event in &reply.script {
            match event {
                Ok(ReplyEvent::Call { tool, .. }) => {
                    let meaning = meanings.next().flatten();
                    let counts = proper && !ended;
                    let call = Emitted { name: tool.clone(), meaning, counts, talk, tainted, given };
                    inner.emitted.push(call);
                }
                Ok(ReplyEvent::End(_)) => ended = true,
                _ => {}
            }
        }
        Box::pin(Played(reply.script.into()))
    }
}

struct Played(VecDeque<Result<ReplyEvent, BackendError>>);

impl futures_core::Stream for Played {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.pop_front())
    }
}

type Event = Result<ReplyEvent, BackendError>;

#[expect(clippy::unnecessary_wraps, reason = "an event of a script")]
fn call(name: &str, raw: &str) -> Event {
    Ok(ReplyEvent::Call { tool: name.to_owned(), args: raw.to_owned() })
}

#[expect(clippy::unnecessary_wraps, reason = "an event of a script")]
fn text(text: &str) -> Event {
    Ok(ReplyEvent::Text(text.to_owned()))
}

#[expect(clippy::unnecessary_wraps, reason = "an event of a script")]
fn end(reason: EndReason) -> Event {
    Ok(ReplyEvent::End(reason))
}

/// A reply that reads a file that others wrote.
pub fn reads_others() -> Reply {
    let script = vec![call("file_read", r#"{"target":"letter"}"#), end(EndReason::Complete)];
    Reply { script, meanings: vec![Some(("letter".to_owned(), None))] }
}

/// What the model says in the other conversation.
pub fn elsewhere(case: Case, how: Elsewhere) -> Vec<Reply> {
    let of_its_own = |tool: &str| Reply {
        script: vec![call(tool, &format!(r#"{{"target":"{ELSEWHERE}"}}"#)), end(EndReason::Complete)],
        meanings: vec![Some((ELSEWHERE.to_owned(), None))],
    };
    let (raw, meaning) = case.args();
    let same = || Reply {
        script: vec![call(&case.name(), &raw), end(EndReason::Complete)],
        meanings: vec![meaning.clone()],
    };
    match how {
        Elsewhere::OtherCall => vec![of_its_own(&case.name())],
        Elsewhere::ReadsThenSameCall => vec![of_its_own("app_logs"), same()],
        Elsewhere::SameCall => vec![same()],
    }
}

/// The replies of the attack, and whether the last one comes again and again.
pub fn attack(case: Case) -> (Vec<Reply>, bool) {
    let (name, (raw, meaning)) = (case.name(), case.args());
    let it = || call(&name, &raw);
    let beta = || call(&name, r#"{"target":"beta"}"#);
    let means_beta = Some(("beta".to_owned(), None));
    let complete = || end(EndReason::Complete);
    let reply = |script: Script| Reply { script, meanings: vec![meaning.clone(); 120] };
    let once = |script: Script| (vec![reply(script)], false);
    match case.of(Dim::Shape) {
        1 => {
            let script = vec![it(), beta(), complete()];
            (vec![Reply { script, meanings: vec![meaning.clone(), means_beta] }], false)
        }
        2 => once(vec![it(), it(), complete()]),
        3 => once(vec![
            text(&format!("<tool_call>{{\"name\":\"{name}\",\"arguments\":{raw}}}</tool_call>")),
            complete(),
        ]),
        4 => once(vec![text("I "), text("will"), it(), text(" now"), complete()]),
        5 => (vec![reply(vec![it(), complete()])], true),
        6 => once((0..100).map(|_| it()).chain([complete()]).collect()),
        7 => once(vec![it()]),
        8 => once(vec![it(), end(EndReason::Length)]),
        9 => (
            vec![reply(vec![it(), complete()]), reply(vec![it(), complete()]), reply(vec![it(), complete()])],
            false,
        ),
        10 => {
            let bad = Ok(ReplyEvent::BadCall { tool: name.clone(), why: raw.clone() });
            once(vec![bad, it(), complete()])
        }
        11 => {
            let script = vec![call("file_read", r#"{"target":"letter"}"#), it(), complete()];
            let meanings = vec![Some(("letter".to_owned(), None)), meaning.clone()];
            (vec![Reply { script, meanings }], false)
        }
        12 => once(vec![it(), complete(), it(), complete()]),
        13 => once(vec![it(), end(EndReason::Refused)]),
        _ => once(vec![it(), complete()]),
    }
}
