//! What the owner has opened, and where that is read.

use std::sync::Arc;

use crate::{Batch, Categories, Expect, Store, StoreError, Table};

/// Where it is read what the owner has opened. Asked before every listing, proposal, confirmation and run; an error
/// counts as "nothing is open".
pub trait GrantSource: Send + Sync + 'static {
    /// What is open now. Blocks briefly at most.
    ///
    /// # Errors
    /// When it cannot be known.
    fn read(&self) -> Result<Grants, StoreError>;

    /// The batch that makes exactly `open` be open. It is committed to the assistant's store together with the audit's
    /// line.
    ///
    /// # Errors
    /// [`StoreError::Denied`] when the host keeps its grants elsewhere and changes them there.
    fn replace(&self, open: Categories) -> Result<Batch, StoreError>;
}

/// What is open, and what must still hold in the store for that to be so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grants {
    /// What is open.
    pub open: Categories,
    /// What a claim expects in its own transaction, so that a revocation that came first wins. Empty where the grants
    /// are kept elsewhere: then a revocation counts from the next time they are read.
    pub witness: Vec<Expect>,
}

/// Grants kept in the assistant's own store. On a fresh store everything is closed; so is a category that this store
/// has never heard of.
pub struct StoredGrants(Arc<dyn Store>);

const KEY: &[u8] = b"grants";

#[derive(serde::Serialize, serde::Deserialize, Default)]
struct Kept {
    /// Goes up with every change, so that "closed and opened again" is not "unchanged".
    epoch: u64,
    open: Categories,
}

impl StoredGrants {
    /// Reads and writes them in `store`.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    fn kept(&self) -> Result<(Kept, Expect), StoreError> {
        Ok(match self.0.get(Table::Meta, KEY)? {
            None => (Kept::default(), Expect::Absent(Table::Meta, KEY.to_vec())),
            Some(bytes) => {
                let kept =
                    serde_json::from_slice(&bytes).map_err(|error| StoreError::Damaged(error.into()))?;
                (kept, Expect::Value(Table::Meta, KEY.to_vec(), bytes))
            }
        })
    }
}

impl GrantSource for StoredGrants {
    fn read(&self) -> Result<Grants, StoreError> {
        let (kept, expect) = self.kept()?;
        Ok(Grants { open: kept.open, witness: vec![expect] })
    }

    fn replace(&self, open: Categories) -> Result<Batch, StoreError> {
        let (kept, expect) = self.kept()?;
        let next = Kept { epoch: kept.epoch + 1, open };
        let bytes = serde_json::to_vec(&next).map_err(|error| StoreError::Failed(error.into()))?;
        Ok(Batch::new().expect(expect).put(Table::Meta, KEY, bytes))
    }
}
