//! One turn at a terminal: what was said is answered, shown as it comes, and asked about where a person must decide.

use std::time::Duration;

use archy_assistant::{
    Confirmation, ConfirmationId, ConversationId, Decision, Event, Resolution, Settled, TurnId,
};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::cli::Common;
use crate::client::{Client, gone, unexpected};
use crate::commands::grants;
use crate::exit::{Exit, Trouble};
use crate::heard::{Heard, goes_on, stays};
use crate::marked::Mark;
use crate::open::Session;
use crate::screen::Marks;
use crate::terminal::{Interrupts, Terminal, tell, tell_quoting};
use crate::wire::{Answer, Ask};

/// How much is shown of a turn while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The answer.
    Answer,
    /// Also each tool call.
    Calls,
}

/// How long it is waited for a turn before the person is told so.
const SILENT: Duration = Duration::from_secs(1);

/// A turn that has ended.
pub(crate) struct Ended {
    pub(crate) conversation: ConversationId,
    pub(crate) turn: TurnId,
    pub(crate) heard: Heard,
    pub(crate) exit: Exit,
    /// Whether everything counts as closed, because of how the audit was found.
    pub(crate) held: bool,
}

/// The parts that every step of a turn needs.
pub(crate) struct Talk<'a> {
    pub(crate) client: &'a Client,
    pub(crate) terminal: Terminal,
    pub(crate) interrupts: &'a mut Interrupts,
    pub(crate) detail: Detail,
    /// How many seconds what is said may wait for its turn.
    pub(crate) wait_within: u16,
    /// The turn that was begun last, also where its end was not heard.
    pub(crate) begun: Option<(ConversationId, TurnId)>,
}

/// A turn that runs.
struct Running {
    answers: UnboundedReceiver<Answer>,
    turn: TurnId,
    heard: Heard,
    /// The answer on its way to the screen.
    marks: Marks,
    cancelled: bool,
    nobody_to_ask: bool,
}

impl<'a> Talk<'a> {
    pub(crate) fn new(
        session: &'a Session,
        terminal: Terminal,
        interrupts: &'a mut Interrupts,
        detail: Detail,
        common: &Common,
    ) -> Self {
        let wait_within = common.wait_within;
        Self { client: &session.client, terminal, interrupts, detail, wait_within, begun: None }
    }

    /// Says `text` and stays until the turn has ended.
    pub(crate) async fn say(
        &mut self,
        conversation: Option<ConversationId>,
        text: &str,
    ) -> Result<Ended, Trouble> {
        self.begun = None;
        let ask = Ask::Chat { conversation, text: text.to_owned(), wait_within: self.wait_within };
        let (request, mut answers) = self.client.numbered(&ask).await?;
        let (conversation, turn) = self.wait(request, &mut answers).await?;
        self.begun = Some((conversation, turn));
        let heard = Heard::default();
        let mut running = Running {
            answers,
            turn,
            heard,
            marks: Marks::new(Mark::Answer),
            cancelled: false,
            nobody_to_ask: false,
        };
        loop {
            let answer = tokio::select! {
                answer = running.answers.recv() => answer,
                _ = self.interrupts.next(), if !running.cancelled => {
                    self.cancel(&mut running).await?;
                    continue;
                }
            };
            match answer {
                Some(Answer::Event(numbered)) => self.show(&mut running, &numbered.event).await?,
                Some(Answer::Over {}) => break,
                Some(Answer::Refused(trouble)) => return Err(trouble),
                Some(_) => return Err(unexpected()),
                None => return Err(gone()),
            }
        }
        self.end_line(&mut running)?;
        let exit = match running.heard.exit() {
            _ if running.nobody_to_ask => Exit::NeedsPerson,
            exit => exit,
        };
        let held = !running.heard.closed.is_empty() && grants::is_held(self.client).await?;
        Ok(Ended { conversation, turn, heard: running.heard, exit, held })
    }

    /// Waits until the turn has begun.
    async fn wait(
        &mut self,
        request: u64,
        answers: &mut UnboundedReceiver<Answer>,
    ) -> Result<(ConversationId, TurnId), Trouble> {
        let (mut waits, mut told, mut withdrawn) = (None, false, false);
        let told_at = tokio::time::sleep(SILENT);
        tokio::pin!(told_at);
        loop {
            tokio::select! {
                answer = answers.recv() => match answer {
                    Some(Answer::Waits { running }) => waits = Some(running),
                    Some(Answer::Began { turn, conversation }) => {
                        if withdrawn {
                            self.client.ask(&Ask::Cancel { turn }).await?;
                        }
                        return Ok((conversation, turn));
                    }
                    Some(Answer::Refused(trouble)) => return Err(trouble),
                    Some(_) => return Err(unexpected()),
                    None => return Err(gone()),
                },
                () = &mut told_at, if waits.is_some() && !told => {
                    told = true;
                    let running = waits.unwrap_or_default();
                    tell(&format!("The node answers {running} other requests; waiting for one to end. Ctrl-C gives up."));
                }
                _ = self.interrupts.next(), if !withdrawn => {
                    withdrawn = true;
                    self.client.begin(&Ask::Withdraw { request }).await?;
                }
            }
        }
    }

    async fn cancel(&self, running: &mut Running) -> Result<(), Trouble> {
        running.cancelled = true;
        // It is answered when the turn has ended, and its last events come in the meantime.
        self.client.begin(&Ask::Cancel { turn: running.turn }).await.map(drop)
    }

    async fn show(&mut self, running: &mut Running, event: &Event) -> Result<(), Trouble> {
        running.heard.take(event);
        match event {
            // Before a backend was asked, the node says that something is closed; the command says how to open it.
            Event::Text(_) if running.heard.is_only_closed() => {}
            Event::Text(text) => {
                self.terminal.print(&running.marks.push(text))?;
            }
            Event::ToolStarted { tool, args, .. } if self.detail == Detail::Calls => {
                self.end_line(running)?;
                self.terminal.quoting(&format!("  … {tool} {args}"))?;
            }
            Event::ToolFinished { tool, not_done, .. } if self.detail == Detail::Calls => {
                self.end_line(running)?;
                self.terminal.quoting(&match not_done {
                    None => format!("  ✓ {tool}"),
                    Some(why) => format!("  ✗ {tool}: {why}"),
                })?;
            }
            Event::BackendSwitched { from, to, why, leaves } => {
                self.end_line(running)?;
                tell(&goes_on(from, to, *why, *leaves));
            }
            Event::Withheld { category, backend } => {
                self.end_line(running)?;
                tell(&stays(*category, backend));
            }
            Event::ConfirmationRequired { id, .. } => {
                self.end_line(running)?;
                self.decide(running, *id).await?;
            }
            _ => {}
        }
        Ok(())
    }

    fn end_line(&self, running: &mut Running) -> Result<(), Trouble> {
        self.terminal.print(&running.marks.end())
    }

    /// A question came up: the person decides it here, or nobody does.
    async fn decide(&mut self, running: &mut Running, id: ConfirmationId) -> Result<(), Trouble> {
        if !self.terminal.has_person() {
            running.nobody_to_ask = true;
            return self.cancel(running).await;
        }
        let Answer::Pending(waiting) = self.client.ask(&Ask::Pending).await? else {
            return Err(unexpected());
        };
        // Somebody else may have been faster.
        let Some(question) = waiting.into_iter().find(|question| question.id == id) else { return Ok(()) };
        let decided = {
            let asking = put(self.client, self.terminal, &question);
            tokio::pin!(asking);
            loop {
                tokio::select! {
                    decided = &mut asking => break decided?,
                    Some(answer) = running.answers.recv() => match answer {
                        Answer::Event(numbered) => {
                            running.heard.take(&numbered.event);
                            if let Event::ConfirmationResolved { outcome, .. } = numbered.event {
                                tell("");
                                tell(&format!("{}.", elsewhere(outcome, &question)));
                                return Ok(());
                            }
                        }
                        _ => return Err(gone()),
                    },
                    _ = self.interrupts.next() => {
                        tell("");
                        return self.cancel(running).await;
                    }
                }
            }
        };
        let resolving = settle(self.client, &question, decided);
        tokio::pin!(resolving);
        loop {
            tokio::select! {
                resolved = &mut resolving => return resolved.map(drop),
                _ = self.interrupts.next(), if !running.cancelled => {
                    tell("It has begun and is brought to its end first.");
                    self.cancel(running).await?;
                }
            }
        }
    }
}

/// Puts a question on the screen, exactly as the node wrote it, and waits for a typed `yes`.
pub(crate) async fn put(
    client: &Client,
    terminal: Terminal,
    question: &Confirmation,
) -> Result<Decision, Trouble> {
    tell("");
    tell_quoting(&question.text);
    tell("");
    client.ask(&Ask::Shown { id: question.id, digest: question.digest }).await?;
    let to = if question.call.is_some() {
        "Type yes to do it, anything else to leave it: "
    } else {
        "Type yes to send it there, anything else to keep it here: "
    };
    let yes = terminal.agrees(to).await;
    Ok(if yes { Decision::Confirm } else { Decision::Deny })
}

/// Gives the answer to the node, and waits for what comes of it.
pub(crate) async fn settle(
    client: &Client,
    question: &Confirmation,
    decision: Decision,
) -> Result<Resolution, Trouble> {
    let ask = Ask::Confirm { id: question.id, digest: question.digest, decision };
    // A node that ends after the yes may have done it all the same.
    let said_yes = |trouble: Trouble| match decision {
        Decision::Confirm if trouble.says == gone().says => Trouble::new(
            Exit::OutcomeUnknown,
            "the node has ended after your yes, and whether it happened is not known: look before trying again",
        ),
        _ => trouble,
    };
    match client.ask(&ask).await.map_err(said_yes)? {
        Answer::Resolved(resolution) => Ok(resolution),
        _ => Err(unexpected()),
    }
}

/// Why a question needs no answer any more.
fn elsewhere(outcome: Settled, question: &Confirmation) -> &'static str {
    match outcome {
        Settled::Expired if question.call.is_none() => "Nobody decided in time; nothing is sent",
        Settled::Done if question.call.is_none() => "Somebody else has agreed to it",
        Settled::Expired => "Nobody decided in time; it is not done",
        Settled::Done => "Somebody else has agreed to it, and it is done",
        _ => "It needs no answer any more",
    }
}
