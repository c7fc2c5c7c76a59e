//! JSON as a resumable push-down machine: any pieces in, no tree, the exact byte at which a value stops being one.

mod nesting;
mod number;
mod read;
mod run;
mod short;
mod tokens;
mod white;

use self::nesting::Nesting;
use self::number::Number;
pub(crate) use self::tokens::{Miss, Tokens};
use self::white::White;
pub(crate) use self::white::{LineStart, is_white, leading_white};
use crate::engine::bytes::STRING;

/// Takes what the lexer finds. All places are stream offsets.
pub(crate) trait Visit {
    /// An object or an array opens at `at`.
    fn open(&mut self, object: bool, at: u64);
    /// An object opens at index `at` of what is read, where at most `depth` may nest, itself
    /// included. It is read here and now if that can be done.
    fn object(&mut self, at: usize, depth: u32, single_line: bool) -> Object;
    /// The innermost object or array ends before `end`; whether reading pauses there.
    fn close(&mut self, end: u64) -> bool;
    /// The name of a member.
    fn name(&mut self, name: Quoted<'_>);
    /// A string.
    fn string(&mut self, string: Quoted<'_>);
    /// A number or a literal.
    fn scalar(&mut self, start: u64, end: u64, null: bool);
    /// A comma between two elements of an array.
    fn next_element(&mut self);
}

/// What became of an object before it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Object {
    /// It was read up to an index.
    Read(usize),
    /// Reading pauses before it.
    Pause,
    /// It is to be opened.
    Open,
}

/// The content of a string, between its quotes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quoted<'a> {
    /// Where it starts in the stream.
    pub(crate) start: u64,
    /// Where it ends in the stream.
    pub(crate) end: u64,
    /// Its last bytes: those that were there to be read.
    here: &'a [u8],
    /// There is a backslash in it.
    pub(crate) escaped: bool,
}

impl<'a> Quoted<'a> {
    /// All of it, if it was there to be read at once.
    #[inline]
    pub(crate) const fn whole(&self) -> Option<&'a [u8]> {
        if self.here.len() as u64 == self.end - self.start {
            Some(self.here)
        } else {
            None
        }
    }
}

/// What became of a value with the bytes read so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It continues.
    More,
    /// It is complete.
    Complete,
    /// The byte at which reading ended is one that no value could have there.
    Stopped,
    /// The byte at which reading ended would nest too deep.
    TooDeep,
}

/// What may come next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
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
    Colon,
    /// A comma, or the end of the object or array.
    After,
    /// The rest of a string that is not a name.
    String,
    /// The byte after a backslash.
    Escape,
    /// The hexadecimal digits of an escape.
    Hex,
    Number,
    Literal,
}

/// A place in a value at which another value begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    depth: u32,
    white: White,
}

/// A JSON value on its way. Source: RFC 8259.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lexer {
    state: State,
    /// The part of a number that was read last.
    number: Number,
    /// How many hexadecimal digits of an escape are to come.
    digits: u8,
    /// The rest of a literal.
    literal: &'static [u8],
    /// The literal is `null`.
    null: bool,
    /// What the string with the last escape is, a name or another string.
    string: State,
    /// There is a backslash in the string.
    escaped: bool,
    /// A line feed is not white space.
    single_line: bool,
    max_depth: u32,
    nesting: Nesting,
    /// Start of the string's content, the number or the literal.
    token: u64,
    white: White,
}

impl Lexer {
    /// Gets ready for another value; in one of a `single_line` a line feed is an offending byte.
    pub(crate) fn begin(&mut self, max_depth: usize, single_line: bool) {
        self.state = State::Value;
        self.nesting.clear();
        self.max_depth = max_depth as u32;
        self.single_line = single_line;
        self.white = White::default();
    }

    /// How many objects and arrays are open.
    pub(crate) const fn depth(&self) -> u32 {
        self.nesting.depth()
    }

    /// The place that was read up to, at which a value begins.
    pub(crate) const fn mark(&self) -> Mark {
        Mark {
            depth: self.nesting.depth(),
            white: self.white,
        }
    }

    /// Gets ready to read once more what was read since a place.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        while self.nesting.depth() > mark.depth {
            self.nesting.close();
        }
        self.white = mark.white;
        self.state = State::Value;
    }

    /// Bytes of heap in use.
    pub(crate) fn heap(&self) -> usize {
        self.nesting.heap()
    }

    /// Start of the content of the string that was begun, if it is a name or any other one.
    pub(crate) const fn open_string(&self) -> Option<(u64, bool)> {
        match self.state {
            State::Name => Some((self.token, true)),
            State::String => Some((self.token, false)),
            State::Escape | State::Hex => Some((self.token, matches!(self.string, State::Name))),
            _ => None,
        }
    }

    /// Start of the number, the literal or the content of the string that was begun, if it is not a name.
    pub(crate) const fn open_token(&self) -> Option<u64> {
        match self.state {
            State::Number | State::Literal => Some(self.token),
            _ => match self.open_string() {
                Some((start, false)) => Some(start),
                _ => None,
            },
        }
    }

    /// Whether the next byte belongs to a string, and neither backslash nor escape is before it.
    pub(crate) const fn is_in_string(&self) -> bool {
        matches!(self.state, State::String | State::Name)
    }

    /// Whether the value is complete if nothing follows it.
    pub(crate) const fn is_whole_at_end(&self) -> bool {
        self.nesting.depth() == 0 && matches!(self.state, State::Number) && self.number.is_whole()
    }

    /// Whether a `[` would end the reading here.
    pub(crate) const fn bracket_stops(&self) -> bool {
        match self.state {
            State::FirstMember | State::NextMember | State::Colon | State::After => true,
            State::Value | State::FirstElement => self.nesting.depth() == self.max_depth,
            _ => false,
        }
    }

    /// Whether what was read may still be followed by something that makes it no try at all: the outermost object has
    /// opened, and neither a name nor its end was read.
    pub(crate) const fn is_undecided(&self) -> bool {
        matches!(self.state, State::FirstMember) && self.nesting.depth() == 1
    }

    /// Whether the value of a member whose name was read has not begun.
    pub(crate) const fn awaits_member(&self) -> bool {
        match self.state {
            State::Colon => true,
            State::Value => self.nesting.in_object(),
            _ => false,
        }
    }

    /// The kind of bytes that continue an open string; 0 where each byte has to be looked at.
    #[inline]
    pub(crate) const fn kind(&self) -> u8 {
        if self.is_in_string() { STRING } else { 0 }
    }

    /// How the line in which the value has got to `at` begins.
    pub(crate) fn line_at(&self, at: u64) -> LineStart {
        self.white.line_at(at)
    }
}
