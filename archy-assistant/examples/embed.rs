//! A daemon author's first program: one host, one tool over it, one chat, one confirmation.
use archy_assistant::host::{Choice, Setting, SettingControl, SettingKey, SettingRule, Settings};
use archy_assistant::*;
use std::sync::Arc;
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
    let daemon = Arc::new(Daemon(SettingKey::new("theme")?, Mutex::new(None)));
    let tools = FirstTools::new().settings(daemon.clone()).setting_control(daemon).into_toolbox();
    let store = Arc::new(MemoryStore::new());
    let grants = Arc::new(StoredGrants::new(store.clone()));
    let builder = Assistant::builder([Arc::new(Phrases) as Arc<dyn Backend>], tools, grants);
    let assistant = builder.with_store(store).with_sink(Arc::new(PollPending)).open()?;
    let owner = Caller::owner(); // a door makes it from an authenticated transport
    assistant.open_category(&owner, Category::System).await?;
    let turn = assistant.chat(&owner, Target::New, "make the theme dark").await?.turn;
    let mut events = assistant.events(&owner, turn, None)?;
    while let Some(numbered) = events.next().await {
        println!("{:?}", numbered.event);
        for question in assistant.pending(&owner) {
            println!("{}", question.text); // shown to a person, who says yes
            assistant.shown(&owner, question.id, &question.digest)?;
            tokio::time::sleep(std::time::Duration::from_millis(700)).await;
            assistant.confirm(&owner, question.id, &question.digest, Decision::Confirm).await?;
        }
    }
    Ok(())
}
