-- Version 1. Times are whole seconds since 1970 unless a name says otherwise; dates are yyyymmdd with zeros where they
-- are not known; `key`s are for joins inside this file and mean nothing outside of it.

CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- What lies on the disk ---------------------------------------------------------------------------------------------

-- state: 0 online, 1 offline (not there, not readable, empty, another device), 2 suspect (too much of it vanished),
-- 3 removed by the owner
CREATE TABLE roots (
  key INTEGER PRIMARY KEY,
  path BLOB NOT NULL UNIQUE,
  shown TEXT NOT NULL,
  device INTEGER,
  state INTEGER NOT NULL DEFAULT 0,
  since INTEGER NOT NULL,
  why TEXT
);

-- path: below the root, '' is the root itself. hash: of what was listed in it when all of it had been read, else NULL.
-- state: 0 present, 1 unknown (could not be read), 2 missing
CREATE TABLE folders (
  key INTEGER PRIMARY KEY,
  root INTEGER NOT NULL REFERENCES roots ON DELETE CASCADE,
  path BLOB NOT NULL,
  shown TEXT NOT NULL,
  hash INTEGER,
  device INTEGER NOT NULL DEFAULT 0,
  state INTEGER NOT NULL DEFAULT 0,
  since INTEGER NOT NULL,
  UNIQUE (root, path)
);

-- modified, in nanoseconds. state: 0 present, 1 unknown, 2 missing, 3 forgotten after the grace period (only what the
-- owner would miss is kept of it). why, says: set when it could not be read. The last five columns are the evidence by
-- which it is known again elsewhere.
CREATE TABLE files (
  key INTEGER PRIMARY KEY,
  folder INTEGER NOT NULL REFERENCES folders,
  name BLOB NOT NULL,
  shown TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  state INTEGER NOT NULL DEFAULT 0,
  since INTEGER NOT NULL,
  why TEXT,
  says TEXT,
  fingerprint BLOB,
  mb_track TEXT,
  mb_recording TEXT,
  likeness INTEGER,
  milliseconds INTEGER
);
CREATE UNIQUE INDEX files_place ON files (folder, name) WHERE state < 2;
CREATE INDEX files_away ON files (state) WHERE state > 0;

-- Pictures, words and the like that lie beside the audio. kind: 0 picture, 1 lyrics
CREATE TABLE sidecars (
  folder INTEGER NOT NULL REFERENCES folders ON DELETE CASCADE,
  name BLOB NOT NULL,
  kind INTEGER NOT NULL,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  PRIMARY KEY (folder, name)
) WITHOUT ROWID;

-- What the files say ------------------------------------------------------------------------------------------------

-- grouping: the album's key in words, see `grouping`. gone: since when no track is in it.
CREATE TABLE albums (
  key INTEGER PRIMARY KEY,
  grouping TEXT UNIQUE,
  title TEXT NOT NULL,
  sort TEXT,
  sorting TEXT NOT NULL,
  artist_shown TEXT NOT NULL,
  edition TEXT,
  label TEXT,
  catalogue TEXT,
  barcode TEXT,
  media TEXT,
  kinds TEXT,
  compilation INTEGER NOT NULL,
  original_date INTEGER,
  release_date INTEGER,
  year INTEGER,
  mb_release TEXT,
  mb_release_group TEXT,
  gain REAL,
  peak REAL,
  tracks INTEGER NOT NULL,
  discs INTEGER NOT NULL,
  milliseconds INTEGER NOT NULL,
  made INTEGER NOT NULL,
  gone INTEGER
);
CREATE INDEX albums_sorting ON albums (sorting, key) WHERE gone IS NULL;

-- The key is that of its file.
CREATE TABLE tracks (
  key INTEGER PRIMARY KEY REFERENCES files ON DELETE CASCADE,
  album INTEGER REFERENCES albums ON DELETE SET NULL,
  title TEXT,
  title_sort TEXT,
  artist_shown TEXT,
  album_title TEXT,
  album_sort TEXT,
  album_artist_shown TEXT,
  disc INTEGER,
  discs INTEGER,
  disc_subtitle TEXT,
  number INTEGER,
  numbers INTEGER,
  original_date INTEGER,
  release_date INTEGER,
  date INTEGER,
  compilation INTEGER,
  edition TEXT,
  label TEXT,
  catalogue TEXT,
  barcode TEXT,
  media TEXT,
  kinds TEXT,
  mb_release TEXT,
  mb_release_group TEXT,
  codec TEXT NOT NULL,
  rate INTEGER,
  channels INTEGER,
  depth INTEGER,
  bitrate INTEGER,
  gain REAL,
  peak REAL,
  album_gain REAL,
  album_peak REAL,
  r128 REAL,
  r128_album REAL,
  explicit INTEGER,
  spoken INTEGER NOT NULL,
  comment TEXT,
  -- folded, for grouping: the album's title, its declared artist, the track's artist, the edition
  album_fold TEXT,
  declared_fold TEXT,
  artist_fold TEXT,
  edition_fold TEXT
);
CREATE INDEX tracks_album ON tracks (album);
CREATE INDEX tracks_album_fold ON tracks (album_fold) WHERE album_fold IS NOT NULL;
CREATE INDEX tracks_mb_release ON tracks (mb_release) WHERE mb_release IS NOT NULL;

-- gone: since when nobody credits it.
CREATE TABLE artists (
  key INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  sort TEXT,
  sorting TEXT NOT NULL,
  fold TEXT NOT NULL,
  musicbrainz TEXT,
  gone INTEGER
);
CREATE UNIQUE INDEX artists_musicbrainz ON artists (musicbrainz) WHERE musicbrainz IS NOT NULL;
CREATE UNIQUE INDEX artists_fold ON artists (fold) WHERE musicbrainz IS NULL;
CREATE INDEX artists_sorting ON artists (sorting, key) WHERE gone IS NULL;

-- A name as it is credited somewhere, and whose it is. musicbrainz: '' for none.
CREATE TABLE names (
  key INTEGER PRIMARY KEY,
  shown TEXT NOT NULL,
  sort TEXT,
  fold TEXT NOT NULL,
  musicbrainz TEXT NOT NULL,
  artist INTEGER REFERENCES artists,
  UNIQUE (shown, musicbrainz)
);
CREATE INDEX names_fold ON names (fold);
CREATE INDEX names_musicbrainz ON names (musicbrainz) WHERE musicbrainz <> '';
CREATE INDEX names_artist ON names (artist);

-- role: 0 main, 1 featured, 2 composer, 3 lyricist, 4 conductor, 5 arranger, 6 producer, 7 engineer, 8 mixer,
-- 9 remixer, 10 dj mixer, 11 performer (detail: the instrument), 20 artist of the album
CREATE TABLE credits (
  track INTEGER NOT NULL REFERENCES tracks ON DELETE CASCADE,
  place INTEGER NOT NULL,
  role INTEGER NOT NULL,
  detail TEXT,
  name INTEGER NOT NULL REFERENCES names,
  PRIMARY KEY (track, place)
) WITHOUT ROWID;
CREATE INDEX credits_name ON credits (name);

CREATE TABLE album_artists (
  album INTEGER NOT NULL REFERENCES albums ON DELETE CASCADE,
  place INTEGER NOT NULL,
  name INTEGER NOT NULL REFERENCES names,
  PRIMARY KEY (album, place)
) WITHOUT ROWID;
CREATE INDEX album_artists_name ON album_artists (name);

CREATE TABLE genres (key INTEGER PRIMARY KEY, name TEXT NOT NULL, fold TEXT NOT NULL UNIQUE);
CREATE TABLE track_genres (
  track INTEGER NOT NULL REFERENCES tracks ON DELETE CASCADE,
  place INTEGER NOT NULL,
  genre INTEGER NOT NULL REFERENCES genres,
  PRIMARY KEY (track, place)
) WITHOUT ROWID;
CREATE INDEX track_genres_genre ON track_genres (genre);

CREATE TABLE pictures (
  track INTEGER NOT NULL REFERENCES tracks ON DELETE CASCADE,
  place INTEGER NOT NULL,
  front INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  hash INTEGER,
  PRIMARY KEY (track, place)
) WITHOUT ROWID;
CREATE TABLE lyrics (track INTEGER PRIMARY KEY REFERENCES tracks ON DELETE CASCADE, words TEXT NOT NULL);
CREATE TABLE oddities (
  track INTEGER NOT NULL REFERENCES tracks ON DELETE CASCADE,
  place INTEGER NOT NULL,
  what TEXT NOT NULL,
  says TEXT,
  PRIMARY KEY (track, place)
) WITHOUT ROWID;

-- What only this index knows: never derived, written to the side file too -------------------------------------------

CREATE TABLE track_user (
  file INTEGER PRIMARY KEY REFERENCES files ON DELETE CASCADE,
  id INTEGER NOT NULL UNIQUE,
  added INTEGER NOT NULL,
  plays INTEGER NOT NULL DEFAULT 0,
  played INTEGER,
  favourite INTEGER
);
CREATE TABLE album_user (
  album INTEGER PRIMARY KEY REFERENCES albums ON DELETE CASCADE,
  id INTEGER NOT NULL UNIQUE,
  added INTEGER NOT NULL,
  favourite INTEGER
);
CREATE TABLE artist_user (
  artist INTEGER PRIMARY KEY REFERENCES artists ON DELETE CASCADE,
  id INTEGER NOT NULL UNIQUE,
  added INTEGER NOT NULL,
  favourite INTEGER
);

-- What scans did ----------------------------------------------------------------------------------------------------

-- outcome: NULL while it runs or if it was killed, else 'done', 'cancelled' or 'failed'
CREATE TABLE scans (
  key INTEGER PRIMARY KEY,
  started INTEGER NOT NULL,
  ended INTEGER,
  outcome TEXT,
  found INTEGER NOT NULL DEFAULT 0,
  read INTEGER NOT NULL DEFAULT 0,
  moved INTEGER NOT NULL DEFAULT 0,
  missing INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  pending INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE scan_lines (
  key INTEGER PRIMARY KEY,
  scan INTEGER NOT NULL REFERENCES scans ON DELETE CASCADE,
  place TEXT NOT NULL,
  what TEXT NOT NULL,
  says TEXT NOT NULL
);
CREATE INDEX scan_lines_scan ON scan_lines (scan);

-- What is searched: folded words. rowid = key * 4 + kind (0 track, 1 album, 2 artist); see `index/words.rs`.
CREATE VIRTUAL TABLE search USING fts5 (
  title, album, artist,
  content = '', contentless_delete = 1, columnsize = 1, prefix = '2 3', tokenize = "unicode61 remove_diacritics 0"
);
