//! Keeps what a model thinks out of what a person reads, where the server left it in the text.
//!
//! Two forms occur. A leading `<think>…</think>` says at once what it is and is dropped. A bare `…</think>` says it
//! only at its end (Qwen3 writes so even when told not to think), and what was shown cannot be taken back. So the
//! first text of a model that may think is held until a close, a call or the end shows what it was, and that decides
//! for the later replies: a model that was seen to answer plainly streams from then on, one that thought aloud is
//! held each time. One reply that comes in one piece is the price.

/// What is known of a model's way to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Habit {
    /// It does not think in its text: text passes at once.
    Silent,
    /// It may: text is held until it is clear what it was.
    Unknown,
    /// It was caught: text is held, and dropped where it ends without an answer.
    Aloud,
}

/// How a stretch of text came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stretch {
    /// A call follows.
    Call,
    /// The reply is complete.
    Complete,
    /// The reply was cut by a length limit.
    Cut,
}

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but what may become a leading block yet.
    Start,
    /// In a leading block.
    Inside,
    /// In text that may turn out to be thoughts.
    Held,
    /// Between the thoughts and the answer.
    Between,
    /// In the answer.
    Answer,
}

/// The filter for one reply.
#[derive(Debug)]
pub(crate) struct Thoughts {
    habit: Habit,
    state: State,
    /// What was not decided yet; in [`State::Answer`] the last few bytes that passed.
    kept: String,
    /// So many bytes of `kept` hold no close.
    searched: usize,
}

impl Thoughts {
    pub(crate) fn new(habit: Habit) -> Self {
        Self { habit, state: State::Start, kept: String::new(), searched: 0 }
    }

    /// What of the text so far may now be shown; often nothing.
    pub(crate) fn text(&mut self, delta: &str) -> String {
        if self.state == State::Answer {
            self.notice(delta);
            return delta.to_owned();
        }
        self.kept.push_str(delta);
        if self.state == State::Start {
            self.kept.drain(..self.kept.len() - self.kept.trim_start().len());
            if self.kept.starts_with(OPEN) {
                self.kept.drain(..OPEN.len());
                self.state = State::Inside;
            } else if OPEN.starts_with(&*self.kept) {
                return String::new();
            } else {
                self.state = if self.habit == Habit::Silent { State::Between } else { State::Held };
            }
        }
        if matches!(self.state, State::Inside | State::Held) {
            let Some(close) = self.find_close() else { return String::new() };
            if self.state == State::Held {
                self.habit = Habit::Aloud;
            }
            self.kept.drain(..close + CLOSE.len());
            self.state = State::Between;
        }
        let answer = self.kept.trim_start().to_owned();
        if answer.is_empty() {
            return answer;
        }
        self.kept.clear();
        self.state = State::Answer;
        self.notice(&answer);
        answer
    }

    /// What is still held and may be shown, now that a stretch of text is over.
    pub(crate) fn stretch_ends(&mut self, how: Stretch) -> String {
        if !matches!(self.state, State::Start | State::Held) {
            return String::new();
        }
        self.searched = 0;
        let held = std::mem::take(&mut self.kept);
        if self.state == State::Held && self.habit == Habit::Aloud && how != Stretch::Complete {
            return String::new();
        }
        if !held.is_empty() && self.habit == Habit::Unknown && how == Stretch::Complete {
            self.habit = Habit::Silent;
        }
        held
    }

    /// What is known of the model after this reply.
    pub(crate) fn habit(&self) -> Habit {
        self.habit
    }

    /// Where the close stands. Looks at each byte once, and in a leading block keeps no more than it needs.
    fn find_close(&mut self) -> Option<usize> {
        let from = floor(&self.kept, self.searched.saturating_sub(CLOSE.len()));
        let found = self.kept[from..].find(CLOSE).map(|place| from + place);
        if found.is_none() && self.state == State::Inside {
            let tail = floor(&self.kept, self.kept.len().saturating_sub(CLOSE.len()));
            self.kept.drain(..tail);
        }
        self.searched = self.kept.len();
        found
    }

    /// A close within the answer comes too late for this reply, but not for the next.
    fn notice(&mut self, delta: &str) {
        self.kept.push_str(delta);
        if self.kept.contains(CLOSE) {
            self.habit = Habit::Aloud;
        }
        let tail = floor(&self.kept, self.kept.len().saturating_sub(CLOSE.len()));
        self.kept.drain(..tail);
    }
}

/// The last boundary of a character at or before `place`.
fn floor(text: &str, place: usize) -> usize {
    (0..=place).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown at once, what is shown at the end, and what was learned.
    fn told(habit: Habit, deltas: &[&str], how: Stretch) -> (String, String, Habit) {
        let mut thoughts = Thoughts::new(habit);
        let at_once = deltas.iter().map(|delta| thoughts.text(delta)).collect();
        let at_the_end = thoughts.stretch_ends(how);
        (at_once, at_the_end, thoughts.habit())
    }

    fn whole_and_by_character(habit: Habit, text: &str, how: Stretch, want: (&str, &str, Habit)) {
        let want = (want.0.to_owned(), want.1.to_owned(), want.2);
        let characters: Vec<String> = text.chars().map(String::from).collect();
        let characters: Vec<&str> = characters.iter().map(|character| &**character).collect();
        assert_eq!(told(habit, &[text], how), want, "{text:?} whole");
        assert_eq!(told(habit, &characters, how), want, "{text:?} by character");
    }

    #[test]
    fn thoughts_are_not_shown() {
        use Habit::{Aloud, Silent, Unknown};
        use Stretch::{Call, Complete, Cut};
        for (habit, text, how, want) in [
            // A leading block says what it is, in whatever habit.
            (Silent, "\n<think>a < b</think>\n\nHi", Complete, ("Hi", "", Silent)),
            (Unknown, "<think>ä</think>Hi", Complete, ("Hi", "", Unknown)),
            (Aloud, "<think></think>Hi", Complete, ("Hi", "", Aloud)),
            (Silent, "<think>never closed", Complete, ("", "", Silent)),
            (Silent, "<think>closed</think> ", Cut, ("", "", Silent)),
            // A bare close.
            (Unknown, "thoughts</think>\n\nHi", Complete, ("Hi", "", Aloud)),
            (Unknown, "thoughts</think>", Call, ("", "", Aloud)),
            (Aloud, "thoughts</think>Hi", Complete, ("Hi", "", Aloud)),
            (Silent, "Hi</think>there", Complete, ("Hi</think>there", "", Aloud)),
            // No close at all.
            (Unknown, " Hi </thin", Complete, ("", "Hi </thin", Silent)),
            (Unknown, "I will look.", Call, ("", "I will look.", Unknown)),
            (Unknown, "Hi", Cut, ("", "Hi", Unknown)),
            (Aloud, "Hi", Complete, ("", "Hi", Aloud)),
            (Aloud, "thoughts", Call, ("", "", Aloud)),
            (Aloud, "thoughts", Cut, ("", "", Aloud)),
            // Nothing, or less than a tag.
            (Unknown, "  ", Complete, ("", "", Unknown)),
            (Silent, "<thi", Complete, ("", "<thi", Silent)),
            (Silent, " Hi, <think> is a tag", Complete, ("Hi, <think> is a tag", "", Silent)),
        ] {
            whole_and_by_character(habit, text, how, want);
        }
    }

    #[test]
    fn a_silent_model_streams() {
        let mut thoughts = Thoughts::new(Habit::Silent);
        assert_eq!(["\n", "Hi", " ", "there"].map(|delta| thoughts.text(delta)), ["", "Hi", " ", "there"]);
    }
}
