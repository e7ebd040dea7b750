//! The radio door: a message over LoRa in, paced parts of a short answer out, within an airtime budget.
//!
//! A host has a [`Radio`], which listens to a [`MeshLink`] and asks the assistant; [`Companion`] is the link to a MeshCore
//! radio. Beneath it, [`MeshDoor`] decides everything and awaits nothing: a listener of another kind calls it for each
//! message, and asks it what is due.
//!
//! ```
//! use archy_assistant::Timestamp;
//! use archy_mesh::{Admission, Answer, ContactKey, Handled, MeshDoor, Next, Received, Remembered, Sender, Settings, TrustNobody};
//! use std::sync::Arc;
//!
//! let ann = ContactKey([1; 32]);
//! let admission = Admission { enabled: true, allowed_contacts: [ann].into(), ..Admission::default() };
//! let settings = Settings { admission, ..Settings::default() };
//! let mut door = MeshDoor::new(settings, Arc::new(TrustNobody), Remembered::nothing());
//!
//! let now = Timestamp(1_796_126_400_000);
//! let message = Received { from: Sender::Contact(ann), at: 1_796_126_400, text: "which block?".to_owned() };
//! let Handled::Ask(question) = door.handle(&message, now) else { panic!("Ann may ask") };
//! // Here the assistant is asked, as the caller `question.principal` with `question.scope`.
//! door.answered(question.id, &Answer::Said("Block **912,345**.".to_owned()), now);
//! assert_eq!(door.due(now), Next::Nothing, "the radio is not there yet");
//! ```

mod admission;
mod airtime;
mod budget;
mod companion;
mod door;
mod hygiene;
mod key;
mod link;
mod memory;
pub mod meshcore;
mod moments;
mod more;
mod outbox;
mod radio;
mod rehearsal;
mod render;
pub mod rpc;
mod split;

pub use admission::{Admission, Admitted, Channel, Standing, Strangers, Trust, TrustNobody, resolve};
pub use airtime::{Modem, Region, Spent};
pub use budget::{Allowance, Budget, Promised};
#[cfg(feature = "serial")]
pub use companion::Serial;
pub use companion::{Companion, Dial, Dialling, Line, Tcp};
pub use door::{Answer, Handled, MeshDoor, Next, Question, QuestionId, Remembered, Settings};
pub use hygiene::{Hygiene, Silence};
pub use key::{Asker, BadKey, ContactKey, KeyPrefix};
pub use link::{Down, Facts, Framing, Heard, MeshLink, NotSent, Packet, Received, Sender, Sent};
pub use memory::{FileMemory, InProcess, Memory};
pub use more::More;
pub use outbox::Counts;
pub use radio::{LinkState, Radio, Status};
pub use rehearsal::{Rehearsal, Sheet};
pub use render::render;
pub use split::{LEAST_BUDGET, Parts, split};
