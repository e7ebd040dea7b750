//! The answer is told in parts that a listener puts one after the other: a break in them keeps apart what was said in one
//! breath and what was not.

use super::{Do, Machine};
use crate::Shown;
use crate::turn::event::Event;

/// Where the answer stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Told {
    /// There is nothing to read yet.
    #[default]
    Nothing,
    /// What comes next goes on with what was told.
    GoesOn,
    /// What comes next is another reply, or somebody else's words.
    BrokenOff,
}

impl Machine {
    /// What is told from now on does not go on with what was told before.
    pub(super) fn break_off(&mut self) {
        if self.told == Told::GoesOn {
            self.told = Told::BrokenOff;
        }
    }

    /// Tells some text of the answer, as a paragraph of its own where it does not go on with what was told before.
    pub(super) fn tell(&mut self, text: &Shown, out: &mut Vec<Do>) {
        let is_blank = text.as_str().trim().is_empty();
        let text = match self.told {
            // The break stands for it.
            Told::BrokenOff if is_blank => return,
            Told::BrokenOff => Shown::prose(&format!("\n\n{}", text.as_str().trim_start_matches('\n'))),
            Told::Nothing | Told::GoesOn => text.clone(),
        };
        if !is_blank {
            self.told = Told::GoesOn;
        }
        out.push(Do::Emit(Event::Text(text)));
    }
}
