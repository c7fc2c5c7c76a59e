//! Text blocks that lose all their text, and what the blocks after them are then numbered.

use core::ops::Range;

use smallvec::SmallVec;

use super::channel::MAX_CHANNELS;
use super::steps::{count, each};

/// What an event is to a text block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockEvent {
    Start,
    /// It has text, a string for text, or something else of the block.
    Delta,
    Stop,
    /// It has a whole message.
    Whole,
}

/// The text blocks of a message that is rewritten.
///
/// The API of Anthropic refuses a message with an empty text block, so a block that had text and has none left is removed:
/// its events are held back from its start until it has text, or something else, that stays, or ends. The blocks after it are numbered anew.
/// A block that is open in parallel with another one stays: among its events are those of the other one.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    /// In memory of its own, which only formats with blocks need.
    known: Option<Box<Known>>,
}

#[derive(Clone, Debug, Default)]
struct Known {
    /// Those that have no text that stays, so far.
    empty: SmallVec<[Block; 1]>,
    /// The numbers of those that are open.
    open: SmallVec<[u32; 1]>,
    /// The last one.
    current: Option<u32>,
    /// The greatest number of one. One that comes again is that of another block, which stays.
    greatest: Option<u32>,
    /// How many were removed, and the last one of them.
    removed: u32,
    last_removed: u32,
    /// What the strings of the event had before and have now.
    had_text: bool,
    has_text: bool,
    named: Option<Named>,
}

/// A text block by its number in the stream.
#[derive(Clone, Copy, Debug)]
struct Block {
    number: u32,
    is_open: bool,
    /// It had text.
    had_text: bool,
}

/// The block that an event names.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) number: u32,
    /// Where in the event's data the number is.
    pub(super) digits: Range<usize>,
    /// The event is about text alone. If not, it stays when the block is removed.
    pub(super) is_of_text: bool,
}

/// The numbers of blocks that are removed.
pub(super) type Removed = SmallVec<[u32; 1]>;

impl Known {
    fn begin(&mut self, number: u32) {
        if self.open.is_empty() {
            self.empty.push(Block {
                number,
                is_open: true,
                had_text: false,
            });
        } else {
            count(self.empty.len());
            self.empty.retain(|block| !block.is_open);
        }
        if self.open.len() < MAX_CHANNELS {
            self.open.push(number);
        }
    }

    fn end(&mut self, number: u32) {
        count(self.open.len());
        self.open.retain(|open| *open != number);
    }
}

impl Blocks {
    fn known(&mut self) -> &mut Known {
        self.known.get_or_insert_default()
    }

    fn is(&self, is: impl Fn(&Known) -> bool) -> bool {
        self.known.as_deref().is_some_and(is)
    }

    /// Whether the numbers in events matter: blocks were removed, or may be.
    pub(super) fn is_active(&self) -> bool {
        self.is(|known| known.removed > 0 || !known.empty.is_empty())
    }

    /// Whether events are held back for a block.
    pub(super) fn is_holding(&self) -> bool {
        self.is(|known| !known.empty.is_empty())
    }

    /// Whether text can still come in a block that has none.
    pub(super) fn is_undecided(&self) -> bool {
        self.undecided().is_some()
    }

    /// The first block that has no text and may still get some.
    pub(super) fn undecided(&self) -> Option<u32> {
        let mut empty = each(self.known.as_deref()?.empty.iter());
        Some(empty.find(|block| block.is_open)?.number)
    }

    /// A string of the event had and has text.
    pub(super) fn text(&mut self, had_text: bool, has_text: bool) {
        let known = self.known();
        known.had_text |= had_text;
        known.has_text |= has_text;
    }

    /// Takes note of an event of a block, whose strings had and have text as noted.
    pub(super) fn event(&mut self, event: BlockEvent, number: u32) {
        let known = self.known();
        let had_text = core::mem::take(&mut known.had_text);
        let has_text = core::mem::take(&mut known.has_text);
        let is_new = event == BlockEvent::Start || known.current != Some(number);
        if event != BlockEvent::Stop && is_new {
            known.current = Some(number);
            if known.greatest < Some(number) {
                known.greatest = Some(number);
                known.begin(number);
            }
        }
        if event == BlockEvent::Stop {
            known.end(number);
        }
        let mut blocks = each(known.empty.iter_mut().rev());
        if let Some(block) = blocks.find(|block| block.number == number) {
            block.had_text |= had_text;
            block.is_open &= event != BlockEvent::Stop;
            // One that was empty before stays.
            if has_text || !(block.is_open || block.had_text) {
                self.keep(number);
            }
        }
    }

    /// A block has text, or something else, that stays.
    pub(super) fn keep(&mut self, number: u32) {
        let known = self.known();
        count(known.empty.len());
        known.empty.retain(|block| block.number != number);
    }

    /// No more text comes in any block.
    pub(super) fn close(&mut self) {
        if let Some(known) = &mut self.known {
            known.empty.retain(|block| {
                block.is_open = false;
                block.had_text
            });
        }
    }

    /// Of the blocks before this one, those that are removed: they had text, have none, and are closed. The others stay as
    /// they are.
    pub(super) fn settle(&mut self, before: u32) -> Removed {
        let Some(known) = &mut self.known else {
            return Removed::new();
        };
        let empty = core::mem::take(&mut known.empty);
        let (empty, later) = empty.into_iter().partition(|block| block.number < before);
        known.empty = later;
        let empty: SmallVec<[Block; 1]> = empty;
        let closed = empty
            .iter()
            .filter(|block| !block.is_open && block.had_text);
        let removed: Removed = closed.map(|block| block.number).collect();
        self.remove(&removed);
        removed
    }

    /// Blocks were removed.
    pub(super) fn remove(&mut self, numbers: &[u32]) {
        let known = self.known();
        known.removed += numbers.len() as u32;
        known.last_removed = each(numbers.iter())
            .copied()
            .fold(known.last_removed, u32::max);
    }

    /// What a block of the stream is numbered, if that changes.
    pub(super) fn renumbered(&self, number: u32) -> Option<u32> {
        let known = self.known.as_deref()?;
        let is_after = known.removed > 0 && number > known.last_removed;
        number.checked_sub(known.removed).filter(|_| is_after)
    }

    /// The last block with text.
    pub(super) fn current(&self) -> Option<u32> {
        self.known.as_deref()?.current
    }

    /// The event names a block.
    pub(super) fn set_named(&mut self, named: Named) {
        self.known().named = Some(named);
    }

    /// The block that the event names, if it has no text so far.
    pub(super) fn named_empty(&self) -> Option<u32> {
        let known = self.known.as_deref()?;
        let number = known.named.as_ref()?.number;
        let mut empty = each(known.empty.iter());
        empty.any(|block| block.number == number).then_some(number)
    }

    /// The block that the event names.
    pub(super) fn take_named(&mut self) -> Option<Named> {
        self.known.as_mut()?.named.take()
    }
}
