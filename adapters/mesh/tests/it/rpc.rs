//! The radio's methods of the JSON-RPC door, and what a peer would see on paper.

use std::io;
use std::sync::{Arc, Mutex};

use archy_assistant::{
    Assistant, Backend, Caller, Door, MemoryStore, OwnerRole, PollPending, Principal, Scope, Script,
    Scripted, Store, StoredGrants, SystemClock, Toolbox,
};
use archy_mesh::rpc::{METHODS, RadioHost, call};
use archy_mesh::{Admission, InProcess, Radio, Rehearsal, Settings, Silence, TrustNobody};
use archy_wire::Code;
use serde_json::{Value, json};

use crate::world::key;

#[derive(Default)]
struct Host {
    kept: Mutex<Vec<Settings>>,
    is_full: bool,
}

impl RadioHost for Host {
    fn backend(&self) -> Option<String> {
        Some("ollama".to_owned())
    }
    fn ollama_detected(&self) -> bool {
        true
    }
    fn models(&self) -> Vec<String> {
        vec!["qwen3:8b".to_owned()]
    }
    fn keep(&self, settings: &Settings) -> io::Result<()> {
        if self.is_full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.kept.lock().expect("nobody panics with it").push(settings.clone());
        Ok(())
    }
}

fn assistant(scripts: Vec<Script>) -> Assistant {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let model: Arc<dyn Backend> = Arc::new(Scripted::new(scripts));
    let builder = Assistant::builder([model], Toolbox::new(), grants).with_store(store);
    builder.with_sink(Arc::new(PollPending)).open().expect("it opens")
}

fn radio() -> Radio {
    Radio::new(
        assistant(Vec::new()),
        Settings::default(),
        Arc::new(TrustNobody),
        InProcess::default(),
        Arc::new(SystemClock),
    )
}

#[tokio::test]
async fn the_fields_of_the_status() {
    let (radio, host) = (radio(), Host::default());
    let change = json!({
        "enabled": true,
        "allowed_contacts": [key(1).to_string()],
        "denied_askers": [format!("meshcore:{}", key(2))],
        "contact_categories": {key(1).to_string(): ["bitcoin", "ai-local"]},
        "airtime_permille": 25,
    });
    let status = call(&radio, &host, &Caller::owner(), METHODS[1], change).expect("the owner may");
    insta::assert_json_snapshot!(status, @r#"
    {
      "airtime_allowed_ms": 90000,
      "airtime_permille": 25,
      "airtime_spent_ms": 0,
      "allowed_contacts": [
        "000000015a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
      ],
      "backend": "ollama",
      "categories": [],
      "contact_categories": {
        "000000015a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a": [
          "ai-local",
          "bitcoin"
        ]
      },
      "contacts": [],
      "denied_askers": [
        "000000025a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
      ],
      "enabled": true,
      "models": [
        "qwen3:8b"
      ],
      "ollama_detected": true,
      "owner_keys": [],
      "radio": "nothing was heard of the radio yet",
      "strangers": "refused",
      "trusted_only": true
    }
    "#);
    let again = call(&radio, &host, &Caller::owner(), METHODS[0], Value::Null).expect("the owner may");
    assert_eq!(again, status);
    assert_eq!(*host.kept.lock().expect("nobody panics with it"), [radio.settings()]);
}

#[tokio::test]
async fn nothing_is_changed_by_others_by_what_is_no_key_or_where_it_cannot_be_kept() {
    let (radio, host) = (radio(), Host::default());
    let owner = Principal::owner();
    let frame = Caller::relayed(owner.clone(), Scope::EVERYTHING, Door::Frame, owner, OwnerRole);
    let guest = Caller::chrome(Principal::new("guest").expect("is fine"), Scope::EVERYTHING, OwnerRole);
    for caller in [frame, guest] {
        for method in METHODS {
            let refused = call(&radio, &host, &caller, method, json!({})).map_err(|fault| fault.code);
            assert_eq!(refused, Err(Code::Forbidden));
        }
    }
    for bad in [
        json!({"enabled": true, "allowed_contacts": ["Ann"]}),
        json!({"enabled": true, "categories": ["money"]}),
        json!({"enabled": true, "airtime_permille": 1001}),
        json!({"enabled": true, "everyone": true}),
    ] {
        let refused = call(&radio, &host, &Caller::owner(), METHODS[1], bad).map_err(|fault| fault.code);
        assert_eq!(refused, Err(Code::BadParams));
    }
    let full = Host { is_full: true, ..Host::default() };
    let refused = call(&radio, &full, &Caller::owner(), METHODS[1], json!({"enabled": true}));
    assert_eq!(refused.map_err(|fault| fault.code), Err(Code::Store));
    let refused = call(&radio, &host, &Caller::owner(), "mesh.send", json!({}));
    assert_eq!(refused.map_err(|fault| fault.code), Err(Code::NoMethod));
    assert_eq!(radio.settings(), Settings::default());
}

#[cfg(feature = "jsonrpc")]
#[tokio::test]
async fn a_daemon_merges_the_methods_and_each_asks_it_who_calls() {
    let host: Arc<dyn RadioHost> = Arc::new(Host::default());
    let of = |is_owner: bool| {
        let module = archy_mesh::rpc::module(radio(), &host, move |_, method| {
            assert!(METHODS.contains(&method));
            let refused = archy_wire::Fault::new(Code::Unauthenticated, "log in first");
            if is_owner { Ok(Caller::owner()) } else { Err(refused) }
        });
        module.expect("both have names of their own")
    };
    let ask =
        |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}","params":{params}}}"#, METHODS[1]);
    let answered = async |is_owner, params: &str| {
        let (answer, _) = of(is_owner).raw_json_request(&ask(params), 1).await.expect("it is a request");
        serde_json::from_str::<Value>(answer.get()).expect("it is JSON")
    };
    assert_eq!(answered(true, r#"{"enabled":true}"#).await["result"]["enabled"], true);
    assert_eq!(answered(false, r#"{"enabled":true}"#).await["error"]["data"], "unauthenticated");
    for bad in [r#"{"enabled":false,"enabled":true}"#, "[true]", r#"{"everyone":1}"#] {
        assert_eq!(answered(true, bad).await["error"]["data"], "bad-params", "{bad}");
    }
}

async fn rehearsed(answer: &str, settings: Settings) -> Rehearsal {
    let assistant = assistant(vec![Scripted::says(answer)]);
    Rehearsal::of(assistant, settings, Arc::new(TrustNobody), Arc::new(SystemClock), key(1), "which block?")
        .await
}

#[tokio::test]
async fn an_owner_without_a_radio_sees_what_a_peer_would_see() {
    let admission = Admission { enabled: true, allowed_contacts: [key(1)].into(), ..Admission::default() };
    let settings = Settings { admission, ..Settings::default() };
    let seen = rehearsed("**Block** 912,345.", settings.clone()).await;
    let sheets: Vec<_> = seen.parts.iter().map(|sheet| (&*sheet.text, sheet.airtime)).collect();
    assert_eq!((sheets, seen.more.len(), seen.silence), (vec![("Block 912,345.", 477)], 0, None));

    let long = (1..=14).map(|n| format!("This is sentence number {n} of it.")).collect::<Vec<_>>().join(" ");
    let seen = rehearsed(&long, settings).await;
    let begins = |sheets: &[archy_mesh::Sheet]| {
        sheets.iter().map(|sheet| sheet.text[..4].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (begins(&seen.parts), begins(&seen.more)),
        (vec!["1/4 ".into(), "2/4 ".into()], vec!["3/4 ".into(), "4/4 ".into()])
    );

    let closed = rehearsed("x", Settings::default()).await;
    assert_eq!((closed.silence, closed.parts.len()), (Some(Silence::NotAdmitted), 0));
}
