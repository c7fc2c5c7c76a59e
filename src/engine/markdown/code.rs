//! Code spans and fenced code blocks, in which brackets are ordinary text.

use super::line::is_quote_prefix;

/// A fenced code block that is open or may open at the end of its first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// Backtick or tilde.
    pub(crate) marker: u8,
    /// Length of the opening run; a closing one is at least as long.
    pub(crate) run: u64,
    /// The block was opened after a block quote marker.
    pub(crate) quoted: bool,
}

/// State of the current line of a fenced block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FenceLine {
    /// In the indentation and block quote markers.
    Prefix { quote: bool },
    /// In the indentation, part of which is untrusted text, so that the line cannot close the
    /// block.
    Mixed,
    /// In a run of the fence's character.
    Run { count: u64, quote: bool },
    /// In white space after a run that may close the block.
    Tail { quote: bool },
    /// The line is code.
    Code,
}

impl FenceLine {
    /// Returns the state after a byte of untrusted text, which opens and closes nothing.
    pub(crate) const fn untrusted(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Prefix { quote: false } | Self::Mixed, b' ' | b'\t') => Self::Mixed,
            _ => Self::Code,
        }
    }
}

/// Effect of a byte on a fenced block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FenceStep {
    /// The block stays open.
    Inside,
    /// A new line of the block starts after this line feed.
    NextLine,
    /// This line feed ends the closing line.
    Closed { quote: bool },
    /// The block ended before this line, which is ordinary text.
    Left,
}

impl Fence {
    /// Creates a fence whose opening run begins here.
    pub(crate) const fn begun(marker: u8, quoted: bool) -> Self {
        Self {
            marker,
            run: 0,
            quoted,
        }
    }

    /// Processes one byte of the block; a caller may skip from code to the next line feed.
    pub(crate) fn step(self, line: &mut FenceLine, byte: u8) -> FenceStep {
        if byte == b'\n' {
            let step = match *line {
                FenceLine::Tail { quote } => FenceStep::Closed { quote },
                FenceLine::Run { count, quote } if count >= self.run => FenceStep::Closed { quote },
                FenceLine::Prefix { quote: false } | FenceLine::Mixed if self.quoted => {
                    return FenceStep::Left;
                }
                _ => FenceStep::NextLine,
            };
            *line = FenceLine::Prefix { quote: false };
            return step;
        }
        *line = match *line {
            FenceLine::Prefix { quote } if is_quote_prefix(byte) => FenceLine::Prefix {
                quote: quote || byte == b'>',
            },
            FenceLine::Mixed if matches!(byte, b' ' | b'\t') => FenceLine::Mixed,
            FenceLine::Mixed if byte == b'>' => FenceLine::Code,
            FenceLine::Prefix { quote: false } | FenceLine::Mixed if self.quoted => {
                return FenceStep::Left;
            }
            FenceLine::Prefix { quote } if byte == self.marker => {
                FenceLine::Run { count: 1, quote }
            }
            FenceLine::Run { count, quote } if byte == self.marker => FenceLine::Run {
                count: count + 1,
                quote,
            },
            FenceLine::Run { count, quote }
                if count >= self.run && matches!(byte, b' ' | b'\t' | b'\r') =>
            {
                FenceLine::Tail { quote }
            }
            FenceLine::Tail { quote } if matches!(byte, b' ' | b'\t' | b'\r') => {
                FenceLine::Tail { quote }
            }
            _ => FenceLine::Code,
        };
        FenceStep::Inside
    }
}
