//! Ends of content blocks in the text that is joined from the blocks of a message.

use std::collections::VecDeque;

use provstream::Span;

use super::steps::{count, each};
use super::template::EventTemplate;

/// Ends of the blocks of a message in its text, until the text before each is decided.
///
/// Text that is held back at the end of a block belongs to that block, although it is written after more was read.
/// Offsets count bytes of the source text, with annotations, unless the comment says "clean" (without them).
#[derive(Clone, Debug, Default)]
pub(super) struct Seams {
    /// A gate processes the text.
    is_gated: bool,
    /// Number of bytes read so far.
    read: u64,
    /// Number of clean bytes that were written or withheld.
    decided: u64,
    cuts: Cuts,
    /// Bytes of replacements that will be written next.
    replacing: u64,
    /// Block ends that are not decided, in order.
    waiting: VecDeque<Seam>,
    /// Number of entries of `waiting` (the first ones) with a position in the current output.
    split: usize,
    /// Number of entries of `waiting` (the last ones) that are in the current event.
    in_event: usize,
    /// Last string of the text: the number of its event, and its range in that event's data.
    last: Option<(u64, InEvent)>,
}

/// Positions of removed annotations and records in a text.
#[derive(Clone, Debug, Default)]
struct Cuts {
    /// Total length of those before all waiting block ends.
    before: u64,
    /// The others in order, each with its span and the total length of all up to it.
    later: VecDeque<Cut>,
}

#[derive(Clone, Copy, Debug)]
struct Cut {
    start: u64,
    end: u64,
    sum: u64,
}

impl Cuts {
    /// Returns the total length of all.
    fn sum(&self) -> u64 {
        self.later.back().map_or(self.before, |cut| cut.sum)
    }

    /// Adds one; `is_before` if it comes before all waiting block ends.
    fn push(&mut self, span: Span, is_before: bool) {
        if is_before {
            self.before += span.len();
        } else {
            self.later.push_back(Cut {
                start: span.start(),
                end: span.end(),
                sum: self.sum() + span.len(),
            });
        }
    }

    /// Returns the total length before `at`, the offset of a waiting block end.
    fn at(&self, at: u64) -> u64 {
        let after = self.later.partition_point(|cut| cut.start < at);
        let last = after.checked_sub(1).and_then(|last| self.later.get(last));
        last.map_or(self.before, |cut| cut.sum - cut.end.saturating_sub(at))
    }

    /// Forgets positions, because no block end is waiting.
    fn forget(&mut self) {
        self.before = self.sum();
        self.later.clear();
    }
}

/// Range of a string in an event's data.
pub(super) type InEvent = core::ops::Range<usize>;

/// The end of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Seam {
    at: u64,
    /// Position in the current output, once known.
    split: Option<usize>,
    /// Range of the block's string in the current event. `None`: the event is held back, at the entry where its
    /// channel waits.
    pub(super) string: Option<InEvent>,
    /// Template for events that are added with more of the block's text.
    pub(super) template: EventTemplate,
    /// The number of the block.
    pub(super) block: Option<u32>,
    /// Output for the block that was not taken yet.
    pub(super) text: Vec<u8>,
    /// No more output for the block follows.
    pub(super) is_passed: bool,
}

impl Seam {
    /// Returns the end of a block whose string is in the current event.
    pub(super) fn in_event(string: InEvent) -> Self {
        Self {
            string: Some(string),
            ..Self::default()
        }
    }

    /// Returns the end of a block in a held event; more of its text is written with `template`.
    pub(super) fn deferred(template: EventTemplate, block: Option<u32>) -> Self {
        Self {
            template,
            block,
            ..Self::default()
        }
    }
}

impl Seams {
    /// Creates the block ends of a new text.
    pub(super) fn new(is_gated: bool) -> Self {
        Self {
            is_gated,
            ..Self::default()
        }
    }

    pub(super) const fn is_gated(&self) -> bool {
        self.is_gated
    }

    /// Advances the read offset by `len` bytes.
    pub(super) const fn read(&mut self, len: usize) {
        self.read += len as u64;
    }

    /// Adds `len` bytes to the block that ended last, if nothing was read after it.
    pub(super) fn read_in_last(&mut self, len: usize) {
        if let Some(last) = self.waiting.back_mut()
            && last.at == self.read
        {
            last.at += len as u64;
        }
    }

    /// Returns `true` if the text before a block end is not decided.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Returns the block number of the first waiting end.
    pub(super) fn first_block(&self) -> Option<u32> {
        self.waiting.front()?.block
    }

    /// Returns the number of waiting ends in held events.
    pub(super) fn deferred(&self) -> usize {
        self.waiting.len() - self.in_event
    }

    /// Returns `true` if text was read after the last waiting end.
    pub(super) fn is_after_last(&self) -> bool {
        self.waiting.back().is_none_or(|last| last.at < self.read)
    }

    /// Adds a block end at the current offset, unless there is one.
    pub(super) fn wait(&mut self, seam: Seam) {
        if self.is_after_last() {
            self.in_event += usize::from(seam.string.is_some());
            self.waiting.push_back(Seam {
                at: self.read,
                ..seam
            });
        }
    }

    /// Records the next string, and returns the one before it if that is in the same event.
    pub(super) fn string(&mut self, event: u64, string: InEvent) -> Option<InEvent> {
        let last = self.last.replace((event, string));
        last.and_then(|(of, last)| (of == event).then_some(last))
    }

    /// Ends the current event. Text can no longer be added to its strings.
    pub(super) fn end_event(&mut self) {
        let deferred = self.deferred();
        count(self.in_event);
        self.waiting.truncate(deferred);
        self.in_event = 0;
        self.settle();
    }

    /// Takes the first waiting end with the output for its block so far. The end keeps waiting if more output may
    /// follow.
    pub(super) fn take_written(&mut self) -> Option<Seam> {
        let first = self.waiting.front_mut()?;
        if first.is_passed {
            let first = self.waiting.pop_front();
            let is_in_event = first.as_ref().is_some_and(|first| first.string.is_some());
            self.in_event -= usize::from(is_in_event);
            self.settle();
            return first;
        }
        let text = core::mem::take(&mut first.text);
        (!text.is_empty()).then(|| Seam {
            text,
            string: first.string.clone(),
            block: first.block,
            template: first.template.clone(),
            ..Seam::default()
        })
    }

    fn settle(&mut self) {
        if self.waiting.is_empty() {
            self.cuts.forget();
        }
    }

    /// Records that an annotation or a record is removed or replaced: its span, with white space before it that is
    /// not kept, and the length of the replacement. Calls must be in order.
    pub(super) fn cut(&mut self, span: Span, replacement: u64) {
        self.cuts.push(span, !self.is_waiting());
        self.replacing += replacement;
    }

    /// Records that `len` bytes of text or of an announced replacement are written next, after `out` bytes of the
    /// current output.
    #[inline]
    pub(super) fn wrote(&mut self, len: usize, out: usize) {
        let replaced = self.replacing.min(len as u64);
        self.replacing -= replaced;
        let upto = self.decided + len as u64 - replaced;
        if self.is_waiting() {
            self.decide(upto, Some(out));
        } else {
            self.decided = upto;
        }
    }

    /// Records that text up to the clean offset `upto` is written next, after `out` bytes of the current output, or
    /// is withheld (`None`).
    pub(super) fn decide(&mut self, upto: u64, out: Option<usize>) {
        if let Some(out) = out {
            self.reach(out);
            while let Some(clean) = self.next_clean()
                && clean < upto
            {
                self.split_next(out + (clean - self.decided) as usize);
            }
        }
        self.decided = upto;
    }

    /// Places the block ends up to the decided offset at position `out` of the current output; text written next
    /// comes after them.
    pub(super) fn reach(&mut self, out: usize) {
        while let Some(clean) = self.next_clean()
            && clean <= self.decided
        {
            self.split_next(out);
        }
    }

    /// Returns the clean offset, as far as known, of the first block end without a position in the current output.
    fn next_clean(&self) -> Option<u64> {
        count(1);
        let next = self.waiting.get(self.split)?;
        Some(next.at - self.cuts.at(next.at))
    }

    fn split_next(&mut self, at: usize) {
        if let Some(next) = self.waiting.get_mut(self.split) {
            next.split = Some(at);
            self.split += 1;
        }
    }

    /// Moves output that belongs to ended blocks from `out` to these. `is_last`: the text ends with this output;
    /// `is_over`: nothing is held back after it.
    pub(super) fn part(&mut self, out: &mut Vec<u8>, is_last: bool, is_over: bool) {
        self.reach(out.len());
        self.split = 0;
        let mut from = 0;
        count(out.len());
        for seam in each(self.waiting.iter_mut()) {
            let split = seam.split.take();
            // What a policy writes at the end of the text belongs to the block that it ends with.
            let is_end = is_last && seam.at == self.read;
            let end = split.filter(|_| !is_end).unwrap_or(out.len()).max(from);
            seam.text.extend_from_slice(&out[from..end]);
            seam.is_passed = split.is_some() || is_over;
            from = end;
            if !seam.is_passed {
                // The next ones come after what is not written yet.
                break;
            }
        }
        out.drain(..from);
    }
}
