//! Services of systemd that are, or are given the key for, a second way to a model.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::check::Check;
use super::here::{KEYS, PROXY};
use super::root::Root;

/// Where units lie.
const FOLDERS: [&str; 4] = [
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
];

pub(super) fn checks(root: &Root<'_>) -> Vec<Check> {
    let (mut proxies, mut keyed, mut unread) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (unit, path) in units(root) {
        let text = match root.read(&path) {
            Ok(text) => text,
            Err(error) => {
                unread.insert(format!("{} ({error})", path.display()));
                continue;
            }
        };
        if unit.starts_with(PROXY) {
            proxies.insert(path.display().to_string());
        }
        for (name, value) in settings(&text) {
            match name {
                "Environment" => {
                    let keys = assigned(&value);
                    keyed.extend(keys.map(|key| format!("{key} in {}", path.display())));
                }
                "EnvironmentFile" => {
                    let file = value.trim_matches(['-', '"', ' ']);
                    match root.read(Path::new(file)) {
                        Ok(text) => keyed.extend(
                            text.lines().flat_map(assigned).map(|key| format!("{key} in {file}, for {unit}")),
                        ),
                        // One that is not there gives nothing.
                        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                        Err(error) => {
                            unread.insert(format!("{file} ({error})"));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let mut checks = Vec::new();
    let all = |found: &BTreeSet<String>| found.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    if !proxies.is_empty() {
        checks.push(Check::fail(
            "services",
            format!("a proxy to a model is set up: {}", all(&proxies)),
            format!("Remove it: systemctl disable --now {PROXY}; and replace the key that it had"),
        ));
    }
    if !keyed.is_empty() {
        checks.push(Check::fail(
            "services",
            format!("services are given keys of models: {}", all(&keyed)),
            "Take the line out, start the service again, and replace the key: the node has its own (archy-node secrets)",
        ));
    }
    if checks.is_empty() {
        checks.push(Check::ok(
            "services",
            "no service of systemd is a proxy to a model or is given a key of one",
        ));
    }
    if !unread.is_empty() {
        let says = format!("could not be read: {}", all(&unread));
        checks.push(Check::warn("services", says, "Run it as root to have them looked at"));
    }
    checks
}

/// All files of services, each with its service's name.
fn units(root: &Root<'_>) -> Vec<(String, PathBuf)> {
    let mut units = Vec::new();
    for entry in FOLDERS.into_iter().flat_map(|folder| root.list(Path::new(folder))) {
        if let Some(unit) = entry.name.strip_suffix(".d").filter(|_| entry.is_folder) {
            let parts = root.list(&entry.path).into_iter();
            let parts = parts.filter(|part| part.path.extension().is_some_and(|end| end == "conf"));
            units.extend(parts.map(|part| (unit.to_owned(), part.path)));
        } else if entry.path.extension().is_some_and(|end| end == "service") && !entry.is_folder {
            units.push((entry.name, entry.path));
        }
    }
    units
}

/// The settings of a unit; a line that ends with a backslash goes on.
fn settings(text: &str) -> Vec<(&str, String)> {
    let mut settings: Vec<(&str, String)> = Vec::new();
    let mut goes_on = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with(['#', ';']) {
            continue;
        }
        let (part, more) = line.strip_suffix('\\').map_or((line, false), |part| (part, true));
        match (goes_on, settings.last_mut(), part.split_once('=')) {
            (true, Some((_, value)), _) => *value = format!("{value} {part}"),
            (false, _, Some((name, value))) => settings.push((name.trim(), value.trim().to_owned())),
            _ => {}
        }
        goes_on = more;
    }
    settings
}

/// The keys that are given a value in a line of assignments.
fn assigned(line: &str) -> impl Iterator<Item = &'static str> {
    let line = line.trim().to_owned();
    let is_comment = line.starts_with('#');
    KEYS.into_iter().filter(move |key| {
        let has_value = |(start, _): (usize, &str)| {
            let before = line[..start].chars().next_back();
            let after = line[start + key.len()..].strip_prefix('=');
            before.is_none_or(|before| before.is_ascii_whitespace() || matches!(before, '"' | '\''))
                && after.is_some_and(|value| !value.trim_matches(['"', '\'', ' ']).is_empty())
        };
        !is_comment && line.match_indices(key).any(has_value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_each_form_of_assignment() {
        let none: [&str; 0] = [];
        for (line, keys) in [
            ("ANTHROPIC_API_KEY=sk", &["ANTHROPIC_API_KEY"][..]),
            ("export OPENROUTER_API_KEY='sk'", &["OPENROUTER_API_KEY"]),
            ("\"A=1\" \"ANTHROPIC_API_KEY=sk\" OPENROUTER_API_KEY=x", &KEYS),
            ("ANTHROPIC_API_KEY=", &none),
            ("ANTHROPIC_API_KEY=\"\"", &none),
            ("# ANTHROPIC_API_KEY=sk", &none),
            ("MY_ANTHROPIC_API_KEY=sk ANTHROPIC_API_KEY_FILE=/x", &none),
        ] {
            assert_eq!(assigned(line).collect::<Vec<_>>(), keys, "{line}");
        }
    }

    #[test]
    fn a_setting_may_go_on_over_lines() {
        let text = "[Service]\nEnvironment=\"A=1\" \\\n  # no\n  B=2\n; Environment=C=3\nEnvironmentFile = -/etc/x\nExecStart=/bin/x\n";
        let expected =
            [("Environment", "\"A=1\" B=2"), ("EnvironmentFile", "-/etc/x"), ("ExecStart", "/bin/x")];
        let found: Vec<_> = settings(text);
        assert_eq!(found, expected.map(|(name, value)| (name, value.to_owned())));
    }
}
