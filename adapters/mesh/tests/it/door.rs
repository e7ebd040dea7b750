//! One message at a time: what is asked, what is sent and when.

use std::sync::Arc;
use std::time::Duration;

use archy_assistant::{Categories, Category, Scope, Timestamp};
use archy_mesh::{
    Admission, Allowance, Answer, Channel, ContactKey, Handled, MeshDoor, Next, NotSent, Packet, Question,
    Received, Remembered, Sender, Sent, Settings, Silence, Strangers, TrustNobody,
};

use crate::world::{after, facts, key, said};

const ANN: u32 = 1;
const OWNER: u32 = 2;

fn settings() -> Settings {
    Settings {
        admission: Admission {
            enabled: true,
            allowed_contacts: [key(ANN)].into(),
            denied_askers: [key(66)].into(),
            owner_keys: [key(OWNER)].into(),
            categories: Categories::only(Category::Bitcoin),
            ..Admission::default()
        },
        airtime: Allowance { permille: 100, ..Allowance::default() },
        ..Settings::default()
    }
}

fn door(settings: Settings) -> MeshDoor {
    let mut door = MeshDoor::new(settings, Arc::new(TrustNobody), Remembered::nothing());
    door.up(facts());
    door
}

fn asked(door: &mut MeshDoor, from: ContactKey, text: &str, now: Timestamp) -> Question {
    match door.handle(&said(from, text, now), now) {
        Handled::Ask(question) => question,
        other => panic!("{other:?}"),
    }
}

fn packet(door: &mut MeshDoor, now: Timestamp) -> Packet {
    match door.due(now) {
        Next::Send(packet) => packet,
        other => panic!("{other:?}"),
    }
}

/// Everything that is sent from now on, each part acknowledged at once.
fn sent(door: &mut MeshDoor, mut now: Timestamp) -> Vec<String> {
    let mut texts = Vec::new();
    loop {
        match door.due(now) {
            Next::Send(packet) => {
                texts.push(packet.text);
                let ack = u32::try_from(texts.len()).expect("they are few");
                door.sent(Ok(Sent::Awaiting { ack, within: Duration::from_secs(9) }), now);
                door.acknowledged(ack, now);
            }
            Next::At(at) if at.0 < now.0 + 5_000 => now = at,
            _ => return texts,
        }
    }
}

#[test]
fn a_contact_asks_with_its_own_scope_and_hears_the_answer() {
    let mut door = door(settings());
    let question = asked(&mut door, key(ANN), " which block? ", after(0));
    assert_eq!(question.principal.as_str(), format!("radio:{}", key(ANN)));
    assert_eq!((&*question.text, question.instead_of), ("which block?", None));
    assert_eq!(
        question.scope,
        Scope { read: Categories::only(Category::Bitcoin), propose: Categories::NONE }
    );
    assert_eq!(door.due(after(0)), Next::At(after(20_000)));
    door.answered(question.id, &Answer::Said("**Block** 912,345.".to_owned()), after(3_000));
    let packet = packet(&mut door, after(3_000));
    assert_eq!((packet.text.as_str(), packet.attempt), ("Block 912,345.", 0));
    assert_eq!(packet.to, question.asker);
}

#[test]
fn only_the_owners_own_key_proposes_and_the_radio_hears_that_it_waits() {
    let mut door = door(settings());
    let question = asked(&mut door, key(OWNER), "restart bitcoin", after(0));
    assert_eq!(question.scope.propose, Categories::only(Category::Bitcoin));
    door.answered(question.id, &Answer::Waits, after(1_000));
    assert_eq!(sent(&mut door, after(1_000)), ["That waits for a yes in the node's page."]);
}

#[test]
fn those_who_may_not_ask_hear_nothing() {
    let mut door = door(settings());
    let unknown = Received { from: Sender::Unknown, at: 1, text: "hi".to_owned() };
    for message in [said(key(66), "hi", after(0)), said(key(9), "hi", after(0)), unknown] {
        assert_eq!(door.handle(&message, after(0)), Handled::Silence(Silence::NotAdmitted));
    }
    assert_eq!(door.due(after(60_000)), Next::Nothing);
    assert_eq!(door.held(), [0; 6]);
}

#[test]
fn a_long_answer_comes_in_two_parts_and_the_rest_for_more() {
    let mut door = door(settings());
    let question = asked(&mut door, key(ANN), "tell me all", after(0));
    let text = (1..=14).map(|n| format!("This is sentence number {n} of it.")).collect::<Vec<_>>().join(" ");
    door.answered(question.id, &Answer::Said(text), after(0));
    let first = sent(&mut door, after(0));
    assert_eq!(first.iter().map(|part| &part[..4]).collect::<Vec<_>>(), ["1/4 ", "2/4 "]);
    assert!(first[1].ends_with(" (more)") && first.iter().all(|part| part.len() <= 150), "{first:?}");
    assert_eq!(door.handle(&said(key(ANN), "More", after(60_000)), after(60_000)), Handled::Said);
    let rest = sent(&mut door, after(60_000));
    assert_eq!(rest.iter().map(|part| &part[..4]).collect::<Vec<_>>(), ["3/4 ", "4/4 "]);
    assert!(rest[1].ends_with("number 14 of it."));
    door.handle(&said(key(ANN), "more", after(120_000)), after(120_000));
    assert_eq!(sent(&mut door, after(120_000)), ["Nothing more is kept."]);
}

#[test]
fn a_slow_answer_is_announced_once() {
    let mut door = door(settings());
    let question = asked(&mut door, key(ANN), "think hard", after(0));
    assert_eq!(sent(&mut door, after(20_000)), ["Working on it."]);
    assert_eq!(sent(&mut door, after(60_000)), [""; 0]);
    door.answered(question.id, &Answer::Said("42.".to_owned()), after(70_000));
    assert_eq!(sent(&mut door, after(70_000)), ["42."]);
}

#[test]
fn a_new_question_takes_the_place_of_the_one_before() {
    let mut door = door(settings());
    let first = asked(&mut door, key(ANN), "one", after(0));
    let second = asked(&mut door, key(ANN), "two", after(5_000));
    assert_eq!(second.instead_of, Some(first.id));
    door.answered(first.id, &Answer::Said("1".to_owned()), after(6_000));
    door.answered(second.id, &Answer::Said("2".to_owned()), after(6_000));
    assert_eq!(sent(&mut door, after(6_000)), ["2"]);
}

#[test]
fn a_repetition_is_not_answered_twice_also_after_a_restart() {
    let mut door = door(settings());
    let message = said(key(ANN), "which block?", after(0));
    asked(&mut door, key(ANN), "which block?", after(0));
    assert_eq!(door.handle(&message, after(9_000)), Handled::Silence(Silence::Duplicate));
    let kept = door.remembered().to_bytes();
    let remembered = Remembered::read(&kept, after(20_000));
    let mut restarted = MeshDoor::new(settings(), Arc::new(TrustNobody), remembered);
    assert_eq!(restarted.handle(&message, after(20_000)), Handled::Silence(Silence::Duplicate));
}

#[test]
fn whoever_is_denied_while_an_answer_is_made_hears_no_more_of_it() {
    let mut door = door(settings());
    let question = asked(&mut door, key(ANN), "tell me", after(0));
    door.answered(question.id, &Answer::Said("word ".repeat(50)), after(0));
    packet(&mut door, after(0));
    door.sent(Ok(Sent::Awaiting { ack: 1, within: Duration::from_secs(9) }), after(0));
    let mut denied = settings();
    denied.admission.denied_askers.insert(key(ANN));
    door.configure(denied);
    door.acknowledged(1, after(500));
    assert_eq!(sent(&mut door, after(5_000)), [""; 0]);
    assert_eq!(door.scope(&question.asker), None);
}

#[test]
fn what_does_not_fit_the_airtime_is_shortened_and_then_refused_in_one_line() {
    let mut tight = settings();
    // 3 seconds an hour: two packets that are not long.
    tight.airtime = Allowance { permille: 1, one_asker_percent: 84, strangers_percent: 50 };
    let mut door = door(tight);
    let question = asked(&mut door, key(ANN), "tell me", after(0));
    door.answered(question.id, &Answer::Said("word ".repeat(100)), after(0));
    let first = sent(&mut door, after(0));
    assert_eq!(first.len(), 1, "{first:?}");
    assert!(first[0].starts_with("1/") && first[0].ends_with(" (more)"), "{first:?}");
    let question = asked(&mut door, key(ANN), "tell me more of it", after(60_000));
    door.answered(question.id, &Answer::Said("word ".repeat(100)), after(60_000));
    let second = sent(&mut door, after(60_000));
    assert!(second.len() == 1 && second[0].ends_with("word…") && second[0].len() < 145, "{second:?}");
    let refused = door.handle(&said(key(ANN), "and now", after(120_000)), after(120_000));
    assert_eq!(refused, Handled::Silence(Silence::NoAirtime));
    assert!(door.spent(after(120_000)) <= 3_600);
    let question = asked(&mut door, key(ANN), "and now?", after(4_000_000));
    door.answered(question.id, &Answer::Said("Yes.".to_owned()), after(4_000_000));
    assert_eq!(sent(&mut door, after(4_000_000)), ["Yes."]);
}

#[test]
fn a_refusal_is_one_line_and_not_said_again_soon() {
    let mut tight = settings();
    tight.airtime = Allowance { permille: 1, one_asker_percent: 60, strangers_percent: 50 };
    let mut door = door(tight);
    let question = asked(&mut door, key(ANN), "a", after(0));
    door.answered(question.id, &Answer::Said("x".repeat(140)), after(0));
    assert_eq!(sent(&mut door, after(0)).len(), 1);
    assert_eq!(door.handle(&said(key(ANN), "b", after(60_000)), after(60_000)), Handled::Said);
    assert_eq!(sent(&mut door, after(60_000)), ["No airtime left. Ask in 60 min."]);
    let again = door.handle(&said(key(ANN), "c", after(120_000)), after(120_000));
    assert_eq!(again, Handled::Silence(Silence::NoAirtime));
}

#[test]
fn a_radio_that_refuses_a_packet_gets_no_more_of_it() {
    let mut door = door(settings());
    let question = asked(&mut door, key(ANN), "tell me", after(0));
    door.answered(question.id, &Answer::Said("word ".repeat(50)), after(0));
    packet(&mut door, after(0));
    door.sent(Err(NotSent::Refused), after(0));
    assert_eq!(sent(&mut door, after(5_000)), [""; 0]);
}

#[test]
fn a_channel_is_answered_with_a_prefix_to_everyone_as_nobody() {
    let mut open = settings();
    open.admission.channel = Some(Channel { index: 1, prefix: "!archy ".to_owned() });
    let message =
        Received { from: Sender::Channel(1), at: 1_796_126_400, text: "Ann: !archy height?".to_owned() };
    let mut closed = door(open.clone());
    assert_eq!(closed.handle(&message, after(0)), Handled::Silence(Silence::NotAdmitted));
    open.admission.strangers = Strangers::AnswerEveryoneInReach;
    let mut door = door(open);
    let Handled::Ask(question) = door.handle(&message, after(0)) else { panic!("it is asked") };
    assert_eq!(question.principal.as_str(), "radio:channel-1");
    assert_eq!(question.scope.propose, Categories::NONE);
    door.answered(question.id, &Answer::Said("word ".repeat(50)), after(0));
    let parts = sent(&mut door, after(0));
    assert!(parts.iter().all(|part| part.len() <= 120), "{parts:?}");
}

fn long(sentences: u32) -> Answer {
    let sentence = |n| format!("This is sentence number {n} of it.");
    Answer::Said((1..=sentences).map(sentence).collect::<Vec<_>>().join(" "))
}

fn numbers(parts: &[String]) -> Vec<&str> {
    parts.iter().filter_map(|part| part.split_once(' ')).map(|(number, _)| number).collect()
}

#[test]
fn whoever_reads_on_may_say_more_as_often_as_it_takes() {
    let mut door = door(settings());
    let question = asked(&mut door, key(ANN), "tell me all", after(0));
    door.answered(question.id, &long(28), after(0));
    assert_eq!(numbers(&sent(&mut door, after(0))), ["1/7", "2/7"]);
    // Each is within ten minutes of the one before, and the last one longer after the answer.
    for (minute, parts) in [(4, vec!["3/7", "4/7"]), (8, vec!["5/7", "6/7"]), (17, vec!["7/7"])] {
        let now = after(minute * 60_000);
        assert_eq!(door.handle(&said(key(ANN), "more", now), now), Handled::Said, "after {minute} minutes");
        assert_eq!(numbers(&sent(&mut door, now)), parts);
    }
}

#[test]
fn more_takes_nothing_away_from_what_is_on_its_way() {
    let mut door = door(settings());
    let question = asked(&mut door, key(ANN), "tell me all", after(0));
    door.answered(question.id, &long(14), after(0));
    // One part is in the air, and one waits.
    assert!(packet(&mut door, after(0)).text.starts_with("1/4 "));
    assert_eq!(door.handle(&said(key(ANN), "more", after(5_000)), after(5_000)), Handled::Said);
    door.sent(Ok(Sent::Awaiting { ack: 77, within: Duration::from_secs(9) }), after(5_000));
    door.acknowledged(77, after(5_000));
    assert_eq!(numbers(&sent(&mut door, after(6_000))), ["2/4", "3/4", "4/4"]);
    // And a question that is being answered is still answered.
    let question = asked(&mut door, key(ANN), "what else?", after(60_000));
    door.handle(&said(key(ANN), "more", after(66_000)), after(66_000));
    assert_eq!(sent(&mut door, after(66_000)), ["Nothing more is kept."]);
    door.answered(question.id, &Answer::Said("That is all.".to_owned()), after(70_000));
    assert_eq!(sent(&mut door, after(70_000)), ["That is all."]);
}

#[test]
fn a_channel_that_is_not_answered_any_more_hears_no_rest() {
    let mut settings = settings();
    settings.admission.strangers = Strangers::AnswerEveryoneInReach;
    settings.admission.channel = Some(Channel { index: 3, prefix: "!archy ".to_owned() });
    let mut door = door(settings.clone());
    let at = u32::try_from(after(0).0 / 1000).unwrap();
    let text = "Ann: !archy tell me all".to_owned();
    let asked = door.handle(&Received { from: Sender::Channel(3), at, text }, after(0));
    let Handled::Ask(question) = asked else { panic!("{asked:?}") };
    door.answered(question.id, &long(14), after(0));
    packet(&mut door, after(0));
    door.sent(Ok(Sent::Unacknowledged), after(0));
    settings.admission.strangers = Strangers::Refused;
    door.configure(settings);
    assert_eq!(sent(&mut door, after(10_000)), Vec::<String>::new());
}
