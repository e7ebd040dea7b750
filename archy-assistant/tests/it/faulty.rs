//! A store whose disk fails when it is told to.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use archy_assistant::*;

/// How a commit fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing is written, once.
    Once,
    /// Nothing is written from then on: a full disk, or the process is gone for all that the disk knows.
    FromThenOn,
    /// It is written, and said not to be: the scrubbing after it failed.
    Lies,
}

/// Passes everything on to another store, but for the commit that is told to fail.
pub(crate) struct Faulty {
    inner: Arc<dyn Store>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    commits: usize,
    fails: Option<(usize, Fault)>,
}

impl Faulty {
    pub(crate) fn new(inner: Arc<dyn Store>) -> Self {
        Self { inner, state: Mutex::default() }
    }

    /// From now on, lets `commits` pass and fails the one after.
    pub(crate) fn fail_after(&self, commits: usize, how: Fault) {
        *self.state.lock().unwrap() = State { commits: 0, fails: Some((commits, how)) };
    }

    /// Works again.
    pub(crate) fn mend(&self) {
        *self.state.lock().unwrap() = State::default();
    }

    /// How many commits there were since it was told to fail or to work.
    pub(crate) fn commits(&self) -> usize {
        self.state.lock().unwrap().commits
    }

    fn fault(&self) -> Option<Fault> {
        let mut state = self.state.lock().unwrap();
        let place = state.commits;
        state.commits += 1;
        let (at, how) = state.fails?;
        let fails = place == at || (place > at && how == Fault::FromThenOn);
        fails.then_some(how)
    }
}

impl Store for Faulty {
    fn commit(&self, batch: &Batch, durability: Durability) -> Result<(), StoreError> {
        let fault = self.fault();
        if matches!(fault, None | Some(Fault::Lies)) {
            self.inner.commit(batch, durability)?;
        }
        fault.map_or(Ok(()), |fault| Err(StoreError::Full(format!("{fault:?}").into())))
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
