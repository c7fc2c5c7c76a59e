//! State machine of the lexer: byte by byte between tokens, in runs of bytes within them.

use super::number::NumberPart;
use super::run::string_run;
use super::{LexState, Lexer, Object, Quoted, ValueStatus, Visit, punctuation_end};

impl Lexer {
    /// Reads `bytes` from index `at` on; `base` is the stream offset of index 0. Returns the index
    /// at which reading ended (after the value, at the invalid byte, or at the end of the input)
    /// with the status, or the index at which it pauses, without one.
    #[inline]
    #[expect(
        clippy::too_many_lines,
        reason = "one state machine, whose state is kept in a register"
    )]
    pub(crate) fn read<V: Visit>(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        base: u64,
        visit: &mut V,
    ) -> (usize, Option<ValueStatus>) {
        let offset = |at: usize| base + at as u64;
        // Kept out of memory while reading: it changes with every token.
        let mut state = self.state;
        let step = loop {
            match state {
                LexState::FirstName => {
                    at = punctuation_end(bytes, at);
                    state = match bytes.get(at) {
                        None => break Some(ValueStatus::More),
                        Some(b' ') => break Some(ValueStatus::Stopped),
                        Some(_) => LexState::Name,
                    };
                }
                LexState::Name | LexState::String => {
                    at = string_run(bytes, at);
                    match bytes.get(at) {
                        Some(b'"') => {}
                        Some(b'\\') => {
                            at += 1;
                            self.escaped = true;
                            self.string = state;
                            state = LexState::Escape;
                            continue;
                        }
                        Some(_) => break Some(ValueStatus::Stopped),
                        None => break Some(ValueStatus::More),
                    }
                    let quoted = self.quoted(bytes, at, base);
                    at += 1;
                    if state == LexState::String {
                        visit.string(quoted);
                        state = LexState::After;
                        continue;
                    }
                    visit.name(quoted);
                    // Mostly the colon follows at once.
                    if bytes.get(at) == Some(&b':') {
                        at += 1;
                        state = LexState::Value;
                    } else {
                        state = LexState::Colon;
                    }
                }
                LexState::After => {
                    if self.nesting.depth() == 0 {
                        break Some(ValueStatus::Complete);
                    }
                    let in_object = self.nesting.in_object();
                    // In an object the next name mostly follows at once.
                    if in_object && bytes.get(at) == Some(&b',') {
                        at += 1;
                        state = LexState::NextMember;
                        continue;
                    }
                    at = self.white.skip(bytes, at, base, self.single_line);
                    match bytes.get(at) {
                        None => break Some(ValueStatus::More),
                        Some(b',') if in_object => state = LexState::NextMember,
                        Some(b',') => {
                            state = LexState::Value;
                            visit.next_element();
                        }
                        Some(&byte) if byte == if in_object { b'}' } else { b']' } => {
                            at += 1;
                            if self.close(offset(at), visit) {
                                break None;
                            }
                            continue;
                        }
                        Some(_) => break Some(ValueStatus::Stopped),
                    }
                    at += 1;
                }
                LexState::Value | LexState::FirstElement => {
                    at = self.white.skip(bytes, at, base, self.single_line);
                    let Some(&byte) = bytes.get(at) else {
                        break Some(ValueStatus::More);
                    };
                    let here = offset(at);
                    if byte == b'"' {
                        at += 1;
                        state = self.begin_quoted(LexState::String, here + 1);
                        continue;
                    }
                    state = match byte {
                        b'{' | b'[' => {
                            if self.nesting.depth() == self.max_depth {
                                break Some(ValueStatus::TooDeep);
                            }
                            let object = byte == b'{';
                            if object {
                                match visit.object(
                                    at,
                                    self.max_depth - self.nesting.depth(),
                                    self.single_line,
                                ) {
                                    Object::Open => {}
                                    Object::Pause => break None,
                                    Object::Read(end) => {
                                        at = end;
                                        state = LexState::After;
                                        if self.nesting.depth() == 0 {
                                            break Some(ValueStatus::Complete);
                                        }
                                        continue;
                                    }
                                }
                            }
                            visit.open(object, here);
                            self.nesting.open(object);
                            if object {
                                LexState::FirstMember
                            } else {
                                LexState::FirstElement
                            }
                        }
                        b']' if state == LexState::FirstElement => {
                            at += 1;
                            state = LexState::After;
                            if self.close(here + 1, visit) {
                                break None;
                            }
                            continue;
                        }
                        _ => {
                            self.token = here;
                            match byte {
                                b't' => self.begin_literal(b"rue", false),
                                b'f' => self.begin_literal(b"alse", false),
                                b'n' => self.begin_literal(b"ull", true),
                                _ => match NumberPart::begun(byte) {
                                    Some(first) => self.begin_number(first),
                                    None => break Some(ValueStatus::Stopped),
                                },
                            }
                        }
                    };
                    at += 1;
                }
                LexState::Number => {
                    let number;
                    (number, at) = self.number.read(bytes, at);
                    if at == bytes.len() {
                        self.number = number;
                        break Some(ValueStatus::More);
                    }
                    if !number.is_whole() {
                        break Some(ValueStatus::Stopped);
                    }
                    visit.scalar(self.token, offset(at), false);
                    state = LexState::After;
                }
                LexState::NextMember | LexState::FirstMember => {
                    at = self.white.skip(bytes, at, base, self.single_line);
                    match bytes.get(at) {
                        None => break Some(ValueStatus::More),
                        Some(b'"') => {
                            at += 1;
                            let name = self.name_state(state);
                            state = self.begin_quoted(name, base + at as u64);
                        }
                        Some(b'}') if state == LexState::FirstMember => {
                            at += 1;
                            state = LexState::After;
                            if self.close(offset(at), visit) {
                                break None;
                            }
                        }
                        Some(_) => break Some(ValueStatus::Stopped),
                    }
                }
                LexState::Colon => {
                    at = self.white.skip(bytes, at, base, self.single_line);
                    match bytes.get(at) {
                        Some(b':') => {}
                        Some(_) => break Some(ValueStatus::Stopped),
                        None => break Some(ValueStatus::More),
                    }
                    at += 1;
                    state = LexState::Value;
                }
                LexState::Escape => {
                    state = match bytes.get(at) {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.string,
                        Some(b'u') => {
                            self.digits = 4;
                            LexState::Hex
                        }
                        Some(_) => break Some(ValueStatus::Stopped),
                        None => break Some(ValueStatus::More),
                    };
                    at += 1;
                }
                LexState::Hex => {
                    match bytes.get(at) {
                        Some(byte) if byte.is_ascii_hexdigit() => {}
                        Some(_) => break Some(ValueStatus::Stopped),
                        None => break Some(ValueStatus::More),
                    }
                    at += 1;
                    self.digits -= 1;
                    if self.digits == 0 {
                        state = self.string;
                    }
                }
                LexState::Literal => {
                    let [first, rest @ ..] = self.literal else {
                        visit.scalar(self.token, offset(at), self.null);
                        state = LexState::After;
                        continue;
                    };
                    match bytes.get(at) {
                        Some(byte) if byte == first => at += 1,
                        Some(_) => break Some(ValueStatus::Stopped),
                        None => break Some(ValueStatus::More),
                    }
                    self.literal = rest;
                }
            }
        };
        self.state = state;
        (at, step)
    }

    /// Returns the content of the open string, which ends before index `end`.
    #[inline]
    pub(super) fn quoted<'a>(&self, bytes: &'a [u8], end: usize, base: u64) -> Quoted<'a> {
        let from = self.token.saturating_sub(base) as usize;
        Quoted {
            start: self.token,
            end: base + end as u64,
            here: bytes.get(from..end).unwrap_or_default(),
            escaped: self.escaped,
        }
    }

    /// Opens a string whose content starts at stream offset `start`, and returns its state.
    pub(super) const fn begin_quoted(&mut self, string: LexState, start: u64) -> LexState {
        self.escaped = false;
        self.token = start;
        string
    }

    pub(super) const fn begin_number(&mut self, first: NumberPart) -> LexState {
        self.number = first;
        LexState::Number
    }

    const fn begin_literal(&mut self, rest: &'static [u8], null: bool) -> LexState {
        self.literal = rest;
        self.null = null;
        LexState::Literal
    }

    /// Closes the innermost object or array, which ends before stream offset `end`; returns `true`
    /// if reading pauses there.
    fn close<V: Visit>(&mut self, end: u64, visit: &mut V) -> bool {
        let pauses = visit.close(end);
        self.nesting.close();
        pauses
    }
}
