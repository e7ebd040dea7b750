//! Whether the page, its parts and the frame are there, are the right ones, and come under their headers.

use archy_web::{Kind, Listed, ORIGIN};
use reqwest::Url;

use super::Wanted;
use super::ask::{Asker, Said};
use super::check::Check;
use super::headers::{self, Difference};
use super::page_parts::named;
use super::target::Target;
use crate::cli::program;

/// How a browser asks for the page.
pub(super) const AS_PAGE: [(&str, &str); 3] =
    [("sec-fetch-dest", "document"), ("sec-fetch-mode", "navigate"), ("sec-fetch-site", "none")];
/// How it asks for the frame of the page.
pub(super) const AS_FRAME: [(&str, &str); 3] =
    [("sec-fetch-dest", "iframe"), ("sec-fetch-mode", "navigate"), ("sec-fetch-site", "same-origin")];
const AS_SCRIPT: [(&str, &str); 3] =
    [("sec-fetch-dest", "script"), ("sec-fetch-mode", "cors"), ("sec-fetch-site", "same-origin")];
const AS_STYLE: [(&str, &str); 3] =
    [("sec-fetch-dest", "style"), ("sec-fetch-mode", "no-cors"), ("sec-fetch-site", "same-origin")];

pub(super) async fn checks(asker: &Asker, target: &Target, wanted: &Wanted) -> Vec<Check> {
    let manifest = wanted.manifest();
    if manifest.base() != target.base() {
        let (theirs, ours) = (manifest.base(), target.base());
        return vec![Check::fail(
            "assets",
            format!(
                "the manifest is for a page below {theirs}, and the page that is looked at is below {ours}"
            ),
            format!(
                "Export it for this path (web export --base {ours}), or look below the other: --base {theirs}"
            ),
        )];
    }
    let mut found = Found::default();
    let mut served = Vec::new();
    for listed in manifest.files() {
        let said = asker.get(&target.below(&listed.path), as_browser(listed)).await;
        if let Some(said) = found.file(target, listed, said) {
            served.push((listed, said));
        }
    }
    if let Some((_, page)) = served.iter().find(|(listed, _)| listed.kind == Kind::Page) {
        found.foreign = foreign(target, &String::from_utf8_lossy(&page.body), manifest.files());
    }
    let mut checks = found.checks(wanted);
    for kind in [Kind::Frame, Kind::Page, Kind::Part] {
        let of_kind = served.iter().filter(|(listed, _)| listed.kind == kind);
        checks.extend(header_check(target, kind, of_kind));
    }
    checks
}

fn as_browser(listed: &Listed) -> &'static [(&'static str, &'static str)] {
    match listed.kind {
        Kind::Page => &AS_PAGE,
        Kind::Frame => &AS_FRAME,
        Kind::Part if listed.headers.get("content-type").is_some_and(|kind| kind.starts_with("text/css")) => {
            &AS_STYLE
        }
        Kind::Part => &AS_SCRIPT,
    }
}

/// What is wrong with the files, as paths with what was found.
#[derive(Debug, Default)]
struct Found {
    missing: Vec<String>,
    stale: Vec<String>,
    foreign: Vec<String>,
}

impl Found {
    /// The answer, where some file came.
    fn file(&mut self, target: &Target, listed: &Listed, said: Result<Said, String>) -> Option<Said> {
        let path = format!("{}{}", target.base(), listed.path);
        let said = match said {
            Ok(said) if said.status == 200 => said,
            Ok(said) => {
                self.missing.push(format!("{path} ({})", said.status));
                return None;
            }
            Err(why) => {
                self.missing.push(format!("{path} ({why})"));
                return None;
            }
        };
        if listed.is(&said.body) {
            return Some(said);
        }
        if listed.kind == Kind::Part && said.is_page() {
            self.missing.push(format!("{path} (a web page comes in its place)"));
            return None;
        }
        self.stale.push(path);
        Some(said)
    }

    fn checks(&self, wanted: &Wanted) -> Vec<Check> {
        let manifest = wanted.manifest();
        let (whose, count) = (whose(wanted), manifest.files().len());
        let again = match wanted {
            Wanted::Own(_) => format!(
                "Run this version there, or copy its files out ({} web export DIR --base {} --commit SHA)",
                program(),
                manifest.base()
            ),
            Wanted::Exported(_) => "Copy the exported files there again, all of them".to_owned(),
        };
        let mut checks = Vec::new();
        if !self.missing.is_empty() {
            checks.push(Check::fail(
                "assets",
                format!("missing: {}", self.missing.join(", ")),
                again.clone(),
            ));
        }
        if !self.stale.is_empty() {
            let says = format!("stale, other than {whose}: {}", self.stale.join(", "));
            checks.push(Check::fail("assets", says, again));
        }
        if !self.foreign.is_empty() {
            checks.push(Check::fail(
                "assets",
                format!("foreign, named by the page and not of {whose}: {}", self.foreign.join(", ")),
                "See who changed the page; until then log in nowhere on it",
            ));
        }
        if checks.is_empty() {
            let says = format!("all {count} files below {} are {whose}", manifest.base());
            checks.push(Check::ok("assets", says));
        }
        checks
    }
}

fn whose(wanted: &Wanted) -> String {
    let manifest = wanted.manifest();
    match wanted {
        Wanted::Own(_) => format!("this program's ({})", manifest.version()),
        Wanted::Exported(_) => {
            format!("the manifest's ({}, commit {})", manifest.version(), manifest.commit())
        }
    }
}

/// What the page loads and the manifest does not have.
fn foreign(target: &Target, page: &str, files: &[Listed]) -> Vec<String> {
    let Ok(url) = Url::parse(&target.below("")) else { return Vec::new() };
    let is_listed = |named: &Url| files.iter().any(|listed| target.below(&listed.path) == named.as_str());
    named(page, &url).iter().filter(|named| !is_listed(named)).map(Url::to_string).collect()
}

/// The headers of the files of one kind.
fn header_check<'a>(
    target: &Target,
    kind: Kind,
    served: impl Iterator<Item = &'a (&'a Listed, Said)>,
) -> Option<Check> {
    let (check, whose) = match kind {
        Kind::Page => ("page-headers", "the page"),
        Kind::Frame => ("frame-headers", "the frame"),
        Kind::Part => ("part-headers", "the scripts and styles"),
    };
    let (mut weaker, mut other, mut any) = (Vec::new(), Vec::new(), false);
    for (listed, said) in served {
        any = true;
        for (name, value) in &listed.headers {
            let wanted = value.replace(ORIGIN, target.origin());
            let of = if kind == Kind::Part { format!("{}: ", listed.path) } else { String::new() };
            match headers::difference(name, &wanted, &said.headers) {
                None => {}
                Some(Difference::Weaker(what)) => weaker.push(format!("{of}{what}")),
                Some(Difference::Other(what)) => other.push(format!("{of}{what}")),
            }
        }
    }
    let remedy = "Serve it under the headers that the manifest of web export has for it, and let no other in between change \
                  them";
    match () {
        () if !any => None,
        () if !weaker.is_empty() => Some(Check::fail(
            check,
            format!(
                "the headers of {whose} are not the strict ones: {}",
                [weaker, other].concat().join("; ")
            ),
            remedy,
        )),
        () if !other.is_empty() => Some(Check::warn(
            check,
            format!("the headers of {whose} are others: {}", other.join("; ")),
            remedy,
        )),
        () => Some(Check::ok(check, format!("the headers of {whose} are the strict ones"))),
    }
}
