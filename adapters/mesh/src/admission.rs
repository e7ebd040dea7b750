//! Who may ask, and for what: the owner's settings, and the one place that reads them.

use std::collections::{BTreeMap, BTreeSet};

use archy_assistant::{Categories, Scope};
use serde::{Deserialize, Serialize};

use crate::{Asker, ContactKey};

/// What the owner has decided about the radio. The default is a door that is off, and that, turned on, answers contacts
/// whom the host trusts with what needs no category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Admission {
    /// Whether anybody is answered at all.
    pub enabled: bool,
    /// Whether contacts that the host trusts may ask, besides those allowed here.
    pub trusted_only: bool,
    /// Who may ask. Empty: nobody, besides those whom the host trusts.
    pub allowed_contacts: BTreeSet<ContactKey>,
    /// Who may not, whatever else is said here. They hear nothing.
    pub denied_askers: BTreeSet<ContactKey>,
    /// Whether strangers may.
    pub strangers: Strangers,
    /// What those may see who are not named in `contact_categories`.
    pub categories: Categories,
    /// What a contact may see instead.
    pub contact_categories: BTreeMap<ContactKey, Categories>,
    /// The owner's own radios. They may also propose changes, which wait in the node's page.
    pub owner_keys: BTreeSet<ContactKey>,
    /// What is answered in channels; nothing where it is absent.
    pub channel: Option<Channel>,
}

/// Whether those may ask of whom nothing is known but a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strangers {
    /// They hear nothing.
    #[default]
    Refused,
    /// Everyone within reach of any repeater, under as many keys as they like, spends the node's airtime and sees what the
    /// node's `categories` are.
    AnswerEveryoneInReach,
}

/// What is answered in a channel, where nobody can be known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Channel {
    /// The channel's place in the radio.
    pub index: u8,
    /// What a request begins with, such as `!archy `. An empty one matches nothing.
    pub prefix: String,
}

impl Default for Admission {
    fn default() -> Self {
        Self {
            enabled: false,
            trusted_only: true,
            allowed_contacts: BTreeSet::new(),
            denied_askers: BTreeSet::new(),
            strangers: Strangers::Refused,
            categories: Categories::NONE,
            contact_categories: BTreeMap::new(),
            owner_keys: BTreeSet::new(),
            channel: None,
        }
    }
}

/// Whom the host's own list of contacts trusts. It is asked for each message, and again before each part of an answer.
pub trait Trust: Send + Sync + 'static {
    /// Whether the owner has marked the contact with this key as trusted. An answer that cannot be had is a no.
    fn trusts(&self, key: &ContactKey) -> bool;
}

/// Trusts nobody: for a host that keeps no such list.
#[derive(Debug, Clone, Copy, Default)]
pub struct TrustNobody;

impl Trust for TrustNobody {
    fn trusts(&self, _: &ContactKey) -> bool {
        false
    }
}

/// What somebody may do who may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admitted {
    /// What they may read, and, with an owner's key, propose.
    pub scope: Scope,
    /// Whether the owner or the host knows them.
    pub standing: Standing,
}

/// How somebody is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// The owner named the key, or the host trusts it.
    Known,
    /// Everyone may ask, and this is one of them.
    Stranger,
}

impl Admission {
    /// Whether a contact may ask, and for what; `None` is silence.
    pub fn admit(&self, key: &ContactKey, trust: &dyn Trust) -> Option<Admitted> {
        if !self.enabled || self.denied_askers.contains(key) {
            return None;
        }
        let owner = self.owner_keys.contains(key);
        let known = owner || self.allowed_contacts.contains(key) || (self.trusted_only && trust.trusts(key));
        let standing = match (known, self.strangers) {
            (true, _) => Standing::Known,
            (false, Strangers::AnswerEveryoneInReach) => Standing::Stranger,
            (false, Strangers::Refused) => return None,
        };
        let read = self.contact_categories.get(key).copied().unwrap_or(self.categories);
        let propose = if owner { read } else { Categories::NONE };
        Some(Admitted { scope: Scope { read, propose }, standing })
    }

    /// What an asker may do now, whatever it was when they asked; `None` where nothing is said to them any more.
    pub(crate) fn may(&self, asker: &Asker, trust: &dyn Trust) -> Option<Admitted> {
        match asker {
            Asker::Contact(key) => self.admit(key, trust),
            Asker::Channel(index) => {
                self.listened_to(*index)?;
                Some(Admitted { scope: self.in_public(), standing: Standing::Stranger })
            }
        }
    }

    /// The channel of this place, if requests in it are answered.
    fn listened_to(&self, index: u8) -> Option<&Channel> {
        let channel = self.channel.as_ref().filter(|channel| self.enabled && channel.index == index)?;
        let is_open = self.strangers != Strangers::Refused && !channel.prefix.trim().is_empty();
        is_open.then_some(channel)
    }

    /// What anybody may see.
    fn in_public(&self) -> Scope {
        Scope { read: self.categories, propose: Categories::NONE }
    }

    /// The request in a channel's message, and what whoever sent it may see: nobody there is known by more than a word.
    pub fn in_channel<'a>(&self, index: u8, text: &'a str) -> Option<(&'a str, Scope)> {
        let channel = self.listened_to(index)?;
        // The name that the sender's radio put in front.
        let (_, said) = text.split_once(": ")?;
        let asked = said.strip_prefix(&channel.prefix)?.trim();
        (!asked.is_empty()).then(|| (asked, self.in_public()))
    }
}

/// Which contact a radio means by six bytes: the one that begins with them, or nobody where there is none or more than one.
pub fn resolve<'a>(
    prefix: crate::KeyPrefix,
    contacts: impl IntoIterator<Item = &'a ContactKey>,
) -> Option<ContactKey> {
    let mut meant = contacts.into_iter().filter(|key| key.prefix() == prefix);
    let first = *meant.next()?;
    meant.all(|other| *other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use archy_assistant::Category;

    use super::*;

    const ANN: ContactKey = ContactKey([1; 32]);
    const BEN: ContactKey = ContactKey([2; 32]);

    struct Trusts(ContactKey);

    impl Trust for Trusts {
        fn trusts(&self, key: &ContactKey) -> bool {
            *key == self.0
        }
    }

    #[test]
    fn a_fresh_door_answers_nobody() {
        assert_eq!(Admission::default().admit(&ANN, &Trusts(ANN)), None);
        let on = Admission { enabled: true, ..Admission::default() };
        assert_eq!(on.admit(&BEN, &Trusts(ANN)), None);
        let nothing = Admitted { scope: Scope::NOTHING, standing: Standing::Known };
        assert_eq!(on.admit(&ANN, &Trusts(ANN)), Some(nothing));
    }

    /// Every combination, against the sentence in the settings' own words.
    #[test]
    fn admitted_is_not_denied_and_allowed_or_trusted_or_everyone() {
        for bits in 0..128_u32 {
            let [enabled, trusted_only, allowed, denied, everyone, trusted, owner] =
                std::array::from_fn(|bit| bits >> bit & 1 == 1);
            let set = |is: bool| BTreeSet::from_iter(is.then_some(ANN));
            let admission = Admission {
                enabled,
                trusted_only,
                allowed_contacts: set(allowed),
                denied_askers: set(denied),
                strangers: if everyone { Strangers::AnswerEveryoneInReach } else { Strangers::Refused },
                owner_keys: set(owner),
                categories: Categories::only(Category::Bitcoin),
                ..Admission::default()
            };
            let admitted = admission.admit(&ANN, &Trusts(if trusted { ANN } else { BEN }));
            let may = enabled && !denied && (allowed || owner || (trusted && trusted_only) || everyone);
            assert_eq!(admitted.is_some(), may, "{admission:?}");
            let proposes = admitted.is_some_and(|admitted| !admitted.scope.propose.is_empty());
            assert_eq!(proposes, may && owner, "only the owner's own key proposes");
        }
    }

    #[test]
    fn a_contact_has_categories_of_its_own() {
        let admission = Admission {
            enabled: true,
            allowed_contacts: [ANN, BEN].into(),
            categories: Categories::only(Category::Bitcoin),
            contact_categories: [(BEN, Categories::only(Category::Media))].into(),
            ..Admission::default()
        };
        let read = |key| admission.admit(key, &TrustNobody).map(|admitted| admitted.scope.read);
        assert_eq!(read(&ANN), Some(Categories::only(Category::Bitcoin)));
        assert_eq!(read(&BEN), Some(Categories::only(Category::Media)));
    }

    #[test]
    fn channels_need_a_prefix_and_the_word_for_everyone() {
        let channel = |prefix: &str| Some(Channel { index: 1, prefix: prefix.to_owned() });
        let everyone = Strangers::AnswerEveryoneInReach;
        let on = Admission {
            enabled: true,
            strangers: everyone,
            channel: channel("!archy "),
            ..Admission::default()
        };
        assert_eq!(on.in_channel(1, "Ann: !archy height? "), Some(("height?", Scope::NOTHING)));
        for (index, text) in
            [(0, "Ann: !archy x"), (1, "Ann: archy x"), (1, "!archy x"), (1, "Ann: !archy  ")]
        {
            assert_eq!(on.in_channel(index, text), None, "{text}");
        }
        let without_prefix = Admission { channel: channel(" "), ..on.clone() };
        assert_eq!(without_prefix.in_channel(1, "Ann:   x"), None);
        let known_only = Admission { strangers: Strangers::Refused, ..on };
        assert_eq!(known_only.in_channel(1, "Ann: !archy x"), None);
    }

    #[test]
    fn a_prefix_that_two_contacts_share_means_neither() {
        let mut other = ANN;
        other.0[31] = 9;
        assert_eq!(resolve(ANN.prefix(), [&BEN, &ANN, &ANN]), Some(ANN));
        assert_eq!(resolve(ANN.prefix(), [&ANN, &other]), None);
        assert_eq!(resolve(ANN.prefix(), [&BEN]), None);
    }

    #[test]
    fn settings_that_cannot_be_read_are_none() {
        let read = |text: &str| serde_json::from_str::<Admission>(text);
        assert_eq!(read("{}").unwrap(), Admission::default());
        for bad in [r#"{"allowed_contacts":["Ann"]}"#, r#"{"enable":true}"#, r#"{"strangers":true}"#] {
            read(bad).unwrap_err();
        }
    }
}
