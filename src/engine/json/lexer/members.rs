//! Members that follow one another without white space and are there to be read at once.

use super::run::{digit_run, string_run};
use super::{Lexer, Quoted, State, Visit};

impl Lexer {
    /// Reads members whose bytes are all there, from `at` on, where the content of the first one's name starts. Gives
    /// the index at which something else comes, and how reading continues there.
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
                    let number = at;
                    at = digit_run(bytes, number);
                    let plain = matches!(bytes.get(at), Some(b',' | b'}'));
                    if !plain || (bytes.get(number) == Some(&b'0') && at > number + 1) {
                        return (number, State::Value);
                    }
                    visit.scalar(base + number as u64, base + at as u64, false);
                }
                _ => return (at, State::Value),
            }
            let Some([b',', b'"', ..]) = bytes.get(at..) else {
                return (at, State::After);
            };
            at += 2;
        }
    }
}
