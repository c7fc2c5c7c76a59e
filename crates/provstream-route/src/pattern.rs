//! Patterns for request paths.

use std::borrow::Cow;

/// Pattern for request paths: a prefix, or a text in which `*` matches any characters.
///
/// A pattern without `*` matches the equal path and all paths below it. A pattern with `*` matches
/// whole paths. Paths are compared without their query and normalised as by most servers: `%41` is
/// `A`, repeated slashes are one, `.` and `..` are resolved, and a trailing slash is ignored.
/// [`Routes::route`](crate::Routes::route) also compares the path as other servers may normalise
/// it, so no spelling of a path avoids its route.
///
/// ```
/// use provstream_route::PathPattern;
///
/// let prefix = PathPattern::new("/v1/chat");
/// assert!(prefix.matches("/v1/chat/completions?x=1") && prefix.matches("/v1//%63hat/"));
/// assert!(!prefix.matches("/v1/chats"));
/// let pattern = PathPattern::new("/v1beta/models/*:streamGenerateContent");
/// assert!(pattern.matches("/v1beta/models/gemini-pro:streamGenerateContent?alt=sse"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PathPattern {
    normal: Box<str>,
    /// The normalised pattern in lower case.
    lower: Box<str>,
}

impl PathPattern {
    /// Parses a pattern.
    #[must_use]
    pub fn new(pattern: &str) -> Self {
        let normal = normal(pattern);
        Self {
            lower: normal.to_lowercase().into(),
            normal: normal.into(),
        }
    }

    /// Returns `true` if the pattern matches the path of a request.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.matches_normal(&normal(path))
    }

    /// Returns `true` if every path that `other` matches certainly also matches this pattern.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let (all, some) = (&*self.normal, &*other.normal);
        if all == some {
            return true;
        }
        match (all.contains('*'), some.split_once('*')) {
            // `glob` reads a `*` of `some` as a character, which only a `*` of `all` matches; that
            // then matches whatever the first one stands for.
            (true, Some(_)) => glob(all, some),
            // The other matches paths below it, too.
            (true, None) => all.ends_with('*') && glob(all, some),
            (false, None) => self.matches_normal(some),
            (false, Some((start, _))) => start
                .strip_prefix(all)
                .is_some_and(|rest| rest.starts_with('/') || all.ends_with('/')),
        }
    }

    /// Returns `true` if the pattern matches a path that is already [`normal`].
    pub(crate) fn matches_normal(&self, path: &str) -> bool {
        matches(&self.normal, path)
    }

    /// Returns `true` if the pattern matches one of the [`Readings`] of a path.
    pub(crate) fn matches_reading(&self, reading: &NormalizedPath) -> bool {
        match reading.is_lower {
            true => matches(&self.lower, &reading.path),
            false => matches(&self.normal, &reading.path),
        }
    }

    /// Returns `true` if the pattern has upper-case letters.
    pub(crate) fn has_upper(&self) -> bool {
        self.lower != self.normal
    }
}

fn matches(pattern: &str, path: &str) -> bool {
    if pattern.contains('*') {
        return glob(pattern, path);
    }
    match path.strip_prefix(pattern) {
        Some(rest) => rest.is_empty() || rest.starts_with('/') || pattern.ends_with('/'),
        None => false,
    }
}

/// Normalises a path as most servers do.
pub(crate) fn normal(path: &str) -> Cow<'_, str> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let is_normal = !path.contains(['%', '\\'])
        && !path.contains("//")
        && !path.contains("/.")
        && (path.len() <= 1 || !path.ends_with('/'));
    if is_normal {
        return Cow::Borrowed(path);
    }
    let decoded = decoded(path);
    Cow::Owned(resolved(decoded.split(['/', '\\'])))
}

/// Joins segments to a path, resolving `.` and `..`.
fn resolved<'p>(segments: impl Iterator<Item = &'p str>) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for segment in segments {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            _ => kept.push(segment),
        }
    }
    format!("/{}", kept.join("/"))
}

/// A path as normalised by some servers.
#[derive(Debug)]
pub(crate) struct NormalizedPath {
    path: String,
    is_lower: bool,
}

/// Readings of a path by servers that do more than [`normal`]. Each bit is one further step of
/// normalisation.
#[derive(Debug)]
pub(crate) struct Readings {
    /// The path decoded once, and decoded until no escapes remain.
    decoded: [String; 2],
    /// Steps that make a difference for this path.
    relevant: u8,
}

impl Readings {
    /// Decode repeatedly, such as `%2563` to `c`, and decode `%u0063` and overlong UTF-8, as IIS does.
    const DEEP: u8 = 1;
    /// Ignore case.
    const LOWER: u8 = 1 << 1;
    /// Drop the text after a `;` in a segment.
    const PARAMETERS: u8 = 1 << 2;
    /// End the path at an escaped `?`, `#` or NUL.
    const CUT: u8 = 1 << 3;
    /// Drop control characters and those beyond ASCII, white space around a segment, and dots at its end.
    const TRIM: u8 = 1 << 4;
    const ALL: u8 = (1 << 5) - 1;

    /// Collects the readings of a path that differ from the normal one. `has_upper` is `true` if
    /// patterns have upper-case letters.
    pub(crate) fn of(path: &str, has_upper: bool) -> Self {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let decoded = [decoded(path).into_owned(), fully_decoded(path)];
        let has = |is: fn(char) -> bool| decoded.iter().any(|path| path.contains(is));
        let ends_in_dot = |segment: &str| segment.ends_with('.');
        let has_dots = decoded[1].split(['/', '\\', ';']).any(ends_in_dot);
        let relevant = [
            (Self::DEEP, decoded[0] != decoded[1]),
            (Self::LOWER, has_upper || has(char::is_uppercase)),
            (Self::PARAMETERS, has(|one| one == ';')),
            (Self::CUT, has(|one| matches!(one, '?' | '#' | '\0'))),
            (
                Self::TRIM,
                has_dots || has(|one| one.is_whitespace() || one.is_control() || !one.is_ascii()),
            ),
        ];
        let relevant = relevant.into_iter().filter(|(_, is_relevant)| *is_relevant);
        Self {
            relevant: relevant.fold(0, |all, (bit, _)| all | bit),
            decoded,
        }
    }

    /// Iterates over the readings: all combinations of relevant steps, in ascending order of bits.
    pub(crate) fn iter(&self) -> impl Iterator<Item = NormalizedPath> {
        let sets = (1..=Self::ALL).filter(|set| set & !self.relevant == 0);
        sets.map(|set| self.reading(set))
    }

    fn reading(&self, set: u8) -> NormalizedPath {
        let has = |bit: u8| set & bit != 0;
        let path = &self.decoded[usize::from(has(Self::DEEP))];
        let path = match has(Self::CUT) {
            true => path.split(['?', '#', '\0']).next().unwrap_or_default(),
            false => path,
        };
        let is_kept = |one: &char| !has(Self::TRIM) || (one.is_ascii() && !one.is_control());
        let path: String = path.chars().filter(is_kept).collect();
        let segments = path.split(['/', '\\']).map(|segment| {
            let segment = match segment.split_once(';') {
                Some((name, _)) if has(Self::PARAMETERS) => name,
                _ => segment,
            };
            match has(Self::TRIM) {
                true => trimmed(segment),
                false => segment,
            }
        });
        let path = resolved(segments);
        NormalizedPath {
            path: match has(Self::LOWER) {
                true => path.to_lowercase(),
                false => path,
            },
            is_lower: has(Self::LOWER),
        }
    }
}

fn trimmed(segment: &str) -> &str {
    match segment.trim() {
        ".." => "..",
        other => other.trim_end_matches('.').trim_end(),
    }
}

/// Decodes the escapes of a path repeatedly, and overlong UTF-8. Linear time: each step makes the path
/// shorter.
fn fully_decoded(path: &str) -> String {
    let mut bytes: Vec<u8> = Vec::with_capacity(path.len());
    for byte in path.bytes() {
        bytes.push(byte);
        while let Some((len, decoded)) = escape_at_end(&bytes) {
            bytes.truncate(bytes.len() - len);
            bytes.extend_from_slice(&decoded);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the length of an escape or an overlong character at the end of a path, and the bytes that it means.
fn escape_at_end(path: &[u8]) -> Option<(usize, Vec<u8>)> {
    let number = |digits: &[u8]| {
        digits
            .iter()
            .try_fold(0, |number, one| Some(number * 16 + digit(*one)?))
    };
    let character = |code: u32| {
        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        character.to_string().into_bytes()
    };
    match path {
        [.., b'%', high, low] => Some((3, vec![number(&[*high, *low])? as u8])),
        [.., lead @ 0xC0..=0xC1, rest @ 0x80..=0xBF] => {
            let code = u32::from(lead & 1) << 6 | u32::from(rest & 0x3F);
            Some((2, character(code)))
        }
        [.., 0xE0, rest @ 0x80..=0x9F, last @ 0x80..=0xBF] => {
            let code = u32::from(rest & 0x1F) << 6 | u32::from(last & 0x3F);
            Some((3, character(code)))
        }
        [.., b'%', b'u' | b'U', a, b, c, d] => Some((6, character(number(&[*a, *b, *c, *d])?))),
        _ => None,
    }
}

fn digit(byte: u8) -> Option<u32> {
    (byte as char).to_digit(16)
}

/// Decodes the escapes of a path, with U+FFFD for invalid UTF-8.
fn decoded(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let digit_at = |at: usize| after.get(at).and_then(|byte| digit(*byte));
        match (first, digit_at(0), digit_at(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns `true` if a pattern with `*` matches a text. Linear time: each piece is matched at its
/// first occurrence, the last one at the end.
fn glob(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else {
        return rest.is_empty();
    };
    for piece in middle {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_path_are_one() {
        let pattern = PathPattern::new("/v1/messages");
        for path in [
            "/v1/messages",
            "/v1/messages/",
            "//v1///messages",
            "/v1/./messages",
            "/v1/x/../messages",
            "/v1/mess%61ges?beta=true",
            "/v1%2Fmessages",
            "\\v1\\messages",
            "/v1/messages/count_tokens",
        ] {
            assert!(pattern.matches(path), "{path}");
        }
        for path in [
            "/",
            "",
            "/v1/message",
            "/v1/messages2",
            "/v2/messages",
            "/v1/messages%zz",
        ] {
            assert!(!pattern.matches(path), "{path}");
        }
    }

    #[test]
    fn stars_match_any_characters() {
        let all = PathPattern::new("*");
        assert!(all.matches("/") && all.matches("/a/b?c"));
        let two = PathPattern::new("/openai/*/chat/*");
        assert!(two.matches("/openai/deployments/x/chat/completions"));
        assert!(!two.matches("/openai/chat/completions"));
        let overlap = PathPattern::new("/a*a");
        assert!(overlap.matches("/aa") && !overlap.matches("/a"));
    }

    #[test]
    fn the_root_is_a_prefix_of_all() {
        assert!(PathPattern::new("/").matches("/anything"));
    }
}
