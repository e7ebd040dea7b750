//! The manifest: as it is written, and which texts are none.

use archy_web::{BadManifest, Manifest};
use serde_json::Value;

fn text() -> String {
    Manifest::of("/assistant/", "28a693a").unwrap().0.text()
}

/// Without what changes with every change of the page.
fn without_hashes(mut manifest: Value) -> Value {
    manifest["version"] = "…".into();
    for file in manifest["files"].as_array_mut().unwrap() {
        file["sha256"] = "…".into();
        let policy = file["headers"]["content-security-policy"].as_str().unwrap_or_default();
        if let Some((_, begin)) = policy.split_once("script-src 'sha256-") {
            let hash = &begin[..44];
            let policy = policy.replace(hash, "…");
            let (_, style) = policy.split_once("style-src 'sha256-").unwrap();
            file["headers"]["content-security-policy"] = policy.replace(&style[..44], "…").into();
        }
    }
    manifest
}

#[test]
fn it_says_of_each_file_where_it_is_served_and_how() {
    let mut manifest = without_hashes(serde_json::from_str(&text()).unwrap());
    let files = manifest["files"].as_array_mut().unwrap();
    // The parts are alike.
    files.truncate(3);
    insta::assert_json_snapshot!("manifest", manifest);
}

#[test]
fn what_is_written_is_read_and_nothing_else_is() {
    let (manifest, files) = Manifest::of("/assistant/", "28a693a").unwrap();
    assert_eq!(Manifest::read(&manifest.text()), Ok(manifest.clone()));
    assert!(std::iter::zip(manifest.files(), &files).all(|(listed, file)| listed.is(file.body.as_bytes())));
    assert_eq!(
        Manifest::read(&text().replace("\"format\": 1", "\"format\": 2, \"new\": true")),
        Err(BadManifest::Newer)
    );
    for (from, to) in [
        ("\"format\"", "\"form\""),
        ("\"/assistant/\"", "\"assistant\""),
        ("\"28a693a\"", "\"main\""),
        ("\"file\": \"main.js\"", "\"file\": \"../main.js\""),
        ("\"file\": \"main.js\"", "\"file\": \"/etc/passwd\""),
        ("\"file\": \"main.js\"", "\"file\": \"dom.js\""),
        ("\"kind\": \"frame\"", "\"kind\": \"other\""),
    ] {
        let changed = text().replace(from, to);
        assert_ne!(changed, text());
        let read = Manifest::read(&changed);
        assert!(matches!(read, Err(BadManifest::Unreadable(_))), "{to}: {read:?}");
    }
    let short = text().replace(&manifest.files()[0].sha256, "12");
    assert!(Manifest::read(&short).is_err());
}

#[test]
fn a_commit_has_seven_to_sixty_four_hexadecimal_digits() {
    for commit in ["28a693a", &"0".repeat(64)] {
        assert!(Manifest::of("/aiui/", commit).is_ok(), "{commit}");
    }
    for commit in ["", "28a693", &"0".repeat(65), "28A693A", "main-branch", "28a693a "] {
        assert_eq!(Manifest::of("/aiui/", commit), Err(BadManifest::Commit), "{commit}");
    }
    assert_eq!(Manifest::of("aiui", "28a693a"), Err(BadManifest::Base));
}
