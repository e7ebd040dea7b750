//! Reading the network.

use std::sync::Arc;

use super::specs;
use crate::host::{Interface, Network, Peers};
use crate::{Caller, Datum, NoArgs, Read, Spec, ToolError};

/// Whether the node is online, its addresses and its traffic.
pub(super) struct NetworkStatus(pub(super) Arc<dyn Network>);

impl Read for NetworkStatus {
    type Args = NoArgs;

    fn spec(&self) -> Spec {
        specs::network_status()
    }

    async fn read(&self, caller: &Caller, _: NoArgs) -> Result<Datum, ToolError> {
        let status = self.0.status(caller).await?;
        let addresses = status.interfaces.iter().flat_map(|interface| &interface.addresses);
        let addresses = addresses.map(|address| Datum::text(address.to_string())).collect();
        let sum = |part: fn(&Interface) -> u64| {
            Datum::Bytes(status.interfaces.iter().map(part).fold(0, u64::saturating_add))
        };
        Ok(Datum::record([
            ("online", status.online.map_or(Datum::None, Datum::Bool)),
            ("addresses", Datum::List(addresses)),
            ("received", sum(|interface| interface.received)),
            ("sent", sum(|interface| interface.sent)),
            ("per", Datum::text("since the start")),
        ]))
    }
}

/// The peers.
pub(super) struct PeersList(pub(super) Arc<dyn Peers>);

impl Read for PeersList {
    type Args = NoArgs;

    fn spec(&self) -> Spec {
        specs::peers_list()
    }

    async fn read(&self, caller: &Caller, _: NoArgs) -> Result<Datum, ToolError> {
        let peers = self.0.list(caller).await?.into_iter();
        let told = peers.map(|peer| {
            Datum::record([
                ("id", Datum::text(peer.id.as_str().to_owned())),
                ("name", Datum::Others(peer.name)),
                ("state", Datum::text(if peer.connected { "connected" } else { "not connected" })),
                ("seen", peer.seen.map_or(Datum::None, Datum::Time)),
            ])
        });
        Ok(Datum::List(told.collect()))
    }
}
