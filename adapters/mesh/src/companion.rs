//! A MeshCore radio over a line of bytes: a [`MeshLink`] that finds its radio again by itself.

mod dial;

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use archy_assistant::Clock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep_until, timeout};

#[cfg(feature = "serial")]
pub use dial::Serial;
pub use dial::{Dial, Dialling, Line, Tcp};

use crate::meshcore::{CHANNEL_TEXT, DIRECT_TEXT, Decoder, FRAMING, Myself, Session, Told};
use crate::moments::Moments;
use crate::{Down, Facts, Heard, MeshLink, NotSent, Packet, Sent};

/// A line is opened within this.
const OPEN: Duration = Duration::from_secs(10);
/// A radio takes a packet within this.
const TAKE: Duration = Duration::from_secs(15);
/// It is looked for again after so long, and after twice as long each time.
const AGAIN: Duration = Duration::from_secs(1);
const SELDOM: Duration = Duration::from_secs(60);
/// A radio that another program has taken is left to it for so long at first: a phone that is thrown out comes back, and
/// neither gets anything done.
const YIELD: Duration = Duration::from_secs(30);
const YIELD_LONG: Duration = Duration::from_secs(300);
/// A line that lasted for so long was a good one.
const STEADY: Duration = Duration::from_secs(300);

/// A radio that speaks MeshCore's companion protocol.
pub struct Companion {
    dial: Box<dyn Dial>,
    moments: Moments,
    open: Option<Open>,
    heard: VecDeque<Heard>,
    sent: Option<Result<Sent, NotSent>>,
    again: Instant,
    wait: Duration,
    /// Since when the radio is there.
    up: Option<Instant>,
    /// Whether its owner was told that it is gone.
    is_known_to_be_down: bool,
}

struct Open {
    line: Box<dyn Line>,
    decoder: Decoder,
    session: Session,
    out: Vec<u8>,
}

impl fmt::Debug for Companion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Companion").field("is_open", &self.open.is_some()).finish_non_exhaustive()
    }
}

impl Companion {
    /// A radio behind this line. Nothing is opened before [`MeshLink::next`].
    pub fn new(dial: impl Dial, clock: Arc<dyn Clock>) -> Self {
        Self {
            dial: Box::new(dial),
            moments: Moments::new(clock),
            open: None,
            heard: VecDeque::new(),
            sent: None,
            again: Instant::now(),
            wait: AGAIN,
            up: None,
            is_known_to_be_down: false,
        }
    }

    /// Does one thing with the line. Dropping the future loses nothing: what was read is taken at once, and what was
    /// written is taken off what is to be written.
    async fn step(&mut self) {
        let Some(open) = &mut self.open else {
            sleep_until(self.again).await;
            match timeout(OPEN, self.dial.dial()).await {
                Ok(Ok(line)) => {
                    let session = Session::new(self.moments.now());
                    self.open = Some(Open { line, decoder: Decoder::default(), session, out: Vec::new() });
                }
                Ok(Err(error)) => self.down(Down::Unreachable(error.to_string())),
                Err(_) => self.down(Down::Unreachable("it does not answer".to_owned())),
            }
            return;
        };
        if open.out.is_empty() {
            open.out = open.session.write(self.moments.now()).unwrap_or_default();
        }
        let deadline = sleep_until(self.moments.instant(open.session.deadline()));
        if !open.out.is_empty() {
            tokio::select! {
                written = open.line.write(&open.out) => match written {
                    Ok(written) if written > 0 => drop(open.out.drain(..written)),
                    Ok(_) => self.lost(&io::ErrorKind::WriteZero.into()),
                    Err(error) => self.lost(&error),
                },
                () = deadline => self.down(Down::Unintelligible),
            }
            return;
        }
        let mut bytes = [0; 512];
        tokio::select! {
            read = open.line.read(&mut bytes) => match read {
                Ok(0) => self.lost(&io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.take(&bytes[..read]),
                Err(error) => self.lost(&error),
            },
            () = deadline => {
                if open.session.tick(self.moments.now()).is_err() {
                    self.down(Down::Unintelligible);
                }
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        let now = self.moments.now();
        let Some(open) = &mut self.open else { return };
        let Ok(payloads) = open.decoder.take(bytes) else { return self.down(Down::Unintelligible) };
        for told in payloads.iter().flat_map(|payload| open.session.read(payload, now)) {
            match told {
                Told::Up(me) => {
                    self.up = Some(Instant::now());
                    self.is_known_to_be_down = false;
                    self.heard.push_back(Heard::Up(facts(me)));
                }
                Told::Contacts(contacts) => self.heard.push_back(Heard::Contacts(contacts)),
                Told::Message(received) => self.heard.push_back(Heard::Message(received)),
                Told::Acknowledged(ack) => self.heard.push_back(Heard::Acknowledged(ack)),
                Told::Sent(sent) => self.sent = Some(sent),
            }
        }
    }

    /// The line has ended. One that its radio closes in good order after it was ready has another program.
    fn lost(&mut self, error: &io::Error) {
        let was_up = self.open.as_ref().is_some_and(|open| open.session.is_up());
        if was_up && error.kind() == io::ErrorKind::UnexpectedEof {
            self.down(Down::TakenByAnother);
        } else {
            self.down(Down::Unreachable(error.to_string()));
        }
    }

    fn down(&mut self, why: Down) {
        self.open = None;
        self.sent = Some(Err(NotSent::Down));
        // A radio always takes who comes last: that it took this one says nothing before it has kept it for a while.
        if self.up.take().is_some_and(|up| up.elapsed() >= STEADY) {
            self.wait = AGAIN;
        }
        let (least, most) = if why == Down::TakenByAnother { (YIELD, YIELD_LONG) } else { (AGAIN, SELDOM) };
        self.wait = self.wait.max(least);
        self.again = Instant::now() + self.wait;
        self.wait = (self.wait * 2).min(most.max(self.wait));
        if !self.is_known_to_be_down {
            self.is_known_to_be_down = true;
            self.heard.push_back(Heard::Down(why));
        }
    }
}

impl MeshLink for Companion {
    fn next(&mut self) -> Pin<Box<dyn Future<Output = Heard> + Send + '_>> {
        Box::pin(async {
            loop {
                if let Some(heard) = self.heard.pop_front() {
                    return heard;
                }
                self.step().await;
            }
        })
    }

    fn send(&mut self, packet: &Packet) -> Pin<Box<dyn Future<Output = Result<Sent, NotSent>> + Send + '_>> {
        let packet = packet.clone();
        Box::pin(async move {
            self.sent = None;
            self.open.as_mut().ok_or(NotSent::Down)?.session.say(&packet)?;
            let taking = async {
                loop {
                    if let Some(sent) = self.sent.take() {
                        return sent;
                    }
                    self.step().await;
                }
            };
            timeout(TAKE, taking).await.unwrap_or(Err(NotSent::Down))
        })
    }
}

fn facts(me: Myself) -> Facts {
    Facts {
        key: Some(me.key),
        // The radio puts it in front of what it says in a channel.
        channel_text: CHANNEL_TEXT.min(160_usize.saturating_sub(me.name.len() + 2)),
        name: me.name,
        modem: Some(me.modem),
        direct_text: DIRECT_TEXT,
        framing: FRAMING,
        gap: Duration::from_millis(500),
    }
}

#[cfg(test)]
mod tests;
