//! A person's answer: how long it takes while much else goes on, and what stands between it and the effect.

use std::sync::Arc;
use std::time::Instant;

use archy_assistant::{
    Caller, Confirmation, ConfirmationId, Decision, Event, OwnerRole, Principal, Scope, Settled, Target,
};

use crate::figure::{self, Samples};
use crate::floor::Floors;
use crate::house::{House, Told};
use crate::keeping;

/// Turns that stream meanwhile.
const STREAMING: usize = 500;

pub(crate) fn measure(floors: &Floors) {
    for keeping in keeping::all() {
        let (name, runtime) = (keeping.name, crate::daemon());
        let aim = if name == "SQLite" { "" } else { "1 ms" };
        for streaming in [0, STREAMING] {
            let store = Arc::clone(&keeping.store);
            let (whole, deny) = runtime.block_on(async {
                let house = House::new(Arc::new(Told), store).await;
                for _ in 0..streaming {
                    house.assistant.chat(&person(0), Target::New, "stream").await.expect("it is taken");
                }
                let (mut whole, mut deny) = (Samples::default(), Samples::default());
                for round in 0..4 {
                    let questions = ask(&house, 100 * round, 100).await;
                    for (place, (caller, question)) in questions.iter().enumerate() {
                        let decision = if place % 4 == 3 { Decision::Deny } else { Decision::Confirm };
                        let began = Instant::now();
                        answer(&house, caller, question, decision).await;
                        let samples = if decision == Decision::Confirm { &mut whole } else { &mut deny };
                        samples.add(began.elapsed());
                    }
                }
                house.assistant.shutdown(std::time::Duration::from_secs(20)).await;
                (whole, deny)
            });
            let floor = Some(match name {
                "SQLite" => ("fsync", floors.fsync),
                _ => ("spawn_blocking", floors.blocking),
            });
            figure::time(&format!("confirm, {streaming} streaming, {name}"), &whole, aim, floor);
            figure::time(&format!("deny, {streaming} streaming, {name}"), &deny, aim, floor);
        }
    }
}

/// From the answer to the effect.
pub(crate) fn claim(floors: &Floors) {
    for keeping in keeping::all() {
        let name = keeping.name;
        crate::here().block_on(async {
            let house = House::new(Arc::new(Told), keeping.store).await;
            let (mut samples, mut synced, mut commits) = (Samples::default(), 0, 0);
            let questions = ask(&house, 0, 100).await;
            for (caller, question) in &questions {
                // The turns that asked go on after the answer before this one; what they write is not this one's.
                settle(&house).await;
                let (began, before) = (Instant::now(), house.store.counts());
                answer(&house, caller, question, Decision::Confirm).await;
                let (effect, counts) = house.effects.last();
                let counts = counts.since(before);
                samples.add(effect.duration_since(began));
                synced = synced.max(counts.synced);
                commits = commits.max(counts.synced + counts.kept);
            }
            let floor = Some(match name {
                "SQLite" => ("fsync", floors.fsync),
                _ => ("spawn_blocking", floors.blocking),
            });
            figure::time(&format!("confirm to effect, {name}"), &samples, "", floor);
            figure::count(
                "  commits before the effect that wait for the disk, at most",
                &synced.to_string(),
                "2",
            );
            figure::count("  all commits before the effect, at most", &commits.to_string(), "");
        });
    }
}

fn person(number: usize) -> Caller {
    let name = Principal::new(format!("person-{number}")).expect("it is a name");
    Caller::chrome(name, Scope::EVERYTHING, OwnerRole)
}

/// Lets so many people be asked, each in a conversation of their own, and look at the question for long enough.
async fn ask(house: &House, from: usize, people: usize) -> Vec<(Caller, Confirmation)> {
    let mut questions = Vec::new();
    for number in from..from + people {
        let caller = person(number + 1);
        let text = r#"call {"app":"app-7"}"#;
        let began = house.assistant.chat(&caller, Target::New, text).await.expect("it is taken");
        let mut events = house.assistant.events(&caller, began.turn, None).expect("it is known");
        while let Some(numbered) = events.next().await {
            if matches!(numbered.event, Event::ConfirmationRequired { .. }) {
                break;
            }
        }
        let question = house.assistant.pending(&caller).pop().expect("the person is asked");
        house.assistant.shown(&caller, question.id, &question.digest).expect("it waits");
        questions.push((caller, question));
    }
    tokio::time::sleep(crate::LOOK).await;
    questions
}

async fn answer(house: &House, caller: &Caller, question: &Confirmation, decision: Decision) {
    let id: ConfirmationId = question.id;
    let came =
        house.assistant.confirm(caller, id, &question.digest, decision).await.expect("the answer counts");
    let expected = if decision == Decision::Confirm { Settled::Done } else { Settled::Denied };
    assert_eq!(came.outcome, expected);
}

/// Waits until only the turns are left that wait for a person.
async fn settle(house: &House) {
    loop {
        let stats = house.assistant.stats();
        if stats.turns == stats.waiting {
            return;
        }
        tokio::task::yield_now().await;
    }
}
