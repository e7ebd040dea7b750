//! The web door: the files of the owner's page and of its chat frame, and the headers under which each must be served.
//!
//! The *page* is the trusted chrome: it holds the session, draws confirmations from what the node wrote, and alone speaks
//! to the node. The *frame* shows the chat: it has an opaque origin, holds nothing and can reach nothing but the page, by a
//! message port. What keeps it there is its headers ([`Site::files`]), measured in Chromium; a server that leaves one out
//! gives the frame a way out.
//!
//! This crate starts no server. A host answers each of the files at its place, or copies them out once, with a
//! [`Manifest`] of what each must be.
//!
//! ```
//! let site = archy_web::Site::new("https://node.local", "/aiui/")?;
//! let frame = site.file("frame/").expect("there is one");
//! assert!(frame.headers.iter().any(|(name, value)| {
//!     *name == "content-security-policy" && value.starts_with("sandbox allow-scripts;")
//! }));
//! # Ok::<(), archy_web::BadSite>(())
//! ```

mod files;
mod headers;
mod manifest;
mod site;

pub use files::{File, Kind};
pub use manifest::{BadManifest, Listed, MANIFEST, Manifest, ORIGIN};
pub use site::{BASE, BadSite, Site};
