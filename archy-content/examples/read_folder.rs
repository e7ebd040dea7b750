//! Reads every audio file below a folder, and says how fast: in this process, and through a process of its own.
//!
//! `cargo run --release -p archy-content --example read_folder -- FOLDER [--print]`

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use archy_content::{
    ChildReader, DirectReader, FileReader, Reading, Unreadable, is_audio_name, serve_reader,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, rest @ ..] = arguments.as_slice() else { return Err("which folder?".into()) };
    if folder == "--serve" {
        return Ok(serve_reader(&mut DirectReader)?);
    }
    let mut files = Vec::new();
    below(Path::new(folder), &mut files)?;
    files.sort();
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    if rest.iter().any(|argument| argument == "--print") {
        DirectReader.read_all(&files, &mut |place, reading| {
            println!("{}\t{reading:?}", files[place].display());
            ControlFlow::Continue(())
        });
        return Ok(());
    }
    for round in ["first", "again"] {
        report(&format!("direct, {round}"), &files, &mut [&mut DirectReader]);
        let mut own = [started()?, started()?];
        let [one, two] = &mut own;
        report(&format!("one process, {round}"), &files, &mut [one]);
        report(&format!("two processes, {round}"), &files, &mut [one, two]);
        println!(
            "most memory of a process: {:?} kB",
            own.map(|child| child.peak_memory().map(|bytes| bytes >> 10))
        );
    }
    Ok(())
}

fn started() -> std::io::Result<ChildReader> {
    let mut program = Command::new(std::env::current_exe()?);
    program.arg("--serve");
    Ok(ChildReader::new(program))
}

/// Shares the files out among the readers, each on a thread of its own.
fn report(how: &str, files: &[&Path], readers: &mut [&mut dyn FileReader]) {
    let begun = Instant::now();
    let share = files.len().div_ceil(readers.len()).max(1);
    let read: usize = std::thread::scope(|scope| {
        let shares = files.chunks(share).zip(readers).map(|(files, reader)| {
            scope.spawn(move || {
                let mut good = 0;
                let mut each = |_: usize, reading: Result<Reading, Unreadable>| {
                    good += usize::from(reading.is_ok());
                    ControlFlow::Continue(())
                };
                reader.read_all(files, &mut each);
                good
            })
        });
        let threads: Vec<_> = shares.collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(0)).sum()
    });
    let took = begun.elapsed();
    let each = took / u32::try_from(files.len().max(1)).unwrap_or(u32::MAX);
    println!("{how}: {read} of {} files in {took:.0?}, {each:.0?} each", files.len());
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            below(&path, files)?;
        } else if is_audio_name(&path) {
            files.push(path);
        }
    }
    Ok(())
}
