//! The node that is looked at.

use std::net::Ipv6Addr;

use archy_web::{BASE, BadSite, Site};
use reqwest::Url;

use crate::exit::Trouble;

/// Where a node is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    url: Url,
    origin: String,
    base: String,
    rpc: String,
}

impl Target {
    /// A node at `url`, with its page below `base`, or else below the path of the URL, or else below the usual one.
    ///
    /// # Errors
    ///
    /// Bad input, in words.
    pub(crate) fn new(url: &str, base: Option<&str>, rpc: &str) -> Result<Self, Trouble> {
        let bad = || {
            Trouble::bad_input(
                "the address of a node looks like https://node.local or http://127.0.0.1:3180, without user, password, ? and \
                 #; what looks at who answers is: doctor models",
            )
        };
        let url = Url::parse(url).map_err(|_| bad())?;
        let is_plain = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() || !is_plain {
            return Err(bad());
        }
        let path = match url.path() {
            "/" => None,
            path if path.ends_with('/') => Some(path.to_owned()),
            path => Some(format!("{path}/")),
        };
        let base = match (base, path) {
            (Some(base), Some(path)) if base != path => {
                return Err(Trouble::bad_input(format!("the address says {path} and --base says {base}")));
            }
            (Some(base), _) => base.to_owned(),
            (None, path) => path.unwrap_or_else(|| BASE.to_owned()),
        };
        if !rpc.starts_with('/')
            || !rpc.bytes().all(|byte| byte.is_ascii_graphic())
            || rpc.contains(['?', '#'])
        {
            return Err(Trouble::bad_input("the path of the methods begins with a slash, as /rpc"));
        }
        let origin = url.origin().ascii_serialization();
        Site::new(&origin, &base).map_err(|why| match why {
            BadSite::Origin => bad(),
            BadSite::Base => Trouble::bad_input(why.to_string()),
        })?;
        Ok(Self { url, origin, base, rpc: rpc.to_owned() })
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// The URL of what lies at `path` of the origin.
    pub(super) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// The URL of what lies at `path` below the base path.
    pub(super) fn below(&self, path: &str) -> String {
        format!("{}{}{path}", self.origin, self.base)
    }

    /// The URL of the methods.
    pub(super) fn rpc(&self) -> String {
        self.at(&self.rpc)
    }

    pub(super) fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The host, as an address is written in a URL.
    pub(super) fn host(&self) -> &str {
        // It was looked at.
        self.url.host_str().unwrap_or_default()
    }

    /// Whether the node is on this machine: the URL says so by its host.
    pub(crate) fn is_here(&self) -> bool {
        let host = self.host();
        let v6 = host.trim_matches(['[', ']']).parse::<Ipv6Addr>();
        // A URL's address has four numbers, whatever was typed.
        host == "localhost"
            || host.ends_with(".localhost")
            || host.parse().is_ok_and(|v4: std::net::Ipv4Addr| v4.is_loopback())
            || v6.is_ok_and(|v6| v6.is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str, base: Option<&str>) -> Result<(String, String, bool), String> {
        let target = Target::new(url, base, "/rpc").map_err(|trouble| trouble.says)?;
        Ok((target.below(""), target.rpc(), target.is_here()))
    }

    #[test]
    fn where_the_page_is() {
        for (url, base, page, is_here) in [
            ("http://127.0.0.1:3180", None, "http://127.0.0.1:3180/aiui/", true),
            ("http://127.1:3180/", Some("/"), "http://127.0.0.1:3180/", true),
            ("http://[::1]:3180/x", None, "http://[::1]:3180/x/", true),
            ("http://LOCALHOST/x/", Some("/x/"), "http://localhost/x/", true),
            ("https://node.local:443/aiui", None, "https://node.local/aiui/", false),
            ("http://10.0.0.7", None, "http://10.0.0.7/aiui/", false),
        ] {
            let rpc = page.split('/').take(3).collect::<Vec<_>>().join("/") + "/rpc";
            assert_eq!(of(url, base), Ok((page.to_owned(), rpc, is_here)), "{url}");
        }
    }

    #[test]
    fn what_is_no_address() {
        for url in [
            "",
            "node.local",
            "ftp://node.local",
            "http://",
            "http://me:secret@node.local",
            "http://n/?a",
            "http://n/#a",
        ] {
            let says = of(url, None).unwrap_err();
            assert!(
                says.starts_with("the address of a node looks like") && !says.contains("secret"),
                "{says}"
            );
        }
        assert_eq!(of("http://n/x/", Some("/y/")).unwrap_err(), "the address says /x/ and --base says /y/");
        assert!(of("http://n", Some("y")).unwrap_err().starts_with("a base path begins"));
        assert!(Target::new("http://n", None, "rpc").is_err());
    }
}
