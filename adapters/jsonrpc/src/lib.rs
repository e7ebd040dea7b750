//! The JSON-RPC door: the assistant's methods as a jsonrpsee module that a daemon merges into its own, or by name for a
//! daemon with another dispatcher. No server is started here, and nothing is answered to whoever the host does not know.
//!
//! Three things decide, in this order: the host, which gives a [`Caller`](archy_assistant::Caller) for a request or refuses
//! it (its sessions, its roles by method); the caller's seat and scope; what the owner has opened. None of them widens
//! another.
//!
//! ```
//! # fn assistant() -> archy_assistant::Assistant {
//! #     use archy_assistant::*;
//! #     use std::sync::Arc;
//! #     let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
//! #     let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
//! #     let backends: [Arc<dyn Backend>; 1] = [Arc::new(Phrases)];
//! #     Assistant::builder(backends, Toolbox::new(), grants).with_store(store).with_sink(Arc::new(PollPending)).open().unwrap()
//! # }
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
//! # let _entered = runtime.enter();
//! use archy_assistant::Caller;
//! use archy_wire::{Code, Fault};
//!
//! #[derive(Clone)]
//! struct Session { is_owner: bool }
//!
//! let module = archy_jsonrpc::module(assistant(), "assistant", |extensions, _method| {
//!     match extensions.get::<Session>() {
//!         Some(Session { is_owner: true }) => Ok(Caller::owner()),
//!         _ => Err(Fault::new(Code::Unauthenticated, "log in first")),
//!     }
//! })?;
//! let mut daemon = jsonrpsee::RpcModule::new(());
//! daemon.merge(module)?;
//! # Ok::<(), jsonrpsee::core::RegisterMethodError>(())
//! ```

mod event;
mod history;
mod methods;
mod module;
mod params;
mod to_wire;

pub use methods::{METHODS, call};
pub use module::{LISTEN, LISTENED, UNLISTEN, module};
pub use params::params;

/// The methods that answer whoever asks, without the host's word: none.
pub const UNAUTHENTICATED_METHODS: [&str; 0] = [];
