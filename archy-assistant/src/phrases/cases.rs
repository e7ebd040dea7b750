//! Whole conversations, run over the node's own specs.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value as Json;

use super::{Understood, understand};
use crate::host::Answer;
use crate::policy::Effect;
use crate::tools::specs;
use crate::turn::{CallId, ToolCall};
use crate::{
    Caller, Candidate, Candidates, Content, Datum, Elsewhere, Label, Message, Offer, Outcome, Sentence,
    SlotKind, Source, Spec,
};

/// A list that never changes, as if a host had given it.
struct Listed(Vec<Candidate>);

impl Candidates for Listed {
    fn list<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<Candidate>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

fn apps() -> Vec<Candidate> {
    [
        ("bitcoind", &["Bitcoin Core", "bitcoin", "the bitcoin node"][..]),
        ("lnd", &["Lightning", "lnd"]),
        ("electrs", &["Electrs"]),
        ("mempool", &["Mempool"]),
        ("nextcloud", &["Nextcloud"]),
        ("immich", &["Immich", "photos"]),
        ("jellyfin", &["Jellyfin"]),
        ("vaultwarden", &["Vaultwarden", "the password manager"]),
        ("home-assistant", &["Home Assistant"]),
        ("filebrowser", &["File Browser"]),
    ]
    .into_iter()
    .map(|(id, names)| names.iter().fold(Candidate::new(id), |app, name| app.called(*name, Source::AppName)))
    .collect()
}

fn folders() -> Vec<Candidate> {
    ["photos", "photos/2024", "documents", "music", "videos", "backups"]
        .into_iter()
        .map(Candidate::new)
        .collect()
}

fn keys() -> Vec<Candidate> {
    ["hostname", "timezone", "language", "theme", "log_level"].into_iter().map(Candidate::new).collect()
}

fn values() -> Vec<Candidate> {
    let mut values = vec![Candidate::any_words("key", "hostname")];
    values.extend(ZONES.split_whitespace().map(|zone| Candidate::new(zone).goes_with("key", "timezone")));
    for (key, list) in [
        ("theme", &["light", "dark"][..]),
        ("log_level", &["error", "warn", "info", "debug", "trace"]),
        ("language", &["en", "de", "fr", "es", "it", "pt", "nl", "pl"]),
    ] {
        values.extend(list.iter().map(|value| Candidate::new(*value).goes_with("key", key)));
    }
    values
}

const ZONES: &str = "UTC Etc/UTC Africa/Abidjan Africa/Accra Africa/Addis_Ababa Africa/Algiers Africa/Cairo Africa/Casablanca Africa/Dakar Africa/Harare Africa/Johannesburg Africa/Kampala Africa/Khartoum Africa/Kinshasa Africa/Lagos Africa/Luanda Africa/Maputo Africa/Nairobi Africa/Tripoli Africa/Tunis Africa/Windhoek America/Anchorage America/Argentina/Buenos_Aires America/Asuncion America/Bogota America/Boise America/Caracas America/Chicago America/Costa_Rica America/Denver America/Detroit America/Edmonton America/El_Salvador America/Guatemala America/Guayaquil America/Halifax America/Havana America/Jamaica America/Juneau America/La_Paz America/Lima America/Los_Angeles America/Managua America/Mexico_City America/Montevideo America/Montreal America/New_York America/Nassau America/Panama America/Phoenix America/Port-au-Prince America/Puerto_Rico America/Regina America/Santiago America/Santo_Domingo America/Sao_Paulo America/St_Johns America/Tijuana America/Toronto America/Vancouver America/Winnipeg Asia/Almaty Asia/Amman Asia/Baghdad Asia/Bahrain Asia/Baku Asia/Bangkok Asia/Beirut Asia/Colombo Asia/Damascus Asia/Dhaka Asia/Dubai Asia/Ho_Chi_Minh Asia/Hong_Kong Asia/Istanbul Asia/Jakarta Asia/Jerusalem Asia/Kabul Asia/Karachi Asia/Kathmandu Asia/Kolkata Asia/Kuala_Lumpur Asia/Kuwait Asia/Macau Asia/Manila Asia/Muscat Asia/Nicosia Asia/Novosibirsk Asia/Qatar Asia/Riyadh Asia/Seoul Asia/Shanghai Asia/Singapore Asia/Taipei Asia/Tashkent Asia/Tbilisi Asia/Tehran Asia/Tokyo Asia/Ulaanbaatar Asia/Vladivostok Asia/Yangon Asia/Yekaterinburg Asia/Yerevan Atlantic/Azores Atlantic/Bermuda Atlantic/Canary Atlantic/Cape_Verde Atlantic/Madeira Atlantic/Reykjavik Australia/Adelaide Australia/Brisbane Australia/Darwin Australia/Hobart Australia/Melbourne Australia/Perth Australia/Sydney Europe/Amsterdam Europe/Athens Europe/Belgrade Europe/Berlin Europe/Bratislava Europe/Brussels Europe/Bucharest Europe/Budapest Europe/Chisinau Europe/Copenhagen Europe/Dublin Europe/Helsinki Europe/Istanbul Europe/Kyiv Europe/Kiev Europe/Lisbon Europe/Ljubljana Europe/London Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Minsk Europe/Monaco Europe/Moscow Europe/Oslo Europe/Paris Europe/Podgorica Europe/Prague Europe/Riga Europe/Rome Europe/Sarajevo Europe/Skopje Europe/Sofia Europe/Stockholm Europe/Tallinn Europe/Tirane Europe/Vaduz Europe/Vienna Europe/Vilnius Europe/Warsaw Europe/Zagreb Europe/Zurich Indian/Maldives Indian/Mauritius Pacific/Auckland Pacific/Fiji Pacific/Guam Pacific/Honolulu Pacific/Tahiti Pacific/Tongatapu EST MET WET GB Zulu Japan Turkey Cuba Iran Israel Navajo America/North_Dakota/Center Pacific/Easter";

/// Every tool of the node, offered with its live candidates.
pub(crate) fn offers() -> Vec<Offer> {
    let listed = |list: Vec<Candidate>| -> Arc<dyn Candidates> { Arc::new(Listed(list)) };
    let spec = |spec: Spec, effect| offer(spec, effect);
    vec![
        spec(specs::apps_list(), Effect::Read),
        spec(specs::app_status(listed(apps())), Effect::Read),
        spec(specs::app_logs(listed(apps())), Effect::Read),
        spec(specs::app_start(listed(apps())), Effect::Write),
        spec(specs::app_stop(listed(apps())), Effect::Write),
        spec(specs::app_restart(listed(apps())), Effect::Write),
        spec(specs::system_status(), Effect::Read),
        spec(specs::disk_status(), Effect::Read),
        spec(specs::setting_get(listed(keys())), Effect::Read),
        spec(specs::settings_list(), Effect::Read),
        spec(specs::setting_set(listed(keys()), listed(values())), Effect::Write),
        spec(specs::network_status(), Effect::Read),
        spec(specs::peers_list(), Effect::Read),
        spec(specs::bitcoin_status(), Effect::Read),
        spec(specs::balances(), Effect::Read),
        spec(specs::files_list(listed(folders())), Effect::Read),
        spec(specs::files_search(), Effect::Read),
        spec(specs::file_read(), Effect::Read),
        spec(specs::notes_search(), Effect::Read),
        spec(specs::node_search(), Effect::Read),
        spec(specs::assistant_status(), Effect::Read),
    ]
}

/// `spec` with what its sources list now.
pub(super) fn offer(spec: Spec, effect: Effect) -> Offer {
    let caller = Caller::owner();
    let candidates = spec
        .slots()
        .iter()
        .map(|slot| match &slot.kind {
            SlotKind::Live(source) => ready(source.list(&caller)).into(),
            SlotKind::Fixed(list) => Arc::clone(list),
            SlotKind::Number | SlotKind::Words => Arc::from([]),
        })
        .collect();
    Offer { spec: Arc::new(spec), effect, schema: Arc::new(Json::Null), candidates }
}

fn ready(mut answer: Answer<'_, Vec<Candidate>>) -> Vec<Candidate> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match answer.as_mut().poll(&mut context) {
        std::task::Poll::Ready(list) => list.unwrap_or_default(),
        std::task::Poll::Pending => Vec::new(),
    }
}

/// What came of a conversation: all calls in order, and whether its last turn asked back.
#[derive(Debug, PartialEq)]
pub(super) struct Ran {
    pub(super) calls: Vec<(String, Json)>,
    pub(super) asked: bool,
}

/// Says `turns` one after the other, with empty results between.
pub(super) fn run(turns: &[&str], tools: &[Offer], elsewhere: &[Elsewhere]) -> Ran {
    let mut messages: Vec<Message> = Vec::new();
    let mut ran = Ran { calls: Vec::new(), asked: false };
    let label = Label::default();
    for said in turns {
        let understood = understand(said, tools, elsewhere, &messages);
        messages.push(Message { label, content: Content::Said((*said).to_owned()) });
        ran.asked = matches!(understood, Understood::Ask { .. } | Understood::Guess { .. });
        let Understood::Calls(calls) = understood else {
            messages.push(Message {
                label,
                content: Content::Reply {
                    text: Sentence::plain("…"), calls: Vec::new(), opaque: Vec::new()
                },
            });
            continue;
        };
        let numbered = |(place, (tool, args)): (usize, &(String, String))| ToolCall {
            id: CallId(u32::try_from(place).unwrap()),
            tool: tool.clone(),
            args: args.clone(),
        };
        let made: Vec<ToolCall> = calls.iter().enumerate().map(numbered).collect();
        messages.push(Message {
            label,
            content: Content::Reply { text: Sentence::default(), calls: made.clone(), opaque: Vec::new() },
        });
        for call in made {
            messages.push(Message {
                label,
                content: Content::Result {
                    call: call.id,
                    tool: call.tool,
                    outcome: Outcome::Done(Datum::None),
                    fence: 0,
                },
            });
        }
        messages.push(Message {
            label,
            content: Content::Reply { text: Sentence::plain("Done."), calls: Vec::new(), opaque: Vec::new() },
        });
        ran.calls.extend(calls.into_iter().map(|(tool, args)| (tool, serde_json::from_str(&args).unwrap())));
    }
    ran
}

/// The figures of a set of cases, and what went wrong in it.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) cases: usize,
    pub(super) exact: usize,
    pub(super) wrong_writes: Vec<String>,
    pub(super) wrong: Vec<String>,
}

/// Runs the cases of a JSONL text.
pub(super) fn report(cases: &str) -> Report {
    let (tools, elsewhere) = (offers(), specs::elsewhere());
    let writes: HashSet<&str> =
        tools.iter().filter(|offer| offer.effect == Effect::Write).map(|offer| offer.spec.name()).collect();
    let mut report = Report::default();
    for line in cases.lines().filter(|line| !line.trim().is_empty()) {
        let case: Json = serde_json::from_str(line).unwrap();
        let turns: Vec<&str> =
            case["say"].as_array().unwrap().iter().map(|said| said.as_str().unwrap()).collect();
        let ran = run(&turns, &tools, &elsewhere);
        let expected: Vec<(String, Json)> = case["expect"].as_array().map_or_else(Vec::new, |calls| {
            calls
                .iter()
                .map(|call| (call["tool"].as_str().unwrap().to_owned(), call["args"].clone()))
                .collect()
        });
        let asks = case["expect"] == "ask";
        report.cases += 1;
        let mut open = expected.clone();
        let unexpected = ran.calls.iter().any(|call| {
            let known = open.iter().position(|expected| expected == call).map(|place| open.remove(place));
            writes.contains(call.0.as_str()) && known.is_none()
        });
        let told = format!("{turns:?}\n    expected {}\n    got {ran:?}", case["expect"]);
        if unexpected {
            report.wrong_writes.push(told.clone());
        }
        if ran.calls == expected && (!asks || ran.asked) {
            report.exact += 1;
        } else {
            report.wrong.push(told);
        }
    }
    report
}

/// Runs a case file of the repository.
fn judged(file: &str) -> Report {
    let path = format!("{}/../evals/cases/{file}", env!("CARGO_MANIFEST_DIR"));
    let report = report(&std::fs::read_to_string(path).unwrap());
    for wrong in &report.wrong {
        println!("{wrong}");
    }
    println!(
        "{file}: exact {} of {}, wrong writes {}",
        report.exact,
        report.cases,
        report.wrong_writes.len()
    );
    report
}

#[test]
fn the_request_cases_are_understood_and_none_is_a_wrong_write() {
    for file in ["requests.jsonl", "more-requests.jsonl"] {
        let report = judged(file);
        assert_eq!(report.wrong_writes, Vec::<String>::new());
        assert!(report.exact * 100 >= report.cases * 95, "{} of {}", report.exact, report.cases);
    }
}
