//! A few bytes, one at a time.

use super::number::Number;
use super::{Lexer, State, Visit};

impl Lexer {
    /// Reads what is common in an object from index `at` of `bytes` on, as [`read`](Self::read) does, up to something
    /// else. Quicker than that for a few bytes.
    #[inline]
    pub(crate) fn read_short<V: Visit>(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        base: u64,
        visit: &mut V,
    ) -> usize {
        if !self.nesting.in_object() {
            return at;
        }
        let mut state = self.state;
        while let Some(&byte) = bytes.get(at) {
            match state {
                State::String | State::Name => {
                    if byte == b'"' {
                        let content = self.quoted(bytes, at, base);
                        if state == State::Name {
                            visit.name(content);
                            state = State::Colon;
                        } else {
                            visit.string(content);
                            state = State::After;
                        }
                    } else if byte == b'\\' || byte < b' ' {
                        break;
                    }
                }
                State::Value => {
                    if byte == b'"' {
                        state = self.begin_string(base + at as u64 + 1);
                    } else if matches!(byte, b'1'..=b'9') {
                        self.token = base + at as u64;
                        state = self.begin_number(Number::Integer);
                    } else {
                        break;
                    }
                }
                State::Number => {
                    if !(byte.is_ascii_digit() && self.number.goes_on_with_digits()) {
                        if byte != b',' || !self.number.is_whole() {
                            break;
                        }
                        visit.scalar(self.token, base + at as u64, false);
                        state = State::NextMember;
                    }
                }
                State::Colon if byte == b':' => state = State::Value,
                State::After if byte == b',' => state = State::NextMember,
                State::NextMember if byte == b'"' => {
                    state = self.begin_name(base + at as u64 + 1);
                }
                _ => break,
            }
            at += 1;
        }
        self.state = state;
        at
    }
}
