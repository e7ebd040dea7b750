//! From merged fields to what they mean.

use super::credits::{self, Said};
use super::keys::Field;
use super::merge::Fields;
use super::{dates, gain, genres, numbers};
use crate::{Credit, Date, Edition, Gain, MusicBrainz, Name, Place, Role, Tags};

/// What the fields of a file say.
pub(crate) fn tags(fields: &Fields) -> Tags {
    let text = |field| fields.first(&field).map(str::to_owned);
    let name = |shown, sort| {
        let shown = text(shown)?;
        let sort = text(sort).filter(|sort| *sort != shown);
        Some(Name { shown, sort })
    };
    let (artist_shown, mut credits) = credits::artists(Said {
        shown: fields.values(&Field::Artist),
        listed: fields.values(&Field::Artists),
        sort: fields.values(&Field::ArtistSort),
        ids: fields.values(&Field::ArtistId),
    });
    let (album_artist_shown, album_artists) = credits::artists(Said {
        shown: fields.values(&Field::AlbumArtist),
        listed: fields.values(&Field::AlbumArtists),
        sort: fields.values(&Field::AlbumArtistSort),
        ids: fields.values(&Field::AlbumArtistId),
    });
    let title = name(Field::Title, Field::TitleSort);
    if let Some(title) = &title {
        credits::add_from_title(&title.shown, &mut credits);
    }
    roles(fields, &mut credits);
    let (track, side) = place(fields, &Field::Track, &Field::TrackTotal);
    let (mut disc, _) = place(fields, &Field::Disc, &Field::DiscTotal);
    disc.number = disc.number.or(side);
    let genres = genres::names(fields.values(&Field::Genre).iter().map(String::as_str));
    Tags {
        title,
        album: name(Field::Album, Field::AlbumSort),
        artist_shown,
        credits,
        album_artist_shown,
        album_artists,
        compilation: fields.first(&Field::Compilation).and_then(flag),
        track,
        disc,
        disc_subtitle: text(Field::DiscSubtitle),
        original_date: date(fields, &[Field::OriginalDate]),
        release_date: date(fields, &[Field::ReleaseDate]),
        date: date(fields, &[Field::Date, Field::Year]),
        spoken: spoken(fields, &genres),
        genres,
        edition: edition(fields),
        musicbrainz: musicbrainz(fields),
        gain: gain(fields),
        lyrics: text(Field::Lyrics),
        explicit: match fields.first(&Field::Advisory) {
            Some("1" | "4") => Some(true),
            Some("2") => Some(false),
            _ => None,
        },
        comment: text(Field::Comment),
    }
}

fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" => Some(true),
        "0" | "false" | "no" => Some(false),
        _ => None,
    }
}

/// A place, and the side of a record or the disc that was written into it.
fn place(fields: &Fields, number: &Field, total: &Field) -> (Place, Option<u32>) {
    let written = fields.first(number).map(numbers::written).unwrap_or_default();
    let total = fields.values(total).iter().find_map(|text| numbers::number(text)).or(written.place.total);
    (Place { number: written.place.number, total }, written.disc)
}

/// The first date that is one; of two for the same year the finer.
fn date(fields: &Fields, from: &[Field]) -> Option<Date> {
    let mut dates = from.iter().flat_map(|field| fields.values(field)).filter_map(|text| dates::date(text));
    let first = dates.next()?;
    let fineness = |date: &Date| (date.month.is_some(), date.day.is_some());
    let same_year = dates.filter(|date| date.year == first.year);
    Some(same_year.fold(first, |best, other| if fineness(&other) > fineness(&best) { other } else { best }))
}

fn roles(fields: &Fields, credits: &mut Vec<Credit>) {
    for (field, values) in fields.iter() {
        let Field::Credit(role) = field else { continue };
        let names: Vec<&str> = match values {
            [one] => one.split("; ").collect(),
            several => several.iter().map(String::as_str).collect(),
        };
        let sorts = if *role == Role::Composer { fields.values(&Field::ComposerSort) } else { &[] };
        for (place, name) in names.iter().enumerate() {
            let mut credit = credits::credit(name, role.clone());
            if *role == Role::Performer(String::new()) {
                // `Name (instrument)`, as Vorbis comments have it.
                if let Some((name, instrument)) =
                    name.strip_suffix(')').and_then(|name| name.rsplit_once(" ("))
                {
                    credit = credits::credit(name, Role::Performer(instrument.trim().to_lowercase()));
                }
            }
            if sorts.len() == names.len() && sorts[place] != credit.name {
                credit.sort = Some(sorts[place].clone());
            }
            credits.push(credit);
        }
    }
    credits::distinct(credits);
}

fn spoken(fields: &Fields, genres: &[String]) -> bool {
    // iTunes' kinds of media: an audio book, a podcast.
    let kind = fields.first(&Field::MediaKind).is_some_and(|kind| matches!(kind, "2" | "21"));
    let podcast = fields.first(&Field::Podcast).is_some_and(|flag| flag != "0");
    let spoken = [
        "podcast",
        "audiobook",
        "audiobooks",
        "hörbuch",
        "hörspiel",
        "speech",
        "spoken word",
        "audio theatre",
    ];
    kind || podcast || genres.iter().any(|genre| spoken.contains(&genre.to_lowercase().as_str()))
}

fn edition(fields: &Fields) -> Edition {
    let text = |field| fields.first(&field).map(str::to_owned);
    let kinds = fields.values(&Field::ReleaseKind).iter().flat_map(|kind| kind.split(['/', ';', ',']));
    let mut kinds: Vec<String> =
        kinds.map(|kind| kind.trim().to_lowercase()).filter(|kind| !kind.is_empty()).collect();
    kinds.dedup();
    Edition {
        version: text(Field::Version),
        label: text(Field::Label),
        catalogue: text(Field::Catalogue),
        barcode: text(Field::Barcode),
        media: text(Field::Media),
        kinds,
    }
}

fn musicbrainz(fields: &Fields) -> MusicBrainz {
    let id = |field| fields.values(&field).iter().flat_map(|text| credits::ids(text)).next();
    MusicBrainz {
        release: id(Field::Release),
        release_group: id(Field::ReleaseGroup),
        recording: id(Field::Recording),
        track: id(Field::ReleaseTrack),
    }
}

fn gain(fields: &Fields) -> Gain {
    let first =
        |field, read: fn(&str) -> Option<f32>| fields.values(&field).iter().find_map(|text| read(text));
    Gain {
        track: first(Field::TrackGain, gain::decibels),
        track_peak: first(Field::TrackPeak, gain::peak),
        album: first(Field::AlbumGain, gain::decibels),
        album_peak: first(Field::AlbumPeak, gain::peak),
        r128_track: first(Field::R128Track, gain::r128),
        r128_album: first(Field::R128Album, gain::r128),
    }
}
