//! The thread that folds the log, so that nobody who writes waits for it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use super::fault::from_io;
use super::{Connections, locked};
use crate::StoreError;

/// Ends, after what it is doing, when it is dropped.
#[derive(Debug)]
pub(super) struct Folder {
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Folder {
    pub(super) fn start(connections: Arc<Connections>) -> Result<Self, StoreError> {
        let (wake, woken) = sync_channel(1);
        let thread = thread::Builder::new().name("archy-fold".to_owned());
        let thread = thread.spawn(move || run(&woken, &connections)).map_err(from_io)?;
        Ok(Self { wake: Some(wake), thread: Some(thread) })
    }

    pub(super) fn wake(&self) {
        if let Some(wake) = &self.wake {
            // If it is full, the thread is going to fold in any case; if there is no thread any more, commits do.
            let _ = wake.try_send(());
        }
    }
}

fn run(woken: &Receiver<()>, connections: &Connections) {
    for () in woken {
        // The log remembers that it failed.
        if connections.log.fold().is_ok() {
            let mut writer = locked(&connections.writer);
            // The log begins anew only after a moment without a write. If there was none, this makes one: what was
            // written meanwhile is little.
            if writer.gathered.are_many() {
                let _ = connections.fold_all(&mut writer);
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(self.wake.take());
        if let Some(thread) = self.thread.take() {
            // If it panicked, that was said, and nothing was lost by it.
            let _ = thread.join();
        }
    }
}
