//! `web export`: whole files or none, the manifest last, and nobody else's directory is written to.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use archy_web::Manifest;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::node::{PROGRAM, wait_for};
use crate::terminal::Ran;

const COMMIT: &str = "28a693a0";

fn command(place: &Path, base: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["web", "export", "--base", base, "--commit", COMMIT]).arg(place);
    command
}

fn export(place: &Path, base: &str) -> Ran {
    Ran::of(&command(place, base).output().unwrap())
}

/// All files below a directory, by name.
fn files(place: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![place.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                let name = path.strip_prefix(place).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn manifest(place: &Path) -> Option<Manifest> {
    let text = fs::read_to_string(place.join("manifest.json")).ok()?;
    Some(Manifest::read(&text).unwrap())
}

/// Every file of the manifest is there and whole, and no other.
fn is_whole(place: &Path) {
    let (manifest, mut files) = (manifest(place).unwrap(), files(place));
    for listed in manifest.files() {
        assert!(listed.is(&files.remove(&listed.file).unwrap()), "{}", listed.file);
    }
    assert_eq!(files.keys().collect::<Vec<_>>(), ["manifest.json"]);
}

#[test]
fn a_new_directory_has_every_file_and_says_how_each_is_served() {
    let place = TempDir::new().unwrap();
    let dir = place.path().join("var/www");
    let ran = export(&dir, "/assistant/");
    let expected = format!(
        "Wrote 20 files and manifest.json to {0}, to be served below /assistant/ (version {1}, commit {COMMIT}).\nServe each with \
         the headers that stand there for it, then look: {PROGRAM} doctor URL --manifest {0}/manifest.json\n",
        dir.display(),
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(ran, Ran { code: 0, out: expected, err: String::new() });
    is_whole(&dir);
    let written = files(&dir);
    assert!(written.values().all(|bytes| !String::from_utf8_lossy(bytes).contains("/aiui/")));
    let manifest = manifest(&dir).unwrap();
    assert_eq!((manifest.base(), manifest.commit()), ("/assistant/", COMMIT));
    // With the origin put in, the headers are those under which a node serves it.
    let site = archy_web::Site::new("https://node.local", "/assistant/").unwrap();
    for (listed, file) in std::iter::zip(manifest.files(), site.files()) {
        let put = |(name, value): (&String, &String)| {
            (name.clone(), value.replace("{origin}", "https://node.local"))
        };
        let headers: BTreeMap<_, _> = listed.headers.iter().map(put).collect();
        let expected = file.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        assert_eq!((&*listed.path, listed.kind, headers), (file.path, file.kind, expected));
        assert!(listed.is(file.body.as_bytes()));
    }
}

#[test]
fn again_over_its_own_what_is_no_more_goes() {
    let place = TempDir::new().unwrap();
    let dir = place.path();
    assert_eq!(export(dir, "/aiui/").code, 0);
    // An earlier version had these, and its owner has something beside it.
    let mut old: Value = serde_json::from_slice(&fs::read(dir.join("manifest.json")).unwrap()).unwrap();
    let files = old["files"].as_array_mut().unwrap();
    for name in ["old.js", "gone.js", "parts/older.js"] {
        let mut file = files[2].clone();
        (file["path"], file["file"]) = (name.into(), name.into());
        files.push(file);
    }
    fs::write(dir.join("manifest.json"), old.to_string()).unwrap();
    fs::create_dir(dir.join("parts")).unwrap();
    for name in ["old.js", "parts/older.js", "main.js", "favicon.ico"] {
        fs::write(dir.join(name), "something").unwrap();
    }
    let mut again = command(dir, "/aiui/");
    let ran = Ran::of(&again.arg("--json").output().unwrap());
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &told["removed"]), (0, &json!(["old.js", "parts/older.js"])));
    assert_eq!((told["files"].as_array().unwrap().len(), &told["base"]), (20, &json!("/aiui/")));
    assert!(!dir.join("parts").exists());
    assert_eq!(fs::read_to_string(dir.join("favicon.ico")).unwrap(), "something");
    fs::remove_file(dir.join("favicon.ico")).unwrap();
    is_whole(dir);
}

#[test]
fn another_base_or_somebody_elses_directory_is_left_as_it_is() {
    let place = TempDir::new().unwrap();
    let dir = place.path();
    assert_eq!(export(dir, "/aiui/").code, 0);
    let before = files(dir);
    let ran = export(dir, "/other/");
    let says = format!(
        "archy-node: {} has the page for /aiui/, not for /other/; choose another directory\n",
        dir.display()
    );
    assert_eq!((ran.code, ran.err), (2, says));
    assert_eq!(files(dir), before);
    let theirs = TempDir::new().unwrap();
    let dir = theirs.path();
    fs::create_dir(dir.join("photos")).unwrap();
    fs::write(dir.join("photos/cat.jpg"), "cat").unwrap();
    fs::write(dir.join("index.html"), "mine").unwrap();
    let before = files(dir);
    let ran = export(dir, "/aiui/");
    let says = format!(
        "archy-node: {} has files that no export wrote (index.html), and is left alone; choose a new or an empty directory\n",
        dir.display()
    );
    assert_eq!((ran.code, ran.err), (2, says));
    assert_eq!(files(dir), before);
    // A manifest of something else, and one that leads out of its directory.
    for text in [
        "{\"name\": \"My app\", \"icons\": []}".to_owned(),
        fs::read_to_string(place.path().join("manifest.json"))
            .unwrap()
            .replace("\"main.js\"", "\"../main.js\""),
    ] {
        fs::write(dir.join("manifest.json"), &text).unwrap();
        let ran = export(dir, "/aiui/");
        assert!(ran.code == 2 && ran.err.contains("/manifest.json: not a manifest of the page: "), "{ran:?}");
    }
}

#[test]
fn what_cannot_be_meant_is_bad_input_and_writes_nothing() {
    let place = TempDir::new().unwrap();
    let dir = place.path().join("new");
    for (words, says) in [
        (&["--commit", COMMIT][..], "--base <PATH>"),
        (&["--base", "/aiui/"], "--commit <SHA>"),
        (&["--base", "aiui", "--commit", COMMIT], "a base path begins and ends with a slash"),
        (&["--base", "/a/../b/", "--commit", COMMIT], "a base path begins and ends with a slash"),
        (&["--base", "/aiui/", "--commit", "28a693"], "a commit has 7 to 64 of 0 to 9 and a to f"),
        (&["--base", "/aiui/", "--commit", "main-branch"], "a commit has 7 to 64 of 0 to 9 and a to f"),
    ] {
        let ran =
            Ran::of(&Command::new(PROGRAM).args(["web", "export"]).arg(&dir).args(words).output().unwrap());
        assert!(ran.code == 2 && ran.err.contains(says) && !dir.exists(), "{ran:?}");
    }
    fs::write(&dir, "a file").unwrap();
    let ran = export(&dir, "/aiui/");
    assert_eq!((ran.code, fs::read_to_string(&dir).unwrap()), (2, "a file".to_owned()), "{ran:?}");
}

#[test]
fn a_file_that_cannot_be_put_in_place_leaves_the_earlier_manifest() {
    let place = TempDir::new().unwrap();
    let dir = place.path();
    assert_eq!(export(dir, "/aiui/").code, 0);
    let old = fs::read(dir.join("manifest.json")).unwrap();
    fs::remove_file(dir.join("index.html")).unwrap();
    fs::create_dir_all(dir.join("index.html/in-the-way")).unwrap();
    let ran = export(dir, "/aiui/");
    assert!(ran.code == 2 && ran.err.starts_with("archy-node: cannot write index.html in "), "{ran:?}");
    assert_eq!(fs::read(dir.join("manifest.json")).unwrap(), old);
}

/// Killed as soon as so many files are there.
fn killed(dir: &Path, after: usize) {
    let quiet = Stdio::null;
    let mut child: Child = command(dir, "/aiui/").stdout(quiet()).stderr(quiet()).spawn().unwrap();
    wait_for("files", || {
        let there = fs::read_dir(dir).into_iter().flatten().count();
        there >= after || child.try_wait().unwrap().is_some()
    });
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn whenever_it_is_killed_a_manifest_has_all_its_files_and_it_can_be_run_again() {
    for after in 1..=12 {
        let place = TempDir::new().unwrap();
        let dir = place.path().join("new");
        killed(&dir, after);
        if manifest(&dir).is_some() {
            is_whole(&dir);
        }
        let ran = export(&dir, "/aiui/");
        assert_eq!(ran.code, 0, "{ran:?}");
        is_whole(&dir);
    }
}
