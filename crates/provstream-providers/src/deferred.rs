//! Events that are held back until it is certain what comes before them.

use core::ops::Range;

use smallvec::SmallVec;

use super::Channel;

/// Most bytes of events that are held back.
pub(super) const MAX_DEFERRED: usize = 1 << 16;

/// Rewritten events that end a channel of which text is held back. If more of the channel's text follows they are written
/// as they are; if not, what is held back is written before them.
#[derive(Clone, Debug, Default)]
pub(super) struct Deferred {
    pub(super) bytes: Vec<u8>,
    points: SmallVec<[(Channel, Point); 1]>,
    /// Numbers in them that depend on what is not known yet.
    marks: Vec<Mark>,
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
    /// An offset into the text of a channel that a gate has not decided about, as it is in the response.
    Offset(Channel, u64),
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
    }

    /// What the numbers in the events are.
    pub(super) fn numbers(&self) -> impl Iterator<Item = Number> {
        self.marks.iter().map(|mark| mark.of)
    }

    /// Waits for what follows in a channel, unless that is waited for at `most` places already: those stay.
    pub(super) fn wait(&mut self, channel: Channel, point: Point, most: usize) {
        let waiting = self
            .points
            .iter()
            .filter(|(waiting, _)| *waiting == channel);
        if waiting.count() < most {
            self.points.push((channel, point));
        }
    }

    /// The first place where a channel waits.
    pub(super) fn point(&self, channel: Channel) -> Option<Point> {
        let mut points = self.points.iter();
        let (_, point) = points.find(|(waiting, _)| *waiting == channel)?;
        Some(*point)
    }

    /// More text of a channel followed, or what was held back was written: it is not waited for at the first place any more.
    pub(super) fn settle(&mut self, channel: Channel) -> Option<Point> {
        let place = self
            .points
            .iter()
            .position(|(waiting, _)| *waiting == channel)?;
        Some(self.points.remove(place).1)
    }

    /// A channel that is waited for.
    pub(super) fn waiting(&self) -> Option<Channel> {
        self.points.first().map(|(channel, _)| *channel)
    }

    /// Inserts bytes at a place.
    pub(super) fn insert(&mut self, at: usize, bytes: &[u8]) {
        let tail = self.bytes.split_off(at.min(self.bytes.len()));
        self.bytes.extend_from_slice(bytes);
        self.bytes.extend_from_slice(&tail);
        for (_, point) in &mut self.points {
            match point {
                Point::InString(place) | Point::Before(place) if *place >= at => {
                    *place += bytes.len();
                }
                _ => {}
            }
        }
        for mark in &mut self.marks {
            let len = bytes.len();
            let places = [
                &mut mark.event.end,
                &mut mark.digits.start,
                &mut mark.digits.end,
            ];
            let is_after = mark.event.start >= at;
            for place in places {
                *place += if is_after || *place > at { len } else { 0 };
            }
            mark.event.start += if is_after { len } else { 0 };
        }
    }

    /// The first bytes are taken: what comes after them moves.
    fn shift(&mut self, by: usize) {
        for (_, Point::InString(at) | Point::Before(at)) in &mut self.points {
            *at -= by;
        }
        for mark in &mut self.marks {
            mark.event = mark.event.start - by..mark.event.end - by;
            mark.digits = mark.digits.start - by..mark.digits.end - by;
        }
    }

    /// Notes a number, and the event that goes with it.
    pub(super) fn mark(&mut self, event: Range<usize>, digits: Range<usize>, of: Number) {
        self.marks.push(Mark { event, digits, of });
    }

    /// Where the first event is that something may be added to, or that is of this block or of a later one.
    pub(super) fn start_of(&self, block: u32) -> usize {
        let points = self.points.iter().map(|(_, point)| match point {
            // The event before it is of another block.
            Point::Before(at) => *at,
            Point::InString(_) => 0,
        });
        let events = self.marks.iter().filter_map(|mark| match mark.of {
            Number::Block(number) | Number::Beside(number) => {
                (number >= block).then_some(mark.event.start)
            }
            // They do not have where their event starts.
            Number::Offset(..) => Some(0),
        });
        points.chain(events).min().unwrap_or(self.bytes.len())
    }

    /// The block of the event that a place is in, or before.
    pub(super) fn block_at(&self, point: Point) -> Option<u32> {
        let is_there = |mark: &&Mark| match point {
            Point::InString(at) => mark.event.contains(&at),
            Point::Before(at) => mark.event.start == at,
        };
        match self.marks.iter().find(is_there)?.of {
            Number::Block(block) => Some(block),
            Number::Beside(_) | Number::Offset(..) => None,
        }
    }

    /// Takes the first bytes without the events of these blocks, and with the numbers that have changed. No event is cut.
    pub(super) fn take(
        &mut self,
        upto: usize,
        removed: &[u32],
        renumber: impl Fn(Number) -> Option<u64>,
    ) -> Vec<u8> {
        let rest = self.bytes.split_off(upto);
        let bytes = core::mem::replace(&mut self.bytes, rest);
        let marks = core::mem::take(&mut self.marks).into_iter();
        let (mut marks, later): (Vec<Mark>, _) = marks.partition(|mark| mark.event.start < upto);
        self.marks = later;
        self.shift(upto);
        if marks.is_empty() {
            return bytes;
        }
        marks.sort_by_key(|mark| mark.event.start);
        let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
        for mark in &marks {
            let is_removed = matches!(mark.of, Number::Block(block) if removed.contains(&block));
            let (until, from) = if is_removed {
                (mark.event.start, mark.event.end)
            } else {
                (mark.digits.start, mark.digits.end)
            };
            out.extend_from_slice(&bytes[at..until]);
            if !is_removed {
                match renumber(mark.of) {
                    Some(number) => out.extend_from_slice(number.to_string().as_bytes()),
                    None => out.extend_from_slice(&bytes[until..from]),
                }
            }
            at = from;
        }
        out.extend_from_slice(&bytes[at..]);
        out
    }
}
