//! Removes and rewrites headers that a proxy must not forward.

use http::header::{
    ACCEPT_ENCODING, ACCEPT_RANGES, AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH,
    ETAG, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, IF_RANGE, LAST_MODIFIED,
    PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, RANGE, TE, TRANSFER_ENCODING, UPGRADE, VIA,
};

/// Headers that concern a single connection (RFC 9110 7.6.1).
const HOP_BY_HOP: [HeaderName; 7] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Headers that describe the bytes of a body and are wrong after a change.
const OF_BYTES: [HeaderName; 8] = [
    CONTENT_LENGTH,
    ETAG,
    LAST_MODIFIED,
    ACCEPT_RANGES,
    HeaderName::from_static("content-md5"),
    HeaderName::from_static("digest"),
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("repr-digest"),
];

/// Removes headers that concern the connection, including those that `Connection` lists.
pub(crate) fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = elements(headers, &CONNECTION)
        .filter_map(|name| name.parse().ok())
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
}

/// Returns the elements of a list header.
fn elements<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'h str> {
    let values = headers.get_all(name).into_iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
}

/// Returns `true` if a client asks for a WebSocket (RFC 6455 4.1). Requests for other protocols are
/// ignored, which a server may always do (RFC 9110 7.8).
pub(crate) fn asks_for_websocket(headers: &HeaderMap) -> bool {
    let is_websocket = |protocol: &str| {
        let name = protocol.split('/').next().unwrap_or_default();
        name.trim().eq_ignore_ascii_case("websocket")
    };
    elements(headers, &CONNECTION).any(|option| option.eq_ignore_ascii_case("upgrade"))
        && elements(headers, &UPGRADE).any(is_websocket)
}

/// Returns `true` if the signature of the request covers its body, which must then stay unchanged
/// (AWS Signature Version 4).
pub(crate) fn is_signed(headers: &HeaderMap) -> bool {
    text(headers, &AUTHORIZATION).starts_with("AWS4-")
}

/// Turns the headers of a client's request into those of a request to the upstream.
pub(crate) fn for_upstream(headers: &mut HeaderMap, host: &str, own: &str, is_inspected: bool) {
    let takes_trailers = headers
        .get_all(TE)
        .iter()
        .any(|value| value.to_str().is_ok_and(|value| value.contains("trailers")));
    remove_hop_by_hop(headers);
    headers.remove(TE);
    headers.remove(EXPECT);
    if takes_trailers {
        headers.insert(TE, HeaderValue::from_static("trailers"));
    }
    if let Ok(host) = HeaderValue::from_str(host) {
        headers.insert(HOST, host);
    }
    if is_inspected {
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        // A part of a body cannot be inspected.
        headers.remove(RANGE);
        headers.remove(IF_RANGE);
    }
    if let Ok(via) = HeaderValue::from_str(&format!("1.1 {own}")) {
        headers.append(VIA, via);
    }
}

/// Returns `true` if a request has passed through the proxy with the pseudonym `own` (RFC 9110
/// 7.6.3).
pub(crate) fn has_gone_through(headers: &HeaderMap, own: &str) -> bool {
    elements(headers, &VIA).any(|via| via.split_whitespace().nth(1) == Some(own))
}

/// Turns the headers of an upstream's response into those of a response to the client.
pub(crate) fn for_client(headers: &mut HeaderMap) {
    remove_hop_by_hop(headers);
    headers.append(VIA, HeaderValue::from_static("1.1 provstream"));
}

/// Adds the header with the request's identifier in logs.
pub(crate) fn name_request(headers: &mut HeaderMap, id: &str) {
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(HeaderName::from_static("provstream-request"), id);
    }
}

/// Removes headers that describe the bytes of a body.
pub(crate) fn remove_of_bytes(headers: &mut HeaderMap) {
    for name in &OF_BYTES {
        headers.remove(name);
    }
}

/// Removes the encoding of a body that is decoded.
pub(crate) fn remove_encoding(headers: &mut HeaderMap) {
    headers.remove(CONTENT_ENCODING);
}

/// Joins all values of a header like [`all`], but equal ones once.
pub(crate) fn distinct(headers: &HeaderMap, name: &HeaderName) -> String {
    let mut values = headers.get_all(name).into_iter();
    let first = values.next();
    match values.all(|value| Some(value) == first) {
        true => String::from_utf8_lossy(first.map_or(b"", HeaderValue::as_bytes)).into_owned(),
        false => all(headers, name),
    }
}

/// Joins all values of a header, with U+FFFD for invalid UTF-8. All are used because receivers
/// differ in which of several values counts.
pub(crate) fn all(headers: &HeaderMap, name: &HeaderName) -> String {
    let values = headers.get_all(name).into_iter();
    let values = values.map(|value| String::from_utf8_lossy(value.as_bytes()));
    values.collect::<Vec<_>>().join(", ")
}

/// Returns the first value of a header if it is visible ASCII, otherwise an empty string.
pub(crate) fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> &'h str {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::header::AUTHORIZATION;

    #[test]
    fn what_is_about_a_connection_ends_here() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, X-Own"),
            ("x-own", "1"),
            ("keep-alive", "timeout=5"),
            ("te", "gzip, trailers"),
            ("transfer-encoding", "chunked"),
            ("upgrade", "websocket"),
            ("proxy-authorization", "Basic x"),
            ("authorization", "Bearer key"),
            ("accept-encoding", "gzip, br"),
            ("range", "bytes=0-5"),
            ("host", "evil.example"),
        ] {
            headers.append(name, HeaderValue::from_static(value));
        }
        for_upstream(&mut headers, "api.example.com", "provstream-1", true);
        assert!(has_gone_through(&headers, "provstream-1"));
        assert!(!has_gone_through(&headers, "provstream-2"));
        let mut names: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(
            names,
            ["accept-encoding", "authorization", "host", "te", "via"]
        );
        assert_eq!(headers[AUTHORIZATION], "Bearer key");
        assert_eq!(headers[HOST], "api.example.com");
        assert_eq!(headers[ACCEPT_ENCODING], "identity");
        assert_eq!(headers[TE], "trailers");
    }
}
