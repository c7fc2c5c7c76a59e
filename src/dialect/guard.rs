//! Guards: when brackets are no marker. Source: dialects, guards.

use crate::marker_ids::IdText;
use crate::sources::{Source, Sources};

/// Most blanks after a marker that are looked at.
const MOST_BLANKS: usize = 8;

/// Kind of a guard, by the rules by which a group is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GuardKind {
    /// Numbers in brackets: indices, ranges, labels and bibliographies are text.
    Number,
    /// Brackets that are part of a link are text.
    Link,
}

/// Guard of a table.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(super) kind: GuardKind,
    /// Words after which a group of several identifiers (a list) is not a marker.
    pub(super) not_after: Vec<Box<str>>,
    /// Words after which a number names something else than a source.
    pub(super) labels: Vec<Box<str>>,
    /// Of the markers of this table, or of groups that begin with one of them.
    pub(super) attached: Attached,
}

/// Rule for markers that are attached to a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Attached {
    /// All are markers.
    Always,
    /// The word decides, and with a list of sources, one of the identifiers must be listed.
    #[default]
    Listed,
    /// None is a marker.
    Never,
}

/// Text around a group that may be a marker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around<'a> {
    /// Up to 64 bytes of text before the group, from the start of the line or the last marker on.
    pub(crate) before: &'a [u8],
    /// The opening emphasis before the group, if nothing else but the markers of its line comes before.
    pub(crate) first_in_line: Option<&'a [u8]>,
    /// Bytes after it, as far as they are known.
    pub(crate) after: &'a [u8],
    /// No later byte can change the decision.
    pub(crate) ends: bool,
    pub(crate) attached: Attached,
    pub(crate) sources: Option<&'a dyn Sources>,
}

/// Decision about a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GuardVerdict {
    Marker,
    Text,
    /// Text because none of its identifiers is listed.
    Unlisted,
    /// Text because it is the first in its line.
    FirstInLine,
    /// The bytes after it decide.
    More,
}

/// List that has every identifier.
#[derive(Debug)]
struct EveryId;

impl Sources for EveryId {
    fn find(&self, _: &str) -> Option<Source<'_>> {
        Some(Source::new(""))
    }

    fn is_complete(&self) -> bool {
        false
    }
}

/// Answer of one rule: `true` if the group is text, `None` if the bytes after the group decide.
type Answer = Option<bool>;

impl Guard {
    /// Decides about the group `bytes`, of which a unit has several identifiers or `one_each`.
    pub(crate) fn verdict(
        &self,
        bytes: &[u8],
        ids: &IdText,
        one_each: bool,
        around: &Around<'_>,
    ) -> GuardVerdict {
        if self.kind == GuardKind::Link {
            return around.link(bytes);
        }
        let listed = around
            .sources
            .map(|sources| ids.iter().any(|id| sources.find(id).is_some()));
        let unlisted_zero = ids.iter().any(|id| {
            id == "0"
                && around
                    .sources
                    .is_none_or(|sources| sources.find(id).is_none())
        });
        let first = around.first();
        let is_label = around.label(false);
        if is_label == Some(true) {
            return GuardVerdict::FirstInLine;
        }
        let before = trimmed(around.before);
        let answers = [
            Some(unlisted_zero),
            Some(around.before.last().is_some_and(|&byte| bars_before(byte))),
            Some(in_parentheses(around.before)),
            Some(around.is_image(bytes)),
            first.map(|byte| byte.is_some_and(bars_after)),
            around.attached(listed),
            Some(listed.is_none() && follows_operator(before)),
            match one_each {
                true => Some(false),
                false => self.list(around, before, listed),
            },
            Some(listed != Some(true) && ends_with_word(before, &self.labels)),
        ];
        let is_text = answers.contains(&Some(true));
        if is_text && around.is_before_blank() {
            // Whatever comes after the blanks: the line's end, or text.
            return GuardVerdict::FirstInLine;
        }
        if is_label.is_none() {
            return GuardVerdict::More;
        }
        if unlisted_zero {
            return GuardVerdict::Text;
        }
        if is_text {
            self.unlisted(bytes, ids, one_each, around)
        } else if answers.contains(&None) {
            GuardVerdict::More
        } else {
            GuardVerdict::Marker
        }
    }

    /// Decides about a group that is text: only because none of its identifiers is listed, if it would be a marker in prose
    /// otherwise, whatever comes after its next character.
    fn unlisted(
        &self,
        bytes: &[u8],
        ids: &IdText,
        one_each: bool,
        around: &Around<'_>,
    ) -> GuardVerdict {
        let Some(sources) = around.sources.filter(|sources| sources.is_complete()) else {
            return GuardVerdict::Text;
        };
        if ids.iter().any(|id| id == "0" || sources.find(id).is_some()) {
            return GuardVerdict::Text;
        }
        let Some(first) = around.first() else {
            return GuardVerdict::More;
        };
        let before = around.before;
        let in_prose = |before: &[u8]| matches!(before, [] | [.., b' ' | b'\t']);
        let before = match before.strip_suffix(b"(") {
            Some(rest) if in_prose(rest) => rest,
            _ => before,
        };
        let listed = Around {
            before,
            first_in_line: None,
            after: match first {
                Some(b':') | None => b"",
                // Words of many languages have no blanks between them: `根据[7]Python很流行`.
                Some(byte) if byte.is_ascii_alphanumeric() && !around.is_attached() => b"",
                Some(_) => &around.after[..1],
            },
            ends: true,
            sources: Some(&EveryId),
            ..*around
        };
        match self.verdict(bytes, ids, one_each, &listed) {
            GuardVerdict::Marker => GuardVerdict::Unlisted,
            _ => GuardVerdict::Text,
        }
    }

    /// Returns `true` if a group that is first in its line makes the others of the line text.
    pub(crate) fn is_for_numbers(&self) -> bool {
        self.kind == GuardKind::Number
    }

    fn list(&self, around: &Around<'_>, before: &[u8], listed: Option<bool>) -> Answer {
        if let Some(listed) = listed {
            return Some(!listed);
        }
        if ends_with_word(before, &self.not_after) {
            return Some(true);
        }
        let is_stop = |stop: &&str| before.ends_with(stop.as_bytes());
        if STOPS.iter().any(is_stop) {
            return Some(false);
        }
        Some(!around.at_stop()?)
    }
}

/// Closing punctuation beyond ASCII. Source: wire profile, terms.
const CLOSING: &str = "’”»›…、。」』！），：；？";

const WIDE_COLON: &[u8] = "：".as_bytes();

/// Characters that end a sentence.
const STOPS: [&str; 6] = [".", "!", "?", "。", "！", "？"];

impl Around<'_> {
    /// Decides by guard `link`.
    fn link(&self, bytes: &[u8]) -> GuardVerdict {
        match self.label(true) {
            _ if self.before.ends_with(b"]") || self.is_image(bytes) => GuardVerdict::Text,
            Some(true) => GuardVerdict::Text,
            Some(false) => GuardVerdict::Marker,
            None => GuardVerdict::More,
        }
    }

    fn is_image(&self, bytes: &[u8]) -> bool {
        self.before.ends_with(b"!") && bytes.contains(&b'(')
    }

    /// Decides about the label of a line: a group that is first in it, before a colon or, unless `colon_only`, before a
    /// blank or a character beyond ASCII that opens text.
    fn label(&self, colon_only: bool) -> Answer {
        let Some(emphasis) = self.first_in_line else {
            return Some(false);
        };
        let rest = match self.after_emphasis(emphasis) {
            Some(rest) => rest,
            None => return self.ends.then_some(false),
        };
        match rest {
            [] => self.ends.then_some(false),
            [b':', ..] => Some(true),
            [b' ' | b'\t', ..] if colon_only => Some(false),
            [b' ' | b'\t', ..] => self.text_after_blanks(rest),
            [..=0x7F, ..] => Some(false),
            _ if rest.starts_with(WIDE_COLON) => Some(true),
            _ if colon_only && (self.ends || !WIDE_COLON.starts_with(rest)) => Some(false),
            _ => self.opens_text(rest),
        }
    }

    /// Returns what follows the group after its closing emphasis; `None` if that may still go on.
    fn after_emphasis(&self, emphasis: &[u8]) -> Option<&[u8]> {
        match self.after.strip_prefix(emphasis) {
            None if emphasis.starts_with(self.after) => None,
            rest => Some(rest.unwrap_or(self.after)),
        }
    }

    /// Returns `true` if the group is the first in its line, and a blank follows.
    fn is_before_blank(&self) -> bool {
        let emphasis = self.first_in_line;
        let rest = emphasis.and_then(|emphasis| self.after_emphasis(emphasis));
        rest.is_some_and(|rest| rest.first().is_some_and(|byte| is_blank(*byte)))
    }

    /// Returns whether blanks are more than `MOST_BLANKS`, or something other than the line's end comes after them.
    fn text_after_blanks(&self, bytes: &[u8]) -> Answer {
        let blanks = bytes.iter().take_while(|byte| is_blank(**byte)).count();
        match bytes.get(blanks) {
            _ if blanks > MOST_BLANKS => Some(true),
            Some(byte) => Some(!matches!(byte, b'\r' | b'\n')),
            None => self.ends.then_some(false),
        }
    }

    /// Returns whether bytes above U+007F begin anything but closing punctuation.
    fn opens_text(&self, bytes: &[u8]) -> Answer {
        let mut char = [0; 4];
        for closing in CLOSING.chars() {
            let closing = closing.encode_utf8(&mut char).as_bytes();
            if bytes.starts_with(closing) {
                return Some(false);
            }
            if closing.starts_with(bytes) && !self.ends {
                return None;
            }
        }
        Some(true)
    }

    /// Returns `true` right after an ASCII letter or digit, or `_`.
    fn is_attached(&self) -> bool {
        let last = self.before.last();
        last.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    }

    fn attached(&self, listed: Option<bool>) -> Answer {
        if !self.is_attached() || self.attached == Attached::Always {
            return Some(false);
        }
        if self.attached == Attached::Never || listed == Some(false) {
            return Some(true);
        }
        let in_word =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | 0x80..);
        let len = self
            .before
            .iter()
            .rev()
            .take_while(|byte| in_word(byte))
            .count();
        let word = &self.before[self.before.len() - len..];
        let characters = word
            .iter()
            .filter(|&&byte| !matches!(byte, 0x80..=0xBF))
            .count();
        let is_code = word
            .iter()
            .any(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.'));
        if characters < 3 || is_code {
            return Some(true);
        }
        match (self.operator(), self.colon(listed)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        }
    }

    /// First byte after the group: `None` if it is not known yet, `Some(None)` at the end of the
    /// line.
    fn first(&self) -> Option<Option<u8>> {
        match self.after.first() {
            Some(b'\r' | b'\n') => Some(None),
            Some(&byte) => Some(Some(byte)),
            None => self.ends.then_some(None),
        }
    }

    /// Returns whether an operator follows after blanks, or more than `MOST_BLANKS` blanks do.
    fn operator(&self) -> Answer {
        let blanks = self
            .after
            .iter()
            .take_while(|byte| is_blank(**byte))
            .count();
        match self.after.get(blanks) {
            _ if blanks > MOST_BLANKS => Some(true),
            Some(byte) => Some(blanks > 0 && b"=+-*/%<>&|^".contains(byte)),
            None => self.ends.then_some(false),
        }
    }

    /// Returns whether a colon and what it introduces follow directly, as in a log, unless an identifier is listed.
    fn colon(&self, listed: Option<bool>) -> Answer {
        match self.after {
            _ if listed == Some(true) => Some(false),
            [b':', next, ..] => Some(is_blank(*next)),
            [b':'] | [] => self.ends.then_some(false),
            after if after.starts_with(WIDE_COLON) => Some(true),
            after if WIDE_COLON.starts_with(after) => self.ends.then_some(false),
            _ => Some(false),
        }
    }

    /// Returns whether the line's end or a character that ends a sentence follows directly.
    fn at_stop(&self) -> Answer {
        if self.first()?.is_none() {
            return Some(true);
        }
        for stop in STOPS {
            if self.after.starts_with(stop.as_bytes()) {
                return Some(true);
            }
            if stop.as_bytes().starts_with(self.after) && !self.ends {
                return None;
            }
        }
        Some(false)
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| !is_blank(byte));
    &bytes[..end.map_or(0, |last| last + 1)]
}

/// Returns `true` if a group right after a byte is text.
fn bars_before(byte: u8) -> bool {
    byte.is_ascii()
        && !byte.is_ascii_alphanumeric()
        && !matches!(byte, b'\t'..=b'\r' | b' ')
        && !b"_.,;:!?)\"'*~>%`".contains(&byte)
}

/// Returns `true` if a group right before a byte is text.
fn bars_after(byte: u8) -> bool {
    byte.is_ascii()
        && !matches!(byte, b'\t'..=b'\r' | b' ')
        && !b".,;:!?)]}\"'*_~<|`".contains(&byte)
}

/// Returns `true` after brackets without letters that begin with the first text in parentheses, such as `([1], `.
fn in_parentheses(before: &[u8]) -> bool {
    let is_between = |byte: &u8| is_blank(*byte) || matches!(byte, b',' | b';');
    let mut rest = before;
    loop {
        let end = rest.iter().rposition(|byte| !is_between(byte));
        let Some((b']', inner)) = end.and_then(|end| rest[..=end].split_last()) else {
            return rest.len() < before.len() && rest.ends_with(b"(");
        };
        let Some(open) = inner.iter().rposition(|&byte| byte == b'[') else {
            return false;
        };
        let is_other = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b']';
        if inner[open..].iter().any(is_other) {
            return false;
        }
        rest = &inner[..open];
    }
}

fn follows_operator(before: &[u8]) -> bool {
    ["=", ":", "∈", "＝", "："]
        .iter()
        .any(|operator| before.ends_with(operator.as_bytes()))
}

/// Returns `true` if `before` ends with one of `words`, ignoring case, as a word of its own.
fn ends_with_word(before: &[u8], words: &[Box<str>]) -> bool {
    // Only the text after the last byte that is not UTF-8 is compared.
    let start = match core::str::from_utf8(before) {
        Ok(_) => 0,
        Err(_) => (0..before.len())
            .rev()
            .take_while(|&at| {
                core::str::from_utf8(&before[at..]).is_ok() || before[at] & 0xC0 == 0x80
            })
            .filter(|&at| core::str::from_utf8(&before[at..]).is_ok())
            .last()
            .unwrap_or(before.len()),
    };
    let Ok(before) = core::str::from_utf8(&before[start..]) else {
        return false;
    };
    let lower = |char: char| char.to_lowercase().next().unwrap_or(char);
    let Some(last) = before.chars().next_back().map(lower) else {
        return false;
    };
    let mut last_bytes = [0; 4];
    let last_byte = last.encode_utf8(&mut last_bytes).bytes().last();
    // Most words differ in the last byte.
    let mut words = words.iter().filter(|word| word.bytes().last() == last_byte);
    words.any(|word| {
        let mut rest = before.chars();
        let same = word
            .chars()
            .rev()
            .all(|char| rest.next_back().map(lower) == Some(char));
        let stands_alone = word.chars().next().is_some_and(|first| first > '\u{2E7F}');
        same && (stands_alone || rest.next_back().is_none_or(|char| !char.is_alphabetic()))
    })
}
