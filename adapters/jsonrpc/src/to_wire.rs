//! What the assistant gives, as the wire calls it.

use archy_assistant::{
    Categories, Category, ConfirmRefused, Confirmation, Effect, Fact, Line, Refused, Resolution, Spec,
    Summary, Turned, Verified,
};
use archy_wire::{self as wire, Code, Fault};

use crate::event::{numbered, receipt, settled};

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
pub(crate) fn refused(refused: Refused) -> Fault {
    let code = match &refused {
        Refused::Unknown => Code::Unknown,
        Refused::Busy | Refused::Executing => Code::Busy,
        Refused::TooMany => Code::RateLimited,
        Refused::Length(_) => Code::BadParams,
        Refused::NotHere => Code::Forbidden,
        Refused::Stopping => Code::Stopping,
        // What is new counts as the most that can be wrong.
        _ => Code::Store,
    };
    Fault::new(code, refused.to_string())
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
pub(crate) fn confirm_refused(refused: ConfirmRefused) -> Fault {
    let code = match &refused {
        ConfirmRefused::Unknown => Code::Unknown,
        ConfirmRefused::TooSoon => Code::TooSoon,
        _ => Code::Store,
    };
    Fault::new(code, refused.to_string())
}

pub(crate) fn category(category: Category) -> wire::Category {
    match category {
        Category::Apps => wire::Category::Apps,
        Category::System => wire::Category::System,
        Category::Network => wire::Category::Network,
        Category::Wallet => wire::Category::Wallet,
        Category::Files => wire::Category::Files,
        Category::Media => wire::Category::Media,
        Category::Search => wire::Category::Search,
        Category::AiLocal => wire::Category::AiLocal,
        Category::Notes => wire::Category::Notes,
        Category::Bitcoin => wire::Category::Bitcoin,
    }
}

pub(crate) fn categories(categories: Categories) -> Vec<wire::Category> {
    categories.iter().map(category).collect()
}

pub(crate) fn confirmation(question: &Confirmation) -> wire::Confirmation {
    let (place, of) = question.place;
    wire::Confirmation {
        id: question.id.to_string(),
        digest: question.digest.to_string(),
        text: question.text.to_string(),
        conversation: question.conversation.to_string(),
        turn: question.turn.to_string(),
        call: question.call.map(|call| call.0),
        expires: question.expires.0,
        place,
        of,
    }
}

pub(crate) fn resolution(resolution: &Resolution) -> wire::Resolution {
    wire::Resolution { outcome: settled(resolution.outcome), says: resolution.says.to_string() }
}

pub(crate) fn tool((spec, effect): (&Spec, Effect)) -> wire::Tool {
    wire::Tool {
        name: spec.name().to_owned(),
        about: spec.about().to_owned(),
        effect: match effect {
            Effect::Read => wire::Effect::Read,
            Effect::Write => wire::Effect::Write,
        },
        category: spec.category().map(category),
    }
}

pub(crate) fn summary(summary: &Summary) -> wire::Summary {
    wire::Summary {
        id: summary.id.to_string(),
        owner: summary.owner.to_string(),
        title: summary.title.to_string(),
        began: summary.began.0,
        last: summary.last.0,
    }
}

pub(crate) fn turned(turned: Turned) -> wire::Turned {
    wire::Turned {
        turn: turned.turn.to_string(),
        at: turned.at.0,
        said: turned.said.0.to_string(),
        answer: turned.answer.to_string(),
        receipts: turned.receipts.iter().map(receipt).collect(),
        events: turned.events.into_iter().map(numbered).collect(),
    }
}

pub(crate) fn line(line: &Line) -> wire::AuditLine {
    // Its stable name is the one under which it is kept.
    let kept = serde_json::to_value(&line.fact).unwrap_or_default();
    let key = || kept.as_object()?.keys().next().cloned();
    wire::AuditLine {
        seq: line.seq,
        at: line.at.0,
        fact: kept.as_str().map(str::to_owned).or_else(key).unwrap_or_default(),
        about: about(&line.fact),
        principal: line.principal.as_ref().map(ToString::to_string),
        turn: line.turn.map(|turn| turn.to_string()),
        confirmation: line.confirmation.map(|id| id.to_string()),
    }
}

fn about(fact: &Fact) -> String {
    let shown = |backend: &str| archy_assistant::Shown::line(backend).to_string();
    match fact {
        Fact::Settled(settled) => settled.says().to_owned(),
        Fact::GrantOpened(category) | Fact::GrantClosed(category) => category.name().to_owned(),
        Fact::Crossed { backend, classes, messages, .. } if classes.is_empty() => {
            format!("{}: {messages} messages", shown(backend))
        }
        Fact::Crossed { backend, classes, messages, .. } => {
            format!("{}: {messages} messages, data of {classes}", shown(backend))
        }
        Fact::MayReceive { backend, categories: Some(Categories::NONE) } => {
            format!("{}: nothing", shown(backend))
        }
        Fact::MayReceive { backend, categories: Some(categories) } => {
            format!("{}: {categories}", shown(backend))
        }
        Fact::MayReceive { backend, categories: None } => format!("{}: whatever is open", shown(backend)),
        Fact::Forgotten(conversation) => conversation.to_string(),
        Fact::RolledBack { remembered, found } => {
            format!("line {found} was the last one, line {remembered} was known")
        }
        Fact::Damaged(broken) => broken.to_string(),
        _ => String::new(),
    }
}

pub(crate) fn verified(verified: Verified) -> wire::Verified {
    match verified {
        Verified::Sound { first, last } => wire::Verified::Sound { first, last },
        Verified::Broken(broken) => wire::Verified::Broken { line: broken.line, says: broken.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use archy_assistant::{Broken, Flaw, Settled, Timestamp};

    use super::*;

    #[test]
    fn every_fact_has_its_name_and_says_what_it_is_about() {
        let conversation = "0123456789abcdef0123456789abcdef".parse().unwrap();
        let (backend, broken) = ("far".to_owned(), Broken { line: 4, flaw: Flaw::Edited });
        let may = |categories| Fact::MayReceive { backend: backend.clone(), categories };
        let crossed =
            |classes| Fact::Crossed { backend: backend.clone(), classes, messages: 2, hmac: String::new() };
        for (fact, name, says) in [
            (Fact::Opened, "opened", String::new()),
            (Fact::Asked, "asked", String::new()),
            (Fact::Executing, "executing", String::new()),
            (Fact::Settled(Settled::Denied), "settled", Settled::Denied.says().to_owned()),
            (Fact::GrantOpened(Category::Apps), "grant-opened", "apps".to_owned()),
            (Fact::GrantClosed(Category::Wallet), "grant-closed", "wallet".to_owned()),
            (crossed(Categories::NONE), "crossed", "far: 2 messages".to_owned()),
            (
                crossed(Categories::NONE.with(Category::Apps)),
                "crossed",
                "far: 2 messages, data of apps".to_owned(),
            ),
            (may(None), "may-receive", "far: whatever is open".to_owned()),
            (may(Some(Categories::NONE)), "may-receive", "far: nothing".to_owned()),
            (may(Some(Categories::NONE.with(Category::Apps))), "may-receive", "far: apps".to_owned()),
            (Fact::Forgotten(conversation), "forgotten", conversation.to_string()),
            (Fact::CopiedOut, "copied-out", String::new()),
            (
                Fact::RolledBack { remembered: 9, found: 4 },
                "rolled-back",
                "line 4 was the last one, line 9 was known".to_owned(),
            ),
            (Fact::Restored, "restored", String::new()),
            (Fact::Unwitnessed, "unwitnessed", String::new()),
            (Fact::Damaged(broken), "damaged", broken.to_string()),
            (Fact::Acknowledged, "acknowledged", String::new()),
            (Fact::Erased, "erased", String::new()),
        ] {
            let kept = Line {
                seq: 3,
                at: Timestamp(5),
                fact,
                principal: None,
                turn: None,
                confirmation: None,
                digest: None,
            };
            let told = wire::AuditLine {
                seq: 3,
                at: 5,
                fact: name.to_owned(),
                about: says,
                principal: None,
                turn: None,
                confirmation: None,
            };
            assert_eq!(line(&kept), told);
        }
    }

    #[test]
    fn what_a_look_through_the_audit_found_is_told() {
        let sound = verified(Verified::Sound { first: 2, last: 9 });
        assert_eq!(sound, wire::Verified::Sound { first: 2, last: 9 });
        let broken = Broken { line: 4, flaw: Flaw::CutTail };
        let told = wire::Verified::Broken { line: 4, says: broken.to_string() };
        assert_eq!(verified(Verified::Broken(broken)), told);
    }
}
