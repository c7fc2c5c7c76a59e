//! Where requests are sent.

use core::fmt;
use core::str::FromStr;

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

    /// The value of `Host`.
    pub(crate) fn host(&self) -> &str {
        self.authority.as_str()
    }
}
