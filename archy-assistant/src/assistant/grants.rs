//! What the owner opens and closes. Changed by chrome verbs alone, audited, never proposed by a model.

use super::{Assistant, Inner, Refused};
use crate::audit::{Fact, Line};
use crate::{Caller, Categories, Category, Durability, Effect, Principal, Spec, StoreError};

impl Assistant {
    /// What the owner has opened. It counts for nothing while [`Assistant::is_held`].
    ///
    /// # Errors
    /// [`Refused::NotHere`] for a caller that is not at the chrome, or when the grants cannot be read.
    pub fn grants(&self, caller: &Caller) -> Result<Categories, Refused> {
        if !caller.is_chrome() {
            return Err(Refused::NotHere);
        }
        Ok(self.0.grants.read()?.open)
    }

    /// What this caller could have done now, each with its declaration; at the chrome also what the owner has only to
    /// open. Elsewhere a closed tool does not exist.
    pub fn tools<'a>(&'a self, caller: &'a Caller) -> impl Iterator<Item = (&'a Spec, Effect)> {
        self.0.toolbox.within_reach(caller, self.0.open())
    }

    /// Opens a category. Opening what is open changes nothing.
    ///
    /// # Errors
    /// [`Refused::NotHere`] unless the owner sits at the chrome, or when it cannot be written.
    pub async fn open_category(&self, caller: &Caller, category: Category) -> Result<Categories, Refused> {
        self.0.regrant(caller, move |open| open.with(category)).await
    }

    /// Closes a category at once, and takes back what waits in it.
    ///
    /// # Errors
    /// As for [`Assistant::open_category`].
    pub async fn close_category(&self, caller: &Caller, category: Category) -> Result<Categories, Refused> {
        self.0.regrant(caller, move |open| open.without(category)).await
    }

    /// Closes everything at once, and takes back everything that waits.
    ///
    /// # Errors
    /// As for [`Assistant::open_category`].
    pub async fn close_all(&self, caller: &Caller) -> Result<Categories, Refused> {
        self.0.regrant(caller, |_| Categories::NONE).await
    }

    /// Looks again at everything that waits, after the host has changed someone's role: what that role does not reach
    /// any more is taken back at once.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn roles_changed(&self) -> Result<(), Refused> {
        Ok(self.0.withdraw_what_is_closed().await?)
    }
}

/// So often a change is tried while somebody else changes the grants too.
const MOST_LOOKS: u32 = 8;

impl Inner {
    async fn regrant(
        self: &std::sync::Arc<Self>,
        caller: &Caller,
        change: impl Fn(Categories) -> Categories + Send + Sync + 'static,
    ) -> Result<Categories, Refused> {
        Self::owner_here(caller)?;
        // In a task of its own: a closing whose caller goes away still takes back what waits.
        let (inner, by) = (std::sync::Arc::clone(self), caller.principal().clone());
        let changing = super::driver::spawn(async move { inner.regrant_by(&by, change).await });
        Ok(changing.await.map_err(|error| StoreError::Failed(error.into()))??)
    }

    async fn regrant_by(
        self: &std::sync::Arc<Self>,
        by: &Principal,
        change: impl Fn(Categories) -> Categories,
    ) -> Result<Categories, StoreError> {
        let mut looks = 0;
        loop {
            looks += 1;
            let before = self.grants.read()?.open;
            let after = change(before);
            if before == after {
                // Asked again after an error, it must still take back what waits.
                self.withdraw_what_is_closed().await?;
                return Ok(after);
            }
            let (mut lines, now) = (Vec::new(), self.clock.now());
            for category in Category::ALL {
                match (before.has(category), after.has(category)) {
                    (false, true) => lines.push(Fact::GrantOpened(category)),
                    (true, false) => lines.push(Fact::GrantClosed(category)),
                    _ => {}
                }
            }
            let lines = lines.into_iter().map(|fact| Line::new(now, fact).by(by)).collect();
            let written = self.commit(self.grants.replace(after)?, lines, Durability::Synced).await;
            match written {
                Err(StoreError::Conflict) if looks < MOST_LOOKS => {}
                written => {
                    written?;
                    self.withdraw_what_is_closed().await?;
                    return Ok(after);
                }
            }
        }
    }
}
