//! What is said of requests, to standard error: never a token, a cookie, a query or what was said.

use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Begins to say it; each request where `verbose`.
pub(crate) fn log(verbose: bool) {
    let level = if verbose { LevelFilter::DEBUG } else { LevelFilter::INFO };
    // Of this program alone: what libraries say may hold whole requests.
    let ours = Targets::new().with_target("archy_node", level);
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_target(false).with_ansi(false);
    // Where something listens already, as in a test, that goes on.
    let _ = tracing_subscriber::registry().with(ours).with(lines).try_init();
}
