//! Where requests are sent.

use core::fmt;
use core::str::FromStr;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use http::Uri;
use http::uri::{Authority, PathAndQuery, Scheme};

/// The server that requests are sent to: an `http` or `https` URL, which may have a path that goes before those of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    scheme: Scheme,
    authority: Authority,
    prefix: Box<str>,
}

/// A URL that cannot be one of an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamError {
    expected: &'static str,
    found: Box<str>,
}

/// What a URL of an upstream is.
const URL: &str = "a URL such as \"https://api.openai.com\", without user, query or fragment";

impl fmt::Display for UpstreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found \"{}\"", self.expected, self.found)
    }
}

impl core::error::Error for UpstreamError {}

impl FromStr for Upstream {
    type Err = UpstreamError;

    fn from_str(url: &str) -> Result<Self, Self::Err> {
        let not = |expected| UpstreamError {
            expected,
            found: shown(url).into(),
        };
        let error = || not(URL);
        let parts = url.parse::<Uri>().map_err(|_| error())?.into_parts();
        let (Some(scheme), Some(authority)) = (parts.scheme, parts.authority) else {
            return Err(error());
        };
        let path = parts.path_and_query;
        let has_query = path.as_ref().is_some_and(|path| path.query().is_some());
        let is_http = scheme == Scheme::HTTP || scheme == Scheme::HTTPS;
        if !is_http || has_query || url.contains(['#', '@']) {
            return Err(error());
        }
        if !has_port(&authority) {
            return Err(not("a URL with a port of at most 65535"));
        }
        let prefix = path.as_ref().map_or("", PathAndQuery::path);
        Ok(Self {
            scheme,
            authority,
            prefix: prefix.trim_end_matches('/').into(),
        })
    }
}

/// Whether the port is one that there can be, or left out.
pub(super) fn has_port(authority: &Authority) -> bool {
    let text = authority.as_str();
    let host = text.rsplit_once('@').map_or(text, |(_, host)| host);
    let rest = host.strip_prefix(authority.host()).unwrap_or_default();
    matches!(rest, "" | ":") || authority.port_u16().is_some()
}

/// A URL as an error quotes it: without user and query, which may be secret.
fn shown(url: &str) -> String {
    let start = url.split(['?', '#']).next().unwrap_or_default();
    let cut = if start.len() < url.len() { "?…" } else { "" };
    match start.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}{cut}"),
        None => format!("{start}{cut}"),
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.authority, self.prefix)
    }
}

impl Upstream {
    /// The URL of a request with this path and query; `None` if it cannot be one.
    pub(crate) fn uri(&self, path: &PathAndQuery) -> Option<Uri> {
        let mut whole = String::with_capacity(self.prefix.len() + path.as_str().len());
        whole.push_str(&self.prefix);
        whole.push_str(path.as_str());
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(whole)
            .build()
            .ok()
    }

    /// Whether requests would come back to a proxy that listens here. Only addresses and `localhost` are known; other names are
    /// not looked up.
    pub(crate) fn is_at(&self, listen: SocketAddr) -> bool {
        let default = if self.scheme == Scheme::HTTPS {
            443
        } else {
            80
        };
        if self.authority.port_u16().unwrap_or(default) != listen.port() {
            return false;
        }
        let host = self.authority.host();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.eq_ignore_ascii_case("localhost") {
            let loopbacks = [
                IpAddr::V4(Ipv4Addr::LOCALHOST),
                IpAddr::V6(Ipv6Addr::LOCALHOST),
            ];
            return loopbacks.into_iter().any(|ip| reaches(ip, listen.ip()));
        }
        host.parse().is_ok_and(|ip| reaches(ip, listen.ip()))
    }

    /// The value of `Host`.
    pub(crate) fn host(&self) -> &str {
        self.authority.as_str()
    }
}

/// Whether a connection to one address reaches a listener at another one of this machine.
fn reaches(ip: IpAddr, listen: IpAddr) -> bool {
    let is_own = |ip: IpAddr| ip.is_loopback() || ip.is_unspecified();
    // A listener at `::` has the addresses of IPv4, too.
    let is_same_family = ip.is_ipv4() == listen.is_ipv4() || listen == Ipv6Addr::UNSPECIFIED;
    match (ip.is_unspecified(), listen.is_unspecified()) {
        (false, false) => ip == listen,
        (true, false) => is_same_family && listen.is_loopback(),
        (_, true) => is_same_family && is_own(ip),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upstream_where_the_proxy_listens_is_found() {
        for (url, listen, expected) in [
            ("http://127.0.0.1:8080", "127.0.0.1:8080", true),
            ("http://127.0.0.1:8080/v1", "0.0.0.0:8080", true),
            ("http://127.0.0.2:8080", "0.0.0.0:8080", true),
            ("http://127.0.0.1:8080", "[::]:8080", true),
            ("http://localhost:8080", "127.0.0.1:8080", true),
            ("http://LOCALHOST:8080", "[::1]:8080", true),
            ("http://[::1]:8080", "[::1]:8080", true),
            ("http://0.0.0.0:8080", "127.0.0.1:8080", true),
            ("http://127.0.0.1", "127.0.0.1:80", true),
            ("https://127.0.0.1", "127.0.0.1:443", true),
            ("http://127.0.0.1:8081", "127.0.0.1:8080", false),
            ("http://127.0.0.2:8080", "127.0.0.1:8080", false),
            ("http://10.0.0.1:8080", "0.0.0.0:8080", false),
            ("http://[::1]:8080", "127.0.0.1:8080", false),
            ("http://[::1]:8080", "0.0.0.0:8080", false),
            ("https://api.openai.com", "0.0.0.0:443", false),
        ] {
            let upstream: Upstream = url.parse().expect(url);
            let listen = listen.parse().expect(listen);
            assert_eq!(upstream.is_at(listen), expected, "{url} {listen}");
        }
    }
}
