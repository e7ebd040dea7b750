//! Runs the cases, each in a home of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use archy_assistant::{
    Assistant, Backend, CallId, Caller, Category, Confirmation, ConversationId, Decision, Event, Finished,
    GrantSource, MemoryStore, Mind, Store, StoredGrants, Target, Toolbox, Usage,
};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::case::Call;
use super::compare::{Happened, Names, row};
use super::{Case, Report, Used};
use crate::exit::Trouble;
use crate::fake_home::FakeHome;
use crate::node::Terminals;
use crate::terminal::GUARD;

/// So many cases run at once where rules answer; they mostly wait for the moment in which a question must stand.
const AT_ONCE: usize = 32;

/// Runs them all against the home that `home` describes.
pub(crate) async fn run(
    cases: Vec<Case>,
    home: &str,
    backends: Vec<Arc<dyn Backend>>,
) -> Result<Report, Trouble> {
    let (toolbox, _) = tools(home, &backends, &stored())?;
    let names = Arc::new(Names::of(&toolbox).await);
    // A model on this machine would only be slower for being asked several things at once.
    let rules = backends.iter().all(|backend| backend.facts().mind == Mind::Rules);
    let at_once = if rules { AT_ONCE } else { 1 };
    let (mut running, mut rows, began) = (JoinSet::new(), BTreeMap::new(), Instant::now());
    for (place, case) in cases.into_iter().enumerate() {
        if running.len() == at_once {
            joined(running.join_next().await, &mut rows)?;
        }
        let (names, home, backends) = (Arc::clone(&names), home.to_owned(), backends.clone());
        running.spawn(async move {
            let happened = happens(&case, &home, backends).await?;
            let usage = happened.usage;
            Ok((place, (row(&names, case, happened), usage)))
        });
    }
    while !running.is_empty() {
        joined(running.join_next().await, &mut rows)?;
    }
    let (rows, used): (Vec<_>, Vec<Usage>) = rows.into_values().unzip();
    let Usage { input, output } = used.into_iter().fold(Usage::default(), Usage::and);
    let used = (!rules).then(|| Used { seconds: began.elapsed().as_secs(), input, output });
    Ok(Report { used, ..Report::of(rows) })
}

type Joined<T> = Option<Result<Result<T, Trouble>, tokio::task::JoinError>>;

fn joined<T>(joined: Joined<(usize, T)>, rows: &mut BTreeMap<usize, T>) -> Result<(), Trouble> {
    if let Some(joined) = joined {
        let (place, row) = joined.map_err(|error| Trouble::failed(error.to_string()))??;
        rows.insert(place, row);
    }
    Ok(())
}

/// A store in memory.
fn stored() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

fn tools(
    home: &str,
    backends: &[Arc<dyn Backend>],
    store: &Arc<dyn Store>,
) -> Result<(Toolbox, Arc<dyn GrantSource>), Trouble> {
    let home = FakeHome::parse(home).map_err(|error| {
        let line = error.span().map(|span| home.get(..span.start).unwrap_or(home).matches('\n').count() + 1);
        let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        Trouble::bad_input(format!("the node's file, {line}{}", error.message().replace('\n', " ")))
    })?;
    let grants: Arc<dyn GrantSource> = Arc::new(StoredGrants::new(Arc::clone(store)));
    let facts: Vec<_> = backends.iter().map(|backend| backend.facts()).collect();
    let toolbox =
        Arc::new(home).tools(Arc::clone(&grants)).minds(Arc::new(move || facts.clone())).into_toolbox();
    Ok((toolbox, grants))
}

/// Says everything of a case.
async fn happens(case: &Case, home: &str, backends: Vec<Arc<dyn Backend>>) -> Result<Happened, Trouble> {
    let store = stored();
    let (toolbox, grants) = tools(home, &backends, &store)?;
    let failed = |error: &dyn std::fmt::Display| Trouble::failed(format!("{}: {error}", case.id));
    let assistant = Assistant::builder(backends, toolbox, grants)
        .with_store(store)
        .with_sink(Arc::new(Terminals))
        .open()
        .map_err(|error| failed(&error))?;
    for category in Category::ALL {
        assistant.open_category(&Caller::owner(), category).await.map_err(|error| failed(&error))?;
    }
    let mut happened = Happened { turns: Vec::new(), end: None, usage: Usage::default() };
    let mut conversation = None;
    for text in &case.say {
        let (calls, finished) =
            turn(&assistant, &mut conversation, text).await.map_err(|error| failed(&error))?;
        happened.turns.push(calls);
        happened.usage =
            happened.usage.and(finished.as_ref().map(|finished| finished.usage).unwrap_or_default());
        happened.end = finished.map(|finished| finished.end);
    }
    Ok(happened)
}

/// One turn to its end. What it asks is agreed to, because the second write of a request is only proposed after the first
/// was done.
async fn turn(
    assistant: &Assistant,
    conversation: &mut Option<ConversationId>,
    text: &str,
) -> Result<(Vec<Call>, Option<Finished>), Trouble> {
    let caller = Caller::owner();
    let target = conversation.map_or(Target::New, Target::Conversation);
    let began = assistant.chat(&caller, target, text).await?;
    *conversation = Some(began.conversation);
    let mut events = assistant.events(&caller, began.turn, None)?;
    // By their place in the reply: reads are run before writes.
    let mut calls: BTreeMap<CallId, Call> = BTreeMap::new();
    let mut end = None;
    while let Some(numbered) = events.next().await {
        match numbered.event {
            Event::ToolStarted { call, tool, args } => {
                let args = serde_json::from_str(args.as_str()).unwrap_or_default();
                calls.insert(call, Call { tool: tool.to_string(), args });
            }
            Event::ConfirmationRequired { id, .. } => {
                let waiting = assistant.pending(&caller);
                if let Some(question) = waiting.into_iter().find(|question| question.id == id) {
                    agree(assistant, &caller, &question).await?;
                }
            }
            Event::Finished(finished) => end = Some(finished),
            _ => {}
        }
    }
    Ok((calls.into_values().collect(), end))
}

async fn agree(assistant: &Assistant, caller: &Caller, question: &Confirmation) -> Result<(), Trouble> {
    let failed = |error| Trouble::failed(format!("a question could not be answered: {error}"));
    assistant.shown(caller, question.id, &question.digest).map_err(failed)?;
    tokio::time::sleep(GUARD).await;
    let confirmed = assistant.confirm(caller, question.id, &question.digest, Decision::Confirm).await;
    confirmed.map(drop).map_err(failed)
}
