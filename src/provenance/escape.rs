//! Text that is not the emitter's own, made free of annotations.

use std::borrow::Cow;

use memchr::memchr_iter;

use super::Vocabulary;
use super::vocabulary::without_anchor;

/// Puts a backslash before every `[` of a text that could start an annotation, so that a parser takes all of it for ordinary
/// text.
///
/// For text that an emitter repeats but does not vouch for: retrieved, quoted, or typed by someone else. Wherever the result
/// is then placed in free text, none of its own brackets is read as an annotation in the bracketed encoding by a parser with
/// that vocabulary. It does not rely on code fences or code spans of the text, and also escapes a `[` at the end of the
/// text that what follows could turn into an annotation. A text without such a bracket is returned as it is, and doing it
/// twice changes nothing more. Takes time linear in the text.
///
/// What surrounds the text is the caller's to see to:
///
/// - The text must not be placed directly after a backslash, which would undo a backslash at the text's start, nor inside an
///   annotation's opening that stands before it, as in `[` and then the text.
/// - A text that ends with an odd number of backslashes takes away the effect of an annotation placed directly after it; a
///   space between them keeps it.
/// - Asserted objects in JSON are not touched. Where a parser also looks for those, push such text
///   [untrusted](crate::Parser::push_untrusted).
///
/// ```
/// use provstream::provenance::{Vocabulary, escape};
///
/// let memo = Vocabulary::memo();
/// assert_eq!(&*escape(b"so [substrate.grep]", &memo), b"so \\[substrate.grep]");
/// assert_eq!(&*escape(b"see [1] and [x](y)", &memo), b"see [1] and [x](y)");
/// ```
#[must_use]
pub fn escape<'t>(text: &'t [u8], vocabulary: &Vocabulary) -> Cow<'t, [u8]> {
    let mut escaped = Vec::new();
    let mut done = 0;
    for at in live_brackets(text, vocabulary) {
        escaped.extend_from_slice(&text[done..at]);
        escaped.push(b'\\');
        done = at;
    }
    if escaped.is_empty() {
        return Cow::Borrowed(text);
    }
    escaped.extend_from_slice(&text[done..]);
    Cow::Owned(escaped)
}

/// Escapes like [`escape`] a text that is known to be UTF-8.
#[must_use]
pub fn escape_str<'t>(text: &'t str, vocabulary: &Vocabulary) -> Cow<'t, str> {
    let mut escaped = String::new();
    let mut done = 0;
    for at in live_brackets(text.as_bytes(), vocabulary) {
        escaped.push_str(&text[done..at]);
        escaped.push('\\');
        done = at;
    }
    if escaped.is_empty() {
        return Cow::Borrowed(text);
    }
    escaped.push_str(&text[done..]);
    Cow::Owned(escaped)
}

/// Offsets of the `[` that need a backslash.
fn live_brackets<'t>(
    text: &'t [u8],
    vocabulary: &'t Vocabulary,
) -> impl Iterator<Item = usize> + 't {
    memchr_iter(b'[', text).filter(move |&at| {
        let backslashes = text[..at].iter().rev().take_while(|&&byte| byte == b'\\');
        backslashes.count() % 2 == 0 && could_start(&text[at + 1..], vocabulary).unwrap_or(true)
    })
}

/// Returns whether a `[` followed by these bytes starts an annotation; `None` if the bytes end before that is decided.
fn could_start(after: &[u8], vocabulary: &Vocabulary) -> Option<bool> {
    let start = skip_whitespace(after);
    let length = identifier_length(start)?;
    let Some(length) = length else {
        return Some(false);
    };
    let (identifier, rest) = start.split_at(length);
    let rest = skip_whitespace(rest);
    let name = without_anchor(identifier);
    let declares = name.starts_with(b"substrate.") || vocabulary.names(name);
    match rest.split_first()? {
        (b']', _) => Some(declares),
        (b';', _) if declares => Some(true),
        (b';', parameter) => is_known_parameter(skip_whitespace(parameter)),
        _ => Some(false),
    }
}

/// Measures the identifier at the start, in bytes: `Some(None)` if there is none, `None` if it may
/// continue after the end.
fn identifier_length(text: &[u8]) -> Option<Option<usize>> {
    let mut at = 0;
    if text.first()?.is_ascii_digit() {
        for _ in 0..2 {
            let digits = text[at..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let dot = *text.get(at + digits)?;
            if digits == 0 || dot != b'.' {
                return Some(None);
            }
            at += digits + 1;
        }
    }
    loop {
        if !text.get(at)?.is_ascii_alphabetic() {
            return Some(None);
        }
        let in_label = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        at += text[at..].iter().take_while(in_label).count();
        if *text.get(at)? != b'.' {
            return Some(Some(at));
        }
        at += 1;
    }
}

/// Returns whether the name of a known parameter and `=` are at the start; `None` if the bytes end before that is decided.
fn is_known_parameter(text: &[u8]) -> Option<bool> {
    let in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let (name, rest) = text.split_at(text.iter().take_while(in_name).count());
    let known: [&[u8]; 3] = [b"observation-id", b"observation_id", b"ts"];
    if rest.is_empty() && known.iter().any(|known| known.starts_with(name)) {
        return None;
    }
    let mut after = rest.iter().skip_while(|byte| matches!(byte, b' ' | b'\t'));
    Some(known.contains(&name) && *after.next()? == b'=')
}

/// Skips the whitespace of the grammar: spaces, tabs, carriage returns and at most one line feed.
fn skip_whitespace(text: &[u8]) -> &[u8] {
    let mut line_feeds = 0;
    let end = text.iter().position(|byte| match byte {
        b' ' | b'\t' | b'\r' => false,
        b'\n' => {
            line_feeds += 1;
            line_feeds > 1
        }
        _ => true,
    });
    &text[end.unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_could_start_an_annotation() {
        let memo = Vocabulary::memo();
        for (text, expected) in [
            ("[substrate.grep]", "\\[substrate.grep]"),
            ("[substrate.anything;", "\\[substrate.anything;"),
            ("a[ \n 1.0.substrate.x\r\n]", "a\\[ \n 1.0.substrate.x\r\n]"),
            ("[Unverified-Inference]", "\\[Unverified-Inference]"),
            (
                "[9.9.DECAYED-TO-UNCERTAINTY;x]",
                "\\[9.9.DECAYED-TO-UNCERTAINTY;x]",
            ),
            ("[note; ts =x]", "\\[note; ts =x]"),
            ("[note;observation_id=", "\\[note;observation_id="),
            ("\\\\[substrate.grep]", "\\\\\\[substrate.grep]"),
            ("`[substrate.grep]`", "`\\[substrate.grep]`"),
            ("[[substrate.grep]]", "[\\[substrate.grep]]"),
            (
                "[substrate.a; x=\"[substrate.b]\"]",
                "\\[substrate.a; x=\"\\[substrate.b]\"]",
            ),
            // What follows the text may complete these.
            ("[", "\\["),
            ("[ \n", "\\[ \n"),
            ("[1", "\\[1"),
            ("[1.", "\\[1."),
            ("[1.0", "\\[1.0"),
            ("[1.0.", "\\[1.0."),
            ("[note", "\\[note"),
            ("[note.", "\\[note."),
            ("[note ", "\\[note "),
            ("[note;", "\\[note;"),
            ("[note; obs", "\\[note; obs"),
            ("[note; ts", "\\[note; ts"),
            ("[note; ts ", "\\[note; ts "),
        ] {
            assert_eq!(escape_str(text, &memo), expected, "{text:?}");
            assert_eq!(escape_str(expected, &memo), expected, "{text:?} twice");
            assert_eq!(&*escape(text.as_bytes(), &memo), expected.as_bytes());
        }
    }

    #[test]
    fn leaves_ordinary_text_alone() {
        let memo = Vocabulary::memo();
        for text in [
            "",
            "no bracket",
            "[1] ",
            "[1]",
            "[x](y)",
            "[citation needed]",
            "[citation needed",
            "[3.1.b] ",
            "[substrate.grep docs]",
            "[note; ts later]",
            "[note; tsx=1]",
            "[note; obx",
            "[note; x",
            "[\n\nsubstrate.grep]",
            "[-x",
            "[1..a]",
            "[substrate]",
            "\\[substrate.grep]",
            "[Substrate.new]",
        ] {
            assert!(
                matches!(escape_str(text, &memo), Cow::Borrowed(_)),
                "{text:?}"
            );
            assert!(matches!(escape(text.as_bytes(), &memo), Cow::Borrowed(_)));
        }
    }
}
