//! What must hold after every step, and after a crash at every step.

use std::sync::Arc;

use super::world::{Act, World, conversation, turn_id, writes};
use crate::confirmation::{Checked, Record, State};
use crate::turn::input::Input;
use crate::turn::journal::{self, Entry, Folded};
use crate::turn::{End, Event, Machine, Receipt, Settled};
use crate::{
    Assistant, Batch, CallId, Caller, Content, Decision, Durability, MemoryStore, Numbered, Scan, Seat,
    Store, StoredGrants, Table, Toolbox,
};

pub(super) fn holds(world: &mut World, path: &[Act]) {
    for place in 0..world.questions.len() {
        question_holds(world, place, path);
    }
    let waiting = world.queue.list(&Caller::owner()).len();
    assert!(waiting <= 3, "{path:?}: {waiting} wait");
    for (place, turn) in world.turns.iter().enumerate() {
        let machine = &turn.folded.machine;
        if let Some(id) = machine.waits_for() {
            assert!(world.will_hear(place, id), "{path:?}: turn {place} waits for what nobody will tell it");
        }
        events_hold(&turn.folded.events, turn.caller.seat(), machine.has_ended(), path);
        results_hold(machine, path);
        replay_holds(turn.journal.as_slice(), &turn.folded, path);
    }
    receipts_hold(world, path);
    nothing_leaves(world, path);
}

/// A remote model was asked only by turns whose crossing a person has confirmed, durably and before.
fn nothing_leaves(world: &World, path: &[Act]) {
    for (place, turn) in world.turns.iter().enumerate() {
        let left = turn.folded.events.iter().any(|numbered| matches!(numbered.event, Event::Crossed { .. }));
        let agreed = world.questions.iter().any(|question| {
            let theirs = question.record.turn == turn_id(place) && question.record.call.is_none();
            theirs && question.effects == 1 && question.record.state == State::Settled(Settled::Done)
        });
        assert!(!left || agreed, "{path:?}: turn {place} left without a yes");
    }
}

fn question_holds(world: &mut World, place: usize, path: &[Act]) {
    let (digest, owner) = (world.digest(place), Caller::owner());
    let question = &world.questions[place];
    assert!(question.effects <= 1, "{path:?}: question {place} ran twice");
    assert!(question.effects == 0 || question.was_executing, "{path:?}: it ran before its claim was durable");
    let (id, state) = (question.record.id, question.record.state);
    // Whatever is asked of it after its time, it does not count.
    let late = world.began + std::time::Duration::from_secs(120);
    for decision in [Decision::Confirm, Decision::Deny] {
        let checked = world.queue.check(&owner, id, &digest, decision, late);
        let fine = match state {
            State::Settled(_) => checked == Checked::Unknown,
            State::Executing => checked == Checked::Busy,
            State::Waiting => matches!(checked, Checked::Busy | Checked::Settled(Settled::Expired)),
        };
        assert!(fine, "{path:?}: {state:?} answered too late gives {checked:?}");
    }
    if let State::Settled(_) = state {
        assert!(world.queue.start_claim(id).is_none(), "{path:?}: what has ended can be claimed");
        assert!(world.queue.withdraw(id, Settled::Denied).is_none(), "{path:?}: it can end again");
    }
}

/// Exactly one end, which is the last event; before it a relayed caller is told once for each question that it waits.
fn events_hold(events: &[Numbered], seat: Seat, ended: bool, path: &[Act]) {
    let (mut ends, mut waits, mut questions) = (0, 0, 0);
    for (place, numbered) in events.iter().enumerate() {
        assert_eq!(numbered.seq as usize, place);
        match &numbered.event {
            Event::Finished(finished) if finished.end == End::Waiting => waits += 1,
            Event::Finished(_) | Event::Failed { .. } => {
                ends += 1;
                assert_eq!(place + 1, events.len(), "{path:?}: something came after the end");
            }
            Event::ConfirmationRequired { .. } => questions += 1,
            _ => {}
        }
    }
    assert_eq!(ends, usize::from(ended), "{path:?}");
    assert_eq!(waits, if seat == Seat::Chrome { 0 } else { questions }, "{path:?}");
}

/// Every call of a reply has exactly one result, in call order, before the next reply.
fn results_hold(machine: &Machine, path: &[Act]) {
    let mut due: std::collections::VecDeque<CallId> = std::collections::VecDeque::new();
    for message in machine.messages() {
        match &message.content {
            Content::Result { call, .. } => {
                assert_eq!(due.pop_front(), Some(*call), "{path:?}: {:?}", machine.messages());
            }
            Content::Reply { calls, .. } => {
                assert!(due.is_empty(), "{path:?}: a reply came before the results");
                due.extend(calls.iter().map(|call| call.id));
            }
            _ => {}
        }
    }
    assert!(due.is_empty() || !machine.has_ended(), "{path:?}: no result for {due:?}");
}

/// The journal as it is stored gives the same events at every prefix, and what came after the end changes nothing.
fn replay_holds(journal: &[(Entry, usize)], folded: &Folded, path: &[Act]) {
    let mut again = fresh();
    for (entry, events) in journal {
        let stored: Entry = serde_json::from_slice(&entry.encode().unwrap()).unwrap();
        assert_eq!(stored, *entry);
        again.take(stored);
        assert_eq!(again.events, folded.events[..*events], "{path:?}");
    }
    assert_eq!(format!("{:?}", again.machine), format!("{:?}", folded.machine), "{path:?}");
    if again.machine.has_ended() {
        let before = format!("{:?}", again.machine);
        for (entry, _) in journal {
            assert_eq!(again.machine.step(entry.input.clone()), [], "{path:?}: an ended turn still acts");
        }
        for input in [Input::Cancel, Input::Interrupted] {
            assert_eq!(again.machine.step(input), [], "{path:?}");
        }
        assert_eq!(format!("{:?}", again.machine), before, "{path:?}: an ended turn still changes");
    }
}

fn fresh() -> Folded {
    Folded::empty()
}

/// What an ended turn says was done is what was done.
fn receipts_hold(world: &World, path: &[Act]) {
    for (place, turn) in world.turns.iter().enumerate() {
        if turn.folded.machine.has_ended() {
            let told = receipts(&turn.folded.events);
            receipts_match(world, place, &turn.folded, &told, path);
        }
    }
}

fn receipts(events: &[Numbered]) -> Vec<Receipt> {
    match events.last().map(|numbered| &numbered.event) {
        Some(Event::Finished(finished)) => finished.receipts.clone(),
        Some(Event::Failed { receipts, .. }) => receipts.clone(),
        other => panic!("{other:?} is no end"),
    }
}

fn receipts_match(world: &World, place: usize, folded: &Folded, told: &[Receipt], path: &[Act]) {
    // Which questions the turn waited for, in order; each has one receipt, and so has each write that was refused.
    let asked: Vec<_> = folded
        .events
        .iter()
        .filter_map(|numbered| match &numbered.event {
            Event::ConfirmationRequired { id, call } => Some((*id, *call)),
            _ => None,
        })
        .collect();
    let writes = writes(&folded.machine);
    for (id, call) in asked {
        // A crossing changes nothing, and has no receipt.
        let Some(call) = call else { continue };
        let args = &writes.iter().find(|(write, _)| *write == call).expect("it was called").1;
        let mine: Vec<_> = told.iter().filter(|receipt| receipt.args.as_str() == args).collect();
        let [receipt] = mine.as_slice() else { panic!("{path:?}: turn {place} has {mine:?} for {args}") };
        let question = world.questions.iter().find(|question| question.record.id == id).expect("asked");
        let (least, most) = match receipt.outcome {
            Settled::Done | Settled::Failed => (1, 1),
            Settled::OutcomeUnknown => (0, 1),
            _ => (0, 0),
        };
        // A turn that left a question which others still wait for was told so before its end.
        let left = question.record.turn != turn_id(place) || world.turns.len() > 1;
        let left =
            left && matches!(receipt.outcome, Settled::Cancelled | Settled::Superseded | Settled::Voided);
        assert!(
            left || (least..=most).contains(&question.effects),
            "{path:?}: {receipt:?} but it ran {} times",
            question.effects
        );
    }
}

/// When nothing can happen any more, every turn has ended and nothing waits.
pub(super) fn is_over(world: &World, path: &[Act]) {
    for turn in &world.turns {
        assert!(turn.folded.machine.has_ended(), "{path:?}: a turn hangs");
    }
    for question in &world.questions {
        assert!(matches!(question.record.state, State::Settled(_)), "{path:?}: {:?}", question.record);
    }
}

/// The node is killed here and starts again, by the assistant's own recovery: all turns end, nothing is run, nothing
/// that was told is taken back, and a second start changes nothing.
pub(super) fn holds_after_a_crash(world: &World, path: &[Act]) {
    let store = Arc::new(MemoryStore::new());
    let mut batch = Batch::new();
    for (place, turn) in world.turns.iter().enumerate() {
        let (conversation, id) = (conversation(place), turn_id(place));
        for (step, (entry, _)) in turn.journal.iter().enumerate() {
            let key = journal::key(conversation, id, u32::try_from(step).unwrap());
            batch = batch.put(Table::Journal, key, entry.encode().unwrap());
        }
        if !turn.folded.machine.has_ended() {
            batch = batch.put(Table::Open, id.to_bytes(), conversation.to_bytes());
        }
    }
    for question in &world.questions {
        let record = &question.record;
        batch = batch.put(Table::Confirmation, record.id.to_bytes(), record.encode());
    }
    store.commit(&batch, Durability::Kept).unwrap();
    open(&store);
    let once = kept(&store);
    open(&store);
    assert_eq!(kept(&store), once, "{path:?}: a second start changes something");

    for (place, turn) in world.turns.iter().enumerate() {
        let folded = Folded::read(&*store, conversation(place), turn_id(place)).unwrap();
        assert!(folded.events.starts_with(&turn.folded.events), "{path:?}: what was told is gone");
        events_hold(&folded.events, turn.caller.seat(), true, path);
        results_hold(&folded.machine, path);
        receipts_match(world, place, &folded, &receipts(&folded.events), path);
    }
    for question in &world.questions {
        let bytes = store.get(Table::Confirmation, &question.record.id.to_bytes()).unwrap().unwrap();
        let expected = match question.record.state {
            State::Waiting => Settled::Voided,
            State::Executing => Settled::OutcomeUnknown,
            State::Settled(settled) => settled,
        };
        let record = question.record.ended(expected, crate::Shown::line(expected.says()));
        assert_eq!(Record::decode(&bytes).ok(), Some(record), "{path:?}");
    }
}

fn open(store: &Arc<MemoryStore>) {
    let store = Arc::clone(store) as Arc<dyn Store>;
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    Assistant::builder([], Toolbox::new(), grants).with_store(store).open().unwrap();
}

fn kept(store: &MemoryStore) -> Vec<crate::Rows> {
    let all =
        |table| Scan { table, prefix: vec![], beyond: None, order: crate::Order::Up, limit: usize::MAX };
    [Table::Journal, Table::Open, Table::Confirmation].map(|table| store.scan(&all(table)).unwrap()).to_vec()
}
