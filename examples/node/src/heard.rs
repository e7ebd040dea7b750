//! What became of a turn, as the fold of its events: who answered, what was called, what was changed, what left the node.

mod crossed;

use archy_assistant::{
    BackendFault, CallId, Categories, Category, ConfirmationId, ConversationId, End, Event, Failure,
    Locality, Mind, Receipt, Settled, Shown, TurnId, Usage,
};
use serde::Serialize;

use self::crossed::{Crossed, Switched};
pub(crate) use self::crossed::{goes_on, stays};
use crate::exit::Exit;

/// A turn that was listened to, or read from the history.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) answer: String,
    pub(crate) backends: Vec<Asked>,
    pub(crate) calls: Vec<Call>,
    pub(crate) closed: Categories,
    pub(crate) withheld: Categories,
    pub(crate) switched: Vec<Switched>,
    crossed: Vec<Crossed>,
    pub(crate) receipts: Vec<Receipt>,
    pub(crate) usage: Usage,
    end: Option<Result<End, Failure>>,
    /// What became of the question whether the conversation may go to a remote backend.
    crossing: Option<Settled>,
    asked_to_cross: Option<ConfirmationId>,
}

/// A backend that was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Asked {
    pub(crate) backend: String,
    pub(crate) locality: Locality,
    pub(crate) mind: Mind,
    /// Whether anything of an answer came from it.
    pub(crate) answered: bool,
    /// Why it went no further.
    pub(crate) gave_up: Option<BackendFault>,
}

impl Asked {
    /// Whether it may have got anything of what was said. A server that could not be reached has not.
    fn got_something(&self) -> bool {
        self.answered || self.gave_up != Some(BackendFault::Unreachable)
    }

    /// Where it is.
    fn place(&self) -> &'static str {
        match self.locality {
            Locality::OnNode => "on this node",
            Locality::OwnNetwork => "on your own network",
            Locality::Remote => "elsewhere",
        }
    }

    /// What became of asking it, where no answer did.
    fn in_vain(&self) -> String {
        let how = match self.gave_up {
            Some(BackendFault::Unreachable) if !self.answered => "could not be reached",
            Some(_) => "did not answer",
            None if self.answered => "did not answer to the end",
            None => "was asked",
        };
        format!("{} {} {how}", self.backend, self.place())
    }
}

/// A call and how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Call {
    #[serde(rename = "call")]
    pub(crate) id: CallId,
    pub(crate) tool: Shown,
    pub(crate) args: Shown,
    pub(crate) not_done: Option<Shown>,
}

/// The whole turn as one JSON document.
#[derive(Debug, Serialize)]
pub(crate) struct Document<'a> {
    version: u32,
    exit: Exit,
    conversation: ConversationId,
    turn: TurnId,
    answer: &'a str,
    end: Option<&'a End>,
    failure: Option<String>,
    closed: Categories,
    calls: &'a [Call],
    changed: bool,
    receipts: &'a [Receipt],
    backends: &'a [Asked],
    model_used: bool,
    left_node: bool,
    withheld: Categories,
    switched: &'a [Switched],
    crossed: Vec<Crossed>,
    usage: Usage,
}

impl Heard {
    /// Takes what a turn's events tell.
    pub(crate) fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut heard = Self::default();
        events.into_iter().for_each(|event| heard.take(event));
        heard
    }

    /// Takes the next event.
    pub(crate) fn take(&mut self, event: &Event) {
        match event {
            Event::Started { backend, locality, mind } => {
                let (backend, locality, mind) = (backend.clone(), *locality, *mind);
                if self.backends.last().is_none_or(|last| last.backend != backend) {
                    self.backends.push(Asked { backend, locality, mind, answered: false, gave_up: None });
                }
            }
            Event::BackendSwitched { from, to, why, leaves } => {
                let (from_name, to) = (from.clone(), to.clone());
                self.switched.push(Switched { from: from_name, to, why: *why, leaves: *leaves });
                if let Some(asked) = self.backends.iter_mut().find(|asked| asked.backend == *from) {
                    asked.gave_up = Some(*why);
                }
            }
            Event::Text(text) => {
                self.answer.push_str(text.as_str());
                self.last_answered();
            }
            Event::ToolStarted { call, tool, args } => {
                self.last_answered();
                self.calls.push(Call { id: *call, tool: tool.clone(), args: args.clone(), not_done: None });
            }
            Event::ToolFinished { call, not_done, .. } => {
                if let Some(known) = self.calls.iter_mut().find(|known| known.id == *call) {
                    known.not_done.clone_from(not_done);
                }
            }
            Event::Closed(category) => self.closed = self.closed.with(*category),
            Event::Crossed { backend, holds, messages, bytes } => {
                self.cross(Crossed {
                    backend: backend.clone(),
                    requests: 1,
                    messages: *messages,
                    bytes: *bytes,
                    holds: *holds,
                    arrived: false,
                });
            }
            Event::ConfirmationRequired { id, call: None } => self.asked_to_cross = Some(*id),
            Event::ConfirmationResolved { id, outcome } if self.asked_to_cross == Some(*id) => {
                self.crossing = Some(*outcome);
            }
            Event::Withheld { category, .. } => self.withheld = self.withheld.with(*category),
            Event::Finished(finished) => {
                if !matches!(finished.end, End::Cancelled | End::Interrupted) {
                    self.last_answered();
                }
                self.receipts.clone_from(&finished.receipts);
                self.usage = finished.usage;
                self.end = Some(Ok(finished.end.clone()));
            }
            Event::Failed { failure, receipts } => {
                if let (Failure::Backend(why), Some(last)) = (failure, self.backends.last_mut()) {
                    last.gave_up = Some(*why);
                }
                self.receipts.clone_from(receipts);
                self.end = Some(Err(failure.clone()));
            }
            _ => {}
        }
    }

    /// Adds to what went to that backend.
    fn cross(&mut self, more: Crossed) {
        match self.crossed.iter_mut().find(|crossed| crossed.backend == more.backend) {
            Some(crossed) => crossed.add(&more),
            None => self.crossed.push(more),
        }
    }

    fn last_answered(&mut self) {
        if let Some(last) = self.backends.last_mut() {
            last.answered = true;
        }
    }

    /// How it ended; `None` where that was not heard.
    pub(crate) fn end(&self) -> Option<&End> {
        self.end.as_ref()?.as_ref().ok()
    }

    /// Why it failed.
    pub(crate) fn failure(&self) -> Option<&Failure> {
        self.end.as_ref()?.as_ref().err()
    }

    /// What can be said to the question back that it ended with.
    pub(crate) fn choices(&self) -> &[Shown] {
        if let Some(End::AsksBack { choices }) = self.end() { choices } else { &[] }
    }

    /// Whether nobody was asked, because all that the request needs is closed.
    pub(crate) fn is_only_closed(&self) -> bool {
        !self.closed.is_empty() && self.backends.is_empty()
    }

    /// The code with which a command ends that said this.
    pub(crate) fn exit(&self) -> Exit {
        let has =
            |settled: &[Settled]| self.receipts.iter().any(|receipt| settled.contains(&receipt.outcome));
        let ended = match &self.end {
            Some(Err(Failure::Backend(_))) if self.is_crossing_refused() => Exit::NotAgreed,
            Some(Err(Failure::Backend(_) | Failure::Empty | Failure::Declined)) => Exit::NoAnswer,
            None | Some(Err(_) | Ok(End::Interrupted)) => Exit::Failed,
            Some(Ok(End::Cancelled)) => Exit::Cancelled,
            Some(Ok(_)) => Exit::Done,
        };
        if has(&[Settled::OutcomeUnknown]) {
            Exit::OutcomeUnknown
        } else if ended != Exit::Done {
            ended
        } else if has(&[Settled::Failed, Settled::NotAsked, Settled::TargetChanged]) {
            Exit::Failed
        } else if self.receipts.iter().any(|receipt| receipt.outcome != Settled::Done) {
            Exit::NotAgreed
        } else if !self.closed.is_empty() {
            Exit::Closed
        } else {
            Exit::Done
        }
    }

    /// What went to backends that are not the owner's. A server that could not be reached has got nothing.
    pub(crate) fn crossed(&self) -> Vec<Crossed> {
        let of = |crossed: &Crossed| {
            let asked = self.backends.iter().find(|asked| asked.backend == crossed.backend)?;
            let arrived = asked.answered;
            asked.got_something().then(|| Crossed { arrived, ..crossed.clone() })
        };
        self.crossed.iter().filter_map(of).collect()
    }

    /// Whether nobody answered because a person did not let the conversation go to a remote backend.
    pub(crate) fn is_crossing_refused(&self) -> bool {
        self.crossing.is_some_and(|outcome| outcome != Settled::Done)
    }

    /// What was changed, in the node's words: one line per write.
    pub(crate) fn changes(&self) -> Vec<String> {
        if self.receipts.is_empty() {
            return vec!["Nothing was changed.".to_owned()];
        }
        let line = |receipt: &Receipt| {
            let by = if receipt.outcome == Settled::Done { "Changed by " } else { "" };
            format!("{by}{} {}: {}", receipt.tool, receipt.args, receipt.says)
        };
        self.receipts.iter().map(line).collect()
    }

    /// Who answered and what left the node, in one line.
    pub(crate) fn provenance(&self) -> String {
        let Some((last, before)) = self.backends.split_last() else {
            return "Answered by the node itself; no model was used; nothing left the node.".to_owned();
        };
        let mut tried: Vec<String> = before.iter().map(Asked::in_vain).collect();
        let who = match last {
            Asked { answered: false, .. } => {
                tried.push(last.in_vain());
                "Nobody answered".to_owned()
            }
            Asked { gave_up: Some(_), .. } => {
                format!("Answered in part by {} {}", last.backend, last.place())
            }
            _ => format!("Answered by {} {}", last.backend, last.place()),
        };
        if self.backends.iter().all(|asked| asked.mind == Mind::Rules) {
            tried.push("no model was used".to_owned());
        }
        let parts = [who].into_iter().chain(tried).chain([self.left()]);
        parts.collect::<Vec<_>>().join("; ") + "."
    }

    /// What left the node.
    fn left(&self) -> String {
        let elsewhere = |asked: &&Asked| asked.locality != Locality::OnNode && asked.got_something();
        let farthest = self.backends.iter().rev().find(elsewhere);
        let mut all = self.backends.iter().filter(elsewhere);
        let remote = all.find(|asked| asked.locality == Locality::Remote);
        match remote.or(farthest) {
            None => "nothing left the node".to_owned(),
            Some(asked) if !asked.answered => format!("what you said may have gone to {}", asked.backend),
            Some(asked) if asked.locality == Locality::OwnNetwork => {
                format!("the conversation went to {} on your own network and no further", asked.backend)
            }
            Some(asked) if self.withheld.is_empty() => {
                format!("what you said went to {}", asked.backend)
            }
            Some(asked) => {
                format!("what you said went to {}, but nothing of: {}", asked.backend, self.withheld)
            }
        }
    }

    /// The same as a document.
    pub(crate) fn document(&self, conversation: ConversationId, turn: TurnId, exit: Exit) -> Document<'_> {
        Document {
            version: 1,
            exit,
            conversation,
            turn,
            answer: &self.answer,
            end: self.end(),
            failure: self.failure().map(ToString::to_string),
            closed: self.closed,
            calls: &self.calls,
            changed: self.receipts.iter().any(|receipt| receipt.outcome == Settled::Done),
            receipts: &self.receipts,
            backends: &self.backends,
            model_used: self.backends.iter().any(|asked| asked.mind == Mind::Model && asked.answered),
            left_node: self
                .backends
                .iter()
                .any(|asked| asked.locality != Locality::OnNode && asked.got_something()),
            withheld: self.withheld,
            switched: &self.switched,
            crossed: self.crossed(),
            usage: self.usage,
        }
    }

    /// Why the answer is what it is, for `/why`.
    pub(crate) fn why(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.calls.is_empty() {
            lines.push("It rests on nothing that was looked up.".to_owned());
        }
        for call in &self.calls {
            let end = match &call.not_done {
                Some(why) => format!(", which was not done: {why}"),
                None => String::new(),
            };
            lines.push(format!("It rests on {} {}{end}", call.tool, call.args));
        }
        lines.push(self.provenance());
        lines.extend(self.crossed().iter().map(|crossed| format!("{crossed}.")));
        lines.extend(self.changes());
        lines.push(match (self.usage.input, self.usage.output) {
            (None, None) => "It cost nothing.".to_owned(),
            (read, written) => {
                let count = |tokens: Option<u64>| tokens.map_or("?".to_owned(), |count| count.to_string());
                format!(
                    "It cost no money; the model read {} tokens and wrote {}.",
                    count(read),
                    count(written)
                )
            }
        });
        lines
    }
}

/// What a person is told before they open a category.
pub(crate) fn about_to_open(category: Category) -> String {
    format!("The category {category} is closed. Opening it lets the assistant {}.", category.opens())
}

#[cfg(test)]
mod tests;
