//! Who: names in roles, out of what tags write in one line or in several.
//!
//! A tag that lists names is believed. One line is split only where no name is written that way: at `; `, ` feat. `,
//! ` ft. ` and ` featuring `. Never at `/`, `&` or `,`: AC/DC, Simon & Garfunkel, Earth, Wind & Fire. The exception
//! is evidence: as many `MusicBrainz` ids as names.

use crate::{Credit, Role};

/// No track has more artists than this that anyone would look for.
const MOST: usize = 64;

/// What the tags say of the artists of one thing: a track, or an album.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Said<'a> {
    /// ARTIST: what the sleeve prints, or several names.
    pub(crate) shown: &'a [String],
    /// ARTISTS: the names one by one.
    pub(crate) listed: &'a [String],
    /// How they sort, in one line or several.
    pub(crate) sort: &'a [String],
    /// Their ids, in one line or several.
    pub(crate) ids: &'a [String],
}

/// The credit as it is shown, and each name in it.
pub(crate) fn artists(said: Said<'_>) -> (Option<String>, Vec<Credit>) {
    let ids: Vec<String> = said.ids.iter().flat_map(|text| ids(text)).collect();
    let shown = match said.shown {
        [] => (!said.listed.is_empty()).then(|| said.listed.join(", ")),
        [one] => Some(one.clone()),
        // A real list: shown as lists are.
        several => Some(several.join(", ")),
    };
    let line = said.shown.first().map(String::as_str).unwrap_or_default();
    let mut credits = match (said.listed, said.shown) {
        ([], []) => Vec::new(),
        ([], [one]) => one_line(one, ids.len()),
        ([one], _) => one_line(one, ids.len().max(1)),
        ([], several) | (several, _) => several.iter().map(|name| credit(name, Role::Main)).collect(),
    };
    for one in &mut credits {
        if said.listed.len() > 1 && said.shown.len() == 1 && is_featured(line, &one.name) {
            one.role = Role::Featured;
        }
    }
    distinct(&mut credits);
    if ids.len() == credits.len() {
        credits.iter_mut().zip(ids).for_each(|(credit, id)| credit.musicbrainz = Some(id));
    }
    let sorts: Vec<&str> = match said.sort {
        [one] if credits.len() > 1 => one.split("; ").collect(),
        several => several.iter().map(String::as_str).collect(),
    };
    if sorts.len() == credits.len() {
        for (credit, sort) in credits.iter_mut().zip(sorts) {
            credit.sort = (sort.trim() != credit.name).then(|| sort.trim().to_owned());
        }
    }
    (shown, credits)
}

/// Adds the guests that only a title names: `Song (feat. Guest)`.
pub(crate) fn add_from_title(title: &str, credits: &mut Vec<Credit>) {
    for guest in guests(title) {
        if credits.len() < MOST && !credits.iter().any(|credit| same(&credit.name, &guest)) {
            credits.push(credit(&guest, Role::Featured));
        }
    }
}

/// A name alone in a role.
pub(crate) fn credit(name: &str, role: Role) -> Credit {
    Credit { name: name.trim().to_owned(), sort: None, musicbrainz: None, role }
}

/// Every name once per role.
pub(crate) fn distinct(credits: &mut Vec<Credit>) {
    let mut kept = Vec::<Credit>::new();
    for credit in credits.drain(..) {
        let again = |known: &Credit| known.role == credit.role && known.name == credit.name;
        if !credit.name.is_empty() && kept.len() < MOST && !kept.iter().any(again) {
            kept.push(credit);
        }
    }
    *credits = kept;
}

/// Ids in any writing: `id`, `id/id`, `id; id`. In lower case, with hyphens.
pub(crate) fn ids(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = text.split(|c: char| !(c.is_ascii_hexdigit() || c == '-'));
    parts.filter(|part| is_id(part)).map(str::to_ascii_lowercase)
}

fn is_id(text: &str) -> bool {
    let groups = text.split('-').map(str::len);
    text.len() == 36 && groups.eq([8, 4, 4, 4, 12])
}

/// One line of names. `ids`: how many ids the tag has for it; 0 where it has none at all.
fn one_line(line: &str, ids: usize) -> Vec<Credit> {
    if ids == 1 {
        return vec![credit(line, Role::Main)];
    }
    let certain = split(line, false);
    if ids == 0 || certain.len() == ids {
        return certain;
    }
    let wide = split(line, true);
    if wide.len() == ids { wide } else { certain }
}

fn split(line: &str, wide: bool) -> Vec<Credit> {
    let (main, guests) = featuring(line);
    let mut credits = Vec::new();
    for (part, role) in [(Some(main), Role::Main), (guests, Role::Featured)] {
        let mut names =
            part.into_iter().flat_map(|part| part.split("; ")).map(str::to_owned).collect::<Vec<_>>();
        if wide {
            for joiner in [" / ", "/", ", ", " & ", " + ", " and ", " x ", " vs. ", " vs ", " with "] {
                names = names.iter().flat_map(|name| name.split(joiner)).map(str::to_owned).collect();
            }
        }
        credits.extend(names.iter().map(|name| credit(name.trim_end_matches(';'), role.clone())));
    }
    distinct(&mut credits);
    credits
}

/// What stands before the first word for “with a guest”, and what after it.
fn featuring(line: &str) -> (&str, Option<&str>) {
    let lower = line.to_ascii_lowercase();
    let marks = [
        " feat. ",
        " feat ",
        " ft. ",
        " featuring ",
        " (feat. ",
        " (ft. ",
        " (featuring ",
        " [feat. ",
        " [ft. ",
    ];
    let first = marks.iter().filter_map(|mark| Some((lower.find(mark)?, mark.len()))).min();
    match first {
        Some((at, long)) if at > 0 && at + long < line.len() => {
            (&line[..at], Some(line[at + long..].trim_end_matches([')', ']'])))
        }
        _ => (line, None),
    }
}

/// The guests in brackets in a title, or after ` feat. ` at its end.
fn guests(title: &str) -> Vec<String> {
    let lower = title.to_ascii_lowercase();
    for (open, close) in [("(", ')'), ("[", ']')] {
        for mark in ["feat. ", "ft. ", "featuring "] {
            if let Some(at) = lower.find(&format!("{open}{mark}")) {
                let inside = &title[at + open.len() + mark.len()..];
                let inside = inside.split(close).next().unwrap_or_default();
                return names(inside);
            }
        }
    }
    // Without brackets only the abbreviations: “featuring” is a word that titles use.
    let bare = [" feat. ", " ft. "].iter().filter_map(|mark| Some((lower.find(mark)?, mark.len()))).min();
    bare.map(|(at, long)| names(&title[at + long..])).unwrap_or_default()
}

fn names(text: &str) -> Vec<String> {
    text.split("; ").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn is_featured(line: &str, name: &str) -> bool {
    let (main, guests) = featuring(line);
    guests.is_some_and(|guests| guests.contains(name)) && !main.contains(name)
}

fn same(one: &str, other: &str) -> bool {
    one == other || one.to_lowercase() == other.to_lowercase()
}

#[cfg(test)]
#[path = "credits_tests.rs"]
mod tests;
