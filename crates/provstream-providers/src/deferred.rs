//! Events that are held back until it is certain what comes before them.

use core::ops::Range;

use smallvec::SmallVec;

use super::escape::push_content;
use super::steps::{count, each};
use super::text_id::TextId;

/// Most bytes of events that are held back.
pub(super) const MAX_DEFERRED: usize = 1 << 16;

/// Rewritten events that end a channel of which text is held back. If more of the channel's text follows they are written
/// as they are; if not, what is held back is written before them.
#[derive(Clone, Debug, Default)]
pub(super) struct Deferred {
    pub(super) bytes: Vec<u8>,
    points: SmallVec<[(TextId, Point); 1]>,
    /// Numbers in them that depend on what is not known yet.
    marks: Vec<Mark>,
    /// What is added to them, once they are taken.
    added: Vec<Added>,
    /// Bytes of that.
    added_len: usize,
}

/// Bytes that are added at a place, after those that were added there before.
#[derive(Clone, Debug)]
struct Added {
    at: usize,
    bytes: Vec<u8>,
    /// It is the end of a copy of these texts, which has none if one of them goes on.
    of: SmallVec<[TextId; 1]>,
    /// The number of its block, and where in these bytes the digits are, if it is an event of a block.
    block: Option<(u32, Range<usize>)>,
}

/// A number in the events.
#[derive(Clone, Debug)]
struct Mark {
    /// The event, if it goes with what the number names; else the digits.
    event: Range<usize>,
    /// Where its digits are.
    digits: Range<usize>,
    of: Number,
}

/// What a number in the events is. No format has both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// The number of a block, in an event of that block.
    Block(u32),
    /// The number of a block, in an event that is not removed with it.
    Beside(u32),
    /// The number of an event in the stream.
    Sequence(u64),
    /// An offset into the text of a channel that a gate has not decided about, as it is in the response.
    Offset(TextId, u64),
    /// The same, counted from the start of the prompt.
    PromptOffset(TextId, u64),
}

/// Where in the events held back the rest of a channel's text belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// In the string whose content ends here.
    InString(usize),
    /// Before the event that begins here.
    Before(usize),
}

impl Deferred {
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
    }

    /// Bytes that are held back.
    pub(super) const fn len(&self) -> usize {
        self.bytes.len() + self.added_len
    }

    /// What the numbers in the events are.
    pub(super) fn numbers(&self) -> impl Iterator<Item = Number> {
        self.marks.iter().map(|mark| mark.of)
    }

    /// Waits for what follows in a channel, unless that is waited for at `most` places already: those stay.
    pub(super) fn wait(&mut self, channel: TextId, point: Point, most: usize) {
        let waiting = each(self.points.iter()).filter(|(waiting, _)| *waiting == channel);
        if waiting.count() < most {
            self.points.push((channel, point));
        }
    }

    /// The first place where a channel waits.
    pub(super) fn point(&self, channel: TextId) -> Option<Point> {
        let mut points = each(self.points.iter());
        let (_, point) = points.find(|(waiting, _)| *waiting == channel)?;
        Some(*point)
    }

    /// More text of a channel followed, or what was held back was written: it is not waited for at the first place any more.
    pub(super) fn settle(&mut self, channel: TextId) -> Option<Point> {
        let place = each(self.points.iter()).position(|(waiting, _)| *waiting == channel)?;
        Some(self.points.remove(place).1)
    }

    /// Whether a channel is waited for.
    pub(super) fn waits_for(&self, channel: TextId) -> bool {
        self.point(channel).is_some()
    }

    /// A channel that is waited for.
    pub(super) fn waiting(&self) -> Option<TextId> {
        self.points.first().map(|(channel, _)| *channel)
    }

    /// Adds bytes at a place, or an event of a block, the digits of whose number are there in it.
    pub(super) fn insert(&mut self, at: usize, bytes: &[u8], block: Option<(u32, Range<usize>)>) {
        count(bytes.len());
        self.added_len += bytes.len();
        self.added.push(Added {
            at,
            bytes: bytes.to_vec(),
            of: SmallVec::new(),
            block,
        });
    }

    /// Adds the end of a copy of some texts, as it is outside of JSON, at a place, unless one of them goes on.
    pub(super) fn insert_end(&mut self, at: usize, text: &[u8], of: &[TextId]) {
        let mut content = Vec::new();
        push_content(&mut content, text);
        self.insert(at, &content, None);
        if let Some(added) = self.added.last_mut() {
            added.of = of.into();
        }
    }

    /// Leaves out the ends of copies of some texts.
    pub(super) fn drop_ends(&mut self, of: impl Fn(TextId) -> bool) {
        let added_len = &mut self.added_len;
        self.added.retain(|added| {
            let is_end = added.of.iter().any(|text| of(*text));
            *added_len -= if is_end { added.bytes.len() } else { 0 };
            !is_end
        });
    }

    /// More text of a channel follows.
    pub(super) fn go_on(&mut self, channel: TextId) {
        self.drop_ends(|of| of == channel);
        self.settle(channel);
    }

    /// An event is added at a place: its number in the stream, which those of the events after it follow.
    pub(super) fn number_at(&mut self, at: usize) -> Option<u64> {
        let mut first = None;
        for mark in &mut self.marks {
            if let Number::Sequence(number) = &mut mark.of
                && mark.digits.start >= at
            {
                first = Some(first.unwrap_or(*number).min(*number));
                *number = number.saturating_add(1);
            }
        }
        first
    }

    /// The first bytes are taken: what comes after them moves.
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

    /// Notes a number, and the event that goes with it.
    pub(super) fn mark(&mut self, event: Range<usize>, digits: Range<usize>, of: Number) {
        self.marks.push(Mark { event, digits, of });
    }

    /// Where the first event is that something may be added to, or that is of this block or of a later one. An event that is
    /// added there may be of a block before.
    pub(super) fn start_of(&self, block: u32) -> usize {
        let points = each(self.points.iter()).map(|(_, point)| match point {
            // The event before it is of another block.
            Point::Before(at) => *at,
            Point::InString(_) => 0,
        });
        let events = each(self.marks.iter()).filter_map(|mark| match mark.of {
            Number::Block(number) | Number::Beside(number) => {
                (number >= block).then_some(mark.event.start)
            }
            // They do not have where their event starts.
            Number::Offset(..) | Number::PromptOffset(..) => Some(0),
            Number::Sequence(_) => None,
        });
        let added = each(self.added.iter()).filter_map(|added| {
            let (number, _) = added.block.as_ref()?;
            (*number >= block).then_some(added.at)
        });
        let first = points.chain(events).chain(added).min();
        first.unwrap_or(self.bytes.len())
    }

    /// The block of the event that a place is in, or before.
    pub(super) fn block_at(&self, point: Point) -> Option<u32> {
        let is_there = |mark: &&Mark| match point {
            Point::InString(at) => mark.event.contains(&at),
            Point::Before(at) => mark.event.start == at,
        };
        match each(self.marks.iter()).find(is_there)?.of {
            Number::Block(block) => Some(block),
            Number::Beside(_)
            | Number::Offset(..)
            | Number::PromptOffset(..)
            | Number::Sequence(_) => None,
        }
    }

    /// Takes the first bytes, which end before a block or are all, without the events of these blocks, with what is added to
    /// them, and with the numbers that have changed. No event is cut.
    pub(super) fn take(
        &mut self,
        upto: usize,
        before: u32,
        removed: &[u32],
        renumber: impl Fn(Number) -> Option<u64>,
    ) -> Vec<u8> {
        count(self.bytes.len());
        let rest = self.bytes.split_off(upto);
        let bytes = core::mem::replace(&mut self.bytes, rest);
        let marks = each(core::mem::take(&mut self.marks).into_iter());
        let (mut marks, later): (Vec<Mark>, _) = marks.partition(|mark| mark.event.start < upto);
        self.marks = later;
        let added = each(core::mem::take(&mut self.added).into_iter());
        let is_all = self.bytes.is_empty();
        let (mut added, later): (Vec<Added>, _) = added.partition(|added| {
            let block = added.block.as_ref();
            let is_before = added.at == upto && block.is_none_or(|(block, _)| *block < before);
            is_all || added.at < upto || is_before
        });
        self.added = later;
        self.added_len = self.added.iter().map(|added| added.bytes.len()).sum();
        self.shift(upto);
        if marks.is_empty() && added.is_empty() {
            return bytes;
        }
        marks.sort_by_key(|mark| mark.event.start);
        added.sort_by_key(|added| added.at);
        let mut out = Taken {
            out: Vec::with_capacity(bytes.len()),
            bytes: &bytes,
            at: 0,
            added: added.into_iter().peekable(),
            renumber,
        };
        for mark in &marks {
            if matches!(mark.of, Number::Block(block) if removed.binary_search(&block).is_ok()) {
                out.copy(mark.event.start);
                out.at = mark.event.end;
            } else {
                out.copy(mark.digits.start);
                out.number(&bytes[mark.digits.clone()], mark.of);
                out.at = mark.digits.end;
            }
        }
        out.copy(upto);
        out.out
    }
}

/// Bytes that are taken.
struct Taken<'b, A: Iterator<Item = Added>, F> {
    out: Vec<u8>,
    bytes: &'b [u8],
    /// What comes before this is in `out`.
    at: usize,
    added: core::iter::Peekable<A>,
    renumber: F,
}

impl<A: Iterator<Item = Added>, F: Fn(Number) -> Option<u64>> Taken<'_, A, F> {
    /// Copies bytes up to a place, with what is added to them.
    fn copy(&mut self, upto: usize) {
        while let Some(added) = self.added.next_if(|added| added.at <= upto) {
            let at = added.at.max(self.at);
            self.out.extend_from_slice(&self.bytes[self.at..at]);
            self.at = at;
            match added.block {
                Some((block, digits)) => {
                    self.out.extend_from_slice(&added.bytes[..digits.start]);
                    self.number(&added.bytes[digits.clone()], Number::Block(block));
                    self.out.extend_from_slice(&added.bytes[digits.end..]);
                }
                None => self.out.extend_from_slice(&added.bytes),
            }
        }
        self.out.extend_from_slice(&self.bytes[self.at..upto]);
        self.at = upto;
    }

    /// Writes a number, which may have changed.
    fn number(&mut self, digits: &[u8], of: Number) {
        match (self.renumber)(of) {
            Some(number) => self.out.extend_from_slice(number.to_string().as_bytes()),
            None => self.out.extend_from_slice(digits),
        }
    }
}
