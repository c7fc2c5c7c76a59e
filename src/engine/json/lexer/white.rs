//! White space between tokens, and the start of the current line.

/// Returns `true` for white space between tokens of JSON. Source: RFC 8259 2.
pub(crate) const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Measures the white space at the start of `bytes`.
pub(crate) fn leading_white(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|&byte| !is_white(byte))
        .unwrap_or(bytes.len())
}

/// Start of the line that contains a byte of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineStart {
    /// The line has other bytes of the value before the byte, or began before the value.
    Content,
    /// The line began within the value, at `start`, and has only white space before the byte.
    Blank {
        start: u64,
        /// The white space has a carriage return, which is not indentation.
        carriage_return: bool,
    },
}

/// Position of the last line feed between tokens.
///
/// Only white space updates it, so compact JSON pays nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct White {
    line_start: u64,
    /// Stream offset up to which all bytes from `line_start` on are white space; 0 if no line began
    /// within the value.
    blank_to: u64,
    carriage_return: bool,
}

impl White {
    /// Skips white space and returns the index after it.
    #[inline]
    pub(super) fn skip(&mut self, bytes: &[u8], at: usize, base: u64, single_line: bool) -> usize {
        match bytes.get(at) {
            Some(b'\t'..=b' ') => self.skip_run(bytes, at, base, single_line),
            _ => at,
        }
    }

    fn skip_run(&mut self, bytes: &[u8], from: usize, base: u64, single_line: bool) -> usize {
        let mut at = from;
        let mut line_start = None;
        let mut carriage_return = false;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b' ' | b'\t' => {}
                b'\r' => carriage_return = true,
                b'\n' if !single_line => {
                    carriage_return = false;
                    line_start = Some(base + at as u64 + 1);
                }
                _ => break,
            }
            at += 1;
        }
        let end = base + at as u64;
        if let Some(start) = line_start {
            *self = Self {
                line_start: start,
                blank_to: end,
                carriage_return,
            };
        } else if self.blank_to == base + from as u64 {
            self.blank_to = end;
            self.carriage_return |= carriage_return;
        }
        at
    }

    pub(super) const fn line_at(&self, at: u64) -> LineStart {
        if self.blank_to == at && at > 0 {
            LineStart::Blank {
                start: self.line_start,
                carriage_return: self.carriage_return,
            }
        } else {
            LineStart::Content
        }
    }
}
