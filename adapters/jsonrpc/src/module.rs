//! The methods as a jsonrpsee module.

use std::sync::Arc;

use archy_assistant::{Assistant, Caller};
use archy_wire::{Fault, ReadEvents};
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::core::server::{PendingSubscriptionSink, SubscriptionCloseResponse};
use jsonrpsee::types::ErrorObjectOwned;
use jsonrpsee::{Extensions, RpcModule};

use crate::event::numbered;
use crate::methods::{METHODS, call, known};
use crate::params::read;
use crate::to_wire;

/// The subscription to the events of a turn, over WebSocket.
pub const LISTEN: &str = "listen";
/// What each of its notifications is called.
pub const LISTENED: &str = "event";
/// What ends it.
pub const UNLISTEN: &str = "unlisten";

/// The host's word on who asks: from what its transport has put into the request's extensions, and the method's full
/// name. It is asked for each call, also in a batch, over a WebSocket and for a notification.
type Authorise = dyn Fn(&Extensions, &str) -> Result<Caller, Fault> + Send + Sync;

/// All methods, each called `{namespace}.{name}`. A daemon that has methods of these names already gives another
/// namespace: one name that is there twice refuses a whole merge.
///
/// The names are made once and stay for as long as the process runs.
///
/// # Errors
///
/// Never for a namespace of its own: no two methods here have one name.
pub fn module(
    assistant: Assistant,
    namespace: &str,
    authorise: impl Fn(&Extensions, &str) -> Result<Caller, Fault> + Send + Sync + 'static,
) -> Result<RpcModule<Assistant>, RegisterMethodError> {
    let authorise: Arc<Authorise> = Arc::new(authorise);
    let named = |name: &str| -> &'static str { format!("{namespace}.{name}").leak() };
    let mut module = RpcModule::new(assistant);
    for method in METHODS {
        let (name, authorise) = (named(method), Arc::clone(&authorise));
        module.register_async_method(name, move |params, assistant, extensions| {
            let authorise = Arc::clone(&authorise);
            async move {
                let caller = authorise(&extensions, name).map_err(error)?;
                let params = crate::params(params.as_str()).map_err(error)?;
                call(&assistant, &caller, method, params).await.map_err(error)
            }
        })?;
    }
    let listen = named(LISTEN);
    module.register_subscription(
        listen,
        named(LISTENED),
        named(UNLISTEN),
        move |params, pending, assistant, extensions| {
            let authorise = Arc::clone(&authorise);
            async move {
                let caller = authorise(&extensions, listen);
                let wanted = crate::params(params.as_str()).and_then(read::<ReadEvents>);
                listened(pending, &assistant, caller, wanted).await
            }
        },
    )?;
    Ok(module)
}

/// Gives the events one by one, as slowly as whoever listens takes them: they wait in the journal, not here.
async fn listened(
    pending: PendingSubscriptionSink,
    assistant: &Assistant,
    caller: Result<Caller, Fault>,
    wanted: Result<ReadEvents, Fault>,
) -> SubscriptionCloseResponse {
    let begun = caller.and_then(|caller| {
        let wanted = wanted?;
        assistant.events(&caller, known(&wanted.turn)?, wanted.after).map_err(to_wire::refused)
    });
    let mut events = match begun {
        Ok(events) => events,
        Err(fault) => {
            pending.reject(error(fault)).await;
            return SubscriptionCloseResponse::None;
        }
    };
    let Ok(sink) = pending.accept().await else { return SubscriptionCloseResponse::None };
    loop {
        let event = tokio::select! {
            () = sink.closed() => return SubscriptionCloseResponse::None,
            event = events.next() => event,
        };
        let Some(event) = event else { return SubscriptionCloseResponse::None };
        let Ok(message) = serde_json::value::to_raw_value(&numbered(event)) else {
            return SubscriptionCloseResponse::None;
        };
        if sink.send(message).await.is_err() {
            return SubscriptionCloseResponse::None;
        }
    }
}

fn error(fault: Fault) -> ErrorObjectOwned {
    ErrorObjectOwned::owned(fault.code.number(), fault.says, Some(fault.code))
}
