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
