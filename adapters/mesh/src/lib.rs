//! The radio door: a message over LoRa in, paced parts of a short answer out, within an airtime budget.

mod admission;
mod airtime;
mod key;
pub mod meshcore;
mod more;
mod render;
mod split;

pub use admission::{Admission, Admitted, Channel, Standing, Strangers, Trust, TrustNobody, resolve};
pub use airtime::{Modem, Region, Spent};
pub use key::{BadKey, ContactKey, KeyPrefix};
pub use more::More;
pub use render::render;
pub use split::{LEAST_BUDGET, Parts, split};
