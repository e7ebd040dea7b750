//! Whether the node is online, and who its peers are.

use super::{all, part};
use crate::{Category, Datum, Sentence, Spec};

/// The result is a record `{online: Bool, addresses: List(Text), received: Bytes?, sent: Bytes?, per: Text?}`:
/// `received` and `sent` in the span that `per` says (`second`, `since the start`).
pub(crate) fn network_status() -> Spec {
    Spec::new(
        "network_status",
        Category::Network,
        "Whether the node is online, its addresses and its traffic.",
    )
    .phrases([
        "is the node online",
        "are we online",
        "are we offline",
        "is the internet connection working",
        "is the internet up",
        "is the internet down",
        "what is the ip address of the node",
        "what is my ip",
        "local address",
        "network addresses",
        "how much traffic goes through the network",
        "network traffic",
        "network status",
        "is the network ok",
        "bandwidth usage",
        "how much data was uploaded and downloaded",
        "upload and download speed",
        "how fast is the connection",
        "are we connected to the internet",
        "is the wifi working",
        "is the node connected",
        "is the node reachable",
        "onion address",
        "tor address",
        "connection status",
        "do we have internet",
        "is there a network problem",
        "how is the network",
        "how is the connection",
        "ethernet link",
        "how much data went through",
        "are we connected to the outside world",
        "how much have we downloaded",
        "how much was uploaded",
        "is the lan up",
        "network interfaces",
        "which address does the node have",
        "ifconfig",
        "ip addr",
        "ip a",
        "ip route",
        "ping",
        "ping 8.8.8.8",
        "curl ifconfig.me",
        "netstat",
        "nmcli",
        "how much traffic is going through",
    ])
    .answer(|network| {
        let online = match network.get("online") {
            Datum::Bool(true) => "The node is online",
            Datum::Bool(false) => "The node is offline",
            _ => "The node's network",
        };
        Sentence::plain(online)
            .and(part("; its addresses: ", network.get("addresses"), ""))
            .and(part("; received ", network.get("received"), ""))
            .and(part(", sent ", network.get("sent"), ""))
            .and(part(" ", network.get("per"), ""))
            .and(".")
    })
}

/// The result is a list of records `{name: Others, state: Text?, seen: Time?}`, `state` such as `online`, `trusted`.
pub(crate) fn peers_list() -> Spec {
    Spec::new(
        "peers_list",
        Category::Network,
        "The peers of this node: mesh contacts and federation members.",
    )
    .phrases([
        "list my peers",
        "who are we connected to on the mesh",
        "list the peers in my federation",
        "which peers are online",
        "how many peers do we have",
        "who is on the mesh",
        "mesh peers",
        "mesh contacts",
        "federation members",
        "who is in the federation",
        "which nodes are nearby",
        "other nodes in the mesh",
        "who can we reach over radio",
        "which nodes are we connected to",
        "neighbours on the mesh",
        "who are my contacts",
        "how many nodes are we connected to",
        "who is connected to us",
        "which nodes do we know",
        "who are my peers",
        "nodes in range",
        "any peers around",
        "who else is around",
        "friends on the mesh",
    ])
    .answer(|peers| {
        all(
            peers,
            |peer| {
                Sentence::from(peer.get("name")).and(part(" (", peer.get("state"), ")")).and(part(
                    ", seen ",
                    peer.get("seen"),
                    "",
                ))
            },
            "There are no peers",
        )
        .and(".")
    })
}
