//! Unknowns in the slot: brackets that are not annotations but may have been meant as ones, beside an
//! annotation or with a version anchor. Source: wire profile, unknown in the slot.

use core::ops::Range;

use memchr::{memchr, memrchr2};

use crate::engine::chars::{Separator, separator, trimmed_len};
use crate::steps;

/// State of the reading of a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FormState {
    Open,
    /// A digit at the start; `minor` after the first full stop of an anchor.
    Anchor {
        minor: bool,
        digit: bool,
    },
    /// At the start of a label.
    LabelStart,
    Label,
    AfterIdentifier,
    Separated,
    Name,
    AfterName,
    Value,
    Closed,
}

/// A bracket that may have been meant as an annotation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    state: FormState,
    /// A full stop or hyphen was read that a letter follows.
    joined: bool,
    /// The last byte was a full stop or hyphen in the identifier.
    joins: bool,
    /// There is a line feed in this white space.
    line_feed: bool,
    anchored: bool,
    has_parameter: bool,
    /// Bytes of the identifier that are those of [`SUBSTRATE`]; `u8::MAX` if another byte is among them.
    prefix: u8,
    /// Only a form that [stands alone](Self::stands_alone) is read to its end.
    alone: bool,
    /// At most `max_annotation`, which fits.
    len: u16,
}

/// Beginning of a label that makes a bracket with a version anchor an unknown, even without a
/// parameter.
const SUBSTRATE: &[u8] = b"substrate.";

/// Result of reading bytes as a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// A beginning.
    More,
    /// The whole form.
    Closed,
    /// Something else.
    No,
}

impl Form {
    /// State before the bracket.
    pub(crate) const NEW: Self = Self {
        state: FormState::Open,
        joined: false,
        joins: false,
        line_feed: false,
        anchored: false,
        has_parameter: false,
        prefix: 0,
        alone: false,
        len: 0,
    };

    /// State before a form that has to stand alone.
    pub(crate) const ALONE: Self = Self {
        alone: true,
        ..Self::NEW
    };

    /// Bytes read so far.
    pub(crate) const fn len(&self) -> u16 {
        self.len
    }

    /// Returns `true` if more than the bracket and white space was read.
    pub(crate) fn has_begun(&self) -> bool {
        self.state != FormState::Open
    }

    /// Returns `true` if a bracket of this form was meant as an annotation even if none is beside it.
    pub(crate) const fn stands_alone(&self) -> bool {
        self.anchored && (self.has_parameter || self.prefix as usize == SUBSTRATE.len())
    }

    /// Reads bytes, of which the first one of the form is the bracket. The form has at most `max` bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8], max: usize) -> Fit {
        for &byte in bytes {
            let fits = if self.len == 0 {
                byte == b'['
            } else {
                self.state != FormState::Closed && self.byte(byte)
            };
            if !fits || usize::from(self.len) >= max {
                return Fit::No;
            }
            self.len += 1;
        }
        match self.state {
            FormState::Closed => Fit::Closed,
            _ => Fit::More,
        }
    }

    fn white(&mut self, byte: u8) -> bool {
        match byte {
            b' ' | b'\t' | b'\r' => true,
            b'\n' => !core::mem::replace(&mut self.line_feed, true),
            _ => false,
        }
    }

    /// Moves to another part, before which there may be white space.
    fn to(&mut self, state: FormState) -> bool {
        self.state = state;
        self.line_feed = false;
        true
    }

    /// Takes a byte of the identifier after the anchor.
    fn label(&mut self, byte: u8, state: FormState) -> bool {
        if let Some(&expected) = SUBSTRATE.get(usize::from(self.prefix)) {
            self.prefix = if byte == expected {
                self.prefix + 1
            } else {
                u8::MAX
            };
        }
        self.to(state)
    }

    fn byte(&mut self, byte: u8) -> bool {
        match (self.state, byte) {
            (FormState::Open, b'0'..=b'9') => self.to(FormState::Anchor {
                minor: false,
                digit: true,
            }),
            (FormState::Open, b'a'..=b'z') if self.alone => false,
            (FormState::Open | FormState::LabelStart | FormState::Label, b'a'..=b'z') => {
                self.joined |= self.joins;
                self.joins = false;
                self.label(byte, FormState::Label)
            }
            (FormState::Open, _) => self.white(byte),
            (FormState::Anchor { minor, .. }, b'0'..=b'9') => {
                self.to(FormState::Anchor { minor, digit: true })
            }
            (
                FormState::Anchor {
                    minor: false,
                    digit: true,
                },
                b'.',
            ) => self.to(FormState::Anchor {
                minor: true,
                digit: false,
            }),
            (
                FormState::Anchor {
                    minor: true,
                    digit: true,
                },
                b'.' | b':',
            ) => {
                self.anchored = true;
                self.to(FormState::LabelStart)
            }
            (FormState::Label, b'0'..=b'9' | b'_') => {
                self.joins = false;
                self.label(byte, FormState::Label)
            }
            (FormState::Label, b'-') => {
                self.joins = true;
                self.label(byte, FormState::Label)
            }
            (FormState::Label, b'.') => {
                self.joins = true;
                self.label(byte, FormState::LabelStart)
            }
            (FormState::Label | FormState::AfterIdentifier, _) if !self.joined => false,
            (FormState::Label | FormState::AfterIdentifier, b';') => self.to(FormState::Separated),
            (
                FormState::Label
                | FormState::AfterIdentifier
                | FormState::Value
                | FormState::Separated,
                b']',
            ) => self.to(FormState::Closed) && (!self.alone || self.stands_alone()),
            (FormState::Label, _) => {
                self.to(FormState::AfterIdentifier);
                self.white(byte)
            }
            (FormState::Separated, b'A'..=b'Z' | b'a'..=b'z') => self.to(FormState::Name),
            (FormState::Name, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.') => true,
            (FormState::Name | FormState::AfterName, b'=') => {
                self.has_parameter = true;
                self.to(FormState::Value)
            }
            (FormState::Name, b' ' | b'\t') => self.to(FormState::AfterName),
            (FormState::AfterName, b' ' | b'\t') => true,
            // What opens something else is read as that.
            (FormState::Value, b'[' | b'`' | b'~' | b'{') => false,
            // A semicolon may be in quotation marks, or come before another parameter.
            (FormState::Value, b';') => self.to(FormState::Value),
            (FormState::Value, b'\t' | b'\r' | b'\n') => self.white(byte),
            (FormState::Value, _) => byte >= b' ' && byte != 0x7F,
            (FormState::AfterIdentifier | FormState::Separated, _) => self.white(byte),
            _ => false,
        }
    }
}

/// Returns `false` if the first bytes of a bracket show that it does not stand alone, as most brackets in text: they begin with no
/// anchor.
#[inline]
pub(crate) fn may_stand_alone(bracket: &[u8]) -> bool {
    match bracket {
        [_, b'0'..=b'9', ..] => {
            let digits = bracket[1..].iter().take_while(|byte| byte.is_ascii_digit());
            bracket
                .get(1 + digits.count())
                .is_none_or(|&byte| byte == b'.')
        }
        [_, b' ' | b'\t' | b'\r' | b'\n', ..] => true,
        [_, _, ..] => false,
        _ => true,
    }
}

/// Returns `true` if a bracket after which this byte comes may be an unknown in the slot.
pub(crate) const fn may_precede(byte: u8) -> bool {
    !matches!(byte, b'(' | b'[' | b':')
}

/// Returns `true` if a text ends with a word, maybe a terminator, and a space, so that no unknown in the slot is at its end. Fast path: an
/// ordinary annotation comes after such text.
#[inline]
pub(crate) const fn ends_with_word(text: &[u8]) -> bool {
    let last = match text {
        [.., last, b')', b'.', b' '] | [.., last, b'.' | b'!' | b'?', b' '] | [.., last, b' '] => {
            last
        }
        _ => return false,
    };
    last.is_ascii_alphanumeric() || *last == b'`'
}

/// A text in which unknowns in the slot are looked for from its end.
pub(crate) struct UnknownSearch<'a> {
    pub(crate) text: &'a [u8],
    /// The first byte that may belong to one.
    pub(crate) floor: usize,
    /// `true` if white space comes before the text; `None` if that is not known.
    pub(crate) after_white: Option<bool>,
    /// The longest form.
    pub(crate) max: usize,
    /// Most bytes before the end of the text in which they are.
    pub(crate) reach: usize,
    /// The chain of an earlier [`Unknowns`] in the same text; empty without one. Starts at 0 if it began
    /// before the text.
    pub(crate) chain: Range<usize>,
}

/// Unknowns in the slot at the end of a text.
#[derive(Clone, Debug)]
pub(crate) struct Unknowns {
    /// Index at which they begin: the text's length without any.
    pub(crate) start: usize,
    /// The last of them that have no line feed between them. More text does not change that they are.
    pub(crate) chain: Range<usize>,
}

impl UnknownSearch<'_> {
    /// Finds the unknowns in the slot at the end of the text. Returns the index at which they begin: the text's length without
    /// any. Returns an error if text before this one decides.
    #[inline]
    pub(crate) fn run(&self) -> Result<usize, Unclear> {
        if ends_with_word(self.text) {
            return Ok(self.text.len());
        }
        Ok(self.run_before(self.text.len())?.start)
    }

    /// Finds the unknowns in the slot before index `end` of the text, with nothing but white space after it or an incomplete one.
    pub(crate) fn run_to(&self, end: usize) -> Option<Unknowns> {
        if ends_with_word(&self.text[..end]) {
            return None;
        }
        let run = self.run_before(end).ok()?;
        (run.start < end).then_some(run)
    }

    /// Finds the run of unknowns at the end of the text, the last of which may be incomplete.
    pub(crate) fn open_run(&self) -> Option<Unknowns> {
        let text = self.text;
        let least = text.len().saturating_sub(self.max).max(self.floor);
        let least = least.max(self.cut().unwrap_or(0));
        if let Some(at) = memrchr2(b'[', b']', text.get(least..)?)
            && text[least + at] == b'['
        {
            let open = least + at;
            let fits = Form::NEW.clone().feed(&text[open..], self.max) == Fit::More;
            if fits && self.is_after_white(open).unwrap_or(true) {
                let none = Unknowns {
                    start: open,
                    chain: 0..0,
                };
                return Some(self.run_before(open).unwrap_or(none));
            }
        }
        self.run_to(text.len())
    }

    /// Before this index, nothing counts; `None` if that is before the text.
    const fn cut(&self) -> Option<usize> {
        self.text.len().checked_sub(self.reach)
    }

    fn is_after_white(&self, open: usize) -> Option<bool> {
        let before = &self.text[self.cut().unwrap_or(0)..open];
        match (before.len(), self.cut()) {
            (0, None) => self.after_white,
            (len, _) => Some(trimmed_len(before) < len),
        }
    }

    fn run_before(&self, end: usize) -> Result<Unknowns, Unclear> {
        let text = self.text;
        let from = self.cut().unwrap_or(0);
        let (mut run, mut at, mut line_feeds) = (end, end, 0);
        let mut chain = Chain::default();
        loop {
            while line_feeds <= 1
                && let Some(len) = joining_before(&text[from..at])
            {
                at -= len;
                line_feeds += u32::from(text[at] == b'\n');
                steps::count(len);
            }
            let unclear = self.after_white.is_none() && self.cut().is_none();
            if line_feeds > 1 {
                break;
            }
            if at <= from && unclear {
                return Err(Unclear);
            }
            let follows = text
                .get(at)
                .is_none_or(|&byte| at == end || may_precede(byte));
            if at <= from || text[at - 1] != b']' || !follows {
                break;
            }
            if self.chain.start < at && at <= self.chain.end {
                // They are known to be ones, unless what is before the first of them counts no longer.
                let first = self.chain.start.max(from);
                let Some(open) = memchr(b'[', &text[first..at]).map(|found| first + found) else {
                    break;
                };
                steps::count(open - first);
                let whole = self.is_after_white(open) != Some(false);
                let next = || memchr(b'[', &text[open + 1..at]).map(|found| open + 1 + found);
                let Some(start) = whole.then_some(open).or_else(next) else {
                    break;
                };
                chain.extend(start..at, line_feeds);
                (run, at) = (start, start);
                if whole {
                    continue;
                }
                break;
            }
            let least = at.saturating_sub(self.max).max(from);
            let open = match memrchr2(b'[', b']', &text[least..at - 1]) {
                Some(open) if text[least + open] == b'[' => least + open,
                None if least == 0 && unclear => return Err(Unclear),
                _ => break,
            };
            steps::count(at - open);
            let fits = Form::NEW.clone().feed(&text[open..at], self.max) == Fit::Closed;
            if !fits || open < self.floor {
                break;
            }
            match self.is_after_white(open) {
                None => return Err(Unclear),
                Some(false) => break,
                Some(true) => {
                    chain.extend(open..at, line_feeds);
                    (run, at) = (open, open);
                }
            }
        }
        Ok(Unknowns {
            start: run,
            chain: chain.range,
        })
    }
}

/// The last unknowns in the slot that were found, as long as no line feed is between them.
#[derive(Default)]
struct Chain {
    range: Range<usize>,
    line_feeds: u32,
}

impl Chain {
    /// Adds one that comes before the others, with so many line feeds after it.
    fn extend(&mut self, found: Range<usize>, line_feeds: u32) {
        if self.range.is_empty() {
            self.range = found;
            self.line_feeds = line_feeds;
        } else if self.line_feeds == line_feeds {
            self.range.start = found.start;
        }
    }
}

/// The answer depends on bytes that are not there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unclear;

/// Length of the white space or closing punctuation, other than a bracket, that a text ends with.
fn joining_before(text: &[u8]) -> Option<usize> {
    let last = *text.last()?;
    if last.is_ascii() {
        let joins = last != b']' && !matches!(separator(&[last]), Separator::Other);
        return joins.then_some(1);
    }
    (2..=3).find(|&len| {
        let tail = text.len().checked_sub(len).map(|at| &text[at..]);
        tail.is_some_and(|tail| match separator(tail) {
            Separator::White(found) | Separator::Closing(found) => found == len,
            _ => false,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::UnknownSearch;

    /// Knowledge of earlier brackets changes no answer, however the text grows and what counts of it moves on.
    #[test]
    fn a_known_chain_changes_nothing() {
        let pieces = [
            "[a.b]",
            "[c-d; x=1]",
            " ",
            ", ",
            "\n",
            ".",
            "[x]",
            "w",
            "[",
            "\u{a0}",
            "]",
        ];
        let mut random = 0x2545_F491_4F6C_DD1D_u64;
        let mut below = |limit: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 33) as usize % limit
        };
        for _ in 0..2_000 {
            let (reach, floor) = (8 + below(60), below(9));
            // Mostly brackets that come one after the other.
            let most = if below(2) == 0 { pieces.len() } else { 4 };
            let (mut text, mut chain) = (Vec::new(), 0..0);
            for _ in 0..below(60) {
                text.extend_from_slice(pieces[below(most)].as_bytes());
                let before = |chain| UnknownSearch {
                    text: &text,
                    floor,
                    after_white: Some(true),
                    max: 16,
                    reach,
                    chain,
                };
                for found in [
                    (before(chain.clone()).open_run(), before(0..0).open_run()),
                    (
                        before(chain.clone()).run_to(text.len()),
                        before(0..0).run_to(text.len()),
                    ),
                ] {
                    let (with, without) = found;
                    let printed = String::from_utf8_lossy(&text);
                    assert_eq!(
                        with.as_ref().map(|run| run.start),
                        without.map(|run| run.start),
                        "{printed:?} {reach} {chain:?}"
                    );
                    if let Some(run) = with {
                        chain = run.chain;
                    }
                }
            }
        }
    }
}
