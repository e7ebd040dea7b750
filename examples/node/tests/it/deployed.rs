//! A node that is served with one thing wrong at a time: `doctor URL` names it, and nothing else.

use std::fs;
use std::path::Path;
use std::process::Command;

use archy_web::{File, Kind};
use serde_json::{Value, json};

use crate::door::Served;
use crate::node::PROGRAM;
use crate::played::{Asked, Played, typed, whole};
use crate::served::{answer, file, header, refused, replies, result, right, site, wanted, with_sockets};
use crate::terminal::Ran;

/// Runs `doctor` on a machine without anything on it.
fn doctor(words: &[&str]) -> Ran {
    let empty = tempfile::tempdir().unwrap();
    let mut command = Command::new(PROGRAM);
    command.arg("doctor").args(words).arg("--root").arg(empty.path());
    Ran::of(&command.output().unwrap())
}

/// What is not well, by line, and the code; the URL is left out of the lines.
fn wrong(url: &str, words: &[&str]) -> (i32, Vec<String>) {
    let ran = doctor(&[&[url], words].concat());
    assert_eq!(ran.err, "");
    let lines = ran.out.lines().filter(|line| !line.starts_with("ok   "));
    (ran.code, lines.map(|line| line.replace(url, "URL").replace(PROGRAM, "archy-node")).collect())
}

/// A node whose answers are right where `bent` has none.
fn bent(bent: impl Fn(&Asked) -> Option<Vec<u8>> + Send + Sync + 'static) -> Played {
    Played::start(move |asked| bent(asked).unwrap_or_else(|| right(asked)))
}

/// Whether it is a call that a node dispatches, because it comes from its own page.
fn is_dispatched(asked: &Asked) -> bool {
    asked.line == "POST /rpc" && right(asked).starts_with(b"HTTP/1.1 200")
}

/// The only line that is not well begins with `says` and has something to do; the code is 1.
fn fails(node: &Played, says: &str) {
    let (code, lines) = wrong(&node.url(), &[]);
    assert_eq!((code, lines.len()), (1, 1), "{lines:#?}");
    assert!(lines[0].starts_with(&format!("FAIL {says}. To do: ")), "{lines:#?}");
}

#[test]
fn all_is_well_and_nothing_was_changed() {
    let node = bent(|_| None);
    let ran = doctor(&[&node.url(), "--json"]);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    let checks: Vec<_> = told["checks"].as_array().unwrap().iter().map(|check| &check["name"]).collect();
    let names = [
        "methods",
        "methods-batched",
        "methods-websocket",
        "foreign-host",
        "foreign-origin",
        "proxies",
        "ports",
        "assets",
        "frame-headers",
        "page-headers",
        "part-headers",
        "requests",
        "processes",
        "services",
        "web-server",
    ];
    assert_eq!((ran.code, checks), (0, names.map(Value::from).iter().collect()), "{}", ran.out);
    assert_eq!((&told["exit"], &told["base"]), (&json!("done"), &json!("/aiui/")));
    for asked in node.asked() {
        for name in ["authorization", "x-api-key", "cookie", "proxy-authorization"] {
            assert_eq!(header(&asked, name), None, "{}", asked.line);
        }
        for call in asked.body.as_array().unwrap_or(&vec![asked.body.clone()]) {
            if call["method"] == "assistant.chat" {
                assert_eq!(call["params"], json!({"text": ""}));
            }
        }
    }
}

#[test]
fn all_holds_at_the_node_that_this_program_serves() {
    let served = Served::start();
    assert_eq!(wrong(&format!("{}/aiui/", served.origin()), &[]), (0, vec![]));
}

#[test]
fn a_method_that_answers() {
    let one = |call: &Value| if call["method"] == "assistant.history" { result(call) } else { refused(call) };
    let node = bent(move |asked| {
        (is_dispatched(asked) && asked.body.is_object()).then(|| replies(&asked.body, one))
    });
    fails(&node, "answered without a session, one by one at URL/rpc: assistant.history");
    let node =
        bent(move |asked| (is_dispatched(asked) && asked.body.is_array()).then(|| replies(&asked.body, one)));
    fails(&node, "answered without a session, together at URL/rpc: assistant.history");
}

#[test]
fn a_method_that_answers_only_in_a_batch_that_is_short() {
    let node = bent(|asked| {
        let calls = asked.body.as_array().filter(|_| is_dispatched(asked))?;
        if calls.len() > 4 {
            return Some(whole(
                413,
                &json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32010, "message": "too many"}}),
            ));
        }
        Some(replies(&asked.body, |call| {
            if call["method"] == "rpc.discover" { result(call) } else { refused(call) }
        }))
    });
    fails(&node, "answered without a session, together at URL/rpc: rpc.discover");
}

#[test]
fn a_method_that_lets_in_and_minds_the_parameters_alone() {
    let node = bent(|asked| {
        let let_in = |call: &Value| {
            let mut reply = refused(call);
            if call["method"] == "assistant.chat" {
                reply["error"] = json!({"code": -32602, "message": "say something", "data": "bad-params"});
            }
            reply
        };
        (is_dispatched(asked) && asked.body.is_object()).then(|| replies(&asked.body, let_in))
    });
    fails(
        &node,
        "answered without a session, one by one at URL/rpc: assistant.chat (let in, and told: bad-params)",
    );
}

#[test]
fn a_method_that_answers_only_over_a_websocket() {
    let url = with_sockets(|call| if call["method"] == "music.list" { result(call) } else { refused(call) });
    let (code, lines) = wrong(&url, &[]);
    let begins = [
        "FAIL answered without a session, one by one over a WebSocket at URL/rpc: music.list. To do: ",
        "FAIL answered without a session, together over a WebSocket at URL/rpc: music.list. To do: ",
    ];
    assert_eq!((code, lines.len()), (1, 2), "{lines:#?}");
    assert!(std::iter::zip(&lines, begins).all(|(line, begin)| line.starts_with(begin)), "{lines:#?}");
    let url = with_sockets(refused);
    assert_eq!(wrong(&url, &[]), (0, vec![]));
}

#[test]
fn no_methods_at_that_path() {
    let node = bent(|_| None);
    let (code, lines) = wrong(&node.url(), &["--rpc", "/api/rpc"]);
    let expected = "FAIL no JSON-RPC seems to be at URL/api/rpc (404), so no method was looked at. To do: Where the node has its methods elsewhere: --rpc PATH";
    assert_eq!((code, lines), (1, vec![expected.to_owned()]));
}

#[test]
fn another_hosts_name_and_another_pages_request() {
    let node = bent(|asked| {
        let named = header(asked, "host") == Some("evil.example");
        named.then(|| wanted(asked).map_or_else(|| replies(&asked.body, refused), |wanted| file(&wanted)))
    });
    fails(&node, "served under another host's name (evil.example): the page URL/aiui/ and URL/rpc");
    // It is told as JSON-RPC tells everything, and is another answer than the page's own.
    let node = bent(|asked| {
        let foreign = asked.line == "POST /rpc" && !is_dispatched(asked);
        let forbidden = |call: &Value| json!({"jsonrpc": "2.0", "id": call["id"], "error": {"code": -32051, "message": "no"}});
        foreign.then(|| replies(&asked.body, forbidden))
    });
    assert_eq!(wrong(&node.url(), &[]), (0, vec![]));
    let node = bent(|asked| {
        let foreign = header(asked, "origin") == Some("https://evil.example") && asked.body.is_object();
        foreign.then(|| replies(&asked.body, refused))
    });
    fails(&node, "taken at URL/rpc: a request of Origin https://evil.example");
    // What the answer says is nothing, and a page of that origin may read it.
    let node = bent(|asked| {
        let allows = [("access-control-allow-origin", "*".to_owned())];
        (header(asked, "origin") == Some("null")).then(|| answer(403, &allows, ""))
    });
    fails(&node, "taken at URL/rpc: a request of Origin null");
    let node = bent(|asked| {
        let taken =
            header(asked, "origin") == Some("https://evil.example") && header(asked, "upgrade").is_some();
        let says = b"HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
        taken.then(|| says.to_vec())
    });
    fails(&node, "taken at URL/rpc: a WebSocket of Origin https://evil.example");
}

#[test]
fn a_proxy_to_a_model() {
    let node = bent(|asked| {
        let error = json!({"type": "invalid_request_error", "message": "model: Field required"});
        (asked.line == "POST /aiui/api/claude/v1/messages")
            .then(|| whole(400, &json!({"type": "error", "error": error, "request_id": "req_1"})))
    });
    fails(&node, "a model can be asked past the node: Anthropic answers at URL/aiui/api/claude/v1/messages");
    let node = bent(|asked| {
        (asked.line == "GET /aiui/api/ollama/").then(|| typed(200, "text/plain", "Ollama is running"))
    });
    fails(&node, "a model can be asked past the node: Ollama answers at URL/aiui/api/ollama/");
    let node =
        bent(|asked| asked.line.contains("/api/openrouter/").then(|| typed(502, "text/html", "Bad Gateway")));
    let (code, lines) = wrong(&node.url(), &[]);
    let begins =
        "warn something is handed on at URL/aiui/api/openrouter/, and does not answer now (502). To do: ";
    assert!(code == 0 && lines.len() == 1 && lines[0].starts_with(begins), "{lines:#?}");
}

#[test]
fn what_is_said_to_everything_is_no_proxy() {
    // The page of an application, and an API that asks everybody to log in.
    let app = bent(|asked| {
        let other = wanted(asked).is_none() && !asked.line.ends_with("/rpc") && !asked.line.contains('?');
        (other && header(asked, "host")? != "evil.example")
            .then(|| typed(200, "text/html", "<!doctype html><div id=app>"))
    });
    assert_eq!(wrong(&app.url(), &[]), (0, vec![]));
    let error = json!({"error": {"message": "Unauthorized", "code": 401}});
    let api = bent(move |asked| asked.line.contains(" /aiui/api/").then(|| whole(401, &error)));
    assert_eq!(wrong(&api.url(), &[]), (0, vec![]));
}

/// A file with something changed in it.
fn changed(asked: &Asked, path: &str, change: impl Fn(&mut File)) -> Option<Vec<u8>> {
    let mut wanted = wanted(asked).filter(|wanted| wanted.path == path)?;
    change(&mut wanted);
    // Only those who may have it.
    right(asked).starts_with(b"HTTP/1.1 200").then(|| file(&wanted))
}

#[test]
fn a_file_that_is_missing_or_stale_or_foreign() {
    let node = bent(|asked| match &*asked.line {
        "GET /aiui/main.js" => Some(answer(404, &[], "")),
        "GET /aiui/dom.js" => Some(typed(200, "text/html", "<!doctype html><div id=app>")),
        _ => None,
    });
    fails(&node, "missing: /aiui/dom.js (a web page comes in its place), /aiui/main.js (404)");
    let node = bent(|asked| changed(asked, "frame/", |file| file.body.to_mut().push(' ')));
    let stale = format!("stale, other than this program's ({}): /aiui/frame/", env!("CARGO_PKG_VERSION"));
    fails(&node, &stale);
    let node = bent(|asked| {
        let script = "<script src=\"https://evil.example/x.js\"></script><script src=extra.js></script>";
        changed(asked, "", |file| file.body.to_mut().push_str(script))
    });
    let (code, lines) = wrong(&node.url(), &[]);
    let version = env!("CARGO_PKG_VERSION");
    let begins = [
        format!("FAIL stale, other than this program's ({version}): /aiui/. To do: "),
        format!(
            "FAIL foreign, named by the page and not of this program's ({version}): https://evil.example/x.js, \
             URL/aiui/extra.js. To do: "
        ),
    ];
    assert_eq!((code, lines.len()), (1, 2), "{lines:#?}");
    assert!(std::iter::zip(&lines, begins).all(|(line, begin)| line.starts_with(&begin)), "{lines:#?}");
}

#[test]
fn a_header_that_is_weaker_or_missing() {
    fn set(file: &mut File, name: &str, value: Option<&str>) {
        let at = file.headers.iter().position(|(known, _)| *known == name).unwrap();
        match value {
            Some(value) => value.clone_into(&mut file.headers[at].1),
            None => drop(file.headers.remove(at)),
        }
    }
    let node = bent(|asked| {
        changed(asked, "frame/", |file| {
            let policy =
                file.headers.iter().find(|(name, _)| *name == "content-security-policy").unwrap().1.clone();
            let wider = policy.replace("sandbox allow-scripts", "sandbox allow-scripts allow-same-origin");
            set(file, "content-security-policy", Some(&wider));
            set(file, "connection-allowlist", None);
        })
    });
    fails(
        &node,
        "the headers of the frame are not the strict ones: connection-allowlist is missing; content-security-policy has \
         sandbox with allow-same-origin",
    );
    let node =
        bent(|asked| changed(asked, "", |file| set(file, "cross-origin-opener-policy", Some("unsafe-none"))));
    fails(
        &node,
        "the headers of the page are not the strict ones: cross-origin-opener-policy is unsafe-none and not same-origin",
    );
    let node = bent(|asked| changed(asked, "page.css", |file| set(file, "x-content-type-options", None)));
    fails(
        &node,
        "the headers of the scripts and styles are not the strict ones: page.css: x-content-type-options is missing",
    );
}

/// A web server that copies files, and cannot tell who asks.
fn copying(base: &'static str) -> Played {
    bent(move |asked| {
        if header(asked, "host") == Some("evil.example") {
            return None;
        }
        let path = asked.line.strip_prefix("GET ")?.strip_prefix(base)?.trim_end_matches("?a").to_owned();
        let site = archy_web::Site::new(site(asked).origin(), base).unwrap();
        site.file(&path).map(|wanted| file(&wanted))
    })
}

fn exported(base: &str) -> (tempfile::TempDir, String) {
    let place = tempfile::tempdir().unwrap();
    let mut command = Command::new(PROGRAM);
    command.args(["web", "export", "--base", base, "--commit", "0123abc"]).arg(place.path());
    assert!(command.output().unwrap().status.success());
    let manifest = place.path().join("manifest.json").to_str().unwrap().to_owned();
    (place, manifest)
}

#[test]
fn a_host_that_copies_files_cannot_tell_who_asks() {
    let node = copying("/aiui/");
    let given = "given: the frame to a request without Sec-Fetch-Dest: iframe; the frame to a tab of its own; the frame to \
                 one that navigates itself; the frame with a query; the page to a frame";
    fails(&node, given);
    let (_place, manifest) = exported("/aiui/");
    let (code, lines) = wrong(&node.url(), &["--manifest", &manifest]);
    assert!(
        code == 0 && lines.len() == 1 && lines[0].starts_with(&format!("warn {given}. To do: ")),
        "{lines:#?}"
    );
}

#[test]
fn what_is_live_is_compared_with_what_was_exported() {
    let (place, manifest) = exported("/aiui/");
    let mut listed: Value = serde_json::from_str(&fs::read_to_string(&manifest).unwrap()).unwrap();
    let node = bent(|asked| (asked.line == "GET /aiui/node.js").then(|| answer(404, &[], "")));
    // It was exported by another version: one script is another, one is new, and one is no more.
    let files = listed["files"].as_array_mut().unwrap();
    let at = |files: &[Value], path: &str| files.iter().position(|file| file["path"] == path).unwrap();
    let (main, dom) = (at(files, "main.js"), at(files, "dom.js"));
    files[main]["sha256"] = "0".repeat(64).into();
    let mut new = files[dom].clone();
    (new["path"], new["file"]) = ("new.js".into(), "new.js".into());
    files.push(new);
    let css = at(files, "page.css");
    files.remove(css);
    let other = place.path().join("other.json");
    fs::write(&other, listed.to_string()).unwrap();
    let (code, lines) = wrong(&node.url(), &["--manifest", other.to_str().unwrap()]);
    let whose = format!("the manifest's ({}, commit 0123abc)", env!("CARGO_PKG_VERSION"));
    let begins = [
        "FAIL missing: /aiui/node.js (404), /aiui/new.js (404). To do: Copy the exported files there again"
            .to_owned(),
        format!("FAIL stale, other than {whose}: /aiui/main.js. To do: "),
        format!("FAIL foreign, named by the page and not of {whose}: URL/aiui/page.css. To do: "),
    ];
    assert_eq!((code, lines.len()), (1, 3), "{lines:#?}");
    assert!(std::iter::zip(&lines, begins).all(|(line, begin)| line.starts_with(&begin)), "{lines:#?}");
}

#[test]
fn a_manifest_of_another_base() {
    let (_place, manifest) = exported("/assistant/");
    let node = copying("/assistant/");
    let (code, lines) = wrong(&node.url(), &["--manifest", &manifest]);
    let line = "FAIL the manifest is for a page below /assistant/, and the page that is looked at is below /aiui/. To do: ";
    assert!(code == 1 && lines[0].starts_with(line), "{lines:#?}");
    let (code, lines) = wrong(&node.url(), &["--manifest", &manifest, "--base", "/assistant/"]);
    assert!(code == 0 && lines.len() == 1 && lines[0].starts_with("warn given: "), "{lines:#?}");
}

#[test]
fn nothing_there_or_no_address() {
    let end = |words: &[&str]| {
        let ran = doctor(words);
        (ran.code, ran.err)
    };
    assert_eq!(
        end(&["http://127.0.0.1:1"]),
        (
            5,
            "archy-node: nothing answers at http://127.0.0.1:1: Connection refused (os error 111)\n"
                .to_owned()
        )
    );
    let plain = Played::start(|_| b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec());
    let (code, says) = end(&[&plain.url().replace("http:", "https:")]);
    let begins = format!(
        "archy-node: nothing answers at {}: there is no secure connection: ",
        plain.url().replace("http:", "https:")
    );
    assert!(
        code == 5 && says.starts_with(&begins) && says.ends_with("is it an http:// address?\n"),
        "{says}"
    );
    let (code, says) = end(&["ftp://node.local"]);
    assert!(code == 2 && says.starts_with("archy-node: the address of a node looks like "), "{says}");
    let (code, says) = end(&[]);
    assert!(code == 2 && says.contains("<URL>"), "{says}");
    let gone = Path::new("/nowhere/manifest.json").to_str().unwrap();
    let (code, says) = end(&["http://127.0.0.1:1", "--manifest", gone]);
    assert_eq!((code, &*says), (2, "archy-node: cannot read /nowhere/manifest.json: it is not there\n"));
    let elsewhere =
        Command::new(PROGRAM).args(["doctor", "http://127.0.0.1:1", "--root", "/nowhere"]).output().unwrap();
    let elsewhere = Ran::of(&elsewhere);
    assert_eq!((elsewhere.code, &*elsewhere.err), (2, "archy-node: /nowhere is no directory\n"));
    let help = doctor(&["--help"]);
    assert!(help.code == 0 && help.out.contains("doctor models") && help.out.contains("Usage: "), "{help:?}");
}

#[test]
fn kinds_are_what_a_manifest_calls_them() {
    let (_place, manifest) = exported("/aiui/");
    let listed: Value = serde_json::from_str(&fs::read_to_string(&manifest).unwrap()).unwrap();
    let kinds: Vec<Kind> = listed["files"]
        .as_array()
        .unwrap()
        .iter()
        .take(3)
        .map(|file| serde_json::from_value(file["kind"].clone()).unwrap())
        .collect();
    assert_eq!(kinds, [Kind::Page, Kind::Frame, Kind::Part]);
}
