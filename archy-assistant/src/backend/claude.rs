//! Anthropic's models, over its Messages API.

mod fault;
pub(super) mod reply;
pub(super) mod request;

use std::fmt;
use std::sync::Arc;

use self::fault::refusal;
use self::reply::MessageEvents;
use self::request::Settings;
use super::assemble::Assembler;
use super::deadlines::Deadlines;
use super::endpoint::BadEndpoint;
use super::fit::{CONTEXT, Fitted, Room};
use super::frames::Framing;
use super::lines::Limits;
use super::listed;
use super::stream::{Out, play, stream};
use super::thinking::Habit;
use super::transport::Transport;
use super::{Backend, BackendError, BackendFacts, Locality, Mind, ReplyStream, Request};
use crate::{Categories, Secret};

/// A smaller budget for thoughts is refused.
const LEAST_THINKING: u32 = 1024;

/// One of Anthropic's models. It is always [`Locality::Remote`].
///
/// What it thought beside its calls is sent back to it unchanged, and to no other model.
///
/// ```
/// use archy_assistant::{Backend, Claude, Secret};
/// let claude = Claude::new(Secret::new(*b"sk-ant-..."), "claude-sonnet-4-5").with_max_tokens(2048);
/// assert_eq!(claude.facts().name, "claude claude-sonnet-4-5");
/// ```
#[derive(Clone)]
pub struct Claude {
    server: Transport,
    deadlines: Deadlines,
    name: Arc<str>,
    model: Arc<str>,
    /// Who made what is sent back unchanged: nobody else is given it.
    by: Arc<str>,
    may_receive: Categories,
    context: u32,
    max_tokens: u32,
    thinking: Option<u32>,
}

impl Claude {
    /// The model called `model`, paid for with this key. Nothing is asked of the server yet.
    ///
    /// # Panics
    ///
    /// Never: the address that is built in is one.
    pub fn new(key: Secret, model: &str) -> Self {
        let deadlines = Deadlines::default();
        let server = Transport::new("https://api.anthropic.com", deadlines.connect)
            .expect("the address that is built in is one")
            .with_header("anthropic-version", "2023-06-01")
            .with_key("x-api-key", "", key);
        let by: Arc<str> = format!("claude {model}").into();
        Self {
            server,
            deadlines,
            name: Arc::clone(&by),
            model: model.into(),
            by,
            may_receive: Categories::NONE,
            context: CONTEXT,
            max_tokens: 4096,
            thinking: None,
        }
    }

    /// At another address (its root, where `/v1` is): a gateway that speaks the same. It is given the key.
    ///
    /// # Errors
    ///
    /// The URL is no plain `http` or `https` URL.
    pub fn with_url(self, url: &str) -> Result<Self, BadEndpoint> {
        // Another server's thoughts are signed by nobody that this one knows, and it refuses them.
        let by = format!("claude {} {url}", self.model).into();
        Ok(Self { server: self.server.with_base(url)?, by, ..self })
    }

    /// Called so by people, who are asked and told by it; otherwise `claude` and the model's name. No two backends of an
    /// assistant may have one name: say it where they share a model.
    #[must_use]
    pub fn with_name(self, name: &str) -> Self {
        Self { name: name.into(), ..self }
    }

    /// With at most so many tokens in a request and its reply together; otherwise 32,768, which bounds what one costs.
    /// Older turns, and tools that the person's words do not mean, are left out of a request that would be longer.
    #[must_use]
    pub fn with_context(self, context: u32) -> Self {
        Self { context, ..self }
    }

    /// With at most so many tokens in a reply, thoughts not counted; otherwise 4096, and no more than half of the context.
    #[must_use]
    pub fn with_max_tokens(self, max_tokens: u32) -> Self {
        Self { max_tokens, ..self }
    }

    /// Lets it think before it answers, in at most so many tokens, at least 1024, and no more than the reply leaves of half
    /// the context; otherwise, and where that is less, it is not asked to.
    #[must_use]
    pub fn with_thinking(self, budget: u32) -> Self {
        Self { thinking: Some(budget.max(LEAST_THINKING)), ..self }
    }

    /// With these deadlines.
    #[must_use]
    pub fn with_deadlines(self, deadlines: Deadlines) -> Self {
        Self { server: self.server.with_connect(deadlines.connect), deadlines, ..self }
    }

    /// With what its owner lets go to it; otherwise nothing.
    #[must_use]
    pub fn with_may_receive(self, may_receive: Categories) -> Self {
        Self { may_receive, ..self }
    }

    /// Through a SOCKS proxy, which also resolves the server's name: `socks5h://127.0.0.1:9050` is Tor's.
    ///
    /// # Errors
    ///
    /// It is no `socks5h` URL.
    pub fn with_socks(self, proxy: &str) -> Result<Self, BadEndpoint> {
        Ok(Self { server: self.server.with_socks(proxy)?, ..self })
    }

    /// The body of the `POST v1/messages` that this request becomes: with the address, the key and the model's name,
    /// all that leaves the node for it. Nothing is sent. Empty where what was said last does not fit.
    pub fn body(&self, request: &Request) -> Vec<u8> {
        let fitted = request::fitted(request, self.room(), &self.by);
        fitted.map_or_else(|_| Vec::new(), |fitted| self.body_of(&fitted, request))
    }

    fn body_of(&self, fitted: &Fitted<'_>, request: &Request) -> Vec<u8> {
        let settings = Settings {
            model: &self.model,
            by: &self.by,
            max_tokens: self.max_tokens.min(self.context / 2),
            thinking: self.thinking(),
        };
        request::messages(fitted, request.calls, &settings)
    }

    fn room(&self) -> Room {
        Room::new(self.context, self.max_tokens.saturating_add(self.thinking().unwrap_or(0)), None)
    }

    /// So many tokens for its thoughts as the reply leaves of half the context.
    fn thinking(&self) -> Option<u32> {
        let left = (self.context / 2).saturating_sub(self.max_tokens);
        self.thinking.map(|budget| budget.min(left)).filter(|budget| *budget >= LEAST_THINKING)
    }

    /// The names of the models that this key may ask. Nothing of a conversation is sent, and nothing is paid.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, or it refuses the key.
    pub async fn models(&self) -> Result<Vec<String>, BackendError> {
        let silence = self.deadlines.silence;
        let listed = async {
            let answer = self.server.get("v1/models?limit=1000", silence).await?;
            let body = answer.accepted(silence).await.map_err(|refused| refusal(&refused, &self.model))?;
            listed::names(&body.small(silence).await?)
        };
        listed.await.map_err(|error| self.server.redacted(error))
    }

    async fn answer(self, request: Arc<Request>, out: Out) -> Result<(), BackendError> {
        let Deadlines { first, silence, .. } = self.deadlines;
        let answer = async {
            let mut fitted = request::fitted(&request, self.room(), &self.by)?;
            let body = loop {
                let answer = self.server.post("v1/messages", self.body_of(&fitted, &request), first).await?;
                match answer.accepted(silence).await.map_err(|refused| refusal(&refused, &self.model)) {
                    Ok(body) => break body,
                    Err(refused) => {
                        fitted = fitted.less(refused, |room| request::fitted(&request, room, &self.by))?;
                    }
                }
            };
            let assembler = Assembler::new(MessageEvents::new(&self.model, &self.by), Habit::Silent);
            let frames = body.frames(Framing::Events, Limits::REPLY);
            // What it does not count among what it read it had read before; and it never cuts.
            play(0, frames, assembler, self.deadlines, &out, |_| ()).await
        };
        answer.await.map_err(|error| self.server.redacted(error))
    }
}

impl fmt::Debug for Claude {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claude").field("model", &self.model).finish_non_exhaustive()
    }
}

impl Backend for Claude {
    fn facts(&self) -> BackendFacts {
        BackendFacts {
            name: self.name.to_string(),
            locality: Locality::Remote,
            mind: Mind::Model,
            may_receive: self.may_receive,
        }
    }

    fn reply(&self, request: Arc<Request>) -> ReplyStream {
        let claude = self.clone();
        stream(|out| claude.answer(request, out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Calls;
    use crate::backend::asked::{replied, request, said};

    fn sent(claude: &Claude, messages: Vec<crate::Message>) -> serde_json::Value {
        serde_json::from_slice(&claude.body(&request(messages, Calls::Allowed))).expect("a body is JSON")
    }

    #[test]
    fn a_request_and_its_reply_are_never_longer_than_the_context() {
        let claude = Claude::new(Secret::new(*b"key"), "m").with_thinking(4000);
        for (context, tokens, thinks) in [
            (32_768, 8096, Some(4000)),
            (16_384, 8096, Some(4000)),
            (12_000, 6000, Some(1904)),
            (8192, 4096, None),
            (4000, 2000, None),
        ] {
            let sent = sent(&claude.clone().with_context(context), vec![said("Hi")]);
            let thinking = sent.get("thinking").map(|thinking| thinking["budget_tokens"].as_u64());
            assert_eq!(
                (sent["max_tokens"].as_u64(), thinking.flatten()),
                (Some(tokens), thinks),
                "{context}"
            );
        }
    }

    #[test]
    fn what_was_thought_at_one_address_goes_to_no_other() {
        let there = Claude::new(Secret::new(*b"key"), "m");
        let gateway = there.clone().with_url("http://127.0.0.1:1").expect("a URL");
        let block = r#"{"by":"claude m","after_text":false,"after_calls":0,"block":{"type":"thinking"}}"#;
        let messages = vec![said("Hi"), replied("", &[(0, "a", "{}")], &[block])];
        let thought = |claude| sent(claude, messages.clone()).to_string().contains("\"thinking\"");
        assert_eq!((thought(&there), thought(&gateway)), (true, false));
    }
}
