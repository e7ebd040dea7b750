//! What a node finds at its start that a part of is gone: it says what is missing, and writes nothing.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::node::{Node, PROGRAM};

const KEY: &str = "secrets/audit-key";

/// Every file of the node's own directory, and what is in it; not what the apps keep.
fn files(node: &Node) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(path: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            match entry.file_type().unwrap().is_dir() {
                true if entry.file_name() != "apps" => walk(&entry.path(), all),
                true => {}
                false => drop(all.insert(entry.path(), fs::read(entry.path()).unwrap())),
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(node.data.path(), &mut all);
    all
}

/// A start is refused with exit code 2 and one sentence, and nothing is written.
fn refused(node: &Node, words: &[&str], says: &str) {
    let before = files(node);
    let ran = node.run(words);
    assert_eq!((ran.code, &*ran.out, &*ran.err), (2, "", &*format!("archy-node: {says}\n")), "{words:?}");
    assert!(files(node) == before, "something was written");
}

/// What is said of a key that cannot be used.
fn lost(node: &Node, what: &str) -> String {
    let data = node.data.path().display();
    format!(
        "{what}; put it back from your backup, or, if it is lost for ever, go on with a new one: \
         {PROGRAM} audit new-key --data {data}"
    )
}

#[test]
fn a_lost_key_is_no_reason_to_make_another() {
    let node = Node::opened();
    let path = node.data.path().join(KEY);
    let key = fs::read(&path).unwrap();
    let name = path.display();
    fs::remove_file(&path).unwrap();
    let missing = lost(&node, &format!("{name} is missing, which seals the audit in archy.db"));
    refused(&node, &["ask", "--no-model", "how much space is left?"], &missing);
    fs::remove_dir(path.parent().unwrap()).unwrap();
    refused(&node, &["grants"], &missing);
    fs::create_dir(path.parent().unwrap()).unwrap();
    for bytes in [&b""[..], &key[..31], &[7; 33]] {
        fs::write(&path, bytes).unwrap();
        let says = format!("{name} is damaged: it has {} bytes, not 32", bytes.len());
        refused(&node, &["grants"], &lost(&node, &says));
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let ran = node.run(&["grants"]);
    assert!(ran.code == 2 && ran.err.contains(&format!("cannot read {name}: ")), "{ran:?}");
    fs::remove_dir(&path).unwrap();
    fs::write(&path, key).unwrap();
    assert_eq!(node.run(&["audit", "verify"]).code, 0, "the right key, put back, is all that it takes");
}

#[test]
fn the_owner_may_go_on_with_a_new_key_and_has_to_look_then() {
    let node = Node::opened();
    let ran = node.run(&["audit", "new-key"]);
    let says = "archy-node: this node has its key; there is nothing to replace\n";
    assert_eq!((ran.code, &*ran.err), (2, says));
    fs::remove_file(node.data.path().join(KEY)).unwrap();
    assert_eq!(node.run(&["audit", "new-key"]).code, 4);
    for (types, code) in [("no\n", 6), ("yes\n", 0)] {
        assert_eq!(node.run(&["grants"]).code, 2);
        let mut terminal = node.terminal(&["audit", "new-key"]);
        terminal.sees("Type yes to make a new key, anything else to leave it: ");
        terminal.types(types);
        assert_eq!(terminal.ends().0, code);
    }
    let ran = node.run(&["ask", "--no-model", "how much space is left?"]);
    assert!(ran.code == 3 && ran.err.starts_with("The audit is damaged: "), "{ran:?}");
}

#[test]
fn an_emptied_database_is_no_new_one() {
    let node = Node::opened();
    let path = node.data.path().join("archy.db");
    let copy = node.data.path().join("copy");
    node.does(&["backup", copy.to_str().unwrap()]);
    fs::write(&path, "").unwrap();
    let data = node.data.path().display();
    let says = format!(
        "{} is empty, but this node has had a database, as secrets/audit-key says; put back a copy with: \
         {PROGRAM} restore FILE --data {data}; or delete the empty file to begin anew",
        path.display()
    );
    refused(&node, &["grants"], &says);
    node.does(&["restore", copy.to_str().unwrap()]);
    let open = node.json(&["grants"])["open"].clone();
    assert_eq!(open, serde_json::json!(["apps", "system", "files"]));
}

#[test]
fn an_empty_file_where_nothing_ever_was_is_a_new_database() {
    let node = Node::fresh();
    let path = node.data.path().join("archy.db");
    fs::write(&path, "").unwrap();
    assert_eq!(node.run(&["grants"]).code, 0);
    assert!(fs::metadata(&path).unwrap().len() > 0);
}

#[test]
fn a_first_start_that_was_cut_off_is_taken_up() {
    let node = Node::opened();
    let (key, first) = (node.data.path().join(KEY), node.data.path().join("secrets/audit-key.first"));
    // As it is when the process was killed after the database had begun.
    fs::rename(&key, &first).unwrap();
    let ran = node.run(&["audit", "verify"]);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    assert!(key.exists() && !first.exists());
}

#[test]
fn a_copy_whose_key_is_not_there_is_not_put_in_place() {
    let (node, other) = (Node::opened(), Node::fresh());
    let copy = node.data.path().join("copy");
    node.does(&["backup", copy.to_str().unwrap()]);
    let missing =
        format!("{} is missing, which seals the audit in the copy", other.data.path().join(KEY).display());
    fs::write(other.data.path().join("lock"), "").unwrap();
    refused(&other, &["restore", copy.to_str().unwrap()], &lost(&other, &missing));
    fs::create_dir_all(other.data.path().join("secrets")).unwrap();
    fs::copy(node.data.path().join(KEY), other.data.path().join(KEY)).unwrap();
    other.does(&["restore", copy.to_str().unwrap()]);
    assert_eq!(other.run(&["audit", "verify"]).code, 0);
}

#[test]
fn what_others_could_read_is_closed_to_them_and_told() {
    let node = Node::opened();
    let database = node.data.path().join("archy.db");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(&database, Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(node.data.path().join(KEY), Permissions::from_mode(0o640)).unwrap();
    let ran = node.run(&["grants"]);
    let says = |name: &str| {
        let path = node.data.path().join(name);
        format!("{} was open to others on this machine; it is for you alone now.\n", path.display())
    };
    assert_eq!((ran.code, ran.err), (0, says("archy.db") + &says(KEY)));
    assert_eq!((mode(&database), mode(&node.data.path().join(KEY))), (0o600, 0o600));
    assert_eq!(node.run(&["grants"]).err, "");
}
