//! Naive sentence splitter: a model of section 3.3 of the wire profile, with which tests compare
//! the library's splitter.
//!
//! The model reads a passage as a list of characters and looks classes and words up in the data
//! files. It shares neither the tables and filters of the library's splitter nor its search from
//! the end.

mod full_stop;
mod markup;
mod speech;
mod text;

use text::{Char, Class, chars};

/// Finds the start of the last sentence of a passage, as a byte offset.
pub fn last_sentence(candidate: &[u8]) -> usize {
    last_start(&text(candidate), 0).unwrap_or(0)
}

/// The characters that decide where the sentences of a candidate are.
fn text(candidate: &[u8]) -> Text {
    markup::without_markup(&Text(chars(candidate)))
}

/// Number of letters and digits at a truncated start within which every full stop ends a sentence.
const NEAR_CUT: usize = 64;

/// Finds the start of the last sentence of a passage with a truncated beginning, as a byte offset,
/// and whether the sentence starts there only because of the truncation.
pub fn last_sentence_after_cut(candidate: &[u8]) -> (usize, bool) {
    let whole = Text(chars(candidate));
    let text = markup::without_markup(&whole);
    let counted = whole
        .0
        .iter()
        .filter(|char| char.is_letter() || char.class == Class::Numeric);
    let near = counted
        .map(|char| char.start + char.len())
        .nth(NEAR_CUT - 1)
        .unwrap_or(candidate.len());
    let near = text.0.iter().filter(|char| char.start < near).count();
    if let Some(start) = last_start(&text, near) {
        let sure = (0..text.0.len()).filter_map(|at| text.break_after(at, true));
        let known = sure.map(|next| text.0[next].start).any(|at| at == start);
        return (start, !known);
    }
    (whole.start_at_cut().unwrap_or(0), true)
}

/// Finds the last start of a sentence that contains a letter. Before index `near`, every full stop
/// ends a sentence.
fn last_start(text: &Text, near: usize) -> Option<usize> {
    let mut has_letter = false;
    let mut end = text.0.len();
    for at in (0..text.0.len()).rev() {
        let Some(next) = text.break_after(at, at >= near) else {
            continue;
        };
        has_letter |= text.0[next..end.max(next)]
            .iter()
            .any(|char| char.is_letter());
        end = next;
        if has_letter {
            return Some(text.0[next].start);
        }
    }
    None
}

/// Lists the starts of all sentences of a passage, as byte offsets.
pub fn starts(candidate: &[u8]) -> Vec<usize> {
    if candidate.is_empty() {
        return Vec::new();
    }
    let text = text(candidate);
    let last = last_sentence(candidate);
    let breaks = (0..text.0.len()).filter_map(|at| text.break_after(at, true));
    let starts = breaks.map(|next| text.0[next].start);
    let mut starts: Vec<usize> = [0]
        .into_iter()
        .chain(starts.filter(|&at| at <= last))
        .collect();
    starts.dedup();
    starts
}

/// A passage; positions are indices of characters.
struct Text(Vec<Char>);

/// White space before a position.
struct Before {
    /// Index of the first white space character.
    start: usize,
    /// There is white space.
    spaced: bool,
    /// The white space contains a line break.
    line_start: bool,
}

impl Text {
    fn get(&self, at: usize) -> Option<Char> {
        self.0.get(at).copied()
    }

    fn before(&self, at: usize) -> Option<Char> {
        self.get(at.checked_sub(1)?)
    }

    /// Collects the characters from `from` up to `to` in a string.
    fn string(&self, from: usize, to: usize) -> String {
        self.0[from..to].iter().map(|char| char.char).collect()
    }

    /// Finds the first position from `at` on whose character does not satisfy `like`.
    fn skip(&self, at: usize, like: impl Fn(Char) -> bool) -> usize {
        let rest = self.0[at..].iter();
        at + rest.take_while(|&&char| like(char)).count()
    }

    /// Finds the start of the run of characters before `at` that satisfy `like`.
    fn skip_back(&self, at: usize, like: impl Fn(Char) -> bool) -> usize {
        let before = self.0[..at].iter().rev();
        at - before.take_while(|&&char| like(char)).count()
    }

    /// Finds the position at which a sentence starts because the character at `at` ends one, `None`
    /// if no sentence ends there. With `held`, abbreviations and the like before a full stop are
    /// taken into account.
    fn break_after(&self, at: usize, held: bool) -> Option<usize> {
        let end = self.get(at)?;
        if !end.ends() {
            return None;
        }
        if end.class == Class::Sep {
            return (at + 1 < self.0.len()).then_some(at + 1);
        }
        let needs_space = !"。！？".contains(end.char);
        let closed = self.closers_end(at + 1, needs_space);
        let next = self.space_end(closed);
        let closers = &self.0[at + 1..closed];
        let follow = self.get(next)?;
        if next == closed && needs_space || follow.class == Class::SContinue || follow.ends() {
            return None;
        }
        let has_closer = closers.iter().any(|char| char.class == Class::Close);
        let goes_on = if end.class == Class::ATerm {
            let decisive = self.skip(next, |char| !char.is_letter() && !char.ends());
            self.get(decisive)
                .is_some_and(|char| char.class == Class::Lower)
                || held && end.char == '.' && self.holds(at, next)
        } else {
            has_closer && follow.class == Class::Lower
                || closers.iter().any(|&char| is_quote(char)) && self.is_speech(next)
        };
        (!goes_on).then_some(next)
    }

    /// Finds the end of the closing punctuation and marks from `at` on. Without `needs_space`, an
    /// opening quotation mark or bracket belongs to the next sentence.
    fn closers_end(&self, at: usize, needs_space: bool) -> usize {
        let is_closer = |char: Char| {
            char.is_mark()
                || char.class == Class::Close && (needs_space || !OPENERS.contains(char.char))
        };
        let mut end = self.skip(at, is_closer);
        // French: white space before a closing guillemet that nothing is attached to.
        loop {
            let next = self.space_end(end);
            let closes = next > end && self.is_detached_closer(next, !needs_space);
            if !closes {
                return end;
            }
            end = self.skip(next, is_closer);
        }
    }

    /// Finds the end of the white space from `at` on, with line breaks and with the markers of a
    /// block quote at the start of lines.
    fn space_end(&self, mut at: usize) -> usize {
        let mut line_start = false;
        while let Some(char) = self.get(at) {
            if char.is_break() {
                line_start = true;
            } else if char.class == Class::Sp {
                line_start &= matches!(char.char, ' ' | '\t');
            } else if !(char.is_mark() || line_start && char.char == '>') {
                break;
            }
            at += 1;
        }
        at
    }

    /// Finds the white space that ends at `at`, with the markers of a block quote at the start of
    /// lines.
    fn space_before(&self, at: usize) -> Before {
        let mut start = at;
        loop {
            start = self.skip_back(start, |char| char.is_space() || char.is_mark());
            let markers = self.skip_back(start, |char| {
                char.char == '>' || char.class == Class::Sp || char.is_mark()
            });
            if markers == start || !self.before(markers).is_some_and(Char::is_break) {
                break;
            }
            start = markers;
        }
        Before {
            start,
            spaced: start < at,
            line_start: self.0[start..at].iter().any(|char| char.is_break()),
        }
    }

    /// Returns the word that starts at `at`, made of letters and marks.
    fn word(&self, at: usize) -> String {
        let end = self.skip(at.min(self.0.len()), |char| {
            char.is_letter() || char.is_mark()
        });
        self.string(at.min(end), end)
    }
}

/// Returns `true` for quotation marks.
fn is_quote(char: Char) -> bool {
    char.class == Class::Close && "\"'«»‘’‚‛“”„‟‹›「」『』".contains(char.char)
}

/// Opening quotation marks and brackets.
const OPENERS: &str = "([{«‘“‹〈《「『【〔〖〘〚〝（［｛｟｢";
