//! Models behind a server that speaks OpenAI's chat completions.

mod fault;
pub(super) mod reply;
pub(super) mod request;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use self::fault::refusal;
use self::reply::Chunks;
use self::request::{Dialect, Settings};
use super::assemble::Assembler;
use super::choice::{Dialogue, choose, first};
use super::deadlines::Deadlines;
use super::endpoint::BadEndpoint;
use super::fit::{CONTEXT, Room};
use super::frames::Framing;
use super::lines::Limits;
use super::listed;
use super::measure;
use super::places::Places;
use super::recovery::recovering;
use super::stream::{Out, play, stream};
use super::thinking::Habit;
use super::transport::{Answer, Body, Transport};
use super::{Backend, BackendError, BackendFacts, Calling, Locality, Mind, ModelCard, ReplyStream, Request};
use crate::{Categories, Secret};

/// One model behind a server that speaks OpenAI's chat completions: LM Studio, llama.cpp's server, vLLM, LocalAI,
/// OpenRouter, OpenAI itself.
///
/// ```
/// use archy_assistant::{Backend, Locality, OpenAi};
/// let model = OpenAi::new("http://127.0.0.1:1234/v1", "qwen2.5-7b-instruct", Locality::OnNode)?;
/// assert_eq!(model.facts().name, "openai qwen2.5-7b-instruct");
/// # Ok::<(), archy_assistant::BadEndpoint>(())
/// ```
#[derive(Clone)]
pub struct OpenAi {
    server: Transport,
    deadlines: Deadlines,
    name: Arc<str>,
    model: Arc<str>,
    /// Who made what is sent back unchanged: nobody else is given it.
    by: Arc<str>,
    locality: Locality,
    may_receive: Categories,
    context: Option<u32>,
    max_tokens: u32,
    places: Places,
    card: Option<ModelCard>,
    memory: Arc<Mutex<Memory>>,
}

/// What was learned of the model and its server.
struct Memory {
    habit: Habit,
    dialect: Dialect,
}

impl OpenAi {
    /// The model called `model` on the server at `url` (which mostly ends with `/v1`), which runs where its owner says.
    ///
    /// # Errors
    ///
    /// The URL is no plain `http` or `https` URL. Nothing is asked of the server yet.
    pub fn new(url: &str, model: &str, locality: Locality) -> Result<Self, BadEndpoint> {
        let deadlines = Deadlines::default();
        // What is remote keeps thoughts apart, or closes them in a block.
        let habit = if locality.is_home() { Habit::Unknown } else { Habit::Silent };
        Ok(Self {
            server: Transport::new(url, deadlines.connect)?,
            deadlines,
            name: format!("openai {model}").into(),
            model: model.into(),
            by: format!("openai {model} {url}").into(),
            locality,
            may_receive: Categories::NONE,
            context: None,
            max_tokens: 4096,
            places: Places::at(locality),
            card: None,
            memory: Arc::new(Mutex::new(Memory { habit, dialect: Dialect::default() })),
        })
    }

    /// Called so by people, who are asked and told by it; otherwise `openai` and the model's name. No two backends of an
    /// assistant may have one name: say it where they share a model.
    #[must_use]
    pub fn with_name(self, name: &str) -> Self {
        Self { name: name.into(), ..self }
    }

    /// With the key that the server asks for; otherwise none is sent.
    #[must_use]
    pub fn with_key(self, key: Secret) -> Self {
        Self { server: self.server.with_key("authorization", "Bearer ", key), ..self }
    }

    /// With at most so many tokens in a request and its reply together; otherwise the context that its card tells, or
    /// 32,768. Older turns, and tools that the person's words do not mean, are left out of a request that would be longer.
    #[must_use]
    pub fn with_context(self, context: u32) -> Self {
        Self { context: Some(context), ..self }
    }

    /// With at most so many tokens in a reply, thoughts included; otherwise 4096, and no more than half of the context.
    #[must_use]
    pub fn with_max_tokens(self, max_tokens: u32) -> Self {
        Self { max_tokens, ..self }
    }

    /// With these deadlines.
    #[must_use]
    pub fn with_deadlines(self, deadlines: Deadlines) -> Self {
        Self { server: self.server.with_connect(deadlines.connect), deadlines, ..self }
    }

    /// With what its owner lets go to it, where it is remote; otherwise nothing.
    #[must_use]
    pub fn with_may_receive(self, may_receive: Categories) -> Self {
        Self { may_receive, ..self }
    }

    /// With what was measured of the model: where it calls no tools by itself, it is brought to choose. Only for one that
    /// runs on its owner's machines; a remote one is asked as its vendor means it, whatever its card says.
    #[must_use]
    pub fn with_card(self, card: ModelCard) -> Self {
        Self { card: Some(card), ..self }
    }

    /// With at most so many replies at once; otherwise one, and any number of a remote server. The next one waits until
    /// a stream has ended or was dropped.
    #[must_use]
    pub fn with_parallel(self, most: usize) -> Self {
        Self { places: Places::only(most), ..self }
    }

    /// Through a SOCKS proxy, which also resolves the server's name: `socks5h://127.0.0.1:9050` is Tor's.
    ///
    /// # Errors
    ///
    /// It is no `socks5h` URL.
    pub fn with_socks(self, proxy: &str) -> Result<Self, BadEndpoint> {
        Ok(Self { server: self.server.with_socks(proxy)?, ..self })
    }

    /// The body of the `POST chat/completions` that this request becomes: with the address, the key and the model's
    /// name, all that leaves the node for it. Nothing is sent. A model that is brought to choose by its card is asked
    /// twice, first with this one; empty where nothing is asked of it, or what was said last does not fit.
    pub fn body(&self, request: &Request) -> Vec<u8> {
        let settings = self.settings();
        if let Some(card) = self.chooses() {
            return first(request, &card).map_or_else(Vec::new, |first| request::talk(&first, &settings));
        }
        let fitted = request::fitted(request, self.room(), &self.by);
        fitted.map_or_else(|_| Vec::new(), |fitted| request::chat(&fitted, request.calls, &settings))
    }

    fn context(&self) -> u32 {
        self.context.or(self.card.and_then(|card| card.context)).unwrap_or(CONTEXT)
    }

    fn room(&self) -> Room {
        let card = self.card.filter(|_| self.locality.is_home());
        Room::new(self.context(), self.max_tokens, card.as_ref())
    }

    /// Its card, where it is brought to choose by it; its owner's word on the context comes before the card's.
    fn chooses(&self) -> Option<ModelCard> {
        let card = self.card.filter(|card| self.locality.is_home() && card.calling() != Calling::Native)?;
        Some(ModelCard { context: self.context.or(card.context), ..card })
    }

    /// The names of the models that the server lists. Whoever runs the server chose them.
    ///
    /// # Errors
    ///
    /// No such server answers there, or it refuses.
    pub async fn models(&self) -> Result<Vec<String>, BackendError> {
        let listed = async { listed::names(&self.list().await?) };
        listed.await.map_err(|error| self.server.redacted(error))
    }

    /// The server's list of its models, as it wrote it.
    async fn list(&self) -> Result<String, BackendError> {
        let silence = self.deadlines.silence;
        self.accepted(self.server.get("models", silence).await?).await?.small(silence).await
    }

    /// Measures the model with a few tiny requests, which hold nothing of the node. A slow one takes a minute for it.
    ///
    /// # Errors
    ///
    /// No such server answers there, or it refuses.
    pub async fn measure(&self) -> Result<ModelCard, BackendError> {
        let _place = self.places.take().await;
        let list: Value = serde_json::from_str(&self.list().await.unwrap_or_default()).unwrap_or_default();
        let models = list["data"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mine = models.iter().find(|model| model["id"] == *self.model);
        // llama.cpp's server says it in one place, vLLM in another.
        let context =
            mine.and_then(|model| model["meta"]["n_ctx"].as_u64().or(model["max_model_len"].as_u64()));
        let call = |request: Arc<Request>| {
            let openai = self.clone();
            stream(|out| async move { openai.native(&request, &out).await })
        };
        let card = measure::card(|dialogue| self.say(dialogue), call).await;
        let card = card.map_err(|error| self.server.redacted(error))?;
        Ok(ModelCard { context: context.and_then(|context| u32::try_from(context).ok()), ..card })
    }

    async fn answer(self, request: Arc<Request>, out: Out) -> Result<(), BackendError> {
        let _place = self.places.take().await;
        let answered = match self.chooses() {
            Some(card) => choose(&request, &card, |dialogue| self.say(dialogue), &out).await,
            None if self.locality.is_home() => {
                let openai = self.clone();
                let asked = Arc::clone(&request);
                let native = stream(|out| async move { openai.native(&asked, &out).await });
                recovering(native, &request, &out).await
            }
            None => self.native(&request, &out).await,
        };
        answered.map_err(|error| self.server.redacted(error))
    }

    /// Asks with the tools in the request, as its vendor means it.
    async fn native(&self, request: &Request, out: &Out) -> Result<(), BackendError> {
        let mut fitted = request::fitted(request, self.room(), &self.by)?;
        let (sent, body) = loop {
            match self.ask(|settings| request::chat(&fitted, request.calls, settings)).await {
                Ok(answer) => break answer,
                Err(refused) => {
                    fitted = fitted.less(refused, |room| request::fitted(request, room, &self.by))?;
                }
            }
        };
        self.play(sent, body, out).await
    }

    /// Asks in text.
    fn say(&self, dialogue: Dialogue) -> ReplyStream {
        let openai = self.clone();
        stream(|out| async move {
            let (sent, body) = openai.ask(|settings| request::talk(&dialogue, settings)).await?;
            openai.play(sent, body, &out).await
        })
    }

    async fn play(&self, sent: usize, body: Body, out: &Out) -> Result<(), BackendError> {
        let frames = body.frames(Framing::Events, Limits::REPLY);
        let assembler = Assembler::new(Chunks::new(&self.model, &self.by), self.memory().habit);
        play(sent, frames, assembler, self.deadlines, out, |habit| self.memory().habit = habit).await
    }

    /// Asks, and asks again where the server refuses a field by its name: such a request did nothing. The body of the
    /// answer, and how many bytes were sent for it.
    async fn ask(&self, body: impl Fn(&Settings<'_>) -> Vec<u8>) -> Result<(usize, Body), BackendError> {
        loop {
            let settings = self.settings();
            let body = body(&settings);
            let sent = body.len();
            let answer = self.server.post("chat/completions", body, self.deadlines.first).await?;
            let refused = match answer.accepted(self.deadlines.silence).await {
                Ok(body) => return Ok((sent, body)),
                Err(refused) => refused,
            };
            match settings.dialect.without_what(&refused) {
                Some(dialect) => self.memory().dialect = dialect,
                None => return Err(refusal(&refused, &self.model)),
            }
        }
    }

    async fn accepted(&self, answer: Answer) -> Result<Body, BackendError> {
        answer.accepted(self.deadlines.silence).await.map_err(|refused| refusal(&refused, &self.model))
    }

    fn settings(&self) -> Settings<'_> {
        Settings {
            model: &self.model,
            by: &self.by,
            locality: self.locality,
            max_tokens: self.max_tokens.min(self.context() / 2),
            dialect: self.memory().dialect,
        }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi")
            .field("model", &self.model)
            .field("locality", &self.locality)
            .finish_non_exhaustive()
    }
}

impl Backend for OpenAi {
    fn facts(&self) -> BackendFacts {
        BackendFacts {
            name: self.name.to_string(),
            locality: self.locality,
            mind: Mind::Model,
            may_receive: self.may_receive,
        }
    }

    fn reply(&self, request: Arc<Request>) -> ReplyStream {
        let openai = self.clone();
        stream(|out| openai.answer(request, out))
    }
}
