use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use archy_assistant::host::{AppControl, AppId, Apps, Observed, SettingControl, SettingKey, Settings};
use archy_assistant::{Caller, Category, StoredGrants};

use super::*;

const HOME: &str = r#"
[[app]]
id = "bitcoind"
name = "Bitcoin Core"
aliases = ["bitcoin"]
[[app]]
id = "electrs"
name = "Electrs"
depends_on = ["bitcoind"]
[[app]]
id = "mempool"
name = "Mempool"
depends_on = ["electrs"]
[settings]
theme = "light"
timezone = "UTC"
[folders]
names = ["photos", "photos/2024"]
"#;

/// Nothing in this home waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("it waits"),
    }
}

fn id(id: &str) -> AppId {
    AppId::new(id).unwrap()
}

#[test]
fn apps_stop_and_start_with_what_they_need() {
    let home = FakeHome::parse(HOME).unwrap();
    let owner = Caller::owner();
    let status = |app: &str| now(home.status(&owner, &id(app))).unwrap();
    assert_eq!(status("bitcoind").dependents, [id("electrs"), id("mempool")]);
    assert_eq!(status("mempool").needs, [id("electrs"), id("bitcoind")]);

    let before = status("bitcoind").app.state.running().copied();
    assert!(before.is_some());
    for app in ["bitcoind", "electrs", "mempool"] {
        now(home.stop(&owner, &id(app))).unwrap();
        assert_eq!(status(app).app.state.running(), None);
    }
    let Observed { before: nothing, after } = now(home.start(&owner, &id("mempool"))).unwrap();
    assert_eq!(nothing, None);
    assert_eq!(status("mempool").app.state.running().copied(), after);
    assert!(status("electrs").app.state.running().is_some());
    assert_ne!(status("bitcoind").app.state.running().copied(), before, "it is another run");
}

#[test]
fn a_setting_is_read_back_as_it_was_set() {
    let home = FakeHome::parse(HOME).unwrap();
    let owner = Caller::owner();
    let key = SettingKey::new("theme").unwrap();
    assert_eq!(now(home.set(&owner, &key, "dark")).unwrap(), "dark");
    let settings = now(Settings::list(&home, &owner)).unwrap();
    let values: Vec<_> = settings.iter().map(|setting| setting.value.as_deref()).collect();
    assert_eq!(values, [Some("dark"), Some("UTC")]);
}

#[test]
fn it_has_every_tool_but_those_about_media_and_backends() {
    let home = Arc::new(FakeHome::parse(HOME).unwrap());
    let grants = StoredGrants::new(Arc::new(archy_assistant::MemoryStore::default()));
    let toolbox = home.tools(Arc::new(grants)).into_toolbox();
    let missing: Vec<_> = Category::ALL
        .into_iter()
        .filter(|category| toolbox.specs().all(|(spec, _)| spec.category() != Some(*category)))
        .collect();
    assert_eq!(missing, [Category::Media, Category::AiLocal]);
}

#[test]
fn a_file_that_says_something_unknown_is_refused() {
    assert!(FakeHome::parse("[settings]\ntheme = \"light\"\n[wallet]\n").is_err());
}
