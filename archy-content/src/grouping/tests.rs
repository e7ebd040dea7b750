use super::*;

fn track(track: i64, number: u32) -> Member {
    Member {
        track,
        folder: (1, b"Queen/Jazz".to_vec()),
        album: "jazz".into(),
        declared: "queen".into(),
        artist: "queen".into(),
        number: Some(number),
        ..Member::default()
    }
}

fn albums(members: &[Member]) -> Vec<Vec<i64>> {
    let mut albums: Vec<_> = group(members).into_iter().map(|group| group.tracks).collect();
    albums.sort();
    albums
}

#[test]
fn one_folder_stays_together_whatever_holes_its_dates_and_ids_have() {
    let mut tracks = vec![track(1, 1), track(2, 2), track(3, 3)];
    tracks[0].year = Some(1978);
    tracks[1].year = Some(2011);
    tracks[1].release = Some("r".into());
    assert_eq!(
        group(&tracks),
        [Group {
            key: "mb:r".into(),
            by: By::Declared("queen".into()),
            release: Some("r".into()),
            tracks: vec![1, 2, 3]
        }]
    );
}

#[test]
fn nobody_declared_is_various_unless_three_quarters_are_one_artists() {
    let mut tracks: Vec<_> =
        (1..=4).map(|n| Member { declared: String::new(), ..track(n.into(), n) }).collect();
    assert_eq!(group(&tracks)[0].by, By::Most("queen".into()));
    tracks[3].artist = "abba".into();
    assert_eq!(group(&tracks)[0].by, By::Most("queen".into()));
    tracks[2].artist = "bowie".into();
    assert_eq!(group(&tracks)[0].by, By::Various);
    assert_eq!(group(&tracks).len(), 1);
}

#[test]
fn two_release_ids_that_claim_one_place_are_two_editions() {
    let mut tracks = vec![track(1, 1), track(2, 1), track(3, 2)];
    tracks[0].release = Some("a".into());
    tracks[1].release = Some("b".into());
    assert_eq!(albums(&tracks), [vec![1, 3], vec![2]]);
    tracks[1].number = Some(3);
    assert_eq!(albums(&tracks), [vec![1, 2, 3]]);
}

#[test]
fn years_part_only_what_claims_the_same_places_in_two_folders() {
    let mut tracks = vec![track(1, 1), track(2, 1)];
    tracks[0].year = Some(1978);
    tracks[1].year = Some(2011);
    assert_eq!(albums(&tracks), [vec![1, 2]]);
    tracks[1].folder.1 = b"Queen/Jazz (2011)".to_vec();
    assert_eq!(albums(&tracks), [vec![1], vec![2]]);
    tracks[1].number = Some(2);
    assert_eq!(albums(&tracks), [vec![1, 2]]);
}

#[test]
fn hits_of_two_declared_artists_in_one_folder_are_two_albums() {
    let mut tracks = vec![track(1, 1), track(2, 1), track(3, 2)];
    tracks[1].declared = "abba".into();
    tracks[2].declared = String::new();
    tracks[2].artist = "abba".into();
    assert_eq!(albums(&tracks), [vec![1], vec![2, 3]]);
}

#[test]
fn a_disc_folder_is_its_parents() {
    for (folder, parent, disc) in [
        ("A/CD1", "A", Some(1)),
        ("A/Disc 02", "A", Some(2)),
        ("A/disk-3", "A", Some(3)),
        ("A/(CD2) Live", "A", Some(2)),
        ("A/CD 1 - The Early Years", "A", Some(1)),
        ("CD1", "", Some(1)),
        ("A/CDs", "A/CDs", None),
        ("A/Discovery", "A/Discovery", None),
        ("A/Disc 1st", "A/Disc 1st", None),
        ("A/CD 1999", "A/CD 1999", None),
        ("", "", None),
    ] {
        assert_eq!(album_folder(folder.as_bytes()), (parent.as_bytes(), disc), "{folder}");
    }
}

#[test]
fn the_order_of_tracks_changes_nothing() {
    let mut tracks = vec![track(1, 1), track(2, 1), track(3, 2), track(4, 3)];
    tracks[1].folder.1 = b"Queen/Other".to_vec();
    tracks[1].year = Some(2011);
    tracks[2].release = Some("r".into());
    let there = group(&tracks);
    tracks.reverse();
    assert_eq!(group(&tracks), there);
}
