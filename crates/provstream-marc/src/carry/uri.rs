//! The syntax of absolute URIs.

/// Returns `true` if `text` has the form of an absolute URI: a scheme, a colon, and further
/// characters without white space, control characters and `#`. Source: RFC 3986 3.1, 4.3.
pub(super) fn is_absolute_uri(text: &str) -> bool {
    let is_of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let is_refused = |one: char| one.is_whitespace() || one.is_control() || one == '#';
    text.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(is_of_scheme)
            && !rest.is_empty()
            && !rest.contains(is_refused)
    })
}
