//! Reports the markers whose sentences are complete.

use super::assertion::{CertainExtent, MarkedAssertion, may_go_on};
use super::{Calm, MarkerTracker, With};
use crate::engine::Sink;
use crate::engine::bytes::{MID_SENTENCE, all};
use crate::engine::chars::{next_boundary, whole_characters};
use crate::engine::lookback::{AssertionStart, Reach, passages, reach};
use crate::engine::markdown::line::prefix;
use crate::engine::sentence::surely_not_near;
use crate::steps;

/// Beginning of the earliest sentence that may still get a marker, as clean offsets.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine::marker) struct OpenSentence {
    pub(in crate::engine::marker) start: u64,
    /// The sentence begins there because `max_assertion` cuts off what comes before.
    pub(in crate::engine::marker) cut: bool,
    /// Clean offset up to which `max_assertion` cuts nothing off.
    pub(in crate::engine::marker) uncut_until: u64,
}

impl MarkerTracker {
    /// Reports what is certain.
    pub(in crate::engine::marker) fn settle(&mut self, with: With<'_>, sink: &mut Sink<'_>) {
        if self.waiting.is_empty() || !self.is_new || self.suspended {
            return;
        }
        self.is_new = false;
        let is_marked = core::mem::take(&mut self.is_marked);
        let len = self.known_len();
        let (found, is_same) = self.reached(len);
        if is_same && !is_marked {
            return;
        }
        let until = match found {
            Reach::Blank => return,
            Reach::Nothing => usize::MAX,
            Reach::From(from) => from.start,
        };
        if until <= self.before_first() {
            return;
        }
        let text = &self.text[..len];
        let upto = text.len() - self.open_prefix(text);
        let extent = CertainExtent {
            upto,
            until,
            len: text.len(),
            ends: false,
        };
        self.report(extent, with, sink);
    }

    /// Reach of a marker that comes after the first `len` bytes of the text, and whether it is as it was before them.
    fn reached(&mut self, len: usize) -> (Reach, bool) {
        if let Some(calm) = &mut self.calm
            && calm.upto <= len
            && all(&self.text[calm.upto..len], MID_SENTENCE)
        {
            steps::count(len - calm.upto);
            calm.upto = len;
            return (calm.found, true);
        }
        // Nothing is cut off but what was dropped.
        let found = reach(&self.text[..len], 0, &self.anchor, usize::MAX >> 1);
        let is_steady = matches!(found, Reach::From(AssertionStart { is_steady, .. }) if is_steady);
        self.calm = is_steady.then_some(Calm { found, upto: len });
        (found, false)
    }

    /// Index of the last character before the first marker that waits that is neither white space nor the end of a cell. A
    /// sentence that begins there or later cannot have been reported.
    fn before_first(&self) -> usize {
        let Some(first) = self.waiting.first() else {
            return 0;
        };
        let before = &self.text[..(first.clean - self.base) as usize];
        let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'|');
        before.iter().rposition(is_text).unwrap_or(0)
    }

    /// Finds where the earliest sentence begins that may still get a marker, or whose markers wait.
    pub(in crate::engine::marker) fn open_sentence(&mut self) -> OpenSentence {
        if self.paused {
            return OpenSentence {
                start: self.end,
                cut: false,
                uncut_until: self.end + self.max as u64,
            };
        }
        let len = self.known_len();
        let (found, _) = self.reached(len);
        let (from, is_block) = match found {
            Reach::Blank | Reach::Nothing => (None, true),
            Reach::From(from) => (Some(from.start), from.block == Some(from.start)),
        };
        let near = match from {
            None => self.base + len as u64,
            Some(from) if is_block => self.base + from as u64,
            Some(from) => match surely_not_near(&self.text, from) {
                // How much of the text is kept depends on the chunks.
                0 if self.cut => 0,
                near => self.base + near as u64,
            },
        };
        let lost = self.text.len().saturating_sub(self.max);
        let cut = self.waiting.is_empty() && self.base + lost as u64 > near;
        let start = match from {
            _ if cut => self.base + next_boundary(&self.text, lost) as u64,
            Some(from) => self.base + from as u64,
            None => self.end,
        };
        OpenSentence {
            start: start.min(self.first_sentence(start)),
            cut,
            uncut_until: near + self.max as u64,
        }
    }

    /// Returns the earliest clean offset at which the first waiting marker's sentence can begin. The result is remembered only
    /// if it is at or before `until`.
    fn first_sentence(&mut self, until: u64) -> u64 {
        let Some(first) = self.waiting.first() else {
            return u64::MAX;
        };
        if let Some(start) = self.first_start {
            return start;
        }
        let (clean, at) = (first.clean, (first.clean - self.base) as usize);
        let len = self.text.len();
        let (mut start, mut is_open) = self.sentence_of(at, len);
        // If the last line turns out to begin a block, its first bytes are no text.
        let upto = len - self.open_prefix(&self.text);
        if at >= upto {
            start = start.min(self.sentence_of(upto, upto).0);
            is_open = true;
        }
        let start = start.min(clean);
        if start <= until && !is_open {
            self.first_start = Some(start);
        }
        start
    }

    /// For a marker at index `at` in a text that ends after `len` bytes: returns the clean offset of its sentence's
    /// start (`u64::MAX` without a sentence), and `true` if more text may change that.
    fn sentence_of(&mut self, at: usize, len: usize) -> (u64, bool) {
        let mut blocks = core::mem::take(&mut self.scratch);
        blocks.clear();
        passages(&self.text[..len], &self.anchor, self.is_rest, &mut blocks);
        steps::count(len);
        let is_open = self.may_begin(&blocks, at, len);
        let start = self.owner(&blocks, at).map(|owner| {
            let block = Self::block_of(&blocks, owner);
            let own = self.sentence_in(block, owner).0;
            self.base + own.map_or(block.start, |range| block.start + range.start) as u64
        });
        self.scratch = blocks;
        (start.unwrap_or(u64::MAX), is_open)
    }

    /// Reports everything: the text ends here.
    pub(in crate::engine::marker) fn settle_all(&mut self, with: With<'_>, sink: &mut Sink<'_>) {
        self.flush_white();
        if !self.waiting.is_empty() {
            self.report(self.whole(), with, sink);
        }
    }

    pub(super) const fn whole(&self) -> CertainExtent {
        CertainExtent {
            upto: self.text.len(),
            until: usize::MAX,
            len: self.text.len(),
            ends: true,
        }
    }

    /// Length of the text without an incomplete character and the white space before it, as if they had not come yet.
    fn known_len(&self) -> usize {
        let whole = whole_characters(&self.text);
        if whole.len() == self.text.len() {
            return whole.len();
        }
        let is_white = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let len = whole
            .iter()
            .rposition(|byte| !is_white(byte))
            .map_or(0, |last| last + 1);
        let last = self
            .waiting
            .last()
            .map_or(0, |last| (last.clean - self.base) as usize);
        len.max(last)
    }

    /// Length of the last line, if it may still turn out to begin a block.
    fn open_prefix(&self, text: &[u8]) -> usize {
        let start = memchr::memrchr(b'\n', text).map_or(0, |feed| feed + 1);
        if start == 0 && self.anchor.content {
            return 0;
        }
        match prefix(&text[start..]).done {
            true => 0,
            false => text.len() - start,
        }
    }

    /// Reports the citations of sentences that begin before `until`.
    pub(super) fn report(&mut self, extent: CertainExtent, with: With<'_>, sink: &mut Sink<'_>) {
        let CertainExtent {
            upto, len, ends, ..
        } = extent;
        let mut blocks = core::mem::take(&mut self.scratch);
        blocks.clear();
        passages(&self.text[..upto], &self.anchor, self.is_rest, &mut blocks);
        steps::count(upto);
        // The last line may turn out to begin a block, to which what is in it belongs.
        let is_open = |at: usize| !ends && upto < len && at >= upto;
        let mut done = 0;
        while let Some(first) = self.waiting.get(done) {
            let at = (first.clean - self.base) as usize;
            let found = match is_open(at) {
                true => MarkedAssertion::Later,
                false => self.find(&blocks, at, &extent),
            };
            let mut next = done + 1;
            match found {
                MarkedAssertion::Later => break,
                MarkedAssertion::Nothing | MarkedAssertion::Orphan => {}
                MarkedAssertion::Sentence { until, .. } => {
                    while let Some(more) = self.waiting.get(next)
                        && let at = (more.clean - self.base) as usize
                        && !is_open(at)
                        && self.owner(&blocks, at).is_some_and(|owner| owner < until)
                    {
                        next += 1;
                    }
                }
            }
            if let MarkedAssertion::Sentence { end, .. } = found
                && !ends
            {
                // If only white space, `|` and `>` follow the sentence, a later marker, or a waiting
                // one, may still belong to it: report it later.
                let later = self
                    .waiting
                    .get(next)
                    .map(|more| (more.clean - self.base) as usize);
                let open = later.filter(|&at| is_open(at)).unwrap_or(len);
                if may_go_on(&self.text[end..open.max(end)]) {
                    break;
                }
            }
            self.emit(&found, done..next, with, sink);
            if let MarkedAssertion::Sentence { gap: Some(gap), .. } = found {
                self.gap = Some(gap);
            }
            done = next;
        }
        self.scratch = blocks;
        let ids: usize = self.waiting[..done].iter().map(|one| one.ids).sum();
        self.waiting.drain(..done);
        if done > 0 {
            self.first_start = None;
        }
        self.ids.drop_first(ids);
    }
}
