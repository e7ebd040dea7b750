//! Which backend is asked next. Pure: who is listed, who has failed, and what the owner said is all it looks at.
//!
//! A backend at home (on the node, or on another machine of the owner's) counts as available while it is listed, whatever
//! its health. So a remote one is reached by the owner's standing word or a person's answer, never because something
//! took too long.

use crate::Destination;
use crate::backend::{Backend, BackendFacts, Mind};

/// What is done when a model at home is listed, none answers, and the rules are not sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhenLocalIsDown {
    /// A person is asked whether this conversation may go to a remote backend. Where nobody at the chrome asks, it fails.
    #[default]
    Ask,
    /// The turn fails.
    Fail,
    /// The remote ones are asked, in the order in which they are listed.
    UseRemote,
}

/// A backend as the choice sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) mind: Mind,
    /// Whether it runs on the owner's own machines.
    pub(crate) home: bool,
    /// Whether it has failed in this turn, or is left alone for a while.
    pub(crate) failed: bool,
    /// Whether a person has agreed that this turn may go there.
    pub(crate) agreed: bool,
}

/// Who comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The backend at this place.
    Use(usize),
    /// The backend at this place, if a person agrees.
    Ask(usize),
    /// Nobody.
    Nobody,
}

impl Link {
    pub(crate) fn new(backend: &dyn Backend, failed: bool, agreed: bool) -> Self {
        let facts: BackendFacts = backend.facts();
        let home = facts.destination() == Destination::Own;
        Self { mind: facts.mind, home, failed, agreed }
    }

    fn is_local(self) -> bool {
        self.mind == Mind::Model && self.home
    }

    fn is_remote(self) -> bool {
        self.mind == Mind::Model && !self.home
    }
}

/// The next one of `links`, in the owner's order. `sure` says whether the rules know what is wanted; `can_ask`, whether a
/// person at the chrome can be asked.
pub(crate) fn next(links: &[Link], sure: bool, when: WhenLocalIsDown, can_ask: bool) -> Step {
    let first = |wanted: &dyn Fn(Link) -> bool| links.iter().position(|link| !link.failed && wanted(*link));
    let rules = |link: Link| link.mind == Mind::Rules;
    let go = |place: Option<usize>| place.map(Step::Use);
    let only_rules = links.iter().copied().all(rules);
    let local_is_listed = links.iter().copied().any(Link::is_local);
    let rules = first(&rules).filter(|_| sure || only_rules);

    go(first(&Link::is_local))
        .or_else(|| go(first(&|link| link.is_remote() && (link.agreed || !local_is_listed))))
        .or_else(|| go(rules))
        .or_else(|| {
            let remote = first(&Link::is_remote).filter(|_| local_is_listed)?;
            match when {
                WhenLocalIsDown::UseRemote => Some(Step::Use(remote)),
                WhenLocalIsDown::Ask if can_ask => Some(Step::Ask(remote)),
                WhenLocalIsDown::Ask | WhenLocalIsDown::Fail => None,
            }
        })
        .unwrap_or(Step::Nobody)
}

#[cfg(test)]
mod tests {
    use super::Step::{Ask, Nobody, Use};
    use super::WhenLocalIsDown::{Ask as Asks, Fail, UseRemote};
    use super::*;

    /// `l` a local model, `r` a remote one, `p` rules; `!` behind it: failed, `+`: agreed to.
    fn links(text: &str) -> Vec<Link> {
        let mut links: Vec<Link> = Vec::new();
        for sign in text.chars() {
            let last = links.last_mut();
            match (sign, last) {
                ('!', Some(link)) => link.failed = true,
                ('+', Some(link)) => link.agreed = true,
                (kind, _) => {
                    let mind = if kind == 'p' { Mind::Rules } else { Mind::Model };
                    links.push(Link { mind, home: kind != 'r', failed: false, agreed: false });
                }
            }
        }
        links
    }

    #[test]
    fn the_rules_of_the_chain() {
        for (text, sure, when, can_ask, want) in [
            // Home comes first, wherever it is listed and whatever the owner said of the rest.
            ("lrp", false, UseRemote, true, Use(0)),
            ("rlp", true, UseRemote, true, Use(1)),
            ("prl", true, UseRemote, true, Use(2)),
            ("l!lr", false, UseRemote, true, Use(1)),
            // Then the rules, if they are sure.
            ("l!rp", true, UseRemote, true, Use(2)),
            ("l!rp", true, Asks, true, Use(2)),
            ("l!rp", true, Fail, false, Use(2)),
            // Then what the owner said.
            ("l!rp", false, UseRemote, false, Use(1)),
            ("l!rp", false, Asks, true, Ask(1)),
            ("l!rp", false, Asks, false, Nobody),
            ("l!rp", false, Fail, true, Nobody),
            ("l!r!rp", false, Asks, true, Ask(2)),
            ("l!r!rp!", true, UseRemote, true, Use(2)),
            ("l!r!p", false, UseRemote, true, Nobody),
            ("l!", true, Asks, true, Nobody),
            // What was agreed to goes on, and reaches no further.
            ("l!r+p", true, Asks, true, Use(1)),
            ("l!r+!rp", false, Asks, true, Ask(2)),
            // Without one at home, the remote ones that are listed.
            ("rrp", true, Asks, false, Use(0)),
            ("r!rp", true, Fail, false, Use(1)),
            ("r!r!p", true, Asks, true, Use(2)),
            ("r!r!p", false, Asks, true, Nobody),
            // Without any model the rules, sure or not.
            ("p", false, Asks, false, Use(0)),
            ("p!", true, Asks, true, Nobody),
            ("", true, UseRemote, true, Nobody),
        ] {
            assert_eq!(next(&links(text), sure, when, can_ask), want, "{text} {sure} {when:?} {can_ask}");
        }
    }

    /// Every chain of up to four, with everything that can be said of it.
    #[test]
    fn nothing_leaves_by_itself() {
        let kinds = ["l", "l!", "r", "r!", "r+", "r+!", "p", "p!"];
        let mut chains = vec![String::new()];
        let mut from = 0;
        for _ in 0..4 {
            let until = chains.len();
            for place in from..until {
                chains.extend(kinds.map(|kind| format!("{}{kind}", chains[place])));
            }
            from = until;
        }
        for text in &chains {
            let links = links(text);
            let listed = links.iter().any(|link| link.mind == Mind::Model && link.home);
            for bits in 0..12 {
                let (sure, can_ask) = (bits & 1 == 0, bits & 2 == 0);
                let when = [Asks, Fail, UseRemote][bits >> 2];
                let step = next(&links, sure, when, can_ask);
                let at_home_waits =
                    links.iter().any(|link| link.mind == Mind::Model && link.home && !link.failed);
                match step {
                    Use(place) | Ask(place) => assert!(!links[place].failed, "{text}"),
                    Nobody => assert!(!at_home_waits, "{text}"),
                }
                if let Use(place) = step
                    && !links[place].home
                {
                    assert!(!at_home_waits, "{text}");
                    assert!(!listed || links[place].agreed || when == UseRemote, "{text} {when:?}");
                }
                if let Ask(place) = step {
                    assert!(!links[place].home && listed && !at_home_waits, "{text}");
                    assert!(when == Asks && can_ask && !links[place].agreed, "{text} {when:?}");
                }
            }
        }
    }
}
