//! Guards (section 4 of docs/dialects.md).

use super::super::lines;
use super::super::scan::Scan;
use super::super::stream::{self, Stream};
use super::Known;
use std::ops::Range;

/// Words after which a list is text.
const NOT_AFTER: &str = "in is are returns return returned gives prints yields outputs contains \
    equals array list vector tuple interval range set shape from to of between im ist sind \
    intervall bereich liste feld liefert ergibt dans est sont intervalle vecteur tableau renvoie \
    retourne donne en es son intervalo lista devuelve da em é são no vetor retorna в интервале \
    отрезке список списке массив вектор равен возвращает 区間 範囲 リスト 配列 は を 区间 范围 \
    列表 数组 在 为 是 返回";

/// Words after which a number is a label.
const LABELS: &str = "press key option step choose figure fig fig. eq eq. equation table section line row \
    column item page chapter schritt zeile gleichung étape ligne opción línea";

/// Most bytes of the text before a group that decide.
const BEFORE: usize = 64;

/// A group of markers, with what decides whether it is text.
pub(super) struct Group<'a> {
    pub stream: &'a Stream,
    pub scan: &'a Scan,
    pub known: &'a Known,
    pub span: Range<usize>,
    pub ids: &'a [String],
    /// A unit has more than one identifier.
    pub has_list: bool,
    /// End of the last marker before the group.
    pub last_marker: usize,
    /// The group is read as if more than its next character were not there, and without a `(` before it.
    pub alone: bool,
}

/// Character or end right after a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    LineEnd,
    Blank,
    Char(char),
    /// Byte above 7F that begins no character.
    Byte,
}

impl Group<'_> {
    /// Returns the start of the group's line; a line feed inside an annotation ends none.
    pub(super) fn line_start(&self) -> usize {
        let annotations: Vec<_> = self.scan.annotation_spans().collect();
        let is_within = |at: usize| annotations.iter().any(|span| span.0 < at && at < span.1);
        let mut start = self.stream.line_start(self.span.start);
        while is_within(start) {
            start = self.stream.line_start(start - 1);
        }
        start
    }

    /// Returns where what follows a group begins that is the first in its line, after the end of its emphasis.
    fn after_first(&self) -> Option<usize> {
        let (start, at) = (self.line_start(), self.span.start);
        let end = self.stream.line_end(at);
        let prefix = lines::prefix(self.stream, start, end, &[]);
        let mut first = prefix.heading.unwrap_or(prefix.end);
        while first < at && is_blank(self.stream.bytes[first]) {
            first += 1;
        }
        if first > at || at - start > 32 {
            return None;
        }
        let emphasis = std::str::from_utf8(&self.stream.bytes[first..at]).ok()?;
        if !["", "*", "**", "***", "_", "__", "___"].contains(&emphasis) {
            return None;
        }
        let after = self.span.end;
        let mut signs = emphasis.chars().enumerate();
        let ends = signs.all(|(index, sign)| self.after(after + index) == After::Char(sign));
        Some(after + if ends { emphasis.len() } else { 0 })
    }

    /// Returns `true` for rule 2.
    pub(super) fn is_first_in_line(&self) -> bool {
        self.after_first().is_some_and(|at| match self.after(at) {
            After::LineEnd => false,
            // Text by another rule, it is text whatever comes after the blanks.
            After::Blank if self.is_text() => true,
            After::Blank => {
                let blanks = (at..)
                    .take_while(|&at| self.after(at) == After::Blank)
                    .count();
                blanks > 8 || self.after(at + blanks) != After::LineEnd
            }
            After::Char(':' | '：') | After::Byte => true,
            After::Char(char) => char > '\u{7f}' && !stream::is_closing(char),
        })
    }

    /// Returns `true` if the guard `link` makes the group text.
    pub(super) fn is_link(&self) -> bool {
        let after = self.after_first().map(|at| self.after(at));
        let is_label = matches!(after, Some(After::Char(':' | '：')));
        is_label || self.before().ends_with(b"]") || self.is_image()
    }

    fn is_image(&self) -> bool {
        let bytes = &self.stream.bytes[self.span.clone()];
        self.before().ends_with(b"!") && bytes.contains(&b'(')
    }

    /// Returns `true` if one of the other rules makes the group text.
    pub(super) fn is_text(&self) -> bool {
        let before = self.before();
        let after = self.after(self.span.end);
        let with_sources = !matches!(self.known, Known::Nothing);
        let is_listed = |id: &String| self.known.lists(id);
        let none_listed = !self.ids.iter().any(is_listed);
        let zero = self.ids.iter().any(|id| id == "0" && !is_listed(id));
        let unblanked = without_blanks(before);
        let operator = ["=", ":", "∈", "＝", "："]
            .iter()
            .any(|sign| unblanked.ends_with(sign.as_bytes()));
        let ends = ['.', '!', '?', '。', '！', '？'];
        let at_terminator = matches!(after, After::LineEnd)
            || matches!(after, After::Char(char) if ends.contains(&char))
            || ends
                .iter()
                .any(|end| unblanked.ends_with(end.to_string().as_bytes()));
        let list = if with_sources {
            none_listed
        } else {
            ends_with_word(unblanked, NOT_AFTER) || !at_terminator
        };
        zero || before.last().is_some_and(|&byte| bars(byte))
            || self.is_image()
            || (0..before.len()).any(|at| is_row_of_brackets(&before[at..]))
            || !may_follow(after)
            || !self.is_never_an_index()
                && self.is_attached_text(before, with_sources && none_listed)
            || !with_sources && operator
            || self.has_list && list
            || none_listed && ends_with_word(unblanked, LABELS)
    }

    /// Returns `true` for a text that would be a marker if its identifiers were listed, whatever comes after its next
    /// character and if it is alone in parentheses.
    pub(super) fn is_unlisted(&self) -> bool {
        let Known::Complete(sources) = self.known else {
            return false;
        };
        let is_one = |id: &String| id == "0" || sources.contains(id);
        let known = Known::Complete(self.ids.to_vec());
        let listed = Group {
            known: &known,
            span: self.span.clone(),
            alone: true,
            ..*self
        };
        !self.ids.iter().any(is_one) && !listed.is_text()
    }

    /// Returns `true` for forms with `attached = "always"`.
    fn is_never_an_index(&self) -> bool {
        let bytes = &self.stream.bytes[self.span.clone()];
        ["[^", "【", "［"]
            .iter()
            .any(|open| bytes.starts_with(open.as_bytes()))
    }

    /// Returns `true` for rule 6.
    fn is_attached_text(&self, before: &[u8], unlisted: bool) -> bool {
        let is_attached = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if !before.last().is_some_and(is_attached) {
            return false;
        }
        let text = String::from_utf8_lossy(before);
        let word: Vec<char> = text
            .chars()
            .rev()
            .take_while(|&char| {
                char.is_ascii_alphanumeric() || matches!(char, '_' | '.') || char > '\u{7f}'
            })
            .collect();
        let odd = |char: &char| char.is_ascii_digit() || matches!(char, '_' | '.');
        let mut at = self.span.end;
        let mut blanks = 0;
        while self.after(at) == After::Blank {
            blanks += 1;
            at += 1;
        }
        let operator = matches!(self.after(at), After::Char(char) if "=+-*/%<>&|^".contains(char));
        let end = self.span.end;
        let introduces = match self.after(end) {
            After::Char(':') => self.after(end + 1) == After::Blank,
            after => after == After::Char('：'),
        };
        let listed = self.ids.iter().any(|id| self.known.lists(id));
        let log = introduces && !listed;
        // Of bytes that are not UTF-8, those from 80 to BF count as none.
        let is_word =
            |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.".contains(byte) || **byte > 0x7F;
        let begins = |byte: &&u8| **byte & 0xC0 != 0x80;
        let characters = before.iter().rev().take_while(is_word).filter(begins);
        characters.count() < 3
            || word.iter().any(odd)
            || blanks > 0 && operator
            || blanks > 8
            || log
            || unlisted
    }

    /// Returns the text before the group: in its line, since the last marker or annotation.
    fn before(&self) -> &[u8] {
        let at = self.span.start;
        let annotations = self.scan.annotation_spans().map(|(_, end)| end);
        let annotation = annotations.filter(|&end| end <= at).max().unwrap_or(0);
        let mut start = self.line_start().max(annotation).max(self.last_marker);
        if at - start > BEFORE {
            start = at - BEFORE;
            // A character that this would cut is left out.
            while self.stream.bytes[start] & 0xC0 == 0x80 {
                start += 1;
            }
        }
        let before = &self.stream.bytes[start..at];
        match before.strip_suffix(b"(") {
            Some(rest) if self.alone && rest.last().is_none_or(|&byte| is_blank(byte)) => rest,
            _ => before,
        }
    }

    /// Reads what is at a position.
    fn after(&self, at: usize) -> After {
        let stream = self.stream;
        let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        if self.alone {
            let is_attached = is_word(self.before().last()) || self.before().ends_with(b"_");
            if at > self.span.end || is_word(stream.bytes.get(at)) && !is_attached {
                return After::LineEnd;
            }
        }
        let annotation = self.scan.annotation_spans().any(|(start, _)| start == at);
        let value = self.scan.values.iter().any(|value| value.start == at);
        let ends = at == stream.bytes.len() || !stream.is_own(at) || annotation || value;
        if ends {
            return After::LineEnd;
        }
        match stream.bytes[at] {
            b'\r' | b'\n' => After::LineEnd,
            b' ' | b'\t' => After::Blank,
            byte if byte < 0x80 => After::Char(char::from(byte)),
            _ => match stream.char_at(at, stream.own_end(at)) {
                Some((char, _)) => After::Char(char),
                None => After::Byte,
            },
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn without_blanks(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().rev().take_while(|&&byte| is_blank(byte));
    &bytes[..bytes.len() - blanks.count()]
}

/// Returns `true` for `(` and brackets without letters, with only blanks, `,` and `;` after each (rule 3).
fn is_row_of_brackets(bytes: &[u8]) -> bool {
    let Some(mut rest) = bytes.strip_prefix(b"(") else {
        return false;
    };
    while let Some(inner) = rest.strip_prefix(b"[") {
        let is_part = |byte: &&u8| !byte.is_ascii_alphabetic() && !b"[]".contains(byte);
        let len = inner.iter().take_while(is_part).count();
        if inner.get(len) != Some(&b']') {
            return false;
        }
        rest = &inner[len + 1..];
        while let Some((b' ' | b'\t' | b',' | b';', more)) = rest.split_first() {
            rest = more;
        }
    }
    rest.is_empty() && bytes.len() > 1
}

/// Returns `true` for a byte after which a group is text (rule 3).
fn bars(byte: u8) -> bool {
    let white = matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\x0b' | b'\x0c');
    let word = byte.is_ascii_alphanumeric() || byte == b'_';
    byte.is_ascii() && !white && !word && !b".,;:!?)\"'*~>%`".contains(&byte)
}

/// Returns `true` for what may come after a group (rule 5).
fn may_follow(after: After) -> bool {
    match after {
        After::LineEnd | After::Blank | After::Byte => true,
        After::Char(char) => {
            char > '\u{7f}' || char.is_whitespace() || ".,;:!?)]}\"'*_~<|`".contains(char)
        }
    }
}

/// Returns `true` if a text ends with one of the words, without regard to letter case.
fn ends_with_word(bytes: &[u8], words: &str) -> bool {
    let lower = |char: char| {
        let mut lower = char.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) => one,
            _ => char,
        }
    };
    let text: Vec<char> = String::from_utf8_lossy(bytes).chars().map(lower).collect();
    words.split_whitespace().any(|word| {
        let word: Vec<char> = word.chars().collect();
        let Some(rest) = text.strip_suffix(&word[..]) else {
            return false;
        };
        let letter_before = rest.last().is_some_and(|char| char.is_alphabetic());
        !letter_before || word[0] > '\u{2e7f}'
    })
}
