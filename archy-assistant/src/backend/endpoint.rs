//! What counts as the address of a backend, or of a proxy before it.

use std::fmt;

use reqwest::Url;

use super::fault::fault;
use super::{BackendError, BackendFault};

/// Why a text is no address of a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadEndpoint {
    /// It is no URL of `http` or `https` with a host.
    NotHttp,
    /// It holds a name or a password: these would end up in logs.
    UserInfo,
    /// It holds a query or a fragment, which have no meaning for a backend.
    Query,
    /// As a proxy: it is no `socks5h://` URL. With `socks5` the name would be looked up outside the proxy.
    NotSocks,
}

impl fmt::Display for BadEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotHttp => "a backend's address begins with http:// or https:// and names a host",
            Self::UserInfo => "a backend's address holds no name and no password",
            Self::Query => "a backend's address ends with its path",
            Self::NotSocks => "a proxy's address begins with socks5h:// and names a host",
        })
    }
}

impl std::error::Error for BadEndpoint {}

impl From<BadEndpoint> for BackendError {
    /// Nothing listens at what is no address.
    fn from(bad: BadEndpoint) -> Self {
        fault(BackendFault::Unreachable, &bad.to_string())
    }
}

/// The address below which all paths of a server are: it ends with a slash.
pub(crate) fn address(base: &str) -> Result<Url, BadEndpoint> {
    let mut base = Url::parse(base).map_err(|_| BadEndpoint::NotHttp)?;
    if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
        return Err(BadEndpoint::NotHttp);
    }
    if !base.username().is_empty() || base.password().is_some() {
        return Err(BadEndpoint::UserInfo);
    }
    if base.query().is_some() || base.fragment().is_some() {
        return Err(BadEndpoint::Query);
    }
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    Ok(base)
}

/// The address of a SOCKS proxy that resolves names itself.
pub(crate) fn socks(proxy: &str) -> Result<Url, BadEndpoint> {
    let socks = Url::parse(proxy).ok().filter(|url| url.scheme() == "socks5h" && url.has_host());
    let socks = socks.ok_or(BadEndpoint::NotSocks)?;
    if !socks.username().is_empty() || socks.password().is_some() {
        return Err(BadEndpoint::UserInfo);
    }
    Ok(socks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_does_not_answer() {
        let detail = "a backend's address begins with http:// or https:// and names a host".to_owned();
        let error = BackendError { class: BackendFault::Unreachable, detail };
        assert_eq!(BackendError::from(BadEndpoint::NotHttp), error);
    }

    #[test]
    fn a_proxy_resolves_names_itself() {
        let at = |proxy: &str| socks(proxy).map(String::from);
        assert_eq!(at("socks5h://127.0.0.1:9050"), Ok("socks5h://127.0.0.1:9050".to_owned()));
        assert_eq!(at("socks5://127.0.0.1:9050"), Err(BadEndpoint::NotSocks));
        assert_eq!(at("http://127.0.0.1:9050"), Err(BadEndpoint::NotSocks));
        assert_eq!(at("127.0.0.1:9050"), Err(BadEndpoint::NotSocks));
        assert_eq!(at("socks5h://me:word@127.0.0.1:9050"), Err(BadEndpoint::UserInfo));
    }
}
