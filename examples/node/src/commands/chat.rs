//! `chat`: a conversation in the terminal.

use archy_assistant::{Category, ConversationId};

use super::ask::{self, report};
use super::{grants, history, tools};
use crate::cli::{Common, GrantsCommand};
use crate::client::{Client, gone};
use crate::exit::{Exit, Trouble};
use crate::heard::Heard;
use crate::open::session;
use crate::screen::{self, Clean};
use crate::terminal::{Interrupt, Interrupts, Terminal, tell};
use crate::turn::{Detail, Talk};
use crate::typed::{Lines, Typed};
use crate::wire::Ask;

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
    client: &'a Client,
    conversation: Option<ConversationId>,
    /// Of the last line that went wrong; what a script gets to know. That something is closed does not.
    exit: Exit,
}

pub(crate) async fn chat(common: &Common, terminal: Terminal, go_on: bool) -> Result<Exit, Trouble> {
    let mut interrupts = Interrupts::new()?;
    let session = session(common).await?;
    let lines = Lines::new(terminal)?;
    let client = &session.client;
    let talked = async {
        let conversation = if go_on { ask::last(client).await? } else { None };
        let mut chat = Chat { common, terminal, client, conversation, exit: Exit::Done };
        chat.talk(&lines, &mut interrupts).await?;
        Ok(if terminal.has_person() { Exit::Done } else { chat.exit })
    };
    let exit = talked.await;
    session.end().await;
    exit
}

impl Chat<'_> {
    async fn talk(&mut self, lines: &Lines, interrupts: &mut Interrupts) -> Result<(), Trouble> {
        if self.terminal.has_person() {
            tell("Ask about this node, or for a change to it. /help says what else can be typed.");
        }
        let mut leaving = false;
        loop {
            let typed = tokio::select! {
                typed = lines.next() => typed,
                () = self.client.ended() => return Err(gone()),
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
            let words: Vec<&str> = line.split_whitespace().collect();
            let done = match &words[..] {
                [] => continue,
                ["/quit" | "/exit"] => return Ok(()),
                [command, rest @ ..] if command.starts_with('/') => self.command(command, rest).await,
                _ => self.say(&line, interrupts).await,
            };
            match done {
                Ok(()) => {}
                Err(trouble) if trouble.exit == Exit::Failed && self.client.is_gone() => return Err(trouble),
                Err(trouble) => self.trouble(&trouble),
            }
        }
    }

    async fn say(&mut self, text: &str, interrupts: &mut Interrupts) -> Result<(), Trouble> {
        let (client, terminal) = (self.client, self.terminal);
        let mut talk = Talk { client, terminal, interrupts, detail: Detail::Calls };
        let ended = ask::say(&mut talk, self.conversation, text).await?;
        self.conversation = Some(ended.conversation);
        report(terminal, &ended, self.common, Detail::Calls)?;
        if !matches!(ended.exit, Exit::Done | Exit::Closed) {
            self.exit = ended.exit;
        }
        Ok(())
    }

    async fn command(&mut self, command: &str, rest: &[&str]) -> Result<(), Trouble> {
        let (client, terminal) = (self.client, self.terminal);
        match (command, rest) {
            ("/help", _) => {
                screen::write_apart(&Clean::own(HELP));
                Ok(())
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
                Ok(())
            }
            ("/history", []) => history::so_far(client, terminal, self.here()?).await,
            ("/forget", []) => {
                client.ask(&Ask::Forget { conversation: self.here()? }).await?;
                self.conversation = None;
                tell("This conversation is gone. What you say next begins a new one.");
                Ok(())
            }
            ("/why", []) => self.why().await,
            _ => Err(Trouble::bad_input("there is no such command here; /help lists them")),
        }
    }

    async fn why(&self) -> Result<(), Trouble> {
        let conversation = self.here()?;
        let Some(turned) = history::last_turn(self.client, conversation).await? else { return Ok(()) };
        let heard = Heard::of(turned.events.iter().map(|numbered| &numbered.event));
        self.terminal.document(&heard.document(conversation, turned.turn, heard.exit()))?;
        heard.why().iter().try_for_each(|line| self.terminal.quoting(line))
    }

    fn here(&self) -> Result<ConversationId, Trouble> {
        self.conversation.ok_or_else(|| Trouble::bad_input("nothing was said here yet"))
    }

    fn trouble(&mut self, trouble: &Trouble) {
        self.exit = trouble.exit;
        if !trouble.says.is_empty() {
            tell(&trouble.says);
        }
    }
}

fn parse(names: &[&str]) -> Result<Vec<Category>, Trouble> {
    names.iter().map(|name| name.parse().map_err(|error| Trouble::bad_input(format!("{error}")))).collect()
}
