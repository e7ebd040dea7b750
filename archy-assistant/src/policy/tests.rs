use Denied::{Closed, OutOfScope};
use Effect::{Read, Write};
use Verdict::{Allow, Confirm, Deny};

use super::*;

const SCOPE: Verdict = Deny(OutOfScope);
/// The category in a cell's answer stands for the one that the tool needs.
const CLOSED: Verdict = Deny(Closed(Category::Apps));

/// What the policy must answer, one line a cell, written by hand: whether the scope reads the tool's category and
/// whether it proposes in it, whether the category is open, what the tool does, whether it reaches the outside,
/// whether text of others is in the context.
#[rustfmt::skip]
const TABLE: [(u8, u8, u8, Effect, u8, u8, Verdict); 64] = [
    // reads, proposes, open, effect, egress, tainted
    (0, 0, 0, Read,  0, 0, SCOPE), (0, 0, 0, Read,  0, 1, SCOPE), (0, 0, 0, Read,  1, 0, SCOPE), (0, 0, 0, Read,  1, 1, SCOPE),
    (0, 0, 0, Write, 0, 0, SCOPE), (0, 0, 0, Write, 0, 1, SCOPE), (0, 0, 0, Write, 1, 0, SCOPE), (0, 0, 0, Write, 1, 1, SCOPE),
    (0, 0, 1, Read,  0, 0, SCOPE), (0, 0, 1, Read,  0, 1, SCOPE), (0, 0, 1, Read,  1, 0, SCOPE), (0, 0, 1, Read,  1, 1, SCOPE),
    (0, 0, 1, Write, 0, 0, SCOPE), (0, 0, 1, Write, 0, 1, SCOPE), (0, 0, 1, Write, 1, 0, SCOPE), (0, 0, 1, Write, 1, 1, SCOPE),
    (0, 1, 0, Read,  0, 0, SCOPE), (0, 1, 0, Read,  0, 1, SCOPE), (0, 1, 0, Read,  1, 0, SCOPE), (0, 1, 0, Read,  1, 1, SCOPE),
    (0, 1, 0, Write, 0, 0, CLOSED), (0, 1, 0, Write, 0, 1, CLOSED), (0, 1, 0, Write, 1, 0, CLOSED), (0, 1, 0, Write, 1, 1, CLOSED),
    (0, 1, 1, Read,  0, 0, SCOPE), (0, 1, 1, Read,  0, 1, SCOPE), (0, 1, 1, Read,  1, 0, SCOPE), (0, 1, 1, Read,  1, 1, SCOPE),
    (0, 1, 1, Write, 0, 0, Confirm), (0, 1, 1, Write, 0, 1, Confirm), (0, 1, 1, Write, 1, 0, Confirm), (0, 1, 1, Write, 1, 1, Confirm),
    (1, 0, 0, Read,  0, 0, CLOSED), (1, 0, 0, Read,  0, 1, CLOSED), (1, 0, 0, Read,  1, 0, CLOSED), (1, 0, 0, Read,  1, 1, CLOSED),
    (1, 0, 0, Write, 0, 0, SCOPE), (1, 0, 0, Write, 0, 1, SCOPE), (1, 0, 0, Write, 1, 0, SCOPE), (1, 0, 0, Write, 1, 1, SCOPE),
    (1, 0, 1, Read,  0, 0, Allow), (1, 0, 1, Read,  0, 1, Allow), (1, 0, 1, Read,  1, 0, Allow), (1, 0, 1, Read,  1, 1, Confirm),
    (1, 0, 1, Write, 0, 0, SCOPE), (1, 0, 1, Write, 0, 1, SCOPE), (1, 0, 1, Write, 1, 0, SCOPE), (1, 0, 1, Write, 1, 1, SCOPE),
    (1, 1, 0, Read,  0, 0, CLOSED), (1, 1, 0, Read,  0, 1, CLOSED), (1, 1, 0, Read,  1, 0, CLOSED), (1, 1, 0, Read,  1, 1, CLOSED),
    (1, 1, 0, Write, 0, 0, CLOSED), (1, 1, 0, Write, 0, 1, CLOSED), (1, 1, 0, Write, 1, 0, CLOSED), (1, 1, 0, Write, 1, 1, CLOSED),
    (1, 1, 1, Read,  0, 0, Allow), (1, 1, 1, Read,  0, 1, Allow), (1, 1, 1, Read,  1, 0, Allow), (1, 1, 1, Read,  1, 1, Confirm),
    (1, 1, 1, Write, 0, 0, Confirm), (1, 1, 1, Write, 0, 1, Confirm), (1, 1, 1, Write, 1, 0, Confirm), (1, 1, 1, Write, 1, 1, Confirm),
];

/// Whether a message that holds a category's data may go to a remote, by whether it holds it and whether the owner
/// opened it for there: `MAY_LEAVE[holds][opened]`.
const MAY_LEAVE: [[bool; 2]; 2] = [[true, true], [false, true]];

/// None, all, each one, all but one: what stands in the bits that a cell is not about.
fn noises() -> Vec<Categories> {
    let each = Category::ALL.map(Categories::only);
    let but = Category::ALL.map(|category| Categories::ALL.without(category));
    [Categories::NONE, Categories::ALL].into_iter().chain(each).chain(but).collect()
}

fn set(noise: Categories, category: Category, bit: u8) -> Categories {
    if bit == 1 { noise.with(category) } else { noise.without(category) }
}

fn all_sets() -> impl Iterator<Item = Categories> {
    (0..1024_u16).map(|bits| Category::ALL.into_iter().filter(|one| bits >> *one as u16 & 1 == 1).collect())
}

fn needs(category: Category) -> impl Iterator<Item = Need> {
    let all = [(Read, false), (Read, true), (Write, false), (Write, true)];
    all.into_iter().map(move |(effect, egress)| Need { category, effect, egress })
}

#[test]
fn every_cell_answers_as_the_table_says_whatever_stands_in_the_other_bits() {
    let (noises, mut asked) = (noises(), 0_u64);
    for category in Category::ALL {
        for (reads, proposes, is_open, effect, egress, tainted, answer) in TABLE {
            let answer = if let Deny(Closed(_)) = answer { Deny(Closed(category)) } else { answer };
            let need = Need { category, effect, egress: egress == 1 };
            for (place, noise) in noises.iter().enumerate() {
                for open in &noises {
                    let holds = noises[(place * 7 + 3) % noises.len()];
                    for propose in [*noise, *open, holds] {
                        let scope = Scope {
                            read: set(*noise, category, reads),
                            propose: set(propose, category, proposes),
                        };
                        let label = Label { holds, tainted: tainted == 1 };
                        let open = set(*open, category, is_open);
                        assert_eq!(
                            decide(scope, need, open, label),
                            answer,
                            "{scope:?} {need:?} {open} {label:?}"
                        );
                        asked += 1;
                    }
                }
            }
        }
    }
    assert_eq!(asked, 10 * 64 * 22 * 22 * 3);
}

#[test]
fn the_table_has_every_cell_once() {
    let cells: std::collections::HashSet<_> = TABLE
        .map(|(reads, proposes, open, effect, egress, tainted, _)| {
            (reads, proposes, open, effect, egress, tainted)
        })
        .into();
    assert_eq!(cells.len(), 64);
}

#[test]
fn a_write_is_never_allowed_without_a_person() {
    for open in all_sets() {
        for category in Category::ALL {
            for need in needs(category).filter(|need| need.effect == Write) {
                for tainted in [false, true] {
                    let label = Label { holds: open, tainted };
                    assert_ne!(decide(Scope::EVERYTHING, need, open, label), Allow);
                }
            }
        }
    }
}

/// How much an answer lets through.
fn width(verdict: Verdict) -> u8 {
    match verdict {
        Deny(_) => 0,
        Confirm => 1,
        Allow => 2,
    }
}

#[test]
fn closing_a_category_or_shrinking_a_scope_never_widens_an_answer() {
    for open in all_sets() {
        for taken in Category::ALL {
            for category in Category::ALL {
                for need in needs(category) {
                    for tainted in [false, true] {
                        let label = Label { holds: Categories::NONE, tainted };
                        let wide = Scope { read: open, propose: open };
                        let narrow = Scope { read: open.without(taken), propose: open.without(taken) };
                        let before = width(decide(wide, need, Categories::ALL, label));
                        assert!(width(decide(narrow, need, Categories::ALL, label)) <= before);
                        let before = width(decide(Scope::EVERYTHING, need, open, label));
                        assert!(width(decide(Scope::EVERYTHING, need, open.without(taken), label)) <= before);
                    }
                }
            }
        }
    }
}

#[test]
fn text_of_others_only_moves_allow_to_confirm() {
    for open in all_sets() {
        for category in Category::ALL {
            for need in needs(category) {
                let ask = |tainted| {
                    decide(Scope::EVERYTHING, need, open, Label { holds: Categories::NONE, tainted })
                };
                match (ask(false), ask(true)) {
                    (clean, tainted) if clean == tainted => {}
                    (Allow, Confirm) => assert!(need.egress && need.effect == Read),
                    moved => panic!("{need:?} moved {moved:?}"),
                }
            }
        }
    }
}

#[test]
fn nothing_of_a_fresh_node_is_within_reach() {
    for category in Category::ALL {
        for need in needs(category) {
            let fresh = decide(Scope::EVERYTHING, need, Categories::default(), Label::default());
            assert_eq!(fresh, Deny(Closed(category)));
        }
    }
}

#[test]
fn a_message_leaves_only_where_everything_that_it_holds_was_opened() {
    for holds in all_sets() {
        for tainted in [false, true] {
            let label = Label { holds, tainted };
            assert!(may_leave(label, Destination::Own));
            for may_receive in all_sets() {
                let mut leaves = true;
                for one in Category::ALL {
                    leaves &= MAY_LEAVE[usize::from(holds.has(one))][usize::from(may_receive.has(one))];
                }
                assert_eq!(
                    may_leave(label, Destination::Remote { may_receive }),
                    leaves,
                    "{holds} → {may_receive}"
                );
            }
        }
    }
}

#[test]
fn what_rests_on_two_texts_rests_on_all_that_either_rests_on() {
    for holds in all_sets() {
        for other in noises() {
            for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
                let joined = Label { holds, tainted: a }.join(Label { holds: other, tainted: b });
                for one in Category::ALL {
                    assert_eq!(joined.holds.has(one), holds.has(one) || other.has(one));
                }
                assert_eq!(joined.tainted, a || b);
            }
        }
    }
}
