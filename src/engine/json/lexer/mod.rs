//! Resumable JSON lexer: reads a value in pieces of any size, builds no tree, and finds the exact
//! byte at which a value becomes invalid.

mod nesting;
mod number;
mod read;
mod run;
mod short;
mod tokens;
mod white;

use self::nesting::Nesting;
use self::number::NumberPart;
pub(crate) use self::tokens::{Miss, Tokens};
use self::white::White;
pub(crate) use self::white::{LineStart, is_white, leading_white};
use crate::engine::bytes::{ByteClasses, STRING};

/// Receiver of tokens. All positions are stream offsets.
pub(crate) trait Visit {
    /// Handles the start of an object or array at offset `at`.
    fn open(&mut self, object: bool, at: u64);
    /// Handles an object at index `at` of the input before it is opened; at most `depth` levels may
    /// nest, the object included. The receiver may read the whole object itself.
    fn object(&mut self, at: usize, depth: u32, single_line: bool) -> Object;
    /// Handles the end of the innermost object or array, right before offset `end`; returns `true`
    /// if the lexer must pause there.
    fn close(&mut self, end: u64) -> bool;
    /// Handles a member name.
    fn name(&mut self, name: Quoted<'_>);
    /// Handles a string that is not a name.
    fn string(&mut self, string: Quoted<'_>);
    /// Handles a number or a literal.
    fn scalar(&mut self, start: u64, end: u64, null: bool);
    /// Handles a comma between two elements of an array.
    fn next_element(&mut self);
}

/// Reaction of a receiver to an object that is about to be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Object {
    /// The receiver has read the object up to this index.
    Read(usize),
    /// The lexer must pause before the object.
    Pause,
    /// The lexer must open the object.
    Open,
}

/// Content of a string, between the quotes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quoted<'a> {
    /// Stream offset of the first byte.
    pub(crate) start: u64,
    /// Stream offset after the last byte.
    pub(crate) end: u64,
    /// Last bytes of the content, as far as they are in the input.
    here: &'a [u8],
    /// The content has a backslash.
    pub(crate) escaped: bool,
}

impl<'a> Quoted<'a> {
    /// Returns the whole content if it is in the input.
    #[inline]
    pub(crate) const fn whole(&self) -> Option<&'a [u8]> {
        if self.here.len() as u64 == self.end - self.start {
            Some(self.here)
        } else {
            None
        }
    }
}

/// Status of a value after the bytes read so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueStatus {
    /// The value is incomplete.
    More,
    /// The value is complete.
    Complete,
    /// The byte at which reading ended is invalid there.
    Stopped,
    /// The byte at which reading ended exceeds the maximum depth.
    TooDeep,
}

/// Token that the grammar allows next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LexState {
    /// A value.
    #[default]
    Value,
    /// A value, or the end of an empty array.
    FirstElement,
    /// A name, or the end of an empty object.
    FirstMember,
    /// A name.
    NextMember,
    /// The rest of a name.
    Name,
    /// The first name of an object in free text, of which no byte but punctuation was read: it may be prose.
    FirstName,
    Colon,
    /// A comma, or the end of the object or array.
    After,
    /// The rest of a string that is not a name.
    String,
    /// The byte after a backslash.
    Escape,
    /// The hexadecimal digits of a `\u` escape.
    Hex,
    Number,
    Literal,
}

/// Returns the index of the first byte from `at` on that is not ASCII punctuation, or that ends a name or begins an escape; or the length.
#[inline]
pub(crate) fn punctuation_end(bytes: &[u8], at: usize) -> usize {
    let is_passed = |byte: &u8| byte.is_ascii_punctuation() && !matches!(byte, b'"' | b'\\');
    let mut rest = bytes.get(at..).unwrap_or_default().iter();
    let len = rest.position(|byte| !is_passed(byte));
    len.map_or(bytes.len(), |len| at + len)
}

/// Position before a value, to which the lexer can return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    depth: u32,
    white: White,
}

/// Lexer of one JSON value. Source: RFC 8259.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lexer {
    state: LexState,
    /// Part of a number that was read last.
    number: NumberPart,
    /// Number of hexadecimal digits still missing in an escape.
    digits: u8,
    /// Missing bytes of a literal.
    literal: &'static [u8],
    /// The literal is `null`.
    null: bool,
    /// State to return to after an escape: that of a name or of another string.
    string: LexState,
    /// The string has a backslash.
    escaped: bool,
    /// A line feed is not white space.
    single_line: bool,
    /// The value is in free text, so it may turn out to be prose.
    in_text: bool,
    max_depth: u32,
    nesting: Nesting,
    /// Stream offset of the current number, literal or string content.
    token: u64,
    white: White,
}

impl Lexer {
    /// Prepares for a new value; with `single_line`, a line feed is invalid. With `in_text`, a
    /// space is invalid in the first name of an outermost object if only punctuation comes before it.
    pub(crate) fn begin(&mut self, max_depth: usize, single_line: bool, in_text: bool) {
        self.state = LexState::Value;
        self.nesting.clear();
        self.max_depth = max_depth as u32;
        self.single_line = single_line;
        self.in_text = in_text;
        self.white = White::default();
    }

    /// Returns the number of open objects and arrays.
    pub(crate) const fn depth(&self) -> u32 {
        self.nesting.depth()
    }

    /// Returns the current position, which must be before a value.
    pub(crate) const fn mark(&self) -> Mark {
        Mark {
            depth: self.nesting.depth(),
            white: self.white,
        }
    }

    /// Returns to a position, to read the bytes after it again.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        while self.nesting.depth() > mark.depth {
            self.nesting.close();
        }
        self.white = mark.white;
        self.state = LexState::Value;
    }

    /// Heap memory in bytes.
    pub(crate) fn heap(&self) -> usize {
        self.nesting.heap()
    }

    /// Returns the stream offset of the content of an open string, and whether the string is a
    /// name.
    pub(crate) const fn open_string(&self) -> Option<(u64, bool)> {
        match self.state {
            LexState::Name | LexState::FirstName => Some((self.token, true)),
            LexState::String => Some((self.token, false)),
            LexState::Escape | LexState::Hex => {
                Some((self.token, matches!(self.string, LexState::Name)))
            }
            _ => None,
        }
    }

    /// Returns the stream offset of an open number, literal or string content, unless the string is
    /// a name.
    pub(crate) const fn open_token(&self) -> Option<u64> {
        match self.state {
            LexState::Number | LexState::Literal => Some(self.token),
            _ => match self.open_string() {
                Some((start, false)) => Some(start),
                _ => None,
            },
        }
    }

    /// Returns `true` within a string, except within an escape.
    pub(crate) const fn is_in_string(&self) -> bool {
        matches!(self.state, LexState::String | LexState::Name)
    }

    /// Returns `true` if the value is complete when the input ends here.
    pub(crate) const fn is_whole_at_end(&self) -> bool {
        self.nesting.depth() == 0
            && matches!(self.state, LexState::Number)
            && self.number.is_whole()
    }

    /// Returns `true` if a `[` would be invalid here or exceed the maximum depth.
    pub(crate) const fn bracket_stops(&self) -> bool {
        match self.state {
            LexState::FirstMember | LexState::NextMember | LexState::Colon | LexState::After => {
                true
            }
            LexState::Value | LexState::FirstElement => self.nesting.depth() == self.max_depth,
            _ => false,
        }
    }

    /// Returns `true` while only white space follows the opening brace of the outermost object, so
    /// that the next byte decides whether a value in free text begins there.
    pub(crate) const fn is_undecided(&self) -> bool {
        matches!(self.state, LexState::FirstMember) && self.nesting.depth() == 1
    }

    /// Returns `true` between a member name and its value.
    pub(crate) const fn awaits_member(&self) -> bool {
        match self.state {
            LexState::Colon => true,
            LexState::Value => self.nesting.in_object(),
            _ => false,
        }
    }

    /// Class of the bytes that only continue an open string; 0 if there is none.
    #[inline]
    pub(crate) const fn byte_class(&self) -> ByteClasses {
        if self.is_in_string() { STRING } else { 0 }
    }

    /// State after the opening quote of a name, which comes after `state`.
    #[inline]
    const fn name_state(&self, state: LexState) -> LexState {
        if self.in_text && matches!(state, LexState::FirstMember) && self.nesting.depth() == 1 {
            LexState::FirstName
        } else {
            LexState::Name
        }
    }

    /// Returns how the line that contains stream offset `at` begins.
    pub(crate) fn line_at(&self, at: u64) -> LineStart {
        self.white.line_at(at)
    }
}
