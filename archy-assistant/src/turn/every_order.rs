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
    run("a relayed turn, two writes", &Plan::new([("radio", &["a", "b"])]));
}

#[test]
fn two_turns_that_ask_in_every_order() {
    // Each thing can happen, but not to each turn; the full form has no such bounds.
    let some = |act| !matches!(act, Act::Stop | Act::Cancel(0) | Act::NewMessage(1) | Act::Expire(1));
    run("two turns, a write each", &Plan::new([("chrome", &["a"]), ("radio", &["b"])]).only(some));
    run("two turns, the same write", &Plan::new([("chrome", &["a"]), ("chrome", &["read", "a"])]).only(some));
}

/// Minutes in a debug build: the full form of the suite.
#[test]
fn three_questions_in_every_order_when_asked_in_full() {
    if !in_full() {
        return;
    }
    run("two turns, a write each", &Plan::new([("chrome", &["a"]), ("radio", &["b"])]));
    run("two turns, three writes", &Plan::new([("chrome", &["a", "b"]), ("radio", &["c"])]));
    run("two turns that share a question", &Plan::new([("chrome", &["a", "b"]), ("chrome", &["a"])]));
    // Three at once are too many for everything: one is stopped, one spoken over, all can be decided.
    let never_all =
        |act| !matches!(act, Act::Stop | Act::Cancel(0 | 2) | Act::NewMessage(0 | 1) | Act::Expire(0));
    run(
        "three turns wait",
        &Plan::new([("chrome", &["a"]), ("chrome", &["b"]), ("radio", &["c"])]).only(never_all),
    );
}
