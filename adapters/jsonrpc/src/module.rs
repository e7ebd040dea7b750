//! The methods as a jsonrpsee module.

use std::sync::Arc;

use archy_assistant::{Assistant, Caller};
use archy_wire::{Code, Fault, ReadEvents};
use jsonrpsee::core::server::{
    MethodCallback, MethodResponse, PendingSubscriptionSink, SubscriptionCloseResponse,
};
use jsonrpsee::core::{RegisterMethodError, SubscriptionError};
use jsonrpsee::types::{ErrorObjectOwned, Id, Params};
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
/// name. It is asked for each call, also in a batch and over a WebSocket, and again before each event is given: whoever
/// has logged out since is told no more.
type Authorise = dyn Fn(&Extensions, &str) -> Result<Caller, Fault> + Send + Sync;

/// Who asked, and how the host is asked again.
struct Asked {
    authorise: Arc<Authorise>,
    extensions: Extensions,
    method: &'static str,
}

impl Asked {
    fn caller(&self) -> Result<Caller, Fault> {
        (self.authorise)(&self.extensions, self.method)
    }

    /// Whether the host still says the same of whoever has waited.
    fn is_still(&self, caller: &Caller) -> Result<(), Fault> {
        let now = self.caller()?;
        let same = now.principal() == caller.principal() && now.seat() == caller.seat();
        same.then_some(()).ok_or_else(|| Fault::new(Code::Unauthenticated, "somebody else is logged in now"))
    }
}

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
                let asked = Asked { authorise, extensions, method: name };
                let caller = asked.caller().map_err(error)?;
                let params = crate::params(params.as_str()).map_err(error)?;
                let answer = call(&assistant, &caller, method, params).await.map_err(error)?;
                // It may have waited long.
                if method == "events" {
                    asked.is_still(&caller).map_err(error)?;
                }
                Ok::<_, ErrorObjectOwned>(answer)
            }
        })?;
    }
    let (listen, unlisten) = (named(LISTEN), named(UNLISTEN));
    let listening = Arc::clone(&authorise);
    module.register_subscription(
        listen,
        named(LISTENED),
        unlisten,
        move |params, pending, assistant, extensions| {
            let asked = Asked { authorise: Arc::clone(&listening), extensions, method: listen };
            async move {
                let wanted = crate::params(params.as_str()).and_then(read::<ReadEvents>);
                listened(pending, &assistant, &asked, wanted).await
            }
        },
    )?;
    // jsonrpsee's own asks nobody. Whoever may listen may stop.
    if let Some(MethodCallback::Unsubscription(stop)) = module.remove_method(unlisten) {
        let asks =
            move |id: Id<'_>, params: Params<'_>, connection, most, extensions: Extensions| match authorise(
                &extensions,
                listen,
            ) {
                Ok(_) => stop(id, params, connection, most, extensions),
                Err(fault) => MethodResponse::error(id, error(fault)).with_extensions(extensions),
            };
        module.verify_and_insert(unlisten, MethodCallback::Unsubscription(Arc::new(asks)))?;
    }
    Ok(module)
}

/// Gives the events one by one, as slowly as whoever listens takes them: they wait in the journal, not here.
async fn listened(
    pending: PendingSubscriptionSink,
    assistant: &Assistant,
    asked: &Asked,
    wanted: Result<ReadEvents, Fault>,
) -> SubscriptionCloseResponse {
    let begun = asked.caller().and_then(|caller| {
        let wanted = wanted?;
        let events = assistant.events(&caller, known(&wanted.turn)?, wanted.after);
        Ok((caller, events.map_err(to_wire::refused)?))
    });
    let (caller, mut events) = match begun {
        Ok(begun) => begun,
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
        if let Err(fault) = asked.is_still(&caller) {
            let told = serde_json::value::to_raw_value(&error(fault));
            return told.map_or(SubscriptionCloseResponse::None, |told| {
                SubscriptionCloseResponse::NotifErr(SubscriptionError::from_json(told))
            });
        }
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
