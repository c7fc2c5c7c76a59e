//! Events that are held back until it is certain what comes before them.

use core::ops::Range;

use smallvec::SmallVec;

use super::escape::push_content;
use super::found::Found;
use super::steps::{count, each};
use super::text_id::TextId;

/// Maximum number of bytes of held events.
pub(super) const MAX_DEFERRED: usize = 1 << 16;

/// Rewritten events that end a channel whose text is held. If more of the text follows, they are written unchanged;
/// otherwise the held text is written before them.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldOutput {
    pub(super) bytes: Vec<u8>,
    points: SmallVec<[(TextId, Point); 1]>,
    /// Numbers in the events that depend on later decisions.
    marks: Vec<NumberFixup>,
    /// Bytes to insert into the events when they are taken.
    added: Vec<DeferredInsertion>,
    /// Total length of `added` in bytes.
    added_len: u32,
    /// Choices that the events are about, a bit each; those from index 31 on have one bit.
    choices: u32,
}

/// Returns the choices that an event is about, a bit each as in [`HeldOutput`]: those of its facts, and those that it has the
/// numbers of. An event that may be about any choice has all bits, and a ping has none.
#[cold]
pub(super) fn choices_of(found: &[Found], numbers: impl Iterator<Item = u32>) -> u32 {
    let mut choices = 0;
    for number in each(numbers) {
        choices |= choice_bit(number);
    }
    for one in each(found.iter()) {
        choices |= one.choice().map_or(u32::MAX, choice_bit);
    }
    choices
}

/// Returns the bit of a choice, as in [`HeldOutput`].
#[inline]
pub(super) fn choice_bit(index: u32) -> u32 {
    1 << index.min(u32::BITS - 1)
}

/// Bytes that are inserted at a position, after earlier insertions there.
#[derive(Clone, Debug)]
struct DeferredInsertion {
    at: usize,
    bytes: Vec<u8>,
    /// Texts of a copy whose end this is; it is dropped if one of them continues.
    of: SmallVec<[TextId; 1]>,
    /// Block number of an inserted event, and the range of its digits in `bytes`.
    block: Option<(u32, Range<usize>)>,
}

/// A number in the held events.
#[derive(Clone, Debug)]
struct NumberFixup {
    /// Range of the event, if it is removed with the block that the number names; otherwise of the digits.
    event: Range<usize>,
    /// Range of the digits.
    digits: Range<usize>,
    of: DeferredNumber,
}

/// Kind of a number in the held events. No format has both blocks and sequence numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeferredNumber {
    /// Block number, in an event of that block.
    Block(u32),
    /// Block number, in an event that is not removed with the block.
    Beside(u32),
    /// Sequence number of an event.
    Sequence(u64),
    /// Offset into source text that a gate has not decided.
    Offset(TextId, u64),
    /// Offset as above, but counted from the start of the prompt.
    PromptOffset(TextId, u64),
}

/// Position in the held events for the rest of a channel's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// In the string whose content ends here.
    InString(usize),
    /// Before the event that begins here.
    Before(usize),
}

impl HeldOutput {
    pub(super) const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.points.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.points.clear();
        self.marks.clear();
        self.added.clear();
        self.added_len = 0;
        self.choices = 0;
    }

    /// Notes the choices that an event is about, which was held back.
    pub(super) fn hold_choices(&mut self, choices: u32) {
        self.choices |= choices;
    }

    /// Returns the choices of the events that are held back, a bit each.
    pub(super) const fn choices(&self) -> u32 {
        self.choices
    }

    /// Returns `true` if there are choices, and no event that is held back is about one of them.
    pub(super) const fn is_of_others(&self, choices: u32) -> bool {
        choices != 0 && self.choices & choices == 0
    }

    /// Returns the number of held bytes.
    pub(super) const fn len(&self) -> usize {
        self.bytes.len() + self.added_len as usize
    }

    /// Returns the numbers in the held events.
    pub(super) fn numbers(&self) -> impl Iterator<Item = DeferredNumber> {
        self.marks.iter().map(|mark| mark.of)
    }

    /// Adds a position at which a channel waits for more text, unless it waits at `most` positions already.
    pub(super) fn wait(&mut self, channel: TextId, point: Point, most: usize) {
        let waiting = each(self.points.iter()).filter(|(waiting, _)| *waiting == channel);
        if waiting.count() < most {
            self.points.push((channel, point));
        }
    }

    /// Returns the first position at which a channel waits.
    pub(super) fn point(&self, channel: TextId) -> Option<Point> {
        let mut points = each(self.points.iter());
        let (_, point) = points.find(|(waiting, _)| *waiting == channel)?;
        Some(*point)
    }

    /// Removes the first position at which a channel waits, because more text followed or the held text was written.
    pub(super) fn settle(&mut self, channel: TextId) -> Option<Point> {
        let place = each(self.points.iter()).position(|(waiting, _)| *waiting == channel)?;
        Some(self.points.remove(place).1)
    }

    /// Returns `true` if a channel waits for more text.
    pub(super) fn waits_for(&self, channel: TextId) -> bool {
        self.point(channel).is_some()
    }

    /// Returns a channel that waits for more text.
    pub(super) fn waiting(&self) -> Option<TextId> {
        self.points.first().map(|(channel, _)| *channel)
    }

    /// Inserts bytes at a position. For an event of a block, `block` has its number and the range of the digits.
    pub(super) fn insert(&mut self, at: usize, bytes: &[u8], block: Option<(u32, Range<usize>)>) {
        count(bytes.len());
        self.added_len = self.added_len.saturating_add(bytes.len() as u32);
        self.added.push(DeferredInsertion {
            at,
            bytes: bytes.to_vec(),
            of: SmallVec::new(),
            block,
        });
    }

    /// Inserts `text` as the end of a copy of some texts; it is dropped if one of them continues.
    pub(super) fn insert_end(&mut self, at: usize, text: &[u8], of: &[TextId]) {
        let mut content = Vec::new();
        push_content(&mut content, text);
        self.insert(at, &content, None);
        if let Some(added) = self.added.last_mut() {
            added.of = of.into();
        }
    }

    /// Drops the inserted ends of copies of some texts.
    pub(super) fn drop_ends(&mut self, of: impl Fn(TextId) -> bool) {
        let added_len = &mut self.added_len;
        self.added.retain(|added| {
            let is_end = added.of.iter().any(|text| of(*text));
            let dropped = if is_end { added.bytes.len() } else { 0 };
            *added_len = added_len.saturating_sub(dropped as u32);
            !is_end
        });
    }

    /// Records that more text of a channel follows.
    pub(super) fn go_on(&mut self, channel: TextId) {
        self.drop_ends(|of| of == channel);
        self.settle(channel);
    }

    /// Returns the sequence number for an event inserted at a position, and increases those after it.
    pub(super) fn number_at(&mut self, at: usize) -> Option<u64> {
        let mut first = None;
        for mark in &mut self.marks {
            if let DeferredNumber::Sequence(number) = &mut mark.of
                && mark.digits.start >= at
            {
                first = Some(first.unwrap_or(*number).min(*number));
                *number = number.saturating_add(1);
            }
        }
        first
    }

    /// Moves all positions back by the length of the bytes that were taken.
    fn shift(&mut self, by: usize) {
        for (_, Point::InString(at) | Point::Before(at)) in &mut self.points {
            *at -= by;
        }
        for mark in each(self.marks.iter_mut()) {
            mark.event = mark.event.start - by..mark.event.end - by;
            mark.digits = mark.digits.start - by..mark.digits.end - by;
        }
        for added in &mut self.added {
            added.at -= by;
        }
    }

    /// Records a number, and the event that is removed with the block that it names.
    pub(super) fn mark(&mut self, event: Range<usize>, digits: Range<usize>, of: DeferredNumber) {
        self.marks.push(NumberFixup { event, digits, of });
    }

    /// Returns the start of the first event that may get an insertion, or that is of `block` or a later block. An
    /// event inserted there may be of an earlier block.
    pub(super) fn start_of(&self, block: u32) -> usize {
        let points = each(self.points.iter()).map(|(_, point)| match point {
            // What is inserted at `at` does not change the event before it.
            Point::Before(at) => *at,
            Point::InString(_) => 0,
        });
        let events = each(self.marks.iter()).filter_map(|mark| match mark.of {
            DeferredNumber::Block(number) | DeferredNumber::Beside(number) => {
                (number >= block).then_some(mark.event.start)
            }
            // The start of their event is not recorded.
            DeferredNumber::Offset(..) | DeferredNumber::PromptOffset(..) => Some(0),
            DeferredNumber::Sequence(_) => None,
        });
        let added = each(self.added.iter()).filter_map(|added| {
            let (number, _) = added.block.as_ref()?;
            (*number >= block).then_some(added.at)
        });
        let first = points.chain(events).chain(added).min();
        first.unwrap_or(self.bytes.len())
    }

    /// Returns the block of the event that contains a position or begins there.
    pub(super) fn block_at(&self, point: Point) -> Option<u32> {
        let is_there = |mark: &&NumberFixup| match point {
            Point::InString(at) => mark.event.contains(&at),
            Point::Before(at) => mark.event.start == at,
        };
        match each(self.marks.iter()).find(is_there)?.of {
            DeferredNumber::Block(block) => Some(block),
            DeferredNumber::Beside(_)
            | DeferredNumber::Offset(..)
            | DeferredNumber::PromptOffset(..)
            | DeferredNumber::Sequence(_) => None,
        }
    }

    /// Takes the first bytes, which end before a block or are all, without the events of these blocks, with what is added to
    /// them, and with the numbers that have changed. No event is cut.
    pub(super) fn take(
        &mut self,
        upto: usize,
        before: u32,
        removed: &[u32],
        renumber: impl Fn(DeferredNumber) -> Option<u64>,
    ) -> Vec<u8> {
        count(self.bytes.len());
        let rest = self.bytes.split_off(upto);
        let bytes = core::mem::replace(&mut self.bytes, rest);
        let marks = each(core::mem::take(&mut self.marks).into_iter());
        let (mut marks, later): (Vec<NumberFixup>, _) =
            marks.partition(|mark| mark.event.start < upto);
        self.marks = later;
        let added = each(core::mem::take(&mut self.added).into_iter());
        let is_all = self.bytes.is_empty();
        let (mut added, later): (Vec<DeferredInsertion>, _) = added.partition(|added| {
            let block = added.block.as_ref();
            let is_before = added.at == upto && block.is_none_or(|(block, _)| *block < before);
            is_all || added.at < upto || is_before
        });
        self.added = later;
        let lens = self.added.iter().map(|added| added.bytes.len() as u32);
        self.added_len = lens.fold(0, u32::saturating_add);
        self.shift(upto);
        if marks.is_empty() && added.is_empty() {
            return bytes;
        }
        let is_removed = |mark: &NumberFixup| matches!(mark.of, DeferredNumber::Block(block) if removed.binary_search(&block).is_ok());
        // An event can have several numbers, in any order.
        marks.sort_by_cached_key(|mark| match is_removed(mark) {
            true => mark.event.start,
            false => mark.digits.start,
        });
        added.sort_by_key(|added| added.at);
        let mut out = Taken {
            out: Vec::with_capacity(bytes.len()),
            bytes: &bytes,
            at: 0,
            added: added.into_iter().peekable(),
            renumber,
        };
        for mark in &marks {
            if is_removed(mark) {
                out.copy(mark.event.start);
                out.at = mark.event.end;
            } else if mark.digits.start >= out.at {
                out.copy(mark.digits.start);
                out.number(&bytes[mark.digits.clone()], mark.of);
                out.at = mark.digits.end;
            }
        }
        out.copy(upto);
        out.out
    }
}

/// Output for events that are being taken.
struct Taken<'b, A: Iterator<Item = DeferredInsertion>, F> {
    out: Vec<u8>,
    bytes: &'b [u8],
    /// Position up to which the events were copied to `out`.
    at: usize,
    added: core::iter::Peekable<A>,
    renumber: F,
}

impl<A: Iterator<Item = DeferredInsertion>, F: Fn(DeferredNumber) -> Option<u64>> Taken<'_, A, F> {
    /// Copies bytes up to a position, with insertions.
    fn copy(&mut self, upto: usize) {
        while let Some(added) = self.added.next_if(|added| added.at <= upto) {
            let at = added.at.max(self.at);
            self.out.extend_from_slice(&self.bytes[self.at..at]);
            self.at = at;
            match added.block {
                Some((block, digits)) => {
                    self.out.extend_from_slice(&added.bytes[..digits.start]);
                    self.number(&added.bytes[digits.clone()], DeferredNumber::Block(block));
                    self.out.extend_from_slice(&added.bytes[digits.end..]);
                }
                None => self.out.extend_from_slice(&added.bytes),
            }
        }
        self.out.extend_from_slice(&self.bytes[self.at..upto]);
        self.at = upto;
    }

    /// Writes a number, which may have changed.
    fn number(&mut self, digits: &[u8], of: DeferredNumber) {
        match (self.renumber)(of) {
            Some(number) => self.out.extend_from_slice(number.to_string().as_bytes()),
            None => self.out.extend_from_slice(digits),
        }
    }
}
