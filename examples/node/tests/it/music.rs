//! The music library as a person uses it: a folder is scanned, things are found in it, and what is away is missing.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::node::{Node, wait_for};
use crate::terminal::Ran;

/// A second of silence with tags.
fn song(file: &Path, title: &str, album: &str, artist: &str) {
    let size = |bytes: usize| {
        let bytes = u32::try_from(bytes).unwrap();
        [bytes >> 21, bytes >> 14, bytes >> 7, bytes].map(|part| u8::try_from(part & 0x7f).unwrap())
    };
    let mut frames = Vec::new();
    for (name, text) in [("TIT2", title), ("TALB", album), ("TPE1", artist)] {
        frames.extend_from_slice(name.as_bytes());
        frames.extend(size(text.len() + 1));
        frames.extend([0, 0, 3]);
        frames.extend_from_slice(text.as_bytes());
    }
    let mut bytes = [&b"ID3\x04\0\0"[..], &size(frames.len()), &frames].concat();
    for place in 0..40_u8 {
        bytes.extend([0xff, 0xfb, 0x90, 0]);
        // Each song is another one by its bytes.
        bytes.extend(
            [place ^ title.bytes().fold(0, |sum, byte| sum ^ byte.rotate_left(u32::from(place))); 413],
        );
    }
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, bytes).unwrap();
}

/// A node beside a folder with two albums and a file that is none.
fn collection() -> (Node, tempfile::TempDir) {
    let (node, folder) = (Node::fresh(), tempfile::tempdir().unwrap());
    let at = |name: &str| folder.path().join(name);
    song(&at("Queen/Jazz/04.mp3"), "Bicycle Race", "Jazz", "Queen");
    song(&at("Queen/Jazz/12.mp3"), "Don’t Stop Me Now", "Jazz", "Queen");
    song(&at("Høyem/1.mp3"), "東京", "Größe", "Sivert Høyem");
    fs::write(at("Queen/Jazz/broken.flac"), b"this is no music at all, and long enough to be looked at")
        .unwrap();
    (node, folder)
}

fn scan(node: &Node, folder: &Path) -> Value {
    node.json(&["music", "scan", folder.to_str().unwrap()])["report"].clone()
}

fn titles(node: &Node, words: &str) -> Vec<String> {
    let found = node.json(&["music", "search", words]);
    let tracks = found["found"]["tracks"]["items"].as_array().unwrap().iter();
    tracks.map(|track| track["title"]["shown"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_folder_is_scanned_and_things_are_found_in_it() {
    let (node, folder) = collection();
    let report = scan(&node, folder.path());
    assert_eq!((&report["found"], &report["added"], &report["failed"]), (&4.into(), &4.into(), &1.into()));
    for (typed, title) in [
        ("bicycel", "Bicycle Race"),
        ("grosse", "東京"),
        ("京", "東京"),
        ("now stop dont", "Don’t Stop Me Now"),
    ] {
        assert_eq!(titles(&node, typed), [title], "{typed}");
    }
    let text = node.does(&["music", "search", "queen"]);
    assert!(text.starts_with("Artists\n  Queen  1 album  2 tracks  "), "{text}");
    let text = node.does(&["music", "album", "jazz"]);
    assert!(text.starts_with("Jazz · Queen\n") && text.contains("  Bicycle Race "), "{text}");
    assert_eq!(node.does(&["music", "search", "nothing like it"]), "Nothing was found.\n");
    let status = node.does(&["music", "status"]);
    assert!(
        status.contains("broken.flac: ") && status.contains("3 tracks on 2 albums by 2 artists"),
        "{status}"
    );
    let Ran { code, err, .. } = node.run(&["music", "album", "nonesuch"]);
    assert_eq!((code, &*err), (2, "archy-node: there is no album with the words “nonesuch”\n"));
}

#[test]
fn a_folder_that_moves_keeps_its_ids_and_one_that_is_away_is_missing() {
    let (node, folder) = collection();
    scan(&node, folder.path());
    let id = || node.json(&["music", "search", "bicycle"])["found"]["tracks"]["items"][0]["id"].clone();
    let before = id();
    fs::rename(folder.path().join("Queen"), folder.path().join("Königin")).unwrap();
    assert_eq!(scan(&node, folder.path())["moved"], 3);
    assert_eq!(id(), before);

    let away = folder.path().with_extension("away");
    fs::rename(folder.path(), &away).unwrap();
    let report = node.json(&["music", "scan"])["report"].clone();
    assert_eq!((&report["roots_away"], &report["missing"]), (&1.into(), &0.into()));
    let track = node.json(&["music", "search", "bicycle"])["found"]["tracks"]["items"][0].clone();
    assert_eq!((&track["id"], &track["availability"]["is"]), (&before, &"unknown".into()));
    fs::rename(&away, folder.path()).unwrap();
    assert_eq!(node.json(&["music", "scan"])["report"]["read"], 0);
    assert_eq!(id(), before);
}

#[test]
fn ctrl_c_ends_a_scan_and_the_next_one_goes_on() {
    let (node, folder) = collection();
    for number in 0..30 {
        song(&folder.path().join(format!("many/{number}.mp3")), &format!("No. {number}"), "Many", "Various");
    }
    let mut command = node.command(["music", "scan", "--rate", "4", folder.path().to_str().unwrap()]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = Pid::from_raw(child.id().cast_signed()).unwrap();
    let reads = || {
        let children =
            fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id())).unwrap_or_default();
        let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).into_iter().flatten().flatten();
        !children.is_empty()
            || tasks
                .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
                .any(|all| !all.is_empty())
    };
    wait_for("a process that reads", reads);
    kill_process(pid, Signal::INT).unwrap();
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{ran:?}");
    assert!(
        ran.err.ends_with("stopped; what was read stays, and the next scan goes on from there\n"),
        "{ran:?}"
    );
    assert_eq!(scan(&node, folder.path())["found"], 34);
    assert_eq!(titles(&node, "bicycle"), ["Bicycle Race"]);
}

#[test]
fn what_cannot_be_done_is_said() {
    let (node, folder) = collection();
    let Ran { code, err, .. } = node.run(&["music", "scan", "/nowhere/at/all"]);
    assert_eq!((code, &*err), (2, "archy-node: cannot read /nowhere/at/all: it is not there\n"));
    scan(&node, &folder.path().join("Queen"));
    let Ran { code, err, .. } = node.run(&["music", "scan", folder.path().to_str().unwrap()]);
    assert!(code == 2 && err.contains("which is in the library already"), "{err}");
    let Ran { code, err, .. } = node.run(&["music", "search", "--years", "soon"]);
    assert!(code == 2 && err.contains("a year is a number"), "{err}");
}
