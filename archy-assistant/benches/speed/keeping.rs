//! Where the stores of a run are kept.

use std::path::Path;
use std::sync::Arc;

use archy_assistant::{MemoryStore, Store};
use tempfile::TempDir;

/// A kind of store, with the directory that goes away after it.
pub(crate) struct Keeping {
    pub(crate) name: &'static str,
    pub(crate) store: Arc<dyn Store>,
    _dir: Option<TempDir>,
}

/// Every kind of store there is in this build. The last but one writes to a file system in memory, where waiting for
/// the disk costs nothing: what is left is the time of the code alone.
pub(crate) fn all() -> Vec<Keeping> {
    let mut all = vec![Keeping { name: "in memory", store: Arc::new(MemoryStore::new()), _dir: None }];
    #[cfg(feature = "sqlite")]
    {
        let open = |name, dir: TempDir| {
            let store =
                archy_assistant::SqliteStore::open(dir.path().join("store")).expect("a new store opens");
            Keeping { name, store: Arc::new(store), _dir: Some(dir) }
        };
        if let Ok(dir) = TempDir::new_in("/dev/shm") {
            all.push(open("SQLite, no disk to wait for", dir));
        }
        all.push(open("SQLite", on_disk()));
    }
    all
}

/// A directory where `target` lies, which is a disk even where `/tmp` is none.
pub(crate) fn on_disk() -> TempDir {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    TempDir::new_in(target).expect("the build's own directory can be written")
}
