//! Genres by name: the codes that old tags hold are resolved, and what only looks like one is not.

/// The list of ID3v1 with Winamp's extensions, by code.
const NAMES: &str = include_str!("genre_list.txt");

/// No file has more genres than this that mean something.
const MOST: usize = 32;

/// The names in a tag's values, each once, in their order. `17`, `(17)`, `(4)Eurodisco`, `(51)(39)` and `RX` are
/// codes; `20er Jahre` is a name, and so is a number that stands for nothing. `255` is “none”.
pub(crate) fn names<'a>(values: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut names = Vec::<String>::new();
    let mut add = |name: &str| {
        let name = name.trim();
        let new = || !names.iter().any(|known| known.to_lowercase() == name.to_lowercase());
        if !name.is_empty() && names.len() < MOST && new() {
            names.push(name.to_owned());
        }
    };
    for value in values {
        value.split(';').for_each(|one| resolve(one.trim(), &mut add));
    }
    names
}

fn resolve(text: &str, add: &mut impl FnMut(&str)) {
    let mut rest = text;
    // What is written behind a code says more than the code.
    let mut code = None;
    while let Some((inside, after)) = rest.strip_prefix('(').and_then(|open| open.split_once(')')) {
        let Some(name) = named(inside) else { break };
        code.into_iter().for_each(&mut *add);
        code = Some(name);
        rest = after;
    }
    if let Some(escaped) = rest.strip_prefix("((") {
        return add(&format!("({escaped}"));
    }
    match named(rest) {
        Some(name) => add(name),
        None if rest.is_empty() => code.into_iter().for_each(add),
        None => {
            // `(4)Disco` says the same twice, and `(4)Eurodisco` means the finer one.
            add(rest);
        }
    }
}

/// What a whole text means as a code. Empty for the code that means no genre; None where it is no code.
fn named(code: &str) -> Option<&'static str> {
    match code {
        "RX" => Some("Remix"),
        "CR" => Some("Cover"),
        _ if code.is_empty() || code.len() > 3 || !code.bytes().all(|byte| byte.is_ascii_digit()) => None,
        _ => match code.parse() {
            Ok(255) => Some(""),
            Ok(number) => NAMES.lines().nth(number),
            Err(_) => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_names_and_names_stay() {
        let table: &[(&[&str], &[&str])] = &[
            (&["17"], &["Rock"]),
            (&["0"], &["Blues"]),
            (&["191"], &["Psybient"]),
            (&["(17)"], &["Rock"]),
            (&["(4)Eurodisco"], &["Eurodisco"]),
            (&["(51)(39)"], &["Techno-Industrial", "Noise"]),
            (&["(51)39"], &["Noise"]),
            (&["RX"], &["Remix"]),
            (&["(RX)"], &["Remix"]),
            (&["CR"], &["Cover"]),
            (&["255"], &[]),
            (&["(255)"], &[]),
            (&["192"], &["192"]),
            (&["(155)"], &["Downtempo"]),
            (&["20er Jahre"], &["20er Jahre"]),
            (&["80s"], &["80s"]),
            (&["((Foo)"], &["(Foo)"]),
            (&["(Foo)"], &["(Foo)"]),
            (&["Rock; Pop;rock"], &["Rock", "Pop"]),
            (&["Hip-Hop/Rap", "R&B/Soul"], &["Hip-Hop/Rap", "R&B/Soul"]),
            (&["17", "Rock", "ROCK"], &["Rock"]),
            (&["", " ", ";"], &[]),
        ];
        for (values, wanted) in table {
            assert_eq!(names(values.iter().copied()), *wanted, "{values:?}");
        }
    }

    #[test]
    fn the_list_is_whole() {
        assert_eq!(NAMES.lines().count(), 192);
        assert_eq!(
            [17, 79, 125, 144, 155].map(|code| NAMES.lines().nth(code)),
            ["Rock", "Hard Rock", "Dance Hall", "Thrash Metal", "Downtempo"].map(Some)
        );
    }
}
