//! Members that follow one another without white space and are there to be read at once.

use super::run::{digit_run, string_run};
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
        loop {
            let name = at;
            at = string_run(bytes, name);
            let (Some(content), Some([b'"', b':', ..])) = (bytes.get(name..at), bytes.get(at..))
            else {
                return (at, self.begin_name(base + name as u64));
            };
            visit.name(Quoted::of(content, base + name as u64));
            at += 2;
            match bytes.get(at) {
                Some(b'"') => {
                    let string = at + 1;
                    at = string_run(bytes, string);
                    let (Some(content), Some(b'"')) = (bytes.get(string..at), bytes.get(at)) else {
                        return (at, self.begin_string(base + string as u64));
                    };
                    visit.string(Quoted::of(content, base + string as u64));
                    at += 1;
                }
                Some(b'0'..=b'9') => {
                    let Some(end) = plain_number(bytes, at) else {
                        return (at, State::Value);
                    };
                    visit.scalar(base + at as u64, base + end as u64, false);
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
            if bytes.get(at) == Some(&b'}') {
                at = self.close_objects(bytes, at, base, visit);
                if !self.nesting.in_object() {
                    return (at, State::Behind);
                }
            }
            let Some([b',', b'"', ..]) = bytes.get(at..) else {
                return (at, State::Behind);
            };
            at += 2;
        }
    }

    /// Reads the ends of objects from `at` on, but not that of an array or object around which no object is open.
    #[inline(never)]
    fn close_objects<V: Visit>(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        base: u64,
        visit: &mut V,
    ) -> usize {
        while self.nesting.in_object() && bytes.get(at) == Some(&b'}') {
            at += 1;
            self.close(base + at as u64, visit);
        }
        at
    }
}

/// The end of a number that starts with a digit at `at`, has no exponent, and ends with the member.
#[inline]
fn plain_number(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = at + 1;
    if bytes.get(at) != Some(&b'0') {
        end = digit_run(bytes, end);
    }
    if bytes.get(end) == Some(&b'.') {
        let fraction = end + 1;
        end = digit_run(bytes, fraction);
        if end == fraction {
            return None;
        }
    }
    matches!(bytes.get(end), Some(b',' | b'}')).then_some(end)
}
