//! The process that reads, for the tests: the real one, or with `--misbehave` one that does to files with certain
//! names what hostile files would do to it.

use std::io;
use std::path::Path;

use archy_content::{DirectReader, FileReader, Reading, Unreadable, serve_reader};

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
                let mut all = Vec::new();
                loop {
                    all.push(vec![1_u8; 64 << 20]);
                }
            }
            _ => self.0.read(file),
        }
    }

    fn picture(&mut self, file: &Path, index: usize, most: u64) -> Result<Vec<u8>, Unreadable> {
        self.0.picture(file, index, most)
    }
}

fn main() -> io::Result<()> {
    if std::env::args().any(|argument| argument == "--misbehave") {
        serve_reader(&mut Misbehaves(DirectReader))
    } else {
        serve_reader(&mut DirectReader)
    }
}
