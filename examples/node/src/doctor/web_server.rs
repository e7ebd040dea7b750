//! Blocks in a web server's configuration that hand requests on to a model.

use std::collections::BTreeSet;
use std::path::Path;

use super::check::Check;
use super::root::Root;

/// Where web servers are configured. What lies in the folders of what is only available is not in force.
const FOLDERS: [&str; 3] = ["/etc/nginx", "/etc/caddy", "/etc/apache2"];
const NOT_IN_FORCE: [&str; 3] = ["sites-available", "conf-available", "mods-available"];
/// Deeper there is nothing.
const DEEPEST: usize = 6;

/// The paths below which models were handed on.
const PATHS: [&str; 3] = ["/api/claude", "/api/openrouter", "/api/ollama"];
/// Where they were handed on to.
const MODELS: [&str; 3] = ["api.anthropic.com", "openrouter.ai", "127.0.0.1:3142"];

pub(super) fn checks(root: &Root<'_>) -> Vec<Check> {
    let (mut found, mut unread) = (BTreeSet::new(), BTreeSet::new());
    for folder in FOLDERS {
        look(root, Path::new(folder), 0, &mut found, &mut unread);
    }
    let all = |found: &BTreeSet<String>| found.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let mut checks = vec![if found.is_empty() {
        Check::ok("web-server", "no web server is configured to hand requests on to a model")
    } else {
        Check::fail(
            "web-server",
            format!("requests are handed on to a model: {}", all(&found)),
            "Take the block out, let the web server read its configuration again, and replace the key that stood in it",
        )
    }];
    if !unread.is_empty() {
        let says = format!("could not be read: {}", all(&unread));
        checks.push(Check::warn("web-server", says, "Run it as root to have them looked at"));
    }
    checks
}

fn look(
    root: &Root<'_>,
    folder: &Path,
    depth: usize,
    found: &mut BTreeSet<String>,
    unread: &mut BTreeSet<String>,
) {
    for entry in root.list(folder) {
        if entry.is_folder {
            if depth < DEEPEST && !NOT_IN_FORCE.contains(&entry.name.as_str()) {
                look(root, &entry.path, depth + 1, found, unread);
            }
            continue;
        }
        match root.read(&entry.path) {
            Ok(text) => {
                let lines = handed_on(&text);
                found.extend(lines.map(|line| format!("{}:{line}", entry.path.display())));
            }
            Err(error) => {
                unread.insert(format!("{} ({error})", entry.path.display()));
            }
        }
    }
}

/// The numbers of the lines that begin such a block, or are one.
fn handed_on(text: &str) -> impl Iterator<Item = usize> {
    let lines: Vec<String> = text.lines().map(without_comment).collect();
    let found: Vec<usize> = (0..lines.len()).filter(|at| begins(&lines[*at..])).map(|at| at + 1).collect();
    found.into_iter()
}

fn without_comment(line: &str) -> String {
    let line = line.trim_start();
    let comment = if line.starts_with('#') { Some(0) } else { line.find(" #") };
    line[..comment.unwrap_or(line.len())].to_ascii_lowercase()
}

fn begins(lines: &[String]) -> bool {
    let Some(line) = lines.first() else { return false };
    // A header may allow a host, and hands nothing on.
    let is_header = ["add_header", "header", "more_set_headers"].iter().any(|word| line.starts_with(word));
    if !is_header && MODELS.iter().any(|model| line.contains(model)) {
        return true;
    }
    PATHS.iter().any(|path| line.contains(path)) && block(lines).iter().any(|line| hands_on(line))
}

/// The line itself, and the block that it opens.
fn block(lines: &[String]) -> &[String] {
    let mut open = 0_i32;
    for (at, line) in lines.iter().enumerate() {
        let is_tag = |begin: &str| line.starts_with(begin);
        for byte in line.bytes() {
            open += match byte {
                b'{' => 1,
                b'}' => -1,
                _ => 0,
            };
        }
        // Apache's blocks are tags.
        open += i32::from(is_tag("<l") || is_tag("<p")) - i32::from(is_tag("</l") || is_tag("</p"));
        let opens_below = at == 0 && lines.get(1).is_some_and(|next| next.starts_with('{'));
        if open <= 0 && !opens_below {
            return &lines[..=at];
        }
    }
    lines
}

fn hands_on(line: &str) -> bool {
    ["proxy", "fastcgi_pass", "uwsgi_pass", "grpc_pass"].iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_one_where_it_hands_on() {
        let none: [usize; 0] = [];
        for (text, lines) in [
            (
                "server {\n  location /aiui/api/claude/ {\n    proxy_pass http://127.0.0.1:9/;\n  }\n}",
                &[2][..],
            ),
            ("location /aiui/api/claude/\n{\n  proxy_pass http://x;\n}", &[1]),
            (
                "location /aiui/api/claude/ {\n  return 403;\n}\nlocation / {\n  proxy_pass http://x;\n}",
                &none,
            ),
            ("# location /aiui/api/claude/ { proxy_pass http://x; }", &none),
            ("proxy_pass https://api.anthropic.com/; # no", &[1]),
            ("proxy_pass https://x/; # once api.anthropic.com", &none),
            ("add_header Content-Security-Policy \"connect-src https://api.anthropic.com\";", &none),
            ("handle_path /aiui/api/ollama/* {\n\treverse_proxy 127.0.0.1:11434\n}", &[1]),
            ("reverse_proxy /aiui/api/ollama/* 127.0.0.1:11434", &[1]),
            ("ProxyPass \"/aiui/api/openrouter/\" \"https://example/\"", &[1]),
            (
                "<Location /aiui/api/claude/>\n  Require all denied\n</Location>\nProxyPass /rpc http://x",
                &none,
            ),
            ("<Location /aiui/api/claude/>\n  ProxyPass http://x/\n</Location>", &[1]),
            ("upstream models {\n  server 127.0.0.1:3142;\n}", &[2]),
        ] {
            assert_eq!(handed_on(text).collect::<Vec<_>>(), lines, "{text}");
        }
    }
}
