//! What the keys of every tag format mean: one table for names that people write, one for each format's own codes.

use super::raw::Form;
use crate::Role;

/// What a value is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Title,
    TitleSort,
    Album,
    AlbumSort,
    Artist,
    Artists,
    ArtistSort,
    ArtistId,
    AlbumArtist,
    AlbumArtists,
    AlbumArtistSort,
    AlbumArtistId,
    Compilation,
    Track,
    TrackTotal,
    Disc,
    DiscTotal,
    DiscSubtitle,
    OriginalDate,
    ReleaseDate,
    Date,
    Year,
    Genre,
    Version,
    Label,
    Catalogue,
    Barcode,
    Media,
    ReleaseKind,
    Release,
    ReleaseGroup,
    Recording,
    ReleaseTrack,
    TrackGain,
    TrackPeak,
    AlbumGain,
    AlbumPeak,
    R128Track,
    R128Album,
    Lyrics,
    Advisory,
    Comment,
    /// iTunes' kind of media, or its mark of a podcast.
    MediaKind,
    Podcast,
    /// Somebody in a role.
    Credit(Role),
    ComposerSort,
}

/// What a key means in a tag of this form; None for what the library has no use for.
pub(crate) fn field(form: Form, key: &str) -> Option<Field> {
    match form {
        Form::Vorbis | Form::Ape | Form::Id3v1 => named(key),
        Form::Id3v2 => id3v2(key),
        Form::Mp4 => mp4(key),
        Form::RiffInfo => riff(key),
        Form::AiffText => match key {
            "NAME" => Some(Field::Title),
            "AUTH" => Some(Field::Artist),
            "ANNO" => Some(Field::Comment),
            _ => None,
        },
    }
}

/// Names as Vorbis comments, APE, free ID3v2 and MP4 keys have them. Case, spaces, `_` and `-` say nothing:
/// `ALBUM ARTIST`, `album_artist` and `AlbumArtist` are one.
fn named(key: &str) -> Option<Field> {
    let plain: String =
        key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).take(64).collect();
    let field = match plain.as_str() {
        "TITLE" => Field::Title,
        "TITLESORT" | "TITLESORTORDER" => Field::TitleSort,
        "ALBUM" => Field::Album,
        "ALBUMSORT" | "ALBUMSORTORDER" => Field::AlbumSort,
        "ARTIST" => Field::Artist,
        "ARTISTS" => Field::Artists,
        "ARTISTSORT" | "ARTISTSORTORDER" => Field::ArtistSort,
        "MUSICBRAINZARTISTID" => Field::ArtistId,
        "ALBUMARTIST" | "BAND" => Field::AlbumArtist,
        "ALBUMARTISTS" => Field::AlbumArtists,
        "ALBUMARTISTSORT" | "ALBUMARTISTSORTORDER" => Field::AlbumArtistSort,
        "MUSICBRAINZALBUMARTISTID" => Field::AlbumArtistId,
        "COMPILATION" | "ITUNESCOMPILATION" => Field::Compilation,
        "TRACK" | "TRACKNUMBER" | "TRACKNUM" => Field::Track,
        "TRACKTOTAL" | "TOTALTRACKS" | "TRACKC" | "TRACKCOUNT" => Field::TrackTotal,
        "DISC" | "DISCNUMBER" | "DISK" | "DISKNUMBER" => Field::Disc,
        "DISCTOTAL" | "TOTALDISCS" | "DISCC" | "DISKTOTAL" | "TOTALDISKS" => Field::DiscTotal,
        "DISCSUBTITLE" | "SETSUBTITLE" => Field::DiscSubtitle,
        "ORIGINALDATE" | "ORIGINALYEAR" | "ORIGINALRELEASEDATE" | "ORIGINALRELEASEYEAR" | "ORIGYEAR" => {
            Field::OriginalDate
        }
        "RELEASEDATE" | "RELEASETIME" => Field::ReleaseDate,
        "DATE" | "RECORDINGDATE" => Field::Date,
        "YEAR" => Field::Year,
        "GENRE" => Field::Genre,
        "ALBUMVERSION" | "EDITION" | "MUSICBRAINZALBUMCOMMENT" => Field::Version,
        "LABEL" | "PUBLISHER" | "ORGANIZATION" | "RECORDLABEL" => Field::Label,
        "CATALOGNUMBER" | "CATALOGUENUMBER" | "CATALOG" | "CATALOGID" | "LABELNO" => Field::Catalogue,
        "BARCODE" | "UPC" | "EAN" | "EANUPN" => Field::Barcode,
        "MEDIA" | "SOURCEMEDIA" => Field::Media,
        "RELEASETYPE" | "MUSICBRAINZALBUMTYPE" => Field::ReleaseKind,
        "MUSICBRAINZALBUMID" => Field::Release,
        "MUSICBRAINZRELEASEGROUPID" => Field::ReleaseGroup,
        // What these two are called, and what they are, were swapped once and for good.
        "MUSICBRAINZTRACKID" => Field::Recording,
        "MUSICBRAINZRELEASETRACKID" => Field::ReleaseTrack,
        "REPLAYGAINTRACKGAIN" => Field::TrackGain,
        "REPLAYGAINTRACKPEAK" => Field::TrackPeak,
        "REPLAYGAINALBUMGAIN" => Field::AlbumGain,
        "REPLAYGAINALBUMPEAK" => Field::AlbumPeak,
        "R128TRACKGAIN" => Field::R128Track,
        "R128ALBUMGAIN" => Field::R128Album,
        "LYRICS" | "UNSYNCEDLYRICS" | "SYNCEDLYRICS" | "UNSYNCLYRICS" => Field::Lyrics,
        "ITUNESADVISORY" => Field::Advisory,
        "COMMENT" | "DESCRIPTION" => Field::Comment,
        "PODCAST" | "ITUNESPODCAST" => Field::Podcast,
        "COMPOSERSORT" | "COMPOSERSORTORDER" => Field::ComposerSort,
        "PERFORMER" => Field::Credit(Role::Performer(String::new())),
        other => return role(other).map(Field::Credit),
    };
    Some(field)
}

/// Roles by the name that tags give them, in capitals.
fn role(name: &str) -> Option<Role> {
    Some(match name {
        "COMPOSER" | "WRITER" | "SONGWRITER" => Role::Composer,
        "LYRICIST" => Role::Lyricist,
        "CONDUCTOR" => Role::Conductor,
        "ARRANGER" => Role::Arranger,
        "PRODUCER" => Role::Producer,
        "ENGINEER" => Role::Engineer,
        "MIXER" | "MIX" | "MIXENGINEER" => Role::Mixer,
        "REMIXER" | "MIXARTIST" => Role::Remixer,
        "DJMIXER" | "DJMIX" => Role::DjMixer,
        _ => return None,
    })
}

fn id3v2(key: &str) -> Option<Field> {
    if let Some((frame, about)) = key.split_once(':') {
        return match frame {
            "TXXX" => named(about),
            "UFID" => (about == "http://musicbrainz.org").then_some(Field::Recording),
            "RVA2" if about.eq_ignore_ascii_case("track") => Some(Field::TrackGain),
            "RVA2" if about.eq_ignore_ascii_case("album") => Some(Field::AlbumGain),
            // Who did what: the instrument, or one of the words for the roles at the desk.
            "TIPL" | "IPLS" | "TMCL" => {
                let plain: String = about.chars().filter(char::is_ascii_alphanumeric).collect();
                let by_name = role(&plain.to_ascii_uppercase());
                Some(Field::Credit(by_name.unwrap_or_else(|| Role::Performer(about.trim().to_lowercase()))))
            }
            _ => None,
        };
    }
    let field = match key {
        "TIT2" => Field::Title,
        "TSOT" | "XSOT" => Field::TitleSort,
        "TALB" => Field::Album,
        "TSOA" | "XSOA" => Field::AlbumSort,
        "TPE1" => Field::Artist,
        "TSOP" | "XSOP" => Field::ArtistSort,
        "TPE2" => Field::AlbumArtist,
        "TSO2" => Field::AlbumArtistSort,
        "TPE3" => Field::Credit(Role::Conductor),
        "TPE4" => Field::Credit(Role::Remixer),
        "TCOM" => Field::Credit(Role::Composer),
        "TEXT" => Field::Credit(Role::Lyricist),
        "TSOC" => Field::ComposerSort,
        "TRCK" => Field::Track,
        "TPOS" => Field::Disc,
        "TSST" => Field::DiscSubtitle,
        "TCON" => Field::Genre,
        "TDRC" => Field::Date,
        "TYER" => Field::Year,
        "TDOR" | "TORY" => Field::OriginalDate,
        "TDRL" => Field::ReleaseDate,
        "TPUB" => Field::Label,
        "TMED" => Field::Media,
        "TCMP" => Field::Compilation,
        "USLT" => Field::Lyrics,
        "COMM" => Field::Comment,
        "PCST" => Field::Podcast,
        _ => return None,
    };
    Some(field)
}

fn mp4(key: &str) -> Option<Field> {
    if let Some(name) = key.strip_prefix("----:") {
        return named(name);
    }
    let field = match key {
        "©nam" => Field::Title,
        "sonm" => Field::TitleSort,
        "©alb" => Field::Album,
        "soal" => Field::AlbumSort,
        "©ART" => Field::Artist,
        "soar" => Field::ArtistSort,
        "aART" => Field::AlbumArtist,
        "soaa" => Field::AlbumArtistSort,
        "©wrt" => Field::Credit(Role::Composer),
        "soco" => Field::ComposerSort,
        "©con" => Field::Credit(Role::Conductor),
        "trkn" => Field::Track,
        "disk" => Field::Disc,
        "©day" => Field::Date,
        "©gen" | "gnre" => Field::Genre,
        "cpil" => Field::Compilation,
        "©lyr" => Field::Lyrics,
        "©cmt" => Field::Comment,
        "rtng" => Field::Advisory,
        "stik" => Field::MediaKind,
        "pcst" => Field::Podcast,
        _ => return None,
    };
    Some(field)
}

fn riff(key: &str) -> Option<Field> {
    let field = match key {
        "INAM" => Field::Title,
        "IPRD" => Field::Album,
        "IART" => Field::Artist,
        "ICRD" => Field::Date,
        "YEAR" => Field::Year,
        "IGNR" => Field::Genre,
        "ITRK" | "IPRT" | "TRCK" => Field::Track,
        "IFRM" => Field::TrackTotal,
        "ICMT" => Field::Comment,
        "IMUS" => Field::Credit(Role::Composer),
        "IWRI" => Field::Credit(Role::Lyricist),
        "IENG" => Field::Credit(Role::Engineer),
        "IPRO" => Field::Credit(Role::Producer),
        "IPUB" => Field::Label,
        "IMED" => Field::Media,
        _ => return None,
    };
    Some(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_meaning_has_many_names() {
        let table = [
            (Form::Vorbis, "ALBUM ARTIST", Some(Field::AlbumArtist)),
            (Form::Vorbis, "album_artist", Some(Field::AlbumArtist)),
            (Form::Ape, "Album Artist", Some(Field::AlbumArtist)),
            (Form::Id3v2, "TPE2", Some(Field::AlbumArtist)),
            (Form::Id3v2, "TXXX:ALBUM ARTIST", Some(Field::AlbumArtist)),
            (Form::Mp4, "----:ALBUM ARTIST", Some(Field::AlbumArtist)),
            (Form::Mp4, "aART", Some(Field::AlbumArtist)),
            (Form::Ape, "replaygain_track_gain", Some(Field::TrackGain)),
            (Form::Id3v2, "TXXX:MusicBrainz Album Id", Some(Field::Release)),
            (Form::Vorbis, "MUSICBRAINZ_TRACKID", Some(Field::Recording)),
            (Form::Id3v2, "UFID:http://musicbrainz.org", Some(Field::Recording)),
            (Form::Id3v2, "UFID:http://other.example", None),
            (Form::Id3v2, "TIPL:DJ-mix", Some(Field::Credit(Role::DjMixer))),
            (Form::Id3v2, "TMCL:Bass Guitar", Some(Field::Credit(Role::Performer("bass guitar".to_owned())))),
            (Form::Vorbis, "TPE2", None),
            (Form::Id3v2, "TXXX:", None),
            (Form::Vorbis, "", None),
        ];
        for (form, key, wanted) in table {
            assert_eq!(field(form, key), wanted, "{form:?} {key}");
        }
    }
}
