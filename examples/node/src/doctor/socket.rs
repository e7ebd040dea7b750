//! The methods over a WebSocket, where one is given to whoever has no session.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::Upgraded;
use serde_json::Value;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::ask::Asker;
use super::check::Check;
use super::methods::{Call, flat, verdict};
use super::target::Target;

/// After so long without a word nothing more is awaited.
const SILENCE: Duration = Duration::from_secs(3);

pub(super) async fn checks(asker: &Asker, target: &Target, calls: &[Call]) -> Vec<Check> {
    let url = target.rpc();
    let one_by_one: Vec<String> = calls.iter().map(|call| call.json().to_string()).collect();
    let together = vec![calls.iter().map(Call::json).collect::<Value>().to_string()];
    let mut checks = Vec::new();
    for (check, how, texts) in
        [("methods-websocket", "one by one", one_by_one), ("methods-websocket-batched", "together", together)]
    {
        match asker.upgrade(&url, &[("origin", target.origin())]).await {
            Ok(Ok(connection)) => {
                let replies = talk(connection, texts, calls.len()).await;
                let how = format!("{how} over a WebSocket at {url}");
                checks.push(verdict(check, &how, calls, &replies));
            }
            Ok(Err(said)) => {
                checks.push(Check::ok(
                    check,
                    format!("no WebSocket without a session at {url} ({})", said.status),
                ));
                break;
            }
            Err(why) => {
                checks.push(Check::ok(check, format!("no WebSocket without a session at {url} ({why})")));
                break;
            }
        }
    }
    checks
}

/// What is said to these texts, until `most` replies have come, the connection ends, or it is silent.
async fn talk(connection: Upgraded, texts: Vec<String>, most: usize) -> Vec<Value> {
    let mut socket = WebSocketStream::from_raw_socket(connection, Role::Client, None).await;
    let mut replies = Vec::new();
    for text in texts {
        if !matches!(timeout(SILENCE, socket.send(Message::text(text))).await, Ok(Ok(()))) {
            break;
        }
    }
    while replies.len() < most
        && let Ok(Some(Ok(message))) = timeout(SILENCE, socket.next()).await
    {
        let text = message.to_text().unwrap_or_default();
        let reply: Value = serde_json::from_str(text).unwrap_or_default();
        // Others are notifications.
        replies.extend(flat(reply).into_iter().filter(|reply| reply.get("id").is_some()));
    }
    // It is of no use any more, whether it closes well or not.
    let _ = timeout(SILENCE, socket.close(None)).await;
    replies
}
