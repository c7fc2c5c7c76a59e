//! What may be between two annotations of one assertion. Source: wire profile, assertion span, rule 1.

use super::scan::Scan;
use crate::engine::chars::{Separator, next_boundary, separator};
use crate::engine::markdown::line::Line;

/// How far the text after an annotation has been read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gap {
    /// Only closing punctuation so far, which belongs to no assertion.
    leading: bool,
    /// The line so far is indentation and block quote markers.
    line_start: bool,
    /// The line has a block quote marker.
    quote: bool,
    /// The line before has one.
    quote_before: bool,
    /// The first bytes of a character that the chunk cut in two.
    partial: [u8; 2],
    partial_len: u8,
}

impl Gap {
    /// The gap after an annotation in a line with or without block quote markers.
    pub(super) fn after(line: &Line) -> Self {
        Self {
            leading: true,
            quote: line.quote,
            ..Self::default()
        }
    }

    /// Takes a `>` as white space if it continues a block quote.
    fn continues_quote(&mut self) -> bool {
        let continues = self.line_start && self.quote_before;
        self.quote |= continues;
        continues
    }

    fn white(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.quote_before = self.quote;
                self.quote = false;
                self.line_start = true;
            }
            b' ' | b'\t' => {}
            _ => self.line_start = false,
        }
    }
}

impl Scan<'_> {
    /// Reads the gap on from `at`, up to where a candidate may start, the end of the chunk, or the byte that completes
    /// the assertion.
    pub(super) fn gap(&mut self, at: usize) -> usize {
        if let [b' ', b'A'..=b'Z' | b'a'..=b'z', ..] = self.input.chunk[at..]
            && self.engine.gap.partial_len == 0
        {
            self.end_gap(at + 1);
            return at + 1;
        }
        let mut at = at;
        while at < self.input.chunk.len() {
            let gap = &mut self.engine.gap;
            let cut = usize::from(gap.partial_len);
            let found = if cut > 0 {
                let mut bytes = [gap.partial[0], gap.partial[1], 0, 0];
                let more = (self.input.chunk.len() - at).min(3 - cut);
                bytes[cut..cut + more].copy_from_slice(&self.input.chunk[at..at + more]);
                separator(&bytes[..cut + more])
            } else {
                separator(&self.input.chunk[at..])
            };
            match found {
                Separator::White(len) => {
                    gap.leading = false;
                    gap.partial_len = 0;
                    if len == 1 {
                        gap.white(self.input.chunk[at]);
                    } else {
                        gap.line_start = false;
                    }
                    at += len - cut;
                }
                Separator::Closing(len) => {
                    gap.partial_len = 0;
                    gap.line_start = false;
                    at += len - cut;
                    if gap.leading {
                        self.restart_after_punctuation(at);
                    }
                }
                Separator::Partial => {
                    while at < self.input.chunk.len() {
                        gap.partial[usize::from(gap.partial_len)] = self.input.chunk[at];
                        gap.partial_len += 1;
                        at += 1;
                    }
                    return at;
                }
                Separator::Other => {
                    let byte = self.input.chunk[at];
                    if cut == 0 && byte == b'[' && !self.engine.untrusted {
                        return at;
                    }
                    if cut == 0 && byte == b'>' && gap.continues_quote() {
                        gap.leading = false;
                        at += 1;
                        continue;
                    }
                    self.end_gap(at);
                    return at;
                }
            }
        }
        at
    }

    /// Completes the pending assertion, whose gap ends at `at`.
    fn end_gap(&mut self, at: usize) {
        let room = self.room();
        self.complete();
        let gap = (self.offset(at) - self.engine.window.base()) as usize;
        if gap > room {
            self.stitch(at);
            let raw = self.engine.window.raw();
            let cut = next_boundary(raw, raw.len().saturating_sub(room));
            self.engine.window.drop_front(cut);
        }
    }

    /// The text of the next assertion starts after closing punctuation that follows an annotation at once.
    fn restart_after_punctuation(&mut self, at: usize) {
        let line = *self.engine.window.line();
        let start = self.offset(at);
        self.engine.window.restart(start, line, 0);
    }
}
