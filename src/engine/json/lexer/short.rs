//! Fast path of the lexer for a few bytes.

use super::number::NumberPart;
use super::{LexState, Lexer, Object, Visit};

impl Lexer {
    /// Reads common tokens of an object from index `at` on, byte by byte, with the same result as
    /// [`read`](Self::read). Returns the index of the first byte that needs [`read`](Self::read).
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
                LexState::String | LexState::Name => {
                    if byte == b'"' {
                        if state == LexState::Name {
                            visit.name(self.quoted(bytes, at, base));
                            state = LexState::Colon;
                        } else {
                            visit.string(self.quoted(bytes, at, base));
                            state = LexState::After;
                        }
                    } else if byte == b'\\' || byte < b' ' {
                        break;
                    }
                }
                LexState::Value => {
                    let here = base + at as u64;
                    match byte {
                        b'"' => state = self.begin_quoted(LexState::String, here + 1),
                        b'{' if self.nesting.depth() < self.max_depth => {
                            let depth = self.max_depth - self.nesting.depth();
                            if visit.object(at, depth, self.single_line) != Object::Open {
                                break;
                            }
                            visit.open(true, here);
                            self.nesting.open(true);
                            state = LexState::FirstMember;
                        }
                        _ => {
                            let Some(first) = NumberPart::begun(byte) else {
                                break;
                            };
                            self.token = here;
                            state = self.begin_number(first);
                        }
                    }
                }
                LexState::Number => match self.number.next(byte) {
                    Some(next) => self.number = next,
                    None if byte == b',' && self.number.is_whole() => {
                        visit.scalar(self.token, base + at as u64, false);
                        state = LexState::NextMember;
                    }
                    None => break,
                },
                LexState::Colon if byte == b':' => state = LexState::Value,
                LexState::After if byte == b',' => state = LexState::NextMember,
                LexState::FirstMember | LexState::NextMember if byte == b'"' => {
                    let name = self.name_state(state);
                    state = self.begin_quoted(name, base + at as u64 + 1);
                }
                _ => break,
            }
            at += 1;
        }
        self.state = state;
        at
    }
}
