//! What is said to the assistant itself and asks for nothing on the node: a greeting, thanks, and what it can do.

/// What was said to the assistant itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Courtesy {
    /// "good morning"
    Greeting,
    /// "thank you"
    Thanks,
    /// "what can you do?"
    Help,
}

const GREETINGS: [&str; 14] = [
    "hi",
    "hello",
    "hey",
    "hiya",
    "yo",
    "howdy",
    "greetings",
    "hi there",
    "hello there",
    "hey there",
    "good morning",
    "good afternoon",
    "good evening",
    "good day",
];

const THANKS: [&str; 12] = [
    "thanks",
    "thank you",
    "thx",
    "ty",
    "cheers",
    "many thanks",
    "thanks a lot",
    "thank you very much",
    "thank you so much",
    "thanks so much",
    "great thanks",
    "ok thanks",
];

const HELP: [&str; 11] = [
    "help",
    "help me",
    "what can you do",
    "what can i do",
    "what can i say",
    "what can i ask",
    "what can i ask you",
    "what do you do",
    "what are you able to do",
    "who are you",
    "how do you work",
];

/// Whether all of `text` is one of these; a request that begins with a greeting is none.
pub(super) fn courtesy(text: &str) -> Option<Courtesy> {
    let plain = |c: char| if c.is_alphanumeric() || c == '\'' { c } else { ' ' };
    let words: String = text.chars().map(plain).collect::<String>().to_lowercase();
    let named = |word: &&str| !matches!(*word, "archy" | "please");
    let words: Vec<&str> = words.split_whitespace().filter(named).collect();
    let said = words.join(" ");
    [(&GREETINGS[..], Courtesy::Greeting), (&THANKS, Courtesy::Thanks), (&HELP, Courtesy::Help)]
        .into_iter()
        .find_map(|(phrases, courtesy)| phrases.contains(&&*said).then_some(courtesy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_courtesy_as_a_whole_is_one() {
        for (text, expected) in [
            ("hi", Some(Courtesy::Greeting)),
            ("Hello, Archy!", Some(Courtesy::Greeting)),
            ("GOOD  morning…", Some(Courtesy::Greeting)),
            ("Thank you very much!", Some(Courtesy::Thanks)),
            ("please help", Some(Courtesy::Help)),
            ("What can you do?", Some(Courtesy::Help)),
            ("hi, restart hello", None),
            ("thanks for nothing", None),
            ("help me restart hello", None),
            ("archy", None),
            ("", None),
        ] {
            assert_eq!(courtesy(text), expected, "{text}");
        }
    }
}
