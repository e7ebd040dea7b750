//! What is asked of the person's own screen. Only a sentence that is one of the phrases, word for word, asks for it, or an
//! order to change a setting of the node's that the page has too: no other order to the node is ever taken for one.

use crate::untrusted::words;
use crate::{BrowserVerb, Candidate, Offer, SlotKind};

/// Words that change nothing about what is meant.
const IDLE: [&str; 14] =
    ["please", "the", "a", "an", "my", "me", "now", "just", "hey", "archy", "ok", "okay", "thanks", "app"];
/// Words that say that the node's own setting is meant, with which new browsers begin.
const OF_THE_NODE: [&str; 10] = [
    "node",
    "default",
    "defaults",
    "setting",
    "settings",
    "server",
    "everyone",
    "everybody",
    "everywhere",
    "browsers",
];
/// How an order can be asked.
const ASKED: [&[&str]; 9] = [
    &["can", "you"],
    &["could", "you"],
    &["would", "you"],
    &["will", "you"],
    &["can", "we"],
    &["could", "we"],
    &["i", "would", "like", "you", "to"],
    &["i", "want", "you", "to"],
    &["let", "s"],
];

/// The tools of the node among the offers; the browser actions stand behind them.
pub(super) fn of_the_node(tools: &[Offer]) -> &[Offer] {
    let is_own = |offer: &&Offer| offer.spec.category().is_some();
    &tools[..tools.iter().take_while(is_own).count()]
}

/// The browser action that `text` asks for: its place among the offers, and its target.
pub(super) fn wanted(text: &str, tools: &[Offer]) -> Option<(usize, String)> {
    let own = of_the_node(tools).len();
    if own == tools.len() {
        return None;
    }
    let said = said(text)?;
    tools[own..].iter().enumerate().find_map(|(place, offer)| {
        let verb = BrowserVerb::ALL.into_iter().find(|verb| verb.name() == offer.spec.name())?;
        let SlotKind::Fixed(targets) = &offer.spec.slots().first()?.kind else { return None };
        let words = |phrase: &&'static str| phrase.split(' ').filter(|word| !IDLE.contains(word)).collect();
        let phrases: Vec<Vec<&str>> = verb.phrases().iter().map(words).collect();
        let is_meant = |name: &[String]| phrases.iter().any(|phrase| fits(phrase, name, &said));
        let target = targets.iter().find(|target| names(target).iter().any(|name| is_meant(name)))?;
        Some((own + place, target.value.clone()))
    })
}

/// The same calls; where one changes a setting that the page has too, the page is meant, unless the words say otherwise.
pub(super) fn on_the_page(
    text: &str,
    calls: Vec<(String, String)>,
    tools: &[Offer],
) -> Vec<(String, String)> {
    let pages = &tools[of_the_node(tools).len()..];
    if pages.is_empty() || plain(text).iter().any(|word| OF_THE_NODE.contains(&word.as_str())) {
        return calls;
    }
    let on_the_page =
        |call: (String, String)| pages.iter().find_map(|page| same(&call, page)).unwrap_or(call);
    calls.into_iter().map(on_the_page).collect()
}

/// What `page` does instead of `call`, if it has that setting and this value of it.
fn same((tool, args): &(String, String), page: &Offer) -> Option<(String, String)> {
    let verb = BrowserVerb::ALL.into_iter().find(|verb| verb.name() == page.spec.name())?;
    let (_, key) = verb.instead_of().filter(|(setter, _)| setter == tool)?;
    let args: serde_json::Value = serde_json::from_str(args).ok()?;
    let value = args["value"].as_str().filter(|_| args["key"] == key)?;
    let SlotKind::Fixed(targets) = &page.spec.slots().first()?.kind else { return None };
    let target = &targets.iter().find(|target| target.value == value)?.value;
    Some((verb.name().to_owned(), serde_json::json!({ "target": target }).to_string()))
}

/// The words of an order, without those that mean nothing. A question is none, unless it asks somebody to do it.
fn said(text: &str) -> Option<Vec<String>> {
    let mut said: Vec<String> = plain(text);
    let begins = |asked: &&&[&str]| {
        said.len() >= asked.len() && said.iter().zip(asked.iter()).all(|(word, asked)| word == asked)
    };
    let asked = ASKED.iter().find(begins);
    match asked {
        Some(asked) => drop(said.drain(..asked.len())),
        None if text.contains('?') => return None,
        None => {}
    }
    Some(said)
}

fn plain(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).filter(|word| !IDLE.contains(&word.as_str())).collect()
}

/// All that a target is called.
fn names(target: &Candidate) -> Vec<Vec<String>> {
    let mut all = vec![plain(&target.value)];
    for name in &target.names {
        let mut words = Vec::new();
        words::visit(name, &mut |word| words.push(word.to_owned()));
        words.retain(|word| !IDLE.contains(&word.as_str()));
        all.push(words);
    }
    all.retain(|name| !name.is_empty());
    all
}

/// Whether what was said is this phrase with this name in its gap.
fn fits(phrase: &[&str], name: &[String], said: &[String]) -> bool {
    let mut wanted = phrase.iter().flat_map(|word| match *word {
        "{target}" => name.iter().map(String::as_str).collect::<Vec<_>>(),
        word => vec![word],
    });
    said.iter().all(|word| wanted.next() == Some(word.as_str())) && wanted.next().is_none()
}

#[cfg(test)]
mod tests {
    use crate::phrases::cases::offers;
    use crate::phrases::{Understood, understand};
    use crate::{Browser, BrowserVerb, Effect, Offer, SlotKind};

    fn page() -> Vec<Offer> {
        let browser = Browser::NONE
            .with(BrowserVerb::Theme, ["light", "dark", "system"])
            .with_called(BrowserVerb::Navigate, "audit", ["audit log"])
            .with_called(BrowserVerb::Navigate, "grants", ["what is open"])
            .with_called(BrowserVerb::Navigate, "conversations", ["history"])
            .with_called(BrowserVerb::OpenApp, "jellyfin", ["Jellyfin"])
            .with_called(BrowserVerb::LaunchApp, "jellyfin", ["Jellyfin"])
            .with(BrowserVerb::Play, ["radio"]);
        let offer = |spec: crate::Spec| {
            let SlotKind::Fixed(targets) = &spec.slots()[0].kind else { panic!("a closed list") };
            let candidates = vec![targets.clone()];
            Offer {
                spec: spec.into(),
                effect: Effect::Read,
                schema: serde_json::json!({}).into(),
                candidates,
            }
        };
        offers().into_iter().chain(browser.specs().into_iter().map(offer)).collect()
    }

    fn call(text: &str, tools: &[Offer]) -> Option<String> {
        match understand(text, tools, &[], &[]) {
            Understood::Calls(calls) => {
                Some(calls.iter().map(|(tool, args)| format!("{tool} {args}")).collect::<Vec<_>>().join("; "))
            }
            _ => None,
        }
    }

    #[test]
    fn what_is_said_of_the_page_is_done_by_the_page() {
        for (text, tool, target) in [
            ("make the theme dark", "theme", "dark"),
            ("Make the theme dark, please!", "theme", "dark"),
            ("could you switch to dark mode?", "theme", "dark"),
            ("switch to the light theme", "theme", "light"),
            ("use the system theme", "theme", "system"),
            ("dark mode please", "theme", "dark"),
            ("turn on dark mode", "theme", "dark"),
            ("can you make it light", "theme", "light"),
            ("change the theme to dark now", "theme", "dark"),
            ("could we have the dark theme?", "theme", "dark"),
            ("my eyes hurt, switch to dark mode please", "theme", "dark"),
            ("put it in dark mode", "theme", "dark"),
            ("I want the theme to be dark", "theme", "dark"),
            ("turn off dark mode", "theme", "light"),
            ("swich to drak mode", "theme", "dark"),
            ("set the theme not to light but to dark", "theme", "dark"),
            ("show me the audit", "navigate", "audit"),
            ("open the audit log", "navigate", "audit"),
            ("go to the grants page", "navigate", "grants"),
            ("show me what is open", "navigate", "grants"),
            ("take me to my conversations", "navigate", "conversations"),
            ("open the history", "navigate", "conversations"),
            ("open jellyfin", "open-app", "jellyfin"),
            ("show me Jellyfin", "open-app", "jellyfin"),
            ("open the Jellyfin app", "open-app", "jellyfin"),
            ("open jellyfin in a new tab", "launch-app", "jellyfin"),
            ("launch jellyfin in a new tab", "launch-app", "jellyfin"),
            ("launch jellyfin in a tab of its own", "launch-app", "jellyfin"),
            ("play the radio", "play", "radio"),
        ] {
            assert_eq!(call(text, &page()), Some(format!("{tool} {{\"target\":\"{target}\"}}")), "{text}");
        }
    }

    #[test]
    fn an_order_to_the_node_is_what_it_was_without_a_page() {
        for text in [
            "restart jellyfin",
            "start jellyfin",
            "launch jellyfin",
            "stop jellyfin and open it again",
            "open the wallet category",
            "open port 80",
            "open jellyfin and restart lnd",
            "is jellyfin open?",
            "is the theme dark?",
            "dark mode?",
            "don't make the theme dark",
            "never switch to dark mode",
            "set the node's theme to dark",
            "make dark the theme of the node",
            "make dark the default theme",
            "set the theme to dark for everyone",
            "change the theme setting to dark",
            "set the theme to purple",
            "change the theme",
            "when it gets dark outside, switch the theme to dark",
            "start jellyfin in a new tab",
            "restart jellyfin and show me the audit",
            "open the apps category",
            "close the wallet",
            "stop lnd and play the radio",
            "set the language to german",
            "show me the logs of jellyfin",
            "show me the files",
            "play jellyfin",
            "what is the theme?",
            "if it is late make the theme dark",
            "how much space is left?",
        ] {
            assert_eq!(call(text, &page()), call(text, &offers()), "{text}");
        }
        let both = "make the theme dark, restart lnd and set the log level to debug";
        let expected = [
            r#"theme {"target":"dark"}"#,
            r#"app_restart {"app":"lnd"}"#,
            r#"setting_set {"key":"log_level","value":"debug"}"#,
        ];
        assert_eq!(
            call(both, &page()),
            Some(expected.join("; ")),
            "the node is still asked for what is its own"
        );
        let setting = call("make the theme dark", &offers());
        assert_eq!(setting.as_deref(), Some(r#"setting_set {"key":"theme","value":"dark"}"#));
    }
}
