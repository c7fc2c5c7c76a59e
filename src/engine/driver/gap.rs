//! Text that may be between two annotations of one assertion. Source: wire profile, assertion span, rule 1.

use super::scan::Scan;
use super::{Context, stream_bytes};
use crate::Span;
use crate::engine::annotation::candidate::CandidateStep;
use crate::engine::chars::{Separator, next_boundary, separator};
use crate::engine::markdown::line::Line;
use crate::engine::unknown::{Fit, Form, may_precede};

/// State of the reading of the text after an annotation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gap {
    /// Only closing punctuation so far, which belongs to no assertion.
    only_closing: bool,
    /// The line so far is indentation and block quote markers.
    line_start: bool,
    /// The line has a block quote marker.
    quote: bool,
    /// The line before has one.
    quote_before: bool,
    /// White space or an annotation was read last.
    after_white: bool,
    /// Line feeds after the annotation.
    line_feeds: u8,
    /// Untrusted text or a break interrupted the gap.
    pub(super) has_seam: bool,
    pub(super) unknown: UnknownBracket,
    /// The first bytes of a character that the chunk cut in two.
    partial: [u8; 2],
    partial_len: u8,
}

/// A bracket that is not an annotation, but may have been meant as one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum UnknownBracket {
    #[default]
    None,
    Open(Form),
    /// The bracket is complete, and the text after it decides.
    Closed(Form),
}

impl PartialEq for UnknownBracket {
    fn eq(&self, other: &Self) -> bool {
        core::mem::discriminant(self) == core::mem::discriminant(other)
    }
}

impl Gap {
    /// The gap after an annotation in a line with or without block quote markers.
    pub(super) fn after(line: &Line) -> Self {
        Self {
            only_closing: true,
            after_white: true,
            quote: line.quote,
            ..Self::default()
        }
    }

    /// Returns `true` in or right after a bracket that may be an unknown in the slot.
    pub(super) fn has_unknown(&self) -> bool {
        self.unknown != UnknownBracket::None
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
                self.line_feeds = self.line_feeds.saturating_add(1);
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
            && self.engine.gap.unknown == UnknownBracket::None
        {
            self.end_gap(at + 1);
            return at + 1;
        }
        let mut at = at;
        while at < self.input.chunk.len() {
            if self.engine.gap.unknown != UnknownBracket::None {
                match self.read_unknown(at) {
                    Ok(next) => at = next,
                    Err(end) => return end,
                }
                continue;
            }
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
                    gap.after_white = true;
                    gap.only_closing = false;
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
                    gap.after_white = false;
                    gap.line_start = false;
                    at += len - cut;
                    if gap.only_closing {
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
                        gap.only_closing = false;
                        gap.after_white = false;
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

    /// Returns `true` if neither a pending assertion nor an open unknown in the slot comes before.
    #[inline]
    pub(super) fn is_outside_gap(&self) -> bool {
        self.engine.pending.is_none() && !self.engine.gap.has_unknown()
    }

    /// Returns `true` if the bracket at `start`, which begins no annotation, may be an unknown in the slot. `ended` has how and
    /// at which index reading it as a candidate ended.
    pub(super) fn begin_unknown(
        &mut self,
        start: u64,
        ended: Option<(CandidateStep, usize)>,
    ) -> bool {
        let follows_annotation = self.engine.pending.is_some();
        let gap = &mut self.engine.gap;
        let before = core::mem::take(&mut gap.unknown);
        let Some((CandidateStep::Dropped, end)) = ended else {
            return false;
        };
        if before != UnknownBracket::None || follows_annotation && !gap.after_white {
            return false;
        }
        let read = Span::new(start, self.offset(end));
        let bytes = stream_bytes(&self.engine.window, &self.input, read);
        let gap = &self.engine.gap;
        let is_beside = follows_annotation && gap.line_feeds <= 1 && !gap.has_seam;
        let mut form = if is_beside { Form::NEW } else { Form::ALONE };
        let fits = form.feed(bytes, self.input.limits.max_annotation());
        let begins = fits == Fit::More && form.has_begun();
        if begins {
            self.engine.gap.unknown = UnknownBracket::Open(form);
        }
        begins
    }

    /// Reads on at index `at` in a bracket that may be an unknown in the slot. Returns the index to read on from; as
    /// error, the index at which reading the gap ends: the assertion is complete there, a candidate may start, or the
    /// chunk ends.
    #[cold]
    fn read_unknown(&mut self, at: usize) -> Result<usize, usize> {
        let max = self.input.limits.max_annotation();
        let mut form = match self.engine.gap.unknown {
            UnknownBracket::None => return Ok(at),
            UnknownBracket::Open(form) => form,
            UnknownBracket::Closed(form) => {
                let byte = self.input.chunk[at];
                if byte == b'[' {
                    return Err(at);
                }
                if may_precede(byte) && self.accept_unknown(at, &form) {
                    return Ok(at);
                }
                return Err(self.reject_unknown(at));
            }
        };
        for (index, byte) in self.input.chunk.iter().enumerate().skip(at) {
            match form.feed(core::slice::from_ref(byte), max) {
                Fit::More => {}
                Fit::Closed => {
                    self.engine.gap.unknown = UnknownBracket::Closed(form);
                    return Ok(index + 1);
                }
                Fit::No => return Err(self.reject_unknown(index)),
            }
        }
        self.engine.gap.unknown = UnknownBracket::Open(form);
        Err(self.input.chunk.len())
    }

    /// The bracket is text, as the byte at `at` shows.
    fn reject_unknown(&mut self, at: usize) -> usize {
        self.engine.gap.unknown = UnknownBracket::None;
        if self.engine.pending.is_some() {
            self.end_gap(at);
        }
        at
    }

    /// The bracket before `at` is an unknown in the slot, unless it does not follow white space; what comes after it belongs to no
    /// assertion so far.
    fn accept_unknown(&mut self, at: usize, form: &Form) -> bool {
        match &mut self.engine.pending {
            Some(pending) => pending.unknown = true,
            None => {
                if !self.begin_alone(at, form) {
                    return false;
                }
            }
        }
        let start = self.offset(at);
        let line = self.line_at(start).after_annotation(false);
        self.engine.window.restart(start, line, 0);
        let before = self.engine.gap;
        let mut gap = Gap {
            after_white: false,
            ..Gap::after(&line)
        };
        if !form.stands_alone() {
            gap.line_feeds = before.line_feeds;
            gap.has_seam = before.has_seam;
        }
        self.engine.gap = gap;
        true
    }

    /// The bracket before `at` begins an assertion as an annotation would, if it follows white space.
    fn begin_alone(&mut self, at: usize, form: &Form) -> bool {
        self.stitch(at);
        let window = &self.engine.window;
        let (raw, base) = (window.raw(), window.base());
        let before = self
            .engine
            .unknown_search(raw, base, true, self.input.limits);
        if !before.run().is_ok_and(|run| run < raw.len()) {
            return false;
        }
        let end = self.offset(at);
        self.find_target(end);
        let mut pending = self.new_pending(end - u64::from(form.len()), 0);
        pending.unknown = true;
        self.engine.pending = Some(pending);
        self.engine.after_break = false;
        true
    }

    /// Ends a bracket that may be an unknown in the slot at the end of the own text.
    pub(super) fn end_unknown(&mut self) {
        let in_candidate = matches!(self.engine.context, Context::Candidate { .. });
        match core::mem::take(&mut self.engine.gap.unknown) {
            // A bracket follows it that begins no annotation.
            UnknownBracket::Closed(_) if in_candidate => {}
            UnknownBracket::None => {}
            UnknownBracket::Open(_) => self.complete_assertion(),
            UnknownBracket::Closed(form) => {
                self.accept_unknown(0, &form);
            }
        }
        self.engine.gap.has_seam = true;
    }

    /// Completes the pending assertion, whose gap ends at `at`.
    #[inline(always)] // One caller is on the hot path.
    fn end_gap(&mut self, at: usize) {
        let room = self.room();
        self.emit_text_until_with_markers(self.offset(at));
        self.complete_assertion();
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
