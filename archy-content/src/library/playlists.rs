//! Reading playlists.
