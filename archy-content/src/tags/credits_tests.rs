use super::*;

const ONE: &str = "00000000-0000-4000-8000-000000000001";
const TWO: &str = "00000000-0000-4000-8000-000000000002";

fn told(shown: &[&str], listed: &[&str], ids: &[&str]) -> Vec<(String, Role)> {
    let own = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let (shown, listed, ids) = (own(shown), own(listed), own(ids));
    let said = Said { shown: &shown, listed: &listed, sort: &[], ids: &ids };
    artists(said).1.into_iter().map(|credit| (credit.name, credit.role)).collect()
}

#[test]
fn one_line_is_split_only_where_no_name_is_written_so() {
    let main = |names: &[&str]| names.iter().map(|&name| (name.to_owned(), Role::Main)).collect::<Vec<_>>();
    for whole in [
        "AC/DC",
        "Simon & Garfunkel",
        "Earth, Wind & Fire",
        "Tyler, The Creator",
        "STEINS;GATE",
        "Crosby, Stills, Nash & Young",
        "Feat. Nobody",
        "Daft. Punk",
        "The Featuring",
        "+/-",
        "Ft. Worth Symphony",
    ] {
        assert_eq!(told(&[whole], &[], &[]), main(&[whole]));
    }
    assert_eq!(told(&["Queen; David Bowie"], &[], &[]), main(&["Queen", "David Bowie"]));
    for line in ["A feat. B", "A Ft. B", "A featuring B", "A (feat. B)", "A [FEAT. B]"] {
        assert_eq!(
            told(&[line], &[], &[]),
            [("A".to_owned(), Role::Main), ("B".to_owned(), Role::Featured)],
            "{line}"
        );
    }
}

#[test]
fn a_list_wins_and_keeps_who_is_a_guest() {
    let wanted = [("Eminem".to_owned(), Role::Main), ("Rihanna".to_owned(), Role::Featured)];
    assert_eq!(told(&["Eminem feat. Rihanna"], &["Eminem", "Rihanna"], &[]), wanted);
    let list = [("A; B".to_owned(), Role::Main), ("C".to_owned(), Role::Main)];
    assert_eq!(told(&["A; B", "C"], &[], &[]), list, "values of a list are never split");
}

#[test]
fn ids_say_how_many_there_are() {
    let one = [("A feat. B; C".to_owned(), Role::Main)];
    assert_eq!(told(&["A feat. B; C"], &[], &[ONE]), one, "one id, one artist");
    let two = [("AC/DC".to_owned(), Role::Main), ("Queen".to_owned(), Role::Main)];
    assert_eq!(told(&["AC/DC; Queen"], &[], &[ONE, TWO]), two);
    let both = format!("{ONE}/{TWO}");
    let wide = [("Simon".to_owned(), Role::Main), ("Garfunkel".to_owned(), Role::Main)];
    assert_eq!(told(&["Simon & Garfunkel"], &[], &[&both]), wide, "as many names as ids");
    assert_eq!(
        told(&["A / B"], &["A / B"], &[ONE, TWO]).len(),
        2,
        "a list in one line, as ID3v2.3 has to write it"
    );
}

#[test]
fn ids_and_sort_names_find_their_names() {
    let own = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let (shown, sort) = (own(&["The Beatles; Billy Preston"]), own(&["Beatles, The; Preston, Billy"]));
    let ids = own(&[&format!("{}; {TWO}", ONE.to_uppercase())]);
    let (line, credits) = artists(Said { shown: &shown, listed: &[], sort: &sort, ids: &ids });
    let credit = |name: &str, sort: &str, id: &str| Credit {
        name: name.to_owned(),
        sort: Some(sort.to_owned()),
        musicbrainz: Some(id.to_owned()),
        role: Role::Main,
    };
    assert_eq!(line.as_deref(), Some("The Beatles; Billy Preston"));
    assert_eq!(
        credits,
        [credit("The Beatles", "Beatles, The", ONE), credit("Billy Preston", "Preston, Billy", TWO)]
    );
}

#[test]
fn a_guest_in_the_title_is_credited_and_once() {
    for title in ["Song (feat. B)", "Song [ft. B] (Live)", "Song feat. B", "Song (Featuring B)"] {
        let mut credits = vec![credit("A", Role::Main)];
        add_from_title(title, &mut credits);
        add_from_title(title, &mut credits);
        assert_eq!(credits, [credit("A", Role::Main), credit("B", Role::Featured)], "{title}");
    }
    let mut credits = vec![credit("A", Role::Main)];
    for title in ["A featuring of sorts", "Lift.off", "Defeat. Again", "Loft. Music"] {
        add_from_title(title, &mut credits);
    }
    assert_eq!(credits, [credit("A", Role::Main)]);
}
