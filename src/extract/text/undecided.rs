//! From where on text may still become part of an assertion.

use super::attach::block_text;
use super::{Context, TextEngine};
use crate::Limits;
use crate::extract::lookback::{Before, Reach, look_back, reach};
use crate::lex::chars::whole_characters;
use crate::lex::code::{Fence, FenceLine};

/// What the last answer was about, if it holds for more text of a certain kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Calm {
    /// The window's start then.
    base: u64,
    /// Up to where it holds.
    upto: u64,
    /// The answer.
    from: u64,
}

impl TextEngine {
    /// The least stream offset at which an assertion that is not complete may begin, whatever follows; at most
    /// [`position`](Self::position).
    pub(crate) fn undecided_from(&mut self, limits: &Limits) -> u64 {
        if let Some(calm) = self.calm {
            let now = self.position();
            if self.plain
                && calm.base == self.window.base()
                && now - calm.from < limits.max_assertion() as u64
                && is_calm(self.window.raw_from(calm.upto))
            {
                self.calm = Some(Calm { upto: now, ..calm });
                return calm.from;
            }
            self.calm = None;
        }
        if let Some(pending) = &self.pending {
            let empty = pending.empty.start();
            return self.target.map_or(empty, |target| target.span.start());
        }
        let fence = match self.context {
            Context::Info(_) | Context::Tildes { run: 3.., .. } => return self.position(),
            Context::Fence { .. } => true,
            _ => false,
        };
        let from = if self.json.open && !fence && self.reader.has_reported() {
            self.position()
        } else if let Context::Fence {
            fence,
            line,
            line_start,
            cut,
        } = self.context
        {
            self.undecided_in_block(limits, fence, (line, line_start), cut)
        } else {
            self.undecided_in_text(limits)
        };
        if self.json.open {
            from.min(self.reader.undecided_from(from))
        } else {
            from
        }
    }

    fn undecided_in_text(&mut self, limits: &Limits) -> u64 {
        let (window, max) = (&self.window, limits.max_assertion());
        let base = window.base();
        let raw = window.raw();
        let text = whole_characters(raw);
        let found = reach(text, window.line(), max);
        let from = self.reached(found, base + text.len() as u64);
        if self.plain && matches!(found, Reach::From { calm: true, .. }) && text.len() == raw.len()
        {
            let upto = base + raw.len() as u64;
            self.calm = Some(Calm { base, upto, from });
            return from;
        }
        let Context::Candidate { start } = self.context else {
            return from;
        };
        if self.buffered == 0 {
            return from;
        }
        // The candidate may still become an annotation, with which the text before it is complete.
        let len = (start - base) as usize;
        let before = look_back(&raw[..len], Some(window.line()), max);
        let found = match before {
            Some((Before::Found { start, .. }, _)) => Reach::From { start, calm: false },
            Some((Before::Blank, _)) => Reach::Blank,
            Some((Before::Nothing, _)) | None => Reach::Nothing,
        };
        from.min(self.reached(found, start))
    }

    /// The stream offset of what was reached from `end`.
    fn reached(&self, found: Reach, end: u64) -> u64 {
        match found {
            Reach::From { start, .. } => self.window.base() + start as u64,
            Reach::Blank => self.target.map_or(end, |target| target.span.start()),
            Reach::Nothing => end,
        }
    }

    fn undecided_in_block(
        &self,
        limits: &Limits,
        fence: Fence,
        (line, line_start): (FenceLine, u64),
        cut: bool,
    ) -> u64 {
        let base = self.window.base();
        let raw = whole_characters(self.window.raw());
        let max = limits.max_assertion();
        let content = match line {
            FenceLine::Code => raw.len(),
            // What may be the closing line may be content as well.
            _ => raw.len().min(line_start.saturating_sub(base) as usize),
        };
        let text = |len: usize| block_text(&raw[..len], fence.quoted, cut, max);
        let found = text(content).map(|(range, _)| base + range.start as u64);
        let before = || self.target.map(|target| target.span.start());
        let here = || text(raw.len()).map(|(range, _)| base + range.start as u64);
        found
            .or_else(before)
            .or_else(here)
            .unwrap_or(base + raw.len() as u64)
    }

    /// How many bytes before a stream offset stripping removes, which [`undecided_from`](Self::undecided_from) gave.
    pub(crate) fn removed_before(&self, from: u64) -> u64 {
        match (&self.pending, self.target) {
            (Some(pending), None) => pending.empty.start() - pending.clean.start(),
            (Some(pending), Some(target)) => target.span.start() - pending.clean.start(),
            (None, Some(target)) if target.span.start() == from => self.removed - target.removed,
            _ => self.removed - self.json.removed_after(from),
        }
    }
}

/// Whether `bytes` leave a sentence as it is that goes on in them.
fn is_calm(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b','))
}
