//! The assistant of a self-hosted node: the model proposes, the node decides, a person confirms.

#[macro_use]
mod weak;

mod assistant;
mod audit;
mod backend;
mod browser;
mod caller;
mod category;
mod cause;
mod chain;
mod clock;
mod confirmation;
mod datum;
mod grants;
pub mod host;
mod id;
mod phrases;
mod policy;
mod secret;
mod sentence;
mod spec;
mod store;
mod tool;
mod tools;
mod turn;
mod untrusted;

#[cfg(archy_weak)]
pub use weak::{MARK, Weakness, weaken};

pub use assistant::{
    Assistant, Began, Builder, ConfirmRefused, Events, Exported, OpenError, Page, Refused, Said, Stats,
    Summary, Target, Turned,
};
pub use audit::{Broken, Fact, FileWitness, Flaw, HeadWitness, Line, Opened, Sealed, Verified};
#[cfg(feature = "http")]
pub use backend::card::{Calling, ModelCard};
#[cfg(feature = "http")]
pub use backend::claude::Claude;
#[cfg(feature = "http")]
pub use backend::deadlines::Deadlines;
#[cfg(feature = "http")]
pub use backend::endpoint::BadEndpoint;
#[cfg(all(any(test, fuzzing), feature = "http"))]
pub use backend::fuzzing;
#[cfg(feature = "http")]
pub use backend::ollama::{Ability, Installed, Ollama, Probe};
#[cfg(feature = "http")]
pub use backend::openai::OpenAi;
pub use backend::{
    Backend, BackendError, BackendFacts, BackendFault, Calls, EndReason, Locality, Mind, Offer, ReplyEvent,
    ReplyStream, Request, Script, Scripted, Usage,
};
pub use browser::{Browsed, Browser, BrowserAction, BrowserVerb};
pub use caller::{BadPrincipal, Caller, Door, OwnerRole, Principal, Role, Scope, Seat};
pub use category::{Categories, Category, UnknownCategory};
pub use cause::Cause;
pub use chain::WhenLocalIsDown;
pub use clock::{Clock, SystemClock};
pub use confirmation::{Confirmation, ConfirmationSink, Decision, Digest, PollPending, Resolution};
pub use datum::{Datum, Timestamp};
pub use grants::{GrantSource, Grants, StoredGrants};
pub use host::{Answer, HostError};
pub use id::{BadId, ConfirmationId, ConversationId, TurnId};
pub use phrases::Phrases;
pub use policy::{Denied, Destination, Effect, Label, Need, Verdict, decide, may_leave};
pub use secret::Secret;
pub use sentence::Sentence;
pub use spec::{Candidate, Candidates, Elsewhere, Presence, Slot, SlotKind, Spec};
#[cfg(feature = "sqlite")]
pub use store::SqliteStore;
pub use store::{Batch, Durability, Expect, MemoryStore, Op, Order, Rows, Scan, Store, StoreError, Table};
pub use tool::{Approved, ConfirmText, NoArgs, Plan, Read, ToolError, Toolbox, ToolboxError, Undo, Write};
pub use tools::FirstTools;
pub use turn::{
    CallId, Content, End, Event, Failure, Finished, Limited, Limits, Message, Numbered, Outcome, Receipt,
    Settled, ToolCall,
};
pub use untrusted::isolate::Shown;
pub use untrusted::{Source, Untrusted};
