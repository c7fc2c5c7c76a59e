//! Escapes untrusted text for HTML.

use std::fmt::Write as _;
use std::ops::Range;

/// Returns `true` if a character is invisible, or moves, hides or reorders what is near it: controls other than line feeds and
/// tabs, and all characters that Unicode calls default ignorable.
pub(crate) const fn is_hidden(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}'
        | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Returns `true` if a hidden character has its ordinary effect on the characters beside it: a line end, a joiner within a word or
/// an emoji, a variation selector after a character that has variants.
fn is_in_use(before: Option<char>, character: char, after: Option<char>) -> bool {
    let is_picture = |it: char| {
        matches!(it, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}'
            | '\u{2122}' | '\u{2139}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}')
    };
    let joins = |it: char| matches!(it, '\u{600}'..='\u{109f}' | '\u{1780}'..='\u{18aa}' | '\u{1900}'..='\u{1cff}' | '\u{a840}'..='\u{abff}');
    let is_before = |of: &dyn Fn(char) -> bool| before.is_some_and(of);
    let is_after = |of: &dyn Fn(char) -> bool| after.is_some_and(of);
    match character {
        '\r' => after == Some('\n'),
        '\u{200c}' => is_before(&joins) && is_after(&joins),
        '\u{200d}' => {
            let is_emoji = is_before(&|it| is_picture(it) || it == '\u{fe0f}');
            is_emoji && is_after(&is_picture) || is_before(&joins) && is_after(&joins)
        }
        '\u{fe0e}' | '\u{fe0f}' => {
            let is_key = is_before(&|it| matches!(it, '0'..='9' | '#' | '*'));
            is_before(&is_picture) || is_key && after == Some('\u{20e3}')
        }
        '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => is_before(
            &|it| matches!(it, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'),
        ),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => {
            is_before(&|it| matches!(it, '\u{1820}'..='\u{18aa}'))
        }
        _ => false,
    }
}

/// Writes text as content of an element. Hidden characters are written as code points, each run of
/// them in an element of its own: `<b class="x">U+202E U+2066</b>`.
pub(crate) fn text(html: &mut String, text: &str) {
    part(html, text, 0..text.len());
}

/// Writes a range of a text as [`text`] does. What is around it decides whether a joiner joins.
pub(crate) fn part(html: &mut String, text: &str, range: Range<usize>) {
    let mut before = text[..range.start].chars().next_back();
    let mut is_in_run = false;
    for (at, character) in text[range.clone()].char_indices() {
        let mut is_named = is_hidden(character);
        if is_named {
            let after = text[range.start + at..].chars().nth(1);
            is_named = !is_in_use(before, character, after);
        }
        before = Some(character);
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
            (
                "می\u{200c}خواهم, 1\u{fe0f}\u{20e3}, 葛\u{e0100}",
                "می\u{200c}خواهم, 1\u{fe0f}\u{20e3}, 葛\u{e0100}",
            ),
            ("a\u{200d}b", "a<b class=\"x\">U+200D</b>b"),
            ("a\u{fe01}\u{fe02}", "a<b class=\"x\">U+FE01 U+FE02</b>"),
            ("🚀\u{fe0f}\u{fe0f}", "🚀\u{fe0f}<b class=\"x\">U+FE0F</b>"),
            ("\u{3164}\u{34f}", "<b class=\"x\">U+3164 U+034F</b>"),
        ] {
            assert_eq!(of(text, input), expected);
        }
        assert_eq!(of(plain, "\"<\n\u{202e}>&"), "&quot;&lt; U+202E&gt;&amp;");
    }

    #[test]
    fn what_is_around_a_part_decides() {
        let whole = "👩\u{200d}🚀\r\n";
        for (range, expected) in [(4..7, "\u{200d}"), (11..12, "&#13;")] {
            assert_eq!(
                of(|html, text| part(html, text, range.clone()), whole),
                expected
            );
        }
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        let cut = |html: &mut String, text: &str| value(html, text, 2);
        assert_eq!(of(cut, "éé"), "<bdi>éé</bdi>");
        assert_eq!(of(cut, "ééé<"), "<bdi>éé…</bdi> (7 bytes)");
    }
}
