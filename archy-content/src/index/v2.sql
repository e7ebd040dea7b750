-- Version 2: playlists that lie in a root as files.

-- name, modified (nanoseconds): as in `files`.
CREATE TABLE playlists (
  key INTEGER PRIMARY KEY,
  id INTEGER NOT NULL UNIQUE,
  folder INTEGER NOT NULL REFERENCES folders ON DELETE CASCADE,
  name BLOB NOT NULL,
  shown TEXT NOT NULL,
  title TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  state INTEGER NOT NULL DEFAULT 0,
  UNIQUE (folder, name)
);

-- file: NULL as long as no track is known by what the entry says.
CREATE TABLE playlist_entries (
  playlist INTEGER NOT NULL REFERENCES playlists ON DELETE CASCADE,
  place INTEGER NOT NULL,
  said TEXT NOT NULL,
  title TEXT,
  milliseconds INTEGER,
  file INTEGER REFERENCES files ON DELETE SET NULL,
  PRIMARY KEY (playlist, place)
) WITHOUT ROWID;
CREATE INDEX playlist_entries_file ON playlist_entries (file) WHERE file IS NOT NULL;
