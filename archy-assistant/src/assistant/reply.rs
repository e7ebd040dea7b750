//! A reply that is coming in: its events become the machine's inputs, each call judged by the node on the way.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use tokio::time::{Instant, Sleep};

use super::driver::{Driver, Next, Woken};
use super::request::{Again, Ready};
use crate::backend::{BackendError, BackendFault, ReplyEvent, ReplyStream};
use crate::tool::Judged;
use crate::turn::input::{AskBack, Called, Input, Judgement};
use crate::{Backend, Limited, Request};

/// Text of a reply is handed on at most this often.
const COALESCE: Duration = Duration::from_millis(100);

/// So many events and bytes are taken beside what the limit of text alone allows.
const SPARE: usize = 4096;
/// After so many events in a row others get their turn.
const IN_A_ROW: usize = 256;

/// A reply that is coming in.
pub(super) struct Reply {
    pub(super) stream: ReplyStream,
    /// What it answers, until anything of it was seen by anyone: so long the rules may still answer instead.
    pub(super) request: Option<Arc<Request>>,
    pub(super) text: String,
    pub(super) hand_on_at: Instant,
    /// How many events have come, and how many bytes in them.
    events: usize,
    bytes: usize,
}

impl Reply {
    /// Sends the request on its way.
    pub(super) fn begin(ready: Ready) -> Self {
        Self {
            stream: later(ready.again, ready.backend, Arc::clone(&ready.request)),
            request: Some(ready.request),
            text: String::new(),
            hand_on_at: Instant::now(),
            events: 0,
            bytes: 0,
        }
    }

    /// Counts an event. `false` when more has come than any honest reply holds.
    fn has_room(&mut self, event: &ReplyEvent, text: usize) -> bool {
        self.events += 1;
        self.bytes += match event {
            ReplyEvent::Text(text) | ReplyEvent::Opaque(text) => text.len(),
            ReplyEvent::Call { tool, args } => tool.len() + args.len(),
            ReplyEvent::BadCall { tool, why } => tool.len() + why.len(),
            _ => 0,
        };
        self.events <= text + SPARE && self.bytes <= 16 * text + SPARE
    }

    /// What came before the failure is handed on; if nothing was, another backend may be asked.
    fn broke(mut self, mut next: Vec<Next>, error: BackendError) -> Poll<Woken> {
        if !self.text.is_empty() {
            next.push(self.hand_on());
        }
        if let Some(request) = self.request {
            return Poll::Ready(Woken::ReplyBroke { so_far: next, request, error });
        }
        next.push(Next::plain(Input::Broke(error)));
        Poll::Ready(Woken::Reply(next))
    }

    /// The text that has come since the last time.
    pub(super) fn hand_on(&mut self) -> Next {
        self.request = None;
        self.hand_on_at = Instant::now() + COALESCE;
        Next::plain(Input::Text(std::mem::take(&mut self.text)))
    }
}

/// The reply to a request that goes at once, or later if it may still go then. Dropped before, it never goes.
fn later(again: Option<Again>, backend: Arc<dyn Backend>, request: Arc<Request>) -> ReplyStream {
    let Some(again) = again.filter(|again| !again.wait.is_zero()) else { return backend.reply(request) };
    let sleep = Box::pin(tokio::time::sleep(again.wait));
    Box::pin(Later { sleep, again, goes: Some((backend, request)), reply: None })
}

struct Later {
    sleep: Pin<Box<Sleep>>,
    again: Again,
    goes: Option<(Arc<dyn Backend>, Arc<Request>)>,
    reply: Option<ReplyStream>,
}

impl Stream for Later {
    type Item = Result<ReplyEvent, BackendError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.goes.is_some() {
            std::task::ready!(self.sleep.as_mut().poll(context));
            let goes = self.goes.take().filter(|_| (self.again.still)());
            self.reply = goes.map(|(backend, request)| backend.reply(request));
            if self.reply.is_none() {
                // It goes on as if it had failed once more: what is asked then is made anew, of what is open.
                return Poll::Ready(Some(Err(self.again.because.clone())));
            }
        }
        self.reply.as_mut().map_or(Poll::Ready(None), |reply| reply.as_mut().poll_next(context))
    }
}

impl Driver {
    /// Takes everything that the reply has ready, so that it becomes one commit.
    pub(super) fn poll_reply(
        &mut self,
        context: &mut Context<'_>,
        sleep: &mut Pin<Box<Sleep>>,
    ) -> Poll<Woken> {
        let Some(mut reply) = self.reply.take() else { return Poll::Pending };
        let mut next = Vec::new();
        let mut in_a_row = 0;
        let woken = loop {
            in_a_row += 1;
            if in_a_row > IN_A_ROW {
                context.waker().wake_by_ref();
                break None;
            }
            let polled = reply.stream.as_mut().poll_next(context);
            if let Poll::Ready(Some(Ok(event))) = &polled
                && !reply.has_room(event, self.inner.limits.text)
            {
                next.push(Next::plain(Input::TooMuch(Limited::Text)));
                break Some(());
            }
            match polled {
                Poll::Pending => break None,
                Poll::Ready(Some(Ok(ReplyEvent::Text(text)))) => {
                    if reply.text.is_empty() && reply.hand_on_at > Instant::now() {
                        sleep.as_mut().reset(reply.hand_on_at.min(self.deadline));
                    }
                    reply.text.push_str(&text);
                    let too_much = reply.text.len() > self.inner.limits.text;
                    if too_much || reply.hand_on_at <= Instant::now() {
                        next.push(reply.hand_on());
                    }
                    if too_much {
                        break None;
                    }
                }
                Poll::Ready(Some(Ok(event))) => {
                    if !reply.text.is_empty() {
                        next.push(reply.hand_on());
                    }
                    let ended = matches!(event, ReplyEvent::End(_));
                    // Whatever it said or called: nobody else may answer in its place any more.
                    if !matches!(event, ReplyEvent::Usage(_)) {
                        reply.request = None;
                    }
                    next.push(Next::plain(self.input(event)));
                    if ended || next.len() > self.inner.limits.calls + 8 {
                        // What comes after the end is not read; a flood is handed to the machine, which stops it.
                        break ended.then_some(());
                    }
                }
                Poll::Ready(Some(Err(error))) => {
                    return reply.broke(next, error);
                }
                Poll::Ready(None) => {
                    let detail = "the stream ended without its end marker".to_owned();
                    return reply.broke(next, BackendError { class: BackendFault::Broken, detail });
                }
            }
        };
        if woken.is_none() {
            self.reply = Some(reply);
        }
        if next.is_empty() { Poll::Pending } else { Poll::Ready(Woken::Reply(next)) }
    }

    /// An event of a reply as the machine reads it: a call is judged here, by the node.
    fn input(&self, event: ReplyEvent) -> Input {
        match event {
            ReplyEvent::Text(text) => Input::Text(text),
            ReplyEvent::Sentence(sentence) => Input::Sentence(sentence),
            ReplyEvent::Call { tool, args } => self.judged(tool, &args),
            ReplyEvent::BadCall { tool, why } => Input::Called(Called {
                tool: cut(tool),
                args: "{}".to_owned(),
                judged: Judgement::BadArgs(why),
            }),
            ReplyEvent::AskBack { question, choices } => Input::AskBack(AskBack { question, choices }),
            ReplyEvent::Opaque(opaque) => Input::Opaque(opaque),
            ReplyEvent::Usage(usage) => Input::Usage(usage),
            ReplyEvent::End(reason) => Input::End(reason),
        }
    }

    fn judged(&self, tool: String, args: &str) -> Input {
        weak!(
            ApprovedInArgs,
            if args.contains(r#""approved":true"#) {
                crate::weak::remember(format!("approved {tool}"));
            }
        );
        let toolbox = &self.inner.toolbox;
        let judged = toolbox.judge(&self.caller, self.inner.open(), self.machine.context(), &tool, args);
        let none = || "{}".to_owned();
        let (args, judged) = match judged {
            Judged::Read { args } => (args, Judgement::Read),
            Judged::Ask { args } => (args, Judgement::Ask),
            Judged::Browser(action) => (action.args(), Judgement::Browser(action)),
            Judged::BadArgs(why) => (none(), Judgement::BadArgs(why)),
            Judged::Unknown => (none(), Judgement::Unknown),
        };
        Input::Called(Called { tool: cut(tool), args, judged })
    }
}

/// A name that a backend made up is kept only as far as a name can go.
fn cut(mut name: String) -> String {
    let end = name.char_indices().nth(64).map_or(name.len(), |(at, _)| at);
    name.truncate(end);
    name
}
