//! `serve`: the node, until it is told to end.

use crate::cli::Common;
use crate::exit::{Exit, Trouble};
use crate::open::session;
use crate::terminal::{Interrupts, tell};

pub(crate) async fn serve(common: &Common) -> Result<Exit, Trouble> {
    let mut interrupts = Interrupts::new()?;
    let session = session(common).await?;
    if !session.is_own() {
        return Err(Trouble::failed("a node is already running on this data directory"));
    }
    tell("The node is running. Ctrl-C ends it; its apps go on.");
    tokio::select! {
        _ = interrupts.next() => {}
        _ = session.client.ended() => tell("Everything was erased. The node ends."),
    }
    session.end().await;
    Ok(Exit::Done)
}
