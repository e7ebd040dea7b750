//! What lies about on a node, in a machine that was made up.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::node::PROGRAM;
use crate::played::Played;
use crate::served::right;
use crate::terminal::Ran;

const KEY: &str = "sk-ant-canary-41";

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn process(root: &Path, pid: u32, command: &str, environment: &str) {
    write(root, &format!("proc/{pid}/cmdline"), command);
    write(root, &format!("proc/{pid}/environ"), environment);
}

/// The last three checks and more, of a node that is right.
fn looked(root: &Path) -> (i32, Vec<String>) {
    let node = Played::start(right);
    let mut command = Command::new(PROGRAM);
    command.args(["doctor", &node.url(), "--root"]).arg(root);
    let ran = Ran::of(&command.output().unwrap());
    assert!(!ran.out.contains(KEY) && ran.err.is_empty(), "{ran:?}");
    (ran.code, ran.out.lines().skip(12).map(str::to_owned).collect())
}

#[test]
fn nothing_lies_about() {
    let root = TempDir::new().unwrap();
    let at = root.path();
    process(at, 1, "/sbin/init\0", "PATH=/bin\0ANTHROPIC_API_KEY=\0");
    process(at, 2, "", "");
    // A unit that is masked.
    fs::create_dir_all(at.join("dev")).unwrap();
    UnixListener::bind(at.join("dev/null")).unwrap();
    write(at, "etc/systemd/system/readme", "");
    symlink("/dev/null", at.join("etc/systemd/system/masked.service")).unwrap();
    process(at, 50, "vim\0claude-api-proxy.md\0", "HOME=/root\0");
    write(at, "proc/net/dev", "");
    write(
        at,
        "etc/systemd/system/app.service",
        "[Service]\nExecStart=/bin/app\nEnvironmentFile=-/etc/gone\n",
    );
    write(
        at,
        "etc/nginx/nginx.conf",
        "location /aiui/api/claude/ { return 404; }\nlocation /rpc { proxy_pass http://x; }\n",
    );
    write(
        at,
        "etc/nginx/sites-available/old",
        "location /aiui/api/claude/ { proxy_pass https://api.anthropic.com; }\n",
    );
    let expected = [
        "ok   no proxy to a model runs, and no key of one is in an environment (2 programs)",
        "ok   no service of systemd is a proxy to a model or is given a key of one",
        "ok   no web server is configured to hand requests on to a model",
    ];
    assert_eq!(looked(at), (0, expected.map(str::to_owned).to_vec()));
}

#[test]
fn everything_lies_about_and_no_key_is_said() {
    let root = TempDir::new().unwrap();
    let at = root.path();
    process(at, 7, "node\0/opt/claude-api-proxy/server.js\0", &format!("ANTHROPIC_API_KEY={KEY}\0"));
    process(at, 8, "/usr/bin/notes\0", &format!("A=1\0OPENROUTER_API_KEY={KEY}\0"));
    write(at, "proc/9/cmdline", "/usr/bin/closed\0");
    // A test may be root's, who may read everything; nobody reads a folder.
    fs::create_dir(at.join("proc/9/environ")).unwrap();
    write(at, "usr/lib/systemd/system/claude-api-proxy.service", "[Service]\nExecStart=/opt/x\n");
    write(
        at,
        "etc/systemd/system/notes.service.d/key.conf",
        &format!("[Service]\nEnvironment=\"ANTHROPIC_API_KEY={KEY}\"\n"),
    );
    write(at, "etc/systemd/system/web.service", "[Service]\nEnvironmentFile=/etc/default/web\n");
    write(at, "etc/default/web", &format!("# keys\nexport OPENROUTER_API_KEY='{KEY}'\n"));
    write(
        at,
        "srv/site",
        "server {\n  location /aiui/api/claude/ {\n    proxy_pass http://127.0.0.1:9;\n  }\n}\n",
    );
    fs::create_dir_all(at.join("etc/nginx/sites-enabled")).unwrap();
    symlink("/srv/site", at.join("etc/nginx/sites-enabled/node")).unwrap();
    write(at, "etc/caddy/Caddyfile", "reverse_proxy /x/* https://api.anthropic.com\n");
    let (code, lines) = looked(at);
    let begins = [
        "FAIL a proxy to a model runs: claude-api-proxy (process 7). To do: ",
        "FAIL there are keys of models in the environment of programs: ANTHROPIC_API_KEY of claude-api-proxy (process 7), \
         OPENROUTER_API_KEY of notes (process 8). To do: ",
        "warn the environment of 1 of 3 programs could not be read. To do: Run it as root",
        "FAIL a proxy to a model is set up: /usr/lib/systemd/system/claude-api-proxy.service. To do: ",
        "FAIL services are given keys of models: ANTHROPIC_API_KEY in /etc/systemd/system/notes.service.d/key.conf, \
         OPENROUTER_API_KEY in /etc/default/web, for web.service. To do: ",
        "FAIL requests are handed on to a model: /etc/caddy/Caddyfile:1, /etc/nginx/sites-enabled/node:2. To do: ",
    ];
    assert_eq!((code, lines.len()), (1, begins.len()), "{lines:#?}");
    for (line, begin) in std::iter::zip(&lines, begins) {
        assert!(line.starts_with(begin), "{line}\n{begin}");
    }
}

#[test]
fn a_link_leads_within_the_machine() {
    let root = TempDir::new().unwrap();
    let at = root.path();
    for (from, to) in [("etc/nginx", "/../../etc"), ("etc/caddy", "/etc/caddy"), ("proc", "/proc")] {
        let link = at.join(from);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(to, link).unwrap();
    }
    let (code, lines) = looked(at);
    assert_eq!(code, 0, "{lines:#?}");
    assert!(lines[0].ends_with("(0 programs)"), "{lines:#?}");
}
