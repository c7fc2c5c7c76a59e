//! Removes text blocks that lose all their text, and renumbers the blocks after them.

use core::ops::Range;

use smallvec::SmallVec;

use super::channel::MAX_CHANNELS;
use super::steps::{count, each};

/// Maximum number of removed blocks whose numbers are kept: an event that comes so late that an earlier number matters is of no
/// block that a client still adds to.
const MAX_REMOVED: usize = 16;

/// Relation of an event to a text block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockEvent {
    Start,
    /// A block of another kind begins. It stays, whatever text it has.
    OtherStart,
    /// The event has text, an empty string for text, or other content of the block.
    Delta,
    Stop,
    /// The event is a whole message.
    Whole,
}

/// The text blocks of a message that is rewritten.
///
/// The API of Anthropic refuses a message with an empty text block, so a block that had text and has none left is
/// removed. Its events are held from its start until some text or other content is certain to stay, or the block
/// ends. The blocks after it are renumbered. A block that is open in parallel with another one stays, because the
/// other's events are among its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    /// State, boxed because only formats with blocks need it.
    known: Option<Box<KnownBlocks>>,
}

#[derive(Clone, Debug, Default)]
struct KnownBlocks {
    /// Blocks without text that is certain to stay.
    empty: SmallVec<[NumberedBlock; 1]>,
    /// Numbers of the open blocks, of any kind.
    open: SmallVec<[u32; 1]>,
    /// Number of the block that began or got content last.
    current: Option<u32>,
    /// Greatest block number so far. A block with another number than the next one stays: the number is repeated, or others are
    /// still to come.
    greatest: Option<u32>,
    /// Numbers of the last removed blocks, in order, at most [`MAX_REMOVED`].
    removed: RemovedBlocks,
    /// Number of blocks that were removed before these.
    removed_before: u32,
    /// The strings of the event had text before, or have text after rewriting.
    had_text: bool,
    has_text: bool,
    named: Option<Named>,
}

/// A text block by its number in the stream.
#[derive(Clone, Copy, Debug)]
struct NumberedBlock {
    number: u32,
    is_open: bool,
    /// The block had text before rewriting.
    had_text: bool,
}

/// Block number in an event.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) number: u32,
    /// Range of the number in the event's data.
    pub(super) digits: Range<usize>,
    /// The event has only text. Otherwise it stays when the block is removed.
    pub(super) is_of_text: bool,
}

/// Numbers of removed blocks.
pub(super) type RemovedBlocks = SmallVec<[u32; 1]>;

impl KnownBlocks {
    fn begin(&mut self, number: u32, may_be_removed: bool) {
        if !self.open.is_empty() {
            self.keep_open();
        } else if may_be_removed {
            self.empty.push(NumberedBlock {
                number,
                is_open: true,
                had_text: false,
            });
        }
        if self.open.len() < MAX_CHANNELS && !self.open.contains(&number) {
            self.open.push(number);
        }
    }

    /// Keeps the open blocks: an event of another block is among their own.
    fn keep_open(&mut self) {
        count(self.empty.len());
        self.empty.retain(|block| !block.is_open);
    }

    fn end(&mut self, number: u32) {
        count(self.open.len());
        self.open.retain(|open| *open != number);
    }
}

impl Blocks {
    fn known(&mut self) -> &mut KnownBlocks {
        self.known.get_or_insert_default()
    }

    fn is(&self, is: impl Fn(&KnownBlocks) -> bool) -> bool {
        self.known.as_deref().is_some_and(is)
    }

    /// Returns `true` if blocks were removed or may be, so block numbers in events matter.
    pub(super) fn is_active(&self) -> bool {
        self.is(|known| !known.removed.is_empty() || !known.empty.is_empty())
    }

    /// Returns `true` if events are held for a block.
    pub(super) fn is_holding(&self) -> bool {
        self.is(|known| !known.empty.is_empty())
    }

    /// Returns `true` if an open block has no text so far.
    pub(super) fn is_undecided(&self) -> bool {
        self.undecided().is_some()
    }

    /// Returns the number of the first open block without text so far.
    pub(super) fn undecided(&self) -> Option<u32> {
        let mut empty = each(self.known.as_deref()?.empty.iter());
        Some(empty.find(|block| block.is_open)?.number)
    }

    /// Records that a string of the event had text before, and has text after rewriting.
    pub(super) fn text(&mut self, had_text: bool, has_text: bool) {
        let known = self.known();
        known.had_text |= had_text;
        known.has_text |= has_text;
    }

    /// Processes an event of a block; [`text`](Self::text) was called for its strings.
    pub(super) fn event(&mut self, event: BlockEvent, number: u32) {
        let known = self.known();
        let had_text = core::mem::take(&mut known.had_text);
        let has_text = core::mem::take(&mut known.has_text);
        let is_new = event == BlockEvent::Start || known.current != Some(number);
        if event != BlockEvent::Stop && is_new {
            known.current = Some(number);
            // Of numbers that were left out, blocks may still come.
            let is_next = known
                .greatest
                .is_none_or(|greatest| greatest.checked_add(1) == Some(number));
            known.greatest = known.greatest.max(Some(number));
            known.begin(number, is_next && event != BlockEvent::OtherStart);
        }
        if event == BlockEvent::Stop {
            known.end(number);
        }
        let mut blocks = each(known.empty.iter_mut().rev());
        if let Some(block) = blocks.find(|block| block.number == number) {
            block.had_text |= had_text;
            block.is_open &= event != BlockEvent::Stop;
            // A block that was empty in the response stays.
            if has_text || !(block.is_open || block.had_text) {
                self.keep(number);
            }
        }
    }

    /// Records that a block has text or other content that stays.
    pub(super) fn keep(&mut self, number: u32) {
        let known = self.known();
        count(known.empty.len());
        known.empty.retain(|block| block.number != number);
    }

    /// Closes all blocks: no more text follows.
    pub(super) fn close(&mut self) {
        if let Some(known) = &mut self.known {
            known.empty.retain(|block| {
                block.is_open = false;
                block.had_text
            });
        }
    }

    /// Decides about the blocks before number `before`, and returns those to remove: closed blocks that had text and
    /// have none left.
    pub(super) fn settle(&mut self, before: u32) -> RemovedBlocks {
        let Some(known) = &mut self.known else {
            return RemovedBlocks::new();
        };
        let empty = core::mem::take(&mut known.empty);
        let (empty, later) = empty.into_iter().partition(|block| block.number < before);
        known.empty = later;
        let empty: SmallVec<[NumberedBlock; 1]> = empty;
        let closed = empty
            .iter()
            .filter(|block| !block.is_open && block.had_text);
        let removed: RemovedBlocks = closed.map(|block| block.number).collect();
        self.remove(&removed);
        removed
    }

    /// Records removed blocks.
    pub(super) fn remove(&mut self, numbers: &[u32]) {
        let known = self.known();
        for number in each(numbers.iter()) {
            if known.removed.len() == MAX_REMOVED {
                known.removed.remove(0);
                known.removed_before += 1;
            }
            let place = known.removed.partition_point(|other| other < number);
            known.removed.insert(place, *number);
        }
    }

    /// Returns the new number of a block, if it changes.
    pub(super) fn renumbered(&self, number: u32) -> Option<u32> {
        let known = self.known.as_deref()?;
        let removed = known.removed.partition_point(|removed| *removed < number) as u32;
        let removed = removed + known.removed_before;
        number.checked_sub(removed).filter(|_| removed > 0)
    }

    /// Returns the number of the block that began or got content last.
    pub(super) fn current(&self) -> Option<u32> {
        self.known.as_deref()?.current
    }

    /// Sets the block that the current event names.
    pub(super) fn set_named(&mut self, named: Named) {
        self.known().named = Some(named);
    }

    /// Returns the number of the block that the event names, if it has no text so far.
    pub(super) fn named_empty(&self) -> Option<u32> {
        let known = self.known.as_deref()?;
        let number = known.named.as_ref()?.number;
        let mut empty = each(known.empty.iter());
        empty.any(|block| block.number == number).then_some(number)
    }

    /// Takes the block that the event names.
    pub(super) fn take_named(&mut self) -> Option<Named> {
        self.known.as_mut()?.named.take()
    }
}
