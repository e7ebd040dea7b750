//! Models that an Ollama server runs.

mod fault;
mod probe;
pub(super) mod reply;
pub(super) mod request;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use self::fault::refusal;
pub use self::probe::{Ability, Installed, Probe};
use self::reply::Lines;
use self::request::Settings;
use super::assemble::Assembler;
use super::choice::{Dialogue, choose, first};
use super::deadlines::Deadlines;
use super::endpoint::BadEndpoint;
use super::fault::{fault, no_json};
use super::fit::Room;
use super::frames::Framing;
use super::lines::Limits;
use super::measure;
use super::places::Places;
use super::recovery::recovering;
use super::stream::{Out, play, stream};
use super::thinking::Habit;
use super::transport::{Answer, Body, Transport};
use super::{
    Backend, BackendError, BackendFacts, BackendFault, Calling, Calls, Locality, Mind, ModelCard,
    ReplyStream, Request,
};
use crate::Categories;

/// One model of an Ollama server.
///
/// Before its first reply, and after each refusal of the model, the server is asked what the model can do. Before each
/// request it is asked to load the model, which costs nothing where that is loaded.
///
/// A model that the server only hands on to a cloud counts as [`Locality::Remote`], whatever was declared. Where its
/// name says so, that is known from the start; where only the server says so, it refuses to answer until its owner
/// declares it remote, because requests may have been made for a model that runs here.
///
/// ```
/// use archy_assistant::{Backend, Locality, Ollama};
/// let ollama = Ollama::new("http://127.0.0.1:11434", "qwen3:8b", Locality::OnNode)?.with_context(8192);
/// assert_eq!(ollama.facts().name, "ollama qwen3:8b");
/// # Ok::<(), archy_assistant::BadEndpoint>(())
/// ```
#[derive(Clone)]
pub struct Ollama {
    server: Transport,
    deadlines: Deadlines,
    name: Arc<str>,
    model: Arc<str>,
    /// As declared; remote where the name says that the model runs in a cloud.
    locality: Locality,
    may_receive: Categories,
    context: u32,
    keep_alive: Duration,
    places: Places,
    card: Option<ModelCard>,
    memory: Arc<Mutex<Memory>>,
}

/// What was learned of the model.
struct Memory {
    /// Forgotten after each refusal of the model.
    probe: Option<Probe>,
    /// What the last probe said of it, which is not forgotten.
    cloud: bool,
    habit: Habit,
}

impl Ollama {
    /// The model called `model` on the server at `url` (its root, where `/api` is), which runs where its owner says.
    ///
    /// # Errors
    ///
    /// The URL is no plain `http` or `https` URL. Nothing is asked of the server yet.
    pub fn new(url: &str, model: &str, locality: Locality) -> Result<Self, BadEndpoint> {
        let deadlines = Deadlines::default();
        let locality = if probe::is_cloud_name(model) { Locality::Remote } else { locality };
        Ok(Self {
            server: Transport::new(url, deadlines.connect)?,
            deadlines,
            name: format!("ollama {model}").into(),
            model: model.into(),
            locality,
            may_receive: Categories::NONE,
            context: 16_384,
            keep_alive: Duration::from_secs(30 * 60),
            places: Places::at(locality),
            card: None,
            memory: Arc::new(Mutex::new(Memory { probe: None, cloud: false, habit: Habit::Unknown })),
        })
    }

    /// Called so by people, who are asked and told by it; otherwise `ollama` and the model's name. No two backends of an
    /// assistant may have one name: say it where they share a model.
    #[must_use]
    pub fn with_name(self, name: &str) -> Self {
        Self { name: name.into(), ..self }
    }

    /// With at most so many tokens in a request and its reply together, and no more than the model was trained for;
    /// otherwise 16,384. The server takes memory for all of them when it loads the model. Older turns, and tools that the
    /// person's words do not mean, are left out of a request that would be longer.
    #[must_use]
    pub fn with_context(self, context: u32) -> Self {
        Self { context, ..self }
    }

    /// With the model kept in memory for so long after a request; otherwise half an hour.
    #[must_use]
    pub fn with_keep_alive(self, keep_alive: Duration) -> Self {
        Self { keep_alive, ..self }
    }

    /// With what was measured of the model: where it calls no tools by itself, it is brought to choose. Only for one that
    /// runs on its owner's machines; one in a cloud is asked as its vendor means it, whatever its card says.
    #[must_use]
    pub fn with_card(self, card: ModelCard) -> Self {
        Self { card: Some(card), ..self }
    }

    /// With at most so many replies at once; otherwise one, and any number of a model in a cloud. The next one waits
    /// until a stream has ended or was dropped.
    #[must_use]
    pub fn with_parallel(self, most: usize) -> Self {
        Self { places: Places::only(most), ..self }
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

    /// Through a SOCKS proxy, which also resolves the server's name: `socks5h://127.0.0.1:9050` is Tor's.
    ///
    /// # Errors
    ///
    /// It is no `socks5h` URL.
    pub fn with_socks(self, proxy: &str) -> Result<Self, BadEndpoint> {
        Ok(Self { server: self.server.with_socks(proxy)?, ..self })
    }

    /// The body of the `POST /api/chat` that this request becomes: with the address and the model's name, all that
    /// leaves the node for it. Nothing is sent. What only the server knows of the model is taken from the last
    /// [`probe`](Self::probe); before one, the context is as it was given and thinking is left alone.
    /// A model that is brought to choose by its card is asked twice, first with this one; empty where nothing is asked
    /// of it, or what was said last does not fit.
    pub fn body(&self, request: &Request) -> Vec<u8> {
        let probe = self.memory().probe.clone();
        let settings = self.settings(probe.as_ref());
        if let Some(card) = self.chooses(settings) {
            return first(request, &card).map_or_else(Vec::new, |first| request::talk(&first, settings));
        }
        let room = self.room(request, settings);
        let fitted = request::fitted(request, room);
        fitted.map_or_else(|_| Vec::new(), |fitted| request::chat(&fitted, settings, room.reply))
    }

    fn room(&self, request: &Request, settings: Settings<'_>) -> Room {
        // At least two bytes of text to a token.
        let reply = u32::try_from(request.max_text / 2).unwrap_or(u32::MAX).max(512);
        let card = self.card.filter(|_| self.locality.is_home());
        Room::new(settings.num_ctx, reply, card.as_ref())
    }

    /// Its card, where it is brought to choose by it, with the context with which the server runs it.
    fn chooses(&self, settings: Settings<'_>) -> Option<ModelCard> {
        let card = self.card.filter(|card| self.locality.is_home() && card.calling() != Calling::Native)?;
        Some(ModelCard { context: Some(settings.num_ctx), ..card })
    }

    fn settings(&self, probe: Option<&Probe>) -> Settings<'_> {
        let most = probe.and_then(|probe| probe.context).unwrap_or(u32::MAX);
        Settings {
            model: &self.model,
            num_ctx: self.context.min(most),
            keep_alive: self.keep_alive,
            thinks: probe.is_some_and(|probe| probe.thinking == Ability::Yes),
        }
    }

    /// What the server says of the model. The first answer is remembered.
    ///
    /// # Errors
    ///
    /// [`BackendFault::Unreachable`] where no server answers, [`BackendFault::Unsuitable`] where it has no such model.
    pub async fn probe(&self) -> Result<Probe, BackendError> {
        if let Some(probe) = &self.memory().probe {
            return Ok(probe.clone());
        }
        let show = show(&self.server, &self.model, self.deadlines.silence).await?;
        let version = match self.server.get("api/version", self.deadlines.silence).await {
            Ok(answer) => json(answer, &self.model, self.deadlines.silence).await.unwrap_or_default(),
            Err(_) => Value::Null,
        };
        let version = version["version"].as_str().unwrap_or_default().to_owned();
        let probe = probe::shown(&self.model, version, &show);
        let mut memory = self.memory();
        memory.cloud = probe.cloud;
        memory.probe = Some(probe.clone());
        Ok(probe)
    }

    /// Has the model loaded, so that the first reply need not wait for it. A model in a cloud has nothing to load.
    ///
    /// # Errors
    ///
    /// As a reply would fail before its first event.
    pub async fn warm_up(&self) -> Result<(), BackendError> {
        let _place = self.places.take().await;
        let probe = self.probe().await?;
        if probe.cloud { Ok(()) } else { self.load(self.settings(Some(&probe))).await }
    }

    /// Whether the name alone says that a server hands the model on to a cloud: `gpt-oss:120b-cloud`, `glm-4.6:cloud`.
    pub fn is_cloud_name(model: &str) -> bool {
        probe::is_cloud_name(model)
    }

    /// The models at `url` that can call tools: those that run there before those that run in a cloud, larger ones
    /// first.
    ///
    /// # Errors
    ///
    /// No such server answers there.
    pub async fn discover(url: &str) -> Result<Vec<Installed>, BackendError> {
        let all = Self::installed(url).await?.into_iter();
        Ok(all.filter(|(_, tools)| *tools == Ability::Yes).map(|(model, _)| model).collect())
    }

    /// All models at `url`, in the same order, and whether each can call tools.
    ///
    /// # Errors
    ///
    /// As [`discover`](Self::discover).
    pub async fn installed(url: &str) -> Result<Vec<(Installed, Ability)>, BackendError> {
        Self::new(url, "", Locality::Remote)?.models().await
    }

    /// All models of its server, whichever one it is, in the same order, and whether each can call tools. Asked as the
    /// model is: through its proxy, with its deadlines.
    ///
    /// # Errors
    ///
    /// As [`discover`](Self::discover).
    pub async fn models(&self) -> Result<Vec<(Installed, Ability)>, BackendError> {
        let (server, silence) = (&self.server, self.deadlines.silence);
        let tags = json(server.get("api/tags", silence).await?, "", silence).await?;
        let mut models = Vec::new();
        for (model, tools) in probe::listed(&tags) {
            let tools = match tools {
                // An older list does not say it, but the model's own page may.
                Ability::Unknown => {
                    let show = show(server, &model.name, silence).await.unwrap_or_default();
                    probe::shown(&model.name, String::new(), &show).tools
                }
                known => known,
            };
            models.push((model, tools));
        }
        probe::sort(&mut models);
        Ok(models)
    }

    async fn answer(self, request: Arc<Request>, out: Out) -> Result<(), BackendError> {
        let answered = self.try_to_answer(&request, &out).await;
        if answered.as_ref().is_err_and(|error| error.class == BackendFault::Unsuitable) {
            // Its owner will do something about it, and then it is another model.
            self.memory().probe = None;
        }
        answered
    }

    async fn try_to_answer(&self, request: &Arc<Request>, out: &Out) -> Result<(), BackendError> {
        let _place = self.places.take().await;
        let probe = self.probe().await?;
        let home = self.locality.is_home();
        if home && probe.cloud {
            return Err(fault(
                BackendFault::Unsuitable,
                "the model runs in a cloud and is not declared remote",
            ));
        }
        match self.chooses(self.settings(Some(&probe))) {
            Some(card) => choose(request, &card, |dialogue| self.say(dialogue), out).await,
            None if home => {
                let (ollama, asked) = (self.clone(), Arc::clone(request));
                let native = stream(|out| async move { ollama.native(&asked, &probe, &out).await });
                recovering(native, request, out).await
            }
            None => self.native(request, &probe, out).await,
        }
    }

    /// Asks with the tools in the request, as its vendor means it.
    async fn native(&self, request: &Request, probe: &Probe, out: &Out) -> Result<(), BackendError> {
        let with_tools = request.calls == Calls::Allowed && !request.tools.is_empty();
        if with_tools && probe.tools == Ability::No {
            return Err(fault(BackendFault::Unsuitable, &format!("{} cannot call tools", self.model)));
        }
        let settings = self.settings(Some(probe));
        if !probe.cloud {
            self.load(settings).await?;
        }
        let room = self.room(request, settings);
        let mut fitted = request::fitted(request, room)?;
        let (sent, body) = loop {
            match self.ask(request::chat(&fitted, settings, room.reply)).await {
                Ok(answer) => break answer,
                Err(refused) => fitted = fitted.less(refused, |room| request::fitted(request, room))?,
            }
        };
        self.play(sent, body, probe, out).await
    }

    /// The body of the answer, and how many bytes were sent for it.
    async fn ask(&self, body: Vec<u8>) -> Result<(usize, Body), BackendError> {
        let Deadlines { first, silence, .. } = self.deadlines;
        let sent = body.len();
        let answer = self.server.post("api/chat", body, first).await?;
        Ok((sent, accepted(answer, &self.model, silence).await?))
    }

    /// Asks in text.
    fn say(&self, dialogue: Dialogue) -> ReplyStream {
        let ollama = self.clone();
        stream(|out| async move {
            let probe = ollama.probe().await?;
            let settings = ollama.settings(Some(&probe));
            if !probe.cloud {
                ollama.load(settings).await?;
            }
            let (sent, body) = ollama.ask(request::talk(&dialogue, settings)).await?;
            ollama.play(sent, body, &probe, &out).await
        })
    }

    async fn play(&self, sent: usize, body: Body, probe: &Probe, out: &Out) -> Result<(), BackendError> {
        let frames = body.frames(Framing::Json, Limits::REPLY);
        let habit = if probe.thinking == Ability::No { Habit::Silent } else { self.memory().habit };
        let assembler = Assembler::new(Lines::new(&self.model, self.locality), habit);
        play(sent, frames, assembler, self.deadlines, out, |habit| self.memory().habit = habit).await
    }

    /// Measures the model with a few tiny requests, which hold nothing of the node. A slow one takes a minute for it.
    ///
    /// # Errors
    ///
    /// As a reply would fail before its first event.
    pub async fn measure(&self) -> Result<ModelCard, BackendError> {
        let _place = self.places.take().await;
        let probe = self.probe().await?;
        let context = self.settings(Some(&probe)).num_ctx;
        let call = |request: Arc<Request>| {
            let (ollama, probe) = (self.clone(), probe.clone());
            stream(|out| async move { ollama.native(&request, &probe, &out).await })
        };
        let card = measure::card(|dialogue| self.say(dialogue), call).await?;
        Ok(ModelCard { context: Some(context), ..card })
    }

    /// Waits until the model is loaded. A server that does not know how (only some that speak like Ollama) is asked
    /// nothing of the kind: the chat itself will load it.
    async fn load(&self, settings: Settings<'_>) -> Result<(), BackendError> {
        let Deadlines { load, silence, .. } = self.deadlines;
        let answer = self.server.post("api/chat", request::load(settings), load).await?;
        match accepted(answer, &self.model, silence).await {
            Err(error) if !matches!(error.class, BackendFault::Broken | BackendFault::TooLong) => Err(error),
            _ => Ok(()),
        }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Ollama {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ollama")
            .field("model", &self.model)
            .field("locality", &self.locality)
            .finish_non_exhaustive()
    }
}

impl Backend for Ollama {
    fn facts(&self) -> BackendFacts {
        BackendFacts {
            name: self.name.to_string(),
            locality: if self.memory().cloud { Locality::Remote } else { self.locality },
            mind: Mind::Model,
            may_receive: self.may_receive,
        }
    }

    fn reply(&self, request: Arc<Request>) -> ReplyStream {
        let ollama = self.clone();
        stream(|out| ollama.answer(request, out))
    }
}

async fn show(server: &Transport, model: &str, silence: Duration) -> Result<Value, BackendError> {
    let body = serde_json::json!({ "model": model }).to_string().into_bytes();
    json(server.post("api/show", body, silence).await?, model, silence).await
}

async fn json(answer: Answer, model: &str, silence: Duration) -> Result<Value, BackendError> {
    let text = accepted(answer, model, silence).await?.small(silence).await?;
    serde_json::from_str(&text).map_err(|error| no_json("an answer of Ollama", &error, &text))
}

/// The body of the answer, if it is one; else what its refusal says.
async fn accepted(answer: Answer, model: &str, silence: Duration) -> Result<Body, BackendError> {
    answer.accepted(silence).await.map_err(|refused| refusal(&refused, model))
}
