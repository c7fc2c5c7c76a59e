//! Members that follow one another without white space and are there to be read at once.

use super::number::Number;
use super::run::string_run;
use super::{Lexer, Quoted, State, Visit};

impl Lexer {
    /// Reads members whose bytes are all there, from `at` on, where the content of the first one's name starts, and
    /// the ends of objects. Gives the index at which something else comes, and how reading goes on there. Nothing is
    /// open there if that ended the value.
    pub(super) fn read_members<V: Visit>(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        base: u64,
        visit: &mut V,
    ) -> (usize, State) {
        let quoted = |start: usize, end: usize| Quoted {
            start: base + start as u64,
            end: base + end as u64,
            here: bytes.get(start..end).unwrap_or_default(),
            escaped: false,
        };
        loop {
            let name = at;
            at = string_run(bytes, name);
            if bytes.get(at) != Some(&b'"') || bytes.get(at + 1) != Some(&b':') {
                return (at, self.begin_name(base + name as u64));
            }
            visit.name(quoted(name, at));
            at += 2;
            match bytes.get(at) {
                Some(b'"') => {
                    let string = at + 1;
                    at = string_run(bytes, string);
                    if bytes.get(at) != Some(&b'"') {
                        return (at, self.begin_string(base + string as u64));
                    }
                    visit.string(quoted(string, at));
                    at += 1;
                }
                Some(first @ b'0'..=b'9') => {
                    let first = if *first == b'0' {
                        Number::Zero
                    } else {
                        Number::Integer
                    };
                    let (number, end) = first.read(bytes, at + 1);
                    let token = base + at as u64;
                    if end == bytes.len() || !number.is_whole() {
                        self.token = token;
                        return (end, self.begin_number(number));
                    }
                    visit.scalar(token, base + end as u64, false);
                    at = end;
                }
                Some(b'{') if self.nesting.depth() < self.max_depth => {
                    visit.open(true, base + at as u64);
                    self.nesting.open(true);
                    at += 1;
                    if bytes.get(at) != Some(&b'"') {
                        return (at, State::FirstMember);
                    }
                    at += 1;
                    continue;
                }
                _ => return (at, State::Value),
            }
            while bytes.get(at) == Some(&b'}') {
                at += 1;
                if self.close(base + at as u64, visit) || !self.nesting.in_object() {
                    return (at, State::Behind);
                }
            }
            if bytes.get(at) != Some(&b',') || bytes.get(at + 1) != Some(&b'"') {
                return (at, State::Behind);
            }
            at += 2;
        }
    }
}
