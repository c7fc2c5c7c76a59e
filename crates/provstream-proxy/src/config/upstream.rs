//! Upstream servers.

use core::fmt;
use core::str::FromStr;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use http::Uri;
use http::uri::{Authority, PathAndQuery, Scheme};

/// Server to which requests are sent: an `http` or `https` URL, whose path, if any, precedes those
/// of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    scheme: Scheme,
    authority: Authority,
    prefix: Box<str>,
}

/// A URL is not valid for an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamError {
    expected: &'static str,
    found: Box<str>,
}

/// Description of a valid upstream URL.
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

/// Returns `true` if the port is valid or left out.
pub(super) fn has_port(authority: &Authority) -> bool {
    let text = authority.as_str();
    let host = text.rsplit_once('@').map_or(text, |(_, host)| host);
    let rest = host.strip_prefix(authority.host()).unwrap_or_default();
    matches!(rest, "" | ":") || authority.port_u16().is_some()
}

/// Formats a URL for an error, without user and query, which may be secret.
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
    /// Returns the URL of a request with this path and query, or `None` if it would be invalid.
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

    /// Returns `true` if requests to the upstream would reach a proxy that listens at `listen`.
    /// Recognises addresses and names below `localhost`; other names are not resolved.
    pub(crate) fn is_at(&self, listen: SocketAddr) -> bool {
        let default = if self.scheme == Scheme::HTTPS {
            443
        } else {
            80
        };
        if self.authority.port_u16().unwrap_or(default) != listen.port() {
            return false;
        }
        let host = self.authority.host().trim_end_matches('.');
        let listen = listen.ip().to_canonical();
        if is_localhost(host) {
            let loopbacks = [
                IpAddr::V4(Ipv4Addr::LOCALHOST),
                IpAddr::V6(Ipv6Addr::LOCALHOST),
            ];
            return loopbacks.into_iter().any(|ip| reaches(ip, listen));
        }
        host_address(host).is_some_and(|ip| reaches(ip, listen))
    }

    /// Returns the value of the `Host` header.
    pub(crate) fn host(&self) -> &str {
        self.authority.as_str()
    }
}

/// Returns `true` if a name is `localhost` or a name below it (RFC 6761 6.3).
pub(crate) fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// Parses a host that is an IP address, in brackets for IPv6. An IPv4 address mapped to IPv6 is
/// returned as IPv4.
pub(crate) fn host_address(host: &str) -> Option<IpAddr> {
    let inner = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    match inner {
        Some(inner) => inner.parse().ok().map(|ip: IpAddr| ip.to_canonical()),
        None => numbers(host).map(IpAddr::V4),
    }
}

/// Parses an IPv4 address with the rules of POSIX `inet_aton`: one to four numbers, of which the
/// last fills all remaining bytes, each in decimal, in octal after `0` or in hexadecimal after
/// `0x`.
fn numbers(host: &str) -> Option<Ipv4Addr> {
    let number = |text: &str| {
        let hexadecimal = text.strip_prefix("0x").or(text.strip_prefix("0X"));
        let (digits, radix) = match (hexadecimal, text.strip_prefix('0')) {
            (Some(digits), _) => (digits, 16),
            (None, Some(digits)) if !digits.is_empty() => (digits, 8),
            _ => (text, 10),
        };
        let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u32::from_str_radix(digits, radix)
            .ok()
            .filter(|_| is_number)
    };
    let parts: Option<Vec<u32>> = host.split('.').map(number).collect();
    let parts = parts.filter(|parts| parts.len() <= 4)?;
    let (last, first) = parts.split_last()?;
    let mut bits = 0;
    for (place, part) in first.iter().enumerate() {
        bits |= u32::from(u8::try_from(*part).ok()?) << (24 - 8 * place);
    }
    let room = u64::from(u32::MAX) >> (8 * first.len());
    (u64::from(*last) <= room).then(|| Ipv4Addr::from_bits(bits | last))
}

/// Returns `true` if a connection to `ip` reaches a listener at `listen` on this machine.
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
            // Addresses of IPv4 within IPv6.
            ("http://[::ffff:127.0.0.1]:8080", "127.0.0.1:8080", true),
            ("http://[::ffff:7f00:1]:8080", "127.0.0.1:8080", true),
            (
                "http://[0:0:0:0:0:ffff:7f00:0001]:8080",
                "0.0.0.0:8080",
                true,
            ),
            ("http://[::ffff:0.0.0.0]:8080", "127.0.0.1:8080", true),
            ("http://127.0.0.1:8080", "[::ffff:127.0.0.1]:8080", true),
            ("http://[::ffff:127.0.0.1]:8080", "[::]:8080", true),
            ("http://[::ffff:10.0.0.1]:8080", "127.0.0.1:8080", false),
            // Addresses as systems read them.
            ("http://127.1:8080", "127.0.0.1:8080", true),
            ("http://127.0.1:8080", "127.0.0.1:8080", true),
            ("http://2130706433:8080", "127.0.0.1:8080", true),
            ("http://0x7f000001:8080", "127.0.0.1:8080", true),
            ("http://0X7F.1:8080", "127.0.0.1:8080", true),
            ("http://0x7f.0.0.0x1:8080", "127.0.0.1:8080", true),
            ("http://0177.0.0.1:8080", "127.0.0.1:8080", true),
            ("http://017700000001:8080", "127.0.0.1:8080", true),
            ("http://127.0.0.01:8080", "127.0.0.1:8080", true),
            ("http://0:8080", "127.0.0.1:8080", true),
            ("http://0.0:8080", "127.0.0.1:8080", true),
            ("http://127.65537:8080", "0.0.0.0:8080", true),
            ("http://2130706434:8080", "127.0.0.1:8080", false),
            ("http://167772161:8080", "0.0.0.0:8080", false),
            ("http://127.0.0.0.1:8080", "127.0.0.1:8080", false),
            ("http://127.0.0.256:8080", "127.0.0.1:8080", false),
            ("http://0x:8080", "127.0.0.1:8080", false),
            ("http://127..1:8080", "127.0.0.1:8080", false),
            // Names that are this machine's (RFC 6761 6.3).
            ("http://localhost.:8080", "127.0.0.1:8080", true),
            ("http://proxy.localhost:8080", "127.0.0.1:8080", true),
            ("http://PROXY.LocalHost.:8080", "[::1]:8080", true),
            ("http://localhost.example:8080", "127.0.0.1:8080", false),
            ("http://mylocalhost:8080", "127.0.0.1:8080", false),
            ("http://127.0.0.1:", "127.0.0.1:80", true),
        ] {
            let upstream: Upstream = url.parse().expect(url);
            let listen = listen.parse().expect(listen);
            assert_eq!(upstream.is_at(listen), expected, "{url} {listen}");
        }
    }
}
