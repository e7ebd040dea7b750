//! Who asks, with which rights, from which seat.

use std::fmt;
use std::sync::Arc;

use crate::browser::Browser;
use crate::{Categories, Category, Effect};

/// The stable name of someone who may ask: 1 to 128 visible ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct Principal(String);

/// A principal's name is 1 to 128 visible ASCII characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadPrincipal;

impl fmt::Display for BadPrincipal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a principal's name is 1 to 128 visible ASCII characters")
    }
}

impl std::error::Error for BadPrincipal {}

impl Principal {
    /// Takes a name that the transport has authenticated.
    ///
    /// # Errors
    /// [`BadPrincipal`] when it is empty, longer than 128 or holds anything but visible ASCII.
    pub fn new(name: impl Into<String>) -> Result<Self, BadPrincipal> {
        let name = name.into();
        let fine = (1..=128).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic());
        if fine { Ok(Self(name)) } else { Err(BadPrincipal) }
    }

    /// The owner of the node.
    pub fn owner() -> Self {
        Self("owner".to_owned())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Principal {
    type Error = BadPrincipal;

    fn try_from(name: String) -> Result<Self, BadPrincipal> {
        Self::new(name)
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a caller sits. Only the chrome can see, decide or be asked confirmations, and change grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seat {
    /// The node's trusted page or the owner's terminal, authenticated.
    Chrome,
    /// Through something that others can write into: a chat frame, a radio, a microphone.
    Relayed(Door),
}

/// The way in of a relayed caller, as a confirmation names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Door {
    /// The sandboxed chat frame of the node's page.
    Frame,
    /// The radio.
    Radio,
    /// Speech.
    Voice,
}

impl Door {
    /// The word that a person reads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Frame => "the chat frame",
            Self::Radio => "radio",
            Self::Voice => "voice",
        }
    }
}

/// What a caller may read and what it may propose, before the owner's grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Scope {
    /// The categories whose reads it may use.
    pub read: Categories,
    /// The categories whose writes it may propose.
    pub propose: Categories,
}

impl Scope {
    /// Nothing at all.
    pub const NOTHING: Self = Self { read: Categories::NONE, propose: Categories::NONE };
    /// Everything that grants leave open.
    pub const EVERYTHING: Self = Self { read: Categories::ALL, propose: Categories::ALL };

    /// Whether `effect` in `category` lies within.
    pub const fn reaches(self, category: Category, effect: Effect) -> bool {
        match effect {
            Effect::Read => self.read.has(category),
            Effect::Write => self.propose.has(category),
        }
    }
}

/// The host's own role of a caller, asked before a tool is listed, proposed, confirmed and run. It can only take away.
///
/// Called on the assistant's task for every tool of a request: answer from memory. There is no default, because a
/// forgotten answer must not allow.
///
/// ```
/// use archy_assistant::{Effect, Role};
/// struct Guest;
/// impl Role for Guest {
///     fn may(&self, tool: &str, effect: Effect) -> bool {
///         effect == Effect::Read && tool != "balances"
///     }
/// }
/// ```
pub trait Role: Send + Sync + 'static {
    /// Whether this person's direct call of the same thing would be let through today.
    fn may(&self, tool: &str, effect: Effect) -> bool;
}

/// The role of the owner: takes nothing away.
#[derive(Debug, Clone, Copy)]
pub struct OwnerRole;

impl Role for OwnerRole {
    fn may(&self, _: &str, _: Effect) -> bool {
        true
    }
}

/// Who asks: made by a door from an authenticated transport, never from a message's text.
#[derive(Clone)]
pub struct Caller {
    principal: Principal,
    scope: Scope,
    seat: Seat,
    audience: Principal,
    role: Arc<dyn Role>,
    browser: Browser,
}

impl Caller {
    /// A person at the node's trusted page or terminal, who decides their own confirmations.
    pub fn chrome(principal: Principal, scope: Scope, role: impl Role) -> Self {
        let audience = principal.clone();
        Self { principal, scope, seat: Seat::Chrome, audience, role: Arc::new(role), browser: Browser::NONE }
    }

    /// The owner at the chrome, with everything that grants leave open.
    pub fn owner() -> Self {
        Self::chrome(Principal::owner(), Scope::EVERYTHING, OwnerRole)
    }

    /// Someone through `door`, whose proposals `audience` decides at a chrome seat.
    pub fn relayed(
        principal: Principal,
        scope: Scope,
        door: Door,
        audience: Principal,
        role: impl Role,
    ) -> Self {
        let seat = Seat::Relayed(door);
        Self { principal, scope, seat, audience, role: Arc::new(role), browser: Browser::NONE }
    }

    /// The same caller at a door that can carry out `browser` actions.
    #[must_use]
    pub fn with_browser(mut self, browser: Browser) -> Self {
        self.browser = browser;
        self
    }

    /// Who it is.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }
    /// Where it sits.
    pub fn seat(&self) -> Seat {
        self.seat
    }
    /// Who decides what it proposes.
    pub fn audience(&self) -> &Principal {
        &self.audience
    }
    /// Which browser actions its door declares.
    pub fn browser(&self) -> &Browser {
        &self.browser
    }
    /// Whether it sits at the chrome.
    pub fn is_chrome(&self) -> bool {
        self.seat == Seat::Chrome
    }

    /// Whether nothing at all lies within its scope.
    pub(crate) fn may_nothing(&self) -> bool {
        self.scope == Scope::NOTHING
    }

    /// Its scope for one tool, after the host's role took away what it takes.
    pub fn scope_for(&self, tool: &str, effect: Effect) -> Scope {
        if self.role.may(tool, effect) { self.scope } else { Scope::NOTHING }
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller")
            .field("principal", &self.principal)
            .field("scope", &self.scope)
            .field("seat", &self.seat)
            .finish_non_exhaustive()
    }
}
