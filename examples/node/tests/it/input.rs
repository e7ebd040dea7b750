//! What cannot be used: one clear sentence, a stable code, and the old data as they were.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use serde_json::json;

use crate::node::{Node, PROGRAM};
use crate::terminal::Ran;

/// The only line of what was said, without the program's name.
fn sentence(ran: &Ran) -> &str {
    let line = ran.err.strip_prefix("archy-node: ").unwrap_or_else(|| panic!("{ran:?}"));
    let line = line.strip_suffix('\n').unwrap_or_else(|| panic!("{ran:?}"));
    assert!(!line.contains('\n') && ran.out.is_empty(), "{ran:?}");
    line
}

#[test]
fn what_cannot_be_typed_is_bad_input() {
    let node = Node::fresh();
    let table: [&[&str]; 16] = [
        &[],
        &["--colour", "apps"],
        &["ask"],
        &["nonsense"],
        &["grants", "open", "everything"],
        &["grants", "close"],
        &["confirm", "x"],
        &["ask", "--no-model", "--model", "m", "x"],
        &["ask", "--own-network", "x"],
        &["ask", "--decide-within", "29", "x"],
        &["ask", "--decide-within", "301", "x"],
        &["ask", "--decide-within", "soon", "x"],
        &["audit", "--before", "x"],
        &["audit", "--most", "2", "verify"],
        &["audit", "export"],
        &["backup"],
    ];
    for words in table {
        let ran = node.run(words);
        assert_eq!(ran.code, 2, "{words:?}: {ran:?}");
        assert!(!ran.err.contains("panicked") && ran.out.is_empty(), "{ran:?}");
    }
    for words in table {
        let ran = node.run(&[&["--json"], words].concat());
        let told: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(
            (ran.code, &told["version"], &told["exit"]),
            (2, &json!(1), &json!("bad-input")),
            "{ran:?}"
        );
        assert!(told["error"].as_str().unwrap().starts_with("error: "), "{told}");
    }
    let words = [OsStr::new("ask"), OsStr::from_bytes(b"restart \xff\xfe")];
    for json in [None, Some(OsStr::new("--json"))] {
        let ran = Ran::of(&node.command(words.into_iter().chain(json)).output().unwrap());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains("invalid UTF-8"), "{ran:?}");
        assert_eq!(ran.out.lines().count(), json.into_iter().count(), "{ran:?}");
        assert_eq!(ran.out.contains("invalid UTF-8"), json.is_some(), "{ran:?}");
    }
    let ran = node.run(&["ask", "--colour", "--", "--json"]);
    assert_eq!((ran.code, &*ran.out), (2, ""), "what is said is no option");
    assert_eq!(node.run(&["--help"]).code, 0);
}

#[test]
fn what_is_too_long_or_unknown_is_bad_input() {
    let node = Node::fresh();
    node.does(&["grants"]);
    for (text, says) in [
        ("x".repeat(9000), "a message is 1 to 8192 bytes long"),
        ("x".repeat(100_000), "that is too long to be asked"),
        ("  ".to_owned(), "a message is 1 to 8192 bytes long"),
    ] {
        let ran = node.run(&["ask", "--no-model", &text]);
        assert_eq!((ran.code, sentence(&ran)), (2, says));
    }
    for (words, says) in [
        (&["history", "last"][..], "nothing was said yet"),
        (&["forget", "x"], &*format!("\"x\" is no conversation; see: {PROGRAM} history")),
        (&["forget", "00000000000000000000000000000000"], "there is no such conversation"),
        (
            &["confirm", "00000000000000000000000000000000"],
            &*format!("no such question waits; see: {PROGRAM} pending"),
        ),
    ] {
        let ran = node.run(words);
        assert_eq!((ran.code, sentence(&ran)), (2, says), "{words:?}");
    }
    let ran = node.run(&["history", "last", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(told, json!({"version": 1, "exit": "bad-input", "error": "nothing was said yet"}));
}

#[test]
fn what_is_no_url_is_told() {
    let node = Node::fresh();
    for url in ["ftp://x", "x", "", "http://", "http://me:secret@127.0.0.1"] {
        let ran = node.run(&["ask", "--ollama", url, "how much space is left?"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(sentence(&ran).starts_with(&format!("{url}: ")), "{ran:?}");
    }
}

#[test]
fn a_broken_settings_file_names_its_line_and_stays() {
    let node = Node::fresh();
    let path = node.data.path().join("settings.toml");
    let text = "# mine\ntheme = \"dark\"\nlog_level = \"loud\"\n";
    fs::write(&path, text).unwrap();
    let ran = node.run(&["ask", "--no-model", "how much space is left?"]);
    let says = format!(
        "{}, line 3: \"loud\" is no log_level; one of error, warn, info, debug, trace; correct it or move the file away",
        path.display()
    );
    assert_eq!((ran.code, sentence(&ran)), (2, &*says));
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    fs::write(&path, [0, 159, 146, 150]).unwrap();
    let ran = node.run(&["grants"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(fs::read(&path).unwrap(), [0, 159, 146, 150]);
}

#[test]
fn a_database_that_is_none_or_newer_or_cut_stays_as_it_is() {
    let node = Node::opened();
    let path = node.data.path().join("archy.db");
    assert!(!path.with_extension("db-wal").exists(), "the store was not closed");
    let good = fs::read(&path).unwrap();
    let mut newer = good.clone();
    // Where SQLite keeps the program's own version number.
    newer[60..64].copy_from_slice(&77_u32.to_be_bytes());
    let mut cut = good.clone();
    cut.truncate(good.len() / 2);
    for (bytes, says) in [
        (
            b"this is no database, but somebody's letter".repeat(100),
            "the store's file is damaged or no store",
        ),
        (newer, "a newer version (store format 77) wrote this store"),
        (cut, "the store's file is damaged or no store"),
    ] {
        fs::write(&path, &bytes).unwrap();
        let ran = node.run(&["grants"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(sentence(&ran).starts_with(&format!("{}: {says}", path.display())), "{ran:?}");
        assert!(fs::read(&path).unwrap() == bytes, "{says}: the file is another one now");
    }
    fs::write(&path, good).unwrap();
    assert_eq!(node.json(&["grants"])["open"], json!(["apps", "system", "files"]));
}

#[test]
fn a_directory_that_cannot_be_used_is_told() {
    let node = Node::fresh();
    let file = node.data.path().join("file");
    fs::write(&file, "in the way").unwrap();
    for (path, says) in [
        (file.join("data"), format!("cannot create {}/data: a file is in the way", file.display())),
        (file.clone(), format!("cannot create {}: a file is in the way", file.display())),
        ("/proc/archy".into(), "cannot create /proc/archy: it is not there".to_owned()),
    ] {
        let ran = Ran::of(
            &std::process::Command::new(PROGRAM)
                .args(["ask", "--no-model", "x", "--data"])
                .arg(path)
                .output()
                .unwrap(),
        );
        assert_eq!((ran.code, sentence(&ran)), (2, &*says));
    }
    assert_eq!(fs::read_to_string(file).unwrap(), "in the way");
}

#[test]
fn a_broken_manifest_is_told_and_the_rest_goes_on() {
    let node = Node::opened();
    node.manifest("broken", "command = 7");
    let told = node.run(&["apps"]);
    assert_eq!((told.code, told.out.contains("broken broken: ")), (2, true), "{}", told.out);
    let apps: serde_json::Value = serde_json::from_str(&node.run(&["apps", "--json"]).out).unwrap();
    let states: Vec<_> = apps["apps"].as_array().unwrap().iter().map(|app| app["state"].clone()).collect();
    assert_eq!(states, [json!("broken"), json!("running")]);
    assert_eq!(node.run(&["ask", "--no-model", "how is hello?"]).code, 0);
}

#[test]
fn a_set_of_cases_is_counted_or_told_where_it_is_wrong() {
    let node = Node::fresh();
    let (set, home) = (node.data.path().join("set.jsonl"), node.data.path().join("home.toml"));
    let run = |set: &str| {
        fs::write(node.data.path().join("set.jsonl"), set).unwrap();
        let words = ["cases", &node.data.path().join("set.jsonl").to_string_lossy(), "--json", "--node"]
            .map(str::to_owned);
        let home = node.data.path().join("home.toml").to_string_lossy().into_owned();
        node.run(&words.iter().map(|word| &**word).chain([&*home]).collect::<Vec<_>>())
    };
    fs::write(
        &home,
        "[[app]]\nid = \"bitcoind\"\nname = \"Bitcoin Core\"\n[[app]]\nid = \"immich\"\nname = \"Immich\"\n\
         [settings]\ntheme = \"light\"\n",
    )
    .unwrap();
    let ran = run(
        r#"{"id":"read-1","say":["how much space is left?"],"expect":[{"tool":"disk_status","args":{}}]}
        {"id":"write-1","say":["restart immich"],"expect":[{"tool":"app_restart","args":{"app":"Immich"}}]}
        {"id":"write-2","say":["restart bitcoind and stop immich"],"expect":[{"tool":"app_restart","args":{"app":"the Bitcoin Core"}},{"tool":"app_stop","args":{"app":"immich"}}]}
        {"id":"write-3","say":["make the theme dark"],"expect":"none"}
        {"id":"odd-1","say":["restart it"],"expect":"ask"}"#,
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let all = json!([report["cases"], report["exact"], report["wrong_writes"]]);
    assert_eq!(all, json!([5, 4, 1]), "{report}");
    assert_eq!(report["groups"]["write"], json!({"cases": 3, "exact": 2, "wrong_writes": 1}));
    let wrong = json!({
        "id": "write-3",
        "say": ["make the theme dark"],
        "expect": "none",
        "got": [{"tool": "setting_set", "args": {"key": "theme", "value": "dark"}}],
        "end": "answered",
        "exact": false,
        "wrong_write": true,
    });
    assert_eq!(report["rows"][3], wrong);
    let ran = run("\n{\"id\":\"a\"}\n");
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains(&format!("{}, line 2: ", set.display())), "{ran:?}");
    fs::write(&home, "[[app]]\nid = 7\n").unwrap();
    let ran = run(r#"{"id":"a","say":["x"],"expect":"none"}"#);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("the node's file, line 2: "), "{ran:?}");
}
