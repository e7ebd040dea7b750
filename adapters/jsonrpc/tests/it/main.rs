//! The JSON-RPC door against a real assistant, by name and over a real server.

mod by_name;
mod crowd;
mod doubts;
mod gone;
mod house;
mod much;
mod over_sockets;
mod own_dispatcher;
