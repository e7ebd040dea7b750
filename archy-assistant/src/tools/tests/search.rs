//! Searching what is open, and nothing else.

use std::sync::Arc;

use super::node::{Node, all, read_as};
use crate::{
    Caller, Categories, Category, Datum, Destination, Door, Effect, OwnerRole, Principal, Role, Scope,
    Source, may_leave,
};

const LISBON: &str = r#"{"query":"Lisbon"}"#;

fn search(
    node: Node,
    caller: &Caller,
    open: Option<Categories>,
) -> (Result<Datum, String>, Vec<&'static str>) {
    let node = Arc::new(node);
    let found = read_as(&all(&node, open).into_toolbox(), caller, "node_search", LISBON);
    let asked = node.asked.lock().unwrap().clone();
    (found, asked)
}

fn hit(source: &'static str, id: Datum, title: &str, kind: Source) -> Datum {
    Datum::record([("source", Datum::text(source)), ("id", id), ("title", Datum::others(title, kind))])
}

fn result(found: Vec<Datum>, failed: &[&'static str], closed: &[&'static str]) -> Datum {
    let names = |names: &[&'static str]| match names {
        [] => Datum::None,
        names => Datum::List(names.iter().map(|name| Datum::text(*name)).collect()),
    };
    Datum::record([("found", Datum::List(found)), ("failed", names(failed)), ("closed", names(closed))])
}

fn file() -> Datum {
    hit("file", Datum::None, "lisbon.txt", Source::FileName)
}

#[test]
fn every_open_source_is_searched() {
    let (found, asked) = search(Node::new(), &Caller::owner(), Some(Categories::ALL));
    let peer = hit("peer", Datum::text("02ab"), "Lisbon radio", Source::PeerName);
    let note = hit("note", Datum::None, "Trip", Source::Note);
    assert_eq!(found, Ok(result(vec![peer, file(), note], &[], &[])));
    assert_eq!(asked, ["apps", "settings", "peers", "files", "notes"]);
}

#[test]
fn what_was_found_may_leave_only_where_every_source_may() {
    let tools = all(&Arc::new(Node::new()), Some(Categories::ALL)).into_toolbox();
    let spec = &tools.find("node_search").unwrap().spec;
    let found = read_as(&tools, &Caller::owner(), "node_search", LISBON).unwrap();
    let leaves = |may_receive| may_leave(found.label(spec.rests_on()), Destination::Remote { may_receive });
    let sources = [Category::Apps, Category::System, Category::Network, Category::Files, Category::Notes];
    let all = sources.into_iter().fold(Categories::only(Category::Search), Categories::with);
    assert!(leaves(all));
    for source in sources {
        assert!(!leaves(all.without(source)), "{source}");
    }
}

#[test]
fn a_closed_source_is_never_asked_and_only_the_chrome_learns_of_it() {
    let open = Some(Categories::only(Category::Files));
    let (found, asked) = search(Node::new(), &Caller::owner(), open);
    assert_eq!(found, Ok(result(vec![file()], &[], &["apps", "settings", "peers", "notes"])));
    assert_eq!(asked, ["files"]);

    let owner = Principal::owner();
    let frame = Caller::relayed(owner.clone(), Scope::EVERYTHING, Door::Frame, owner, OwnerRole);
    let (found, asked) = search(Node::new(), &frame, open);
    assert_eq!((found, asked), (Ok(result(vec![file()], &[], &[])), vec!["files"]));

    let (found, asked) = search(Node::new(), &frame, None);
    assert_eq!(
        (found, asked),
        (Ok(result(vec![], &[], &[])), vec![]),
        "grants that cannot be read open nothing"
    );
}

struct NoFiles;

impl Role for NoFiles {
    fn may(&self, tool: &str, _: Effect) -> bool {
        tool != "files_search"
    }
}

#[test]
fn scope_and_role_count_as_when_the_source_is_asked_directly() {
    let scope =
        Scope { read: Categories::only(Category::Files).with(Category::Notes), propose: Categories::NONE };
    let narrow = Caller::chrome(Principal::new("guest").unwrap(), scope, NoFiles);
    let (_, asked) = search(Node::new(), &narrow, Some(Categories::ALL));
    assert_eq!(asked, ["notes"]);
}

#[test]
fn one_source_that_fails_leaves_the_others_and_is_told() {
    let node = Node { failing_notes: true, ..Node::new() };
    let open = Some(Categories::only(Category::Files).with(Category::Notes));
    let (found, _) = search(node, &Caller::owner(), open);
    assert_eq!(found, Ok(result(vec![file()], &["notes"], &["apps", "settings", "peers"])));
}
