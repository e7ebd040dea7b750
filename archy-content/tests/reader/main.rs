//! The process that reads, for the tests: the real one; with `--tight` one that dies of any larger piece of memory than
//! a file may ask for; with `--misbehave` one that does to files with certain names what hostile files would do to it.

use std::io;
use std::path::Path;

use archy_content::{DirectReader, FileReader, Reading, Unreadable, serve_reader};
use rustix::process::{Resource, Rlimit, setrlimit};

struct Misbehaves(DirectReader);

impl FileReader for Misbehaves {
    fn read(&mut self, file: &Path) -> Result<Reading, Unreadable> {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match name.split('-').next() {
            Some("die") => std::process::abort(),
            Some("leave") => std::process::exit(0),
            Some("work") => loop {
                std::hint::spin_loop();
            },
            Some("wait") => loop {
                std::thread::park();
            },
            Some("grow") => {
                let all = std::hint::black_box(vec![0_u8; 1 << 30]);
                Err(Unreadable::NotGiven { says: format!("there was room for {}", all.len()) })
            }
            _ => self.0.read(file),
        }
    }

    fn picture(&mut self, file: &Path, index: usize, most: u64) -> Result<Vec<u8>, Unreadable> {
        self.0.picture(file, index, most)
    }
}

/// What the process has now, and 64 MiB.
fn tighten() -> io::Result<()> {
    let pages = std::fs::read_to_string("/proc/self/statm")?;
    let pages: u64 = pages.split(' ').next().and_then(|pages| pages.parse().ok()).unwrap_or_default();
    let most = Some(pages * rustix::param::page_size() as u64 + (64 << 20));
    Ok(setrlimit(Resource::As, Rlimit { current: most, maximum: most })?)
}

fn main() -> io::Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("--misbehave") => serve_reader(&mut Misbehaves(DirectReader)),
        Some("--tight") => {
            tighten()?;
            serve_reader(&mut DirectReader)
        }
        _ => serve_reader(&mut DirectReader),
    }
}
