//! Which paths a route is for.

use std::borrow::Cow;

/// Paths of requests: a prefix, or a pattern in which `*` matches any characters.
///
/// A pattern without `*` matches the path that is the same and all paths below it. A pattern with `*` matches whole paths.
/// Paths are compared without their query, as most servers read them: `%41` is `A`, several slashes are one, `.` and `..`
/// are resolved, and a slash at the end does not count. So no spelling of a path leads around its route.
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
pub struct PathPattern(Box<str>);

impl PathPattern {
    /// The pattern that is written like this.
    #[must_use]
    pub fn new(pattern: &str) -> Self {
        Self(normal(pattern).into())
    }

    /// Whether the path of a request matches.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.matches_normal(&normal(path))
    }

    /// Whether it is certain that every path that the other pattern matches also matches this one.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let (all, some) = (&*self.0, &*other.0);
        if all == some {
            return true;
        }
        match (all.contains('*'), some.split_once('*')) {
            // What a `*` of the other matches, a `*` of this one has matched.
            (true, Some(_)) => glob(all, some),
            // The other matches paths below it, too.
            (true, None) => all.ends_with('*') && glob(all, some),
            (false, None) => self.matches_normal(some),
            (false, Some((start, _))) => start
                .strip_prefix(all)
                .is_some_and(|rest| rest.starts_with('/') || all.ends_with('/')),
        }
    }

    /// Whether a path matches that is [`normal`] already.
    pub(crate) fn matches_normal(&self, path: &str) -> bool {
        let pattern = &*self.0;
        if pattern.contains('*') {
            return glob(pattern, path);
        }
        match path.strip_prefix(pattern) {
            Some(rest) => rest.is_empty() || rest.starts_with('/') || pattern.ends_with('/'),
            None => false,
        }
    }
}

/// A path as most servers read it.
pub(crate) fn normal(path: &str) -> Cow<'_, str> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let is_normal = !path.contains(['%', '\\'])
        && !path.contains("//")
        && !path.contains("/.")
        && (path.len() <= 1 || !path.ends_with('/'));
    if is_normal {
        return Cow::Borrowed(path);
    }
    let mut segments: Vec<String> = Vec::new();
    // Some servers decode twice, but none that is known decodes the path of an API so.
    for segment in decoded(path).split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment.to_owned()),
        }
    }
    Cow::Owned(format!("/{}", segments.join("/")))
}

/// A path with its escapes decoded; what is not UTF-8 becomes U+FFFD.
fn decoded(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let digit = |at: usize| after.get(at).and_then(|byte| (*byte as char).to_digit(16));
        match (first, digit(0), digit(1)) {
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

/// Whether a text is what a pattern with `*` describes. Linear: each piece is taken at its first place, the last at the end.
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
