//! Retains the text that later events may refer to when a chunk ends, within the limits.

use super::Context;
use super::attach::block_text;
use super::scan::Scan;
use crate::Limits;
use crate::engine::chars::{next_boundary, trimmed_len, without_partial};
use crate::engine::lookback::{LookbackResult, look_back};
use crate::engine::markdown::code::FenceLine;
use crate::engine::markdown::line::trimmed_block;

/// Maximum number of bytes in the window: an assertion, as much white space after it (or the values
/// of pending annotations instead), and a candidate annotation.
pub(super) fn most(limits: &Limits) -> usize {
    shared(limits) + limits.max_annotation() + 1
}

/// Number of bytes shared by the text of an assertion, the values of its annotations and the text
/// after them.
fn shared(limits: &Limits) -> usize {
    limits.max_assertion() + limits.max_assertion().max(limits.max_pending())
}

impl Scan<'_> {
    /// Moves the chunk up to `upto` into the window, dropping what no later event can need.
    pub(super) fn stitch(&mut self, upto: usize) {
        self.save_pending();
        let from = self.unstitched();
        if from < upto {
            self.append(&self.input.chunk[from..upto]);
        }
    }

    /// Saves the text of the target and the values of its annotations if they lie in the chunk.
    fn save_pending(&mut self) {
        self.save_records();
        if let Some(target) = &mut self.engine.target
            && !target.in_window
        {
            target.in_window = true;
            let start = self.input.index(target.span.start());
            let len = target.span.len() as usize;
            let text = &self.input.chunk[start..][..len];
            self.engine.window.save(text);
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        if rest.len() > self.engine.window.free() {
            rest = &rest[self.skip_most(rest)..];
        }
        while rest.len() > self.engine.window.free() {
            let (now, later) = rest.split_at(self.engine.window.free());
            self.engine.window.append(now);
            rest = later;
            self.slide();
        }
        self.engine.window.append(rest);
    }

    /// Skips the beginning of `bytes` if it is clear that no later event needs it; returns the
    /// number of bytes skipped.
    fn skip_most(&mut self, bytes: &[u8]) -> usize {
        let keep = self.input.limits.max_assertion();
        let text = without_partial(&bytes[..bytes.len() - self.open_candidate().min(bytes.len())]);
        let end = trimmed_len(text);
        // A block quote marker or an empty cell at the end may count as white space.
        let plain = matches!(text[..end].last(), Some(byte) if !matches!(byte, b'>' | b'|'));
        if !plain || self.engine.pending.is_some() || end < keep + 64 || text.len() - end > keep {
            return 0;
        }
        if let Context::Block(block) = self.engine.context
            && block.line != FenceLine::Code
        {
            return 0;
        }
        self.drop_target();
        let skipped = next_boundary(bytes, end - keep);
        if let Context::Block(block) = &mut self.engine.context {
            let quoted = block.fence.quoted;
            let blank = |text| trimmed_block(text, quoted).is_empty();
            block.cut |= !blank(self.engine.window.raw()) || !blank(&bytes[..skipped]);
        }
        self.engine.window.skip(bytes, skipped)
    }

    /// Drops the part of a nearly full window that no later event needs.
    pub(super) fn slide(&mut self) {
        let window = &self.engine.window;
        let most = self.input.limits.max_assertion();
        let len = match self.engine.context {
            Context::Candidate { start } => start.min(window.end()) - window.base(),
            _ => window.end() - window.base(),
        } as usize;
        if self.engine.pending.is_some() {
            let cut = len.saturating_sub(self.room());
            let cut = next_boundary(&window.raw()[..len], cut);
            self.engine.window.drop_front(cut);
            return;
        }
        if let Context::Block(_) = self.engine.context {
            self.slide_block();
            return;
        }
        let text = without_partial(&window.raw()[..len]);
        let len = text.len();
        let at = window.base();
        let end = trimmed_len(text);
        let before = match text[..end].last() {
            // A letter or a digit is text, whatever line it is in.
            Some(byte) if byte.is_ascii_alphanumeric() && len - end <= most => {
                LookbackResult::Found {
                    start: 0,
                    end,
                    cut: false,
                }
            }
            // With the state of the first line, `look_back` always has a result.
            _ => look_back(text, Some(window.line()), most)
                .map_or(LookbackResult::Nothing, |(before, _)| before),
        };
        match before {
            before @ LookbackResult::Found { start, end, .. } if len - end > most => {
                self.engine.window.save_raw(start..end, len);
                self.set_target(before, at, true);
            }
            LookbackResult::Found { end, .. } => {
                let cut = next_boundary(text, end.saturating_sub(most));
                self.drop_target();
                self.engine.window.drop_front(cut);
            }
            LookbackResult::Nothing => {
                self.drop_target();
                self.engine.window.drop_front(len);
            }
            LookbackResult::Blank => self.engine.window.drop_front(len),
        }
    }

    /// Drops the part of a nearly full window in a fenced block that no later event needs.
    ///
    /// If the block ends now, its last text is needed; if it continues, only what was read last. So text that lies far back
    /// is saved, and holds as long as none comes after it.
    fn slide_block(&mut self) {
        let most = self.input.limits.max_assertion();
        let Context::Block(block) = &mut self.engine.context else {
            return;
        };
        let quoted = block.fence.quoted;
        let window = &mut self.engine.window;
        let at = window.base();
        let raw = without_partial(window.raw());
        let content = match block.line {
            FenceLine::Code => raw.len(),
            // What may be the closing line is not content yet.
            _ => raw.len().min(block.line_start.saturating_sub(at) as usize),
        };
        let found = block_text(&raw[..content], quoted, block.cut, most);
        let end = found.as_ref().map_or(0, |(range, _)| range.end);
        let ends_far_back = raw.len() - end > most;
        let keep = if ends_far_back { raw.len() } else { end };
        let keep = next_boundary(raw, keep.saturating_sub(most));
        block.cut |= !trimmed_block(&raw[..keep], quoted).is_empty();
        // Lines have no meaning in a block.
        let state = *window.line();
        let base = at + keep as u64;
        match found {
            Some((range, cut)) if ends_far_back => {
                let (start, end) = (range.start, range.end);
                window.save_raw_and_restart(range, base, state);
                self.set_target(LookbackResult::Found { start, end, cut }, at, true);
            }
            // There is later text than what was saved.
            Some(_) => {
                self.drop_target();
                self.engine.window.restart_within(base, state);
            }
            None => window.restart_within(base, state),
        }
    }

    /// Returns the number of bytes of text after a pending assertion that can be retained together
    /// with it.
    ///
    /// Earlier text is dropped when the assertion is complete, wherever the chunks ended.
    pub(super) fn room(&self) -> usize {
        let text = self.engine.target.map_or(0, |target| target.span.len()) as usize;
        let used = text + self.engine.pending.map_or(0, |pending| pending.values);
        shared(self.input.limits).saturating_sub(used).max(64)
    }

    pub(super) fn drop_target(&mut self) {
        self.engine.target = None;
        self.engine.after_break = false;
        self.engine.window.forget();
    }

    /// Returns the number of bytes of an open candidate annotation, which is at the end of the text
    /// read.
    fn open_candidate(&self) -> usize {
        match self.engine.context {
            Context::Candidate { .. } => self.engine.candidate.read(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::chars::trimmed_len;
    use crate::engine::lookback::{LookbackResult, look_back};
    use crate::engine::markdown::line::Line;

    /// What [`slide`](super::Scan::slide) takes for granted.
    #[test]
    fn text_that_ends_with_a_letter_or_a_digit_ends_there_in_every_line() {
        let alphabet = b"a1 \n>-|.#\\";
        for before in ["", "a", "- ", "> ", "> a\n", "# ", "| ", "a\n", "\\", "1. "] {
            let mut start_line = Line::new_block(false);
            start_line.advance(before.as_bytes());
            for number in 0..100_000_usize {
                let mut text = [0; 5];
                let mut rest = number;
                for byte in &mut text {
                    *byte = alphabet[rest % alphabet.len()];
                    rest /= alphabet.len();
                }
                let end = trimmed_len(&text);
                if !text[..end].last().is_some_and(u8::is_ascii_alphanumeric) {
                    continue;
                }
                let found = look_back(&text, Some(&start_line), 64).map(|(before, _)| before);
                assert!(
                    matches!(found, Some(LookbackResult::Found { end: at, .. }) if at == end),
                    "{before:?} {:?} {found:?}",
                    String::from_utf8_lossy(&text)
                );
            }
        }
    }
}
