//! How many tokens a text may take, and a conversation cut to what fits.
//!
//! No tokenizer is at hand, and each model has its own. A token is never less than one byte, and of ordinary text it is
//! some four. Here three bytes of ASCII count as one, and two bytes of anything else: English, JSON and code come out a
//! third too long, which is the side to err on.

use super::fault::fault;
use super::history::Entry;
use super::{BackendError, BackendFault};

/// What a server puts around each message.
pub(crate) const MESSAGE: usize = 6;

/// No prompt has more bytes to a token than this, on the whole: where more were sent, some of them were not read.
const LONGEST_TOKEN: usize = 10;
/// A lower count tells nothing: it may be of what the server had not read before.
const TELLS: u64 = 1000;

/// At most about so many tokens.
pub(crate) fn tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    ascii.div_ceil(3) + (text.len() - ascii).div_ceil(2)
}

/// The end of `entries` that takes at most `room` tokens: whole turns, from something that a person said. The last turn
/// always stays. What is left out grows in steps of a quarter of the room, so that the next request mostly begins as this one.
///
/// # Errors
///
/// Even the last turn alone takes more.
pub(crate) fn last_turns<'e, 'a>(
    entries: &'e [Entry<'a>],
    room: usize,
) -> Result<&'e [Entry<'a>], BackendError> {
    let sizes: Vec<usize> = entries.iter().map(of).collect();
    let all: usize = sizes.iter().sum();
    let step = (room / 4).max(1);
    let out = all.saturating_sub(room).div_ceil(step) * step;
    let (mut start, mut before) = (0, 0);
    let mut sum = 0;
    for (place, entry) in entries.iter().enumerate() {
        if before >= out {
            break;
        }
        if matches!(entry, Entry::Said(_)) {
            (start, before) = (place, sum);
        }
        sum += sizes[place];
    }
    if all - before > room {
        return Err(fault(
            BackendFault::TooLong,
            &format!("the last turn takes about {} tokens, and there is room for {room}", all - before),
        ));
    }
    Ok(&entries[start..])
}

/// What the last turn alone takes.
pub(crate) fn last_turn(entries: &[Entry<'_>]) -> usize {
    let start = entries.iter().rposition(|entry| matches!(entry, Entry::Said(_)));
    entries[start.unwrap_or(0)..].iter().map(of).sum()
}

/// About how many tokens an entry takes.
pub(super) fn of(entry: &Entry<'_>) -> usize {
    match entry {
        Entry::Said(text) | Entry::Noted(text) => tokens(text) + MESSAGE,
        Entry::Reply { text, calls, opaque } => {
            let call = |call: &super::history::Answered<'_>| {
                tokens(&call.tool) + tokens(call.args.get()) + tokens(&call.result) + 3 * MESSAGE
            };
            let opaque: usize = opaque.iter().copied().map(tokens).sum();
            tokens(text) + MESSAGE + calls.iter().map(call).sum::<usize>() + opaque
        }
    }
}

/// An error where a server says that it read far less than it was sent: it cut the prompt and did not say so.
///
/// # Errors
///
/// [`BackendFault::TooLong`], with both numbers.
pub(crate) fn all_was_read(sent: usize, read: Option<u64>) -> Result<(), BackendError> {
    let least = u64::try_from(sent / LONGEST_TOKEN).unwrap_or(u64::MAX);
    match read {
        Some(read) if (TELLS..least).contains(&read) => Err(fault(
            BackendFault::TooLong,
            &format!(
                "the server cut the prompt: it read {read} tokens of at least {least}; its context is too small"
            ),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::asked::{replied, result, said};
    use crate::backend::history::mend;
    use crate::{Message, Outcome};

    #[test]
    fn a_text_is_never_taken_for_shorter_than_it_is_likely_to_be() {
        for (text, most) in
            [("", 0), ("a", 1), ("restart lnd", 4), ("ääää", 4), ("日本", 3), ("{\"calls\":[]}", 4)]
        {
            assert_eq!(tokens(text), most, "{text}");
        }
    }

    fn turn(number: u32) -> Vec<Message> {
        vec![
            said(&format!("question {number}")),
            replied("", &[(number, "disk_status", "{}")], &[]),
            result(number, "disk_status", Outcome::NotDone("x".repeat(60))),
            replied("answer", &[], &[]),
        ]
    }

    #[test]
    fn whole_turns_are_left_out_and_never_a_part_of_one() {
        let messages: Vec<Message> = (0..4).flat_map(turn).chain([said("the last")]).collect();
        let entries = mend(&messages, 4096, None);
        let each = of(&entries[0]) + of(&entries[1]) + of(&entries[2]);
        let last = of(&entries[entries.len() - 1]);
        for (room, left) in [
            (usize::MAX, 13),
            (4 * each + last, 13),
            (3 * each + each / 2 + last, 10),
            (2 * each + each / 2 + last, 7),
            (each + each / 2 + last, 4),
            (last, 1),
        ] {
            let kept = last_turns(&entries, room).expect("the last turn fits");
            assert_eq!(kept.len(), left, "{room}");
            assert!(matches!(kept[0], Entry::Said(_)));
        }
        let error = last_turns(&entries, last - 1).expect_err("it does not fit");
        assert_eq!(error.class, BackendFault::TooLong);
        assert_eq!(
            error.detail,
            format!("the last turn takes about {last} tokens, and there is room for {}", last - 1)
        );
    }

    #[test]
    fn a_note_begins_no_turn() {
        let note = crate::backend::asked::message(crate::Content::Note("answer now".to_owned()));
        let messages: Vec<Message> = [turn(0), turn(1)[..3].to_vec(), vec![note]].concat();
        let entries = mend(&messages, 4096, None);
        let turn: usize = entries[3..].iter().map(of).sum();
        assert_eq!(last_turns(&entries, turn).expect("the last turn fits").len(), 3);
        last_turns(&entries, turn - 1).expect_err("the note alone is no turn");
    }

    #[test]
    fn a_conversation_that_grows_mostly_begins_as_before() {
        let room = 40 * of(&mend(&turn(0), 4096, None)[1]);
        let mut moved = 0;
        let mut first = String::new();
        for turns in 1..200 {
            let messages: Vec<Message> = (0..turns).flat_map(turn).collect();
            let entries = mend(&messages, 4096, None);
            let kept = last_turns(&entries, room).expect("the last turn fits");
            let sum: usize = kept.iter().map(of).sum();
            assert!(sum <= room && (kept.len() == entries.len() || sum > room / 2), "{sum} of {room}");
            let Entry::Said(said) = &kept[0] else { panic!("a person's words come first") };
            moved += usize::from(*said != first);
            first.clone_from(said);
        }
        assert!(moved < 25, "it began anew {moved} times in 200 turns");
    }

    #[test]
    fn a_prompt_that_was_cut_is_noticed() {
        for (sent, read) in
            [(0, None), (40_000, None), (40_000, Some(4000)), (40_000, Some(999)), (9000, Some(899))]
        {
            assert_eq!(all_was_read(sent, read), Ok(()), "{sent} {read:?}");
        }
        let error = all_was_read(40_000, Some(2048)).expect_err("it was cut");
        let says =
            "the server cut the prompt: it read 2048 tokens of at least 4000; its context is too small";
        assert_eq!((error.class, &*error.detail), (BackendFault::TooLong, says));
    }
}
