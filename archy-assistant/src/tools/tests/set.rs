//! The set as a whole: which tools there are, and from what they are made.

use std::sync::Arc;

use serde_json::json;

use super::node::{Node, all, reading};
use crate::tool::Judged;
use crate::{
    Caller, Categories, Category, Datum, Effect, FirstTools, Label, NoArgs, Presence, Read, Spec, ToolError,
    Toolbox,
};

fn names(tools: &Toolbox) -> Vec<&'static str> {
    tools.specs().map(|(spec, _)| spec.name()).collect()
}

#[test]
fn the_whole_set_with_its_schemas() {
    let tools = all(&Arc::new(Node::new()), None).into_toolbox();
    assert_eq!(tools.check(), Ok(()));
    let told: Vec<_> = tools
        .specs()
        .map(|(spec, effect)| {
            let schema = &*tools.find(spec.name()).unwrap().schema;
            let slots: Vec<_> = spec
                .slots()
                .iter()
                .map(|slot| {
                    format!("{}{}", slot.name, if slot.presence == Presence::Optional { "?" } else { "" })
                })
                .collect();
            json!({
                "name": spec.name(),
                "effect": effect,
                "holds": spec.rests_on().to_string(),
                "egress": spec.is_egress(),
                "slots": slots,
                "schema": schema,
            })
        })
        .collect();
    insta::assert_json_snapshot!(told);
}

#[test]
fn every_category_has_a_tool_except_media_whose_tools_come_with_the_content_library() {
    let tools = all(&Arc::new(Node::new()), None).into_toolbox();
    let with_tools =
        tools.specs().filter_map(|(spec, _)| spec.category()).fold(Categories::NONE, Categories::with);
    assert_eq!(with_tools, Categories::ALL.without(Category::Media));
}

#[test]
fn a_tool_says_what_it_is_for_and_answers_by_itself() {
    let tools = all(&Arc::new(Node::new()), None).into_toolbox();
    for (spec, _) in tools.specs() {
        assert!(!spec.about().is_empty() && !spec.said_as().is_empty(), "{}", spec.name());
        for slot in spec.slots() {
            let said = spec.said_as().iter().any(|phrase| phrase.contains(&format!("{{{}}}", slot.name)));
            assert!(said || slot.presence == Presence::Optional, "{}: {}", spec.name(), slot.name);
        }
    }
}

#[test]
fn only_four_tools_write() {
    let tools = all(&Arc::new(Node::new()), None).into_toolbox();
    let writes: Vec<_> =
        tools.specs().filter(|(_, effect)| *effect == Effect::Write).map(|(spec, _)| spec.name()).collect();
    assert_eq!(writes, ["setting_set", "app_start", "app_stop", "app_restart"]);
}

#[test]
fn what_the_node_does_not_give_is_absent() {
    let node = Arc::new(Node::new());
    assert_eq!(names(&FirstTools::new().into_toolbox()), [""; 0]);
    assert!(reading(&node).into_toolbox().specs().all(|(_, effect)| effect == Effect::Read));
    let control_alone =
        FirstTools::new().app_control(Arc::clone(&node) as _).setting_control(Arc::clone(&node) as _);
    assert_eq!(
        names(&control_alone.into_toolbox()),
        [""; 0],
        "a write cannot be planned without its reading half"
    );
    let search_alone = FirstTools::new().search(Arc::new(super::node::Open(None)));
    assert_eq!(names(&search_alone.into_toolbox()), [""; 0], "there is nothing to search");
    assert_eq!(names(&FirstTools::new().bitcoin(node).into_toolbox()), ["bitcoin_status"]);
}

/// Types keep it so: a trait object of a reading half has no method that changes anything, and no file of a read names
/// a controlling half.
#[test]
fn no_read_is_made_from_a_controlling_half() {
    for (file, text) in [
        ("apps", include_str!("../apps.rs")),
        ("assistant", include_str!("../assistant.rs")),
        ("balances", include_str!("../balances.rs")),
        ("bitcoin", include_str!("../bitcoin.rs")),
        ("candidates", include_str!("../candidates.rs")),
        ("files", include_str!("../files.rs")),
        ("network", include_str!("../network.rs")),
        ("notes", include_str!("../notes.rs")),
        ("search", include_str!("../search.rs")),
        ("settings", include_str!("../settings.rs")),
        ("system", include_str!("../system.rs")),
    ] {
        assert!(!text.contains("Control") && !text.contains("Approved"), "{file}");
    }
    assert!(include_str!("../app_control.rs").contains("Control"), "what is looked for is what it is called");
}

struct AskNeighbour;

impl Read for AskNeighbour {
    type Args = NoArgs;

    fn spec(&self) -> Spec {
        Spec::new("ask_neighbour", Category::Network, "Asks a node nearby.").egress()
    }

    async fn read(&self, _: &Caller, _: NoArgs) -> Result<Datum, ToolError> {
        Ok(Datum::None)
    }
}

#[test]
fn none_of_the_first_tools_reaches_the_outside_and_one_that_does_needs_a_person_after_text_of_others() {
    let tools = all(&Arc::new(Node::new()), None).into_toolbox().and(Toolbox::new().read(AskNeighbour));
    let egress: Vec<_> =
        tools.specs().filter(|(spec, _)| spec.is_egress()).map(|(spec, _)| spec.name()).collect();
    assert_eq!(egress, ["ask_neighbour"]);
    let judge = |tainted, name: &str| {
        let context = Label { holds: Categories::NONE, tainted };
        tools.judge(&Caller::owner(), Categories::ALL, context, name, "{}")
    };
    let args = || "{}".to_owned();
    assert_eq!(judge(false, "ask_neighbour"), Judged::Read { args: args() });
    assert_eq!(judge(true, "ask_neighbour"), Judged::Ask { args: args() });
    assert_eq!(judge(true, "peers_list"), Judged::Read { args: args() });
}
