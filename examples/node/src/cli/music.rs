//! What can be typed about the music library.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, Subcommand};

pub(super) const ABOUT: &str = "The library lists what lies in its folders and changes nothing in them. Without any folder of yours it has
the node's own: files/music below the data directory. A folder or disk that is away is \"missing\" with all its
tracks, and they are themselves again when it is back.

Examples:
  archy-node music scan /media/disk/Music
  archy-node music search beatles abbey road
  archy-node music search --genre jazz --years 1955-1965
  archy-node music doctor";

/// Something about the music library.
#[derive(Debug, Subcommand)]
pub(crate) enum MusicCommand {
    /// Bring the library up to date; a FOLDER joins it for good. Ctrl-C stops it, and the next scan goes on from there
    Scan(Scan),
    /// Keep the library up to date until Ctrl-C
    Watch,
    /// Say how the library is: its folders, what is missing, the last scan
    Status,
    /// Find artists, albums and tracks by words as you type them
    Search(Wanted),
    /// Show an album and its tracks
    Album {
        /// Its id, or words of its title and artist
        #[arg(required = true, value_name = "ID|WORDS")]
        words: Vec<String>,
    },
    /// Show an artist and their albums
    Artist {
        /// Their id, or words of their name
        #[arg(required = true, value_name = "ID|WORDS")]
        words: Vec<String>,
    },
    /// List what is odd in the collection, and why
    Doctor,
    /// Write the whole library, one JSON document per line
    Export {
        /// A new file [default: standard output]
        file: Option<PathBuf>,
    },
    /// Take a folder out of the library; its files stay, and its tracks are missing until they turn up or are forgotten
    Remove {
        /// The folder
        folder: PathBuf,
    },
    /// Say that what a folder shows now is right, where a scan did not believe it
    Trust {
        /// The folder
        folder: PathBuf,
    },
    /// Forget the tracks that are missing, with their plays and favourites
    Forget {
        /// Only those of this folder
        folder: Option<PathBuf>,
    },
    /// Read files for a library, as it asks on standard input
    #[command(hide = true)]
    ReadFiles,
}

/// How to scan.
#[derive(Debug, Args)]
pub(crate) struct Scan {
    /// Folders with music
    #[arg(value_name = "FOLDER")]
    pub(crate) folders: Vec<PathBuf>,
    /// Open at most N files a second
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rate: Option<u32>,
    /// Read at most N files at once
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=32))]
    pub(crate) workers: u16,
}

/// What is looked for.
#[derive(Debug, Args)]
pub(crate) struct Wanted {
    /// Words of title, artist or album, in any order; the last may be half a word, and none needs accents
    #[arg(value_name = "WORDS", required_unless_present_any = ["artist", "album", "years", "genre"])]
    pub(crate) words: Vec<String>,
    /// Only what is by this artist
    #[arg(long, value_name = "WORDS")]
    pub(crate) artist: Option<String>,
    /// Only what is on this album
    #[arg(long, value_name = "WORDS")]
    pub(crate) album: Option<String>,
    /// Only what came out first in this year, or in these
    #[arg(long, value_name = "YEAR[-YEAR]", value_parser = years)]
    pub(crate) years: Option<RangeInclusive<u16>>,
    /// Only this genre
    #[arg(long, value_name = "NAME")]
    pub(crate) genre: Option<String>,
    /// At most N of each kind
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) most: u16,
}

fn years(text: &str) -> Result<RangeInclusive<u16>, String> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let year =
        |text: &str| text.parse::<u16>().map_err(|_| "a year is a number, as 1969 or 1965-1969".to_owned());
    Ok(year(from)?..=year(to)?)
}
