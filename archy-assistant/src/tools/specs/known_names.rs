//! What people call common settings and their values, added to what the host lists. Only values that the host lists are
//! named, so that nothing becomes possible by a name.

use std::sync::Arc;

use crate::host::Answer;
use crate::{Caller, Candidate, Candidates, Source};

/// A host's setting keys or values, each also under its common names.
pub(super) struct Named(Arc<dyn Candidates>);

/// `source` with the names that people use.
pub(super) fn named(source: Arc<dyn Candidates>) -> Arc<dyn Candidates> {
    Arc::new(Named(source))
}

impl Candidates for Named {
    fn list<'a>(&'a self, caller: &'a Caller) -> Answer<'a, Vec<Candidate>> {
        Box::pin(async move {
            let listed = self.0.list(caller).await?;
            Ok(listed.into_iter().map(with_names).collect())
        })
    }
}

fn goes_with(candidate: &Candidate) -> Option<&str> {
    candidate.goes_with.as_ref().map(|(_, key)| key.as_str())
}

fn with_names(mut candidate: Candidate) -> Candidate {
    let names: &[(&str, &str)] = match goes_with(&candidate) {
        None => KEYS,
        Some("language") => LANGUAGES,
        Some("theme") => THEMES,
        Some("log_level") => LEVELS,
        Some("timezone") => {
            // A city is a name of its zone.
            if let Some((_, city)) = candidate.value.clone().rsplit_once('/') {
                candidate = candidate.called(city.replace('_', " "), Source::Setting);
            }
            PLACES
        }
        Some(_) => &[],
    };
    let value = candidate.value.clone();
    for (_, known) in names.iter().filter(|(name, _)| *name == value) {
        for name in known.split(", ") {
            candidate = candidate.called(name, Source::Setting);
        }
    }
    candidate
}

const KEYS: &[(&str, &str)] = &[
    (
        "hostname",
        "host name, machine called, node called, box called, server called, computer called, node name, machine name, server name, device name, computer name, box name, name of the node, name of this node, name of the machine, name of the box, name of the server, name of this machine, name of this box, name of this server, node's name, box's name, machine's name",
    ),
    ("timezone", "time zone, clock, time zone setting, local time zone"),
    (
        "language",
        "interface language, interface, ui language, display language, system language, locale, lang, ui",
    ),
    (
        "theme",
        "dark mode, light mode, dark theme, light theme, night mode, day mode, colour scheme, color scheme, appearance, colours, colors, look of the page, color theme, colour theme",
    ),
    (
        "log_level",
        "logging level, loglevel, verbosity, logging, log verbosity, level of logging, debug level, log detail, logging verbosity, log levels",
    ),
];

const THEMES: &[(&str, &str)] = &[
    ("dark", "dark mode, night mode, dark theme, black, night"),
    ("light", "light mode, day mode, light theme, bright, white, bright mode"),
];

const LEVELS: &[(&str, &str)] = &[
    ("error", "errors, errors only, only errors, error only"),
    ("warn", "warning, warnings, warnings only"),
    ("info", "information, informational"),
    ("debug", "debugging, debug mode"),
    ("trace", "tracing"),
];

const LANGUAGES: &[(&str, &str)] = &[
    ("ar", "arabic"),
    ("bg", "bulgarian"),
    ("ca", "catalan"),
    ("cs", "czech"),
    ("da", "danish"),
    ("de", "german, deutsch"),
    ("el", "greek"),
    ("en", "english"),
    ("es", "spanish, español, espanol, castilian"),
    ("et", "estonian"),
    ("fi", "finnish"),
    ("fr", "french, français, francais"),
    ("he", "hebrew"),
    ("hi", "hindi"),
    ("hr", "croatian"),
    ("hu", "hungarian"),
    ("id", "indonesian"),
    ("it", "italian, italiano"),
    ("ja", "japanese"),
    ("ko", "korean"),
    ("lt", "lithuanian"),
    ("lv", "latvian"),
    ("nb", "norwegian, bokmål"),
    ("nl", "dutch, nederlands"),
    ("no", "norwegian"),
    ("pl", "polish, polski"),
    ("pt", "portuguese, português, portugues"),
    ("pt-BR", "brazilian, brazilian portuguese"),
    ("ro", "romanian"),
    ("ru", "russian"),
    ("sk", "slovak"),
    ("sl", "slovenian"),
    ("sr", "serbian"),
    ("sv", "swedish, svenska"),
    ("th", "thai"),
    ("tr", "turkish"),
    ("uk", "ukrainian"),
    ("vi", "vietnamese"),
    ("zh", "chinese, mandarin"),
];

const PLACES: &[(&str, &str)] = &[
    ("UTC", "gmt, utc, zulu, coordinated universal time"),
    ("Europe/Berlin", "german time, germany"),
    ("Europe/London", "uk time, british time"),
    ("Europe/Paris", "french time, france"),
    ("America/New_York", "eastern time, new york city, nyc"),
    ("America/Chicago", "central time"),
    ("America/Denver", "mountain time"),
    ("America/Los_Angeles", "pacific time, la, san francisco"),
    ("Asia/Tokyo", "japan"),
    ("Asia/Kolkata", "india"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_called_by_its_city_and_a_language_by_its_name() {
        let berlin = with_names(Candidate::new("Europe/Berlin").goes_with("key", "timezone"));
        let german = with_names(Candidate::new("de").goes_with("key", "language"));
        assert_eq!((berlin.names.len(), german.names.len()), (3, 2));
        assert_eq!(with_names(Candidate::new("unheard-of")), Candidate::new("unheard-of"));
    }
}
