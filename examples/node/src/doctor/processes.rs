//! Programs that run and are, or have, a second way to a model.

use std::collections::BTreeSet;
use std::path::Path;

use super::check::Check;
use super::here::{KEYS, PROXY};
use super::root::Root;

/// What runs programs that are files of text.
const RUNNERS: [&str; 10] =
    ["node", "nodejs", "python", "python3", "bun", "deno", "npm", "sh", "bash", "env"];

pub(super) fn checks(root: &Root<'_>) -> Vec<Check> {
    let own = std::process::id().to_string();
    let (mut proxies, mut keyed) = (BTreeSet::new(), BTreeSet::new());
    let (mut looked_at, mut unread) = (0, 0);
    for process in root.list(Path::new("/proc")) {
        if !process.is_folder
            || !process.name.bytes().all(|byte| byte.is_ascii_digit())
            || process.name == own
        {
            continue;
        }
        // A process may end meanwhile; what is the kernel's own has no command line.
        let Ok(command) = root.read(&process.path.join("cmdline")) else { continue };
        let Some(name) = program(&command) else { continue };
        let says = format!("{name} (process {})", process.name);
        looked_at += 1;
        if name.contains(PROXY) {
            proxies.insert(says.clone());
        }
        match root.read(&process.path.join("environ")) {
            Ok(environment) => keyed.extend(
                KEYS.into_iter().filter(|key| sets(&environment, key)).map(|key| format!("{key} of {says}")),
            ),
            Err(_) => unread += 1,
        }
    }
    let mut checks = Vec::new();
    if !proxies.is_empty() {
        checks.push(Check::fail(
            "processes",
            format!("a proxy to a model runs: {}", listed(&proxies)),
            "Stop it, remove it, and replace the key that it had: the node asks models itself",
        ));
    }
    if !keyed.is_empty() {
        checks.push(Check::fail(
            "processes",
            format!("there are keys of models in the environment of programs: {}", listed(&keyed)),
            "Take the key out of what starts the program, and replace it: a key of the node is set with archy-node secrets set",
        ));
    }
    if checks.is_empty() {
        let says = format!(
            "no proxy to a model runs, and no key of one is in an environment ({looked_at} programs)"
        );
        checks.push(Check::ok("processes", says));
    }
    if unread > 0 {
        let says = format!("the environment of {unread} of {looked_at} programs could not be read");
        checks.push(Check::warn("processes", says, "Run it as root to have them looked at"));
    }
    checks
}

fn listed(found: &BTreeSet<String>) -> String {
    found.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// The name of the program of a command line; of a text that something runs, the name of the text, or of the folder in which
/// the proxy lies. None for the kernel's own.
fn program(command: &str) -> Option<String> {
    let mut words = command.split('\0').filter(|word| !word.is_empty());
    let first = words.next()?;
    let name = first.rsplit('/').next().unwrap_or(first);
    let text = words.find(|word| !word.starts_with('-')).filter(|_| RUNNERS.contains(&name));
    let of_proxy = |path: &str| path.split('/').any(|part| part.starts_with(PROXY)).then(|| PROXY.to_owned());
    // Some programs write over their command line, and put all of it into one word.
    of_proxy(first).or_else(|| of_proxy(text?)).or_else(|| Some(name.split(' ').next()?.to_owned()))
}

/// Whether a key has a value there.
fn sets(environment: &str, key: &str) -> bool {
    let value = |line: &str| line.strip_prefix(key)?.strip_prefix('=').map(str::is_empty);
    environment.split('\0').filter_map(value).any(|is_empty| !is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_what_runs() {
        for (command, expected) in [
            ("/usr/bin/claude-api-proxy\0--port\x003142\0", Some("claude-api-proxy")),
            ("node\0/opt/claude-api-proxy/server.js\0", Some("claude-api-proxy")),
            ("/usr/bin/python3\0-u\0claude-api-proxy.py\0", Some("claude-api-proxy")),
            ("node\0server.js\0", Some("node")),
            ("vim\0claude-api-proxy.py\0", Some("vim")),
            ("nginx: worker process\0\0\0", Some("nginx:")),
            ("", None),
        ] {
            assert_eq!(program(command).as_deref(), expected, "{command:?}");
        }
    }
}
