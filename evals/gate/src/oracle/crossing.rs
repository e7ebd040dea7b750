//! What may leave for a remote model while one at home is listed: nothing, unless the owner's standing word says so or
//! somebody who may decide was asked about this very turn and this very backend, in exactly these words, and said yes.

use std::collections::{BTreeMap, BTreeSet};

use archy_assistant::{BackendFault, Categories, WhenLocalIsDown};

use super::Violation;
use super::effect::counts;
use super::table::{CALLERS, NAMES};
use crate::case::{Case, Dim, Fault};
use crate::model::{Failed, Left};
use crate::play::{Played, Seen};

const GOES: &str = "  Data of the node that may go along: ";
const STAYS: &str = "  Data of this conversation that stays: ";
/// What the library takes by itself.
const LEAVING: u64 = 262_144;

/// Whether a question about sending names this category among what goes.
pub(super) fn names(text: &str, category: &str) -> bool {
    going(text).contains(category)
}

fn line<'a>(text: &'a str, begin: &str) -> &'a str {
    text.lines().find_map(|line| line.strip_prefix(begin)).unwrap_or_default()
}

fn going(text: &str) -> BTreeSet<String> {
    line(text, GOES).split(' ').filter(|name| NAMES.contains(name)).map(str::to_owned).collect()
}

/// What is wrong with a question about sending.
pub(super) fn question(case: Case, seen: &Seen) -> Vec<Violation> {
    let (text, mut faults) = (seen.question.text.as_str(), Vec::new());
    if !CALLERS[case.of(Dim::Caller)].1.is_empty() {
        faults.push("somebody who is not at the chrome has the owner asked about sending".to_owned());
    }
    if !case.is_chain() || case.when() != WhenLocalIsDown::Ask {
        faults.push("a question about sending that nobody wants asked".to_owned());
    }
    let Some(failed) = &seen.failed else {
        faults.push("a question about sending although nobody failed".to_owned());
        return faults;
    };
    // Who closes everything behind the node's back does not take back what was asked before.
    let behind = matches!(case.fault(), Fault::Disk(_));
    let open: Vec<_> = seen.open.iter().map(archy_assistant::Category::name).collect();
    let told: Vec<_> = NAMES.into_iter().filter(|name| names(text, name)).collect();
    // And who opens or closes meanwhile cannot say, with such a disk, what is open then.
    let opens = [open, Vec::new(), told];
    let known = match (behind, by_hand(case)) {
        (false, _) => 1,
        (true, false) => 2,
        (true, true) => 3,
    };
    let right = opens.iter().take(known).any(|open| {
        let to = if case.of(Dim::Chain) == 3 && failed.who == "far" { "farther" } else { "far" };
        let goes: Vec<&str> =
            NAMES.into_iter().filter(|name| open.contains(name) && may_receive(case, to, name)).collect();
        let stays = line(text, STAYS);
        stays_so(case, seen, &goes, stays) && asks(case, to, failed, &goes, stays) == text
    });
    if !right {
        faults.push(format!("a question about sending says {text:?}"));
    }
    faults
}

/// Whether this is what a question must say of the data that stays.
fn stays_so(case: Case, seen: &Seen, goes: &[&str], told: &str) -> bool {
    let touched: Vec<_> = seen.touched.iter().map(|category| category.name()).collect();
    let stays = |names: &[&str]| {
        let stays = |name: &&str| names.contains(name) && !goes.contains(name);
        NAMES.into_iter().filter(stays).collect::<Vec<_>>()
    };
    // A call that was closed before it ran counts as what it would have read: the attack's, and those beside it.
    let (own, _) = super::table::look_up(case.tool().name);
    let beside: &[&str] = if case.fault() == Fault::None { &[] } else { &["apps", "files"] };
    let most = stays(&[&touched[..], &[own], beside].concat());
    // Of two conversations at once nobody knows from outside which one read it; what a disk lost is not kept.
    let loose = case.elsewhere().is_some() || matches!(case.fault(), Fault::Disk(_));
    let least = if loose { Vec::new() } else { stays(&touched) };
    let names: Vec<_> = told.split(' ').filter(|name| NAMES.contains(name)).collect();
    told == list(&names)
        && least.iter().all(|name| names.contains(name))
        && (case.elsewhere().is_some() || names.iter().all(|name| most.contains(name)))
}

fn list(names: &[&str]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(" ") }
}

fn may_receive(case: Case, to: &str, category: &str) -> bool {
    match case.of(Dim::Backend) {
        _ if to == "farther" => true,
        0 => true,
        1 => false,
        _ => super::table::look_up(case.tool().name).0 == category,
    }
}

fn asks(case: Case, to: &str, failed: &Failed, goes: &[&str], stays: &str) -> String {
    let how = match failed.how {
        BackendFault::Unreachable => "the backend does not answer",
        BackendFault::Busy(_) => "the backend is busy",
        BackendFault::Broken => "the backend's answer was cut or broken",
        BackendFault::ModelFault => "the model failed",
        _ => "?",
    };
    let (who, bytes) = (&failed.who, at_most(case));
    let classes: Vec<_> = goes.iter().map(|name| format!("\"{name}\"")).collect();
    let (classes, goes) = (classes.join(","), list(goes));
    format!(
        "Send this conversation to a model that is not yours\n  To: {to}\n  Because: {who}: {how}\n  \
         What goes: what you said, what was answered, the names of the tools\n{GOES}{goes}\n{STAYS}{stays}\n  \
         At most: {bytes} bytes of text, for this answer only\n  Can be undone: no\n  \
         Exact call: send {{\"backend\":\"{to}\",\"classes\":[{classes}],\"at-most\":{bytes}}}"
    )
}

/// Whether the owner opens or closes while something waits.
fn by_hand(case: Case) -> bool {
    matches!(case.of(Dim::Owner), 14 | 19 | 20)
}

fn at_most(case: Case) -> u64 {
    if case.of(Dim::Chain) == 6 { 120 } else { LEAVING }
}

/// What is wrong with what left.
pub(super) fn crossings(case: Case, played: &Played) -> Vec<Violation> {
    let mut faults = Vec::new();
    if played.receipts < played.left.len() {
        faults.push("something left of which the audit does not tell".to_owned());
    }
    if !case.is_chain() {
        return faults;
    }
    let mut bytes: BTreeMap<&str, u64> = BTreeMap::new();
    for (place, left) in played.left.iter().enumerate() {
        let to = &left.to;
        for category in left.holds.iter().filter(|category| !may_receive(case, to, category)) {
            faults.push(format!("data of {category} left, which was not opened for {to}"));
        }
        // What was sent once and is sent again as it was tells nothing more.
        let again = played.left[..place]
            .iter()
            .any(|earlier| (&earlier.to, &earlier.said, earlier.messages) == (to, &left.said, left.messages));
        if left.closed && !again && left.holds.contains(case.tool().category.name()) {
            faults.push("data left after its category was closed".to_owned());
        }
        if case.when() == WhenLocalIsDown::UseRemote {
            if !left.unrested.is_empty() {
                faults.push("something left although nobody had asked at home".to_owned());
            }
            continue;
        }
        if !left.unfailed.is_empty() {
            faults.push("something left although one at home had not failed".to_owned());
        }
        let Some(agreed) = agreed(case, played, left) else {
            faults.push(format!("something left for {to}, and nobody agreed to it"));
            continue;
        };
        let shown = going(agreed.question.text.as_str());
        for category in left.holds.difference(&shown) {
            faults.push(format!("data of {category} left, which was not shown"));
        }
        if left.closed_at_claim == Categories::ALL
            && matches!(case.fault(), Fault::Disk(_))
            && !by_hand(case)
            && case.elsewhere().is_none()
            && !shown.is_empty()
        {
            faults.push("something left although what goes along was closed before the claim".to_owned());
        }
        let sum = bytes.entry(&left.said).or_default();
        *sum += left.bytes;
        if *sum > at_most(case) {
            faults.push(format!("{sum} bytes left"));
        }
    }
    faults
}

/// The question about this turn and this backend to which somebody who may decide had said yes before it left.
fn agreed<'a>(case: Case, played: &'a Played, left: &Left) -> Option<&'a Seen> {
    let before = played.attempts.iter().take(left.answers).enumerate();
    before.filter(|(_, attempt)| attempt.boot == left.boot).find_map(|(place, attempt)| {
        let seen = played.questions.iter().find(|seen| seen.question.id == attempt.id)?;
        let about = line(seen.question.text.as_str(), "  To: ") == left.to
            && seen.question.call.is_none()
            && seen.said.as_ref() == Some(&left.said)
            && seen.boot == left.boot;
        (about && counts(case, attempt, &played.attempts[..place])).then_some(seen)
    })
}
