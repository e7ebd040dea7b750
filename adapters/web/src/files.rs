//! The files themselves, as they stand in this program.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::headers;
use crate::site::{BASE, Site};

/// One file as it is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Where, below the base path: `""` is the page, `"frame/"` the frame.
    pub path: &'static str,
    /// What it is.
    pub kind: Kind,
    /// All headers but its length, names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// The bytes.
    pub body: Cow<'static, str>,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The trusted page. Never answered to a request for an iframe (`Sec-Fetch-Dest`).
    Page,
    /// The chat frame. Answered only to an iframe of this very origin, without a query: `Sec-Fetch-Dest: iframe`,
    /// `Sec-Fetch-Site: same-origin`. A frame that navigates itself asks as `cross-site`.
    Frame,
    /// A script or a style sheet of the page.
    Part,
}

macro_rules! scripts {
    ($($name:literal),* $(,)?) => { [$(($name, include_str!(concat!("../page/", $name)))),*] };
}

const PAGE: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/page.css");
const SCRIPTS: [(&str, &str); 17] = scripts![
    "answering.js",
    "audit.js",
    "bridge.js",
    "browser.js",
    "conversation.js",
    "conversations.js",
    "dictation.js",
    "dom.js",
    "grants.js",
    "main.js",
    "messages.js",
    "node.js",
    "question.js",
    "questions.js",
    "session.js",
    "theme.js",
    "wire.js",
];

/// The frame's one script, from its files in this order: a module would not load under an opaque origin.
const FRAME_SCRIPT: &str = concat!(
    include_str!("../frame/bridge.js"),
    include_str!("../frame/markdown.js"),
    include_str!("../frame/chat.js")
);
const FRAME_STYLE: &str = include_str!("../frame/frame.css");

pub(crate) fn all(site: &Site) -> Vec<File> {
    let mut files = vec![
        File {
            path: "",
            kind: Kind::Page,
            headers: headers::page(site),
            body: if site.base() == BASE { PAGE.into() } else { PAGE.replace(BASE, site.base()).into() },
        },
        File {
            path: "frame/",
            kind: Kind::Frame,
            headers: headers::frame(site, FRAME_SCRIPT, FRAME_STYLE),
            body: frame().into(),
        },
    ];
    let part =
        |path, headers, text: &'static str| File { path, kind: Kind::Part, headers, body: text.into() };
    files.push(part("page.css", headers::style(), STYLE));
    files.extend(SCRIPTS.map(|(path, text)| part(path, headers::script(), text)));
    files
}

/// Script and style stand in the document: nothing can be fetched from an opaque origin, and their hashes allow them.
fn frame() -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>Chat</title>\n\
         <style>{FRAME_STYLE}</style>\n<body>\n<script>{FRAME_SCRIPT}</script>\n"
    )
}
