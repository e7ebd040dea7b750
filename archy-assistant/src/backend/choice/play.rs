//! A choice, played: the request for calls, and where none is wanted, the one for words.

use super::{Choice, Dialogue, Step};
use crate::backend::stream::{Out, next};
use crate::{BackendError, EndReason, ModelCard, ReplyEvent, ReplyStream, Request, Usage};

/// Answers `request` by a model with this card; `say` is how its vendor asks it.
///
/// # Errors
///
/// As the vendor's requests fail, and where the request does not fit the model.
pub(crate) async fn choose(
    request: &Request,
    card: &ModelCard,
    say: impl Fn(Dialogue) -> ReplyStream,
    out: &Out,
) -> Result<(), BackendError> {
    let choice = Choice::new(request, card)?;
    let words = match choice.step() {
        Step::Ask(question, choices) => {
            out.give(ReplyEvent::AskBack { question, choices }).await;
            out.give(ReplyEvent::End(EndReason::Complete)).await;
            return Ok(());
        }
        Step::Tell(sentences) => {
            for sentence in sentences {
                out.give(sentence).await;
            }
            out.give(ReplyEvent::End(EndReason::Complete)).await;
            return Ok(());
        }
        Step::Speak(dialogue) => dialogue,
        Step::Choose(dialogue) => {
            let (text, used, end) = whole(say(dialogue)).await?;
            out.give(ReplyEvent::Usage(used)).await;
            let calls = if end == Some(EndReason::Complete) { choice.read(&text) } else { Vec::new() };
            if !calls.is_empty() {
                for call in calls {
                    out.give(call).await;
                }
                out.give(ReplyEvent::End(EndReason::Complete)).await;
                return Ok(());
            }
            choice.speak()
        }
    };
    let mut stream = say(words);
    while let Some(event) = next(&mut stream).await {
        match event? {
            // It was asked for words: whatever looks like a call is none.
            ReplyEvent::Call { .. } | ReplyEvent::BadCall { .. } => {}
            event => out.give(event).await,
        }
    }
    Ok(())
}

/// What the model is asked first, if anything is asked of it.
pub(crate) fn first(request: &Request, card: &ModelCard) -> Option<Dialogue> {
    match Choice::new(request, card).ok()?.step() {
        Step::Choose(dialogue) | Step::Speak(dialogue) => Some(dialogue),
        Step::Ask(..) | Step::Tell(_) => None,
    }
}

/// A reply's text, what it used, and how it ended.
pub(crate) async fn whole(
    mut stream: ReplyStream,
) -> Result<(String, Usage, Option<EndReason>), BackendError> {
    let (mut text, mut used, mut end) = (String::new(), Usage::default(), None);
    while let Some(event) = next(&mut stream).await {
        match event? {
            ReplyEvent::Text(more) => text.push_str(&more),
            ReplyEvent::Usage(more) => used = used.and(more),
            ReplyEvent::End(reason) => end = Some(reason),
            _ => {}
        }
    }
    Ok((text, used, end))
}
