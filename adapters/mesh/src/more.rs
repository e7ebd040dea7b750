//! The rest of an answer, kept for whoever says `more`.

use archy_assistant::Timestamp;

use crate::Asker;

/// How long a rest is kept.
const KEPT_MS: u64 = 10 * 60 * 1000;
/// For so many askers at once; the oldest goes where another comes.
const MOST: usize = 64;

/// Whether somebody wants to read on.
pub(crate) fn is_more(text: &str) -> bool {
    text.trim_end_matches(['.', '!']).eq_ignore_ascii_case("more")
}

/// What was not sent yet, by asker.
#[derive(Debug, Default)]
pub struct More(Vec<Rest>);

#[derive(Debug)]
struct Rest {
    key: Asker,
    until: Timestamp,
    /// As they are sent, with their numbers.
    parts: Vec<String>,
}

impl More {
    /// Keeps `parts` for this asker, in place of what was kept before; none keeps nothing.
    pub fn keep(&mut self, key: Asker, parts: Vec<String>, now: Timestamp) {
        self.0.retain(|rest| rest.key != key && rest.until > now);
        if parts.is_empty() {
            return;
        }
        if self.0.len() >= MOST {
            self.0.remove(0);
        }
        self.0.push(Rest { key, until: Timestamp(now.0.saturating_add(KEPT_MS)), parts });
    }

    /// The next `most` parts for this asker, which are not kept any longer, and how many stay, for ten minutes from now.
    pub fn take(&mut self, key: &Asker, most: usize, now: Timestamp) -> Option<(Vec<String>, usize)> {
        self.0.retain(|rest| rest.until > now);
        let rest = self.0.iter_mut().find(|rest| rest.key == *key)?;
        let taken: Vec<String> = rest.parts.drain(..most.min(rest.parts.len())).collect();
        let stay = rest.parts.len();
        rest.until = Timestamp(now.0.saturating_add(KEPT_MS));
        self.0.retain(|rest| !rest.parts.is_empty());
        Some((taken, stay))
    }

    /// For how many askers something is kept.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContactKey;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn the_rest_comes_once_in_order_and_to_nobody_else() {
        let mut more = More::default();
        let (a, b) = (Asker::Channel(1), Asker::Channel(2));
        more.keep(a, words(&["3/5", "4/5", "5/5"]), NOW);
        assert_eq!(more.take(&b, 2, NOW), None);
        assert_eq!(more.take(&a, 2, NOW), Some((words(&["3/5", "4/5"]), 1)));
        assert_eq!(more.take(&a, 2, NOW), Some((words(&["5/5"]), 0)));
        assert_eq!(more.take(&a, 2, NOW), None);
    }

    #[test]
    fn it_is_kept_for_ten_minutes_and_a_new_answer_takes_its_place() {
        let mut more = More::default();
        let a = Asker::Channel(1);
        more.keep(a, words(&["old"]), NOW);
        more.keep(a, words(&["new"]), NOW);
        assert_eq!(more.take(&a, 9, Timestamp(NOW.0 + KEPT_MS - 1)), Some((words(&["new"]), 0)));
        more.keep(a, words(&["late"]), NOW);
        assert_eq!(more.take(&a, 9, Timestamp(NOW.0 + KEPT_MS)), None);
        more.keep(a, words(&["x"]), NOW);
        more.keep(a, vec![], NOW);
        assert!(more.is_empty());
    }

    #[test]
    fn thousands_of_askers_are_not_kept_for() {
        let mut more = More::default();
        for number in 0..5_000_u16 {
            let mut key = ContactKey([0; 32]);
            key.0[..2].copy_from_slice(&number.to_be_bytes());
            more.keep(Asker::Contact(key), words(&["x"]), NOW);
        }
        assert_eq!(more.len(), MOST);
    }
}
