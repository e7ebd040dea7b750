//! Searching the notes.

use std::sync::Arc;

use super::files::QueryArgs;
use super::meant::Query;
use super::specs;
use crate::host::Notes;
use crate::{Caller, Datum, Read, Spec, ToolError};

/// At most so many notes.
const MOST_NOTES: usize = 20;

/// Notes by their words.
pub(super) struct NotesSearch(pub(super) Arc<dyn Notes>);

impl Read for NotesSearch {
    type Args = QueryArgs;

    fn spec(&self) -> Spec {
        specs::notes_search()
    }

    async fn read(&self, caller: &Caller, args: QueryArgs) -> Result<Datum, ToolError> {
        Query::new(&args.query)?;
        let notes = self.0.search(caller, &args.query, MOST_NOTES).await?.into_iter().take(MOST_NOTES);
        let told = notes.map(|note| {
            Datum::record([
                ("title", Datum::Others(note.title)),
                ("text", Datum::Others(note.excerpt)),
                ("changed", note.changed.map_or(Datum::None, Datum::Time)),
            ])
        });
        Ok(Datum::List(told.collect()))
    }
}
