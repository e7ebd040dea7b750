//! A turn comes to its end: every call has its result, what was said is kept, and the receipts are told.

use super::{Do, Machine, Phase};
use crate::Label;
use crate::turn::event::{End, Event, Failure, Finished};
use crate::turn::input::Arrived;
use crate::turn::message::{Content, Message, Outcome};

impl Machine {
    pub(super) fn settle_rest(&mut self, why: &str, out: &mut Vec<Do>) {
        let rest: Vec<_> =
            self.open.iter().filter(|open| open.outcome.is_none()).map(|open| open.call.id).collect();
        for call in rest {
            self.settle(Arrived::plain(call, Outcome::NotDone(why.to_owned())), out);
        }
    }

    pub(super) fn cancelled(&mut self, out: &mut Vec<Do>) {
        self.close_open_calls("stopped", out);
        self.keep_partial_reply();
        self.finish(End::Cancelled, out);
    }

    pub(super) fn interrupted(&mut self, out: &mut Vec<Do>) {
        self.close_open_calls("the node was stopped", out);
        self.keep_partial_reply();
        self.finish(End::Interrupted, out);
    }

    /// Every call gets its result, so that the conversation stays one that a model can go on with.
    pub(super) fn close_open_calls(&mut self, why: &str, out: &mut Vec<Do>) {
        self.settle_rest(why, out);
        for open in std::mem::take(&mut self.open) {
            let Some(arrived) = open.outcome else { continue };
            let (call, tool) = (arrived.call, open.call.tool);
            self.push(
                arrived.label,
                Content::Result { call, tool, outcome: arrived.outcome, fence: arrived.fence },
            );
        }
    }

    pub(super) fn keep_reply(&mut self) {
        let text = std::mem::take(&mut self.reply.text);
        let opaque = std::mem::take(&mut self.reply.opaque);
        self.push(self.reply.label, Content::Reply { text, calls: Vec::new(), opaque });
    }

    /// Keeps what was said before it was cut, marked as such.
    pub(super) fn keep_partial_reply(&mut self) {
        self.reply.opaque.clear();
        if !self.reply.text.is_blank() {
            self.reply.text = std::mem::take(&mut self.reply.text).and(" […]");
            self.keep_reply();
        }
    }

    pub(super) fn push(&mut self, label: Label, content: Content) {
        self.context = self.context.join(label);
        self.messages.push(Message { label, content });
    }

    pub(super) fn finish(&mut self, end: End, out: &mut Vec<Do>) {
        self.phase = Phase::Ended;
        let receipts = std::mem::take(&mut self.receipts);
        out.push(Do::Emit(Event::Finished(Finished { end, usage: self.usage, receipts })));
        out.push(Do::Stop);
    }

    pub(super) fn fail(&mut self, failure: Failure, out: &mut Vec<Do>) {
        self.close_open_calls("stopped", out);
        self.keep_partial_reply();
        self.phase = Phase::Ended;
        let receipts = std::mem::take(&mut self.receipts);
        out.push(Do::Emit(Event::Failed { failure, receipts }));
        out.push(Do::Stop);
    }
}
