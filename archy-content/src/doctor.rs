//! What is odd in a collection, and why. Nothing is changed; each finding says what a person would look at.

mod queries;

use serde::{Deserialize, Serialize};

use crate::{Library, LibraryError};

/// One odd thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// What kind of thing.
    pub what: Odd,
    /// What it is about: an album, a file's name, or a folder.
    pub about: String,
    /// Why it is odd, for people.
    pub why: String,
    /// The files or folders, below their roots; a few if there are many.
    pub places: Vec<String>,
}

/// Kinds of odd things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Odd {
    /// Two albums that look like one.
    SplitAlbum,
    /// An album of several artists whose tags name no artist of the album.
    MissingAlbumArtist,
    /// The same audio in several files.
    Duplicate,
    /// Text that was written in another encoding than it said.
    Mojibake,
    /// Tags that are damaged or contradict each other, or lengths that cannot be.
    OddTags,
    /// A track without a title.
    Untitled,
    /// A file that cannot be read.
    Unreadable,
}

impl Library {
    /// Looks for everything that is odd, and tells `each` of it, kind by kind.
    ///
    /// # Errors
    ///
    /// When the index cannot be read.
    pub fn doctor(&self, each: &mut dyn FnMut(Finding)) -> Result<(), LibraryError> {
        self.split_albums(each)?;
        let reader = self.index.pool.read()?;
        queries::missing_album_artists(&reader, each)?;
        queries::duplicates(&reader, each)?;
        queries::odd_texts(&reader, each)?;
        queries::untitled(&reader, each)?;
        drop(reader);
        for file in self.unreadable()? {
            let about = file.place.rsplit('/').next().unwrap_or_default().to_owned();
            each(Finding { what: Odd::Unreadable, about, why: file.says, places: vec![file.place] });
        }
        Ok(())
    }

    /// Albums of one title, and one artist or one folder; why they are two, by two of their tracks.
    fn split_albums(&self, each: &mut dyn FnMut(Finding)) -> Result<(), LibraryError> {
        let pairs = queries::alike_albums(&*self.index.pool.read()?)?;
        for (title, a, b, places) in pairs {
            let explained = self.explain(a, b)?;
            let differences = explained.differences.iter().filter(|difference| difference.field != "disc");
            let why: Vec<String> = differences
                .map(|difference| {
                    let shown = |text: &str| {
                        if text.is_empty() { "nothing".to_owned() } else { format!("“{text}”") }
                    };
                    format!("{}: {} and {}", difference.field, shown(&difference.a), shown(&difference.b))
                })
                .collect();
            let why = format!("listed twice, because these differ: {}", why.join("; "));
            each(Finding { what: Odd::SplitAlbum, about: title, why, places });
        }
        Ok(())
    }
}
