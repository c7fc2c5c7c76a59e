//! Closing markup, which is taken out of a candidate before its sentences are looked for.

use super::text::{Char, Class};
use super::{OPENERS, Text};

/// Most bytes from a terminator to the end of its closing markup, most letters and digits in it, and the longest tag.
const LONGEST: usize = 64;
const LETTERS: usize = 24;
const TAG: usize = 32;

/// The candidate without closing markup.
pub(super) fn without_markup(text: &Text) -> Text {
    let mut removed = vec![false; text.0.len()];
    for (at, char) in text.0.iter().enumerate() {
        if char.ends() && char.class != Class::Sep {
            for piece in text.closing_markup(at) {
                removed[piece].fill(true);
            }
        }
    }
    let kept = text.0.iter().zip(removed).filter(|(_, removed)| !removed);
    Text(kept.map(|(&char, _)| char).collect())
}

/// Markup that was read after one terminator.
#[derive(Clone, Copy)]
struct Read {
    /// Position where the terminator ends, in bytes.
    from: usize,
    letters: usize,
    wide: bool,
}

impl Text {
    /// The pieces of closing markup of the terminator at `at`.
    fn closing_markup(&self, at: usize) -> Vec<std::ops::Range<usize>> {
        let mut read = Read {
            from: self.byte(at + 1),
            letters: 0,
            wide: "。！？".contains(self.0[at].char),
        };
        let mut pieces = Vec::new();
        let mut end = self.marks_end(at + 1);
        loop {
            if let Some(next) = self.piece(end, &mut read) {
                pieces.push(end..next);
                end = self.marks_end(next);
                continue;
            }
            let Some(char) = self.get(end) else { break };
            if char.class == Class::Close && !(read.wide && OPENERS.contains(char.char)) {
                end = self.marks_end(end + 1);
                continue;
            }
            let next = self.space_end(end);
            if next == end || !self.is_detached_closer(next, read.wide) {
                break;
            }
            end = next;
        }
        let closes = read.wide || self.get(end).is_none_or(Char::is_space);
        if closes { pieces } else { Vec::new() }
    }

    /// Returns `true` if a French quotation mark is at `at`, after white space, that nothing is attached to but markup before more
    /// white space.
    pub(super) fn is_detached_closer(&self, at: usize, wide: bool) -> bool {
        if !self
            .get(at)
            .is_some_and(|char| matches!(char.char, '»' | '›'))
        {
            return false;
        }
        let mut read = Read {
            from: self.byte(at + 1),
            letters: 0,
            wide,
        };
        let mut next = at + 1;
        while let Some(end) = self.piece(next, &mut read) {
            next = self.marks_end(end);
        }
        self.get(next).is_none_or(|char| {
            let joins = char.ends() || matches!(char.class, Class::SContinue | Class::Close);
            char.is_space() || next == at + 1 && joins
        })
    }

    /// Returns the position where the piece of markup that starts at `at` ends.
    fn piece(&self, at: usize, read: &mut Read) -> Option<usize> {
        let rest = self.string(at.min(self.0.len()), self.0.len().min(at + LONGEST + 1));
        let end = at + length(&rest)?;
        let piece = self.string(at, end);
        let letters = piece.chars().filter(char::is_ascii_alphanumeric).count();
        if self.byte(end) - read.from > LONGEST || read.letters + letters > LETTERS {
            return None;
        }
        read.letters += letters;
        if read.wide && piece.starts_with(['*', '_', '~']) {
            // It may open the next sentence.
            let next = self.marks_end(end);
            let closes = self.get(next).is_none_or(|char| {
                char.is_space() || char.class == Class::Close && !OPENERS.contains(char.char)
            });
            if !closes {
                self.piece(next, &mut { *read })?;
            }
        }
        Some(end)
    }

    fn marks_end(&self, at: usize) -> usize {
        self.skip(at.min(self.0.len()), Char::is_mark)
    }

    /// Returns the position where the character at `at` starts, in bytes.
    fn byte(&self, at: usize) -> usize {
        let end = self.0.last().map_or(0, |last| last.start + last.len());
        self.get(at).map_or(end, |char| char.start)
    }

    /// Returns the position where the first sentence starts if the beginning of the candidate was cut off: after what may close the sentence before.
    pub(super) fn start_at_cut(&self) -> Option<usize> {
        let inner =
            |char: Char| char.char.is_ascii_alphanumeric() || "-_^/:<[【†".contains(char.char);
        let is_end = |char: Char| ">]】".contains(char.char);
        let rest = self
            .0
            .iter()
            .take_while(|&&char| char.start < LONGEST && (inner(char) || is_end(char)));
        let rest = rest.count();
        let mut at = (0..rest)
            .rfind(|&at| is_end(self.0[at]))
            .map_or(0, |at| at + 1);
        let mut may_be_markup = true;
        while let Some(char) = self.get(at) {
            let mut read = Read {
                from: char.start,
                letters: 0,
                wide: false,
            };
            if may_be_markup && let Some(end) = self.piece(at, &mut read) {
                at = end;
                continue;
            }
            if !(char.is_mark()
                || char.is_space()
                || char.class == Class::Close
                || char.char == '>')
            {
                return Some(char.start);
            }
            may_be_markup &= !char.is_space();
            may_be_markup |= matches!(char.char, '»' | '›');
            at += 1;
        }
        None
    }
}

/// Returns the number of characters of the piece of markup that a text starts with.
fn length(text: &str) -> Option<usize> {
    let emphasis = text
        .chars()
        .take_while(|&char| "*_~".contains(char))
        .count();
    if emphasis > 0 {
        return Some(emphasis);
    }
    if text.starts_with(['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']) {
        return Some(1);
    }
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|char| char.is_ascii_digit());
    let whole =
        |open: &str, inner: &str, close: &str| Some([open, inner, close].concat().chars().count());
    if let Some(rest) = text.strip_prefix("<sup>") {
        let (inner, _) = rest.split_once("</sup>")?;
        let bare = inner
            .strip_prefix('[')
            .and_then(|inner| inner.strip_suffix(']'));
        return is_number(bare.unwrap_or(inner))
            .then_some(())
            .and_then(|()| whole("<sup>", inner, "</sup>"));
    }
    if let Some(rest) = text.strip_prefix("</") {
        let (name, _) = rest.split_once('>')?;
        let is_name = name.starts_with(|char: char| char.is_ascii_alphabetic())
            && name
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || char == '-')
            && name.len() + 3 <= TAG;
        return if is_name {
            whole("</", name, ">")
        } else {
            None
        };
    }
    if let Some(rest) = text.strip_prefix('【') {
        let (inner, _) = rest.split_once('】')?;
        let is_source = inner.starts_with(|char: char| char.is_ascii_digit())
            && inner
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || ":-_†".contains(char));
        return if is_source {
            whole("【", inner, "】")
        } else {
            None
        };
    }
    let (inner, after) = text.strip_prefix('[')?.split_once(']')?;
    let is_note = match inner.strip_prefix('^') {
        Some(name) => {
            !name.is_empty()
                && name
                    .chars()
                    .all(|char| char.is_ascii_alphanumeric() || "-_^".contains(char))
        }
        None => is_number(inner),
    };
    if is_note && !after.starts_with('(') {
        whole("[", inner, "]")
    } else {
        None
    }
}
