//! The work of the process that reads.

use std::io::{self, BufRead, BufReader};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use super::frames::{Request, frame, next_request};
use crate::{FileReader, PictureAt, Unreadable};

/// Address space: the program itself, one item at its largest, and its copies.
const MOST_MEMORY: u64 = 512 << 20;
/// Seconds of processor time between two waits for a request.
const MOST_SECONDS: u64 = 20;
/// Answers are gathered for this long, so that asking many files costs few wake-ups.
const GATHER: Duration = Duration::from_millis(20);
const GATHER_BYTES: usize = 16 << 10;

/// All that the program does which [`crate::ChildReader`] starts: it limits what this process may take, then answers
/// requests from its standard input on its standard output until the input ends, as it does when the asker dies.
/// To be called on the main thread of a process that does nothing else, with a [`crate::DirectReader`].
///
/// # Errors
///
/// When the asker is gone, or asks what no asker asks.
pub fn serve_reader(reader: &mut dyn FileReader) -> io::Result<()> {
    confine();
    answer(reader, &mut io::stdin().lock(), &mut io::stdout().lock())
}

/// Answers the requests that come in until there are no more, with whatever `reader` reads.
///
/// # Errors
///
/// When reading requests or writing answers fails, or a request is none.
pub(super) fn answer(
    reader: &mut dyn FileReader,
    input: &mut dyn io::Read,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let mut input = BufReader::with_capacity(64 << 10, input);
    let mut answers = Vec::new();
    let mut since = Instant::now();
    loop {
        if input.buffer().is_empty() {
            output.write_all(&answers)?;
            output.flush()?;
            answers.clear();
            if input.fill_buf()?.is_empty() {
                return Ok(());
            }
            more_time();
            since = Instant::now();
        }
        let Some(request) = next_request(&mut input)? else { return Ok(()) };
        match request {
            Request::Read(file) => {
                let json = serde_json::to_vec(&reader.read(&file)).map_err(io::Error::other)?;
                answers.extend(frame(&[&json]));
            }
            Request::Picture { file, index, most } => {
                match reader.picture(&file, usize::try_from(index).unwrap_or(usize::MAX), most) {
                    Ok(bytes) => answers.extend(frame(&[b"+", &bytes])),
                    Err(error) => answers.extend(frame(&[b"-", &refusal(&error)?])),
                }
            }
            Request::Thumbnail { file, index, side } => {
                let index = index.map(|index| usize::try_from(index).unwrap_or(usize::MAX));
                match reader.thumbnail(PictureAt { file: &file, index }, side) {
                    Ok(bytes) => answers.extend(frame(&[b"+", &bytes])),
                    Err(error) => answers.extend(frame(&[b"-", &refusal(&error)?])),
                }
            }
        }
        if answers.len() >= GATHER_BYTES || since.elapsed() >= GATHER {
            output.write_all(&answers)?;
            output.flush()?;
            answers.clear();
            since = Instant::now();
        }
    }
}

fn refusal(error: &Unreadable) -> io::Result<Vec<u8>> {
    serde_json::to_vec(error).map_err(io::Error::other)
}

/// What the system refuses to limit stays as it was: the asker ends a process that takes too long in any case.
fn confine() {
    let limits = [(Resource::As, MOST_MEMORY), (Resource::Core, 0), (Resource::Fsize, 0)];
    for (what, most) in limits {
        let hard = getrlimit(what).maximum;
        let most = hard.map_or(most, |hard| hard.min(most));
        let _ = setrlimit(what, Rlimit { current: Some(most), maximum: Some(most) });
    }
    // Whoever listens to music goes first.
    let _ = nice(10);
    // A panic is caught, and tells nobody anything that its answer does not.
    std::panic::set_hook(Box::new(|_| {}));
}

/// An orphan that never comes back from a file ends itself.
fn more_time() {
    let Ok(used) = u64::try_from(clock_gettime(ClockId::ProcessCPUTime).tv_sec) else { return };
    let limit = getrlimit(Resource::Cpu);
    let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(used + MOST_SECONDS), maximum: limit.maximum });
}
