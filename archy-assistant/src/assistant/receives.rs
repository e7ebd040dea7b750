//! What may go to a remote backend is for its owner to say, and comes in with the backend. At each start it is compared
//! with what it was, and the audit has a line for each change before anything can be asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::audit::{Audit, Fact, Line};
use crate::{
    Backend, Batch, Categories, Destination, Durability, Expect, Shown, Store, StoreError, Table, Timestamp,
};

const KEY: &[u8] = b"may-receive";

/// By name, what the audit last said of each backend that was ever remote: of these categories, or, where nothing stands,
/// whatever is open, because it counted as the owner's own. One that is not listed now keeps its place.
type Known = BTreeMap<String, Option<Categories>>;

/// Writes what has changed, or fails: then nothing is opened, and nothing goes anywhere.
pub(super) fn note(
    store: &dyn Store,
    audit: &Audit,
    backends: &[Arc<dyn Backend>],
    now: Timestamp,
) -> Result<(), StoreError> {
    let stored = store.get(Table::Meta, KEY)?;
    // What cannot be read counts as never said, so that it is said again.
    let before: Known =
        stored.as_deref().and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
    let (mut known, mut lines) = (before.clone(), Vec::new());
    for facts in backends.iter().map(|backend| backend.facts()) {
        let backend = Shown::line(&facts.name).as_str().to_owned();
        let may = match facts.destination() {
            Destination::Remote { may_receive } => Some(may_receive),
            // What was the owner's own from the start is none of this.
            Destination::Own if !known.contains_key(&backend) => continue,
            Destination::Own => None,
        };
        if known.insert(backend.clone(), may).unwrap_or(Some(Categories::NONE)) != may {
            lines.push(Line::new(now, Fact::MayReceive { backend, categories: may }));
        }
    }
    if known == before {
        return Ok(());
    }
    let unchanged = match stored {
        Some(stored) => Expect::Value(Table::Meta, KEY.to_vec(), stored),
        None => Expect::Absent(Table::Meta, KEY.to_vec()),
    };
    let bytes = serde_json::to_vec(&known).map_err(|error| StoreError::Failed(error.into()))?;
    audit.commit_all(Batch::new().expect(unchanged).put(Table::Meta, KEY, bytes), lines, Durability::Synced)
}
