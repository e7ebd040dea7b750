//! What a peer would see, without a radio: the same door, the same parts, the same airtime, on paper.

use std::sync::Arc;
use std::time::Duration;

use archy_assistant::{Assistant, Clock, Timestamp};
use tokio::sync::oneshot;

use crate::meshcore::{CHANNEL_TEXT, DIRECT_TEXT, FRAMING};
use crate::{
    Answer, ContactKey, Facts, Handled, InProcess, Next, Radio, Received, Sender, Sent, Settings, Silence,
    Trust,
};

/// One packet that would go out.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Sheet {
    /// Its text.
    pub text: String,
    /// The milliseconds that it is on the air.
    pub airtime: u32,
}

/// What a peer would see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rehearsal {
    /// Why nothing is answered, where that is so.
    pub silence: Option<Silence>,
    /// What is sent at once.
    pub parts: Vec<Sheet>,
    /// What is sent after `more`, as often as it takes.
    pub more: Vec<Sheet>,
    /// The milliseconds of airtime that the hour allows for all.
    pub allowed: u64,
}

impl Rehearsal {
    /// Asks as this contact would, over a radio with the region's settings. The assistant is really asked, as that contact:
    /// what it may not see is not seen, and what an owner's key proposes really waits.
    pub async fn of(
        assistant: Assistant,
        settings: Settings,
        trust: Arc<dyn Trust>,
        clock: Arc<dyn Clock>,
        asker: ContactKey,
        text: &str,
    ) -> Self {
        let modem = settings.region.modem();
        let mut rehearsal =
            Self { silence: None, parts: Vec::new(), more: Vec::new(), allowed: settings.airtime.for_all() };
        let mut now = clock.now();
        let radio = Radio::new(assistant, settings, trust, InProcess::default(), clock);
        radio.door().up(Facts {
            key: None,
            name: String::new(),
            modem: Some(modem),
            direct_text: DIRECT_TEXT,
            channel_text: CHANNEL_TEXT,
            framing: FRAMING,
            gap: Duration::from_millis(500),
        });
        let said = |text: &str, now: Timestamp| {
            let at = u32::try_from(now.0 / 1000).unwrap_or(u32::MAX);
            Received { from: Sender::Contact(asker), at, text: text.to_owned() }
        };
        let handled = radio.door().handle(&said(text, now), now);
        match handled {
            Handled::Silence(silence) => rehearsal.silence = Some(silence),
            Handled::Said => rehearsal.parts = sent(&radio, &mut now),
            Handled::Ask(question) => {
                let id = question.id;
                let (_instead, never) = oneshot::channel();
                let outcome = super::radio::ask(radio.clone(), question, None, never).await;
                let answer = outcome.answer.unwrap_or_else(|| Answer::Said(String::new()));
                radio.door().answered(id, &answer, now);
                rehearsal.parts = sent(&radio, &mut now);
                // A minute passes before each, so that nobody is too quick.
                while rehearsal.more.len() < 64 && radio.door().keeps_more() {
                    now = Timestamp(now.0 + 60_000);
                    let handled = radio.door().handle(&said("more", now), now);
                    if handled != Handled::Said {
                        break;
                    }
                    rehearsal.more.extend(sent(&radio, &mut now));
                }
            }
        }
        rehearsal
    }
}

/// Everything that goes out now, each part acknowledged at once.
fn sent(radio: &Radio, now: &mut Timestamp) -> Vec<Sheet> {
    let mut sheets = Vec::new();
    let mut ack = 0;
    loop {
        let next = radio.door().due(*now);
        match next {
            Next::Send(packet) => {
                ack += 1;
                let airtime = radio.door().airtime(packet.text.len());
                sheets.push(Sheet { text: packet.text, airtime });
                radio.door().sent(Ok(Sent::Awaiting { ack, within: Duration::from_secs(9) }), *now);
                radio.door().acknowledged(ack, *now);
            }
            Next::At(at) if at.0 <= now.0 + 5_000 => *now = at,
            _ => return sheets,
        }
    }
}
