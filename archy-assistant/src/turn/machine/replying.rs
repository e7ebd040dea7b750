//! A backend answers: what of it is taken, and what a whole reply leads to.

use super::{Do, LastRequest, Machine, Open, Phase, Reply};
use crate::backend::EndReason;
use crate::turn::event::{End, Event, Failure, Limited};
use crate::turn::input::{Asked, Called, Crossed, Input};
use crate::turn::message::{Content, ToolCall};
use crate::{CallId, Label, Sentence, Shown};

impl Machine {
    pub(super) fn replying(&mut self, input: Input, out: &mut Vec<Do>) {
        match input {
            Input::Asked(asked) => self.asked(asked, out),
            Input::Text(text) => {
                self.reply.bytes += text.len();
                if self.reply.bytes > self.max_text {
                    return self.fail(Failure::Limit(Limited::Text), out);
                }
                self.tell(&Shown::prose(&text), out);
                self.reply.text = std::mem::take(&mut self.reply.text).and(text);
            }
            Input::Sentence(sentence) => {
                self.tell(&sentence.shown(), out);
                self.reply.text = std::mem::take(&mut self.reply.text).and(sentence);
            }
            // The last request of a turn offers no tools: what it calls all the same is not taken.
            Input::Called(_) if self.last.is_some() => {}
            Input::Called(called) => self.called(called, out),
            Input::AskBack(ask) => {
                // Its choices name what the node has.
                self.reply.label = self.reply.label.join(self.reply.names);
                self.reply.ask_back = Some(ask);
            }
            Input::Opaque(opaque) => self.reply.opaque.push(opaque),
            Input::Usage(usage) => self.usage = self.usage.and(usage),
            Input::Crossing { id, why } => {
                self.down = Some(why);
                self.phase = Phase::Waiting(None, id);
                out.push(Do::Emit(Event::ConfirmationRequired { id, call: None }));
            }
            Input::Broke(error) => {
                self.keep_partial_reply();
                self.fail(Failure::Backend(error.class), out);
            }
            Input::End(reason) => self.ended(reason, out),
            _ => {}
        }
    }

    pub(super) fn asked(&mut self, asked: Asked, out: &mut Vec<Do>) {
        let label = if weak!(HistoryLosesLabel) { Label::default() } else { asked.label };
        // A reply that broke before anything of it was seen leaves nothing behind.
        self.reply = Reply { label, names: asked.names, ..Reply::default() };
        self.break_off();
        let leaves = asked.crossed.as_ref().map(|crossed| crossed.holds);
        // The same backend asked again is no other one.
        if let Some((from, why)) = asked.instead_of.filter(|(from, _)| *from != asked.backend) {
            let leaves = leaves.unwrap_or_default();
            out.push(Do::Emit(Event::BackendSwitched { from, to: asked.backend.clone(), why, leaves }));
        }
        if self.backend.as_ref() != Some(&asked.backend) {
            let (backend, locality, mind) = (asked.backend.clone(), asked.locality, asked.mind);
            out.push(Do::Emit(Event::Started { backend, locality, mind }));
            self.backend = Some(asked.backend.clone());
        }
        if let Some(Crossed { holds, messages, bytes }) = asked.crossed {
            let backend = asked.backend.clone();
            out.push(Do::Emit(Event::Crossed { backend, holds, messages, bytes }));
        }
        for held in asked.withheld {
            let backend = asked.backend.clone();
            out.push(Do::Emit(Event::Withheld { category: held.category, backend }));
            let fresh = held.call.filter(|call| self.shown.insert(*call));
            let says = self.said.iter().find(|(call, _)| Some(*call) == fresh);
            if let Some(says) = says.map(|(_, says)| says.shown()) {
                self.tell(&says, out);
                self.break_off();
            }
        }
    }

    pub(super) fn called(&mut self, called: Called, out: &mut Vec<Do>) {
        if self.reply.calls.len() >= self.max_calls {
            return self.fail(Failure::Limit(Limited::Calls), out);
        }
        let id = CallId(self.next_call);
        self.next_call += 1;
        self.reply.calls.push((ToolCall { id, tool: called.tool, args: called.args }, called.judged));
    }

    pub(super) fn ended(&mut self, reason: EndReason, out: &mut Vec<Do>) {
        let calls = std::mem::take(&mut self.reply.calls);
        if calls.is_empty() {
            return self.answered(reason, out);
        }
        // Calls run only from a reply that ended properly.
        if reason != EndReason::Complete && !weak!(CutReplyRuns) {
            let failure = match reason {
                EndReason::Refused => Failure::Declined,
                _ => Failure::Backend(crate::BackendFault::Broken),
            };
            return self.fail(failure, out);
        }
        let text = std::mem::take(&mut self.reply.text);
        let opaque = std::mem::take(&mut self.reply.opaque);
        let all = calls.iter().map(|(call, _)| call.clone()).collect();
        self.push(self.reply.label, Content::Reply { text, calls: all, opaque });
        self.repeats.reply(calls.iter().map(|(call, _)| call));
        self.open = calls.into_iter().map(|(call, judged)| Open { call, judged, outcome: None }).collect();
        self.phase = Phase::Reading;
        self.settle_what_needs_no_one(out);
        self.go_on(out);
    }

    pub(super) fn answered(&mut self, reason: EndReason, out: &mut Vec<Do>) {
        if let Some(ask) = self.reply.ask_back.take() {
            self.tell(&ask.question.shown(), out);
            self.reply.text = std::mem::take(&mut self.reply.text).and(ask.question);
            self.keep_reply();
            return self
                .finish(End::AsksBack { choices: ask.choices.iter().map(Sentence::shown).collect() }, out);
        }
        if self.reply.text.is_blank() {
            // Asking again for words would only get another no.
            if reason == EndReason::Refused {
                return self.fail(Failure::Declined, out);
            }
            // A tool's own sentence was shown in its place.
            if !self.shown.is_empty() {
                return self.finish(self.end(reason), out);
            }
            if self.nudged || self.last.is_some() {
                return self.fail(Failure::Empty, out);
            }
            self.nudged = true;
            self.push(
                Label::default(),
                Content::Note("You answered with nothing. Answer the person.".to_owned()),
            );
            return self.ask(out);
        }
        self.keep_reply();
        self.finish(self.end(reason), out);
    }

    pub(super) fn end(&self, reason: EndReason) -> End {
        match (self.last, reason) {
            (Some(LastRequest::StepLimit), _) => End::StepLimit,
            (_, EndReason::Length) => End::AnsweredInPart,
            _ => End::Answered,
        }
    }
}
