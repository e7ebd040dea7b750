//! Whether a header that came holds as much as the one that is wanted.

use std::collections::BTreeSet;

use reqwest::header::HeaderMap;

/// How a header differs, in words.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// It is missing, or lets something through.
    Weaker(String),
    /// It lets through less than what is needed.
    Other(String),
}

/// How what came differs from `wanted`, if it does.
pub(super) fn difference(name: &str, wanted: &str, came: &HeaderMap) -> Option<Difference> {
    let values: Vec<&str> = came.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect();
    if values.is_empty() {
        return Some(Difference::Weaker(format!("{name} is missing")));
    }
    match name {
        "content-security-policy" => policies(wanted, &values),
        "permissions-policy" => {
            let came: BTreeSet<String> = values.iter().flat_map(|value| list(value)).collect();
            let missing: Vec<_> = list(wanted).into_iter().filter(|item| !came.contains(item)).collect();
            (!missing.is_empty())
                .then(|| Difference::Weaker(format!("{name} lacks {}", missing.join(" and "))))
        }
        // More words of this one take nothing back.
        "cache-control" if values.iter().any(|value| list(value).contains(&wanted.to_owned())) => None,
        _ => {
            let same = |value: &&str| folded(value) == folded(wanted);
            // One that contradicts another may be the one that counts.
            (!values.iter().all(same))
                .then(|| Difference::Weaker(format!("{name} is {} and not {wanted}", values.join(" and "))))
        }
    }
}

fn folded(value: &str) -> String {
    value.to_ascii_lowercase().split_ascii_whitespace().collect()
}

fn list(value: &str) -> Vec<String> {
    value.split(',').map(folded).filter(|item| !item.is_empty()).collect()
}

type Policy<'a> = Vec<(String, BTreeSet<&'a str>)>;

/// A policy's directives; of one that is there twice, the first counts.
fn policy(text: &str) -> Policy<'_> {
    let mut policy: Policy = Vec::new();
    for directive in text.split(';') {
        let mut words = directive.split_ascii_whitespace();
        let Some(name) = words.next().map(str::to_ascii_lowercase) else { continue };
        if !policy.iter().any(|(known, _)| *known == name) {
            policy.push((name, words.filter(|word| *word != "'none'").collect()));
        }
    }
    policy
}

/// Every policy that came is enforced, so one that is strict enough suffices for a directive.
fn policies(wanted: &str, values: &[&str]) -> Option<Difference> {
    let came: Vec<Policy> = values.iter().flat_map(|value| value.split(',')).map(policy).collect();
    let (mut weaker, mut other) = (Vec::new(), Vec::new());
    for (name, sources) in policy(wanted) {
        let of = |policy: &'_ Policy<'_>| -> Option<BTreeSet<String>> {
            let find = |name: &str| policy.iter().find(|(known, _)| known == name);
            let falls_back = name.ends_with("-src");
            let found = find(&name).or_else(|| find("default-src").filter(|_| falls_back))?;
            Some(found.1.iter().map(|source| (*source).to_owned()).collect())
        };
        let sources: BTreeSet<String> = sources.into_iter().map(str::to_owned).collect();
        let found: Vec<_> = came.iter().filter_map(of).collect();
        // What is required is more with more words, what is allowed less.
        let is_strict = |found: &BTreeSet<String>| match name.as_str() {
            "require-trusted-types-for" => found.is_superset(&sources),
            _ => found.is_subset(&sources),
        };
        if !found.iter().any(is_strict) {
            weaker.push(match found.first() {
                None => format!("content-security-policy lacks {name}"),
                Some(found) => {
                    let more = found.difference(&sources).cloned().collect::<Vec<_>>().join(" ");
                    format!("content-security-policy has {name} with {more}")
                }
            });
        } else if !found.iter().all(|found| found.is_superset(&sources)) {
            other.push(format!("content-security-policy has {name} without what is needed"));
        }
    }
    match (weaker.is_empty(), other.is_empty()) {
        (false, _) => Some(Difference::Weaker(weaker.join("; "))),
        (true, false) => Some(Difference::Other(other.join("; "))),
        (true, true) => None,
    }
}

#[cfg(test)]
mod tests {
    use archy_web::Site;
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn came(headers: &[(&str, &str)]) -> HeaderMap {
        let header = |(name, value): &(&str, &str)| {
            (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap())
        };
        let mut map = HeaderMap::new();
        for (name, value) in headers.iter().map(header) {
            map.append(name, value);
        }
        map
    }

    fn weaker(says: &str) -> Difference {
        Difference::Weaker(says.to_owned())
    }

    #[test]
    fn every_header_that_is_missing_or_changed_is_noticed() {
        let frame = Site::new("http://127.0.0.1:1", "/aiui/").unwrap().file("frame/").unwrap();
        for (name, value) in &frame.headers {
            assert_eq!(difference(name, value, &came(&[(name, value)])), None);
            let missing = Some(weaker(&format!("{name} is missing")));
            assert_eq!(difference(name, value, &came(&[])), missing);
            let changed = difference(name, value, &came(&[(name, "other")]));
            assert!(matches!(changed, Some(Difference::Weaker(_))), "{name}: {changed:?}");
        }
    }

    #[test]
    fn a_policy_is_as_weak_as_its_directives() {
        let name = "content-security-policy";
        let wanted = "sandbox allow-scripts; default-src 'none'; img-src data:; base-uri 'none'; require-trusted-types-for 'script'";
        let of = |value: &str| difference(name, wanted, &came(&[(name, value)]));
        for (value, expected) in [
            (
                "default-src 'none'; sandbox  allow-scripts;base-uri 'none';img-src data:; require-trusted-types-for 'script';",
                None,
            ),
            (
                &*wanted.replace("base-uri 'none'; ", ""),
                Some(weaker("content-security-policy lacks base-uri")),
            ),
            (
                &*wanted.replace("allow-scripts", "allow-scripts allow-same-origin"),
                Some(weaker("content-security-policy has sandbox with allow-same-origin")),
            ),
            (
                &*wanted.replace("data:", "data: https:"),
                Some(weaker("content-security-policy has img-src with https:")),
            ),
            (
                &*wanted.replace("'script'", ""),
                Some(weaker("content-security-policy has require-trusted-types-for with ")),
            ),
            // The first of two counts, and two policies hold both.
            (&*format!("img-src *; {wanted}"), Some(weaker("content-security-policy has img-src with *"))),
            // (`*` means no data, so there is less than what is needed.)
            (
                &*format!("img-src *, {wanted}"),
                Some(Difference::Other(
                    "content-security-policy has img-src without what is needed".to_owned(),
                )),
            ),
            (&*format!("connect-src *, {wanted}"), None),
            (
                &*wanted.replace("img-src data:", "img-src 'none'"),
                Some(Difference::Other(
                    "content-security-policy has img-src without what is needed".to_owned(),
                )),
            ),
            // What is not named falls back on what is.
            (
                &*wanted.replace("img-src data:; ", ""),
                Some(Difference::Other(
                    "content-security-policy has img-src without what is needed".to_owned(),
                )),
            ),
        ] {
            assert_eq!(of(value), expected, "{value}");
        }
    }

    #[test]
    fn the_others_by_their_words() {
        for (name, wanted, value, expected) in [
            ("cache-control", "no-store", "no-cache, No-Store", None),
            (
                "cache-control",
                "no-store",
                "max-age=9",
                Some(weaker("cache-control is max-age=9 and not no-store")),
            ),
            ("content-type", "text/html; charset=utf-8", "text/html;charset=UTF-8", None),
            ("permissions-policy", "camera=(), usb=()", "usb=(),camera=( ), midi=()", None),
            (
                "permissions-policy",
                "camera=(), usb=()",
                "camera=*, usb=()",
                Some(weaker("permissions-policy lacks camera=()")),
            ),
        ] {
            assert_eq!(difference(name, wanted, &came(&[(name, value)])), expected, "{value}");
        }
        let two = came(&[("referrer-policy", "no-referrer"), ("referrer-policy", "unsafe-url")]);
        assert_eq!(
            difference("referrer-policy", "no-referrer", &two),
            Some(weaker("referrer-policy is no-referrer and unsafe-url and not no-referrer"))
        );
    }
}
