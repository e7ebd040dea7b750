//! A command's end of the socket.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::exit::Trouble;
use crate::lines::{self, Lines};
use crate::wire::{Answer, Ask, LONGEST_ASK, Line, VERSION};

/// An export of everything that was ever said in one conversation fits.
const LONGEST_ANSWER: usize = 256 * 1024 * 1024;

/// How the node has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gone {
    /// Whoever had it has left; another process may go on with it.
    Left,
    /// Everything was erased.
    Erased,
}

type Waiting = Arc<Mutex<HashMap<u64, UnboundedSender<Answer>>>>;

/// A connection to a node. Requests may be made while others are still being answered.
pub(crate) struct Client {
    to: tokio::sync::Mutex<OwnedWriteHalf>,
    waiting: Waiting,
    last: AtomicU64,
    gone: watch::Receiver<Option<Gone>>,
    _reading: JoinSet<()>,
}

impl Client {
    /// Connects and sees that somebody answers; `None` where nobody does.
    pub(crate) async fn connect(socket: &Path) -> Result<Option<Self>, Trouble> {
        let Ok(stream) = UnixStream::connect(socket).await else { return Ok(None) };
        let (from, to) = stream.into_split();
        let waiting = Waiting::default();
        let mut reading = JoinSet::new();
        let (at_end, gone) = watch::channel(None);
        let theirs = Arc::clone(&waiting);
        reading.spawn(async move {
            let gone = read(from, &theirs).await;
            // In this order: whoever asks after the end must not wait for an answer.
            at_end.send_replace(Some(gone));
            lock(&theirs).clear();
        });
        let (to, last) = (tokio::sync::Mutex::new(to), AtomicU64::new(0));
        let client = Self { to, waiting, last, gone, _reading: reading };
        let mut answers = client.begin(&Ask::Stats).await?;
        match answers.recv().await {
            Some(Answer::Refused(trouble)) => Err(trouble),
            Some(_) => Ok(Some(client)),
            None => Ok(None),
        }
    }

    /// Asks for something that has one answer.
    pub(crate) async fn ask(&self, ask: &Ask) -> Result<Answer, Trouble> {
        match self.begin(ask).await?.recv().await {
            Some(Answer::Refused(trouble)) => Err(trouble),
            Some(answer) => Ok(answer),
            None => Err(gone()),
        }
    }

    /// Asks for something that has several answers. They end early when the node ends.
    pub(crate) async fn begin(&self, ask: &Ask) -> Result<UnboundedReceiver<Answer>, Trouble> {
        self.numbered(ask).await.map(|(_, answers)| answers)
    }

    /// The same, with the request's number.
    pub(crate) async fn numbered(&self, ask: &Ask) -> Result<(u64, UnboundedReceiver<Answer>), Trouble> {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let line = lines::encode(&Line { v: VERSION, id, body: ask })
            .map_err(|error| Trouble::failed(error.to_string()))?;
        if line.len() > LONGEST_ASK {
            return Err(Trouble::bad_input("that is too long to be asked"));
        }
        let (tell, told) = mpsc::unbounded_channel();
        lock(&self.waiting).insert(id, tell);
        if self.is_gone() {
            return Err(gone());
        }
        // Where this fails the reader ends too, and nobody waits any more.
        let _ = tokio::io::AsyncWriteExt::write_all(&mut *self.to.lock().await, &line).await;
        Ok((id, told))
    }

    /// Whether the node has ended.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.borrow().is_some()
    }

    /// Waits until the node has ended.
    pub(crate) async fn ended(&self) -> Gone {
        match self.gone.clone().wait_for(Option::is_some).await {
            Ok(gone) => gone.unwrap_or(Gone::Left),
            // Nobody reads any more, which is the same.
            Err(_) => Gone::Left,
        }
    }
}

/// The node that was asked is no more.
pub(crate) fn gone() -> Trouble {
    Trouble::failed("the node that this terminal was connected to has ended; try again")
}

/// An answer that does not fit its question.
pub(crate) fn unexpected() -> Trouble {
    Trouble::failed("the running node answered something else; is it another version?")
}

async fn read(from: OwnedReadHalf, waiting: &Waiting) -> Gone {
    let mut lines = Lines::new(from, LONGEST_ANSWER);
    while let Ok(Some(line)) = lines.next().await {
        let Ok(Line { id, body: answer, .. }) = serde_json::from_slice::<Line<Answer>>(&line) else { break };
        if matches!(answer, Answer::Erased {}) {
            return Gone::Erased;
        }
        let mut waiting = lock(waiting);
        if id == 0 {
            // The node could not tell which request it was.
            waiting.drain().for_each(|(_, tell)| drop(tell.send(Answer::Refused(unexpected()))));
            continue;
        }
        let over = !matches!(answer, Answer::Waits { .. } | Answer::Began { .. } | Answer::Event(_));
        if let Some(tell) = waiting.get(&id) {
            // Whoever asked may have lost interest.
            let _ = tell.send(answer);
        }
        if over {
            waiting.remove(&id);
        }
    }
    Gone::Left
}

fn lock(waiting: &Waiting) -> MutexGuard<'_, HashMap<u64, UnboundedSender<Answer>>> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}
