//! A question is put to the assistant, as the caller whom the radio has authenticated.

use archy_assistant::{
    Assistant, Caller, ConversationId, Door, Effect, End, Event, Finished, Principal, Refused, Role, Settled,
    Target,
};
use tokio::sync::oneshot;

use super::Radio;
use crate::{Answer, Asker, Question};

/// What became of a question.
pub(crate) struct Asked {
    pub(crate) question: Question,
    /// `None` where nobody waits for it any more.
    pub(crate) answer: Option<Answer>,
    pub(crate) conversation: Option<ConversationId>,
}

/// The role of whoever asks over a radio, looked up each time: what the owner takes away is gone at once, also from a turn
/// that runs and a question that waits.
struct OverRadio {
    radio: Radio,
    question: Question,
}

impl Role for OverRadio {
    fn may(&self, tool: &str, effect: Effect) -> bool {
        let now = self.radio.door().scope(&self.question.asker);
        now.is_some_and(|now| now == self.question.scope) && self.radio.may(tool, effect)
    }
}

/// The caller behind a question. Its proposals wait for the owner, in the one place that all radios share.
fn caller(radio: &Radio, question: &Question) -> Caller {
    let role = OverRadio { radio: radio.clone(), question: question.clone() };
    Caller::relayed(question.principal.clone(), question.scope, Door::Radio, Principal::owner(), role)
}

/// Asks, and waits for the answer or for `instead`: that something else is asked.
pub(crate) async fn ask(
    radio: Radio,
    question: Question,
    before: Option<ConversationId>,
    mut instead: oneshot::Receiver<()>,
) -> Asked {
    let assistant = radio.0.assistant.clone();
    let caller = caller(&radio, &question);
    let began = match began(&assistant, &caller, before, &question.text).await {
        Ok(began) => began,
        Err(refused) => {
            let answer = Some(Answer::Said(refusal(&refused).to_owned()));
            return Asked { question, answer, conversation: None };
        }
    };
    let conversation = Some(began.conversation);
    let answer = tokio::select! {
        answer = answer(&assistant, &caller, began.turn) => Some(answer),
        _ = &mut instead => {
            // It may have ended meanwhile.
            let _ = assistant.cancel(&caller, began.turn).await;
            None
        }
    };
    Asked { question, answer, conversation }
}

async fn began(
    assistant: &Assistant,
    caller: &Caller,
    before: Option<ConversationId>,
    text: &str,
) -> Result<archy_assistant::Began, Refused> {
    if let Some(conversation) = before {
        match assistant.chat(caller, Target::Conversation(conversation), text).await {
            Err(Refused::Unknown | Refused::Busy) => {}
            said => return said,
        }
    }
    assistant.chat(caller, Target::New, text).await
}

/// Whoever asks over a radio is told no more of the node than this.
fn refusal(refused: &Refused) -> &'static str {
    match refused {
        Refused::TooMany | Refused::Busy => "The node is busy. Ask again in a minute.",
        _ => "The node cannot answer now.",
    }
}

async fn answer(assistant: &Assistant, caller: &Caller, turn: archy_assistant::TurnId) -> Answer {
    let Ok(mut events) = assistant.events(caller, turn, None) else {
        return Answer::Said("The node cannot answer now.".to_owned());
    };
    let mut text = String::new();
    while let Some(numbered) = events.next().await {
        match numbered.event {
            Event::Text(more) => text.push_str(more.as_str()),
            Event::Finished(finished) => return of(text, &finished),
            Event::Failed { .. } => break,
            _ => {}
        }
    }
    Answer::Said("The node cannot answer now.".to_owned())
}

/// The answer, and below it the node's own lines on what was not done. That something was done is never said here: nothing
/// is done for a radio without a person.
fn of(mut text: String, finished: &Finished) -> Answer {
    if finished.end == End::Waiting {
        return Answer::Waits;
    }
    if let End::AsksBack { choices } = &finished.end {
        let choices: Vec<&str> = choices.iter().map(archy_assistant::Shown::as_str).collect();
        text.push('\n');
        text.push_str(&choices.join(", "));
    }
    if matches!(finished.end, End::Cancelled | End::Interrupted) {
        text.push_str("\nStopped.");
    }
    for receipt in &finished.receipts {
        let says =
            if receipt.outcome == Settled::NotAsked { receipt.says.as_str() } else { receipt.outcome.says() };
        text.push('\n');
        text.push_str(says);
    }
    Answer::Said(text)
}

impl Asked {
    pub(super) fn asker(&self) -> Asker {
        self.question.asker
    }
}
