//! What is said waits for a place among the turns that run, in the order in which it came.

use std::future::{Future, poll_fn};
use std::task::Poll;
use std::time::Duration;

use archy_assistant::{Caller, ConversationId, Target};
use tokio::sync::mpsc::Sender;
use tokio::sync::{MutexGuard, oneshot};

use crate::exit::{Exit, Trouble};
use crate::server::{Desk, forward};
use crate::wire::{Answer, Line, VERSION};

/// How often it is looked whether a turn has ended.
const LOOK: Duration = Duration::from_millis(20);

/// Waits for a place among the turns that run.
pub(crate) async fn wait<'a>(
    desk: &'a Desk,
    within: Duration,
    id: u64,
    answers: &Sender<Line<Answer>>,
    withdrawn: oneshot::Receiver<()>,
) -> Result<MutexGuard<'a, ()>, Trouble> {
    let place = free(desk);
    tokio::pin!(place);
    // Mostly there is one at once.
    if let Poll::Ready(place) = poll_fn(|context| Poll::Ready(place.as_mut().poll(context))).await {
        return Ok(place);
    }
    let running = desk.assistant.stats().turns;
    let _ = answers.send(Line { v: VERSION, id, body: Answer::Waits { running } }).await;
    tokio::select! {
        place = &mut place => Ok(place),
        _ = withdrawn => Err(Trouble::new(Exit::Cancelled, "stopped; nothing was said")),
        () = tokio::time::sleep(within) => {
            let says = format!(
                "the node was busy with {running} other requests for {} seconds; nothing was said, try again",
                within.as_secs()
            );
            Err(Trouble::new(Exit::Busy, says))
        }
    }
}

/// Says something, in the place that was waited for; the last answer.
pub(crate) async fn say(
    desk: &Desk,
    conversation: Option<ConversationId>,
    text: &str,
    place: MutexGuard<'_, ()>,
    id: u64,
    answers: &Sender<Line<Answer>>,
) -> Result<Answer, Trouble> {
    let (assistant, caller) = (&desk.assistant, &Caller::owner());
    let target = conversation.map_or(Target::New, Target::Conversation);
    let began = assistant.chat(caller, target, text).await?;
    drop(place);
    let body = Answer::Began { turn: began.turn, conversation: began.conversation };
    let _ = answers.send(Line { v: VERSION, id, body }).await;
    Ok(forward(assistant.events(caller, began.turn, None)?, id, answers).await)
}

/// Waits until a turn may begin, and sees to it that no other one takes the place meanwhile.
async fn free(desk: &Desk) -> MutexGuard<'_, ()> {
    let next = desk.next.lock().await;
    // The assistant tells nobody when a turn ends.
    while desk.assistant.stats().turns >= desk.at_once {
        tokio::time::sleep(LOOK).await;
    }
    next
}
