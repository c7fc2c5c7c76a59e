//! The syntax of absolute URIs.

use core::net::Ipv6Addr;

/// Returns `true` if `text` is an absolute URI with at least one character after the scheme's
/// colon. Source: RFC 3986 3.1, 4.3.
pub(super) fn is_absolute_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let is_of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(is_of_scheme);
    let (hierarchy, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = match hierarchy.strip_prefix("//") {
        Some(hierarchy) => hierarchy.split_at(hierarchy.find('/').unwrap_or(hierarchy.len())),
        None => ("", hierarchy),
    };
    let is_sound =
        is_authority(authority) && is_made_of(path, b":@/") && is_made_of(query, b":@/?");
    !rest.is_empty() && is_scheme && is_sound
}

/// Returns `true` if `text` is an authority: user information, host and port, of which the first
/// and the last are optional. Source: RFC 3986 3.2.
fn is_authority(text: &str) -> bool {
    let (user, rest) = text.rsplit_once('@').unwrap_or(("", text));
    let (is_host, port) = match rest.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) => (is_address(address), port),
            None => (false, ""),
        },
        None => {
            let (name, port) = rest.split_at(rest.find(':').unwrap_or(rest.len()));
            (is_made_of(name, b""), port)
        }
    };
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    let numbered = port.is_empty() || port.strip_prefix(':').is_some_and(is_number);
    is_made_of(user, b":") && is_host && numbered
}

/// Returns `true` if `text` is a valid IP literal without its brackets: an IPv6 address, or `v`, a
/// version, a full stop and an address. Source: RFC 3986 3.2.2.
fn is_address(text: &str) -> bool {
    let later = text
        .strip_prefix(['v', 'V'])
        .and_then(|rest| rest.split_once('.'));
    match later {
        Some((version, address)) => {
            !version.is_empty()
                && version.bytes().all(|byte| byte.is_ascii_hexdigit())
                && !address.is_empty()
                && !address.contains('%')
                && is_made_of(address, b":")
        }
        None => text.parse::<Ipv6Addr>().is_ok(),
    }
}

/// Returns `true` if `text` has only unreserved characters, sub-delimiters, percent-encoded bytes
/// and bytes of `others`. Source: RFC 3986 2.
fn is_made_of(text: &str, others: &[u8]) -> bool {
    let is_sound = |piece: &str| {
        let mut bytes = piece.bytes();
        bytes.all(|byte| {
            byte.is_ascii_alphanumeric()
                || b"-._~!$&'()*+,;=".contains(&byte)
                || others.contains(&byte)
        })
    };
    let is_encoded = |piece: &str| {
        let digits = piece.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let (first, encoded) = text
        .split_once('%')
        .map_or((text, None), |(a, b)| (a, Some(b)));
    is_sound(first)
        && encoded.is_none_or(|rest| rest.split('%').all(|one| is_encoded(one) && is_sound(one)))
}
