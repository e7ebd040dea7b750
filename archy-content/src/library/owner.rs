//! What the owner does: plays and favourites. Each is in the index and in the side file when the call returns.

use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

use crate::index::kept::Line;
use crate::{AlbumId, ArtistId, Library, LibraryError, TrackId};

/// What may be a favourite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Favourable {
    /// A track.
    Track(TrackId),
    /// An album.
    Album(AlbumId),
    /// An artist.
    Artist(ArtistId),
}

/// Whether something is a favourite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Favourite {
    /// It is, from now on. If it was already, since then.
    Yes,
    /// It is not.
    No,
}

impl Library {
    /// Notes that a track was played, now.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unknown`] if there is no such track.
    pub fn played(&self, track: TrackId) -> Result<(), LibraryError> {
        let now = self.now();
        self.note(format!("track {track}"), &mut |transaction| {
            let key = transaction
                .prepare_cached(
                    "UPDATE track_user SET plays = plays + 1, played = ?2 WHERE id = ?1 RETURNING file",
                )?
                .query_row(params![track, now.0], |row| row.get(0))
                .optional()?;
            key.map_or(Ok(None), |key| Line::track(transaction, key))
        })
    }

    /// Notes that something is a favourite, or is none.
    ///
    /// # Errors
    ///
    /// [`LibraryError::Unknown`] if there is no such thing.
    pub fn set_favourite(&self, what: Favourable, favourite: Favourite) -> Result<(), LibraryError> {
        let since = (favourite == Favourite::Yes).then_some(self.now().0);
        let (table, column, shown, id) = match what {
            Favourable::Track(id) => ("track_user", "file", format!("track {id}"), id.0),
            Favourable::Album(id) => ("album_user", "album", format!("album {id}"), id.0),
            Favourable::Artist(id) => ("artist_user", "artist", format!("artist {id}"), id.0),
        };
        let sql = format!(
            "UPDATE {table} SET favourite = iif(?2 IS NULL, NULL, coalesce(favourite, ?2)) WHERE id = ?1 RETURNING {column}"
        );
        self.note(shown, &mut |transaction| {
            let key: Option<i64> = transaction
                .prepare_cached(&sql)?
                .query_row(params![id.cast_signed(), since], |row| row.get(0))
                .optional()?;
            let Some(key) = key else { return Ok(None) };
            match what {
                Favourable::Track(_) => Line::track(transaction, key),
                Favourable::Album(_) => Line::album(transaction, key),
                Favourable::Artist(_) => Line::artist(transaction, key),
            }
        })
    }

    fn note(
        &self,
        what: String,
        work: &mut dyn FnMut(&Transaction<'_>) -> Result<Option<Line>, LibraryError>,
    ) -> Result<(), LibraryError> {
        let mut writer = self.index.pool.write();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let line = work(&transaction)?.ok_or(LibraryError::Unknown { what })?;
        self.index.kept.add(&[line])?;
        transaction.commit()?;
        Ok(())
    }
}
