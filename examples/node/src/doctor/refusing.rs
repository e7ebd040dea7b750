//! Whether page and frame are given only to those requests that may have them.

use archy_web::{Kind, Listed};

use super::Wanted;
use super::ask::{Asker, Headers};
use super::assets::{AS_FRAME, AS_PAGE};
use super::check::Check;
use super::target::Target;

/// A frame that navigates itself asks so.
const AS_ITSELF: [(&str, &str); 3] =
    [("sec-fetch-dest", "iframe"), ("sec-fetch-mode", "navigate"), ("sec-fetch-site", "cross-site")];

pub(super) async fn check(asker: &Asker, target: &Target, wanted: &Wanted) -> Check {
    let of = |kind| wanted.manifest().files().iter().find(|listed| listed.kind == kind);
    let asks: [(Kind, &str, &Headers<'_>, &str); 5] = [
        (Kind::Frame, "", &[], "the frame to a request without Sec-Fetch-Dest: iframe"),
        (Kind::Frame, "", &AS_PAGE, "the frame to a tab of its own"),
        (Kind::Frame, "", &AS_ITSELF, "the frame to one that navigates itself"),
        (Kind::Frame, "?a", &AS_FRAME, "the frame with a query"),
        (Kind::Page, "", &AS_FRAME, "the page to a frame"),
    ];
    let mut given = Vec::new();
    for (kind, query, headers, what) in asks {
        let Some(listed) = of(kind) else { continue };
        if is_given(asker, &format!("{}{query}", target.below(&listed.path)), headers, listed).await {
            given.push(what);
        }
    }
    if given.is_empty() {
        return Check::ok("requests", "page and frame are given only to the requests that may have them");
    }
    let says = format!("given: {}", given.join("; "));
    match wanted {
        // A host that copies files mostly cannot tell.
        Wanted::Exported(_) => Check::warn(
            "requests",
            says,
            "Where the web server can, let it answer by Sec-Fetch-Dest and Sec-Fetch-Site; otherwise what the frame knows could \
             be written into an address of this node",
        ),
        Wanted::Own(_) => Check::fail(
            "requests",
            says,
            "Answer by Sec-Fetch-Dest and Sec-Fetch-Site as archy-node serve does; for a web server that only copies files look \
             with --manifest FILE",
        ),
    }
}

async fn is_given(asker: &Asker, url: &str, headers: &Headers<'_>, listed: &Listed) -> bool {
    // A stale one counts too.
    let is_frame = |body: &[u8]| String::from_utf8_lossy(body).contains("<title>Chat</title>");
    let is_it = |body: &[u8]| listed.is(body) || (listed.kind == Kind::Frame && is_frame(body));
    asker.get(url, headers).await.is_ok_and(|said| said.status == 200 && is_it(&said.body))
}
