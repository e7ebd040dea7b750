//! Search as people type: some words in any order, the last one perhaps half typed, without accents and in any case, with
//! a slip here and there.
//!
//! Every list has a fixed order, from what is exactly called so, over what begins so, to what has the words somewhere;
//! `the` counts for nothing in “begins so” and is looked for like every other word. No order needs more than the rows of
//! its page, so a word that is everywhere is found as fast as a rare one.

mod albums;
mod artists;
mod expression;
mod rank;
mod slips;
mod tracks;
mod words;

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

pub(crate) use slips::Vocabulary;
pub(crate) use words::indexed;

use crate::{Album, Artist, Library, LibraryError, Page, Paged, Track};
use expression::Meant;

/// What is looked for. All that is given must fit; what is empty fits everything.
///
/// ```
/// let mut search = archy_content::Search::words("beatles abbey");
/// search.years = Some(1965..=1970);
/// search.genre = Some("Rock".to_owned());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Search {
    /// Words as a person types them. Nothing in them is an operator.
    pub words: String,
    /// Words of the artist's name.
    pub artist: Option<String>,
    /// Words of the album's title.
    pub album: Option<String>,
    /// The year of the recording's first release; where that is not known, of this release, or of the recording.
    pub years: Option<RangeInclusive<u16>>,
    /// A genre by its whole name.
    pub genre: Option<String>,
}

impl Search {
    /// For these words anywhere.
    pub fn words(words: &str) -> Self {
        Self { words: words.to_owned(), ..Self::default() }
    }
}

/// The first page of everything that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SearchResult {
    /// Artists by name. None if an album, years or a genre were asked for: artists have none.
    pub artists: Paged<Artist>,
    /// Albums by title or artist.
    pub albums: Paged<Album>,
    /// Tracks by title, artist or album. A track without a title is found by its file's name.
    pub tracks: Paged<Track>,
    /// Words that are nowhere, and what was looked for in their place.
    pub slips: Vec<Slip>,
}

/// A word that is nowhere, and the nearest ones that are somewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slip {
    /// As it was typed, folded.
    pub typed: String,
    /// What was looked for in its place, the nearest first. Empty if there is nothing like it.
    pub meant: Vec<String>,
}

impl Library {
    /// The first page of artists, albums and tracks, each at most so long. The others are had from
    /// [`search_artists`](Self::search_artists), [`search_albums`](Self::search_albums) and
    /// [`search_tracks`](Self::search_tracks) with [`Paged::next`].
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn search(&self, search: &Search, limit: usize) -> Result<SearchResult, LibraryError> {
        let reader = self.index.pool.read()?;
        let page = Page::first(limit);
        let find = |meant: Meant| {
            Ok::<_, LibraryError>(SearchResult {
                artists: artists::find(&reader, &meant, &page)?,
                albums: albums::find(&reader, &meant, &page)?,
                tracks: tracks::find(&reader, &meant, &page)?,
                slips: meant.slips,
            })
        };
        // If something has all that was typed, no word of it is a slip.
        let found = find(Meant::typed(search))?;
        if found.artists.items.is_empty() && found.albums.items.is_empty() && found.tracks.items.is_empty() {
            return find(Meant::of(&reader, search, &self.vocabulary)?);
        }
        Ok(found)
    }

    /// A page of artists.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn search_artists(&self, search: &Search, page: &Page) -> Result<Paged<Artist>, LibraryError> {
        let reader = self.index.pool.read()?;
        artists::find(&reader, &Meant::of(&reader, search, &self.vocabulary)?, page)
    }

    /// A page of albums.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn search_albums(&self, search: &Search, page: &Page) -> Result<Paged<Album>, LibraryError> {
        let reader = self.index.pool.read()?;
        albums::find(&reader, &Meant::of(&reader, search, &self.vocabulary)?, page)
    }

    /// A page of tracks.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn search_tracks(&self, search: &Search, page: &Page) -> Result<Paged<Track>, LibraryError> {
        let reader = self.index.pool.read()?;
        tracks::find(&reader, &Meant::of(&reader, search, &self.vocabulary)?, page)
    }
}
