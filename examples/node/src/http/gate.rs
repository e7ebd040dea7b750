//! Which requests are looked at at all: those that name this host, and come from this page or from no page.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};

/// The name by which a request calls this machine, of the few that it has. Its pages' headers name the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Address,
    Localhost,
}

/// Why a request is not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stranger {
    /// It names another host: a name of somebody else's that leads here, perhaps.
    Host,
    /// A page of another origin sent it.
    Origin,
}

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

impl Name {
    pub(super) const ALL: [Self; 2] = [Self::Address, Self::Localhost];

    /// As a browser writes it in `Host`.
    pub(super) fn host(self, port: u16) -> String {
        let name = match self {
            Self::Address => "127.0.0.1",
            Self::Localhost => "localhost",
        };
        if port == 80 { name.to_owned() } else { format!("{name}:{port}") }
    }

    /// As a browser writes it in `Origin`.
    pub(super) fn origin(self, port: u16) -> String {
        format!("http://{}", self.host(port))
    }
}

/// Which name of ours it calls.
pub(super) fn named(uri: &Uri, headers: &HeaderMap, port: u16) -> Result<Name, Stranger> {
    let host = only(headers, &header::HOST).ok_or(Stranger::Host)?;
    // A request as to a proxy names a host there too.
    if uri.authority().is_some_and(|authority| authority.as_str() != host) {
        return Err(Stranger::Host);
    }
    Name::ALL.into_iter().find(|name| name.host(port) == host).ok_or(Stranger::Host)
}

/// Whether whoever sent it may do more than look at a page: the page itself, or a program that is no browser.
pub(super) fn own(method: &Method, headers: &HeaderMap, name: Name, port: u16) -> Result<(), Stranger> {
    let from_us = match (headers.contains_key(header::ORIGIN), only(headers, &header::ORIGIN)) {
        (false, _) => true,
        (true, origin) => origin == Some(&name.origin(port)),
    };
    // A browser says where it comes from also where it leaves out the origin, as for a GET.
    let site = headers.get(SITE).map(HeaderValue::as_bytes);
    let same = site.is_none_or(|site| site == b"same-origin" || (site == b"none" && *method == Method::GET));
    if from_us && same { Ok(()) } else { Err(Stranger::Origin) }
}

/// The one value of a header that may be there once.
pub(super) fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn a_host_is_one_of_two_letter_for_letter() {
        let at = |uri: &'static str, pairs: &[(&'static str, &'static str)]| {
            named(&Uri::from_static(uri), &headers(pairs), 3180)
        };
        let named = |pairs: &[(&'static str, &'static str)]| at("/rpc", pairs);
        assert_eq!(named(&[("host", "127.0.0.1:3180")]), Ok(Name::Address));
        assert_eq!(named(&[("host", "localhost:3180")]), Ok(Name::Localhost));
        for host in [
            "127.0.0.1",
            "localhost",
            "127.0.0.1:3181",
            "127.1:3180",
            "LOCALHOST:3180",
            "localhost.:3180",
            "evil.example",
            "evil.example:3180",
            "127.0.0.1:3180.evil.example",
            "[::1]:3180",
            "0.0.0.0:3180",
            "",
            "user@127.0.0.1:3180",
        ] {
            assert_eq!(named(&[("host", host)]), Err(Stranger::Host), "{host}");
        }
        assert_eq!(named(&[]), Err(Stranger::Host));
        assert_eq!(named(&[("host", "127.0.0.1:3180"), ("host", "evil.example")]), Err(Stranger::Host));
        let own = [("host", "127.0.0.1:3180")];
        assert_eq!(at("http://127.0.0.1:3180/rpc", &own), Ok(Name::Address));
        assert_eq!(at("http://localhost:3180/rpc", &own), Err(Stranger::Host));
        assert_eq!(at("http://evil.example/rpc", &own), Err(Stranger::Host));
    }

    #[test]
    fn an_origin_is_the_hosts_own_or_absent() {
        let own = |pairs: &[(&'static str, &'static str)]| {
            own(&Method::POST, &headers(pairs), Name::Address, 3180).is_ok()
        };
        assert!(own(&[]));
        assert!(own(&[("origin", "http://127.0.0.1:3180")]));
        assert!(own(&[("origin", "http://127.0.0.1:3180"), ("sec-fetch-site", "same-origin")]));
        for origin in [
            "null",
            "",
            "http://localhost:3180",
            "https://127.0.0.1:3180",
            "http://127.0.0.1",
            "http://127.0.0.1:3181",
            "http://evil.example",
            "http://127.0.0.1:3180.evil.example",
            "http://127.0.0.1:3180/",
        ] {
            assert!(!own(&[("origin", origin)]), "{origin}");
        }
        assert!(!own(&[("origin", "http://127.0.0.1:3180"), ("origin", "http://evil.example")]));
        for site in ["cross-site", "same-site", "none", ""] {
            assert!(!own(&[("sec-fetch-site", site)]), "{site}");
        }
    }
}
