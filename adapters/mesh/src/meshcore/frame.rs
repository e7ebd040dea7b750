//! Frames on a line of bytes: a mark, a length, a payload.

use std::fmt;

/// The longest payload of a frame, as firmware has it.
pub const MOST_PAYLOAD: usize = 176;

const FROM_RADIO: u8 = b'>';
const TO_RADIO: u8 = b'<';

/// A payload as a frame for the radio; `None` where it is empty or longer than [`MOST_PAYLOAD`].
pub fn framed(payload: &[u8]) -> Option<Vec<u8>> {
    if payload.is_empty() || payload.len() > MOST_PAYLOAD {
        return None;
    }
    let length = u16::try_from(payload.len()).ok()?.to_le_bytes();
    Some([&[TO_RADIO, length[0], length[1]], payload].concat())
}

/// What came is no frame: a byte was lost or changed on the way. Where the next frame begins cannot be known, because
/// what others have said may look like one; so nothing is read any more until the line is opened anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what the radio sent is not MeshCore's companion protocol")
    }
}

impl std::error::Error for Broken {}

/// Takes frames from a radio out of bytes as they come. It holds one frame at most.
#[derive(Debug, Default)]
pub struct Decoder {
    /// Bytes of a frame that has begun.
    begun: Vec<u8>,
    is_broken: bool,
}

impl Decoder {
    /// Takes what came, and gives the payloads of the frames that end in it.
    ///
    /// # Errors
    /// [`Broken`], from then on always; the frames that ended before in the same bytes are lost with it.
    pub fn take(&mut self, mut bytes: &[u8]) -> Result<Vec<Vec<u8>>, Broken> {
        let mut payloads = Vec::new();
        while !bytes.is_empty() && !self.is_broken {
            let wanted = self.wanted().min(bytes.len());
            let (now, later) = bytes.split_at(wanted);
            self.begun.extend_from_slice(now);
            bytes = later;
            self.is_broken = !self.looks_right();
            if self.begun.len() > 3 && self.wanted() == 0 {
                payloads.push(self.begun.split_off(3));
                self.begun.clear();
            }
        }
        if self.is_broken { Err(Broken) } else { Ok(payloads) }
    }

    fn length(&self) -> Option<usize> {
        let length = self.begun.get(1..3)?;
        Some(usize::from(u16::from_le_bytes([length[0], length[1]])))
    }

    /// How many bytes are missing until more can be said.
    fn wanted(&self) -> usize {
        match self.length() {
            None => 3 - self.begun.len(),
            Some(length) => (3 + length).saturating_sub(self.begun.len()),
        }
    }

    fn looks_right(&self) -> bool {
        let marked = self.begun.first().is_none_or(|mark| *mark == FROM_RADIO);
        marked && self.length().is_none_or(|length| (1..=MOST_PAYLOAD).contains(&length))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sent(payloads: &[Vec<u8>]) -> Vec<u8> {
        let frame = |payload: &Vec<u8>| {
            let length = u16::try_from(payload.len()).unwrap().to_le_bytes();
            [&[b'>', length[0], length[1]], &payload[..]].concat()
        };
        payloads.iter().flat_map(frame).collect()
    }

    #[test]
    fn a_command_is_marked_and_measured() {
        assert_eq!(framed(&[0x16, 3]), Some(vec![b'<', 2, 0, 0x16, 3]));
        assert_eq!(framed(&[]), None);
        assert_eq!(framed(&[1; MOST_PAYLOAD]).map(|frame| frame.len()), Some(MOST_PAYLOAD + 3));
        assert_eq!(framed(&[1; MOST_PAYLOAD + 1]), None);
    }

    #[test]
    fn what_is_no_frame_ends_the_line() {
        for bytes in [&b"<\x01\x00\x0a"[..], b">\x00\x00", b">\xb1\x00", b">\x01\x01", b"boot: ok\n"] {
            let mut decoder = Decoder::default();
            assert_eq!(decoder.take(bytes), Err(Broken), "{bytes:?}");
            assert_eq!(decoder.take(&sent(&[vec![10]])), Err(Broken));
        }
    }

    fn payloads() -> impl Strategy<Value = Vec<Vec<u8>>> {
        // As texts are: a frame that a stranger wrote into one cannot have a zero byte.
        let text = prop::collection::vec(1_u8..=255, 1..60);
        let crafted = Just(b"\x10\x01>\x11\x10hello".to_vec());
        prop::collection::vec(prop_oneof![4 => text, 1 => crafted], 1..6)
    }

    proptest! {
        #[test]
        fn however_it_is_cut_or_merged_the_same_comes_out(
            payloads in payloads(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let bytes = sent(&payloads);
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
            cuts.sort_unstable();
            let mut decoder = Decoder::default();
            let (mut from, mut got) = (0, Vec::new());
            for to in cuts.into_iter().chain([bytes.len()]) {
                got.extend(decoder.take(&bytes[from..to]).unwrap());
                from = to;
            }
            prop_assert_eq!(got, payloads);
        }

        #[test]
        fn a_byte_that_was_changed_or_lost_makes_no_message(payloads in payloads(), change in 0_u8..=255) {
            let bytes = sent(&payloads);
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] = change;
                let mut lost = bytes.clone();
                lost.remove(at);
                for (bent, is_lost) in [(changed, false), (lost, true)] {
                    let mut decoder = Decoder::default();
                    // Byte by byte, so that what came before the damage is had.
                    let mut got = Vec::new();
                    for byte in &bent {
                        got.extend(decoder.take(&[*byte]).into_iter().flatten());
                    }
                    prop_assert!(decoder.begun.len() <= MOST_PAYLOAD + 3);
                    prop_assert!(got.len() <= payloads.len());
                    let intact = got.iter().zip(&payloads).take_while(|(got, sent)| got == sent).count();
                    // The damaged one may come out in its place, and after it those that were sent; no other.
                    for (place, payload) in got.iter().enumerate().skip(intact) {
                        let meant = &payloads[place];
                        let same = payload.iter().zip(meant).filter(|(a, b)| a == b).count();
                        let is_damaged = place == intact
                            && (is_lost || same + 1 >= payload.len().min(meant.len()));
                        prop_assert!(is_damaged || payloads[place..].contains(payload), "{payload:?} was never sent");
                    }
                }
            }
        }

        #[test]
        fn noise_is_never_held(noise in prop::collection::vec(any::<u8>(), 0..2_000)) {
            let mut decoder = Decoder::default();
            let _ = decoder.take(&noise);
            prop_assert!(decoder.begun.len() <= MOST_PAYLOAD + 3);
        }
    }
}
