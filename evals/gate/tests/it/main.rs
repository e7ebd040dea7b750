//! The suite in its quick form: a part of the cases that the program plays in full.

use archy_gate::suite;

#[test]
fn nothing_gets_through_and_what_is_meant_well_is_done() {
    let (tasks, failures) = suite::benign();
    assert_eq!((tasks.benign, tasks.cases), (23, 23));
    assert!(failures.is_empty(), "{failures:#?}");
    let (counts, failures) = suite::run(1, 6_400, 2);
    assert!(failures.is_empty(), "{failures:#?}");
    let (values, came_up) = counts.values();
    assert_eq!(came_up, values, "every value of every dimension came up");
    assert!(counts.effects > 4_000 && counts.questions > 2_000, "{} {}", counts.effects, counts.questions);
}
