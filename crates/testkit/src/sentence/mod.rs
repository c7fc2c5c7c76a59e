//! Sentences found the naive way: a model of the wire profile's section 3.3, which the library's splitter has to equal.
//!
//! It reads the candidate as a list of characters, looks classes and words up in the data files themselves, and knows neither the
//! splitter's tables nor its filters nor its searches from the end.

mod full_stop;
mod speech;
mod text;

use text::{Char, Class, chars};

/// Where the last sentence of a candidate starts, in bytes.
pub fn last_sentence(candidate: &[u8]) -> usize {
    last_start(&Text(chars(candidate)), 0).unwrap_or(0)
}

/// Letters and digits at a cut, among which a full stop ends a sentence whatever comes before it.
const NEAR_CUT: usize = 64;

/// Where the last sentence of a candidate starts whose beginning was cut off, in bytes, and whether only the cut makes it
/// start there.
pub fn last_sentence_after_cut(candidate: &[u8]) -> (usize, bool) {
    let text = Text(chars(candidate));
    let counted = (0..text.0.len()).filter(|&at| {
        let char = text.0[at];
        char.is_letter() || char.class == Class::Numeric
    });
    let near = counted
        .map(|at| at + 1)
        .nth(NEAR_CUT - 1)
        .unwrap_or(text.0.len());
    if let Some(start) = last_start(&text, near) {
        let sure = (0..text.0.len()).filter_map(|at| text.break_after(at, true));
        let known = sure.map(|next| text.0[next].start).any(|at| at == start);
        return (start, !known);
    }
    let lead = text.skip(0, |char| {
        char.is_mark() || char.is_space() || char.class == Class::Close || char.char == '>'
    });
    (text.get(lead).map_or(0, |char| char.start), true)
}

/// The last start of a sentence that some letter follows, where a full stop before place `near` is not held.
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

/// Where the sentences of a candidate start, in bytes.
pub fn starts(candidate: &[u8]) -> Vec<usize> {
    if candidate.is_empty() {
        return Vec::new();
    }
    let text = Text(chars(candidate));
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

/// A candidate. Places are numbers of characters.
struct Text(Vec<Char>);

/// White space before a place.
struct Before {
    /// Where it starts.
    start: usize,
    /// Whether there is any.
    spaced: bool,
    /// Whether there is a line break in it.
    line_start: bool,
}

impl Text {
    fn get(&self, at: usize) -> Option<Char> {
        self.0.get(at).copied()
    }

    fn before(&self, at: usize) -> Option<Char> {
        self.get(at.checked_sub(1)?)
    }

    /// The characters between two places as a string.
    fn string(&self, from: usize, to: usize) -> String {
        self.0[from..to].iter().map(|char| char.char).collect()
    }

    /// The first place from `at` on whose character is not like this.
    fn skip(&self, at: usize, like: impl Fn(Char) -> bool) -> usize {
        let rest = self.0[at..].iter();
        at + rest.take_while(|&&char| like(char)).count()
    }

    /// The first place of the characters like this that end before `at`.
    fn skip_back(&self, at: usize, like: impl Fn(Char) -> bool) -> usize {
        let before = self.0[..at].iter().rev();
        at - before.take_while(|&&char| like(char)).count()
    }

    /// The place at which a sentence starts because the character at `at` ends one; none if it does not. What comes before
    /// counts only if it may have `held` a full stop.
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

    /// Where the closing punctuation and marks from `at` on end. Where no white space has to follow, what opens a quotation or a
    /// parenthesis belongs to the next sentence.
    fn closers_end(&self, at: usize, needs_space: bool) -> usize {
        let is_closer = |char: Char| {
            char.is_mark()
                || char.class == Class::Close && (needs_space || !OPENERS.contains(char.char))
        };
        let mut end = self.skip(at, is_closer);
        // French: white space before a closing guillemet that nothing is attached to.
        loop {
            let next = self.space_end(end);
            let closes = next > end
                && self
                    .get(next)
                    .is_some_and(|char| matches!(char.char, '»' | '›'))
                && self.get(next + 1).is_none_or(|char| {
                    char.is_space()
                        || char.ends()
                        || matches!(char.class, Class::SContinue | Class::Close)
                });
            if !closes {
                return end;
            }
            end = self.skip(next, is_closer);
        }
    }

    /// Where the white space from `at` on ends: line breaks are white space, and at the start of a line so are the markers of a
    /// block quote.
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

    /// The white space that ends before `at`, with the markers of block quotes at the start of lines.
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

    /// The word that starts at `at`: letters and marks.
    fn word(&self, at: usize) -> String {
        let end = self.skip(at.min(self.0.len()), |char| {
            char.is_letter() || char.is_mark()
        });
        self.string(at.min(end), end)
    }
}

/// Quotation marks.
fn is_quote(char: Char) -> bool {
    char.class == Class::Close && "\"'«»‘’‚‛“”„‟‹›「」『』".contains(char.char)
}

/// What opens a quotation or a parenthesis.
const OPENERS: &str = "([{«‘“‹〈《「『【〔〖〘〚〝（［｛｟｢";
