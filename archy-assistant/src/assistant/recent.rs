//! The messages of turns that ended a while ago, so that what is said next need not read a conversation's journal again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::{ConversationId, Message, TurnId};

/// At most so many bytes of journal are remembered by their messages: some hundred turns.
const MOST: usize = 1024 * 1024;
/// Of so many conversations is remembered where their requests begin.
const CONVERSATIONS: usize = 1000;

/// Only turns that have ended: what their journals say never changes. Which turns there are is not remembered here but
/// read from the store each time, so nothing that was forgotten can come back from it.
#[derive(Default)]
pub(super) struct Recent {
    turns: HashMap<TurnId, Turn>,
    /// In the order in which they were first read.
    order: VecDeque<TurnId>,
    bytes: usize,
    /// The turns from which on conversations are told, where they are not told whole.
    firsts: HashMap<ConversationId, TurnId>,
}

struct Turn {
    messages: Arc<[Message]>,
    bytes: usize,
}

impl Recent {
    pub(super) fn get(&self, turn: TurnId) -> Option<Arc<[Message]>> {
        self.turns.get(&turn).map(|turn| Arc::clone(&turn.messages))
    }

    /// Remembers a turn whose journal has so many bytes, instead of older ones where there is no room.
    pub(super) fn keep(&mut self, turn: TurnId, messages: Arc<[Message]>, bytes: usize) {
        if bytes > MOST || self.turns.insert(turn, Turn { messages, bytes }).is_some() {
            return;
        }
        self.order.push_back(turn);
        self.bytes += bytes;
        while self.bytes > MOST {
            let Some(oldest) = self.order.front().copied() else { break };
            self.forget(oldest);
        }
    }

    /// From which turn on a conversation is told; none, where from its beginning.
    pub(super) fn first(&self, conversation: ConversationId) -> Option<TurnId> {
        self.firsts.get(&conversation).copied()
    }

    /// From now on a conversation is told from this turn on.
    pub(super) fn begin(&mut self, conversation: ConversationId, turn: TurnId) {
        if self.firsts.len() >= CONVERSATIONS {
            self.firsts.clear();
        }
        self.firsts.insert(conversation, turn);
    }

    /// Forgets a turn, if it is remembered.
    pub(super) fn forget(&mut self, turn: TurnId) {
        if let Some(gone) = self.turns.remove(&turn) {
            self.order.retain(|kept| *kept != turn);
            self.bytes -= gone.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Content, Label};

    fn note(text: &str) -> Arc<[Message]> {
        [Message { label: Label::default(), content: Content::Note(text.to_owned()) }].into()
    }

    #[test]
    fn what_is_oldest_makes_room_and_what_is_too_large_is_not_kept() {
        let mut recent = Recent::default();
        let third = MOST / 3;
        for number in 1..=4 {
            recent.keep(TurnId(number), note("kept"), third);
        }
        recent.keep(TurnId(5), note("large"), MOST + 1);
        let kept: Vec<_> = (1..=5).filter(|number| recent.get(TurnId(*number)).is_some()).collect();
        assert_eq!((kept, recent.bytes), (vec![2, 3, 4], 3 * third));
    }

    #[test]
    fn a_turn_that_is_kept_twice_counts_once_and_one_that_is_forgotten_not_at_all() {
        let mut recent = Recent::default();
        recent.keep(TurnId(1), note("once"), 10);
        recent.keep(TurnId(1), note("twice"), 10);
        recent.keep(TurnId(2), note("more"), 5);
        recent.forget(TurnId(1));
        recent.forget(TurnId(1));
        assert_eq!(recent.get(TurnId(1)), None);
        assert_eq!((recent.get(TurnId(2)), recent.bytes, recent.order.len()), (Some(note("more")), 5, 1));
    }
}
