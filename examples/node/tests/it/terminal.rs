//! The program as a person or a script starts it: with a terminal, or without one.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::node::{Node, PROGRAM, wait_for};

impl Node {
    /// The program on this data directory; no model is looked for.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(words).arg("--data").arg(self.data.path()).stdin(Stdio::null());
        command
    }

    /// Runs it without a terminal.
    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        Ran::of(&self.command(words).output().unwrap())
    }

    /// Runs it without a terminal, and expects that all goes well.
    pub(crate) fn does(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!(ran.code, 0, "{words:?}: {ran:?}");
        ran.out
    }

    /// Runs it with `--json`, and expects that all goes well.
    pub(crate) fn json(&self, words: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.does(&[words, &["--json"]].concat())).unwrap()
    }

    /// Opens what the tests ask about, and starts the apps.
    pub(crate) fn opened() -> Self {
        let node = Self::fresh();
        node.does(&["grants", "open", "system", "apps", "files"]);
        node
    }

    /// Runs it at a terminal of its own.
    pub(crate) fn terminal(&self, words: &[&str]) -> Terminal {
        Terminal::start(self.command(words))
    }
}

/// A command that has ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

/// A command at a terminal.
pub(crate) struct Terminal {
    child: Child,
    keyboard: File,
    screen: Arc<Mutex<String>>,
    reading: Option<JoinHandle<()>>,
    /// What was waited for lies before this.
    seen: usize,
}

impl Terminal {
    fn start(command: Command) -> Self {
        Self::of_columns(command, 200)
    }

    /// Of so many columns.
    pub(crate) fn of_columns(mut command: Command, columns: usize) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let columns = columns.try_into().unwrap();
        tcsetwinsize(&master, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let open = || OpenOptions::new().read(true).write(true).open(Path::new(&name)).unwrap();
        let child = command.stdin(open()).stdout(open()).stderr(open()).spawn().unwrap();
        let keyboard = File::from(master);
        let (mut from, screen) = (keyboard.try_clone().unwrap(), Arc::new(Mutex::new(String::new())));
        let to = Arc::clone(&screen);
        let reading = std::thread::spawn(move || {
            let mut part = [0; 4096];
            // When nobody has the other end any more this is an error.
            while let Ok(length @ 1..) = from.read(&mut part) {
                to.lock().unwrap().push_str(&String::from_utf8_lossy(&part[..length]));
            }
        });
        Self { child, keyboard, screen, reading: Some(reading), seen: 0 }
    }

    /// Waits until `text` is on the screen, after what was waited for before.
    pub(crate) fn sees(&mut self, text: &str) {
        let (screen, seen) = (Arc::clone(&self.screen), self.seen);
        let found = || screen.lock().unwrap()[seen..].find(text).map(|at| seen + at + text.len());
        wait_for(&format!("{text:?} in {:?}", self.screen.lock().unwrap()), || found().is_some());
        self.seen = found().unwrap();
    }

    /// Types.
    pub(crate) fn types(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
    }

    /// Ctrl-C, as the terminal would send it to the command.
    pub(crate) fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end: the code, and everything that was on the screen.
    pub(crate) fn ends(mut self) -> (i32, String) {
        let mut code = None;
        wait_for("the command to end", || {
            code = self.child.try_wait().unwrap();
            code.is_some()
        });
        // Until everything that it wrote was read.
        self.reading.take().unwrap().join().unwrap();
        (code.unwrap().code().unwrap(), self.screen.lock().unwrap().replace('\r', ""))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It has ended already where the test went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
