//! What a host serves: every file, under the headers that hold it.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

mod manifest;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use archy_web::{BASE, BadSite, Kind, Site};

fn site() -> Site {
    Site::new("http://127.0.0.1:3180", BASE).unwrap()
}

#[test]
fn the_headers_are_the_measured_ones() {
    let shown = |path: &str| {
        let file = site().file(path).unwrap();
        let lines: Vec<_> = file.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        lines.join("\n")
    };
    insta::assert_snapshot!("page", shown(""));
    // The hashes change with the script and the style; that they fit is looked at below, and in a browser.
    let frame = shown("frame/");
    let hash = "'sha256-".len() + 44 + 1;
    let plain: Vec<_> = frame.split("'sha256-").map(str::to_owned).collect();
    assert_eq!(plain.len(), 3, "script and style have one hash each");
    let plain: String = std::iter::once(plain[0].clone())
        .chain(plain[1..].iter().map(|rest| format!("'sha256-…'{}", &rest[hash - "'sha256-".len()..])))
        .collect();
    insta::assert_snapshot!("frame", plain);
    insta::assert_snapshot!("part", shown("main.js"));
}

#[test]
fn the_hashes_are_those_of_what_stands_in_the_frame() {
    use base64::Engine as _;
    use sha2::Digest as _;
    let frame = site().file("frame/").unwrap();
    let policy = &frame.headers.iter().find(|(name, _)| *name == "content-security-policy").unwrap().1;
    for tag in ["script", "style"] {
        let (_, rest) = frame.body.split_once(&format!("<{tag}>")).unwrap();
        let (text, rest) = rest.split_once(&format!("</{tag}>")).unwrap();
        assert!(!rest.contains(&format!("<{tag}")), "there is one {tag}");
        let hash = base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(text.as_bytes()));
        assert!(policy.contains(&format!("{tag}-src 'sha256-{hash}';")), "{tag}: {policy}");
    }
}

#[test]
fn every_file_of_the_page_is_served_and_no_other() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    let there: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "index.html")
        .collect();
    let served: BTreeSet<String> = site()
        .files()
        .into_iter()
        .filter(|file| file.kind == Kind::Part)
        .map(|file| file.path.to_owned())
        .collect();
    assert_eq!(served, there);
}

#[test]
fn a_page_elsewhere_names_its_own_base_alone() {
    let site = Site::new("https://node.local", "/assistant/").unwrap();
    for file in site.files() {
        assert!(!file.body.contains(BASE), "{}", file.path);
        assert!(file.headers.iter().all(|(_, value)| !value.contains(BASE)), "{}", file.path);
    }
    assert!(site.file("").unwrap().body.contains("data-base=\"/assistant/\""));
    let policy = &site.file("").unwrap().headers[5].1;
    assert!(policy.contains("frame-src https://node.local/assistant/frame/;"), "{policy}");
}

#[test]
fn what_could_say_something_else_in_a_header_is_no_place() {
    for origin in [
        "",
        "node.local",
        "ftp://node.local",
        "http://",
        "http://node.local/",
        "http://node local",
        "http://node.local; script-src *",
        "http://NODE.local",
        "http://user@node.local",
        "http://*",
    ] {
        assert_eq!(Site::new(origin, BASE), Err(BadSite::Origin), "{origin:?}");
    }
    for base in ["", "/", "aiui/", "/aiui", "/a b/", "/a;b/", "//evil/", "/a/../", "/./", "/a'/", "/ä/"] {
        let site = Site::new("http://127.0.0.1:1", base);
        if base == "/" {
            assert!(site.is_ok(), "the page may be all that there is");
        } else {
            assert_eq!(site, Err(BadSite::Base), "{base:?}");
        }
    }
}
