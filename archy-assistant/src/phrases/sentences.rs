//! Classes of sentences, each made from many verbs, names and frames.

use std::sync::LazyLock;

use serde_json::json;

use super::cases::{Ran, offer, offers, run};
use crate::policy::Effect;
use crate::tools::specs;
use crate::{Elsewhere, Offer, Slot, Spec};

fn say(turns: &[&str]) -> Ran {
    static NODE: LazyLock<(Vec<Offer>, Vec<Elsewhere>)> = LazyLock::new(|| (offers(), specs::elsewhere()));
    run(turns, &NODE.0, &NODE.1)
}

fn writes(ran: &Ran) -> Vec<&str> {
    let write = |tool: &&str| ["app_start", "app_stop", "app_restart", "setting_set"].contains(tool);
    ran.calls.iter().map(|(tool, _)| tool.as_str()).filter(write).collect()
}

const VERBS: [(&str, &str); 12] = [
    ("restart", "app_restart"),
    ("reboot", "app_restart"),
    ("bounce", "app_restart"),
    ("start", "app_start"),
    ("launch", "app_start"),
    ("fire up", "app_start"),
    ("turn on", "app_start"),
    ("stop", "app_stop"),
    ("shut down", "app_stop"),
    ("turn off", "app_stop"),
    ("kill", "app_stop"),
    ("halt", "app_stop"),
];

const APPS: [(&str, &str); 5] = [
    ("lnd", "lnd"),
    ("the bitcoin node", "bitcoind"),
    ("home assistant", "home-assistant"),
    ("next cloud", "nextcloud"),
    ("the password manager", "vaultwarden"),
];

#[test]
fn an_order_in_any_polite_frame_is_one_write() {
    for frame in [
        "{}",
        "please {}",
        "{} please",
        "can you {}?",
        "could you {} for me",
        "would you please {}?",
        "hey, {} now",
        "I'd like you to {}",
        "go ahead and {}",
        "{}, thanks",
        "ok now {}",
        "I need you to {} right now",
        "{} because it is stuck",
        "if you don't mind, {}",
        "when you have a moment, {}",
    ] {
        for (place, (verb, tool)) in VERBS.into_iter().enumerate() {
            let (name, app) = APPS[place % APPS.len()];
            let said = frame.replace("{}", &format!("{verb} {name}"));
            let ran = say(&[&said]);
            assert_eq!(ran.calls, [(tool.to_owned(), json!({ "app": app }))], "{said}");
        }
    }
}

#[test]
fn what_asks_forbids_reports_or_waits_never_writes() {
    for frame in [
        "should i {}?",
        "shall we {}",
        "can i {} safely?",
        "is it safe to {}?",
        "is it ok to {} now?",
        "what happens if i {}?",
        "would it hurt to {}",
        "how do i {}?",
        "do you think i should {}",
        "why would i {}",
        "don't {}",
        "do not {} please",
        "never {}",
        "please don't {}",
        "whatever you do, never {}",
        "no need to {}",
        "i'd rather not {}",
        "let's not {}",
        "the log says: {}",
        "he said {}",
        "my friend told me to {}",
        "the manual says you should {}",
        "\"{}\"",
        "it says \"{}\" here",
        "what does \"{}\" mean",
        "if it crashes, {}",
        "{} if it crashes",
        "{} tomorrow",
        "{} every night",
        "{} at midnight",
        "once it is synced, {}",
        "{} when it is idle",
        "unless it is busy, {}",
        "after the update, {}",
        "did you {}?",
        "have you tried to {}",
        "i was going to {}",
        "i might {} later",
        "i am thinking of whether to {}",
        "i already tried to {}",
        "what if i {}",
        "are you able to {}?",
        "would you recommend to {}?",
        "is there a way to {}?",
        "schedule this: {}",
        "in theory one could {}",
        "instead of asking me to {} tell me a joke",
        "rather than {} do nothing",
        "error: {}",
        "avoid having to {}",
        "i wonder whether i should {}",
    ] {
        for (place, (verb, _)) in VERBS.into_iter().enumerate() {
            let (name, _) = APPS[place % APPS.len()];
            let said = frame.replace("{}", &format!("{verb} {name}"));
            assert_eq!(writes(&say(&[&said])), Vec::<&str>::new(), "{said}");
        }
    }
}

#[test]
fn several_at_once_or_none_by_name_never_writes() {
    for said in [
        "restart all apps",
        "stop everything",
        "shut everything down",
        "restart every app",
        "start all of them",
        "stop any app",
        "restart some app",
        "restart apps",
        "kill all the services",
        "turn off all apps please",
        "can you restart apps?",
        "restart another one",
        "reboot the machine",
        "shut down the server",
        "turn off the node",
        "stop the box",
        "start",
        "restart it",
        "stop that",
        "turn them off",
        "yes",
        "ok",
        "do it",
        "again",
        "sure, go ahead",
    ] {
        assert_eq!(writes(&say(&[said])), Vec::<&str>::new(), "{said}");
    }
}

#[test]
fn yes_is_never_a_write_even_after_a_question() {
    for yes in ["yes", "ok", "sure", "yes please", "do it", "yes do that", "okay", "yep"] {
        for before in ["restart it", "restart lnd?", "should i restart lnd?", "is lnd up?", "estart lnd"] {
            assert_eq!(writes(&say(&[before, yes])), Vec::<&str>::new(), "{before} / {yes}");
        }
    }
}

#[test]
fn a_slip_stays_with_the_nearest_app_and_verb() {
    for (said, tool, app) in [
        ("restrat jellyfin", "app_restart", "jellyfin"),
        ("restart jellyfn", "app_restart", "jellyfin"),
        ("stpo immich", "app_stop", "immich"),
        ("strat immich", "app_start", "immich"),
        ("sart immich", "app_start", "immich"),
        ("restart homeassistant", "app_restart", "home-assistant"),
        ("restart jelly fin", "app_restart", "jellyfin"),
        ("restart nextcluod", "app_restart", "nextcloud"),
        ("turn of vaultwarden", "app_stop", "vaultwarden"),
    ] {
        assert_eq!(say(&[said]).calls, [(tool.to_owned(), json!({ "app": app }))], "{said}");
    }
    // Between two verbs it is asked; another program's name is none of these.
    assert_eq!(say(&["estart lnd"]), Ran { calls: Vec::new(), asked: true });
    for said in
        ["restart electrum", "stop jellyseerr", "restart photoprism", "start the washing machine", "hurt lnd"]
    {
        assert_eq!(writes(&say(&[said])), Vec::<&str>::new(), "{said}");
    }
}

#[test]
fn a_name_that_two_apps_share_is_asked() {
    let apps = [Spec::new("app_restart", crate::Category::Apps, "")
        .slot(Slot::fixed("app", &["media-one", "media-two"]))
        .phrase("restart {app}")];
    let mut tools: Vec<Offer> = apps.into_iter().map(|spec| offer(spec, Effect::Write)).collect();
    let twice = tools[0].candidates[0]
        .iter()
        .map(|one| one.clone().called("media", crate::Source::AppName))
        .collect::<Vec<_>>();
    tools[0].candidates[0] = twice.into();
    assert_eq!(run(&["restart media"], &tools, &[]), Ran { calls: Vec::new(), asked: true });
    let ran = run(&["restart media", "the second one"], &tools, &[]);
    assert_eq!(ran.calls, [("app_restart".to_owned(), json!({ "app": "media-two" }))]);
}

/// Tools of a host's own, whose words the lexicon does not know.
fn greenhouse() -> Vec<Offer> {
    let plants = ["tomato", "basil", "orchid"];
    vec![
        offer(
            Spec::new("water_plant", crate::Category::System, "")
                .slot(Slot::fixed("plant", &plants))
                .phrase("water the {plant}")
                .phrase("give the {plant} some water"),
            Effect::Write,
        ),
        offer(
            Spec::new("plant_status", crate::Category::System, "")
                .slot(Slot::fixed("plant", &plants))
                .phrase("how is the {plant}")
                .phrase("is the {plant} dry")
                .phrase("how moist is the {plant}"),
            Effect::Read,
        ),
    ]
}

#[test]
fn tools_of_a_host_work_through_their_phrases_alone() {
    let elsewhere = [Elsewhere::new(["sell the plant"], "Plants are not sold here.")];
    let ask = |turns: &[&str]| run(turns, &greenhouse(), &elsewhere).calls;
    let water = |plant: &str| ("water_plant".to_owned(), json!({ "plant": plant }));
    let look = |plant: &str| ("plant_status".to_owned(), json!({ "plant": plant }));
    for said in [
        "water the basil",
        "please water the basil",
        "can you water the basil?",
        "watr the basil",
        "water basil now",
    ] {
        assert_eq!(ask(&[said]), [water("basil")], "{said}");
    }
    assert_eq!(ask(&["is the orchid dry?"]), [look("orchid")]);
    assert_eq!(ask(&["how is the tomato and water the basil"]), [look("tomato"), water("basil")]);
    assert_eq!(ask(&["is the tomato dry?", "water it"]), [look("tomato"), water("tomato")]);
    assert_eq!(ask(&["water the tomato and the basil"]), [water("tomato"), water("basil")]);
    for said in [
        "should i water the basil?",
        "don't water the basil",
        "if it is dry water the basil",
        "water the basil tomorrow",
        "he said water the basil",
        "is it ok to water the basil?",
        "did you water the basil?",
        "water everything",
        "restart lnd",
    ] {
        assert_eq!(ask(&[said]), [], "{said}");
    }
}

#[test]
fn what_is_not_offered_does_not_exist() {
    let reads: Vec<Offer> = offers().into_iter().filter(|offer| offer.effect == Effect::Read).collect();
    assert_eq!(run(&["restart lnd"], &reads, &[]), Ran { calls: Vec::new(), asked: false });
    assert_eq!(run(&["how full is the disk"], &[], &[]), Ran { calls: Vec::new(), asked: false });
}

#[test]
fn any_text_is_read_without_a_fault() {
    for said in [
        "",
        " ",
        "?",
        "...",
        "\"",
        "'",
        "and",
        "and and and",
        "to",
        "restart \"",
        "日本語",
        "restart 日本語",
        "\u{202e}restart lnd",
        "🙂 restart lnd",
        "a/b/c",
        "set the to",
        "set the theme to",
        "call it",
        "why",
        "1",
        "100 200 300",
        "the the the",
        "lnd's's",
    ] {
        let _ = say(&[said]);
        let _ = say(&["restart it", said]);
    }
    let long = "restart lnd and ".repeat(400);
    assert_eq!(say(&[&long]).calls.len(), 1);
}

/// Sentences that sound like orders to this node and are none: other devices, advice, reports, sarcasm, things of the apps.
#[test]
fn what_only_sounds_like_an_order_never_writes() {
    let wrong: Vec<&str> =
        include_str!("never_orders.txt").lines().filter(|said| !writes(&say(&[said])).is_empty()).collect();
    assert_eq!(wrong, Vec::<&str>::new());
}

#[test]
fn a_name_said_for_the_node_is_kept_whole_or_asked() {
    for (said, name) in [
        ("Kindly rename the machine to cellar-node.", "cellar-node"),
        ("rename the node to great-hall, please", "great-hall"),
        ("set the hostname to den.tower-2!", "den.tower-2"),
        ("rename this machine to tower please", "tower"),
    ] {
        let expected = format!("{{\"key\":\"hostname\",\"value\":\"{name}\"}}");
        assert_eq!(
            say(&[said]).calls,
            [("setting_set".to_owned(), serde_json::from_str(&expected).unwrap())],
            "{said}"
        );
    }
    for said in
        ["rename the machine to cellar node", "rename the machine to nice tower", "rename it to tower man"]
    {
        assert_eq!(say(&[said]).calls, [], "{said}");
    }
}

#[test]
fn what_stands_beside_an_order_does_not_hide_it() {
    for (said, tool) in [
        ("kill jellyfin its 2am and my brother is still watching anime", "app_stop"),
        ("I'd be grateful if Nextcloud could be stopped.", "app_stop"),
        ("Before I go to bed: shut off Nextcloud.", "app_stop"),
        ("Please to start Jellyfin", "app_start"),
        ("dark mode pls my eyes are dying", "setting_set"),
        ("give me the light theme back", "setting_set"),
        ("set the logs to warn", "setting_set"),
        ("set the time zone to europe slash lisbon", "setting_set"),
    ] {
        assert_eq!(writes(&say(&[said])), [tool], "{said}");
    }
    for said in [
        "I'd be grateful if Nextcloud could be stopped tomorrow",
        "don't give me the light theme back",
        "if lnd is stopped and if electrs is up, start it",
        "my wife said please you stop lnd",
        "set the log of lnd to debug",
        "before we stop lnd: is it running",
    ] {
        assert_eq!(writes(&say(&[said])), [""; 0], "{said}");
    }
}

#[test]
fn a_search_is_never_made_of_words_that_nothing_leads_into() {
    for said in [
        "I lost track",
        "click yes in my name",
        "would my phone still find the box?",
        "what does a mempool actually do in bitcoin?",
    ] {
        assert_eq!(say(&[said]).calls, [], "{said}");
    }
}
