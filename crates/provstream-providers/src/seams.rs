//! Where one block of a message ends in the text that its blocks are.

use std::collections::VecDeque;

use provstream::Span;

use super::steps::{count, each};
use super::template::Template;

/// Where the blocks of a message end in their text, as long as it is not decided what becomes of the text before.
///
/// Text that is held back at the end of a block belongs to that block, although it is written after more was read. Offsets
/// are bytes of the text before, with its annotations, or without them where that is said.
#[derive(Clone, Debug, Default)]
pub(super) struct Seams {
    /// A gate writes the text, which removes annotations whatever else is asked for.
    is_gated: bool,
    /// Where the text ends that was read so far.
    read: u64,
    /// Bytes without annotations that were written or withheld.
    decided: u64,
    cuts: Cuts,
    /// Bytes of a replacement that come next.
    replacing: u64,
    /// In order. Those that belong to what is being written come first.
    waiting: VecDeque<Seam>,
    /// How many of them belong to what is being written.
    split: usize,
    /// How many of them are in the event that is being read; these come last.
    in_event: usize,
    /// The last string of the text: the number of its event, and where it is in that event's data.
    last: Option<(u64, InEvent)>,
}

/// Bytes of annotations and records in a text.
#[derive(Clone, Debug, Default)]
struct Cuts {
    /// Those before all seams that wait.
    before: u64,
    /// The others, in order: where each begins and ends, and all bytes of those up to its end.
    later: VecDeque<Cut>,
}

#[derive(Clone, Copy, Debug)]
struct Cut {
    start: u64,
    end: u64,
    sum: u64,
}

impl Cuts {
    /// Bytes of all that are known.
    fn sum(&self) -> u64 {
        self.later.back().map_or(self.before, |cut| cut.sum)
    }

    /// Adds one, which is before all seams or not.
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

    /// Bytes of those before an offset, which is that of a seam that waits.
    fn at(&self, at: u64) -> u64 {
        let after = self.later.partition_point(|cut| cut.start < at);
        let last = after.checked_sub(1).and_then(|last| self.later.get(last));
        last.map_or(self.before, |cut| cut.sum - cut.end.saturating_sub(at))
    }

    /// No seam waits any more.
    fn forget(&mut self) {
        self.before = self.sum();
        self.later.clear();
    }
}

/// Where a string is in an event's data.
pub(super) type InEvent = core::ops::Range<usize>;

/// The end of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Seam {
    at: u64,
    /// Where it is in what is being written, once that is known.
    split: Option<usize>,
    /// The block's string in the event that is being read. Without one, the block ends where its channel waits among the events
    /// that are held back.
    pub(super) string: Option<InEvent>,
    /// What an event with more of the block's text looks like.
    pub(super) template: Template,
    /// The number of the block.
    pub(super) block: Option<u32>,
    /// The next text of the block.
    pub(super) text: Vec<u8>,
    /// No more of it comes.
    pub(super) is_passed: bool,
}

impl Seam {
    /// The end of a string in the event that is being read.
    pub(super) fn in_event(string: InEvent) -> Self {
        Self {
            string: Some(string),
            ..Self::default()
        }
    }

    /// The end of a block of which more text is written as in this event.
    pub(super) fn deferred(template: Template, block: Option<u32>) -> Self {
        Self {
            template,
            block,
            ..Self::default()
        }
    }
}

impl Seams {
    /// Those of a text that begins, and is gated or not.
    pub(super) fn new(is_gated: bool) -> Self {
        Self {
            is_gated,
            ..Self::default()
        }
    }

    pub(super) const fn is_gated(&self) -> bool {
        self.is_gated
    }

    /// More of the text is read.
    pub(super) const fn read(&mut self, len: usize) {
        self.read += len as u64;
    }

    /// More of the text is read that belongs to the block that has ended, if nothing was read after it.
    pub(super) fn read_in_last(&mut self, len: usize) {
        if let Some(last) = self.waiting.back_mut()
            && last.at == self.read
        {
            last.at += len as u64;
        }
    }

    /// Whether the text before one of them is not decided about.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The block that ends at the first of them.
    pub(super) fn first_block(&self) -> Option<u32> {
        self.waiting.front()?.block
    }

    /// How many of them are among the events that are held back.
    pub(super) fn deferred(&self) -> usize {
        self.waiting.len() - self.in_event
    }

    /// Whether text was read since the last one.
    pub(super) fn is_after_last(&self) -> bool {
        self.waiting.back().is_none_or(|last| last.at < self.read)
    }

    /// A block ends here, unless one has already.
    pub(super) fn wait(&mut self, seam: Seam) {
        if self.is_after_last() {
            self.in_event += usize::from(seam.string.is_some());
            self.waiting.push_back(Seam {
                at: self.read,
                ..seam
            });
        }
    }

    /// Notes the string that comes next, and gives the one before it if that is in the same event.
    pub(super) fn string(&mut self, event: u64, string: InEvent) -> Option<InEvent> {
        let last = self.last.replace((event, string));
        last.and_then(|(of, last)| (of == event).then_some(last))
    }

    /// The event is read: the strings in it cannot be added to any more.
    pub(super) fn end_event(&mut self) {
        let deferred = self.deferred();
        count(self.in_event);
        self.waiting.truncate(deferred);
        self.in_event = 0;
        self.settle();
    }

    /// Takes the first of them with text of its block that was written, which may not be all; it waits on if more may come.
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

    /// An annotation or a record is removed or replaced: its span with white space before it that is not kept, and the length
    /// of what is written for it. They come in order.
    pub(super) fn cut(&mut self, span: Span, replacement: u64) {
        self.cuts.push(span, !self.is_waiting());
        self.replacing += replacement;
    }

    /// Text is written next, or a replacement that was announced; `out` bytes were written before it in this piece.
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

    /// Text up to a place without annotations is written next, with this many bytes before it in this piece, or withheld.
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

    /// What was decided about so far takes this many bytes in this piece. What is written next comes after the seams there.
    pub(super) fn reach(&mut self, out: usize) {
        while let Some(clean) = self.next_clean()
            && clean <= self.decided
        {
            self.split_next(out);
        }
    }

    /// The place in the text without annotations, as far as they are known, of the first of them that does not belong to what
    /// is being written.
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

    /// Takes what belongs to blocks that have ended out of a piece that was written; the text ends with it or not, or nothing
    /// is written after it.
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
