//! The rules that answer without a model: one match, and the time from Enter to the first word.

use std::sync::Arc;
use std::time::Instant;

use archy_assistant::{
    Backend, Caller, Calls, Candidate, Categories, Category, Content, Effect, Event, Label, Message, Offer,
    Phrases, Request, Slot, Spec, Target,
};

use crate::figure::{self, Samples};
use crate::floor::Floors;
use crate::house::{House, Names};
use crate::keeping;

pub(crate) fn measure(floors: &Floors) {
    for keeping in keeping::all() {
        let (name, runtime) = (keeping.name, crate::daemon());
        runtime.block_on(async {
            let house = House::new(Arc::new(Phrases), keeping.store).await;
            let owner = Caller::owner();
            let mut samples = Samples::default();
            for number in 0..60 {
                let began = Instant::now();
                let text = format!("how is app-{}", number % 30);
                let said = house.assistant.chat(&owner, Target::New, &text).await.expect("it is taken");
                let mut events = house.assistant.events(&owner, said.turn, None).expect("it is known");
                while let Some(numbered) = events.next().await {
                    if matches!(numbered.event, Event::Text(_)) {
                        samples.add(began.elapsed());
                        break;
                    }
                }
                while events.next().await.is_some() {}
            }
            let floor = if name == "SQLite" { ("fsync", floors.fsync) } else { ("spawn", floors.spawn) };
            figure::time(&format!("Enter to the first word, {name}"), &samples, "50 ms", Some(floor));
        });
    }
    for (what, text) in [
        ("sure", "restart Photoprism 4"),
        ("with a typing error", "restart Phtoprism 4"),
        ("nothing fits", "please tell me a long story about the sea and the people who live beside it"),
    ] {
        one_match(what, text);
    }
}

fn one_match(what: &str, text: &str) {
    let request = request(text);
    let runtime = crate::here();
    let samples = runtime.block_on(async {
        let mut samples = Samples::default();
        for _ in 0..100 {
            let began = Instant::now();
            let mut reply = Phrases.reply(Arc::clone(&request));
            while let Some(event) = std::future::poll_fn(|context| reply.as_mut().poll_next(context)).await {
                std::hint::black_box(event).expect("rules cannot fail");
            }
            samples.add(began.elapsed());
        }
        samples
    });
    figure::time(&format!("one match, 500 names, 60 tools: {what}"), &samples, "1 ms", None);
}

/// Sixty tools that all take one of five hundred names.
fn request(text: &str) -> Arc<Request> {
    const VERBS: [&str; 15] = [
        "restart", "start", "stop", "pause", "update", "open", "show", "play", "find", "check", "count",
        "mute", "lock", "clean", "copy",
    ];
    const KINDS: [&str; 4] = ["", "the app", "the log of", "the files of"];
    let names: Arc<[Candidate]> = Names::many(500).0.clone().into();
    let tools = (0..60).map(|number| {
        let (verb, kind) = (VERBS[number % 15], KINDS[number / 15]);
        // A declaration is part of a program, so its texts live as long.
        let name: &'static str = format!("tool_{number}").leak();
        let phrase: &'static str = format!("{verb} {kind} {{app}}").leak();
        let spec = Spec::new(name, Category::Apps, "Does something with an app.")
            .phrase(phrase)
            .slot(Slot::live("app", Names::many(0) as _));
        Offer {
            spec: Arc::new(spec),
            effect: Effect::Read,
            schema: Arc::new(
                serde_json::json!({"type": "object", "properties": {"app": {"type": "string"}}}),
            ),
            candidates: vec![Arc::clone(&names)],
        }
    });
    let label = Label { holds: Categories::NONE, tainted: false };
    Arc::new(Request {
        tools: tools.collect(),
        elsewhere: Arc::default(),
        messages: vec![Message { label, content: Content::Said(text.to_owned()) }],
        calls: Calls::Allowed,
        max_text: 64 * 1024,
    })
}
