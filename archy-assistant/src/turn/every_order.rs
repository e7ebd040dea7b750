//! Every order in which the things that end a question can come, at the pure parts: real machines, the real queue and
//! the real recovery, with the driver's glue played by [`world::World`]. After each step everything that must hold is
//! looked at, and at each step the node also crashes and starts again.

mod checks;
mod world;

use std::collections::HashMap;

use world::{Act, Plan, World};

/// What was gone through.
#[derive(Debug, Default)]
struct Gone {
    states: usize,
    steps: usize,
    /// Ways from the beginning to an end.
    schedules: u128,
    crashes: usize,
}

/// Goes through every state that can be reached, each once, and counts the ways.
fn go_through(plan: &Plan) -> Gone {
    let mut gone = Gone::default();
    let mut known = HashMap::new();
    gone.schedules = visit(plan, &mut Vec::new(), &mut known, &mut gone);
    gone
}

fn visit(plan: &Plan, path: &mut Vec<Act>, known: &mut HashMap<u128, u128>, gone: &mut Gone) -> u128 {
    let mut world = World::new(plan);
    for act in path.iter() {
        world.step(*act);
    }
    let key = world.key();
    if let Some(ways) = known.get(&key) {
        return *ways;
    }
    checks::holds(&mut world, path);
    checks::holds_after_a_crash(&world, path);
    gone.crashes += 1;
    gone.states += 1;
    let mut acts = world.possible();
    acts.retain(|act| (plan.may)(*act));
    if acts.is_empty() {
        checks::is_over(&world, path);
    }
    let mut ways = u128::from(acts.is_empty());
    for act in acts {
        gone.steps += 1;
        path.push(act);
        ways += visit(plan, path, known, gone);
        path.pop();
    }
    known.insert(key, ways);
    ways
}

fn run(name: &str, plan: &Plan) {
    let gone = go_through(plan);
    println!(
        "{name}: {} states, {} steps, {} schedules, {} crashes",
        gone.states, gone.steps, gone.schedules, gone.crashes
    );
    assert!(gone.states > 50, "{name} went nowhere");
}

/// `ARCHY_FULL=1` also goes through what takes minutes.
#[expect(clippy::disallowed_methods, reason = "how much is tested is the caller's choice")]
fn in_full() -> bool {
    std::env::var_os("ARCHY_FULL").is_some()
}

#[test]
fn one_turn_that_asks_twice_in_every_order() {
    run("one turn, two writes", &Plan::new([("chrome", &["read", "a", "b"])]));
    run("one turn that asks the page", &Plan::new([("chrome", &["page", "read", "a"])]));
    run("a relayed turn, two writes", &Plan::new([("radio", &["a", "b"])]));
    run("one turn that goes to a remote model", &Plan::new([("chrome", &["far", "read", "a"])]));
}

#[test]
fn two_turns_that_ask_in_every_order() {
    // Each thing can happen, but not to each turn; the full form has no such bounds.
    let some = |act| !matches!(act, Act::Stop | Act::Cancel(0) | Act::NewMessage(1) | Act::Expire(1));
    run("two turns, a write each", &Plan::new([("chrome", &["a"]), ("radio", &["b"])]).only(some));
    run("two turns, the same write", &Plan::new([("chrome", &["a"]), ("chrome", &["read", "a"])]).only(some));
    run(
        "two turns that go to a remote model",
        &Plan::new([("chrome", &["far"]), ("chrome", &["far"])]).only(some),
    );
}

type Kind = fn(Act) -> bool;

/// What can end a question from outside, besides those who decide and the clock.
const OUTSIDE: [(&str, Kind); 4] = [
    ("a closing", |act| matches!(act, Act::Close | Act::Sweep)),
    ("cancels", |act| matches!(act, Act::Cancel(_))),
    ("new messages", |act| matches!(act, Act::NewMessage(_))),
    ("a shutdown", |act| matches!(act, Act::Stop)),
];

fn is_outside(act: Act) -> bool {
    OUTSIDE.iter().any(|(_, is)| is(act))
}

/// Two turns and up to three questions, with every two kinds of what comes from outside: minutes in a debug build.
#[test]
fn more_turns_and_questions_in_every_order_when_asked_in_full() {
    if !in_full() {
        return;
    }
    for (place, (first, is_first)) in OUTSIDE.into_iter().enumerate() {
        for (second, is_second) in OUTSIDE.into_iter().skip(place + 1) {
            let some = move |act| !is_outside(act) || is_first(act) || is_second(act);
            let apart = Plan::new([("chrome", &["a"]), ("radio", &["b"])]);
            run(&format!("two turns with {first} and {second}"), &apart.only(some));
            let shared = Plan::new([("chrome", &["a"]), ("chrome", &["read", "a"])]);
            run(&format!("a shared question with {first} and {second}"), &shared.only(some));
        }
    }
    for (name, is) in OUTSIDE {
        let some = move |act| !is_outside(act) || is(act);
        let three = Plan::new([("chrome", &["a", "b"]), ("radio", &["c"])]);
        run(&format!("two turns, three writes, with {name}"), &three.only(some));
    }
    let decided = |act| !is_outside(act);
    run(
        "three turns wait",
        &Plan::new([("chrome", &["a"]), ("chrome", &["b"]), ("radio", &["c"])]).only(decided),
    );
}
