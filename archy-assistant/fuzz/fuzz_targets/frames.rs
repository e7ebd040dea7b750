//! Whatever comes, in whatever packets and under whatever limits: the same frames, and little is kept.
#![no_main]

use archy_assistant::fuzzing;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::frames(bytes));
