//! Reading the machine.

use std::sync::Arc;

use super::specs;
use crate::host::{Memory, System};
use crate::{Caller, Datum, NoArgs, Read, Spec, ToolError};

/// Processor, memory, temperature, uptime.
pub(super) struct SystemStatus(pub(super) Arc<dyn System>);

impl Read for SystemStatus {
    type Args = NoArgs;

    fn spec(&self) -> Spec {
        specs::system_status()
    }

    async fn read(&self, caller: &Caller, _: NoArgs) -> Result<Datum, ToolError> {
        let status = self.0.status(caller).await?;
        let memory =
            |part: fn(Memory) -> u64| status.memory.map_or(Datum::None, |all| Datum::Bytes(part(all)));
        Ok(Datum::record([
            ("cpu", status.cpu_percent.map_or(Datum::None, Datum::Percent)),
            ("memory_used", memory(|memory| memory.used)),
            ("memory_total", memory(|memory| memory.total)),
            ("temperature", status.celsius.map_or(Datum::None, |degrees| Datum::Int(degrees.into()))),
            ("uptime", status.up_seconds.map_or(Datum::None, Datum::Seconds)),
        ]))
    }
}

/// The disks.
pub(super) struct DiskStatus(pub(super) Arc<dyn System>);

impl Read for DiskStatus {
    type Args = NoArgs;

    fn spec(&self) -> Spec {
        specs::disk_status()
    }

    async fn read(&self, caller: &Caller, _: NoArgs) -> Result<Datum, ToolError> {
        let disks = self.0.disks(caller).await?.into_iter();
        let told = disks.map(|disk| {
            Datum::record([
                ("name", Datum::Others(disk.name)),
                ("free", Datum::Bytes(disk.free)),
                ("total", Datum::Bytes(disk.total)),
                ("used", used(disk.free, disk.total)),
            ])
        });
        Ok(Datum::List(told.collect()))
    }
}

/// How full a disk is, rounded up: one that has anything on it is not empty.
fn used(free: u64, total: u64) -> Datum {
    if total == 0 {
        return Datum::None;
    }
    let used = u128::from(total.saturating_sub(free)) * 100;
    Datum::Percent(u8::try_from(used.div_ceil(u128::from(total))).unwrap_or(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fullness_is_rounded_up_and_never_more_than_all() {
        for (free, total, percent) in
            [(100, 100, 0), (99, 100, 1), (999, 1000, 1), (1, 3, 67), (0, u64::MAX, 100), (9, 4, 0)]
        {
            assert_eq!(used(free, total), Datum::Percent(percent), "{free} of {total}");
        }
        assert_eq!(used(0, 0), Datum::None);
    }
}
