//! What nobody can be faster than, on this machine in this run.

use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

use crate::figure::{self, Samples};
use crate::house::App;

/// The medians.
pub(crate) struct Floors {
    /// Writing a page into a file and waiting until the disk has it.
    pub(crate) fsync: Duration,
    /// Reading the arguments of a call into its struct.
    pub(crate) parse: Duration,
    /// Starting an empty task on another thread's queue and waiting for it.
    pub(crate) spawn: Duration,
    /// The same on a thread that may block.
    pub(crate) blocking: Duration,
}

pub(crate) fn measure() -> Floors {
    let fsync = fsync();
    figure::time("floor: raw fsync of one written page", &fsync, "", None);
    let parse = Samples::of_many(300, 100, || {
        let app: App = serde_json::from_str(black_box(r#"{"app":"nextcloud"}"#)).expect("it is JSON");
        black_box(app);
    });
    figure::time("floor: bare serde_json of a call's arguments", &parse, "", None);
    let runtime = crate::daemon();
    let spawn = runtime.block_on(async {
        let mut samples = Samples::default();
        for _ in 0..2000 {
            let began = std::time::Instant::now();
            #[expect(clippy::disallowed_methods, reason = "this is the measure of a bare task")]
            tokio::spawn(async {}).await.expect("it does nothing");
            samples.add(began.elapsed());
        }
        samples
    });
    figure::time("floor: bare tokio spawn and join", &spawn, "", None);
    let blocking = runtime.block_on(async {
        let mut samples = Samples::default();
        for _ in 0..2000 {
            let began = std::time::Instant::now();
            tokio::task::spawn_blocking(|| {}).await.expect("it does nothing");
            samples.add(began.elapsed());
        }
        samples
    });
    figure::time("floor: bare tokio spawn_blocking and join", &blocking, "", None);
    Floors {
        fsync: fsync.median(),
        parse: parse.median(),
        spawn: spawn.median(),
        blocking: blocking.median(),
    }
}

fn fsync() -> Samples {
    let dir = crate::keeping::on_disk();
    let file = File::create(dir.path().join("raw")).expect("a file can be made");
    let mut place = 0;
    Samples::of(100, || {
        file.write_all_at(&[1; 4096], place).expect("there is room");
        file.sync_all().expect("the disk works");
        place += 4096;
    })
}
