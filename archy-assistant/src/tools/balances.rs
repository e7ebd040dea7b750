//! Reading balances.

use std::sync::Arc;

use super::specs;
use crate::host::{Balance, Balances, Purse};
use crate::{Caller, Datum, NoArgs, Read, Spec, ToolError};

/// How much there is, of each kind and together.
pub(super) struct BalancesRead(pub(super) Arc<dyn Balances>);

impl Read for BalancesRead {
    type Args = NoArgs;

    fn spec(&self) -> Spec {
        specs::balances()
    }

    async fn read(&self, caller: &Caller, _: NoArgs) -> Result<Datum, ToolError> {
        let balances = self.0.balances(caller).await?;
        let of = |kind: Purse| {
            let of: Vec<Balance> = balances.iter().filter(|balance| balance.kind == kind).copied().collect();
            if of.is_empty() { Ok(Datum::None) } else { sum(&of, |balance| balance.sats).map(Datum::Sats) }
        };
        let pending = sum(&balances, |balance| balance.pending_sats)?;
        Ok(Datum::record([
            ("total", Datum::Sats(sum(&balances, |balance| balance.sats)?)),
            ("onchain", of(Purse::OnChain)?),
            ("lightning", of(Purse::Lightning)?),
            ("ecash", of(Purse::Ecash)?),
            ("pending", if pending == 0 { Datum::None } else { Datum::Sats(pending) }),
        ]))
    }
}

fn sum(balances: &[Balance], part: fn(&Balance) -> u64) -> Result<u64, ToolError> {
    let sum = balances.iter().map(part).try_fold(0, u64::checked_add);
    sum.ok_or_else(|| ToolError::new("the balances are too large to add up"))
}
