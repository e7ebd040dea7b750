//! The index: one `SQLite` database in a directory of its own. What is derived from files can be thrown away and scanned
//! again; what only the index knows is written to a side file too.

pub(crate) mod albums;
pub(crate) mod artists;
pub(crate) mod credits;
pub(crate) mod kept;
pub(crate) mod lock;
pub(crate) mod migrate;
pub(crate) mod mount;
mod open;
pub(crate) mod places;
pub(crate) mod pool;
pub(crate) mod rows;
mod sweep;
pub(crate) mod touched;
pub(crate) mod words;

pub(crate) use open::Index;
