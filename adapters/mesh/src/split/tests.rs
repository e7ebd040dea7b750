use proptest::prelude::*;

use super::*;

fn shown(text: &str, budget: usize) -> Vec<String> {
    let parts = split(text, budget);
    (0..parts.len()).map(|place| parts.numbered(place).unwrap()).collect()
}

#[test]
fn what_fits_has_no_number() {
    assert_eq!(shown("", 20), [""; 0]);
    assert_eq!(shown("Привет, 42 GB.", 24), ["Привет, 42 GB."]);
}

#[test]
fn a_sentence_is_cut_after_its_end_and_no_number_in_half() {
    let text = "Bitcoin 28.1 runs. It is at block 912,345. Nothing else is wrong with the node today.";
    assert_eq!(
        shown(text, 50),
        ["1/2 Bitcoin 28.1 runs. It is at block 912,345. ", "2/2 Nothing else is wrong with the node today."]
    );
    assert_eq!(shown("aaaa bbbb cccc dddd eeee", 20), ["1/2 aaaa bbbb cccc ", "2/2 dddd eeee"]);
}

#[test]
fn what_people_see_as_one_character_is_never_cut() {
    // Nine flags of eight bytes, and families of 25.
    assert_eq!(shown(&"🇩🇪".repeat(9), 36), ["1/3 🇩🇪🇩🇪🇩🇪🇩🇪", "2/3 🇩🇪🇩🇪🇩🇪🇩🇪", "3/3 🇩🇪"]);
    assert_eq!(shown(&"👨‍👩‍👧‍👦".repeat(2), 30), ["1/2 👨‍👩‍👧‍👦", "2/2 👨‍👩‍👧‍👦"]);
}

#[test]
fn a_character_that_no_part_holds_is_a_question_mark() {
    assert_eq!(shown("ok 👨‍👩‍👧‍👦 and more of it", 20), ["1/2 ok ", "2/2 ? and more of it"]);
}

#[test]
fn a_script_without_spaces_is_cut_between_its_words() {
    let parts = shown("ラジオとコンピューターとネットワーク", 36);
    assert_eq!(parts, ["1/3 ラジオと", "2/3 コンピューターと", "3/3 ネットワーク"]);
}

#[test]
fn ten_parts_and_more_have_room_for_their_numbers() {
    let parts = shown(&"word ".repeat(40), 20);
    assert_eq!(parts.len(), 20);
    assert_eq!((&*parts[0], &*parts[19]), ("1/20 word word ", "20/20 word word "));
}

fn character() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::char::range('a', 'z').prop_map(String::from),
        3 => Just(" ".to_owned()),
        1 => prop::sample::select(vec![". ", "! ", "\n", "3.5", "1/2 ", ", ", "。", "-"]).prop_map(str::to_owned),
        2 => prop::char::range('а', 'я').prop_map(String::from),
        1 => prop::char::range('一', '龥').prop_map(String::from),
        1 => prop::char::range('א', 'ת').prop_map(String::from),
        1 => prop::char::range('ก', 'ฮ').prop_map(|c| format!("{c}\u{e33}")),
        1 => prop::sample::select(vec!["👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "🇺", "👍🏽", "e\u{301}", "क्षि", "각", "🧑‍🚀", "\u{200d}", "\u{301}"])
            .prop_map(str::to_owned),
        1 => (1_usize..30).prop_map(|marks| format!("o{}", "\u{323}".repeat(marks))),
        1 => any::<char>().prop_map(String::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn parts_rejoin_fit_and_are_numbered(
        text in prop::collection::vec(character(), 0..300).prop_map(|all| all.concat()),
        budget in 20_usize..260,
    ) {
        let parts = split(&text, budget);
        let all = parts.len();
        let width = if all > 1 { 2 * all.to_string().len().max(1) + 2 } else { 0 };
        for place in 0..all {
            let sent = parts.numbered(place).unwrap();
            prop_assert!(sent.len() <= budget, "{} > {budget}: {sent:?}", sent.len());
            let number = if all > 1 { format!("{}/{all} ", place + 1) } else { String::new() };
            prop_assert_eq!(&sent, &format!("{number}{}", parts.bodies()[place]));
            prop_assert!(!parts.bodies()[place].is_empty());
        }
        prop_assert_eq!(parts.numbered(all), None);
        // Whole characters, in order; one is a question mark only where no part can hold it.
        let mut ends = Vec::new();
        let mut joined = parts.bodies().concat();
        let body_ends: Vec<usize> = parts.bodies().iter().scan(0, |sum, body| { *sum += body.len(); Some(*sum) }).collect();
        let mut rest = std::mem::take(&mut joined);
        let mut at = 0;
        for character in text.graphemes(true) {
            let taken = if rest.starts_with(character) { character.len() } else {
                prop_assert!(rest.starts_with('?'), "{character:?} is lost before {rest:?}");
                prop_assert!(character.len() + width > budget.min(text.len()) || character.len() + 4 > budget - 2);
                1
            };
            at += taken;
            ends.push(at);
            rest.drain(..taken);
        }
        prop_assert!(rest.is_empty());
        for end in body_ends {
            prop_assert!(ends.contains(&end), "a character is cut at {end}");
        }
    }
}
