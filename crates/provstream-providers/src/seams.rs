//! Where one block of a message ends in the text that its blocks are.

use provstream::Span;

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
    /// Bytes of annotations and records.
    cut: u64,
    /// Bytes of a replacement that come next.
    replacing: u64,
    /// In order.
    waiting: Vec<Seam>,
    /// The last string of the text: the number of its event, and where it is in that event's data.
    last: Option<(u64, InEvent)>,
}

/// Where a string is in an event's data.
pub(super) type InEvent = core::ops::Range<usize>;

/// The end of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Seam {
    /// Where it is, and how many bytes before it are of annotations.
    at: u64,
    cut: u64,
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

    /// Its place in the text without annotations, as far as they are known.
    const fn clean(&self) -> u64 {
        self.at - self.cut
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
        if let Some(last) = self.waiting.last_mut()
            && last.at == self.read
        {
            last.at += len as u64;
        }
    }

    /// Whether the text before one of them is not decided about.
    pub(super) const fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The block that ends at the first of them.
    pub(super) fn first_block(&self) -> Option<u32> {
        self.waiting.first()?.block
    }

    /// How many of them are among the events that are held back.
    pub(super) fn deferred(&self) -> usize {
        let deferred = self.waiting.iter().filter(|seam| seam.string.is_none());
        deferred.count()
    }

    /// Whether text was read since the last one.
    pub(super) fn is_after_last(&self) -> bool {
        self.waiting.last().is_none_or(|last| last.at < self.read)
    }

    /// A block ends here, unless one has already.
    pub(super) fn wait(&mut self, seam: Seam) {
        if self.is_after_last() {
            self.waiting.push(Seam {
                at: self.read,
                cut: self.cut,
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
        self.waiting.retain(|seam| seam.string.is_none());
    }

    /// Those that wait, to be given back.
    pub(super) fn take(&mut self) -> Vec<Seam> {
        core::mem::take(&mut self.waiting)
    }

    /// Gives back those that still wait.
    pub(super) fn give_back(&mut self, waiting: Vec<Seam>) {
        self.waiting = waiting;
    }

    /// An annotation or a record is removed or replaced: its span with white space before it that is not kept, and the length
    /// of what is written for it.
    pub(super) fn cut(&mut self, span: Span, replacement: u64) {
        self.cut += span.len();
        self.replacing += replacement;
        for seam in &mut self.waiting {
            seam.cut += span.end().min(seam.at).saturating_sub(span.start());
        }
    }

    /// Text is written next, or a replacement that was announced; `out` bytes were written before it in this piece.
    pub(super) fn wrote(&mut self, len: usize, out: usize) {
        let replaced = self.replacing.min(len as u64);
        self.replacing -= replaced;
        self.decide(self.decided + len as u64 - replaced, Some(out));
    }

    /// Text up to a place without annotations is written next, with this many bytes before it in this piece, or withheld.
    pub(super) fn decide(&mut self, upto: u64, out: Option<usize>) {
        if let Some(out) = out {
            self.reach(out);
            for seam in self.waiting.iter_mut().filter(|seam| seam.split.is_none()) {
                if let Some(before) = seam.clean().checked_sub(self.decided)
                    && seam.clean() < upto
                {
                    seam.split = Some(out + before as usize);
                }
            }
        }
        self.decided = upto;
    }

    /// What was decided about so far takes this many bytes in this piece. What is written next comes after the seams there.
    pub(super) fn reach(&mut self, out: usize) {
        for seam in &mut self.waiting {
            if seam.split.is_none() && seam.clean() <= self.decided {
                seam.split = Some(out);
            }
        }
    }

    /// Takes what belongs to blocks that have ended out of a piece that was written; the text ends with it or not, or nothing
    /// is written after it.
    pub(super) fn part(&mut self, out: &mut Vec<u8>, is_last: bool, is_over: bool) {
        self.reach(out.len());
        let mut from = 0;
        for seam in &mut self.waiting {
            let split = seam.split.take();
            // What a policy writes at the end of the text belongs to the block that it ends with.
            let is_end = is_last && seam.at == self.read;
            let end = split.filter(|_| !is_end).unwrap_or(out.len()).max(from);
            seam.text.extend_from_slice(&out[from..end]);
            seam.is_passed = split.is_some() || is_over;
            from = end;
        }
        out.drain(..from);
    }
}
