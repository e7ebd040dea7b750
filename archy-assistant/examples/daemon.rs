//! What a daemon links when it takes everything: a model of an Ollama server, the rules for when there is none, the first
//! tools, and one file that keeps it all. `cargo run --example daemon --features http,sqlite -- FILE "make the theme dark"`
use std::sync::Arc;

use archy_assistant::host::{Choice, Setting, SettingControl, SettingKey, SettingRule, Settings};
use archy_assistant::{
    Answer, Assistant, Backend, Caller, Category, FirstTools, Locality, Ollama, Phrases, PollPending, Secret,
    SqliteStore, StoredGrants, Target,
};
use tokio::sync::Mutex;

struct Daemon(SettingKey, Mutex<Option<String>>);

impl Settings for Daemon {
    fn list<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<Setting>> {
        let rule = SettingRule::OneOf(["light", "dark"].map(Choice::new).into());
        Box::pin(async { Ok(vec![Setting::new(self.0.clone(), rule, self.1.lock().await.clone())]) })
    }
}

impl SettingControl for Daemon {
    fn set<'a>(&'a self, _: &'a Caller, _: &'a SettingKey, value: &'a str) -> Answer<'a, String> {
        Box::pin(async { Ok(self.1.lock().await.insert(value.to_owned()).clone()) })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (file, said) = (args.next().ok_or("which file?")?, args.next().ok_or("what is said?")?);
    let daemon = Arc::new(Daemon(SettingKey::new("theme")?, Mutex::new(None)));
    let tools = FirstTools::new().settings(daemon.clone()).setting_control(daemon).into_toolbox();
    let store = Arc::new(SqliteStore::open(file)?);
    let grants = Arc::new(StoredGrants::new(store.clone()));
    let model = Ollama::new("http://127.0.0.1:11434", "qwen3:8b", Locality::OnNode)?;
    let backends: [Arc<dyn Backend>; 2] = [Arc::new(model), Arc::new(Phrases)];
    // A daemon keeps this key where it keeps its others: what one key sealed counts as damaged under the next.
    let key = Secret::new(*b"32 bytes that only this one has.");
    let builder = Assistant::builder(backends, tools, grants).with_store(store).with_audit_key(key);
    let assistant = builder.with_sink(Arc::new(PollPending)).open()?;
    let owner = Caller::owner();
    assistant.open_category(&owner, Category::System).await?;
    let turn = assistant.chat(&owner, Target::New, &said).await?.turn;
    let mut events = assistant.events(&owner, turn, None)?;
    while let Some(numbered) = events.next().await {
        println!("{:?}", numbered.event);
        for question in assistant.pending(&owner) {
            println!("{}", question.text);
            assistant.cancel(&owner, turn).await?;
        }
    }
    Ok(())
}
