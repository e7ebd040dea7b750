//! Reading the Bitcoin node.

use std::sync::Arc;

use super::specs;
use crate::host::Bitcoin;
use crate::{Caller, Datum, NoArgs, Read, Spec, ToolError};

/// The chain, its sync, the mempool and what a transaction costs.
pub(super) struct BitcoinStatus(pub(super) Arc<dyn Bitcoin>);

impl Read for BitcoinStatus {
    type Args = NoArgs;

    fn spec(&self) -> Spec {
        specs::bitcoin_status()
    }

    async fn read(&self, caller: &Caller, _: NoArgs) -> Result<Datum, ToolError> {
        let status = self.0.status(caller).await?;
        Ok(Datum::record([
            ("height", count(status.blocks)),
            ("headers", count(status.headers)),
            ("synced", Datum::Percent(status.synced_percent.min(100))),
            ("block_time", status.block_time.map_or(Datum::None, Datum::Time)),
            ("network", Datum::text(status.chain.name())),
            ("peers", status.peers.map_or(Datum::None, |peers| Datum::Int(peers.into()))),
            ("mempool", status.waiting.map_or(Datum::None, count)),
            ("fee", status.fee_sats.map_or(Datum::None, count)),
        ]))
    }
}

fn count(count: u64) -> Datum {
    Datum::Int(i64::try_from(count).unwrap_or(i64::MAX))
}
