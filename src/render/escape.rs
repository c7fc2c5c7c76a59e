//! Values of strangers in Markdown and HTML.

use core::fmt::Write as _;

use super::Markup;

/// Writes text without what could be markup in Markdown: all ASCII punctuation is escaped.
pub(super) fn markdown(out: &mut String, text: &str) {
    each(text, |found| match found {
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '&' => out.push_str("&amp;"),
        found if found.is_ascii_punctuation() => out.extend(['\\', found]),
        found if may_mark(found) => number(out, found),
        found => out.push(found),
    });
}

/// Writes text without what could be markup in HTML, also in the value of an attribute.
pub(super) fn html(out: &mut String, text: &str) {
    each(text, |found| match found {
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '&' => out.push_str("&amp;"),
        '"' | '\'' | '`' | '=' | '[' | ']' | '{' | '}' => number(out, found),
        found if may_mark(found) => number(out, found),
        found => out.push(found),
    });
}

/// Calls `write` with each character that is shown. Runs of white space and control characters count as one space; what changes
/// the direction of the text around it is left out.
fn each(text: &str, mut write: impl FnMut(char)) {
    let mut is_spaced = false;
    let mut is_begun = false;
    for found in text.chars() {
        if found.is_whitespace() || found.is_control() {
            is_spaced = is_begun;
        } else if !changes_direction(found) {
            if core::mem::take(&mut is_spaced) {
                write(' ');
            }
            write(found);
            is_begun = true;
        }
    }
}

const fn changes_direction(found: char) -> bool {
    matches!(found, '\u{200E}' | '\u{200F}' | '\u{061C}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns `true` if a marker of a dialect may begin with a character that is no ASCII.
const fn may_mark(found: char) -> bool {
    matches!(found, '【' | '】' | '［' | '］' | '\u{E000}'..='\u{F8FF}')
}

fn number(out: &mut String, found: char) {
    let _ = write!(out, "&#{};", u32::from(found));
}

/// Returns an address as a link in ASCII without quotes, parentheses and brackets; `None` unless it has the scheme `http`,
/// `https` or `mailto`.
pub(super) fn link(url: &str) -> Option<String> {
    let url = url.trim();
    let (scheme, rest) = url.split_once(':')?;
    let is = |name: &str| scheme.eq_ignore_ascii_case(name);
    let has_target = if is("http") || is("https") {
        let host = rest.strip_prefix("//")?.chars().next();
        host.is_some_and(|first| first.is_alphanumeric())
    } else {
        is("mailto") && !rest.is_empty()
    };
    if !has_target || url.chars().any(char::is_control) {
        return None;
    }
    let mut out = String::with_capacity(url.len());
    for byte in url.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' | b':' | b'/' | b'?' | b'#' | b'@' | b'!' | b'$' | b'&'
            | b'+' | b',' | b';' | b'=' | b'%' => out.push(byte.into()),
            byte if byte.is_ascii_alphanumeric() => out.push(byte.into()),
            byte => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    Some(out)
}

/// Writes a link. An ampersand is escaped where a character reference could begin with it.
pub(super) fn address(out: &mut String, link: &str, markup: Markup) {
    match markup == Markup::Html || link.contains(';') {
        true => out.push_str(&link.replace('&', "&amp;")),
        false => out.push_str(link),
    }
}
