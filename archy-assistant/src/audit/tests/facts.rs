//! Every fact as it is stored, and that none of them can be more than one line.

use proptest::prelude::*;

use super::*;
use crate::{Category, ConfirmationId, ConversationId, Digest, Principal, Settled, TurnId};

/// One of each, in their order. A fact that is missing here does not compile in `place_of`.
fn every(audit: &Audit) -> Vec<Fact> {
    let message = crate::Message {
        label: crate::Label::default(),
        content: crate::Content::Said("how much space is left?".to_owned()),
    };
    vec![
        Fact::Opened,
        Fact::Asked,
        Fact::Executing,
        Fact::Settled(Settled::OutcomeUnknown),
        Fact::GrantOpened(Category::AiLocal),
        Fact::GrantClosed(Category::Apps),
        audit.crossed("claude", Categories::only(Category::Apps), &[message]),
        Fact::MayReceive { backend: "claude".to_owned(), categories: Some(Categories::only(Category::Apps)) },
        Fact::Forgotten(ConversationId(0x1234)),
        Fact::CopiedOut,
        Fact::RolledBack { remembered: 9, found: 7 },
        Fact::Restored,
        Fact::Unwitnessed,
        Fact::Damaged(Broken { line: 4, flaw: Flaw::CutTail }),
        Fact::Acknowledged,
        Fact::Erased,
    ]
}

fn place_of(fact: &Fact) -> usize {
    match fact {
        Fact::Opened => 0,
        Fact::Asked => 1,
        Fact::Executing => 2,
        Fact::Settled(_) => 3,
        Fact::GrantOpened(_) => 4,
        Fact::GrantClosed(_) => 5,
        Fact::Crossed { .. } => 6,
        Fact::MayReceive { .. } => 7,
        Fact::Forgotten(_) => 8,
        Fact::CopiedOut => 9,
        Fact::RolledBack { .. } => 10,
        Fact::Restored => 11,
        Fact::Unwitnessed => 12,
        Fact::Damaged(_) => 13,
        Fact::Acknowledged => 14,
        Fact::Erased => 15,
    }
}

#[test]
fn lines_are_stored_like_this() {
    let (audit, _) = open(&Arc::default());
    let facts = every(&audit);
    assert_eq!(facts.iter().map(place_of).collect::<Vec<_>>(), (0..facts.len()).collect::<Vec<_>>());
    let mut lines: Vec<_> =
        facts.into_iter().map(|fact| Line::new(Timestamp(1_700_000_000_000), fact)).collect();
    lines[2] = Line {
        turn: Some(TurnId(0x11)),
        confirmation: Some(ConfirmationId(0x22)),
        digest: Some("ab".repeat(32).parse::<Digest>().unwrap()),
        ..lines[2].clone().by(&Principal::owner())
    };
    let flaws = [
        Flaw::Edited,
        Flaw::Missing,
        Flaw::Swapped,
        Flaw::CutTail,
        Flaw::Rewritten,
        Flaw::Unsealed,
        Flaw::HeadForged,
    ];
    insta::assert_json_snapshot!((&lines, flaws));
    for line in lines {
        let bytes = serde_json::to_vec(&line).unwrap();
        assert_eq!(serde_json::from_slice::<Line>(&bytes).unwrap(), line);
    }
}

proptest! {
    #[test]
    fn a_record_is_one_line_whatever_a_backend_is_called(name in ".*", control in any::<char>()) {
        let store = Arc::default();
        let (audit, _) = open(&store);
        let name = format!("{name}{control}\n\r\u{2028}\u{85}\u{202e}{name}");
        let fact = audit.crossed(&name, Categories::NONE, &[]);
        audit.commit(Batch::new(), Line::new(Timestamp(1), fact), Durability::Kept).unwrap();
        let mut exported = Vec::new();
        audit.export(&mut exported).unwrap();
        let exported = String::from_utf8(exported).unwrap();
        let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202e}');
        prop_assert_eq!(exported.matches(breaks).collect::<String>(), "\n\n\n", "{}", exported);
    }
}
