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
pub struct UpstreamError(Box<str>);

impl fmt::Display for UpstreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected a URL such as \"https://api.openai.com\", without user, query or fragment, found \"{}\"",
            self.0
        )
    }
}

impl core::error::Error for UpstreamError {}

impl FromStr for Upstream {
    type Err = UpstreamError;

    fn from_str(url: &str) -> Result<Self, Self::Err> {
        let error = || UpstreamError(shown(url).into());
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
        let prefix = path.as_ref().map_or("", PathAndQuery::path);
        Ok(Self {
            scheme,
            authority,
            prefix: prefix.trim_end_matches('/').into(),
        })
    }
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
