//! Reading and controlling apps.

use std::sync::Arc;

use super::node::{Node, SINCE, all, apply, plan, read};
use crate::host::Running;
use crate::{Datum, Source, Timestamp, Toolbox};

fn tools(node: &Arc<Node>) -> Toolbox {
    all(node, None).into_toolbox()
}

fn run(pid: i64, since: u64) -> Datum {
    Datum::record([("pid", Datum::Int(pid)), ("since", Datum::Time(Timestamp(since)))])
}

#[test]
fn an_app_is_found_by_its_name_and_told_with_its_id() {
    let tools = tools(&Arc::new(Node::new()));
    let told = read(&tools, "app_status", r#"{"app":"the demo"}"#).unwrap();
    let expected = Datum::record([
        ("id", Datum::text("hello")),
        ("name", Datum::others("Hello World", Source::AppName)),
        ("state", Datum::text("running")),
        ("since", Datum::Time(SINCE)),
        ("code", Datum::None),
        ("health", Datum::None),
        ("needs", Datum::List(vec![])),
        ("dependents", Datum::List(vec![Datum::text("web")])),
    ]);
    assert_eq!(told, expected);
    let states: Vec<_> = read(&tools, "apps_list", "{}")
        .unwrap()
        .items()
        .iter()
        .map(|app| [app.get("id").clone(), app.get("state").clone()])
        .collect();
    let states_expected = [("hello", "running"), ("web", "stopped"), ("old", "broken"), ("gone", "failed")];
    assert_eq!(states, states_expected.map(|(id, state)| [Datum::text(id), Datum::text(state)]));
    let missing = read(&tools, "app_status", r#"{"app":"world"}"#);
    assert_eq!(missing, Err("no app is called that; near it: hello".to_owned()));
}

#[test]
fn a_log_is_its_newest_lines_within_bounds() {
    let node = Arc::new(Node::new());
    let tools = tools(&node);
    let lines = |args: &str| read(&tools, "app_logs", args).unwrap().get("lines").clone();
    let line = |text: &str| Datum::others(text, Source::Log("hello".to_owned()));
    assert_eq!(lines(r#"{"app":"hello","lines":2}"#), Datum::List(vec![line("two"), line("three")]));

    *node.log.lock().unwrap() = (0..1000).map(|number| number.to_string()).collect();
    let count = |args: &str| lines(args).items().len();
    assert_eq!(count(r#"{"app":"hello"}"#), 20);
    assert_eq!(count(r#"{"app":"hello","lines":0}"#), 1);
    assert_eq!(count(r#"{"app":"hello","lines":4000000}"#), 200);

    *node.log.lock().unwrap() = vec!["x".repeat(16 * 1024), "y".repeat(9000), "z".repeat(7000)];
    assert_eq!(
        lines(r#"{"app":"hello"}"#),
        Datum::List(vec![line(&"y".repeat(9000)), line(&"z".repeat(7000))])
    );
}

#[test]
fn a_restart_shows_the_run_it_ends_and_tells_the_run_it_saw() {
    let node = Arc::new(Node::new());
    let tools = tools(&node);
    let args = r#"{"app":"Hello World"}"#;
    let planned = plan(&tools, "app_restart", args).unwrap();
    assert_eq!(
        String::from_utf8_lossy(planned.change()),
        r#"{"verb":"restart","app":"hello","was":"running","running":{"since":1796068812000,"pid":41},"starts_first":[],"dependents":["web"]}"#
    );
    let text = "Restart an app\n  App: “Hello World” (hello)\n  Running since: Mon, 30 Nov 2026 20:00:12 GMT\n  \
                Depends on it: web\n  Away for about: 8 seconds\n  Can be undone: no\n  \
                Exact call: app_restart {\"app\":\"Hello World\"}";
    assert_eq!(planned.text("app_restart", args, &[]).as_str(), text);
    assert!(planned.same(&*plan(&tools, "app_restart", r#"{"app":"hello"}"#).unwrap()));
    assert_eq!(*node.asked.lock().unwrap(), ["apps", "apps"], "planning changes nothing");

    let done = apply(planned).unwrap();
    let expected = Datum::record([
        ("name", Datum::text("hello")),
        ("state", Datum::text("running")),
        ("before", run(41, SINCE.0)),
        ("after", run(43, SINCE.0 + 9000)),
    ]);
    assert_eq!(done, expected);
    assert!(!done.is_tainted(), "a receipt holds no word of others");
    let spec = &tools.find("app_restart").unwrap().spec;
    assert_eq!(spec.sentence(&done).shown().as_str(), "hello is now running (pid 41 before, pid 43 now).");
}

#[test]
fn a_stop_and_a_start_are_each_others_way_back() {
    let node = Arc::new(Node::new());
    let tools = tools(&node);
    let args = r#"{"app":"hello"}"#;
    let stop = plan(&tools, "app_stop", args).unwrap();
    let text = "Stop an app\n  App: “Hello World” (hello)\n  Running since: Mon, 30 Nov 2026 20:00:12 GMT\n  \
                Depends on it: web\n  Away: until it is started again\n  Can be undone: start it again\n  \
                Exact call: app_stop {\"app\":\"hello\"}";
    assert_eq!(stop.text("app_stop", args, &[]).as_str(), text);
    let done = apply(stop).unwrap();
    assert_eq!([done.get("state"), done.get("after")], [&Datum::text("stopped"), &Datum::None]);

    let start = plan(&tools, "app_start", args).unwrap();
    let text = "Start an app\n  App: “Hello World” (hello)\n  Now: not running (stopped)\n  \
                Starts first: no other app\n  Can be undone: stop it again\n  \
                Exact call: app_start {\"app\":\"hello\"}";
    assert_eq!(start.text("app_start", args, &[]).as_str(), text);
    let done = apply(start).unwrap();
    assert_eq!([done.get("before"), done.get("after")], [&Datum::None, &run(42, SINCE.0 + 1000)]);
    assert_eq!(*node.asked.lock().unwrap(), ["apps", "stop", "apps", "start"]);
}

#[test]
fn a_start_says_what_it_starts_first() {
    let node = Arc::new(Node::new());
    let tools = tools(&node);
    let text = || plan(&tools, "app_start", r#"{"app":"web"}"#).unwrap().text("app_start", "", &[]);
    assert!(text().as_str().contains("Starts first: no other app"), "what it needs runs");
    *node.running.lock().unwrap() = None;
    assert!(text().as_str().contains("Starts first: hello"));
}

#[test]
fn what_would_do_nothing_is_answered_and_not_asked() {
    let tools = tools(&Arc::new(Node::new()));
    for (tool, app, says) in [
        ("app_start", "hello", "hello is already running"),
        ("app_stop", "web", "web is not running"),
        ("app_restart", "web", "web is not running; it can be started"),
        ("app_restart", "gone", "gone is not running; it can be started"),
        ("app_start", "old", "old cannot be started as it is; its status says why"),
        ("app_stop", "nothing like it", "no app is called that; there are: hello, web, old, gone"),
    ] {
        let refused = plan(&tools, tool, &format!(r#"{{"app":"{app}"}}"#)).err();
        assert_eq!(refused, Some(says.to_owned()), "{tool} {app}");
    }
}

#[test]
fn another_run_is_another_change() {
    let node = Arc::new(Node::new());
    let tools = tools(&node);
    let plan = |app: &str| plan(&tools, "app_stop", &format!(r#"{{"app":"{app}"}}"#)).unwrap();
    let shown = plan("hello");
    for running in [
        Running { since: Some(SINCE), pid: Some(42) },
        Running { since: Some(Timestamp(SINCE.0 + 1)), pid: Some(41) },
        Running::default(),
    ] {
        *node.running.lock().unwrap() = Some(running);
        assert!(!shown.same(&*plan("hello")), "{running:?}");
    }
}

#[test]
fn a_restart_that_left_the_same_run_is_not_told_as_one() {
    let node = Arc::new(Node { stuck: true, ..Node::new() });
    let planned = plan(&tools(&node), "app_restart", r#"{"app":"hello"}"#).unwrap();
    assert_eq!(apply(planned), Err("hello was not restarted: it is still the same run".to_owned()));
    let node = Arc::new(Node { stuck: true, ..Node::new() });
    let planned = plan(&tools(&node), "app_stop", r#"{"app":"hello"}"#).unwrap();
    assert_eq!(
        apply(planned).unwrap().get("state"),
        &Datum::text("running"),
        "what was seen, not what was meant"
    );
}
