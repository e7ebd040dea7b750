//! A music library that people would trust with their collection: one index of what is heard, with ids that last.

mod clock;
mod entity;
mod error;
mod fingerprint;
mod fold;
mod grouping;
mod id;
mod identity;
mod index;
mod library;
mod page;
mod playlists;
mod reader;
mod reading;
mod scan;
mod search;
mod tags;
mod walk;
mod watch;

pub use clock::{Clock, SystemClock, Timestamp};
pub use entity::*;
pub use error::LibraryError;
pub use fingerprint::Fingerprint;
pub use fold::{fold, fold_for_sorting};
pub use grouping::{VARIOUS_ARTISTS, VARIOUS_ARTISTS_ID};
pub use id::{AlbumId, ArtistId, BadId, PlaylistId, TrackId};
pub use library::{Favourable, Favourite, Library, LibraryOptions};
pub use page::{BadCursor, Cursor, Page, Paged};
pub use reader::{ChildReader, DirectReader, Patience, serve_reader};
pub use reading::*;
pub use scan::{ScanEvent, ScanOptions, ScanReport, Stop, Unsettled};
pub use search::{Search, SearchResult, Slip};
pub use tags::is_audio_name;
pub use walk::{Links, Nomedia, SidecarKind, WalkOptions};
pub use watch::{How, WatchEvent, WatchOptions, Watched};
