//! A scan brings the index up to what lies in the roots.
//!
//! It walks everything without opening a file, decides what is new, changed, moved or gone, reads what it must on several
//! threads, and writes in transactions of whole albums, each complete in itself: killed at any moment, the next scan
//! goes on with what is not in the index yet. Whatever vanished is only marked as missing.

mod aways;
mod commit;
mod event;
mod finish;
mod guard;
mod lists;
mod pace;
mod read;
mod run;
mod sift;
mod survey;

pub use event::*;
pub(crate) use finish::delete;
pub(crate) use guard::sample;
pub(crate) use read::Factory;
pub(crate) use run::{Means, run};
