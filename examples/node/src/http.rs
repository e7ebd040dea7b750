//! The owner's page over HTTP, on this machine alone: who may ask, what is served, and the assistant's methods.
//!
//! In this order a request is looked at: which host and origin it names ([`gate`]), who it is of ([`sessions`]), how much
//! they have asked already ([`pace`]); only then is anything of it read.

mod answer;
mod calls;
mod gate;
mod log;
mod pace;
mod page;
mod rpc;
mod server;
mod sessions;
mod token;

pub(crate) use log::log;
pub(crate) use server::{Door, Links, open};
