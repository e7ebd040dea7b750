//! What may be asked of a node, as ten categories that an owner opens or leaves closed.

use std::fmt;
use std::str::FromStr;

/// One area of the node. Every tool belongs to exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Category {
    /// Installed apps: state, logs, start, stop, restart.
    Apps,
    /// The machine and its settings.
    System,
    /// Addresses, traffic and peers.
    Network,
    /// Balances; nothing here can spend.
    Wallet,
    /// Files below the shared folder.
    Files,
    /// Music, films, podcasts.
    Media,
    /// Search over the node's own open sources, never the web.
    Search,
    /// Which model answers, and where it runs.
    AiLocal,
    /// The owner's notes.
    Notes,
    /// The Bitcoin node: chain, sync, fees.
    Bitcoin,
}

impl Category {
    /// All ten, in the order in which they are listed to people.
    pub const ALL: [Self; 10] = [
        Self::Apps,
        Self::System,
        Self::Network,
        Self::Wallet,
        Self::Files,
        Self::Media,
        Self::Search,
        Self::AiLocal,
        Self::Notes,
        Self::Bitcoin,
    ];

    /// The stable name, as people type it and stores keep it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Apps => "apps",
            Self::System => "system",
            Self::Network => "network",
            Self::Wallet => "wallet",
            Self::Files => "files",
            Self::Media => "media",
            Self::Search => "search",
            Self::AiLocal => "ai-local",
            Self::Notes => "notes",
            Self::Bitcoin => "bitcoin",
        }
    }

    /// What an owner opens with it, in plain words, for the question before opening.
    pub const fn opens(self) -> &'static str {
        match self {
            Self::Apps => "see the installed apps and their logs, and propose starting or stopping one",
            Self::System => "see disks, memory and settings, and propose changing a setting",
            Self::Network => "see the node's addresses, traffic and peers",
            Self::Wallet => "see balances (never spend)",
            Self::Files => "list, search and read files of the shared folder",
            Self::Media => "see the music, films and podcasts",
            Self::Search => "search the node's own open sources at once",
            Self::AiLocal => "see which model answers and where it runs",
            Self::Notes => "search the notes",
            Self::Bitcoin => "see the state of the Bitcoin node",
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u8
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name is none of the ten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownCategory;

impl fmt::Display for UnknownCategory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no such category; there are: {}", Categories::ALL)
    }
}

impl std::error::Error for UnknownCategory {}

impl FromStr for Category {
    type Err = UnknownCategory;

    fn from_str(name: &str) -> Result<Self, UnknownCategory> {
        Self::ALL.into_iter().find(|category| category.name() == name).ok_or(UnknownCategory)
    }
}

/// A set of categories. [`Categories::NONE`] is what everything starts with.
///
/// ```
/// use archy_assistant::{Categories, Category};
/// let open = Categories::NONE.with(Category::Apps);
/// assert!(open.has(Category::Apps) && !open.has(Category::System));
/// assert_eq!(open.to_string(), "apps");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Categories(u16);

impl Categories {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// All ten.
    pub const ALL: Self = Self(0b11_1111_1111);

    /// Only this one.
    pub const fn only(category: Category) -> Self {
        Self(category.bit())
    }
    /// This set and `category`.
    #[must_use]
    pub const fn with(self, category: Category) -> Self {
        Self(self.0 | category.bit())
    }
    /// This set without `category`.
    #[must_use]
    pub const fn without(self, category: Category) -> Self {
        Self(self.0 & !category.bit())
    }
    /// What is in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// What is in both.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
    /// What is in `self` and not in `other`.
    #[must_use]
    pub const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
    /// Whether `category` is in the set.
    pub const fn has(self, category: Category) -> bool {
        self.0 & category.bit() != 0
    }
    /// Whether every category of `self` is in `other`.
    pub const fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
    /// Whether nothing is in it.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// The members, in the order of [`Category::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Category> {
        Category::ALL.into_iter().filter(move |category| self.has(*category))
    }
}

impl FromIterator<Category> for Categories {
    fn from_iter<I: IntoIterator<Item = Category>>(categories: I) -> Self {
        categories.into_iter().fold(Self::NONE, Self::with)
    }
}

impl fmt::Display for Categories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, category) in self.iter().enumerate() {
            if place > 0 {
                f.write_str(" ")?;
            }
            f.write_str(category.name())?;
        }
        Ok(())
    }
}

// Stored and sent by name, so that a new category never shifts the meaning of what was kept; a name that this
// version does not know is dropped, which can only close.
impl serde::Serialize for Categories {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Category::name))
    }
}

impl<'de> serde::Deserialize<'de> for Categories {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        Ok(names.iter().filter_map(|name| name.parse::<Category>().ok()).collect())
    }
}

impl serde::Serialize for Category {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> serde::Deserialize<'de> for Category {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
