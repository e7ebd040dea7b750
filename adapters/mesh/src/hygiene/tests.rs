use super::*;
use crate::ContactKey;

const NOON: u64 = 1_796_126_400_000;
const ANN: Asker = Asker::Contact(ContactKey([1; 32]));
const KNOWN_ONE: Standing = Standing::Known;

fn after(seconds: u64) -> Timestamp {
    Timestamp(NOON + seconds * SECOND)
}

fn clock(seconds: u64) -> u32 {
    u32::try_from(NOON / SECOND + seconds).unwrap()
}

fn stranger(number: u32) -> Asker {
    let mut key = ContactKey([9; 32]);
    key.0[..4].copy_from_slice(&number.to_be_bytes());
    Asker::Contact(key)
}

#[test]
fn a_message_is_answered_once_also_after_a_restart() {
    let mut hygiene = Hygiene::default();
    let say = |hygiene: &mut Hygiene, at, text, now| hygiene.judge(ANN, KNOWN_ONE, at, text, now);
    assert_eq!(say(&mut hygiene, clock(0), "height?", after(0)), Ok(()));
    assert_eq!(say(&mut hygiene, clock(0), "height?", after(9)), Err(Silence::Duplicate));
    let kept = serde_json::to_string(&hygiene).unwrap();
    let mut hygiene: Hygiene = serde_json::from_str(&kept).unwrap();
    assert_eq!(say(&mut hygiene, clock(0), "height?", after(90_000)), Err(Silence::Duplicate));
    assert_eq!(say(&mut hygiene, clock(1000), "space?", after(90_000)), Ok(()));
    assert_eq!(say(&mut hygiene, clock(99), "fees?", after(90_000)), Err(Silence::Replayed));
    assert_eq!(say(&mut hygiene, clock(101), "fees?", after(90_000)), Ok(()), "late, but not too late");
    assert_eq!(say(&mut hygiene, clock(91_000), "x", after(90_000)), Err(Silence::FromTheFuture));
}

#[test]
fn nothing_that_was_heard_comes_through_again_however_much_came_between() {
    let mut hygiene = Hygiene::default();
    let all: Vec<(u32, String)> = (0..400).map(|n| (clock(n * 7 % 397), format!("q{n}"))).collect();
    let mut answered = Vec::new();
    for (n, (at, text)) in all.iter().enumerate() {
        if hygiene.judge(ANN, KNOWN_ONE, *at, text, after(400 + n as u64 * 61)).is_ok() {
            answered.push((at, text));
        }
    }
    assert!(answered.len() > 16);
    for (at, text) in answered {
        hygiene.judge(ANN, KNOWN_ONE, *at, text, after(90_000)).unwrap_err();
    }
}

#[test]
fn after_a_loss_an_old_message_is_not_taken_for_a_new_one() {
    assert_eq!(Hygiene::default().judge(ANN, KNOWN_ONE, clock(0), "x", after(9_000)), Ok(()));
    let lost = Hygiene::after_a_loss().judge(ANN, KNOWN_ONE, clock(0), "x", after(9_000));
    assert_eq!(lost, Err(Silence::Replayed));
    assert_eq!(Hygiene::after_a_loss().judge(ANN, KNOWN_ONE, clock(8_900), "x", after(9_000)), Ok(()));
}

#[test]
fn what_this_node_sent_is_no_request() {
    let mut hygiene = Hygiene::default();
    assert_eq!(hygiene.judge(ANN, KNOWN_ONE, clock(0), "2/3 of it", after(0)), Err(Silence::Echo));
    hygiene.judge(ANN, KNOWN_ONE, clock(1), "hi", after(1)).unwrap();
    hygiene.said(&ANN, "Hello there.", after(2));
    assert_eq!(hygiene.judge(ANN, KNOWN_ONE, clock(60), "Hello there.", after(60)), Err(Silence::Echo));
}

#[test]
fn two_bots_do_not_talk_for_ever() {
    let mut hygiene = Hygiene::default();
    let mut now = 0;
    let answered = (0..100).take_while(|n| {
        now += 3;
        let judged = hygiene.judge(ANN, KNOWN_ONE, clock(now), &format!("I do not know {n}"), after(now));
        hygiene.said(&ANN, &format!("Nor do I {n}"), after(now));
        judged.is_ok()
    });
    assert_eq!(answered.count(), 4);
    assert_eq!(hygiene.judge(ANN, KNOWN_ONE, clock(1800), "hello?", after(1800)), Err(Silence::Bot));
    assert_eq!(hygiene.judge(ANN, KNOWN_ONE, clock(3700), "hello?", after(3700)), Ok(()));
}

#[test]
fn the_same_question_is_answered_twice_in_ten_minutes_at_most() {
    let mut hygiene = Hygiene::default();
    let mut ask = |seconds| hygiene.judge(ANN, KNOWN_ONE, clock(seconds), "height?", after(seconds));
    assert_eq!([ask(0), ask(60), ask(120), ask(605)], [Ok(()), Ok(()), Err(Silence::Repeated), Ok(())]);
}

#[test]
fn one_sender_and_all_together_have_a_rate() {
    let mut hygiene = Hygiene::default();
    let ask = |hygiene: &mut Hygiene, who, standing, n: u64| {
        hygiene.judge(who, standing, clock(n), &format!("q{n}"), after(n)).is_ok()
    };
    assert_eq!((0..30).filter(|n| ask(&mut hygiene, ANN, KNOWN_ONE, *n)).count(), PER_SENDER);
    let strangers = (0..5_000).filter(|n| {
        let who = stranger(u32::try_from(*n).unwrap());
        ask(&mut hygiene, who, Standing::Stranger, n / 20)
    });
    assert_eq!(strangers.count(), ALL_STRANGERS);
    let ben = Asker::Contact(ContactKey([2; 32]));
    assert!(ask(&mut hygiene, ben, KNOWN_ONE, 300), "strangers take nothing from those who are known");
}

#[test]
fn the_table_has_an_end_and_a_forgotten_stranger_cannot_be_replayed() {
    let mut hygiene = Hygiene::default();
    for n in 0..50_000_u32 {
        let now = u64::from(n) * 31;
        let _ = hygiene.judge(stranger(n), Standing::Stranger, clock(now), "x", after(now));
    }
    assert!(hygiene.senders() <= STRANGERS);
    let now = 50_000 * 31 + 7_200;
    for n in 0..50_000_u32 {
        let at = clock(u64::from(n) * 31);
        hygiene.judge(stranger(n), Standing::Stranger, at, "x", after(now)).unwrap_err();
    }
    assert!(serde_json::to_vec(&hygiene).unwrap().len() < 200_000);
}
