//! The files of the page and its frame, each under its headers.

use std::collections::HashMap;

use archy_web::{BASE, File, Kind, Site};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};

use super::answer::plain;
use super::gate::Name;
use crate::exit::Trouble;

/// The files for each name by which a browser may call this machine.
pub(super) struct Files {
    address: HashMap<&'static str, File>,
    localhost: HashMap<&'static str, File>,
}

const DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The destinations that would put the page into another one.
const INTO_ANOTHER: [&[u8]; 5] = [b"iframe", b"frame", b"embed", b"object", b"fencedframe"];

impl Files {
    pub(super) fn new(port: u16) -> Result<Self, Trouble> {
        let files = |name: Name| -> Result<HashMap<&'static str, File>, Trouble> {
            let site = Site::new(&name.origin(port), BASE).map_err(|bad| Trouble::failed(bad.to_string()))?;
            Ok(site.files().into_iter().map(|file| (file.path, file)).collect())
        };
        let [address, localhost] = Name::ALL.map(files);
        Ok(Self { address: address?, localhost: localhost? })
    }

    /// What stands at an address, for a request with these headers.
    pub(super) fn answer(&self, name: Name, uri: &Uri, headers: &HeaderMap) -> Response {
        // Never below the base path: after a redirect a browser forgets to which path a frame was pinned.
        if uri.path() == "/" || uri.path() == BASE.trim_end_matches('/') {
            return Redirect::to(BASE).into_response();
        }
        let files = match name {
            Name::Address => &self.address,
            Name::Localhost => &self.localhost,
        };
        let Some(file) = uri.path().strip_prefix(BASE).and_then(|path| files.get(path)) else {
            return plain(StatusCode::NOT_FOUND, "there is nothing here");
        };
        let said = |name: &HeaderName| headers.get(name).map(HeaderValue::as_bytes);
        let (dest, site) = (said(&DEST), said(&SITE));
        let from_here = site == Some(b"same-origin");
        // No browser, or a person who has typed the address or clicked on a link that is in no page.
        let from_nowhere = site.is_none_or(|site| site == b"none");
        let given = match file.kind {
            // A frame that navigates itself asks as `cross-site`, and could say something in a query.
            Kind::Frame => dest == Some(b"iframe") && from_here && uri.query().is_none(),
            Kind::Page => {
                dest.is_none_or(|dest| !INTO_ANOTHER.contains(&dest)) && (from_here || from_nowhere)
            }
            Kind::Part => from_here || from_nowhere,
        };
        if !given {
            return plain(
                StatusCode::FORBIDDEN,
                "this is not given to you here: open the page by its address",
            );
        }
        let mut answer = file.body.clone().into_owned().into_response();
        answer.headers_mut().clear();
        for (name, value) in &file.headers {
            if let Ok(value) = HeaderValue::from_str(value) {
                answer.headers_mut().insert(*name, value);
            }
        }
        answer
    }
}
