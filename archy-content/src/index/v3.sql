-- Version 3: what searching needs. `search` is made anew with prefixes of one letter and written again by
-- `index/words.rs`, which sees that meta has no `words`.

ALTER TABLE tracks ADD COLUMN title_fold TEXT NOT NULL DEFAULT '';
CREATE INDEX tracks_title_fold ON tracks (title_fold, key);
CREATE INDEX artists_folded ON artists (fold, key) WHERE gone IS NULL;

-- Words as `search/words.rs` makes them. rowid = kind * 2^48 + key (0 track, 1 album, 2 artist): each kind is a range.
DROP TABLE search;
CREATE VIRTUAL TABLE search USING fts5 (
  title, album, artist,
  content = '', contentless_delete = 1, columnsize = 1, prefix = '1 2 3', tokenize = "unicode61 remove_diacritics 0"
);
DELETE FROM meta WHERE name = 'words';
