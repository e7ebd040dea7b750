//! What lies about on the node itself: a second way to a model, or a second key for one.

use std::net::IpAddr;
use std::path::Path;

use sysinfo::Networks;

use super::check::Check;
use super::root::Root;
use super::target::Target;
use super::{processes, services, web_server};

/// The names under which programs look for keys of models.
pub(super) const KEYS: [&str; 2] = ["ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"];
/// A program that adds a key to whatever is sent through it.
pub(super) const PROXY: &str = "claude-api-proxy";

pub(super) fn checks(root: &Path) -> Vec<Check> {
    let root = Root::new(root);
    let mut checks = processes::checks(&root);
    checks.extend(services::checks(&root));
    checks.extend(web_server::checks(&root));
    checks
}

/// The addresses at which others reach this machine, where it is the target. None where it is looked at elsewhere than in
/// `/`: those are another machine's.
pub(super) fn own_addresses(target: &Target, root: Option<&Path>) -> Vec<IpAddr> {
    if !target.is_here() || root.is_some() {
        return Vec::new();
    }
    let networks = Networks::new_with_refreshed_list();
    let addresses = networks.values().flat_map(|data| data.ip_networks().iter().map(|net| net.addr));
    // An address of one link cannot be connected to without the link's name.
    let is_reached = |address: &IpAddr| match address {
        IpAddr::V4(v4) => !v4.is_loopback() && !v4.is_link_local(),
        IpAddr::V6(v6) => !v6.is_loopback() && !v6.is_unicast_link_local(),
    };
    let mut addresses: Vec<_> = addresses.filter(is_reached).collect();
    addresses.sort();
    addresses.dedup();
    addresses
}
