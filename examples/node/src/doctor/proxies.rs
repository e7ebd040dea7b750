//! Whether a model can be asked past the node, by a path of its web server.

use archy_web::BASE;

use super::ask::{Asker, Said};
use super::check::Check;
use super::model_api::{ASKS, Known, ask, known};
use super::target::Target;

/// Below the base path.
const PATHS: [&str; 3] = ["api/claude/", "api/openrouter/", "api/ollama/"];
/// Nothing is there; what is said here is said of anything.
const NOWHERE: &str = "api/archy-doctor-looks/";

const REMEDY: &str = "Take this path out of the web server's configuration, and replace the key that stood behind it; the node \
                      asks models itself (archy-node models)";

pub(super) async fn checks(asker: &Asker, target: &Target) -> Vec<Check> {
    let mut bases = vec![BASE];
    if target.base() != BASE {
        bases.push(target.base());
    }
    let mut checks = Vec::new();
    for base in &bases {
        let mut nowhere = Vec::new();
        for (below, verb) in ASKS {
            nowhere.push(ask(asker, &target.at(&format!("{base}{NOWHERE}{below}")), verb).await);
        }
        for path in PATHS {
            checks.extend(path_check(asker, &target.at(&format!("{base}{path}")), &nowhere).await);
        }
    }
    if checks.is_empty() {
        let paths = bases.iter().flat_map(|base| PATHS.map(|path| format!("{base}{path}")));
        let paths = paths.collect::<Vec<_>>().join(", ");
        checks.push(Check::ok("proxies", format!("no model answers at {paths}")));
    }
    checks
}

async fn path_check(asker: &Asker, url: &str, nowhere: &[Option<Said>]) -> Option<Check> {
    let mut down = None;
    for ((below, verb), nowhere) in std::iter::zip(ASKS, nowhere) {
        let Some(said) = ask(asker, &format!("{url}{below}"), verb).await else { continue };
        let is_said_of_anything = nowhere
            .as_ref()
            .is_some_and(|nowhere| nowhere.status == said.status && nowhere.body == said.body);
        match known(&said) {
            Some(Known::Refuses(_)) if is_said_of_anything => {}
            Some(known) => {
                let says =
                    format!("a model can be asked past the node: {} answers at {url}{below}", known.name());
                return Some(Check::fail("proxies", says, REMEDY));
            }
            None if matches!(said.status, 502..=504) && !is_said_of_anything => down = Some(said.status),
            None => {}
        }
    }
    let says = |status| format!("something is handed on at {url}, and does not answer now ({status})");
    down.map(|status| Check::warn("proxies", says(status), REMEDY))
}
