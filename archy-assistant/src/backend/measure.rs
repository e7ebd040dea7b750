//! The few tiny requests that a [`ModelCard`] is made of. None of them holds anything of the node.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::choice::{Dialogue, Line, Side, whole};
use super::stream::next;
use super::{BackendError, BackendFault, Calls, ModelCard, Offer, ReplyEvent, ReplyStream, Request};
use crate::{Category, Content, Effect, Label, Message, Slot, Spec};

/// A text of so many lines is read to know how fast; fewer tokens than this tell nothing, others may have been read
/// before.
const LINES: usize = 12;
const TELLS: u64 = 60;

/// What becomes of the tiny requests: `say` asks the model in text, `call` with tools as its vendor means them. The
/// context is left to the vendor.
///
/// # Errors
///
/// The model cannot be asked at all.
pub(crate) async fn card(
    say: impl Fn(Dialogue) -> ReplyStream,
    call: impl Fn(Arc<Request>) -> ReplyStream,
) -> Result<ModelCard, BackendError> {
    // The first one has the model loaded, so nothing is measured in it.
    let follows_schema = taken(whole(say(held())).await)?.is_some_and(|(text, ..)| follows(&text));
    let calls_tools = calls(call(Arc::new(with_tool()))).await?;
    let speed = speed(say(long())).await?;
    Ok(ModelCard { calls_tools, follows_schema, ..speed })
}

/// A refusal of what is asked for says that it cannot; that nobody is there says nothing of the model.
fn taken<T>(answer: Result<T, BackendError>) -> Result<Option<T>, BackendError> {
    match answer {
        Ok(taken) => Ok(Some(taken)),
        Err(error) => match error.class {
            BackendFault::Unsuitable | BackendFault::Broken | BackendFault::ModelFault => Ok(None),
            _ => Err(error),
        },
    }
}

fn line(text: &str) -> Vec<Line> {
    vec![Line { side: Side::Person, text: text.to_owned() }]
}

/// Something that no model would say by itself, with a schema that allows nothing else.
fn held() -> Dialogue {
    let schema = json!({
        "type": "object", "required": ["number"], "additionalProperties": false,
        "properties": { "number": { "const": "seventy-three" } },
    });
    Dialogue {
        system: "Answer with JSON.".to_owned(),
        lines: line("Hello"),
        schema: Some(schema),
        max_tokens: 40,
    }
}

fn follows(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text)
        .is_ok_and(|said| said == json!({ "number": "seventy-three" }))
}

/// What only a tool can tell, and the tool.
fn with_tool() -> Request {
    let spec = Spec::new("room_temperature", Category::System, "How warm one room is now.")
        .slot(Slot::fixed("room", &["kitchen", "cellar"]));
    let schema = json!({
        "type": "object", "required": ["room"],
        "properties": { "room": { "type": "string", "enum": ["kitchen", "cellar"] } },
    });
    let said = Content::Said("How warm is it in the cellar now?".to_owned());
    let offer = Offer {
        candidates: vec![Arc::default()],
        spec: Arc::new(spec),
        effect: Effect::Read,
        schema: Arc::new(schema),
    };
    Request {
        tools: vec![offer],
        elsewhere: Arc::default(),
        messages: vec![Message { label: Label::default(), content: said }],
        calls: Calls::Allowed,
        max_text: 400,
    }
}

async fn calls(mut stream: ReplyStream) -> Result<bool, BackendError> {
    let mut called = false;
    while let Some(event) = next(&mut stream).await {
        match taken(event)? {
            Some(ReplyEvent::Call { tool, args }) => {
                let args: serde_json::Value = serde_json::from_str(&args).unwrap_or_default();
                called |= tool == "room_temperature" && args["room"] == "cellar";
            }
            Some(_) => {}
            None => return Ok(false),
        }
    }
    Ok(called)
}

/// Something to read, and a few words to write.
fn long() -> Dialogue {
    // A server remembers what it has read: each time the shelves are others.
    let mut drawn = [0];
    let from = getrandom::fill(&mut drawn).map_or(0, |()| usize::from(drawn[0]));
    let of = |number: usize| {
        format!("Shelf {number} holds {} jars of plums and {} of pears.", number * 7, number * 3)
    };
    let system = (from + 1..=from + LINES).map(of).collect::<Vec<_>>().join(" ");
    let lines = line("Count from one to twelve, in words, with commas.");
    Dialogue { system, lines, schema: None, max_tokens: 32 }
}

async fn speed(mut stream: ReplyStream) -> Result<ModelCard, BackendError> {
    let began = Instant::now();
    let (mut first, mut pieces, mut used) = (None, 0_u32, super::Usage::default());
    while let Some(event) = next(&mut stream).await {
        match event? {
            ReplyEvent::Text(_) => {
                first.get_or_insert_with(|| began.elapsed());
                pieces += 1;
            }
            ReplyEvent::Usage(more) => used = more,
            _ => {}
        }
    }
    let reading = first.unwrap_or_else(|| began.elapsed());
    Ok(ModelCard {
        streams: pieces > 1,
        reads: used.input.filter(|tokens| *tokens >= TELLS).and_then(|tokens| rate(tokens, reading)),
        writes: used
            .output
            .filter(|_| pieces > 1)
            .and_then(|tokens| rate(tokens, began.elapsed().saturating_sub(reading))),
        ..ModelCard::default()
    })
}

fn rate(tokens: u64, time: Duration) -> Option<f32> {
    #[expect(clippy::cast_precision_loss, reason = "a rate is about")]
    let rate = tokens as f32 / time.as_secs_f32();
    (rate.is_finite() && rate > 0.0).then_some(rate)
}
