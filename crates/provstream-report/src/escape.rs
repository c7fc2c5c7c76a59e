//! Escapes untrusted text for HTML.

use std::fmt::Write as _;

/// Returns `true` if a character is invisible, or moves, hides or reorders what is near it.
///
/// Line feeds and tabs are text, and so are the joiners and variation selectors that scripts and emoji need.
pub(crate) const fn is_hidden(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}'
        | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns `true` if the character at index `at` is written as its code point: a hidden character
/// other than the carriage return of a line end.
fn is_named(text: &str, at: usize, character: char) -> bool {
    is_hidden(character) && !(character == '\r' && text[at + 1..].starts_with('\n'))
}

/// Writes text as content of an element. Hidden characters are written as code points, each run of
/// them in an element of its own: `<b class="x">U+202E U+2066</b>`.
pub(crate) fn text(html: &mut String, text: &str) {
    let mut is_in_run = false;
    for (at, character) in text.char_indices() {
        let is_named = is_named(text, at, character);
        match (is_in_run, is_named) {
            (false, true) => html.push_str("<b class=\"x\">"),
            (true, true) => html.push(' '),
            (true, false) => html.push_str("</b>"),
            (false, false) => {}
        }
        is_in_run = is_named;
        if is_named {
            // Writing to a string always succeeds.
            let _ = write!(html, "U+{:04X}", u32::from(character));
            continue;
        }
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            // A literal one would be read as a line feed.
            '\r' => html.push_str("&#13;"),
            other => html.push(other),
        }
    }
    if is_in_run {
        html.push_str("</b>");
    }
}

/// Escapes untrusted text as content of an HTML element, as pages show it: markup is text, and characters that are invisible or
/// reorder text are code points in an element `<b class="x">`.
///
/// ```
/// assert_eq!(provstream_report::escaped("<i>\u{202e}"), "&lt;i&gt;<b class=\"x\">U+202E</b>");
/// ```
#[must_use]
pub fn escaped(untrusted: &str) -> String {
    let mut html = String::new();
    text(&mut html, untrusted);
    html
}

/// Writes text for a place that cannot have elements: an attribute in double quotes, or a title.
pub(crate) fn plain(html: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\t' | '\n' => html.push(' '),
            other if is_hidden(other) => {
                let _ = write!(html, "U+{:04X}", u32::from(other));
            }
            other => html.push(other),
        }
    }
}

/// Writes at most `most` characters of `whole` as [`text`], isolated from the direction of the
/// surrounding text. If there are more, the number of characters follows.
pub(crate) fn value(html: &mut String, whole: &str, most: usize) {
    html.push_str("<bdi>");
    match whole.char_indices().nth(most) {
        None => {
            text(html, whole);
            html.push_str("</bdi>");
        }
        Some((end, _)) => {
            text(html, &whole[..end]);
            let _ = write!(html, "…</bdi> ({} bytes)", whole.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(write: impl Fn(&mut String, &str), input: &str) -> String {
        let mut html = String::new();
        write(&mut html, input);
        html
    }

    #[test]
    fn markup_is_text_and_hidden_characters_have_names() {
        for (input, expected) in [
            ("<b a=\"'&\">", "&lt;b a=\"'&amp;\"&gt;"),
            ("a\tb\r\nc\rd", "a\tb&#13;\nc<b class=\"x\">U+000D</b>d"),
            ("\u{202e}\0x", "<b class=\"x\">U+202E U+0000</b>x"),
            ("\u{e0041}", "<b class=\"x\">U+E0041</b>"),
            ("é👩\u{200d}🚀\u{fe0f}", "é👩\u{200d}🚀\u{fe0f}"),
        ] {
            assert_eq!(of(text, input), expected);
        }
        assert_eq!(of(plain, "\"<\n\u{202e}>&"), "&quot;&lt; U+202E&gt;&amp;");
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        let cut = |html: &mut String, text: &str| value(html, text, 2);
        assert_eq!(of(cut, "éé"), "<bdi>éé</bdi>");
        assert_eq!(of(cut, "ééé<"), "<bdi>éé…</bdi> (7 bytes)");
    }
}
