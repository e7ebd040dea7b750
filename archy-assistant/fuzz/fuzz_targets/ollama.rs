//! Whatever Ollama sends, however it is cut: the same events, and no call without an end.
#![no_main]

use archy_assistant::fuzzing::{Vendor, reply};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reply(Vendor::Ollama, bytes));
