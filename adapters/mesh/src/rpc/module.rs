//! The methods as a jsonrpsee module.

use std::sync::Arc;

use archy_assistant::Caller;
use archy_wire::{Code, Fault, MeshConfigure, Nothing};
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::{ErrorObjectOwned, Params};
use jsonrpsee::{Extensions, RpcModule};
use serde::de::DeserializeOwned;

use super::{METHODS, RadioHost, call};
use crate::Radio;

/// Both methods, for a daemon to merge into its own. `authorise` is the host's word on who asks, from what its transport has
/// put into the request's extensions and the method's full name; it is asked for each call.
///
/// # Errors
/// Never: no two methods here have one name. A daemon that has them already sees that when it merges.
pub fn module(
    radio: Radio,
    host: &Arc<dyn RadioHost>,
    authorise: impl Fn(&Extensions, &str) -> Result<Caller, Fault> + Send + Sync + Clone + 'static,
) -> Result<RpcModule<Radio>, RegisterMethodError> {
    let mut module = RpcModule::new(radio);
    for method in METHODS {
        let (host, authorise) = (Arc::clone(host), authorise.clone());
        module.register_method(method, move |params, radio, extensions| {
            let caller = authorise(extensions, method).map_err(error)?;
            // Read as what they are first: a name that is given twice is seen only in the text.
            if method == METHODS[0] { once::<Nothing>(&params) } else { once::<MeshConfigure>(&params) }?;
            let read = params.parse().map_err(|_| error(Fault::new(Code::BadParams, BY_NAME)))?;
            call(radio, &*host, &caller, method, read).map_err(error)
        })?;
    }
    Ok(module)
}

const BY_NAME: &str = "parameters go by name, as an object, each once";

fn once<T: DeserializeOwned>(params: &Params<'_>) -> Result<(), ErrorObjectOwned> {
    match params.as_str() {
        None | Some("null" | "[]") => Ok(()),
        Some(text) => {
            serde_json::from_str::<T>(text).map(drop).map_err(|_| error(Fault::new(Code::BadParams, BY_NAME)))
        }
    }
}

fn error(fault: Fault) -> ErrorObjectOwned {
    ErrorObjectOwned::owned(fault.code.number(), fault.says, Some(fault.code))
}
