//! Reading the audit, verifying it, and the owner's way out when it does not fit.

use std::io::Write;
use std::sync::Arc;

use super::{Assistant, Inner, Page, Refused, waiting};
use crate::audit::{Fact, Line, Opened, Verified};
use crate::{Batch, Caller, Durability};

impl Assistant {
    /// How the audit was found when this was opened, or what was found earlier and not acknowledged since.
    pub fn opened(&self) -> Opened {
        self.0.opened
    }

    /// Whether everything counts as closed, whatever the grants say, until the owner has acknowledged how the audit was
    /// found.
    pub fn is_held(&self) -> bool {
        self.0.audit.is_held()
    }

    /// The lines of the audit before number `before`, newest first. Lines that cannot be read are left out.
    ///
    /// # Errors
    /// [`Refused::NotHere`] unless the owner sits at the chrome, or when the store cannot be read.
    pub fn audit(
        &self,
        caller: &Caller,
        before: Option<u64>,
        most: usize,
    ) -> Result<Page<Line, u64>, Refused> {
        Inner::owner_here(caller)?;
        let (items, older) = self.0.audit.page(before, most)?;
        Ok(Page { items, older })
    }

    /// Looks at every line of the audit, while others go on writing.
    ///
    /// # Errors
    /// As for [`Assistant::audit`].
    pub async fn audit_verify(&self, caller: &Caller) -> Result<Verified, Refused> {
        Inner::owner_here(caller)?;
        let audit = Arc::clone(&self.0.audit);
        Ok(waiting(move || audit.verify()).await?)
    }

    /// Writes the whole audit as lines of JSON with their hashes, so that it can be verified elsewhere: one object a line,
    /// `{"hash":"<64 hexadecimal digits>","line":{…}}`. The hash is `SHA-256(hash of the line before, 32 bytes ‖ length as
    /// big-endian u64 ‖ JSON)`, where the JSON is, byte for byte, what stands after the first 82 bytes of the line and
    /// before its last `}`; before the first line the hash is 32 zero bytes. The last line is `{"head":"<hexadecimal>"}`:
    /// last line, first line of the chain and line to be acknowledged (or 0), each a big-endian u64, the last line's
    /// hash, and `HMAC-SHA-256(audit key, "archy/audit-head/1" ‖ these 56 bytes)`.
    ///
    /// Only an audit that was found damaged has more: a line in no known form stands as `{"key":"…","value":"…"}` in
    /// hexadecimal, and a chain that begins at line *n* > 1 has before it the hash `SHA-256("archy/audit-before/1" ‖ for
    /// each earlier row the length of its key (the number, as u64) ‖ key ‖ length of its value (hash ‖ JSON) ‖ value)`,
    /// lengths as big-endian u64.
    ///
    /// Blocks while it reads and writes; others go on writing meanwhile, so there may be lines beyond the head.
    ///
    /// # Errors
    /// As for [`Assistant::audit`], or when `to` cannot be written.
    pub fn audit_export(&self, caller: &Caller, to: &mut dyn Write) -> Result<(), Refused> {
        Inner::owner_here(caller)?;
        Ok(self.0.audit.export(to)?)
    }

    /// The owner has seen how the audit was found: the grants count again. What was wrong stays in the audit.
    ///
    /// # Errors
    /// As for [`Assistant::audit`], or when it cannot be written.
    pub async fn audit_acknowledge(&self, caller: &Caller) -> Result<(), Refused> {
        Inner::owner_here(caller)?;
        let inner = &self.0;
        if !inner.audit.is_held() {
            return Ok(());
        }
        let line = Line::new(inner.clock.now(), Fact::Acknowledged).by(caller.principal());
        Ok(inner.commit(Batch::new(), vec![line], Durability::Synced).await?)
    }
}
