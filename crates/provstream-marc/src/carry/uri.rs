//! The syntax of absolute URIs.

use core::net::Ipv6Addr;

/// Whether a text is an absolute URI with something after its scheme. Source: RFC 3986 4.3.
pub(super) fn is_absolute_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let (hierarchy, query) = rest.split_once('?').unwrap_or((rest, ""));
    let hierarchical = match hierarchy.strip_prefix("//") {
        Some(hierarchy) => {
            let (authority, path) =
                hierarchy.split_at(hierarchy.find('/').unwrap_or(hierarchy.len()));
            is_authority(authority) && is_made_of(path, b":@/")
        }
        None => is_made_of(hierarchy, b":@/"),
    };
    !rest.is_empty() && is_scheme(scheme) && hierarchical && is_made_of(query, b":@/?")
}

/// Source: RFC 3986 3.1.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Source: RFC 3986 3.2.
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

/// What may stand in brackets: an IPv6 address, or one of a later version. Source: RFC 3986 3.2.2.
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

/// Whether a text has nothing but unreserved characters, sub-delimiters, percent-encoded bytes and the others given.
/// Source: RFC 3986 2.
fn is_made_of(text: &str, others: &[u8]) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let sound = if byte == b'%' {
            let hexadecimal = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_hexdigit());
            hexadecimal(bytes.next()) && hexadecimal(bytes.next())
        } else {
            byte.is_ascii_alphanumeric()
                || b"-._~!$&'()*+,;=".contains(&byte)
                || others.contains(&byte)
        };
        if !sound {
            return false;
        }
    }
    true
}
