//! Every command is a client of a node: of the one that runs, or of the one that it opens itself.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::net::UnixListener;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::cli::Common;
use crate::client::Client;
use crate::data::{self, Data, Lock};
use crate::exit::Trouble;
use crate::node;
use crate::server::{self, Desk};
use crate::terminal::tell;

/// How long a node that has the directory may take to open its socket, or to end.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long what was begun may take to end with the node.
const ENDING: Duration = Duration::from_secs(30);

/// A connection to a node, and the node where it is this process's own.
pub(crate) struct Session {
    pub(crate) client: Client,
    own: Option<Own>,
}

/// A node that this process has opened.
struct Own {
    desk: Arc<Desk>,
    serving: JoinSet<()>,
    // Last: others may open the directory when everything else is closed.
    data: Data,
    _lock: Lock,
}

/// Opens a session for a command.
pub(crate) async fn session(common: &Common) -> Result<Session, Trouble> {
    let data = data_of(common)?;
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(lock) = data.try_lock()? {
            let own = Own::open(data, lock, common).await?;
            let client = Client::connect(&own.data.socket()).await?;
            let client = client.ok_or_else(|| Trouble::failed("the node does not hear itself"))?;
            return Ok(Session { client, own: Some(own) });
        }
        if let Some(client) = Client::connect(&data.socket()).await? {
            if common.model.is_said() {
                tell("The running node keeps its own choice of who answers.");
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
    /// Whether the node is this process's own.
    pub(crate) fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// Ends the session, and the node where it is this process's own: what was begun is brought to its end.
    pub(crate) async fn end(self) {
        let Some(mut own) = self.own else { return };
        let others = own.desk.connected.load(Ordering::Relaxed).saturating_sub(1);
        if others > 0 {
            let says = match others {
                1 => "The node ends, and one other command that used it is cut off.".to_owned(),
                others => format!("The node ends, and {others} other commands that used it are cut off."),
            };
            tell(&says);
        }
        drop(self.client);
        if !own.desk.assistant.shutdown(ENDING).await {
            tell("Something did not end in time; the next start closes it as interrupted.");
        }
        own.serving.shutdown().await;
        // The next one replaces it all the same.
        let _ = fs::remove_file(own.data.socket());
    }
}

impl Own {
    async fn open(data: Data, lock: Lock, common: &Common) -> Result<Self, Trouble> {
        let desk = Arc::new(node::open(&data, &lock, common).await?);
        let listener = listen(&data)?;
        let mut serving = JoinSet::new();
        serving.spawn(server::serve(listener, Arc::clone(&desk)));
        Ok(Self { desk, serving, data, _lock: lock })
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
