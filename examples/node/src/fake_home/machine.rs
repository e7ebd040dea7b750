use archy_assistant::host::{
    Balance, Balances, Bitcoin, BitcoinStatus, Chain, Disk, Interface, Memory, Network, NetworkStatus, Peer,
    PeerId, Peers, Purse, System, SystemStatus,
};
use archy_assistant::{Answer, Caller, Source, Untrusted};

use super::{BEGAN, FakeHome, ready};

impl System for FakeHome {
    fn status<'a>(&'a self, _: &'a Caller) -> Answer<'a, SystemStatus> {
        ready(SystemStatus {
            up_seconds: Some(12 * 86_400),
            cpu_percent: Some(17),
            celsius: Some(51),
            memory: Some(Memory { used: 9_100_000_000, total: 16_000_000_000 }),
        })
    }

    fn disks<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<Disk>> {
        let name = Untrusted::new("data", Source::DeviceName);
        ready(vec![Disk { name, total: 2_000_000_000_000, free: 640_000_000_000 }])
    }
}

impl Network for FakeHome {
    fn status<'a>(&'a self, _: &'a Caller) -> Answer<'a, NetworkStatus> {
        let interface = Interface {
            name: Untrusted::new("eth0", Source::DeviceName),
            addresses: vec![[192, 168, 1, 21].into()],
            received: 48_000_000_000,
            sent: 6_000_000_000,
        };
        ready(NetworkStatus { online: Some(true), interfaces: vec![interface] })
    }
}

impl Peers for FakeHome {
    fn list<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<Peer>> {
        let peers = [("02ab", "Alice's cabin", true), ("03cd", "Harbour", false)];
        let peers = peers.into_iter().filter_map(|(id, name, connected)| {
            let name = Untrusted::new(name, Source::PeerName);
            Some(Peer { id: PeerId::new(id).ok()?, name, connected, seen: Some(BEGAN) })
        });
        ready(peers.collect())
    }
}

impl Bitcoin for FakeHome {
    fn status<'a>(&'a self, _: &'a Caller) -> Answer<'a, BitcoinStatus> {
        ready(BitcoinStatus {
            chain: Chain::Main,
            blocks: 977_412,
            headers: 977_412,
            synced_percent: 100,
            block_time: Some(BEGAN),
            peers: Some(11),
            waiting: Some(42_000),
            fee_sats: Some(4),
        })
    }
}

impl Balances for FakeHome {
    fn balances<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<Balance>> {
        let of = |kind, sats| Balance { kind, sats, pending_sats: 0 };
        ready(vec![of(Purse::OnChain, 2_100_000), of(Purse::Lightning, 350_000), of(Purse::Ecash, 1_200)])
    }
}
