//! `serve`: the node, until it is told to end. `link`: a way into its page.

use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::cli::Common;
use crate::exit::{Exit, Trouble};
use crate::http::{self, Door};
use crate::mesh;
use crate::open::{Session, data_of, session};
use crate::terminal::{Interrupts, Terminal, tell};
use crate::wire::{Answer, Ask};

/// Serves the page at port `page` and the radio at the address `radio`, where there is to be one.
pub(crate) async fn serve(
    common: &Common,
    terminal: Terminal,
    page: Option<u16>,
    radio: Option<String>,
    verbose: bool,
) -> Result<Exit, Trouble> {
    let mut interrupts = Interrupts::new()?;
    let session = session(common).await?;
    let door = match opened(&session, page).await {
        Ok(door) => door,
        Err(trouble) => {
            session.end().await;
            return Err(trouble);
        }
    };
    http::log(verbose);
    let mut radios = JoinSet::new();
    if let (Some(address), Some(desk)) = (radio, session.desk()) {
        radios.spawn(mesh::serve(data_of(common)?, desk.assistant.clone(), address));
    }
    tell("The node is running. Ctrl-C ends it; its apps go on.");
    let (end, ended) = oneshot::channel::<()>();
    let serving = async {
        let Some(door) = door else { return ended.await.unwrap_or_default() };
        let (page, link) = (door.page(), door.links().new_link());
        // Whoever started this may have gone; the page is there all the same.
        let _ = terminal.document(&json!({ "page": page, "link": link }));
        if !terminal.json {
            tell(&format!("Its page is at {page}"));
            tell(&format!("This link logs your browser in, once and within ten minutes: {link}"));
        }
        door.serve(async { ended.await.unwrap_or_default() }).await;
    };
    let waiting = async {
        tokio::select! {
            _ = interrupts.next() => {}
            _ = session.client.ended() => tell("Everything was erased. The node ends."),
        }
        drop(end);
    };
    tokio::join!(serving, waiting);
    radios.shutdown().await;
    session.end().await;
    Ok(Exit::Done)
}

async fn opened(session: &Session, page: Option<u16>) -> Result<Option<Door>, Trouble> {
    let running = || Trouble::failed("a node is already running on this data directory");
    let desk = session.desk().ok_or_else(running)?;
    let Some(port) = page else { return Ok(None) };
    let door = http::open(port, desk.assistant.clone(), desk.settings.clone()).await?;
    // It is set once.
    let _ = desk.links.set(door.links());
    Ok(Some(door))
}

/// Prints a new link.
pub(crate) async fn link(common: &Common, terminal: Terminal) -> Result<Exit, Trouble> {
    // Looked at first: where none runs, a session would open one.
    if data_of(common)?.try_lock()?.is_some() {
        let serve = common.command("serve");
        return Err(Trouble::failed(format!(
            "no node is running on this data directory; start it with: {serve}"
        )));
    }
    let session = session(common).await?;
    let answer = session.client.ask(&Ask::Link).await;
    session.end().await;
    match answer? {
        Answer::Link(link) => {
            terminal.document(&json!({ "link": link }))?;
            terminal.line(&link)?;
            Ok(Exit::Done)
        }
        _ => Err(crate::client::unexpected()),
    }
}
