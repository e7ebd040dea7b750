//! How fast the library is, in one run with the peers that this machine has. It makes its own collection, prints figures,
//! and never fails for being slow.
//!
//! `cargo bench -p archy-content --bench speed`; with `-- scan` or `-- search` only that part; `-- keep DIR` keeps the collection in
//! DIR for a profiler.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::disallowed_methods,
    reason = "a program that prints figures"
)]

mod collection;
mod measure;
mod peers;
mod rows;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use archy_content::*;
use measure::{Used, milliseconds, used};

const TRACKS: usize = 5_000;
const MANY: usize = 100_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match arguments.first().map(String::as_str) {
        Some("--read-files") => serve_reader(&mut DirectReader).unwrap(),
        Some("--scan") => scan_once(Path::new(&arguments[1]), Path::new(&arguments[2])),
        Some("--bare") => bare(Path::new(&arguments[1])),
        Some("search") => search(),
        Some("scan") => scan(None),
        Some("keep") => scan(Some(PathBuf::from(&arguments[1]))),
        _ => {
            scan(None);
            search();
        }
    }
}

fn options() -> LibraryOptions {
    let program = std::env::current_exe().unwrap();
    LibraryOptions::new(move || {
        let mut command = Command::new(&program);
        command.arg("--read-files");
        Box::new(ChildReader::new(command))
    })
}

/// One scan in a process of its own, so that its processor time and memory are its own.
fn scan_once(music: &Path, index: &Path) {
    let begun = Instant::now();
    let library = Library::open(index, options()).unwrap();
    library.set_roots(&[music.to_path_buf()]).unwrap();
    let opened = begun.elapsed();
    let mut scan = ScanOptions::default();
    scan.settle = Duration::ZERO;
    let report = library.scan(&scan, &Stop::default(), &mut |_| ()).unwrap();
    println!("{} {} {}", begun.elapsed().as_micros(), opened.as_micros(), report.read);
}

/// The least that reading takes: files are listed and read in this process on two threads, and nothing is kept.
fn bare(music: &Path) {
    let begun = Instant::now();
    let files = collection::files(music);
    let read: usize = std::thread::scope(|scope| {
        let halves = files.chunks(files.len().div_ceil(2));
        let threads: Vec<_> = halves
            .map(|half| scope.spawn(|| half.iter().filter(|file| DirectReader.read(file).is_ok()).count()))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    println!("{} 0 {read}", begun.elapsed().as_micros());
}

fn scan(keep: Option<PathBuf>) {
    let directory = tempfile::tempdir().unwrap();
    let root = keep.unwrap_or_else(|| directory.path().to_path_buf());
    let music = root.join("music");
    if !music.exists() {
        collection::make(&music, TRACKS);
    }
    let index = root.join("index");
    println!("{TRACKS} tracks in {} albums, warm cache, best of 3", TRACKS / 10);
    let own = |arguments: &[&str]| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(arguments);
        used(command)
    };
    let (music_text, index_text) = (music.to_str().unwrap(), index.to_str().unwrap());
    let bare = best((0..3).map(|_| own(&["--bare", music_text])));
    print("bare reading loop, 2 threads", &bare, None);
    let first = best((0..3).map(|_| {
        let _ = std::fs::remove_dir_all(&index);
        own(&["--scan", music_text, index_text])
    }));
    print("first scan", &first, Some(&bare));
    let again = best((0..3).map(|_| own(&["--scan", music_text, index_text])));
    print("again, nothing changed", &again, Some(&bare));
    println!("  index: {} kB", measure::size(&index) / 1024);
    peers::run(&music, &root);
}

fn best(runs: impl Iterator<Item = Used>) -> Used {
    runs.min_by_key(|run| run.took).unwrap()
}

fn print(what: &str, run: &Used, bare: Option<&Used>) {
    let ratio = bare
        .map(|bare| {
            format!(
                ", {:.1} × bare in time, {:.1} × in CPU",
                ratio(run.took, bare.took),
                ratio(run.cpu, bare.cpu)
            )
        })
        .unwrap_or_default();
    println!(
        "  {what:<30} {:>8} wall {:>8} CPU, own peak {} MB, largest child {} MB{ratio}",
        milliseconds(run.took),
        milliseconds(run.cpu),
        run.peak >> 20,
        run.child_peak >> 20
    );
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64().max(1e-6)
}

/// A hundred thousand tracks that were never files.
fn search() {
    let directory = tempfile::tempdir().unwrap();
    let index = directory.path().join("index");
    rows::make(&index, directory.path(), MANY);
    println!("{MANY} tracks");
    let opens: Vec<Duration> = (0..20)
        .map(|_| {
            let begun = Instant::now();
            let library = Library::open(&index, options()).unwrap();
            drop(library.albums(&Page::first(1)).unwrap());
            begun.elapsed()
        })
        .collect();
    tell("open, and read one album", opens);
    let library = Library::open(&index, options()).unwrap();
    let queries = rows::queries();
    for round in ["first page of a search, cold", "first page of a search"] {
        let mut slowest: (Duration, String) = (Duration::ZERO, String::new());
        let times = queries
            .iter()
            .map(|words: &String| {
                let begun = Instant::now();
                library.search(&Search::words(words), 20).unwrap();
                let took = begun.elapsed();
                if took > slowest.0 {
                    slowest = (took, words.clone());
                }
                took
            })
            .collect();
        tell(round, times);
        println!("    slowest: {:?}, {}", slowest.1, milliseconds(slowest.0));
    }
    let slips: Vec<String> =
        queries.iter().filter(|words| words.len() > 8).map(|words| words.replacen('a', "ae", 1)).collect();
    let times = slips
        .iter()
        .map(|words| {
            let begun = Instant::now();
            library.search(&Search::words(words), 20).unwrap();
            begun.elapsed()
        })
        .collect();
    tell("the same with slips", times);
    println!(
        "  index: {} kB, own peak {} MB",
        measure::size(&index) / 1024,
        measure::peak(std::process::id()) >> 20
    );
}

fn tell(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: usize| milliseconds(times[(times.len() * part / 100).min(times.len() - 1)]);
    println!("  {what:<30} p50 {}, p99 {}, most {} of {}", at(50), at(99), at(100), times.len());
}
