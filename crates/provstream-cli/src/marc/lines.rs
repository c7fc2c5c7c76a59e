//! Input that is read line by line.

use crate::failure::Failure;
use crate::input::Input;

/// Longest line that is read, in bytes.
pub(crate) const MAX_LINE: usize = 1 << 16;

/// U+FEFF in UTF-8, which may stand before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line of input.
#[derive(Debug)]
pub(crate) enum InputLine<'a> {
    /// Its bytes, without the line feed.
    Whole(&'a [u8]),
    /// It has more than [`MAX_LINE`] bytes.
    TooLong,
}

/// Cuts what arrives into lines, in bounded memory.
#[derive(Debug, Default)]
struct Lines {
    line: Vec<u8>,
    too_long: bool,
}

impl Lines {
    fn push(&mut self, bytes: &[u8]) {
        if self.line.len() + bytes.len() > MAX_LINE {
            self.too_long = true;
            self.line.clear();
        }
        if !self.too_long {
            self.line.extend_from_slice(bytes);
        }
    }

    /// Passes on the line that is complete, unless it is blank.
    fn end(&mut self, number: u64, sink: &mut impl FnMut(u64, InputLine<'_>)) {
        if number == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        if self.too_long {
            sink(number, InputLine::TooLong);
        } else if !self.line.trim_ascii().is_empty() {
            sink(number, InputLine::Whole(&self.line));
        }
        self.line.clear();
        self.too_long = false;
    }
}

/// Reads to the end and passes on each line that is not blank, with its number from 1. `pause` is called whenever the input
/// may have to wait.
pub(crate) fn each_line<T>(
    mut input: Input,
    state: &mut T,
    mut pause: impl FnMut(&mut T) -> Result<(), Failure>,
    mut sink: impl FnMut(&mut T, u64, InputLine<'_>),
) -> Result<(), Failure> {
    let mut buffer = vec![0; MAX_LINE];
    let mut lines = Lines::default();
    let mut number = 1;
    loop {
        if input.may_wait() {
            pause(state)?;
        }
        let count = input.read(&mut buffer)?;
        let mut rest = &buffer[..count];
        while let Some(at) = rest.iter().position(|&byte| byte == b'\n') {
            lines.push(&rest[..at]);
            lines.end(number, &mut |number, line| sink(state, number, line));
            number += 1;
            rest = &rest[at + 1..];
        }
        lines.push(rest);
        if count == 0 {
            lines.end(number, &mut |number, line| sink(state, number, line));
            return Ok(());
        }
    }
}
