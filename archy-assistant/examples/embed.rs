//! A daemon author's first program: one host trait, one tool, one chat, one confirmation.
use archy_assistant::*;
use std::sync::{Arc, Mutex};

struct Lamp(Mutex<bool>); // what the daemon has
struct Switch(Arc<Lamp>); // what the assistant may propose

impl Write for Switch {
    type Args = NoArgs;
    type Change = bool;
    fn spec(&self) -> Spec {
        Spec::new("lamp_switch", Category::System, "Switches the lamp.").phrase("switch the lamp")
    }
    async fn plan(&self, _: &Caller, _: NoArgs) -> Result<Plan<bool>, ToolError> {
        let lit = *self.0.0.lock().unwrap();
        let text =
            ConfirmText::new("Switch the lamp").before_after("Lit", &Datum::Bool(lit), &Datum::Bool(!lit));
        Ok(Plan { change: !lit, text, undo: Undo::By("switch it again") })
    }
    async fn apply(&self, _: &Caller, change: Approved<bool>) -> Result<Datum, ToolError> {
        *self.0.0.lock().unwrap() = change.into_change();
        Ok(Datum::text("The lamp was switched."))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (store, lamp) = (Arc::new(MemoryStore::new()), Arc::new(Lamp(Mutex::new(false))));
    let grants = Arc::new(StoredGrants::new(store.clone()));
    let toolbox = Toolbox::new().write(Switch(lamp));
    let assistant = Assistant::builder([Arc::new(Phrases) as _], toolbox, grants)
        .with_store(store)
        .with_sink(Arc::new(PollPending))
        .open()?;
    let owner = Caller::owner();
    assistant.open_category(&owner, Category::System).await?;
    let began = assistant.chat(&owner, Target::New, "please switch the lamp").await?;
    let mut events = assistant.events(&owner, began.turn, None)?;
    while let Some(numbered) = events.next().await {
        println!("{:?}", numbered.event);
        for question in assistant.pending(&owner) {
            println!("{}", question.text); // show it to a person, and ask
            assistant.shown(&owner, question.id, &question.digest)?;
            tokio::time::sleep(std::time::Duration::from_millis(700)).await;
            assistant.confirm(&owner, question.id, &question.digest, Decision::Confirm).await?;
        }
    }
    Ok(())
}
