//! The radio door: a message over LoRa in, paced parts of a short answer out, within an airtime budget.

mod admission;
mod airtime;
mod budget;
mod door;
mod hygiene;
mod key;
mod link;
pub mod meshcore;
mod more;
mod outbox;
mod render;
mod split;

pub use admission::{Admission, Admitted, Channel, Standing, Strangers, Trust, TrustNobody, resolve};
pub use airtime::{Modem, Region, Spent};
pub use budget::{Allowance, Budget, Promised};
pub use door::{Answer, Handled, MeshDoor, Next, Question, QuestionId, Remembered, Settings};
pub use hygiene::{Hygiene, Silence};
pub use key::{Asker, BadKey, ContactKey, KeyPrefix};
pub use link::{Down, Facts, Framing, Heard, MeshLink, NotSent, Packet, Received, Sender, Sent};
pub use more::More;
pub use outbox::Counts;
pub use render::render;
pub use split::{LEAST_BUDGET, Parts, split};
