//! What must not be read anywhere: keys, tokens, and the causes that only the operator sees.

use std::error::Error;
use std::sync::Arc;

use archy_assistant::*;

use crate::home::*;

/// Made up, each in the form of something that opens a purse or a door.
const CANARIES: [&str; 8] = [
    "cashuAeyJ0b2tlbiI6W3sibWludCI6ImNhbmFyeSJ9XX0",
    "cashuBo2FtdWNhbmFyeWF1Y3NhdGF0gaJhaUgAcanary",
    "nsec1canarycanarycanarycanarycanarycanarycanarycanarycanary0",
    "xprv9s21ZrQH143K3canarycanarycanarycanarycanary",
    "abandon ability able about above absent canary",
    "sk-ant-canary-0123456789abcdef",
    "AgELbWFjYXJvb24tY2FuYXJ5",
    "session=canary-0123456789abcdef",
];

fn all() -> String {
    CANARIES.join(" ")
}

/// Fails, and its host says too much to the operator.
struct Leaky;

impl Read for Leaky {
    type Args = NoArgs;
    fn spec(&self) -> Spec {
        Spec::new("leaky", Category::System, "Fails.")
    }
    async fn read(&self, _: &Caller, _: NoArgs) -> Result<Datum, ToolError> {
        Err(HostError::new("the wallet does not answer").caused_by(all()))
    }
}

/// As [`Leaky`], when it is looked at.
struct LeakyWrite;

impl Write for LeakyWrite {
    type Args = NoArgs;
    type Change = u8;
    fn spec(&self) -> Spec {
        Spec::new("leaky_write", Category::System, "Fails when it is done.")
    }
    async fn plan(&self, _: &Caller, _: NoArgs) -> Result<Plan<u8>, ToolError> {
        Ok(Plan { change: 0, text: ConfirmText::new("Do it"), undo: Undo::Never })
    }
    async fn apply(&self, _: &Caller, _: Approved<u8>) -> Result<Datum, ToolError> {
        Err(ToolError::new("it failed").caused_by(all()))
    }
}

fn none_in(place: &str, text: &str) {
    for canary in CANARIES {
        assert!(!text.contains(canary), "{canary} in {place}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_only_the_operator_sees_reaches_no_model_no_screen_and_no_audit() {
    let broke = BackendError { class: BackendFault::Refused, detail: all() };
    none_in("an error's words", &broke.to_string());
    let model = Arc::new(Scripted::new([
        Scripted::calls([("leaky", "{}"), ("leaky_write", "{}")]),
        vec![Err(broke)],
    ]));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let grants = Arc::new(StoredGrants::new(Arc::clone(&store)));
    let toolbox = Toolbox::new().read(Leaky).write(LeakyWrite);
    let assistant = Assistant::builder([Arc::clone(&model) as Arc<dyn Backend>], toolbox, grants)
        .with_store(Arc::clone(&store))
        .with_audit_key(Secret::new(all().into_bytes()))
        .with_sink(Arc::new(PollPending))
        .open()
        .unwrap();
    let home = Home { node: Arc::default(), model, store, assistant }.open_all().await;
    let (began, question) = home.ask(&Caller::owner(), Target::New, "do it").await;
    none_in("a confirmation", question.text.as_str());
    assert_eq!(home.answer(&question, Decision::Confirm).await.unwrap().outcome, Settled::Failed);
    let events = home.listen(began.turn).await;
    assert!(matches!(end(&events), Event::Failed { failure: Failure::Backend(BackendFault::Refused), .. }));
    none_in("an event", &format!("{events:?}"));
    none_in("a request", &format!("{:?}", home.model.requests()));
    none_in("the assistant", &format!("{:?}", home.assistant));
    let exported = home.assistant.export(&Caller::owner(), began.conversation).unwrap();
    none_in("an export", &format!("{exported:?}"));
    let lines =
        Scan { table: Table::Audit, prefix: Vec::new(), beyond: None, order: Order::Up, limit: usize::MAX };
    let lines = home.store.scan(&lines).unwrap();
    assert!(lines.len() > 12);
    for (_, line) in &lines {
        none_in("the audit", &String::from_utf8_lossy(line));
    }
}

#[test]
fn a_secret_and_the_errors_print_none_of_what_they_hold() {
    let secret = Secret::new(all().into_bytes());
    none_in("a secret", &format!("{secret:?} {:?}", Some(&secret)));
    for error in [
        StoreError::Full(all().into()),
        StoreError::Denied(all().into()),
        StoreError::Damaged(all().into()),
        StoreError::Failed(all().into()),
    ] {
        none_in("a store's words", &format!("{error} {error:?}"));
        let cause = error.source().map(ToString::to_string);
        let refused = Refused::from(error);
        none_in("a refusal's words", &format!("{refused} {refused:?}"));
        assert_eq!(cause, Some(all()), "whoever asks on purpose is told");
    }
    let error = HostError::new("it failed").caused_by(all());
    none_in("a host's words", &format!("{error} {error:?}"));
    assert_eq!(error.source().map(ToString::to_string), Some(all()));
}
