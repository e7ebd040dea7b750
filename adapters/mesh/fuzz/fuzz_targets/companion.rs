//! Whatever comes, in whatever pieces: the same frames, and no more messages than frames that can hold one.
#![no_main]

use archy_assistant::Timestamp;
use archy_mesh::meshcore::{Decoder, Session, Told};

const NOW: Timestamp = Timestamp(1_796_126_400_000);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let whole = Decoder::default().take(bytes);
    let mut decoder = Decoder::default();
    let (mut payloads, mut is_broken) = (Vec::new(), false);
    for byte in bytes {
        match decoder.take(&[*byte]) {
            Ok(ended) => payloads.extend(ended),
            Err(_) => is_broken = true,
        }
    }
    match whole {
        Ok(whole) => assert_eq!((whole, false), (payloads.clone(), is_broken)),
        Err(_) => assert!(is_broken),
    }
    let mut session = Session::new(NOW);
    let (mut could, mut told) = (0, 0);
    for payload in payloads {
        let _ = session.write(NOW);
        could += usize::from(matches!(payload[0], 0x07 | 0x08 | 0x10 | 0x11));
        let messages = session.read(&payload, NOW).into_iter();
        told += messages.filter(|one| matches!(one, Told::Message(_))).count();
        assert!(told <= could, "a message that nobody sent");
    }
});
