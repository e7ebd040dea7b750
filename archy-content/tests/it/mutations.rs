//! A hundred thousand damaged audio files, the same ones each time, through one reader per core that none of them ends.
//!
//! `ARCHY_MUTATIONS=10000000 cargo test -p archy-content --release mutations` damages more.

#![allow(clippy::unwrap_used, reason = "a test may fail so, here too")]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use archy_content::{ChildReader, FileReader, Unreadable};

use crate::sound;

const MANY: usize = 100_000;
const BATCH: usize = 100;
const MOST_MEMORY: u64 = 64 << 20;

/// Marsaglia's xorshift: the same numbers everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most.max(1) as u64).unwrap()
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }
}

/// Damages a file at one to eight places: more often near its beginning, where the sizes are.
fn damage(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    for _ in 0..=numbers.below(8) {
        let long = bytes.len();
        if long < 8 {
            return;
        }
        let at = if numbers.below(3) == 0 { numbers.below(long) } else { numbers.below(long.min(300)) };
        match numbers.below(8) {
            0 => bytes[at] ^= 1 << numbers.below(8),
            1 => bytes[at] = numbers.byte(),
            2 => bytes[at] = [0, 255, 127, 128, 1][numbers.below(5)],
            3 => {
                let end = (at + 4).min(long);
                bytes[at..end].fill([0, 255][numbers.below(2)]);
            }
            4 if numbers.below(4) == 0 => bytes.truncate(at),
            4 | 5 => {
                let end = (at + 1 + numbers.below(48)).min(long);
                let piece = bytes[at..end].to_vec();
                let to = numbers.below(long);
                bytes.splice(to..to, piece);
            }
            6 => {
                let end = (at + 1 + numbers.below(16)).min(long);
                bytes.drain(at..end);
            }
            _ => {
                let to = numbers.below(long - 3);
                let number = [0_u32, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX, 0x00ff_ffff][numbers.below(6)];
                bytes[to..to + 4].copy_from_slice(&number.to_be_bytes());
            }
        }
    }
}

/// What one reader saw.
#[derive(Debug, Default)]
struct Seen {
    read: usize,
    refused: usize,
    slowest: Duration,
    /// What ended the reader or held it: the numbers of the files.
    hostile: Vec<(usize, String)>,
    most_memory: u64,
}

fn read_damaged(files: std::ops::Range<usize>) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_archy-content-test-reader"));
    // It dies of a larger allocation, and of all of them together.
    program.arg("--tight");
    let mut reader = ChildReader::new(program);
    let kinds = sound::each_kind();
    let mut seen = Seen::default();
    let paths: Vec<_> = (0..BATCH)
        .map(|place| folder.path().join(format!("{place}-{}", kinds[place % kinds.len()].0)))
        .collect();
    let mut next = files.start;
    while next < files.end {
        let batch = next..files.end.min(next + BATCH);
        for number in batch.clone() {
            // Each file of its own seed: a number alone makes it again.
            let mut numbers =
                Numbers(0x9e37_79b9_7f4a_7c15 ^ (number as u64 + 1).wrapping_mul(0xd129_0d3b_2b3f_6d4b));
            let place = number - batch.start;
            let mut bytes = kinds[place % kinds.len()].1.clone();
            damage(&mut bytes, &mut numbers);
            std::fs::write(&paths[place], bytes).unwrap();
        }
        let asked: Vec<&Path> = paths[..batch.len()].iter().map(PathBuf::as_path).collect();
        let mut since = Instant::now();
        reader.read_all(&asked, &mut |place, reading| {
            seen.slowest = seen.slowest.max(since.elapsed());
            since = Instant::now();
            match reading {
                Ok(_) => seen.read += 1,
                // Its chapters were too deep: that is said before anything reads it.
                Err(Unreadable::Hostile { says }) if !says.contains("chapters") => {
                    seen.hostile.push((batch.start + place, says));
                }
                Err(_) => seen.refused += 1,
            }
            ControlFlow::Continue(())
        });
        seen.most_memory = seen.most_memory.max(reader.peak_memory().unwrap_or_default());
        next = batch.end;
    }
    seen
}

#[test]
fn no_damaged_file_ends_a_reader_holds_it_or_takes_its_memory() {
    #[expect(clippy::disallowed_methods, reason = "how many is the caller's choice")]
    let many = std::env::var("ARCHY_MUTATIONS").ok().map_or(MANY, |many| many.parse().unwrap());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let share = many.div_ceil(workers);
    let seen: Vec<Seen> = std::thread::scope(|scope| {
        let starts = (0..many).step_by(share);
        let threads: Vec<_> =
            starts.map(|start| scope.spawn(move || read_damaged(start..many.min(start + share)))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    println!("{seen:#?}");
    let read: usize = seen.iter().map(|seen| seen.read).sum();
    let refused: usize = seen.iter().map(|seen| seen.refused).sum();
    let hostile: Vec<_> = seen.iter().flat_map(|seen| &seen.hostile).collect();
    assert!(hostile.is_empty(), "{hostile:?}");
    assert_eq!(read + refused, many);
    // Most damage leaves something to read, and some leaves nothing: else the damage shows nothing.
    assert!(read * 2 > many && refused * 50 > many, "{read} read, {refused} refused");
    let most = seen.iter().map(|seen| seen.most_memory).max();
    assert!(most.is_some_and(|most| most > 0 && most <= MOST_MEMORY), "{most:?} bytes");
}
