//! The files that other projects test with: our reading of each is what was looked at and written down, and where
//! mutagen reads another thing, it is written down who is right.
//!
//! `ARCHY_CORPUS=write` writes both tables anew; what is new in the second one then has to be judged by a person.

#![allow(clippy::unwrap_used, reason = "a test may fail so, here too")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use archy_content::{ChildReader, FileReader, Place, Reading, Unreadable, is_audio_name};
use serde_json::Value;

use crate::sound;

const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");

type Readings = BTreeMap<String, (PathBuf, Result<Reading, Unreadable>)>;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus")
}

/// The folders of the packages, fetched where they are not there yet. Beside them may lie what an older list named, or
/// what was left of a fetch that was killed.
fn packages() -> Vec<PathBuf> {
    let fetched = Command::new("python3").arg("-B").arg(format!("{OWN}/fetch.py")).arg(corpus()).output();
    let fetched = fetched.expect("python3 fetches the corpus: install it");
    assert!(fetched.status.success(), "{}", String::from_utf8_lossy(&fetched.stderr));
    String::from_utf8(fetched.stdout).unwrap().lines().map(PathBuf::from).collect()
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// Our reading of every file, by its name below the packages, through a reader in its own process.
fn ours() -> &'static Readings {
    static READ: OnceLock<Readings> = OnceLock::new();
    READ.get_or_init(|| {
        let packages = packages();
        let corpus = packages[0].parent().unwrap();
        let mut files = Vec::new();
        for package in &packages {
            below(package, &mut files);
        }
        let mut found = BTreeMap::new();
        for file in files {
            let name = file.strip_prefix(corpus).unwrap().to_str().unwrap().to_owned();
            if is_audio_name(&file) {
                found.insert(name, file);
            } else if file.extension().is_some_and(|extension| extension == "id3") {
                // A tag alone, which needs something to be the tag of.
                let whole = corpus.with_file_name("corpus-made").join(&name).with_extension("id3.mp3");
                std::fs::create_dir_all(whole.parent().unwrap()).unwrap();
                std::fs::write(&whole, [std::fs::read(&file).unwrap(), sound::mpeg(20, 1)].concat()).unwrap();
                found.insert(name, whole);
            }
        }
        let paths: Vec<&Path> = found.values().map(PathBuf::as_path).collect();
        let names: Vec<&String> = found.keys().collect();
        let mut read = Readings::new();
        ChildReader::new(Command::new(env!("CARGO_BIN_EXE_archy-content-test-reader"))).read_all(
            &paths,
            &mut |place, reading| {
                read.insert(names[place].clone(), (paths[place].to_owned(), reading));
                ControlFlow::Continue(())
            },
        );
        read
    })
}

/// Without what is empty: the rest is what a person can look at.
fn pruned(value: Value) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Array(all) => {
            let all: Vec<Value> = all.into_iter().filter_map(pruned).collect();
            (!all.is_empty()).then_some(Value::Array(all))
        }
        Value::Object(all) => {
            let all: serde_json::Map<_, _> =
                all.into_iter().filter_map(|(key, value)| Some((key, pruned(value)?))).collect();
            (!all.is_empty()).then_some(Value::Object(all))
        }
        other => Some(other),
    }
}

fn line(reading: &Result<Reading, Unreadable>) -> String {
    match reading {
        Err(error) => serde_json::to_string(error).unwrap(),
        Ok(reading) => {
            let mut shown = reading.clone();
            let fingerprint =
                shown.fingerprint.take().map_or("none".to_owned(), |print| format!("{:032x}", print.0));
            let json = serde_json::from_str(&serde_json::to_string(&shown).unwrap()).unwrap();
            format!("{fingerprint} {}", pruned(json).unwrap_or_default())
        }
    }
}

fn is_to_write() -> bool {
    #[expect(clippy::disallowed_methods, reason = "a person asks for it")]
    std::env::var_os("ARCHY_CORPUS").is_some_and(|what| what == "write")
}

#[test]
fn each_file_is_read_as_it_was_looked_at() {
    let mut now = String::new();
    for (name, (_, reading)) in ours() {
        writeln!(now, "{name}\t{}", line(reading)).unwrap();
    }
    let table = format!("{OWN}/expected.tsv");
    if is_to_write() {
        std::fs::write(&table, &now).unwrap();
    }
    let then = std::fs::read_to_string(&table).unwrap();
    let changed: Vec<(&str, &str)> =
        then.lines().zip(now.lines()).filter(|(then, now)| then != now).collect();
    assert!(then == now, "{} of {} lines differ: {changed:#?}", changed.len(), now.lines().count());
}

/// The fields that both know, in our form.
fn fields(reading: &Reading) -> BTreeMap<&'static str, String> {
    let tags = &reading.tags;
    let place = |place: Place| {
        let number = |number: Option<u32>| number.map(|number| number.to_string());
        match (number(place.number), number(place.total)) {
            (None, None) => None,
            (one, None) => one,
            (one, Some(total)) => Some(format!("{}/{total}", one.unwrap_or_default())),
        }
    };
    let date = tags.date.map(|date| {
        let part = |part: Option<u8>| part.map(|part| format!("-{part:02}")).unwrap_or_default();
        format!("{:04}{}{}", date.year, part(date.month), part(date.day))
    });
    let genres = (!tags.genres.is_empty()).then(|| tags.genres.join(", "));
    let all = [
        ("title", tags.title.as_ref().map(|name| name.shown.clone())),
        ("artist", tags.artist_shown.clone()),
        ("album", tags.album.as_ref().map(|name| name.shown.clone())),
        ("albumartist", tags.album_artist_shown.clone()),
        ("track", place(tags.track)),
        ("disc", place(tags.disc)),
        ("genre", genres),
        ("date", date),
        ("ms", reading.audio.milliseconds.map(|long| long.to_string())),
        ("rate", reading.audio.rate.map(|rate| rate.to_string())),
        ("channels", reading.audio.channels.map(|channels| channels.to_string())),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// mutagen's words in our form: lists in one line, `3/0` and `03` as 3, no times after dates, no zeros for “unknown”.
fn theirs(value: &Value) -> BTreeMap<&'static str, String> {
    let names = [
        "title",
        "artist",
        "album",
        "albumartist",
        "track",
        "disc",
        "genre",
        "date",
        "ms",
        "rate",
        "channels",
    ];
    let mut fields = BTreeMap::new();
    for name in names {
        let Some(value) = value.get(name) else { continue };
        let values: Vec<String> = match value {
            Value::Array(all) => all.iter().map(|one| one.as_str().unwrap().trim().to_owned()).collect(),
            other => vec![other.to_string()],
        };
        let joined = match name {
            "title" | "album" => values[0].clone(),
            "date" => values[0].split(['T', ' ']).next().unwrap_or_default().replace(['.', '/'], "-"),
            "track" | "disc" => {
                let parts = values[0].split('/').map(|part| part.trim().trim_start_matches('0'));
                parts.collect::<Vec<_>>().join("/").trim_end_matches('/').to_owned()
            }
            _ => values.join(", "),
        };
        if !joined.is_empty() && joined != "0" {
            fields.insert(name, joined);
        }
    }
    fields
}

fn mutagen_reads() -> Vec<Value> {
    let mut program = Command::new("python3")
        .args(["-B", &format!("{OWN}/mutagen_reads.py")])
        .arg(corpus().join("mutagen-1.48.1"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs mutagen: install it");
    let mut names = String::new();
    for (path, _) in ours().values() {
        writeln!(names, "{}", path.display()).unwrap();
    }
    let mut to = program.stdin.take().unwrap();
    let asking = std::thread::spawn(move || to.write_all(names.as_bytes()));
    let said = program.wait_with_output().unwrap();
    asking.join().unwrap().unwrap();
    assert!(said.status.success());
    String::from_utf8(said.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every difference, as the first columns of the table of differences.
fn differences() -> Vec<String> {
    let said = mutagen_reads();
    assert_eq!(said.len(), ours().len());
    let mut rows = Vec::new();
    for ((name, (_, reading)), value) in ours().iter().zip(&said) {
        let refused = value.get("error").and_then(Value::as_str);
        let reading = match (reading, refused) {
            (Ok(reading), None) => reading,
            (Ok(_), Some(error)) => {
                rows.push(format!("| {name} | file | read | {error} |"));
                continue;
            }
            (Err(_), None) => {
                rows.push(format!("| {name} | file | not read | read |"));
                continue;
            }
            (Err(_), Some(_)) => continue,
        };
        let (mine, other) = (fields(reading), theirs(value));
        let mut all: Vec<_> = mine.keys().chain(other.keys()).collect();
        all.sort();
        all.dedup();
        for field in all {
            let (mine, other) = (mine.get(field), other.get(field));
            let near = |a: &String, b: &String| {
                let number = |text: &String| text.parse::<i64>().ok();
                *field == "ms" && number(a).zip(number(b)).is_some_and(|(a, b)| (a - b).abs() <= 60)
            };
            let same = match (mine, other) {
                // It knows no rate of Opus, and no channels of some.
                (Some(_), None) if ["rate", "channels"].contains(field) => true,
                (Some(mine), Some(other)) => mine == other || near(mine, other),
                _ => mine == other,
            };
            if !same {
                let shown = |value: Option<&String>| {
                    let text: String = value.map_or("–", String::as_str).chars().take(60).collect();
                    text.replace('|', "/").replace('\n', " ")
                };
                rows.push(format!("| {name} | {field} | {} | {} |", shown(mine), shown(other)));
            }
        }
    }
    rows
}

#[test]
fn each_difference_to_mutagen_is_judged() {
    let table = format!("{OWN}/differences.md");
    let text = std::fs::read_to_string(&table).unwrap();
    let (head, rows) = text.split_once("| --- | --- | --- | --- | --- |\n").unwrap();
    let judged: BTreeMap<&str, &str> =
        rows.lines().map(|row| row.trim_end_matches(" |").rsplit_once(" | ").unwrap()).collect();
    let known = |row: &str| judged.get(row.trim_end_matches(" |")).copied().unwrap_or("to be judged");
    let now = differences();
    if is_to_write() {
        let mut text = format!("{head}| --- | --- | --- | --- | --- |\n");
        for row in &now {
            writeln!(text, "{row} {} |", known(row)).unwrap();
        }
        std::fs::write(&table, text).unwrap();
    }
    let open: Vec<&String> = now.iter().filter(|row| known(row) == "to be judged").collect();
    let gone: Vec<&&str> = judged.keys().filter(|row| !now.contains(&format!("{row} |"))).collect();
    assert!(open.is_empty() && gone.is_empty(), "not judged: {open:#?}\nno difference any more: {gone:#?}");
}
