//! A store whose commits can be held, counted and made to fail, so that a test forces an order instead of hoping for it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use archy_assistant::*;
use tokio::sync::oneshot;

/// Which commits are meant.
pub(crate) type Which = fn(&Batch) -> bool;

/// On which side of the commit it is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

struct Stop {
    which: Which,
    side: Side,
    reached: oneshot::Sender<()>,
    go_on: mpsc::Receiver<()>,
}

/// The wrapper.
pub(crate) struct Gate {
    inner: Arc<dyn Store>,
    stops: Mutex<Vec<Stop>>,
    commits: AtomicUsize,
    /// The number of the one commit that fails, from 0.
    fails: Option<usize>,
}

/// One stop: dropping it lets the commit go on.
pub(crate) struct Held {
    reached: Option<oneshot::Receiver<()>>,
    _go_on: mpsc::Sender<()>,
}

impl Held {
    /// Waits until the commit is there.
    pub(crate) async fn reached(&mut self) {
        let reached = self.reached.take().expect("is waited for once");
        reached.await.expect("the store is still there");
    }

    /// Lets it go on.
    pub(crate) fn go_on(self) {
        drop(self);
    }
}

impl Gate {
    pub(crate) fn new() -> Arc<Self> {
        Self::failing(None)
    }

    /// A store whose `fails`-th commit fails, and nothing else.
    pub(crate) fn failing(fails: Option<usize>) -> Arc<Self> {
        let inner = Arc::new(MemoryStore::new());
        Arc::new(Self { inner, stops: Mutex::default(), commits: AtomicUsize::new(0), fails })
    }

    /// Stops the next commit of this kind.
    pub(crate) fn hold(&self, side: Side, which: Which) -> Held {
        let (reached, is_reached) = oneshot::channel();
        let (go_on, may_go_on) = mpsc::channel();
        let stop = Stop { which, side, reached, go_on: may_go_on };
        self.stops.lock().unwrap().push(stop);
        Held { reached: Some(is_reached), _go_on: go_on }
    }

    /// How many commits were tried.
    pub(crate) fn commits(&self) -> usize {
        self.commits.load(Ordering::SeqCst)
    }

    fn stop(&self, batch: &Batch, side: Side) {
        let stop = {
            let mut stops = self.stops.lock().unwrap();
            let place = stops.iter().position(|stop| stop.side == side && (stop.which)(batch));
            place.map(|place| stops.remove(place))
        };
        if let Some(stop) = stop {
            let _ = stop.reached.send(());
            // It ends when the other end is dropped.
            let _ = stop.go_on.recv();
        }
    }
}

impl Store for Gate {
    fn commit(&self, batch: &Batch, durability: Durability) -> Result<(), StoreError> {
        self.stop(batch, Side::Before);
        if Some(self.commits.fetch_add(1, Ordering::SeqCst)) == self.fails {
            return Err(StoreError::Failed("this one fails".into()));
        }
        self.inner.commit(batch, durability)?;
        self.stop(batch, Side::After);
        Ok(())
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.get(table, key)
    }

    fn scan(&self, scan: &Scan) -> Result<Rows, StoreError> {
        self.inner.scan(scan)
    }

    fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        self.inner.copy_to(file)
    }
}

fn puts(batch: &Batch, table: Table, what: &str) -> bool {
    batch.ops.iter().any(|op| match op {
        Op::Put(at, _, value) => {
            *at == table && value.windows(what.len()).any(|part| part == what.as_bytes())
        }
        _ => false,
    })
}

/// The commit that a question is asked with.
pub(crate) fn asking(batch: &Batch) -> bool {
    puts(batch, Table::Confirmation, r#""state":"waiting""#)
}

/// The claim.
pub(crate) fn claiming(batch: &Batch) -> bool {
    puts(batch, Table::Confirmation, r#""state":"executing""#)
}

/// The commit with a question's end.
pub(crate) fn ending(batch: &Batch) -> bool {
    puts(batch, Table::Confirmation, r#""state":{"settled""#)
}

/// The commit that changes what is open.
pub(crate) fn granting(batch: &Batch) -> bool {
    puts(batch, Table::Meta, r#""epoch""#)
}

/// The first commit of a turn.
pub(crate) fn saying(batch: &Batch) -> bool {
    batch.ops.iter().any(|op| matches!(op, Op::Put(Table::Open, ..)))
}
