//! A data directory whose apps end with the test.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use archy_node::apps::{AppsError, Status, Supervisor};
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_archy-node");

pub(crate) struct Node {
    pub(crate) data: TempDir,
    pub(crate) apps: Supervisor,
}

impl Node {
    pub(crate) fn fresh() -> Self {
        let data = tempfile::tempdir().unwrap();
        let apps = open(data.path());
        Self { data, apps }
    }

    /// A node with the app `app`, which is a script of `sh` in a manifest that ends with `more`.
    pub(crate) fn with_script(script: &str, more: &str) -> Self {
        let node = Self::fresh();
        node.manifest("app", &format!("command = [\"sh\", \"-c\", '''{script}''']\n{more}"));
        node
    }

    /// A node with the app `app`, which is running and, once it was asked to stop, ends only when there is a file `go`
    /// among the files.
    pub(crate) fn slow() -> Self {
        let node = Self::fresh();
        let go = node.data.path().join("files/go");
        let script = format!("trap 'echo asked' TERM\nwhile [ ! -e {} ]; do sleep 0.02; done", go.display());
        node.manifest(
            "app",
            &format!("command = [\"sh\", \"-c\", \"\"\"{script}\"\"\"]\nautostart = true\nstop_seconds = 60"),
        );
        node.does(&["grants", "open", "apps"]);
        node
    }

    pub(crate) fn manifest(&self, id: &str, rest: &str) {
        let text = format!("id = {id:?}\nname = {:?}\n{rest}\n", id.to_uppercase());
        fs::write(self.data.path().join(format!("apps/{id}.toml")), text).unwrap();
    }

    pub(crate) fn folder(&self, id: &str) -> PathBuf {
        self.data.path().join("apps/run").join(id)
    }

    pub(crate) fn status(&self, id: &str) -> Status {
        self.apps.apps().unwrap().into_iter().find(|app| app.id == id).unwrap().status
    }

    pub(crate) fn wait_for_line(&self, id: &str, wanted: &str) {
        wait_for(wanted, || self.apps.logs(id, 1000).unwrap().iter().any(|line| line.contains(wanted)));
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        for entry in fs::read_dir(self.data.path().join("apps/run")).into_iter().flatten().flatten() {
            let id = entry.file_name().into_string().unwrap();
            if let Err(error) = self.apps.stop(&id)
                && !matches!(error, AppsError::Unknown { .. } | AppsError::Broken { .. })
            {
                // A panic while the test panics would hide why.
                eprintln!("{id} may be left behind: {error}");
            }
        }
    }
}

pub(crate) fn open(data: &Path) -> Supervisor {
    Supervisor::open_with(data, Path::new(PROGRAM)).unwrap()
}

pub(crate) fn wait_for(what: &str, mut happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !happened() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process lives; a zombie does not.
pub(crate) fn lives(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit_once(')').unwrap().1.starts_with(" Z"))
}

/// What a server answers to `request`, all of it.
pub(crate) fn ask(port: u16, request: &[u8]) -> String {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).unwrap();
    connection.write_all(request).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}
