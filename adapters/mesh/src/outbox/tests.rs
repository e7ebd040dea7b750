use super::*;

const GAP: Duration = Duration::from_millis(500);
const ANN: Asker = Asker::Channel(1);
const BEN: Asker = Asker::Channel(2);

fn at(milliseconds: u64) -> Timestamp {
    Timestamp(1_796_126_400_000 + milliseconds)
}

fn parts(texts: &[&str]) -> Vec<Part> {
    texts.iter().map(|text| Part { text: (*text).to_owned(), cost: 100 }).collect()
}

/// What is due, as text and attempt.
fn due(outbox: &mut Outbox, now: Timestamp) -> Result<(String, u8), Due> {
    match outbox.due(now, GAP, |_, _| true, |_| true) {
        Due::Send(packet) => Ok((packet.text, packet.attempt)),
        other => Err(other),
    }
}

fn taken(outbox: &mut Outbox, ack: u32, now: Timestamp) {
    let within = Duration::from_secs(5);
    assert!(outbox.sent(Ok(Sent::Awaiting { ack, within }), now, GAP).is_some());
}

#[test]
fn the_next_part_goes_after_the_acknowledgement_of_the_one_before() {
    let mut outbox = Outbox::default();
    outbox.post(ANN, Rank::Known, parts(&["1/2 a", "2/2 b"]), at(0));
    assert_eq!(due(&mut outbox, at(0)), Ok(("1/2 a".to_owned(), 0)));
    taken(&mut outbox, 7, at(10));
    assert_eq!(due(&mut outbox, at(20)), Err(Due::At(at(5_010))));
    outbox.acknowledged(8, at(900), GAP);
    assert_eq!(due(&mut outbox, at(950)), Err(Due::At(at(5_010))), "that was another's");
    outbox.acknowledged(7, at(1_000), GAP);
    assert_eq!(due(&mut outbox, at(1_000)), Err(Due::At(at(1_500))));
    assert_eq!(due(&mut outbox, at(1_500)), Ok(("2/2 b".to_owned(), 0)));
    taken(&mut outbox, 9, at(1_500));
    outbox.acknowledged(9, at(2_000), GAP);
    assert_eq!(due(&mut outbox, at(9_000)), Err(Due::Nothing));
    assert_eq!(outbox.counts, Counts { packets: 2, acknowledged: 2, given_up: 0, dropped: 0 });
}

#[test]
fn a_lost_part_is_tried_three_times_and_then_nothing_more_is_sent() {
    let mut outbox = Outbox::default();
    outbox.post(ANN, Rank::Known, parts(&["1/2 a", "2/2 b"]), at(0));
    for attempt in 0..3 {
        let now = at(u64::from(attempt) * 5_000);
        assert_eq!(due(&mut outbox, now), Ok(("1/2 a".to_owned(), attempt)));
        taken(&mut outbox, u32::from(attempt), now);
    }
    assert_eq!(due(&mut outbox, at(15_000)), Err(Due::Nothing));
    assert_eq!((outbox.len(), outbox.counts.given_up), (0, 1));
}

#[test]
fn a_late_acknowledgement_of_an_earlier_try_counts() {
    let mut outbox = Outbox::default();
    outbox.post(ANN, Rank::Known, parts(&["1/2 a", "2/2 b"]), at(0));
    due(&mut outbox, at(0)).unwrap();
    taken(&mut outbox, 1, at(0));
    due(&mut outbox, at(5_000)).unwrap();
    taken(&mut outbox, 2, at(5_000));
    outbox.acknowledged(1, at(5_100), GAP);
    assert_eq!(due(&mut outbox, at(6_000)), Ok(("2/2 b".to_owned(), 0)));
}

#[test]
fn the_owner_goes_first_and_a_notice_last() {
    let mut outbox = Outbox::default();
    outbox.post(BEN, Rank::Notice, parts(&["notice"]), at(0));
    outbox.post(BEN, Rank::Stranger, parts(&["stranger"]), at(0));
    outbox.post(BEN, Rank::Known, parts(&["known"]), at(0));
    outbox.post(ANN, Rank::Owner, parts(&["owner"]), at(0));
    for (place, text) in ["owner", "known", "stranger", "notice"].into_iter().enumerate() {
        let now = at(place as u64 * 1_000);
        assert_eq!(due(&mut outbox, now), Ok((text.to_owned(), 0)));
        outbox.sent(Ok(Sent::Unacknowledged), now, GAP).unwrap();
    }
}

#[test]
fn whoever_may_not_hear_any_more_hears_no_more() {
    let mut outbox = Outbox::default();
    outbox.post(ANN, Rank::Known, parts(&["1/2 a", "2/2 b"]), at(0));
    due(&mut outbox, at(0)).unwrap();
    taken(&mut outbox, 1, at(0));
    assert_eq!(outbox.due(at(5_000), GAP, |_, _| true, |_| false), Due::Nothing);
    outbox.post(ANN, Rank::Known, parts(&["c"]), at(6_000));
    assert_eq!(outbox.due(at(6_000), GAP, |_, _| true, |_| false), Due::Nothing);
    assert_eq!(outbox.len(), 0);
}

#[test]
fn a_radio_that_is_gone_gets_it_when_it_is_back_and_one_that_refuses_gets_nothing_more() {
    let mut outbox = Outbox::default();
    outbox.post(ANN, Rank::Known, parts(&["1/2 a", "2/2 b"]), at(0));
    due(&mut outbox, at(0)).unwrap();
    assert_eq!(outbox.sent(Err(NotSent::Down), at(0), GAP), None);
    assert_eq!(due(&mut outbox, at(RADIO)), Ok(("1/2 a".to_owned(), 1)));
    assert_eq!(outbox.sent(Err(NotSent::Refused), at(RADIO), GAP), None);
    assert_eq!(due(&mut outbox, at(RADIO + 1_000)), Err(Due::Nothing));
}

#[test]
fn it_has_an_end_and_nothing_in_it_grows_old() {
    let mut outbox = Outbox::default();
    for n in 0..1_000 {
        outbox.post(ANN, Rank::Stranger, parts(&[&n.to_string()]), at(0));
    }
    assert_eq!((outbox.len(), outbox.waits(|_| true)), (MOST, MOST as u64 * 100));
    assert_eq!(due(&mut outbox, at(0)), Ok(("0".to_owned(), 0)), "the last ones were turned away");
    outbox.sent(Ok(Sent::Unacknowledged), at(0), GAP);
    assert_eq!(due(&mut outbox, at(STALE + 1)), Err(Due::Nothing));
    assert_eq!(outbox.len(), 0);
}
