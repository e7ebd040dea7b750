//! Which of several things was meant by what somebody, or a model, called it.
//!
//! Names are compared by their words alone: `Next-Cloud`, `next cloud` and `the nextcloud` are one. Exactly one thing must
//! fit. What is merely near is never taken: it is offered, by its id, so that a model can repair its call.

use crate::untrusted::words;
use crate::{Source, ToolError, Untrusted};

/// A thing as it may be called.
pub(super) struct Called<'a> {
    id: &'a str,
    folded: Vec<String>,
}

impl<'a> Called<'a> {
    /// Something with an id of the node's own making.
    pub(super) fn new(id: &'a str) -> Self {
        Self { id, folded: vec![fold(&own(id))] }
    }

    /// Others also call it this.
    pub(super) fn others(mut self, name: &Untrusted) -> Self {
        self.folded.push(fold(name));
        self
    }

    /// The node also calls it this.
    pub(super) fn own(self, name: &str) -> Self {
        self.others(&own(name))
    }
}

/// The place of the one that `said` means; `kind` is what they are (`app`, `setting`), for the error.
pub(super) fn one(kind: &str, said: &str, known: &[Called<'_>]) -> Result<usize, ToolError> {
    if let Some(exact) = known.iter().position(|thing| thing.id == said.trim()) {
        return Ok(exact);
    }
    let wanted = fold(&own(said));
    let fits = |place: &usize| !wanted.is_empty() && known[*place].folded.contains(&wanted);
    let fitting: Vec<usize> = (0..known.len()).filter(fits).collect();
    match fitting[..] {
        [only] => Ok(only),
        [] => Err(nothing(kind, &wanted, known)),
        _ => {
            let ids = some(fitting.iter().map(|place| known[*place].id));
            Err(ToolError::new(format!("more than one {kind} is called that; say which: {ids}")))
        }
    }
}

fn nothing(kind: &str, wanted: &str, known: &[Called<'_>]) -> ToolError {
    if known.is_empty() {
        return ToolError::new(format!("there is no {kind}"));
    }
    let near = known.iter().filter(|thing| thing.folded.iter().any(|name| is_near(wanted, name)));
    let near = some(near.map(|thing| thing.id));
    ToolError::new(if near.is_empty() {
        let all = some(known.iter().map(|thing| thing.id));
        format!("no {kind} is called that; there are: {all}")
    } else {
        format!("no {kind} is called that; near it: {near}")
    })
}

fn is_near(wanted: &str, name: &str) -> bool {
    if wanted.is_empty() || name.is_empty() {
        return false;
    }
    let inside = |part: &str, whole: &str| part.chars().count() >= 3 && whole.contains(part);
    inside(wanted, name) || inside(name, wanted) || strsim::jaro_winkler(wanted, name) >= 0.85
}

/// At most twenty ids, with commas.
fn some<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 20;
    let ids: Vec<&str> = ids.collect();
    let listed = ids[..ids.len().min(MOST)].join(", ");
    if ids.len() > MOST { format!("{listed} and {} more", ids.len() - MOST) } else { listed }
}

fn own(text: &str) -> Untrusted {
    Untrusted::new(text, Source::Said)
}

/// The words without what lies between them, and without a leading `the`.
fn fold(text: &Untrusted) -> String {
    let words = words_of(text);
    match &words[..] {
        [the, rest @ ..] if the == "the" && !rest.is_empty() => rest.concat(),
        all => all.concat(),
    }
}

fn words_of(text: &Untrusted) -> Vec<String> {
    let mut words = Vec::new();
    words::visit(text, &mut |word| words.push(word.to_owned()));
    words
}

/// The words of a search; a thing is found when its name holds them all.
pub(super) struct Query(Vec<String>);

impl Query {
    /// Takes what is searched for.
    pub(super) fn new(query: &str) -> Result<Self, ToolError> {
        let words = words_of(&own(query));
        if words.is_empty() { Err(ToolError::new("say which words to search for")) } else { Ok(Self(words)) }
    }

    /// Whether it is in this name.
    pub(super) fn is_in(&self, name: &Untrusted) -> bool {
        let name = words_of(name).concat();
        self.0.iter().all(|word| name.contains(word))
    }

    /// Whether it is in this name of the node's own.
    pub(super) fn is_in_own(&self, name: &str) -> bool {
        self.is_in(&own(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(said: &str) -> Result<&'static str, String> {
        let apps = [
            ("bitcoind", &["Bitcoin Core", "bitcoin", "the bitcoin node"][..]),
            ("nextcloud", &["Nextcloud"]),
            ("home-assistant", &["Home Assistant"]),
            ("vaultwarden", &["Vaultwarden", "the password manager"]),
            ("evil", &["vaultwarden", "Home-Assistant", "🙂"]),
        ];
        let known: Vec<_> = apps
            .iter()
            .map(|(id, names)| {
                let names = names.iter().map(|name| Untrusted::new(*name, Source::AppName));
                names.fold(Called::new(id), |thing, name| thing.others(&name))
            })
            .collect();
        one("app", said, &known).map(|place| apps[place].0).map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_means_the_one_app_that_is_called_so() {
        for (said, id) in [
            ("bitcoind", "bitcoind"),
            ("Bitcoin Core", "bitcoind"),
            ("bitcoin node", "bitcoind"),
            ("THE BITCOIN NODE", "bitcoind"),
            ("next cloud", "nextcloud"),
            ("the nextcloud", "nextcloud"),
            (" home-assistant ", "home-assistant"),
            ("password manager", "vaultwarden"),
        ] {
            assert_eq!(meant(said), Ok(id), "{said}");
        }
    }

    #[test]
    fn an_id_beats_a_name_that_imitates_it_and_a_name_alone_does_not() {
        assert_eq!(meant("vaultwarden"), Ok("vaultwarden"));
        let both = "more than one app is called that; say which: vaultwarden, evil";
        assert_eq!(meant("Vaultwarden"), Err(both.to_owned()));
        let both = "more than one app is called that; say which: home-assistant, evil";
        assert_eq!(meant("home assistant"), Err(both.to_owned()));
    }

    #[test]
    fn what_fits_nothing_is_answered_with_ids_and_never_with_names() {
        let near = |ids: &str| Err(format!("no app is called that; near it: {ids}"));
        assert_eq!(meant("nextclod"), near("nextcloud"));
        assert_eq!(meant("assistant"), near("home-assistant, evil"));
        let all = "no app is called that; there are: bitcoind, nextcloud, home-assistant, vaultwarden, evil";
        for said in ["zzz", "", "🙂"] {
            assert_eq!(meant(said), Err(all.to_owned()), "{said}");
        }
        assert_eq!(one("app", "x", &[]).unwrap_err().to_string(), "there is no app");
    }

    #[test]
    fn a_search_wants_every_word() {
        let query = Query::new("house RULES").unwrap();
        assert!(query.is_in_own("documents/house-rules.md"));
        assert!(!query.is_in_own("documents/house.md"));
        assert!(Query::new(" … ").is_err());
    }
}
