//! Every command is a client of a node: of the one that runs, or of the one that it opens itself.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::net::UnixListener;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::audit_key;
use crate::cli::Common;
use crate::client::Client;
use crate::data::{self, Data, Lock};
use crate::database::{self, Place};
use crate::exit::Trouble;
use crate::node;
use crate::server::{self, Desk};
use crate::terminal::tell;

/// How long a node that has the directory may take to open its socket, or to end.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long what was begun may take to end with the node.
const ENDING: Duration = Duration::from_secs(30);
/// How long another command may go on with what it is doing, and how long it may do nothing.
const OTHERS: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_millis(200);
/// How often it is looked.
const LOOK: Duration = Duration::from_millis(2);
/// How long the store may take to be closed; what is not closed is safe, but needs to be read again at the next start.
const CLOSING: Duration = Duration::from_secs(5);

/// A connection to a node, and the node where it is this process's own.
pub(crate) struct Session {
    pub(crate) client: Client,
    own: Option<Own>,
}

/// A node that this process has opened.
struct Own {
    desk: Arc<Desk>,
    serving: JoinSet<()>,
    closing: oneshot::Sender<()>,
    // Last: others may open the directory when everything else is closed.
    data: Data,
    _lock: Lock,
}

/// Puts a copy in place of the database, and opens the node on it. Where the old database is now, if there was one.
pub(crate) async fn restore(common: &Common, copy: &Path) -> Result<(Session, Option<PathBuf>), Trouble> {
    let data = data_of(common)?;
    let lock = lock_of(&data)?;
    audit_key::must_be_there(&data, &lock, common)?;
    let aside = database::replace(&data, &lock, copy)?;
    Ok((Session::own(data, lock, common, Place::Restored).await?, aside))
}

/// Takes the directory, where no node runs on it.
pub(crate) fn lock_of(data: &Data) -> Result<Lock, Trouble> {
    let running = || Trouble::failed("a node is running on this data directory; end it first");
    data.try_lock()?.ok_or_else(running)
}

/// Waits until nobody else has the directory.
pub(crate) async fn alone(data: &Data) -> Result<Lock, Trouble> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(lock) = data.try_lock()? {
            return Ok(lock);
        }
        if Instant::now() > until {
            return Err(Trouble::failed(format!("another process still has {}", data.path().display())));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Opens a session for a command.
pub(crate) async fn session(common: &Common) -> Result<Session, Trouble> {
    let data = data_of(common)?;
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(lock) = data.try_lock()? {
            return Session::own(data, lock, common, Place::AsLeft).await;
        }
        if let Some(client) = Client::connect(&data.socket()).await? {
            if common.model.is_said() {
                tell("The running node keeps its own choice of who answers.");
            }
            if common.decide_within.is_some() {
                tell("The running node keeps its own time to decide.");
            }
            return Ok(Session { client, own: None });
        }
        if Instant::now() > until {
            let says = format!("another process has {} and does not answer", data.path().display());
            return Err(Trouble::failed(says));
        }
        // It is being opened or closed.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The data directory of a command.
pub(crate) fn data_of(common: &Common) -> Result<Data, Trouble> {
    match &common.data {
        Some(path) => Data::open(path),
        None => Data::open(&data::usual()?),
    }
}

impl Session {
    async fn own(data: Data, lock: Lock, common: &Common, place: Place) -> Result<Self, Trouble> {
        let own = Own::open(data, lock, common, place).await?;
        let client = Client::connect(&own.data.socket()).await?;
        let client = client.ok_or_else(|| Trouble::failed("the node does not hear itself"))?;
        Ok(Self { client, own: Some(own) })
    }

    /// Whether the node is this process's own.
    pub(crate) fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// The node, where it is this process's own.
    pub(crate) fn desk(&self) -> Option<&Arc<Desk>> {
        self.own.as_ref().map(|own| &own.desk)
    }

    /// Ends the session, and the node where it is this process's own: what was begun is brought to its end.
    pub(crate) async fn end(self) {
        drop(self.client);
        if let Some(own) = self.own {
            own.close().await;
        }
    }
}

impl Own {
    async fn open(data: Data, lock: Lock, common: &Common, place: Place) -> Result<Self, Trouble> {
        let desk = Arc::new(node::open(&data, &lock, common, place).await?);
        let listener = listen(&data)?;
        let (closing, closes) = oneshot::channel();
        let mut serving = JoinSet::new();
        serving.spawn(server::serve(listener, Arc::clone(&desk), closes));
        Ok(Self { desk, serving, closing, data, _lock: lock })
    }

    /// Lets in nobody else, lets those who are in the middle of something end it, and cuts off the others.
    async fn close(mut self) {
        let _ = self.closing.send(());
        // The next one replaces it all the same.
        let _ = fs::remove_file(self.data.socket());
        let others = others(&self.desk).await;
        if others > 0 {
            let cut =
                if others == 1 { "one other command".to_owned() } else { format!("{others} other commands") };
            tell(&format!("The node ends here, and {cut} that used it must take it over or end."));
        }
        if !self.desk.assistant.shutdown(ENDING).await {
            tell("Something did not end in time; the next start closes it as interrupted.");
        }
        self.serving.shutdown().await;
        let store = self.desk.store.clone();
        drop(self.desk);
        // Whoever was cut off lets go of the store in a moment; then it is closed, and in its file alone.
        let until = Instant::now() + CLOSING;
        while store.strong_count() > 0 && Instant::now() < until {
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Waits for the other commands that use the node; how many are left that will not end soon.
async fn others(desk: &Desk) -> usize {
    let (until, mut busy_at) = (Instant::now() + OTHERS, Instant::now());
    loop {
        let (now, others) = (Instant::now(), desk.connected.load(Ordering::Relaxed));
        if desk.busy.load(Ordering::Relaxed) > 0 {
            busy_at = now;
        }
        if others == 0 || now > until || now > busy_at + IDLE {
            return others;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Listens in the directory. Whoever calls it has the lock, so a socket that is there is a dead one.
fn listen(data: &Data) -> Result<UnixListener, Trouble> {
    let (path, shown) = (data.socket(), data.join("node.sock"));
    let _ = fs::remove_file(&path);
    let listener = UnixListener::bind(&path).map_err(|error| data::cannot("listen at", &shown, &error))?;
    fs::set_permissions(&path, Permissions::from_mode(0o600))
        .map_err(|error| data::cannot("keep to yourself", &shown, &error))?;
    Ok(listener)
}
