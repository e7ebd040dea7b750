use std::ops::Range;
use std::time::Duration;

use serde::Deserialize;

/// The manifest that a fresh data directory gets.
pub(super) const HELLO: &str = r#"id = "hello"
name = "Hello"
aliases = ["hello page", "demo"]
command = ["{self}", "hello-app", "{port}"]
autostart = true
"#;

/// What an app is: one TOML file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    /// The file's name without `.toml`.
    pub(super) id: String,
    /// For people; anything.
    pub(super) name: String,
    #[serde(default)]
    pub(super) aliases: Vec<String>,
    /// Program and arguments. An argument that is `{self}` becomes the node's own program, `{port}` in any becomes a free
    /// port of 127.0.0.1, the same at every start as long as it is free.
    pub(super) command: Vec<String>,
    /// Ids of apps that are started first.
    #[serde(default)]
    pub(super) depends_on: Vec<String>,
    #[serde(default)]
    pub(super) autostart: bool,
    /// See [`Self::stop`].
    #[serde(default = "ten")]
    pub(super) stop_seconds: u16,
}

fn ten() -> u16 {
    10
}

/// Whether `text` may be an id: it names files, and people type it.
pub(super) fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.len() <= 63
        && text.bytes().next().is_some_and(plain)
        && text.bytes().all(|byte| plain(byte) || byte == b'-')
}

impl Manifest {
    /// From SIGTERM to SIGKILL.
    pub(super) fn stop(&self) -> Duration {
        Duration::from_secs(self.stop_seconds.into())
    }

    /// Reads the text of `ID.toml`; what is wrong comes as part of a sentence.
    pub(super) fn parse(id: &str, text: &str) -> Result<Self, String> {
        let manifest: Self = toml::from_str(text).map_err(|error| {
            // What is missing lies nowhere.
            let place = error.span().filter(|_| !error.message().starts_with("missing"));
            let place = place.map_or_else(String::new, |span| self::place(text, span));
            format!("{place}{}", error.message().replace('\n', " "))
        })?;
        if manifest.id != id {
            return Err(format!("field `id`: it is {:?}, but the file's name says {id:?}", manifest.id));
        }
        if manifest.command.first().is_none_or(String::is_empty) {
            return Err("field `command`: it names no program".to_owned());
        }
        if manifest.command.iter().any(|argument| argument.contains('\0')) {
            return Err("field `command`: it holds a NUL character".to_owned());
        }
        if !(1..=600).contains(&manifest.stop_seconds) {
            return Err(format!("field `stop_seconds`: {} is not from 1 to 600", manifest.stop_seconds));
        }
        if let Some(wrong) = manifest.depends_on.iter().find(|id| !is_id(id)) {
            return Err(format!("field `depends_on`: {wrong:?} is no id (a-z, 0-9 and - make one)"));
        }
        Ok(manifest)
    }
}

/// Where an error lies: the line, and its field if the line begins with one.
fn place(text: &str, span: Range<usize>) -> String {
    let above = text.get(..span.start).unwrap_or(text).matches('\n').count();
    match text.lines().nth(above).and_then(|line| line.split_once('=')) {
        Some((field, _)) => format!("line {}, field `{}`: ", above + 1, field.trim()),
        None => format!("line {}: ", above + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_manifest_is_one() {
        let expected = Manifest {
            id: "hello".to_owned(),
            name: "Hello".to_owned(),
            aliases: vec!["hello page".to_owned(), "demo".to_owned()],
            command: vec!["{self}".to_owned(), "hello-app".to_owned(), "{port}".to_owned()],
            depends_on: vec![],
            autostart: true,
            stop_seconds: 10,
        };
        assert_eq!(Manifest::parse("hello", HELLO), Ok(expected));
    }

    #[test]
    fn what_is_wrong_names_the_field() {
        let base = "id = \"a\"\nname = \"A\"\n";
        let table = [
            ("", "missing field `command`"),
            ("command = 3", "line 3, field `command`: invalid type: integer `3`, expected a sequence"),
            ("command = []", "field `command`: it names no program"),
            ("command = [\"x\"]\nstop_seconds = 0", "field `stop_seconds`: 0 is not from 1 to 600"),
            (
                "command = [\"x\"]\ndepends_on = [\"../x\"]",
                "field `depends_on`: \"../x\" is no id (a-z, 0-9 and - make one)",
            ),
        ];
        for (rest, expected) in table {
            assert_eq!(Manifest::parse("a", &format!("{base}{rest}")), Err(expected.to_owned()));
        }
        let unknown = Manifest::parse("a", &format!("{base}command = [\"x\"]\ncolour = 1")).unwrap_err();
        assert!(unknown.starts_with("line 4, field `colour`: unknown field `colour`"), "{unknown}");
        let other = Manifest::parse("b", &format!("{base}command = [\"x\"]")).unwrap_err();
        assert_eq!(other, "field `id`: it is \"a\", but the file's name says \"b\"");
    }

    #[test]
    fn ids_are_plain() {
        for id in ["a", "0-9", "hello", &"x".repeat(63)] {
            assert!(is_id(id), "{id}");
        }
        for id in ["", "-a", "A", "a b", "..", "a/b", "ä", &"x".repeat(64)] {
            assert!(!is_id(id), "{id}");
        }
    }
}
