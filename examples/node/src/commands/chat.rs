//! `chat`: a conversation in the terminal.

use archy_assistant::{Category, ConversationId, TurnId};
use serde_json::json;

use super::ask::{self, report};
use super::{grants, history, tools};
use crate::cli::{Common, GrantsCommand};
use crate::client::{Gone, gone};
use crate::exit::{Exit, Trouble};
use crate::heard::Heard;
use crate::open::{Session, session};
use crate::screen::{self, Clean};
use crate::terminal::{Interrupt, Interrupts, Terminal, tell};
use crate::turn::{Detail, Talk};
use crate::typed::{Lines, Typed};

const HELP: &str = "Say what you want to know or have done. Ctrl-C stops an answer, Ctrl-D leaves. Also:
  /why            what the last answer rests on, who gave it, what left the node, what it cost
  /history        what was said here so far
  /tools          what the assistant can do
  /grants         what it may see; /grants open system, /grants close system, /grants close all
  /new            begin a new conversation
  /forget         remove this conversation so that it cannot be found again
  /quit           leave
";

/// A conversation that goes on.
struct Chat<'a> {
    common: &'a Common,
    terminal: Terminal,
    session: Session,
    conversation: Option<ConversationId>,
    /// The turn that was begun last.
    begun: Option<(ConversationId, TurnId)>,
    /// Of the last line that went wrong; what a script gets to know. That something is closed does not.
    exit: Exit,
}

/// What comes after a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// The next one.
    Next,
    /// The same once more: the node had ended before it was said.
    Again,
}

pub(crate) async fn chat(common: &Common, terminal: Terminal, go_on: bool) -> Result<Exit, Trouble> {
    let mut interrupts = Interrupts::new()?;
    let session = session(common).await?;
    let mut lines = Lines::new(terminal)?;
    let (conversation, begun, exit) = (None, None, Exit::Done);
    let mut chat = Chat { common, terminal, session, conversation, begun, exit };
    let talked = async {
        if go_on {
            chat.conversation = ask::last(&chat.session.client).await?;
        }
        chat.talk(&mut lines, &mut interrupts).await?;
        Ok(if terminal.has_person() { Exit::Done } else { chat.exit })
    };
    let exit = talked.await;
    chat.session.end().await;
    exit
}

impl Chat<'_> {
    async fn talk(&mut self, lines: &mut Lines, interrupts: &mut Interrupts) -> Result<(), Trouble> {
        if self.terminal.has_person() {
            tell("Ask about this node, or for a change to it. /help says what else can be typed.");
        }
        let mut leaving = false;
        loop {
            let typed = tokio::select! {
                typed = lines.next() => typed,
                _ = self.session.client.ended() => {
                    if self.terminal.has_person() {
                        tell("");
                    }
                    self.go_on_elsewhere().await?;
                    continue;
                }
                interrupt = interrupts.next() => {
                    if leaving || interrupt == Interrupt::End || !self.terminal.has_person() {
                        return Ok(());
                    }
                    leaving = true;
                    tell("");
                    tell("Ctrl-C again or Ctrl-D leaves.");
                    continue;
                }
            };
            let line = match typed {
                Typed::Line(line) => line,
                Typed::Bad(why) => {
                    self.trouble(&Trouble::bad_input(why));
                    continue;
                }
                Typed::End => return Ok(()),
            };
            leaving = false;
            if matches!(line.trim(), "/quit" | "/exit") {
                return Ok(());
            }
            while self.take(&line, interrupts).await? == Then::Again {}
        }
    }

    /// Does what a line says.
    async fn take(&mut self, line: &str, interrupts: &mut Interrupts) -> Result<Then, Trouble> {
        self.begun = None;
        let words: Vec<&str> = line.split_whitespace().collect();
        let done = match &words[..] {
            [] => return Ok(Then::Next),
            [command, rest @ ..] if command.starts_with('/') => self.command(command, rest, interrupts).await,
            _ => self.say(line, interrupts).await,
        };
        match done {
            Ok(()) => Ok(Then::Next),
            Err(trouble) if self.session.client.is_gone() => {
                let begun = self.begun.is_some();
                let again = !begun && trouble.says == gone().says;
                if trouble.says != gone().says {
                    tell(&trouble.says);
                }
                let is_told = self.go_on_elsewhere().await?;
                if !again && !is_told {
                    self.exit = trouble.exit;
                    self.terminal.document(&trouble.document())?;
                }
                Ok(if again { Then::Again } else { Then::Next })
            }
            Err(trouble) => {
                self.trouble(&trouble);
                Ok(Then::Next)
            }
        }
    }

    /// The node that was used has ended: another process may have it by now, or it is opened here. Whether it was told
    /// what became of the turn that was begun.
    async fn go_on_elsewhere(&mut self) -> Result<bool, Trouble> {
        if self.session.client.ended().await == Gone::Erased {
            return Err(gone());
        }
        let fresh = session(self.common).await?;
        // It was another process's, so there is nothing to bring to an end.
        drop(std::mem::replace(&mut self.session, fresh));
        tell(if self.session.is_own() {
            "The node that this conversation used has ended; this terminal has it now."
        } else {
            "The node that this conversation used has ended; another one goes on."
        });
        self.tell_what_became().await
    }

    /// What the journal says of a turn whose end was not heard, if it says anything.
    async fn tell_what_became(&mut self) -> Result<bool, Trouble> {
        let Some((conversation, turn)) = self.begun.take() else { return Ok(false) };
        self.conversation = Some(conversation);
        let last = history::last_turn(&self.session.client, conversation).await?;
        let Some(turned) = last.filter(|turned| turned.turn == turn) else { return Ok(false) };
        let heard = Heard::of(turned.events.iter().map(|numbered| &numbered.event));
        self.exit = heard.exit();
        self.terminal.document(&heard.document(conversation, turn, heard.exit()))?;
        tell("The answer was cut off; this is known of it:");
        heard.changes().iter().try_for_each(|line| self.terminal.quoting(line))?;
        Ok(true)
    }

    async fn say(&mut self, text: &str, interrupts: &mut Interrupts) -> Result<(), Trouble> {
        let terminal = self.terminal;
        let mut talk = Talk::new(&self.session, terminal, interrupts, Detail::Calls, self.common);
        let ended = ask::say(&mut talk, self.conversation, text).await;
        self.begun = talk.begun;
        let ended = ended?;
        self.begun = None;
        self.conversation = Some(ended.conversation);
        report(terminal, &ended, self.common, Detail::Calls)?;
        if !matches!(ended.exit, Exit::Done | Exit::Closed) {
            self.exit = ended.exit;
        }
        Ok(())
    }

    async fn command(
        &mut self,
        command: &str,
        rest: &[&str],
        interrupts: &mut Interrupts,
    ) -> Result<(), Trouble> {
        let (client, terminal) = (&self.session.client, self.terminal);
        match (command, rest) {
            ("/help", _) => {
                screen::write_apart(&Clean::own(HELP));
                terminal.document(&json!({"version": 1, "help": HELP}))
            }
            ("/tools", []) => tools::list(client, terminal).await,
            ("/grants", []) => grants::list(client, terminal, self.common).await,
            ("/grants", ["open", categories @ ..]) if !categories.is_empty() => {
                let categories = parse(categories)?;
                grants::apply(client, terminal, self.common, GrantsCommand::Open { categories }).await
            }
            ("/grants", ["close", "all" | "--all"]) => {
                let all = GrantsCommand::Close { all: true, categories: Vec::new() };
                grants::apply(client, terminal, self.common, all).await
            }
            ("/grants", ["close", categories @ ..]) if !categories.is_empty() => {
                let categories = parse(categories)?;
                let these = GrantsCommand::Close { all: false, categories };
                grants::apply(client, terminal, self.common, these).await
            }
            ("/new", []) => {
                self.conversation = None;
                tell("What you say next begins a new conversation.");
                terminal.document(&json!({"version": 1, "conversation": null}))
            }
            ("/history", []) => history::so_far(client, terminal, self.here()?).await,
            ("/forget", []) => {
                history::remove(client, terminal, self.here()?, interrupts).await?;
                self.conversation = None;
                tell("What you say next begins a new one.");
                Ok(())
            }
            ("/why", []) => self.why().await,
            _ => Err(Trouble::bad_input("there is no such command here; /help lists them")),
        }
    }

    async fn why(&self) -> Result<(), Trouble> {
        let conversation = self.here()?;
        let last = history::last_turn(&self.session.client, conversation).await?;
        let turned = last.ok_or_else(nothing_said)?;
        let heard = Heard::of(turned.events.iter().map(|numbered| &numbered.event));
        self.terminal.document(&heard.document(conversation, turned.turn, heard.exit()))?;
        heard.why().iter().try_for_each(|line| self.terminal.quoting(line))
    }

    fn here(&self) -> Result<ConversationId, Trouble> {
        self.conversation.ok_or_else(nothing_said)
    }

    fn trouble(&mut self, trouble: &Trouble) {
        self.exit = trouble.exit;
        if !trouble.says.is_empty() {
            tell(&trouble.says);
        }
        // It may be that nothing can be written any more; the code says enough.
        let _ = self.terminal.document(&trouble.document());
    }
}

fn nothing_said() -> Trouble {
    Trouble::bad_input("nothing was said here yet")
}

fn parse(names: &[&str]) -> Result<Vec<Category>, Trouble> {
    names.iter().map(|name| name.parse().map_err(|error| Trouble::bad_input(format!("{error}")))).collect()
}
