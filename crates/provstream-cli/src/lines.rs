//! Lines of bounded length.

use crate::input::InputSource;

/// U+FEFF in UTF-8, which may be before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoundedLine<'a> {
    /// Number, from 1.
    pub(crate) number: u64,
    /// Bytes without the line feed, or the length of a line that is too long.
    pub(crate) content: Result<&'a [u8], u64>,
    /// `true` if a line feed ends the line.
    pub(crate) is_terminated: bool,
}

impl<'a> BoundedLine<'a> {
    /// Strips a byte order mark, which only the first line can have.
    pub(crate) fn without_bom(&self, line: &'a [u8]) -> &'a [u8] {
        match line.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) if self.number == 1 => rest,
            _ => line,
        }
    }
}

/// Cuts bytes into lines, in bounded memory.
#[derive(Debug)]
pub(crate) struct LineSplitter {
    max: usize,
    number: u64,
    /// Beginning of the open line.
    line: Vec<u8>,
    /// Length of the open line if it is too long, else 0.
    excess: u64,
}

impl LineSplitter {
    /// Creates a splitter of lines of at most `max` bytes, whose first line has the number
    /// `number`.
    pub(crate) const fn new(max: usize, number: u64) -> Self {
        Self {
            max,
            number,
            line: Vec::new(),
            excess: 0,
        }
    }

    /// Calls `each` with the lines that end in the chunk.
    pub(crate) fn push(&mut self, chunk: &[u8], mut each: impl FnMut(BoundedLine<'_>)) {
        let mut rest = chunk;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            let (end, others) = rest.split_at(at);
            if self.line.is_empty() && self.excess == 0 && end.len() <= self.max {
                each(BoundedLine {
                    number: self.number,
                    content: Ok(end),
                    is_terminated: true,
                });
            } else {
                self.append(end);
                self.end_line(true, &mut each);
            }
            self.number += 1;
            rest = &others[1..];
        }
        self.append(rest);
    }

    /// Calls `each` with the last line, if no line feed ends it.
    pub(crate) fn finish(&mut self, mut each: impl FnMut(BoundedLine<'_>)) {
        if !self.line.is_empty() || self.excess > 0 {
            self.end_line(false, &mut each);
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        if self.excess > 0 || self.line.len() + bytes.len() > self.max {
            self.excess += (self.line.len() + bytes.len()) as u64;
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn end_line(&mut self, is_terminated: bool, each: &mut impl FnMut(BoundedLine<'_>)) {
        let content = match self.excess {
            0 => Ok(&*self.line),
            length => Err(length),
        };
        each(BoundedLine {
            number: self.number,
            content,
            is_terminated,
        });
        self.excess = 0;
        self.line.clear();
    }
}

/// Reads an input to its end and calls `each` with every line of it that is not blank. `pause` is called before each read that may
/// have to wait.
pub(crate) fn each_line<T>(
    mut input: InputSource,
    max: usize,
    state: &mut T,
    mut pause: impl FnMut(&mut T) -> anyhow::Result<()>,
    mut each: impl FnMut(&mut T, BoundedLine<'_>),
) -> anyhow::Result<()> {
    let mut lines = LineSplitter::new(max, 1);
    let mut buffer = vec![0; 1 << 16];
    let mut each = |state: &mut T, mut line: BoundedLine<'_>| {
        line.content = line.content.map(|content| line.without_bom(content));
        if line.content.is_err() || line.content.is_ok_and(|line| !line.trim_ascii().is_empty()) {
            each(state, line);
        }
    };
    loop {
        if input.is_interactive() {
            pause(state)?;
        }
        let count = input.read(&mut buffer)?;
        if count == 0 {
            lines.finish(|line| each(state, line));
            return Ok(());
        }
        lines.push(&buffer[..count], |line| each(state, line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_do_not_depend_on_the_cuts() {
        let text = b"ab\n\n123456\nc";
        for size in 1..=text.len() {
            let mut lines = LineSplitter::new(4, 1);
            let mut found = Vec::new();
            let mut each = |line: BoundedLine<'_>| {
                let content = line.content.map(<[u8]>::to_vec);
                found.push((line.number, content, line.is_terminated));
            };
            for chunk in text.chunks(size) {
                lines.push(chunk, &mut each);
            }
            lines.finish(&mut each);
            let expected = [
                (1, Ok(b"ab".to_vec()), true),
                (2, Ok(Vec::new()), true),
                (3, Err(6), true),
                (4, Ok(b"c".to_vec()), false),
            ];
            assert_eq!(found, expected);
        }
    }
}
