//! What languages are called, in English and by those who speak them.

/// The names for a language's code; for a code with a region (`pt-BR`) those of the language.
pub(super) fn names(code: &str) -> &'static [&'static str] {
    let language = code.split(['-', '_']).next().unwrap_or_default();
    NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(language)).map_or(&[], |(_, names)| names)
}

const NAMES: [(&str, &[&str]); 36] = [
    ("ar", &["Arabic", "العربية"]),
    ("bg", &["Bulgarian", "български"]),
    ("ca", &["Catalan", "català"]),
    ("cs", &["Czech", "čeština"]),
    ("da", &["Danish", "dansk"]),
    ("de", &["German", "Deutsch"]),
    ("el", &["Greek", "ελληνικά"]),
    ("en", &["English"]),
    ("es", &["Spanish", "español"]),
    ("et", &["Estonian", "eesti"]),
    ("fa", &["Persian", "Farsi", "فارسی"]),
    ("fi", &["Finnish", "suomi"]),
    ("fr", &["French", "français"]),
    ("he", &["Hebrew", "עברית"]),
    ("hi", &["Hindi", "हिन्दी"]),
    ("hr", &["Croatian", "hrvatski"]),
    ("hu", &["Hungarian", "magyar"]),
    ("id", &["Indonesian", "bahasa Indonesia"]),
    ("it", &["Italian", "italiano"]),
    ("ja", &["Japanese", "日本語"]),
    ("ko", &["Korean", "한국어"]),
    ("lt", &["Lithuanian", "lietuvių"]),
    ("lv", &["Latvian", "latviešu"]),
    ("nl", &["Dutch", "Nederlands"]),
    ("no", &["Norwegian", "norsk"]),
    ("pl", &["Polish", "polski"]),
    ("pt", &["Portuguese", "português"]),
    ("ro", &["Romanian", "română"]),
    ("ru", &["Russian", "русский"]),
    ("sk", &["Slovak", "slovenčina"]),
    ("sl", &["Slovenian", "slovenščina"]),
    ("sv", &["Swedish", "svenska"]),
    ("tr", &["Turkish", "Türkçe"]),
    ("uk", &["Ukrainian", "українська"]),
    ("vi", &["Vietnamese", "tiếng Việt"]),
    ("zh", &["Chinese", "中文"]),
];
