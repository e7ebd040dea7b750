//! Who may ask over a radio, and what they would see, without a radio.

use crate::node::Node;

const KEY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

#[test]
fn a_fresh_door_is_closed_and_the_owner_opens_it_to_one_contact() {
    let node = Node::fresh();
    let ran = node.run(&["mesh", "test", "--no-model", "--as", KEY, "how", "much", "space", "is", "left?"]);
    assert_eq!((ran.code, &*ran.out), (0, "It would hear nothing: it may not ask, or the door is closed.\n"));
    node.does(&["mesh", "on"]);
    let ran = node.run(&["mesh", "allow", KEY, "system"]);
    assert_eq!((ran.code, &*ran.out), (0, &*format!("{KEY}  sees system\n")));
    node.does(&["grants", "open", "system"]);
    let ran = node.run(&["mesh", "test", "--no-model", "--as", KEY, "how much space is left?"]);
    assert!(ran.code == 0 && ran.out.starts_with("This contact would see:\n"), "{}", ran.out);
    assert!(
        ran.out.contains(" bytes, ") && ran.out.contains("of 36.0 s that each hour may cost."),
        "{}",
        ran.out
    );
    let ran = node.run(&["mesh", "deny", KEY]);
    assert_eq!((ran.code, &*ran.out), (0, &*format!("{KEY}  hears nothing\nNobody may ask over a radio.\n")));
    let ran = node.run(&["mesh", "test", "--no-model", "--as", KEY, "how much space is left?"]);
    assert_eq!(&*ran.out, "It would hear nothing: it may not ask, or the door is closed.\n");
}

#[test]
fn an_owner_without_a_radio_sees_what_a_contact_would() {
    let node = Node::fresh();
    node.does(&["grants", "open", "system"]);
    let ran = node.run(&["--json", "mesh", "test", "--no-model", "how much space is left?"]);
    let seen: serde_json::Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
    let part = &seen["seen"]["parts"][0];
    assert!(
        part["text"].as_str().unwrap().len() <= 150 && part["airtime"].as_u64().unwrap() > 400,
        "{}",
        ran.out
    );
    let ran = node.run(&["mesh", "allow", "Alice"]);
    assert!(ran.code == 2 && ran.err.contains("64 hexadecimal digits, never a name"), "{}", ran.err);
}
