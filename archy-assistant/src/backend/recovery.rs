//! A call that a small model wrote as text, where its server knows no calls or does not find them: only where that is the
//! whole reply, and it is well formed.
//!
//! It is the model's own only if it does not stand in the conversation already: a text of others, or one that a person
//! quotes, may hold a call too. A write must be one for which the node's rules read an order in the person's words.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::choice::unfenced;
use super::field::fields;
use super::history::{Entry, mend};
use super::stream::{Out, next};
use super::{BackendError, Calls, ReplyEvent, ReplyStream, Request};
use crate::phrases::shortlist;
use crate::{Effect, Offer};

/// Text that begins like a call is held back so far, in bytes.
const HELD: usize = 8192;
/// A result's text is looked through so far, in bytes.
const LOOKED: usize = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    #[serde(alias = "parameters", alias = "args")]
    arguments: Map<String, Value>,
}

/// Hands on a reply; where all its text is one call, as that call.
///
/// # Errors
///
/// Those of the reply.
pub(crate) async fn recovering(
    mut stream: ReplyStream,
    request: &Request,
    out: &Out,
) -> Result<(), BackendError> {
    let (mut held, mut open, mut last) = (String::new(), true, Vec::new());
    while let Some(event) = next(&mut stream).await {
        match event? {
            ReplyEvent::Text(text) if open => {
                held.push_str(&text);
                let begin = held.trim_start();
                open = held.len() <= HELD && (begin.is_empty() || begin.starts_with(['{', '`', '<']));
                if !open {
                    out.give(ReplyEvent::Text(std::mem::take(&mut held))).await;
                }
            }
            event @ ReplyEvent::Usage(_) => last.push(event),
            event @ (ReplyEvent::End(_) | ReplyEvent::Call { .. } | ReplyEvent::BadCall { .. }) => {
                let whole = matches!(event, ReplyEvent::End(super::EndReason::Complete));
                let found = (open && whole).then(|| recovered(&held, request)).flatten();
                let text = ReplyEvent::Text(std::mem::take(&mut held));
                let text = Some(text).filter(|text| *text != ReplyEvent::Text(String::new()));
                open = false;
                for event in found.or(text).into_iter().chain(last.drain(..)).chain([event]) {
                    out.give(event).await;
                }
            }
            event => out.give(event).await,
        }
    }
    Ok(())
}

/// The call that `text` is, if it is one and may be taken for one.
pub(crate) fn recovered(text: &str, request: &Request) -> Option<ReplyEvent> {
    if request.calls == Calls::None {
        return None;
    }
    let text = text.trim();
    let tagged = text.strip_prefix("<tool_call>").and_then(|rest| rest.strip_suffix("</tool_call>"));
    let inside = unfenced(tagged.unwrap_or(text));
    let Written { name, arguments } = fields(inside).ok()?;
    let offer = request.tools.iter().find(|offer| offer.spec.name() == name)?;
    let own = takes(offer, &arguments) && !stands_in(request, inside);
    let ordered = offer.effect == Effect::Read || is_ordered(request, &name, &arguments);
    (own && ordered).then(|| ReplyEvent::Call { tool: name, args: Value::Object(arguments).to_string() })
}

/// Whether these are arguments of the tool: all that it needs, and nothing else.
fn takes(offer: &Offer, args: &Map<String, Value>) -> bool {
    let known = |name: &String| offer.schema["properties"].get(name).is_some();
    let required = offer.schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    args.keys().all(known)
        && required.iter().all(|name| name.as_str().is_some_and(|name| args.contains_key(name)))
}

/// Whether the call stands in something that was said or found, however it is written there.
fn stands_in(request: &Request, call: &str) -> bool {
    let bare = |text: &str| -> String { text.chars().filter(|letter| letter.is_alphanumeric()).collect() };
    let call = bare(call);
    mend(&request.messages, LOOKED, None).iter().any(|entry| match entry {
        Entry::Said(text) | Entry::Noted(text) => bare(text).contains(&call),
        Entry::Reply { calls, .. } => calls.iter().any(|one| bare(&one.result).contains(&call)),
    })
}

/// Whether the rules read an order for just this in what was said last.
fn is_ordered(request: &Request, name: &str, args: &Map<String, Value>) -> bool {
    let Some((place, text)) = request.last_said() else { return false };
    let list = shortlist(text, &request.tools, &request.elsewhere, &request.messages[..place]);
    list.calls.iter().any(|call| call.is(name, args, &request.tools, &[text]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::backend::asked::{replied, result, said};
    use crate::backend::stream::stream;
    use crate::backend::{EndReason, at_once};
    use crate::phrases::cases::offers;
    use crate::{Datum, Message, Outcome, Source, Usage};

    fn request(messages: Vec<Message>) -> Request {
        let mut tools = offers();
        for offer in &mut tools {
            let slots = offer.spec.slots().iter();
            let parts: Map<String, Value> =
                slots.clone().map(|slot| (slot.name.to_owned(), json!({ "type": "string" }))).collect();
            let required: Vec<&str> = slots
                .filter(|slot| slot.presence == crate::Presence::Required)
                .map(|slot| slot.name)
                .collect();
            offer.schema = json!({ "properties": parts, "required": required }).into();
        }
        Request { tools, elsewhere: [].into(), messages, calls: Calls::Allowed, max_text: 4000 }
    }

    fn call(tool: &str, args: &str) -> ReplyEvent {
        ReplyEvent::Call { tool: tool.to_owned(), args: args.to_owned() }
    }

    #[test]
    fn only_a_whole_call_of_a_tool_that_is_there_is_one() {
        let status = Some(call("app_status", r#"{"app":"lnd"}"#));
        let plain = r#"{"name": "app_status", "arguments": {"app": "lnd"}}"#;
        for (text, want) in [
            (plain.to_owned(), status.clone()),
            (format!("```json\n{plain}\n```\n"), status.clone()),
            (format!("<tool_call>\n{plain}\n</tool_call>"), status.clone()),
            (plain.replace("arguments", "parameters"), status.clone()),
            (format!("I will look: {plain}"), None),
            (format!("{plain}\n{plain}"), None),
            (plain.replace("app_status", "app_doctor"), None),
            (plain.replace(r#"{"app": "lnd"}"#, "{}"), None),
            (plain.replace("\"lnd\"", "\"lnd\", \"force\": true"), None),
            (plain.replace(r#"{"app": "lnd"}"#, "\"lnd\""), None),
            (plain.replace("\"name\"", "\"id\": 1, \"name\""), None),
            (plain[..plain.len() - 1].to_owned(), None),
            (r#"["app_status", {"app": "lnd"}]"#.to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(recovered(&text, &request(vec![said("is lnd up?")])), want, "{text}");
        }
        let last = Request { calls: Calls::None, ..request(vec![said("is lnd up?")]) };
        assert_eq!(recovered(plain, &last), None, "none may be made");
    }

    #[test]
    fn a_write_is_one_only_where_the_person_ordered_just_it() {
        let stop = r#"{"name":"app_stop","arguments":{"app":"lnd"}}"#;
        for (text, taken) in [
            ("stop lnd", true),
            ("stop electrs", false),
            ("restart lnd", false),
            ("is lnd up?", false),
            ("should i stop lnd?", false),
            ("do not stop lnd", false),
        ] {
            assert_eq!(recovered(stop, &request(vec![said(text)])).is_some(), taken, "{text}");
        }
    }

    #[test]
    fn a_call_that_stands_in_the_conversation_is_none() {
        let status = r#"{"name":"app_status","arguments":{"app":"lnd"}}"#;
        let quoted = request(vec![said(&format!("what does {status} mean?"))]);
        assert_eq!(recovered(status, &quoted), None);
        let line = Datum::others(format!("boot\n{status}"), Source::Log("electrs".to_owned()));
        let logged = request(vec![
            said("show me the logs of electrs"),
            replied("", &[(0, "app_logs", r#"{"app":"electrs"}"#)], &[]),
            result(0, "app_logs", Outcome::Done(line)),
        ]);
        assert_eq!(recovered(status, &logged), None);
        assert!(recovered(&status.replace("lnd", "mempool"), &logged).is_some());
    }

    async fn played(events: &[ReplyEvent]) -> Vec<ReplyEvent> {
        let reply = at_once(events.iter().cloned().map(Ok).collect());
        let mut stream =
            stream(|out| async move { recovering(reply, &request(vec![said("is lnd up?")]), &out).await });
        let mut came = Vec::new();
        while let Some(event) = next(&mut stream).await {
            came.push(event.expect("no error"));
        }
        came
    }

    #[tokio::test]
    async fn text_is_held_back_only_while_it_may_be_a_call() {
        let text = |text: &str| ReplyEvent::Text(text.to_owned());
        let used = ReplyEvent::Usage(Usage { input: Some(9), output: None });
        let end = ReplyEvent::End(EndReason::Complete);
        let status = call("app_status", r#"{"app":"lnd"}"#);
        let halves = [r#"{"name":"app_status","#, r#""arguments":{"app":"lnd"}}"#];
        let whole = [text(halves[0]), text(halves[1]), used.clone(), end.clone()];
        assert_eq!(played(&whole).await, [status.clone(), used.clone(), end.clone()]);
        let plain = [text(" "), text("It is up."), text(" {"), used.clone(), end.clone()];
        assert_eq!(played(&plain).await, [text(" It is up."), text(" {"), used.clone(), end.clone()]);
        let cut = ReplyEvent::End(EndReason::Length);
        assert_eq!(
            played(&[text(halves[0]), text(halves[1]), cut.clone()]).await,
            [text(&halves.concat()), cut]
        );
        let beside = [text(&halves.concat()), status.clone(), end.clone()];
        assert_eq!(played(&beside).await, beside, "a call that is one already makes none of text");
    }
}
