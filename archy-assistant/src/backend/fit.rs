//! A request cut to what a model can hold and reads in time: which tools it is told, and how much of the conversation.
//!
//! Its tools are the same bytes in each request as long as all of them fit. Where they do not, it is told those that the
//! person's last words may mean, by the tools' own phrases, and then as many others as there is room for beside what was
//! said last and came of it. Of the conversation whole turns are left out, oldest first, never a part of one. So a server
//! is never given more than it holds, by an estimate that errs on the long side; and where it still finds that too long, it
//! is asked again with half.

use std::time::Duration;

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::budget::{MESSAGE, last_turn, last_turns, of, tokens};
use super::history::{Entry, joined, mend};
use super::{BackendError, BackendFault, ModelCard, Request, prompt};
use crate::Offer;
use crate::phrases::shortlist;

/// All tools are told where they are read within this time, once: a server keeps what it has read.
const PATIENCE: Duration = Duration::from_secs(120);
/// Some tools are read anew with each thing said: no more than is read within this time.
const READING: Duration = Duration::from_secs(15);
/// So often a request that is refused as too long is asked with half: a server may charge for each.
const HALVES: u32 = 3;
/// What is taken for the context of a model that nobody has told, in tokens; it also bounds what a request costs.
pub(crate) const CONTEXT: u32 = 32_768;

/// How much a model takes, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// The request and its reply together.
    pub(crate) context: usize,
    /// What is kept free for the reply.
    pub(crate) reply: usize,
    /// What is told of all tools at most, because the model reads no more in time.
    once: usize,
    /// The same, where other tools are told each time.
    each: usize,
    /// How often it may still be halved.
    halves: u32,
}

impl Room {
    /// For a model that reads as fast as its card says, where it has one. At most half is for the reply.
    pub(crate) fn new(context: u32, reply: u32, card: Option<&ModelCard>) -> Self {
        let read =
            |time| card.and_then(|card| card.read_within(time)).map_or(usize::MAX, |tokens| tokens as usize);
        let context = context as usize;
        let reply = (reply as usize).min(context / 2);
        Self { context, reply, once: read(PATIENCE), each: read(READING), halves: HALVES }
    }
}

/// What a model is given.
#[derive(Debug)]
pub(crate) struct Fitted<'r> {
    /// Before the conversation.
    pub(crate) system: String,
    /// As its vendor writes them.
    pub(crate) tools: Vec<Box<RawValue>>,
    /// The conversation: its last turns, whole.
    pub(crate) entries: Vec<Entry<'r>>,
    room: Room,
    /// The tokens of all of it.
    prompt: usize,
}

impl<'r> Fitted<'r> {
    /// Half as much, after a server refused it as too long; `fitted` is how its vendor fits.
    ///
    /// # Errors
    ///
    /// What the server refused, where that was for another reason, or it was halved often enough, or what was said last
    /// does not fit any more.
    pub(crate) fn less(
        &self,
        refused: BackendError,
        fitted: impl Fn(Room) -> Result<Fitted<'r>, BackendError>,
    ) -> Result<Self, BackendError> {
        let Some(halves) = self.room.halves.checked_sub(1).filter(|_| refused.class == BackendFault::TooLong)
        else {
            return Err(refused);
        };
        let context = self.prompt / 2 + self.room.reply;
        fitted(Room { context, halves, ..self.room }).map_err(|_| refused)
    }
}

/// The part of `request` that fits; `tool` is how its vendor writes a tool, none where it is told none, and what was made
/// `by` it is carried back. Where the last turn does not fit with what was thought in it, beside the tools, it is told
/// without any thoughts.
///
/// # Errors
///
/// What was said last, with what came of it, does not fit.
pub(crate) fn fit<'r>(
    request: &'r Request,
    room: Room,
    tool: Option<fn(&Offer) -> Value>,
    by: Option<&str>,
) -> Result<Fitted<'r>, BackendError> {
    let system = prompt::system(&request.elsewhere);
    // A text of others takes at most about a quarter of the context: a token is some four bytes.
    let mut entries = mend(&request.messages, room.context.clamp(2048, 16_384), by);
    let left = room.context.saturating_sub(tokens(&system) + room.reply + MESSAGE);
    let tools = tool.map_or_else(Vec::new, |tool| written(request, tool));
    let all: usize = tools.iter().map(|tool| tokens(tool.get())).sum();
    if last_turn(&entries) + all.min(room.context / 2) > left {
        entries.iter_mut().for_each(Entry::forget_thoughts);
    }
    let tools = told(request, tools, room, left.saturating_sub(last_turn(&entries)));
    let taken: usize = tools.iter().map(|tool| tokens(tool.get())).sum();
    let kept = last_turns(&entries, left - taken)?;
    let prompt = tokens(&system) + MESSAGE + taken + kept.iter().map(of).sum::<usize>();
    let entries = joined(entries.split_off(entries.len() - kept.len()));
    Ok(Fitted { system, tools, entries, room, prompt })
}

fn written(request: &Request, tool: fn(&Offer) -> Value) -> Vec<Box<RawValue>> {
    request.tools.iter().map(|offer| to_raw_value(&tool(offer)).expect("JSON is JSON")).collect()
}

/// All tools, or those that may be meant and some more; in their order. They take half of the context at most, and what
/// is `left`.
fn told(request: &Request, tools: Vec<Box<RawValue>>, room: Room, left: usize) -> Vec<Box<RawValue>> {
    let takes: Vec<usize> = tools.iter().map(|tool| tokens(tool.get())).collect();
    let half = (room.context / 2).min(left);
    if takes.iter().sum::<usize>() <= half.min(room.once) {
        return tools;
    }
    if half == 0 {
        return Vec::new();
    }
    let meant = meant(request).into_iter().map(|place| (place, half));
    let others = (0..tools.len()).map(|place| (place, half.min(room.each)));
    let (mut kept, mut sum) = (vec![false; tools.len()], 0);
    for (place, most) in meant.chain(others) {
        if !kept[place] && sum + takes[place] <= most {
            kept[place] = true;
            sum += takes[place];
        }
    }
    tools.into_iter().zip(kept).filter_map(|(tool, kept)| kept.then_some(tool)).collect()
}

/// The tools that the person's last words may mean, those that fit best first.
fn meant(request: &Request) -> Vec<usize> {
    let Some((place, text)) = request.last_said() else { return Vec::new() };
    let meant = shortlist(text, &request.tools, &request.elsewhere, &request.messages[..place]);
    meant.calls.into_iter().map(|call| call.tool).collect()
}

#[cfg(test)]
mod every_history;
#[cfg(test)]
mod tests;
