//! The network's interfaces.

use archy_assistant::host::{Interface, Network, NetworkStatus};
use archy_assistant::{Answer, Caller, Source, Untrusted};
use sysinfo::Networks;

use super::blocking;

/// The interfaces of this machine.
pub(crate) struct MachineNetwork;

impl Network for MachineNetwork {
    fn status<'a>(&'a self, _: &'a Caller) -> Answer<'a, NetworkStatus> {
        Box::pin(blocking(|| {
            let mut interfaces: Vec<_> = Networks::new_with_refreshed_list()
                .iter()
                .filter(|(_, data)| !data.ip_networks().iter().any(|net| net.addr.is_loopback()))
                .filter(|(name, _)| *name != "lo")
                .map(|(name, data)| {
                    let mut addresses: Vec<_> = data.ip_networks().iter().map(|net| net.addr).collect();
                    addresses.sort();
                    Interface {
                        name: Untrusted::new(name, Source::DeviceName),
                        addresses,
                        received: data.total_received(),
                        sent: data.total_transmitted(),
                    }
                })
                .collect();
            // Those in use first, then by address, so that the list stays as it is.
            interfaces.sort_by(|a, b| {
                (a.addresses.is_empty(), &a.addresses).cmp(&(b.addresses.is_empty(), &b.addresses))
            });
            Ok(NetworkStatus { online: None, interfaces })
        }))
    }
}
