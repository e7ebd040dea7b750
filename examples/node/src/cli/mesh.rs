//! What can be typed about the radio.

use archy_assistant::Category;
use archy_mesh::ContactKey;
use clap::Subcommand;

const ALLOW: &str = "Example:
  archy-node mesh allow 3f…64 digits in all… bitcoin system";

/// Something about who may ask over a radio.
#[derive(Debug, Subcommand)]
pub(crate) enum MeshCommand {
    /// Show whether the radio's door is open, to whom, and what it may cost
    Status,
    /// List who may ask and who may not, or whom a radio knows
    Contacts {
        /// Ask the radio at HOST:PORT; whoever uses it meanwhile loses it
        #[arg(long, value_name = "HOST:PORT")]
        radio: Option<String>,
    },
    /// Let a contact ask, by its whole key, and say what it may see
    #[command(after_help = ALLOW)]
    Allow {
        /// 64 hexadecimal digits; "contacts --radio" lists them
        key: ContactKey,
        /// apps, system, network, wallet, files, media, search, ai-local, notes or bitcoin [default: none of them]
        #[arg(value_name = "CATEGORY")]
        categories: Vec<Category>,
        /// It is your own: it may also propose changes, which wait for your yes at the node
        #[arg(long)]
        own: bool,
    },
    /// Let a contact ask no more; it hears nothing
    Deny {
        /// 64 hexadecimal digits
        key: ContactKey,
    },
    /// Open the door: those who may ask are answered
    On,
    /// Close the door: nobody is answered
    Off,
    /// Show what a peer would see, part by part, with the airtime; needs no radio
    Test {
        /// What it says
        #[arg(required = true)]
        text: Vec<String>,
        /// As this contact, with your settings [default: as one that you allow to see all that is open]
        #[arg(long = "as", value_name = "KEY")]
        key: Option<ContactKey>,
    },
}
