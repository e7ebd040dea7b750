//! The node's end of the socket: whoever connects as the node's own system user sits at the owner's terminal.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use archy_assistant::{Assistant, Caller, Categories, ConfirmRefused, Events, Refused, Store, SystemClock};
use archy_mesh::{Rehearsal, TrustNobody};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::{self, Sender};
use tokio::sync::{Mutex, oneshot, watch};
use tokio::task::JoinSet;

use crate::commands::mesh::rehearsed;
use crate::data;
use crate::exit::{Exit, Trouble};
use crate::hosts::SettingsFile;
use crate::http::Links;
use crate::lines::{self, Lines};
use crate::place;
use crate::wire::{Answer, Ask, Found, LONGEST_ASK, Line, ToolLine, VERSION};

/// So many connections are served at once.
const CONNECTIONS: usize = 32;
/// So many requests of one connection are under way at once.
const AT_ONCE: usize = 32;

/// What is served.
pub(crate) struct Desk {
    pub(crate) assistant: Assistant,
    pub(crate) tools: Vec<ToolLine>,
    /// Gone when nothing uses the store any more.
    pub(crate) store: Weak<dyn Store>,
    /// So many turns run at once.
    pub(crate) at_once: usize,
    /// Held by the one whose turn is next; the others wait in the order in which they came.
    pub(crate) next: Mutex<()>,
    /// How many are connected.
    pub(crate) connected: AtomicUsize,
    /// How many requests are under way.
    pub(crate) busy: AtomicUsize,
    /// Whether everything was erased: nothing is served any more.
    pub(crate) erased: watch::Sender<bool>,
    /// What the page looks like at first.
    pub(crate) settings: Arc<SettingsFile>,
    /// Links to the page, where one is served.
    pub(crate) links: OnceLock<Links>,
}

impl Desk {
    async fn is_erased(&self) {
        // The sender lives as long as this does.
        let _ = self.erased.subscribe().wait_for(|erased| *erased).await;
    }
}

/// Serves those who connect until it is `closing`, and then those who are there until they leave or it is dropped.
pub(crate) async fn serve(listener: UnixListener, desk: Arc<Desk>, closing: oneshot::Receiver<()>) {
    let mut connections = JoinSet::new();
    tokio::pin!(closing);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
            _ = &mut closing => break,
            () = desk.is_erased() => break,
        };
        let Ok((stream, _)) = accepted else {
            // Short of descriptors; one of the connections may free some.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        // The directory is closed to others; this holds where somebody has opened it.
        let uid = stream.peer_cred().map(|peer| peer.uid());
        let own = uid.is_ok_and(|uid| uid == rustix::process::geteuid().as_raw());
        if own && connections.len() < CONNECTIONS {
            connections.spawn(connection(stream, Arc::clone(&desk)));
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

async fn connection(stream: UnixStream, desk: Arc<Desk>) {
    let _connected = Counted::new(&desk.connected);
    let (from, mut to) = stream.into_split();
    let (answers, mut outbox) = mpsc::channel::<Line<Answer>>(64);
    let writing = async move {
        while let Some(answer) = outbox.recv().await {
            if lines::write(&mut to, &answer).await.is_err() {
                break;
            }
        }
    };
    // When the client has gone its requests are dropped, and with them the last that could still be written. The turns
    // that were begun here go on.
    tokio::join!(writing, reading(Lines::new(from, LONGEST_ASK), &desk, answers));
}

async fn reading(
    mut lines: Lines<tokio::net::unix::OwnedReadHalf>,
    desk: &Arc<Desk>,
    answers: Sender<Line<Answer>>,
) {
    let mut asks = JoinSet::new();
    // Of requests that may still wait for their turn.
    let mut waiting: HashMap<u64, oneshot::Sender<()>> = HashMap::new();
    let refuse = |id, says: &str| Line { v: VERSION, id, body: Answer::Refused(Trouble::bad_input(says)) };
    loop {
        let line = tokio::select! {
            line = lines.next() => line,
            Some(_) = asks.join_next() => continue,
            // What was answered before is still written.
            () = desk.is_erased() => {
                let _ = answers.send(Line { v: VERSION, id: 0, body: Answer::Erased {} }).await;
                return;
            }
        };
        let refused = match line {
            Ok(Some(line)) => match serde_json::from_slice::<Line<Ask>>(&line) {
                Ok(ask) if ask.v != VERSION => refuse(ask.id, "this node speaks version 1 of the protocol"),
                Ok(ask) if asks.len() >= AT_ONCE => refuse(ask.id, "too many requests at once"),
                Ok(Line { id, body: Ask::Withdraw { request }, .. }) => {
                    // Where it waits no more, it has its answer, or a turn that can be stopped.
                    drop(waiting.remove(&request));
                    Line { v: VERSION, id, body: Answer::Done {} }
                }
                Ok(ask) => {
                    let (stays, withdrawn) = oneshot::channel();
                    waiting.retain(|_, stays| !stays.is_closed());
                    waiting.insert(ask.id, stays);
                    asks.spawn(answer(Arc::clone(desk), ask, answers.clone(), withdrawn));
                    continue;
                }
                Err(_) => refuse(0, "that is no request"),
            },
            Ok(None) => return,
            Err(_) => {
                // What follows is the rest of a line that nobody has read.
                let _ = answers.send(refuse(0, "the request is too long")).await;
                return;
            }
        };
        if answers.send(refused).await.is_err() {
            return;
        }
    }
}

async fn answer(
    desk: Arc<Desk>,
    ask: Line<Ask>,
    answers: Sender<Line<Answer>>,
    withdrawn: oneshot::Receiver<()>,
) {
    let _busy = Counted::new(&desk.busy);
    let (id, is_the_end) = (ask.id, matches!(ask.body, Ask::Erase));
    let answered = match ask.body {
        Ask::Chat { conversation, text, wait_within } => {
            let within = Duration::from_secs(wait_within.into());
            let place = place::wait(&desk, within, id, &answers, withdrawn);
            match place.await {
                Ok(place) => place::say(&desk, conversation, &text, place, id, &answers).await,
                Err(trouble) => Err(trouble),
            }
        }
        ask => answer_to(&desk, ask, id, &answers).await,
    };
    let last = match answered {
        Ok(answer) => answer,
        Err(trouble) => Answer::Refused(trouble),
    };
    let is_over = is_the_end && matches!(last, Answer::Done {});
    // The client may have gone.
    let _ = answers.send(Line { v: VERSION, id, body: last }).await;
    if is_over {
        desk.erased.send_replace(true);
    }
}

/// The last answer; those before it are sent on the way.
async fn answer_to(
    desk: &Desk,
    ask: Ask,
    id: u64,
    answers: &Sender<Line<Answer>>,
) -> Result<Answer, Trouble> {
    let (assistant, caller) = (&desk.assistant, &Caller::owner());
    Ok(match ask {
        Ask::Events { turn, after } => forward(assistant.events(caller, turn, after)?, id, answers).await,
        Ask::Cancel { turn } => match assistant.cancel(caller, turn).await {
            // It has just ended by itself.
            Ok(()) | Err(Refused::Unknown) => Answer::Done {},
            Err(refused) => return Err(refused.into()),
        },
        Ask::Pending => Answer::Pending(assistant.pending(caller)),
        Ask::Shown { id, digest } => {
            assistant.shown(caller, id, &digest).map_err(|refused| not_confirmed(&refused))?;
            Answer::Done {}
        }
        Ask::Confirm { id, digest, decision } => {
            let resolution = assistant.confirm(caller, id, &digest, decision).await;
            Answer::Resolved(resolution.map_err(|refused| not_confirmed(&refused))?)
        }
        Ask::Grants => grants(assistant)?,
        Ask::Open { categories } => {
            for category in categories {
                assistant.open_category(caller, category).await?;
            }
            grants(assistant)?
        }
        Ask::Close { categories } => {
            for category in categories {
                assistant.close_category(caller, category).await?;
            }
            grants(assistant)?
        }
        Ask::CloseAll => {
            assistant.close_all(caller).await?;
            grants(assistant)?
        }
        Ask::Forget { conversation } => {
            assistant.forget(caller, conversation).await?;
            Answer::Done {}
        }
        Ask::Link => {
            let no_page =
                || Trouble::failed("the running node serves no page; end it, and start it with: serve");
            Answer::Link(desk.links.get().ok_or_else(no_page)?.new_link())
        }
        Ask::Stats => Answer::Stats(assistant.stats()),
        Ask::Tools => {
            let open = if assistant.is_held() { Categories::NONE } else { assistant.grants(caller)? };
            let line = |tool: &ToolLine| ToolLine { open: open.has(tool.category), ..tool.clone() };
            Answer::Tools(desk.tools.iter().map(line).collect())
        }
        Ask::AuditState => Answer::AuditState { opened: assistant.opened(), held: assistant.is_held() },
        Ask::AuditVerify => {
            let verified = assistant.audit_verify(caller).await?;
            Answer::Verified { verified, held: assistant.is_held() }
        }
        Ask::AuditAcknowledge => {
            assistant.audit_acknowledge(caller).await?;
            Answer::Done {}
        }
        Ask::Backup { file } => {
            let copied = assistant.backup(caller, &file).await;
            copied.map_err(|refused| about(&file, refused))?;
            Answer::Done {}
        }
        Ask::Rehearse { settings, key, text } => {
            let (trust, clock) = (Arc::new(TrustNobody), SystemClock);
            let seen = Rehearsal::of(assistant.clone(), *settings, trust, Arc::new(clock), key, &text).await;
            Answer::Rehearsed(rehearsed(seen))
        }
        Ask::Erase => {
            assistant.erase(caller).await?;
            Answer::Done {}
        }
        // These have their answer already.
        Ask::Chat { .. } | Ask::Withdraw { .. } => return Err(Trouble::failed("this is not asked here")),
        ask @ (Ask::Conversations { .. }
        | Ask::History { .. }
        | Ask::Search { .. }
        | Ask::Export { .. }
        | Ask::Audit { .. }
        | Ask::AuditExport { .. }) => {
            let assistant = assistant.clone();
            let reading = tokio::task::spawn_blocking(move || read(&assistant, ask));
            reading.await.map_err(|error| Trouble::failed(error.to_string()))??
        }
    })
}

/// What takes long to read from the disk.
fn read(assistant: &Assistant, ask: Ask) -> Result<Answer, Trouble> {
    let caller = &Caller::owner();
    Ok(match ask {
        Ask::Conversations { before, most } => {
            Answer::Conversations(assistant.conversations(caller, before, most)?)
        }
        Ask::History { conversation, before, most } => {
            Answer::History(assistant.history(caller, conversation, before, most)?)
        }
        Ask::Search { words, most } => Answer::Found(
            assistant
                .search(caller, &words, most)?
                .into_iter()
                .map(|(conversation, turned)| Found { conversation, turned })
                .collect(),
        ),
        Ask::Export { conversation } => Answer::Exported(assistant.export(caller, conversation)?),
        Ask::Audit { before, most } => Answer::Audit(assistant.audit(caller, before, most)?),
        Ask::AuditExport { file } => {
            data::create(Path::new(&file), |to| {
                assistant.audit_export(caller, to).map_err(|refused| about(&file, refused))
            })?;
            Answer::Done {}
        }
        _ => return Err(Trouble::failed("this is not read from the disk")),
    })
}

pub(crate) async fn forward(mut events: Events, id: u64, answers: &Sender<Line<Answer>>) -> Answer {
    while let Some(event) = events.next().await {
        if answers.send(Line { v: VERSION, id, body: Answer::Event(event) }).await.is_err() {
            break;
        }
    }
    Answer::Over {}
}

/// What is open, and whether it counts.
fn grants(assistant: &Assistant) -> Result<Answer, Trouble> {
    Ok(Answer::Grants { open: assistant.grants(&Caller::owner())?, held: assistant.is_held() })
}

/// The trouble names the file.
fn about(file: &str, refused: Refused) -> Trouble {
    let trouble = Trouble::from(refused);
    Trouble::new(trouble.exit, format!("{file}: {trouble}"))
}

fn not_confirmed(refused: &ConfirmRefused) -> Trouble {
    let exit = match refused {
        ConfirmRefused::Store(error) => error.into(),
        ConfirmRefused::Unknown => Exit::BadInput,
        _ => Exit::Failed,
    };
    Trouble::new(exit, refused.to_string())
}

/// One more, as long as it lives.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
