//! What went wrong in other libraries, as their users reported it in public: one test for each, named for it.

use archy_content::{Credit, Date, Gain, Oddity, Place, Reading, Role, Tags, Unreadable};

use crate::sound::*;
use crate::tags_every_kind::read;

fn good(name: &str, bytes: &[u8]) -> Reading {
    read(name, bytes).unwrap_or_else(|error| panic!("{name}: {error:?}"))
}

fn mp3(version: u8, frames: &[Vec<u8>]) -> Reading {
    good("a.mp3", &[id3v2(version, frames), mpeg(20, 1)].concat())
}

fn vorbis_tags(items: &[Pair<'_>]) -> Tags {
    good("a.ogg", &vorbis(items, &[1; 400])).tags
}

fn title(tags: &Tags) -> Option<&str> {
    tags.title.as_ref().map(|title| title.shown.as_str())
}

fn names(credits: &[Credit]) -> Vec<(&str, Role)> {
    credits.iter().map(|credit| (credit.name.as_str(), credit.role.clone())).collect()
}

/// navidrome#2572: “Title (Album)” and “Title (Single)” became one, since brackets were ignored.
#[test]
fn brackets_in_a_title_were_ignored() {
    let album = vorbis_tags(&[("ALBUM", "Title (Album)")]).album.map(|album| album.shown);
    let single = vorbis_tags(&[("ALBUM", "Title (Single)")]).album.map(|album| album.shown);
    assert_eq!((album.as_deref(), single.as_deref()), (Some("Title (Album)"), Some("Title (Single)")));
}

/// Metro#105, audacious#1863, Clementine#5848, vanilla#785, fooyin#216: of an ID3v2.4 list only the first was taken, or
/// all were glued together.
#[test]
fn the_values_of_an_id3v24_list_were_glued_together() {
    let tags = mp3(4, &[text("TPE1", "One\0Two\0Three"), text("TCON", "Rock\0(17)\0Jazz")]).tags;
    assert_eq!(names(&tags.credits), ["One", "Two", "Three"].map(|name| (name, Role::Main)));
    assert_eq!(tags.genres, ["Rock", "Jazz"]);
}

/// jellyfin#2305: “AC/DC” became AC and DC.
#[test]
fn a_name_with_a_slash_was_split() {
    for tags in [mp3(3, &[text("TPE1", "AC/DC")]).tags, vorbis_tags(&[("ARTIST", "AC/DC")])] {
        assert_eq!(names(&tags.credits), [("AC/DC", Role::Main)]);
    }
}

/// jellyfin#15283: of several `ARTIST` comments of a FLAC file one was taken.
#[test]
fn several_artist_comments_were_one() {
    let tags = good("a.flac", &flac([1; 16], &[("ARTIST", "One"), ("artist", "Two")], b"audio")).tags;
    assert_eq!(names(&tags.credits), [("One", Role::Main), ("Two", Role::Main)]);
}

/// jellyfin#11411: `ARTISTS` was ignored.
#[test]
fn the_list_of_artists_was_ignored() {
    let m4a = mp4(&[mp4_text("©ART", &["One feat. Two"]), mp4_free("ARTISTS", &["One", "Two"])], b"audio");
    for tags in [
        vorbis_tags(&[("ARTIST", "One feat. Two"), ("ARTISTS", "One"), ("ARTISTS", "Two")]),
        mp3(4, &[text("TPE1", "One feat. Two"), user_text("ARTISTS", "One\0Two")]).tags,
        good("a.m4a", &m4a).tags,
    ] {
        assert_eq!(names(&tags.credits), [("One", Role::Main), ("Two", Role::Featured)]);
        assert_eq!(tags.artist_shown.as_deref(), Some("One feat. Two"));
    }
}

/// music-assistant/server#3390: a value out of a real list was split again, and a name with one `MusicBrainz` id too.
#[test]
fn what_was_a_list_already_was_split_again() {
    let id = "00000000-0000-4000-8000-000000000001";
    let tags = vorbis_tags(&[("ARTIST", "Me; Myself"), ("ARTIST", "I")]);
    assert_eq!(names(&tags.credits), [("Me; Myself", Role::Main), ("I", Role::Main)]);
    let tags = vorbis_tags(&[("ARTIST", "Me; Myself"), ("MUSICBRAINZ_ARTISTID", id)]);
    let whole = Credit {
        name: "Me; Myself".to_owned(),
        sort: None,
        musicbrainz: Some(id.to_owned()),
        role: Role::Main,
    };
    assert_eq!(tags.credits, [whole]);
}

/// jellyfin#9623: of several `MusicBrainz` ids the first was taken for all.
#[test]
fn several_ids_were_cut_to_the_first() {
    let ids = [1, 2].map(|n| format!("00000000-0000-4000-8000-{n:012}"));
    let frames =
        [text("TPE1", "Nico & The Velvet Underground"), user_text("MusicBrainz Artist Id", &ids.join("/"))];
    let credits = mp3(3, &frames).tags.credits;
    let told: Vec<_> =
        credits.iter().map(|credit| (credit.name.as_str(), credit.musicbrainz.clone())).collect();
    assert_eq!(told, [("Nico", Some(ids[0].clone())), ("The Velvet Underground", Some(ids[1].clone()))]);
}

/// navidrome#503: a genre was shown as `(155)`.
#[test]
fn a_genre_was_shown_as_its_code() {
    assert_eq!(mp3(3, &[text("TCON", "(155)")]).tags.genres, ["Downtempo"]);
    assert_eq!(mp3(3, &[text("TCON", "(4)Eurodisco")]).tags.genres, ["Eurodisco"]);
}

/// node-taglib-sharp#122: “20er Jahre” became “Alternative”, which has the code 20.
#[test]
fn a_genre_that_begins_with_a_number_was_read_as_a_code() {
    assert_eq!(mp3(4, &[text("TCON", "20er Jahre")]).tags.genres, ["20er Jahre"]);
}

/// getID3#80, Clementine#254: ID3v1 in Windows' Cyrillic was shown as “Êèíî”.
#[test]
fn cyrillic_in_id3v1_was_shown_as_latin() {
    // “Группа крови” and “Кино” in windows-1251.
    let title_bytes = b"\xc3\xf0\xf3\xef\xef\xe0 \xea\xf0\xee\xe2\xe8";
    let reading =
        good("a.mp3", &[mpeg(20, 1), id3v1(title_bytes, b"\xca\xe8\xed\xee", b"", *b"1988", 1, 17)].concat());
    assert_eq!(title(&reading.tags), Some("Группа крови"));
    assert_eq!(names(&reading.tags.credits), [("Кино", Role::Main)]);
    assert_eq!(reading.oddities, [Oddity::Mojibake("windows-1251".to_owned())]);
}

/// oc-music#785, Clementine#1666, taglib-sharp#250, quodlibet#3555: the same in ID3v2 frames that call it Latin-1; and
/// a repair must not touch what is Latin-1, or another encoding that is named rightly.
#[test]
fn cyrillic_that_is_called_latin1_in_id3v2_was_shown_as_latin() {
    let frames =
        [latin1("TIT2", b"\xc3\xf0\xf3\xef\xef\xe0 \xea\xf0\xee\xe2\xe8"), text("TALB", "Èñêóññòâî")];
    let reading = mp3(3, &frames);
    assert_eq!(title(&reading.tags), Some("Группа крови"));
    assert_eq!(
        reading.tags.album.map(|album| album.shown).as_deref(),
        Some("Èñêóññòâî"),
        "UTF-8 says what it means"
    );
    let reading = mp3(3, &[latin1("TIT2", b"D\xe9j\xe0 vu"), latin1("TPE1", b"Bj\xf6rk")]);
    assert_eq!((title(&reading.tags), reading.oddities), (Some("Déjà vu"), Vec::new()));
}

/// navidrome#492: the thirty bytes of ID3v1 were preferred to the whole title.
#[test]
fn the_cut_title_of_id3v1_was_preferred() {
    let whole = "A title that is longer than thirty bytes";
    let file =
        [id3v2(4, &[text("TIT2", whole)]), mpeg(20, 1), id3v1(whole.as_bytes(), b"", b"", *b"1999", 0, 255)];
    let reading = good("a.mp3", &file.concat());
    assert_eq!(
        (title(&reading.tags), reading.oddities),
        (Some(whole), Vec::new()),
        "to be cut is no contradiction"
    );
    assert_eq!(
        reading.tags.date,
        Some(Date { year: 1999, month: None, day: None }),
        "what only ID3v1 says stays"
    );
}

/// unplayer#48: an APE tag hid the picture of the ID3v2 tag.
#[test]
fn an_ape_tag_hid_the_picture_of_id3v2() {
    let file = [id3v2(4, &[picture(3, b"png")]), mpeg(20, 1), ape_tag(&[("Title", "From APE")])];
    let reading = good("a.mp3", &file.concat());
    assert_eq!((reading.pictures.len(), title(&reading.tags)), (1, Some("From APE")));
}

/// music-metadata#191: `ReplayGain` that mp3gain writes only into APE was not found.
#[test]
fn replay_gain_in_ape_was_not_found() {
    let items = [("REPLAYGAIN_TRACK_GAIN", "-7.03 dB"), ("replaygain_track_peak", "0.988")];
    let file = [id3v2(4, &[text("TIT2", "Title")]), mpeg(20, 1), ape_tag(&items)];
    let gain = good("a.mp3", &file.concat()).tags.gain;
    assert_eq!((gain.track, gain.track_peak, gain.album), (Some(-7.03), Some(0.988), None));
}

/// taglib#1442: one chunk with a bad name took all tags of a RIFF file.
#[test]
fn a_bad_chunk_name_took_all_tags() {
    let mut file = wav(&[("INAM", "Title")], b"", &[1; 400]);
    file.extend([&b"\x01\xff\x02 "[..], &[4, 0, 0, 0, 1, 2, 3, 4]].concat());
    let size = u32::try_from(file.len() - 8).unwrap().to_le_bytes();
    file[4..8].copy_from_slice(&size);
    assert_eq!(title(&good("a.wav", &file).tags), Some("Title"));
}

/// jellyfin#1757: the tags of WAV files were not read.
#[test]
fn tags_of_wav_files_were_not_read() {
    let info: &[Pair<'_>] = &[("INAM", "Title"), ("IART", "One"), ("ITRK", "3/12"), ("ICRD", "2001-02-03")];
    let tags = good("a.wav", &wav(info, b"", &[1; 400])).tags;
    assert_eq!((title(&tags), names(&tags.credits)), (Some("Title"), vec![("One", Role::Main)]));
    assert_eq!(tags.track, Place { number: Some(3), total: Some(12) });
    assert_eq!(tags.date, Some(Date { year: 2001, month: Some(2), day: Some(3) }));
    let both = good("a.wav", &wav(info, &id3v2(4, &[text("TIT2", "The better one")]), &[1; 400]));
    assert_eq!(title(&both.tags), Some("The better one"));
    assert_eq!(both.oddities, [Oddity::Contradiction("title".to_owned())]);
}

/// jellyfin#4991, jellyfin#15066, navidrome#2104: `A1` and `B2` of a record became 0.
#[test]
fn the_sides_of_a_record_became_zero() {
    let places = |items: &[Pair<'_>]| {
        let tags = vorbis_tags(items);
        (tags.track.number, tags.disc.number)
    };
    assert_eq!(places(&[("TRACKNUMBER", "A1")]), (Some(1), Some(1)));
    assert_eq!(places(&[("TRACKNUMBER", "B2")]), (Some(2), Some(2)));
    assert_eq!(places(&[("TRACKNUMBER", "B2"), ("DISCNUMBER", "1/2")]), (Some(2), Some(1)));
    assert_eq!(places(&[("TRACKNUMBER", "0")]), (None, None));
}

/// navidrome#1452, euphonica#221: `2024.06.28` was no date.
#[test]
fn a_date_with_points_was_none() {
    let day = Some(Date { year: 2024, month: Some(6), day: Some(28) });
    let tags = vorbis_tags(&[("DATE", "2024.06.28"), ("ORIGINALDATE", "1971/05")]);
    assert_eq!((tags.date, tags.original_date), (day, Some(Date { year: 1971, month: Some(5), day: None })));
    assert_eq!(good("a.m4a", &mp4(&[mp4_text("©day", &["2024-06-28T07:00:00Z"])], b"audio")).tags.date, day);
}

/// navidrome#2728: the original date and the date of the edition were swapped.
#[test]
fn dates_were_swapped() {
    let frames = [text("TDRC", "2003"), text("TDOR", "1971-05-01"), text("TDRL", "2011-06")];
    let tags = mp3(4, &frames).tags;
    assert_eq!(tags.original_date, Some(Date { year: 1971, month: Some(5), day: Some(1) }));
    assert_eq!(tags.release_date, Some(Date { year: 2011, month: Some(6), day: None }));
    assert_eq!(tags.date, Some(Date { year: 2003, month: None, day: None }));
}

/// MPD#976, MPD#2370, vanilla#982: the gain of Opus has another reference, and none must be invented.
#[test]
fn the_gain_of_opus_was_taken_for_replay_gain() {
    let gain = |items: &[Pair<'_>]| good("a.opus", &opus(items, &[1; 400])).tags.gain;
    let told = gain(&[("R128_TRACK_GAIN", "-1152"), ("R128_ALBUM_GAIN", "256")]);
    assert_eq!((told.r128_track, told.r128_album, told.track), (Some(-4.5), Some(1.0), None));
    assert_eq!(gain(&[]), Gain::default());
}

/// navidrome#495: the mark of a compilation was read in MP3 alone.
#[test]
fn the_mark_of_a_compilation_was_read_in_mp3_alone() {
    let m4a = |value| good("a.m4a", &mp4(&[mp4_number(*b"cpil", 21, &[value])], b"audio")).tags.compilation;
    let all = [
        mp3(3, &[text("TCMP", "1")]).tags.compilation,
        vorbis_tags(&[("COMPILATION", "1")]).compilation,
        m4a(1),
        good("a.ape", &ape(&ape_tag(&[("Compilation", "1")]), b"audio")).tags.compilation,
    ];
    assert_eq!(all, [Some(true); 4]);
    assert_eq!([m4a(0), vorbis_tags(&[]).compilation], [Some(false), None]);
}

/// slimserver#185, Y2Player#70: audio books stood among the music.
#[test]
fn audio_books_stood_among_the_music() {
    let m4a = |name: &str, atoms: &[Vec<u8>]| good(name, &mp4(atoms, b"audio")).tags.spoken;
    let all = [
        m4a("a.m4b", &[]),
        m4a("a.m4a", &[mp4_number(*b"stik", 21, &[2])]),
        m4a("a.m4a", &[mp4_number(*b"pcst", 21, &[1])]),
        vorbis_tags(&[("GENRE", "Audiobook")]).spoken,
        mp3(3, &[text("TCON", "(101)")]).tags.spoken,
    ];
    assert_eq!(all, [true; 5]);
    assert_eq!([m4a("a.m4a", &[mp4_number(*b"stik", 21, &[1])]), vorbis_tags(&[]).spoken], [false; 2]);
}

/// epoupon/lms#449, bliss-analyser#18: nobody said that DSF is not read, it was just not there.
#[test]
fn a_kind_that_is_not_read_was_passed_over_in_silence() {
    let kind = |kind: &str| Err(Unreadable::NotSupported { kind: kind.to_owned() });
    assert_eq!(read("a.dsf", b"DSD \x1c\0\0\0\0\0\0\0"), kind("DSD (dsf)"));
    assert!(archy_content::is_audio_name("A.DSF".as_ref()));
}

/// jellyfin#14892: a Matroska file was read as something else, and its artists were lost.
#[test]
fn matroska_was_guessed_as_mpeg() {
    let matroska = [&[0x1a, 0x45, 0xdf, 0xa3][..], &mpeg(20, 1)].concat();
    let kind = Err(Unreadable::NotSupported { kind: "Matroska or WebM (mka)".to_owned() });
    assert_eq!([read("a.mka", &matroska), read("a.mp3", &matroska)], [kind.clone(), kind]);
}

/// DeaDBeeF#2727: an empty file ended the player, and again at each start.
#[test]
fn an_empty_file_ended_the_player() {
    assert_eq!(read("a.mp3", b""), Err(Unreadable::Empty));
}

/// oc-music#921, getID3#352: an MP3 was taken for Musepack, and a division by zero ended the scan.
#[test]
fn an_mp3_was_taken_for_musepack() {
    let reading = good("a.mp3", &[id3v2(4, &[text("TIT2", "MP+ MPCK")]), mpeg(20, 1)].concat());
    assert_eq!((reading.audio.codec.as_str(), title(&reading.tags)), ("mp3", Some("MP+ MPCK")));
}

/// rsgain#112, astra#221, fruitbox#6: what macOS keeps beside each file (`._a.m4a`) was taken for a track.
#[test]
fn a_file_of_apple_double_was_taken_for_a_track() {
    let apple = [&b"\0\x05\x16\x07\0\x02\0\0Mac OS X        "[..], &[0; 200]].concat();
    let wanted = Err(Unreadable::Damaged {
        says: "what macOS keeps beside a file (AppleDouble), and no audio".to_owned(),
    });
    for name in ["._a.mp3", "a.aac", "a.m4a", "a.flac"] {
        assert_eq!(read(name, &apple), wanted, "{name}");
    }
}

/// lofty#452, lofty#458: one bad date frame threw away the whole file.
#[test]
fn a_bad_date_threw_away_the_whole_file() {
    let frames = [text("TIT2", "Title"), text("TDRC", "not a date"), text("TYER", "99x9")];
    let reading = mp3(4, &frames);
    assert_eq!((title(&reading.tags), reading.tags.date), (Some("Title"), None));
}

/// lofty#412, getID3#41: durations that no file of this size can have.
#[test]
fn a_length_that_cannot_be_was_believed() {
    let mut file = wav(&[("INAM", "Title")], b"", &[1; 400]);
    // Bytes a second: none. Then a rate that no device has.
    file[28..32].copy_from_slice(&[0; 4]);
    file[24..28].copy_from_slice(&[0xff; 4]);
    let reading = good("a.wav", &file);
    assert_eq!((reading.audio.milliseconds, reading.audio.rate), (None, None));
    assert_eq!((title(&reading.tags), reading.oddities), (Some("Title"), vec![Oddity::ImpossibleAudio]));
}

/// taglib#1405: chapter frames in chapter frames overflow the stack of whoever follows them, and end the process.
#[test]
fn nested_chapters_ended_the_process() {
    let bomb = (0..60).fold(Vec::new(), |inner: Vec<u8>, _| {
        let size = inner.len() + 4;
        let safe = [21, 14, 7, 0].map(|shift| u8::try_from((size >> shift) & 0x7f).unwrap());
        [&b"CTOC"[..], &safe, b"\0\0a\0\x03\0", &inner].concat()
    });
    let tag = id3v2(4, &[bomb]);
    let hostile = Err(Unreadable::Hostile { says: "its chapters are nested too deep".to_owned() });
    assert_eq!(read("a.mp3", &[&tag[..], &mpeg(20, 1)].concat()), hostile);
    assert_eq!(read("a.wav", &wav(&[], &tag, b"audio")), hostile);
    assert_eq!(read("a.aiff", &aiff(&[], &tag, b"audio")), hostile);
    let flac = [tag, flac([1; 16], &[], b"audio")].concat();
    assert_eq!(read("a.flac", &flac), hostile);
}

/// getID3#41, fooyin#1516: an MP3 of varying bitrate without a head was as long as its first frame let think.
#[test]
fn the_first_frame_said_how_long_all_is() {
    // MPEG 2 at 24 kHz: 24 bytes of 8 kbit/s, then 480 of 160; 24 ms each.
    let mut loud = vec![0xff, 0xf3, 0xe4, 0xc0];
    loud.resize(480, 1);
    let file = [id3v2(4, &[text("TIT2", "Title")]), mpeg(40, 1), loud.repeat(1_200)].concat();
    let long = good("a.mp3", &file).audio.milliseconds.unwrap_or_default();
    assert!((28_000..33_000).contains(&long), "{long} ms, and not ten minutes");
}
