//! JSON as a resumable push-down machine: any pieces in, no tree, the exact byte at which a value stops being one.

mod run;
mod white;

use smallvec::SmallVec;

use self::run::{is_plain, string_run};
use self::white::White;
pub(crate) use self::white::{LineStart, is_white, leading_white};

/// Takes what the lexer finds. All places are stream offsets.
pub(crate) trait Visit {
    /// An object or an array opens at `at`.
    fn open(&mut self, object: bool, at: u64);
    /// The innermost object or array ends before `end`.
    fn close(&mut self, end: u64);
    /// The name of a member, by its content between the quotes.
    fn name(&mut self, start: u64, end: u64, escaped: bool);
    /// A string, by its content between the quotes.
    fn string(&mut self, start: u64, end: u64, escaped: bool);
    /// A number or a literal.
    fn scalar(&mut self, start: u64, end: u64, null: bool);
    /// A comma between two elements of an array.
    fn next_element(&mut self);
}

/// What became of a value with the bytes read so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It goes on.
    More,
    /// It is complete.
    Complete,
    /// The byte at which reading ended is one that no value could have there.
    Stopped,
    /// The byte at which reading ended would nest too deep.
    TooDeep,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A value.
    Value,
    /// A value, or the end of an empty array.
    FirstElement,
    /// A name, or the end of an empty object.
    FirstMember,
    /// A name.
    Name,
    Colon,
    /// A comma, or the end of the object or array.
    Behind,
    /// The rest of a string.
    String,
    /// The byte behind a backslash.
    Escape,
    /// The hexadecimal digits of an escape.
    Hex,
    Number,
    Literal,
}

/// The part of a number that was read last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    E,
    Sign,
    Exponent,
}

impl Number {
    /// The part that a byte belongs to; none if it cannot follow.
    const fn next(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Minus, b'0') => Some(Self::Zero),
            (Self::Minus, b'1'..=b'9') | (Self::Integer, b'0'..=b'9') => Some(Self::Integer),
            (Self::Zero | Self::Integer, b'.') => Some(Self::Point),
            (Self::Point | Self::Fraction, b'0'..=b'9') => Some(Self::Fraction),
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Some(Self::E),
            (Self::E, b'+' | b'-') => Some(Self::Sign),
            (Self::E | Self::Sign | Self::Exponent, b'0'..=b'9') => Some(Self::Exponent),
            _ => None,
        }
    }

    /// How many digits follow that change nothing.
    fn run(self, bytes: &[u8]) -> usize {
        match self {
            Self::Integer | Self::Fraction | Self::Exponent => {
                let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit());
                digits.count()
            }
            _ => 0,
        }
    }

    /// Whether a number may end here.
    const fn is_whole(self) -> bool {
        matches!(
            self,
            Self::Zero | Self::Integer | Self::Fraction | Self::Exponent
        )
    }
}

/// A JSON value on its way. Source: RFC 8259, nothing looser.
#[derive(Clone, Debug)]
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
    /// The string is the name of a member.
    name: bool,
    /// There is a backslash in the string.
    escaped: bool,
    /// A line feed is no white space.
    single_line: bool,
    /// The innermost one that is open is an object; false where none is.
    in_object: bool,
    depth: u32,
    max_depth: u32,
    /// For each one that is open, from the outermost, whether it is an object: a bit each.
    kinds: SmallVec<[u64; 2]>,
    /// Start of the string's content, the number or the literal.
    token: u64,
    white: White,
}

impl Lexer {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Value,
            number: Number::Minus,
            digits: 0,
            literal: &[],
            null: false,
            name: false,
            escaped: false,
            single_line: false,
            in_object: false,
            depth: 0,
            max_depth: 0,
            kinds: SmallVec::new(),
            token: 0,
            white: White::default(),
        }
    }

    /// Gets ready for another value; in one of a `single_line` a line feed is an offending byte.
    pub(crate) fn begin(&mut self, max_depth: usize, single_line: bool) {
        self.state = State::Value;
        self.depth = 0;
        self.in_object = false;
        self.max_depth = max_depth as u32;
        self.single_line = single_line;
        self.white = White::default();
    }

    /// Bytes of heap in use.
    pub(crate) fn heap(&self) -> usize {
        if self.kinds.spilled() {
            self.kinds.capacity() * size_of::<u64>()
        } else {
            0
        }
    }

    /// Start of the content of the string that was begun, if it is a name or any other one.
    pub(crate) const fn open_string(&self) -> Option<(u64, bool)> {
        match self.state {
            State::String | State::Escape | State::Hex => Some((self.token, self.name)),
            _ => None,
        }
    }

    /// Whether the next byte belongs to a string, and neither backslash nor escape stands before it.
    pub(crate) const fn is_in_string(&self) -> bool {
        matches!(self.state, State::String)
    }

    /// Whether the value is complete if nothing follows it.
    pub(crate) const fn is_whole_at_end(&self) -> bool {
        self.depth == 0 && matches!(self.state, State::Number) && self.number.is_whole()
    }

    /// Whether a `[` would end the reading here.
    pub(crate) const fn bracket_stops(&self) -> bool {
        match self.state {
            State::FirstMember | State::Name | State::Colon | State::Behind => true,
            State::Value | State::FirstElement => self.depth == self.max_depth,
            _ => false,
        }
    }

    /// Whether an object has opened and neither a name nor its end was read.
    pub(crate) const fn is_at_first_member(&self) -> bool {
        matches!(self.state, State::FirstMember)
    }

    /// Whether the value of a member whose name was read has not begun.
    pub(crate) const fn awaits_member(&self) -> bool {
        match self.state {
            State::Colon => true,
            State::Value => self.in_object,
            _ => false,
        }
    }

    /// Whether all of a short chunk goes on with a string.
    #[inline]
    pub(crate) fn goes_on_with(&self, chunk: &[u8]) -> bool {
        matches!(self.state, State::String) && is_plain(chunk)
    }

    /// How the line in which the value has got to `at` begins.
    pub(crate) fn line_at(&self, at: u64) -> LineStart {
        self.white.line_at(at)
    }

    /// Reads `bytes` from `at` on; their first one has stream offset `base`. Gives the index of the byte at which
    /// reading ended: behind the value, at the offending byte, or behind the last.
    #[inline]
    pub(crate) fn read<V: Visit>(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        base: u64,
        visit: &mut V,
    ) -> (usize, Step) {
        let offset = |at: usize| base + at as u64;
        // Kept out of memory while reading: it changes with every token.
        let mut state = self.state;
        let step = loop {
            match state {
                State::String => {
                    at += string_run(&bytes[at..]);
                    let Some(&byte) = bytes.get(at) else {
                        break Step::More;
                    };
                    if byte == b'\\' {
                        self.escaped = true;
                        state = State::Escape;
                        at += 1;
                        continue;
                    }
                    if byte != b'"' {
                        break Step::Stopped;
                    }
                    let end = offset(at);
                    at += 1;
                    if self.name {
                        visit.name(self.token, end, self.escaped);
                        state = State::Colon;
                        // Mostly the colon follows at once, and a string as often as not.
                        if bytes.get(at) == Some(&b':') {
                            at += 1;
                            state = State::Value;
                            if bytes.get(at) == Some(&b'"') {
                                at += 1;
                                state = self.begin_string(offset(at), false);
                            }
                        }
                        continue;
                    }
                    visit.string(self.token, end, self.escaped);
                    if self.depth == 0 {
                        state = State::Behind;
                        break Step::Complete;
                    }
                    (at, state) = self.behind_value(bytes, at, base);
                }
                State::Escape => {
                    state = match bytes.get(at) {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                            State::String
                        }
                        Some(b'u') => {
                            self.digits = 4;
                            State::Hex
                        }
                        Some(_) => break Step::Stopped,
                        None => break Step::More,
                    };
                    at += 1;
                }
                State::Hex => {
                    match bytes.get(at) {
                        Some(byte) if byte.is_ascii_hexdigit() => {}
                        Some(_) => break Step::Stopped,
                        None => break Step::More,
                    }
                    at += 1;
                    self.digits -= 1;
                    if self.digits == 0 {
                        state = State::String;
                    }
                }
                State::Number => {
                    let mut number = self.number;
                    at += number.run(&bytes[at..]);
                    while let Some(next) = bytes.get(at).and_then(|&byte| number.next(byte)) {
                        number = next;
                        at += 1;
                        at += number.run(&bytes[at..]);
                    }
                    if at == bytes.len() {
                        self.number = number;
                        break Step::More;
                    }
                    if !number.is_whole() {
                        break Step::Stopped;
                    }
                    visit.scalar(self.token, offset(at), false);
                    if self.depth == 0 {
                        state = State::Behind;
                        break Step::Complete;
                    }
                    (at, state) = self.behind_value(bytes, at, base);
                }
                State::Literal => {
                    let [first, rest @ ..] = self.literal else {
                        visit.scalar(self.token, offset(at), self.null);
                        state = State::Behind;
                        if self.depth == 0 {
                            break Step::Complete;
                        }
                        continue;
                    };
                    match bytes.get(at) {
                        Some(byte) if byte == first => at += 1,
                        Some(_) => break Step::Stopped,
                        None => break Step::More,
                    }
                    self.literal = rest;
                }
                State::Colon => {
                    at = self.white.skip(bytes, at, base, self.single_line);
                    match bytes.get(at) {
                        Some(b':') => {}
                        Some(_) => break Step::Stopped,
                        None => break Step::More,
                    }
                    at += 1;
                    state = State::Value;
                }
                State::Behind => {
                    at = self.white.skip(bytes, at, base, self.single_line);
                    match bytes.get(at) {
                        None => break Step::More,
                        Some(b',') if self.in_object => state = State::Name,
                        Some(b',') => {
                            state = State::Value;
                            visit.next_element();
                        }
                        Some(&byte) if byte == self.closing() => {
                            at += 1;
                            if self.close(offset(at), visit) {
                                break Step::Complete;
                            }
                            continue;
                        }
                        Some(_) => break Step::Stopped,
                    }
                    at += 1;
                }
                State::Name | State::FirstMember => {
                    at = self.white.skip(bytes, at, base, self.single_line);
                    match bytes.get(at) {
                        None => break Step::More,
                        Some(b'"') => {
                            at += 1;
                            state = self.begin_string(offset(at), true);
                        }
                        Some(b'}') if state == State::FirstMember => {
                            at += 1;
                            state = State::Behind;
                            if self.close(offset(at), visit) {
                                break Step::Complete;
                            }
                        }
                        Some(_) => break Step::Stopped,
                    }
                }
                State::Value | State::FirstElement => {
                    at = self.white.skip(bytes, at, base, self.single_line);
                    let Some(&byte) = bytes.get(at) else {
                        break Step::More;
                    };
                    let here = offset(at);
                    state = match byte {
                        b'"' => self.begin_string(here + 1, false),
                        b'{' | b'[' => {
                            if self.depth == self.max_depth {
                                break Step::TooDeep;
                            }
                            let object = byte == b'{';
                            visit.open(object, here);
                            self.open(object)
                        }
                        b']' if state == State::FirstElement => {
                            at += 1;
                            state = State::Behind;
                            if self.close(here + 1, visit) {
                                break Step::Complete;
                            }
                            continue;
                        }
                        _ => {
                            self.token = here;
                            match byte {
                                b'-' => self.begin_number(Number::Minus),
                                b'0' => self.begin_number(Number::Zero),
                                b'1'..=b'9' => self.begin_number(Number::Integer),
                                b't' => self.begin_literal(b"rue", false),
                                b'f' => self.begin_literal(b"alse", false),
                                b'n' => self.begin_literal(b"ull", true),
                                _ => break Step::Stopped,
                            }
                        }
                    };
                    at += 1;
                }
            }
        };
        self.state = state;
        (at, step)
    }

    /// Goes on behind a value that is not the whole one: in an object the next name mostly follows at once.
    #[inline]
    fn behind_value(&mut self, bytes: &[u8], at: usize, base: u64) -> (usize, State) {
        if self.in_object && bytes.get(at..at + 2) == Some(b",\"") {
            let name = at + 2;
            return (name, self.begin_string(base + name as u64, true));
        }
        (at, State::Behind)
    }

    fn begin_string(&mut self, start: u64, name: bool) -> State {
        self.name = name;
        self.escaped = false;
        self.token = start;
        State::String
    }

    const fn begin_number(&mut self, first: Number) -> State {
        self.number = first;
        State::Number
    }

    const fn begin_literal(&mut self, rest: &'static [u8], null: bool) -> State {
        self.literal = rest;
        self.null = null;
        State::Literal
    }

    const fn closing(&self) -> u8 {
        if self.in_object { b'}' } else { b']' }
    }

    fn open(&mut self, object: bool) -> State {
        let (word, bit) = (self.depth as usize / 64, 1 << (self.depth % 64));
        if word == self.kinds.len() {
            self.kinds.push(0);
        }
        if object {
            self.kinds[word] |= bit;
        } else {
            self.kinds[word] &= !bit;
        }
        self.in_object = object;
        self.depth += 1;
        if object {
            State::FirstMember
        } else {
            State::FirstElement
        }
    }

    /// Goes on behind the end of an object or array; whether that was the whole value.
    fn close<V: Visit>(&mut self, end: u64, visit: &mut V) -> bool {
        visit.close(end);
        self.depth -= 1;
        if let Some(outer) = self.depth.checked_sub(1) {
            self.in_object = self.kinds[outer as usize / 64] & (1 << (outer % 64)) != 0;
        }
        self.depth == 0
    }
}
