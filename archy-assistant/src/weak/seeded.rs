//! The seeded weaknesses themselves.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

macro_rules! weaknesses {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A guard that is left out.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Weakness {
            $($(#[$doc])* $name,)*
        }

        impl Weakness {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];
        }
    };
}

weaknesses! {
    /// A name that begins like a tool's is the tool.
    PrefixMatches,
    /// The caller's scope is not asked.
    ScopeForgotten,
    /// What is open matters only for what is listed.
    GrantsAtListOnly,
    /// The policy is not asked again when a person has confirmed.
    NotDecidedAgain,
    /// A claim does not expect the grants that were looked at, nor are they looked at once it is written.
    WitnessForgotten,
    /// Closing a category leaves its questions waiting.
    CloseLeavesQuestions,
    /// Text of others in the context changes nothing.
    TaintForgotten,
    /// What a conversation rested on is lost between turns, and a reply does not inherit it.
    HistoryLosesLabel,
    /// A model may say that it was approved.
    ApprovedInArgs,
    /// Fields that a tool does not have are dropped.
    ExtraFieldsPass,
    /// The last of two equal keys wins.
    DuplicatesPass,
    /// A yes runs any waiting call of the same tool.
    NameOnlyBinding,
    /// A yes runs the call that was asked last.
    LatestIsApproved,
    /// A yes counts for the tool from then on.
    YesIsRemembered,
    /// Any seat decides.
    AnySeatConfirms,
    /// Any person at a chrome seat decides.
    AnyPrincipalConfirms,
    /// The digest is not compared.
    DigestForgotten,
    /// What waited before a restart can be confirmed after it.
    SurvivesRestart,
    /// What was done is done again when it is confirmed again.
    ReplayAllowed,
    /// A question can be answered for ever.
    NeverExpires,
    /// A no is told, and nothing else.
    DenialForgotten,
    /// An identical call joins a question that says nothing of what was read before it.
    MergedUnread,
    /// A restart forgets what was denied.
    DenialsForgotten,
    /// A yes counts before the text could be read.
    NoGuard,
    /// What cannot be recorded runs all the same.
    UnrecordedClaim,
    /// The plan is not made again.
    NotPlannedAgain,
    /// The plan that is made again runs, whatever was shown.
    ReplannedRuns,
    /// Calls of a reply that was cut run.
    CutReplyRuns,
    /// Everything may go to a remote.
    RemoteGetsAll,
    /// Text of others enters a prompt as it is.
    FenceForgotten,
    /// What stands behind an error is told with it.
    CauseIsTold,
    /// A long text is cut.
    TextIsCut,
    /// Arguments are shown as prose.
    TextIsProse,
    /// Any number of questions wait.
    QueueUnbounded,
    /// Two turns take the last place at once.
    PlacesRace,
    /// Nobody is asked before a conversation goes to a remote backend.
    CrossesUnasked,
    /// Who agreed once that a turn goes to a remote backend has agreed for every turn and every one.
    AgreedForAll,
    /// What may go along is what the owner opened for the backend, whatever the question named.
    ClassesForgotten,
    /// However much a question named, everything goes.
    CeilingForgotten,
    /// What was closed still goes where the owner once let it go.
    ClosedStillLeaves,
}

static SET: AtomicU8 = AtomicU8::new(u8::MAX);
static REMEMBERED: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Stands in every binary that has weaknesses, so that a check can tell it.
#[used]
pub static MARK: [u8; 22] = *b"archy-weakness-is-here";

/// From now on the whole process has this weakness.
pub fn weaken(weakness: Option<Weakness>) {
    *remembered() = None;
    SET.store(weakness.map_or(u8::MAX, |weakness| weakness as u8), SeqCst);
}

pub(crate) fn is(weakness: Weakness) -> bool {
    SET.load(SeqCst) == weakness as u8
}

fn remembered() -> MutexGuard<'static, Option<HashSet<String>>> {
    REMEMBERED.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn remember(what: String) {
    remembered().get_or_insert_default().insert(what);
}

pub(crate) fn is_remembered(what: &str) -> bool {
    remembered().as_ref().is_some_and(|all| all.contains(what))
}
