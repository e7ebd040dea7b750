//! A small real node that embeds the assistant.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    // The first two are for the supervisor and the third is for the music library, not for people.
    match arguments.next().as_ref().and_then(|word| word.to_str()) {
        Some("app-shim") => archy_node::apps::shim(arguments),
        Some("hello-app") => archy_node::hello::serve(arguments),
        Some("music") if arguments.next().is_some_and(|word| word == "read-files") => {
            archy_node::read_files()
        }
        _ => {
            // Whatever speaks TLS in this process uses it; an error says that there is one already.
            let _ = rustls::crypto::ring::default_provider().install_default();
            archy_node::run(std::env::args_os())
        }
    }
}
