//! A node that is served somewhere, looked at from outside as its owner would want it to be; and, on the node itself, what
//! lies about there. No credential is sent, and what is asked changes nothing.

mod ask;
mod assets;
mod check;
mod foreign;
mod headers;
mod here;
mod methods;
mod model_api;
mod page_parts;
mod ports;
mod processes;
mod proxies;
mod refusing;
mod root;
mod services;
mod socket;
mod target;
mod web_server;

use std::path::Path;

use archy_web::Manifest;

use crate::exit::{Exit, Trouble};
use ask::Asker;
pub(crate) use check::{Check, State};
pub(crate) use target::Target;

/// With what the deployed page is compared.
#[derive(Debug)]
pub(crate) enum Wanted {
    /// With what this program carries.
    Own(Manifest),
    /// With what was exported to be copied.
    Exported(Manifest),
}

impl Wanted {
    fn manifest(&self) -> &Manifest {
        match self {
            Self::Own(manifest) | Self::Exported(manifest) => manifest,
        }
    }
}

/// All that there is to be looked at, in this order. What lies about on the machine is looked for below `root` where the
/// target is this machine, or where one is named.
///
/// # Errors
///
/// Nothing answers at the target.
pub(crate) async fn look(
    target: &Target,
    wanted: &Wanted,
    root: Option<&Path>,
) -> Result<Vec<Check>, Trouble> {
    let asker = Asker::new(target.is_secure()).map_err(Trouble::failed)?;
    let page = asker.get(&target.below(""), &assets::AS_PAGE).await.map_err(|why| {
        Trouble::new(Exit::NoAnswer, format!("nothing answers at {}: {why}", target.origin()))
    })?;
    let mut checks = methods::checks(&asker, target).await;
    checks.extend(foreign::checks(&asker, target, &page).await);
    checks.extend(proxies::checks(&asker, target).await);
    checks.extend(ports::checks(target, ports::USUAL, &here::own_addresses(target, root)).await);
    checks.extend(assets::checks(&asker, target, wanted).await);
    checks.push(refusing::check(&asker, target, wanted).await);
    if target.is_here() || root.is_some() {
        checks.extend(here::checks(root.unwrap_or(Path::new("/"))));
    }
    Ok(checks)
}
