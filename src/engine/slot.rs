//! Brackets beside an annotation that may have been meant as one. Source: wire profile, unknown in the slot.

use memchr::memrchr2;

use crate::engine::chars::{Separator, separator, trimmed_len};

/// How far a bracket was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
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
    state: State,
    /// A full stop or hyphen was read that a letter follows.
    joined: bool,
    /// The last byte was a full stop or hyphen in the identifier.
    joins: bool,
    /// There is a line feed in this white space.
    line_feed: bool,
    len: u32,
}

/// What bytes are.
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
    /// Nothing was read.
    pub(crate) const NEW: Self = Self {
        state: State::Open,
        joined: false,
        joins: false,
        line_feed: false,
        len: 0,
    };

    /// Reads bytes, of which the first one of the form is the bracket. The form has at most `max` bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8], max: usize) -> Fit {
        for &byte in bytes {
            let fits = if self.len == 0 {
                byte == b'['
            } else {
                self.state != State::Closed && self.byte(byte)
            };
            self.len += 1;
            if !fits || self.len as usize > max {
                return Fit::No;
            }
        }
        match self.state {
            State::Closed => Fit::Closed,
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
    fn to(&mut self, state: State) -> bool {
        self.state = state;
        self.line_feed = false;
        true
    }

    fn byte(&mut self, byte: u8) -> bool {
        match (self.state, byte) {
            (State::Open, b'0'..=b'9') => self.to(State::Anchor {
                minor: false,
                digit: true,
            }),
            (State::Open | State::LabelStart, b'a'..=b'z') => {
                self.joined |= self.joins;
                self.to(State::Label)
            }
            (State::Open, _) => self.white(byte),
            (State::Anchor { minor, .. }, b'0'..=b'9') => {
                self.to(State::Anchor { minor, digit: true })
            }
            (
                State::Anchor {
                    minor: false,
                    digit: true,
                },
                b'.',
            ) => self.to(State::Anchor {
                minor: true,
                digit: false,
            }),
            (
                State::Anchor {
                    minor: true,
                    digit: true,
                },
                b'.' | b':',
            ) => self.to(State::LabelStart),
            (State::Label, b'a'..=b'z') => {
                self.joined |= self.joins;
                self.joins = false;
                true
            }
            (State::Label, b'0'..=b'9' | b'_') => {
                self.joins = false;
                true
            }
            (State::Label, b'-') => {
                self.joins = true;
                true
            }
            (State::Label, b'.') => {
                self.joins = true;
                self.to(State::LabelStart)
            }
            (State::Label | State::AfterIdentifier, _) if !self.joined => false,
            (State::Label | State::AfterIdentifier | State::Value, b';') => {
                self.to(State::Separated)
            }
            (State::Label | State::AfterIdentifier | State::Value | State::Separated, b']') => {
                self.to(State::Closed)
            }
            (State::Label, _) => {
                self.to(State::AfterIdentifier);
                self.white(byte)
            }
            (State::Separated, b'A'..=b'Z' | b'a'..=b'z') => self.to(State::Name),
            (State::Name, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.') => true,
            (State::Name | State::AfterName, b'=') => self.to(State::Value),
            (State::Name, b' ' | b'\t') => self.to(State::AfterName),
            (State::AfterName, b' ' | b'\t') => true,
            // What opens something else is read as that.
            (State::Value, b'[' | b'`' | b'~' | b'{') => false,
            (State::Value, b'\t' | b'\r' | b'\n') => self.white(byte),
            (State::Value, _) => byte >= b' ' && byte != 0x7F,
            (State::AfterIdentifier | State::Separated, _) => self.white(byte),
            _ => false,
        }
    }
}

/// Whether a bracket after which this byte comes may be an unknown in the slot.
pub(crate) const fn may_precede(byte: u8) -> bool {
    !matches!(byte, b'(' | b'[' | b':')
}

/// A text in which unknowns in the slot are looked for from its end.
pub(crate) struct Before<'a> {
    pub(crate) text: &'a [u8],
    /// The first byte that may belong to one.
    pub(crate) floor: usize,
    /// Whether white space comes before the text; `None` if that is not known.
    pub(crate) after_white: Option<bool>,
    /// The longest form.
    pub(crate) max: usize,
}

impl Before<'_> {
    /// Where the unknowns in the slot begin that are at the end of the text; the text's length if there are none. An error if
    /// that depends on what is before the text.
    #[inline]
    pub(crate) fn run(&self) -> Result<usize, Unclear> {
        // Fast path: an ordinary annotation comes after a word, maybe a terminator, and maybe spaces.
        let mut before = self.text.iter().rev().skip_while(|&&byte| byte == b' ');
        let word = match before.next() {
            Some(b'.' | b'!' | b'?') => before.next(),
            last => last,
        };
        if word.is_some_and(u8::is_ascii_alphanumeric) {
            return Ok(self.text.len());
        }
        self.run_before(self.text.len())
    }

    /// The same where the last one may not be complete.
    pub(crate) fn open_run(&self) -> Option<usize> {
        let text = self.text;
        let least = text.len().saturating_sub(self.max).max(self.floor);
        if let Some(at) = memrchr2(b'[', b']', text.get(least..)?)
            && text[least + at] == b'['
        {
            let open = least + at;
            let fits = Form::NEW.clone().feed(&text[open..], self.max) == Fit::More;
            if fits && self.is_after_white(open).unwrap_or(true) {
                return Some(self.run_before(open).unwrap_or(open).min(open));
            }
        }
        let run = self.run().ok()?;
        (run < text.len()).then_some(run)
    }

    fn is_after_white(&self, open: usize) -> Option<bool> {
        match open {
            0 => self.after_white,
            _ => Some(trimmed_len(&self.text[..open]) < open),
        }
    }

    fn run_before(&self, end: usize) -> Result<usize, Unclear> {
        let text = self.text;
        let (mut run, mut at, mut line_feeds) = (end, end, 0);
        loop {
            while let Some(len) = joining_before(&text[..at]) {
                at -= len;
                line_feeds += u32::from(text[at] == b'\n');
            }
            let unclear = self.after_white.is_none();
            if line_feeds > 1 {
                return Ok(run);
            }
            if at == 0 {
                return if unclear { Err(Unclear) } else { Ok(run) };
            }
            let follows = text
                .get(at)
                .is_none_or(|&byte| at == end || may_precede(byte));
            if text[at - 1] != b']' || !follows {
                return Ok(run);
            }
            let least = at.saturating_sub(self.max);
            let open = match memrchr2(b'[', b']', &text[least..at - 1]) {
                Some(open) if text[least + open] == b'[' => least + open,
                None if least == 0 && unclear => return Err(Unclear),
                _ => return Ok(run),
            };
            let fits = Form::NEW.clone().feed(&text[open..at], self.max) == Fit::Closed;
            if !fits || open < self.floor {
                return Ok(run);
            }
            match self.is_after_white(open) {
                None => return Err(Unclear),
                Some(false) => return Ok(run),
                Some(true) => (run, at) = (open, open),
            }
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
