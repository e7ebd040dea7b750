//! What the node's own tools are called, how people say them, and the sentence that answers: one function per tool.
//!
//! The doc comment of each gives the shape of the [`Datum`](crate::Datum) that its tool answers with. A write answers
//! with what it did. Parts that are missing are [`Datum::None`](crate::Datum::None), and the sentence leaves them out.

mod apps;
mod elsewhere;
mod files;
mod known_names;
mod money;
mod network;
mod search;
mod settings;
mod system;

pub(crate) use apps::{app_logs, app_restart, app_start, app_status, app_stop, apps_list};
pub(crate) use elsewhere::elsewhere;
pub(crate) use files::{file_read, files_list, files_search};
pub(crate) use money::{balances, bitcoin_status};
pub(crate) use network::{network_status, peers_list};
pub(crate) use search::{node_search, notes_search};
pub(crate) use settings::{setting_get, setting_set, settings_list};
pub(crate) use system::{assistant_status, disk_status, system_status};

use crate::{Datum, Sentence};

/// `before`, the part, `after`; nothing where there is no part.
fn part(before: &str, part: &Datum, after: &str) -> Sentence {
    if part.is_none() {
        return Sentence::default();
    }
    Sentence::plain(before).and(part).and(after)
}

/// The list's members as `each` says them, or `none` where it is empty.
fn all(list: &Datum, each: fn(&Datum) -> Sentence, none: &str) -> Sentence {
    match list.items() {
        [] => Sentence::plain(none),
        items => Sentence::join(items.iter().map(each), ", "),
    }
}
