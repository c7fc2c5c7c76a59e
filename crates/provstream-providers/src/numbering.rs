//! Maps deltas to texts where the format's own numbers are not sufficient.

use std::hash::{BuildHasher, RandomState};

use smallvec::SmallVec;

use super::channel::{Channel, MAX_CHANNELS};
use super::text_id::TextId;

/// State of the numbers of a stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering {
    /// For formats in which choice indices may count deltas.
    choices: Choices,
    /// For formats whose text blocks are joined to one text.
    blocks: BlockNumbers,
    /// For formats in which part numbers may count deltas.
    parts: PartNumbers,
    /// For formats in which blocks have identifiers.
    ids: Option<Box<BlockIds>>,
    /// A gate did not know the text of a delta.
    is_lost: bool,
}

/// Maps choice indices to channels.
///
/// Some servers of chat completions increase `index` with every delta of their only text (Foundry Local).
/// [`IndexDetector`](super::counting::IndexDetector) detects this. An index that is one more than that of the last delta then
/// continues its text.
#[derive(Clone, Debug, Default)]
struct Choices {
    last: Option<LastDelta>,
    /// Indices count deltas.
    is_counted: bool,
    /// The meaning of the indices is unknown, so that a gate reads no delta.
    is_unknown: bool,
}

#[derive(Clone, Copy, Debug)]
struct LastDelta {
    number: u32,
    /// Choice of the delta.
    choice: Channel,
}

/// Maps blocks to texts.
///
/// The text blocks of a message are one text, as long as each begins after the one before has ended. A block that
/// begins while another one is open is a separate text.
#[derive(Clone, Debug, Default)]
struct BlockNumbers {
    /// Open blocks.
    open: SmallVec<[OpenBlock; 1]>,
    /// Text that the next block continues.
    last: Option<TextId>,
    /// Blocks that have begun, a bit each for the first 31 numbers, and [`IN_PARALLEL`].
    begun: u32,
    /// Number of texts so far, for blocks without numbers.
    named: u32,
}

/// Bit for a block that ended while others were open, with its text: like a later block, it comes after those that have ended.
const IN_PARALLEL: u32 = 1 << 31;

/// State of blocks with identifiers.
#[derive(Clone, Debug, Default)]
struct BlockIds {
    hasher: RandomState,
    /// Open parts of reasoning; the index is the part's number.
    thoughts: Vec<Option<BlockKey>>,
}

#[derive(Clone, Copy, Debug)]
struct OpenBlock {
    key: BlockKey,
    /// Text of the block, if it has any.
    text: Option<TextId>,
    /// Earlier text that the block continues.
    goes_on: Option<TextId>,
}

/// Key of a block in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKey {
    Number(u32),
    /// Hash of the identifier.
    Id(u64),
}

/// Maps parts of an item to texts.
///
/// vLLM increases `content_index` with every delta of an item's only part, which it has announced with another number.
/// Numbers of an item therefore count deltas if its first text is in a part that is not the first and was not
/// announced. A gate reads them only if another part of the item was. Other servers count from the part that they have
/// announced: numbers of an item count deltas, too, if one is the last number plus 1 and greater than all announced ones.
#[derive(Clone, Debug, Default)]
struct PartNumbers {
    /// Items with announced parts, and the greatest number of each; at most [`MAX_CHANNELS`].
    announced: SmallVec<[(u32, u32); 1]>,
    /// At most [`MAX_CHANNELS`].
    counted: SmallVec<[Counted; 1]>,
    /// Item and part of the last delta.
    last: Option<(u32, u32)>,
}

/// An item whose parts count deltas.
#[derive(Clone, Copy, Debug)]
struct Counted {
    item: u32,
    first: u32,
    last: u32,
}

impl Numbering {
    /// Returns `true` if a gate did not know the text of some delta, which may have annotations of any text.
    pub(super) const fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Records that choice indices count deltas.
    pub(super) const fn set_counted(&mut self) {
        self.choices.is_counted = true;
    }

    /// Records that it is not known what choice indices mean.
    pub(super) const fn set_unknown(&mut self) {
        self.choices.is_unknown = true;
    }

    /// Returns the choice of a delta, and `true` if its index only counts deltas; `None` if a gate cannot know it.
    pub(super) fn choice_of(
        &mut self,
        channel: Channel,
        is_gated: bool,
    ) -> Option<(Channel, bool)> {
        let choices = &mut self.choices;
        let number = channel.index();
        if choices.is_unknown {
            self.is_lost = true;
            return None;
        }
        if let Some(last) = &mut choices.last {
            if last.number == number {
                return Some((last.choice, false));
            }
            if choices.is_counted && last.number.checked_add(1) == Some(number) {
                last.number = number;
                return Some((last.choice, true));
            }
            // A count does not jump.
            if choices.is_counted && is_gated {
                choices.is_unknown = true;
                self.is_lost = true;
                return None;
            }
            choices.is_counted = false;
        }
        choices.last = Some(LastDelta {
            number,
            choice: channel,
        });
        Some((channel, false))
    }

    /// Returns the choice that an index names, without changing the state.
    pub(super) fn choice(&self, channel: Channel) -> Channel {
        match self.choices.last {
            Some(last) if last.number == channel.index() => last.choice,
            _ => channel,
        }
    }

    /// Returns the key of a block with this identifier.
    pub(super) fn id(&mut self, id: &[u8]) -> BlockKey {
        let ids = self.ids.get_or_insert_default();
        BlockKey::Id(ids.hasher.hash_one(id))
    }

    /// Returns the channel of a part of reasoning, and opens it if necessary; `None` if there are too many.
    pub(super) fn thought(&mut self, key: BlockKey) -> Option<Channel> {
        let thoughts = &mut self.ids.get_or_insert_default().thoughts;
        let mut places = thoughts.iter();
        let known = places.position(|other| *other == Some(key));
        let place = known.or_else(|| thoughts.iter().position(Option::is_none));
        let place = place.unwrap_or(thoughts.len());
        if place == MAX_CHANNELS {
            return None;
        }
        match thoughts.get_mut(place) {
            Some(free) => *free = Some(key),
            None => thoughts.push(Some(key)),
        }
        Some(thought(place))
    }

    /// Ends a part of reasoning, and returns its channel if it was open.
    pub(super) fn end_thought(&mut self, key: BlockKey) -> Option<Channel> {
        let thoughts = &mut self.ids.as_mut()?.thoughts;
        let place = thoughts.iter().position(|other| *other == Some(key))?;
        thoughts[place] = None;
        Some(thought(place))
    }

    pub(super) fn has_open_block(&self) -> bool {
        !self.blocks.open.is_empty()
    }

    pub(super) fn is_block_open(&self, key: BlockKey) -> bool {
        self.blocks.open.iter().any(|block| block.key == key)
    }

    /// Returns `true` if a block with this number, of the first 31, has ended, and one with a greater number has begun or
    /// [more was open](IN_PARALLEL).
    pub(super) fn is_block_over(&self, number: u32) -> bool {
        let later = self.blocks.begun.checked_shr(number);
        let is_begun = later.is_some_and(|later| later & 1 == 1 && later > 1);
        is_begun && !self.is_block_open(BlockKey::Number(number))
    }

    /// The blocks that follow are of another message.
    pub(super) const fn begin_message(&mut self) {
        self.blocks.begun = 0;
    }

    pub(super) fn has_room_for_block(&self) -> bool {
        self.blocks.open.len() < MAX_CHANNELS
    }

    /// Opens a block, unless it is open. Returns `false` if there are too many.
    pub(super) fn begin_block(&mut self, key: BlockKey) -> bool {
        if self.is_block_open(key) {
            return true;
        }
        if !self.has_room_for_block() {
            return false;
        }
        let blocks = &mut self.blocks;
        let goes_on = blocks.last.take_if(|_| blocks.open.is_empty());
        if let BlockKey::Number(number @ ..31) = key {
            let bit = 1 << number;
            if blocks.begun & bit > 0 {
                // The blocks of another message are counted from the first number on.
                blocks.begun &= bit - 1;
            }
            blocks.begun |= bit;
        }
        blocks.open.push(OpenBlock {
            key,
            text: None,
            goes_on,
        });
        true
    }

    /// Returns the text of a delta of a block, and opens the block if necessary; `None` if there are too many.
    pub(super) fn block_of(&mut self, key: BlockKey, is_empty: bool) -> Option<TextId> {
        if !self.begin_block(key) {
            return None;
        }
        let blocks = &mut self.blocks;
        let block = blocks.open.iter_mut().find(|block| block.key == key)?;
        let number = match key {
            BlockKey::Number(number) => number,
            BlockKey::Id(_) => blocks.named,
        };
        if block.text.is_none() && !is_empty {
            block.text = block.goes_on;
            if block.text.is_none() {
                block.text = Some(TextId::new(Channel::new(number)));
                blocks.named += 1;
            }
        }
        let text = block.text.or(block.goes_on);
        Some(text.unwrap_or(TextId::new(Channel::new(number))))
    }

    /// Returns the text of a block, as far as it is known.
    pub(super) fn block(&self, key: BlockKey) -> Option<TextId> {
        let mut open = self.blocks.open.iter();
        let block = open.find(|block| block.key == key);
        block.map_or(self.blocks.last, |block| block.text.or(block.goes_on))
    }

    /// Ends a block. Returns its text, and `true` if the next block does not continue it.
    pub(super) fn end_block(&mut self, key: BlockKey) -> Option<(TextId, bool)> {
        let blocks = &mut self.blocks;
        let place = blocks.open.iter().position(|block| block.key == key)?;
        let block = blocks.open.remove(place);
        let text = block.text.or(block.goes_on);
        if blocks.open.is_empty() {
            blocks.last = text.or(blocks.last);
        } else {
            blocks.begun |= IN_PARALLEL;
        }
        Some((text?, !blocks.open.is_empty()))
    }

    /// Ends all blocks, before the next one begins. Returns the texts that it does not continue.
    pub(super) fn end_blocks(&mut self) -> SmallVec<[TextId; 1]> {
        let blocks = &mut self.blocks;
        let Some(last) = blocks.open.pop() else {
            return SmallVec::new();
        };
        blocks.last = last.text.or(last.goes_on).or(blocks.last);
        let others = blocks.open.drain(..);
        others.filter_map(|block| block.text).collect()
    }

    /// Records an announced part.
    pub(super) fn announce(&mut self, part: Channel) {
        let (item, number) = (part.index(), part.part().unwrap_or(0));
        let announced = &mut self.parts.announced;
        if let Some((_, most)) = announced.iter_mut().find(|(of, _)| *of == item) {
            *most = number.max(*most);
        } else if announced.len() < MAX_CHANNELS {
            announced.push((item, number));
        }
    }

    /// Returns the channel of a delta, and `true` if its part number only counts deltas; `None` if a gate cannot know it.
    /// `has_text` returns `true` for an item that has text already.
    pub(super) fn part_of(
        &mut self,
        channel: Channel,
        is_gated: bool,
        has_text: impl Fn(u32) -> bool,
    ) -> Option<(Channel, bool)> {
        let (item, part) = (channel.index(), channel.part().unwrap_or(0));
        let parts = &mut self.parts;
        let place = parts.counted.iter().position(|of| of.item == item);
        if let Some(place) = place {
            let counted = &mut parts.counted[place];
            if part == counted.last || counted.last.checked_add(1) == Some(part) {
                let is_odd = part != counted.last;
                counted.last = part;
                return Some((Channel::with_part(item, counted.first), is_odd));
            }
            // A count does not jump.
            if is_gated {
                self.is_lost = true;
                return None;
            }
            parts.counted.remove(place);
            return Some((channel, false));
        }
        let before = parts.last.replace((item, part));
        let announced = parts.announced.iter().find(|(of, _)| *of == item);
        let is_unknown = announced.is_some_and(|(_, most)| part > *most);
        if is_unknown
            && has_text(item)
            && before.is_some_and(|(of, last)| of == item && last < part)
        {
            let first = before.map_or(part, |(_, last)| last);
            let is_next = first.checked_add(1) == Some(part) && parts.counted.len() < MAX_CHANNELS;
            if is_next {
                parts.counted.push(Counted {
                    item,
                    first,
                    last: part,
                });
                return Some((Channel::with_part(item, first), true));
            }
            // A count does not jump.
            if is_gated {
                self.is_lost = true;
                return None;
            }
        }
        if part > 0 && announced.is_none_or(|(_, most)| part > *most) && !has_text(item) {
            let is_known = announced.is_some() && parts.counted.len() < MAX_CHANNELS;
            if is_gated && !is_known {
                self.is_lost = true;
                return None;
            }
            if parts.counted.len() < MAX_CHANNELS {
                parts.counted.push(Counted {
                    item,
                    first: part,
                    last: part,
                });
            }
        }
        Some((channel, false))
    }

    /// Returns the part that the numbers name, without changing the state.
    pub(super) fn part(&self, channel: Channel) -> Channel {
        let mut counted = self.parts.counted.iter();
        match counted.find(|counted| counted.item == channel.index()) {
            Some(counted) => Channel::with_part(counted.item, counted.first),
            None => channel,
        }
    }
}

/// Returns the channel of a part of reasoning by its index.
fn thought(place: usize) -> Channel {
    match u32::try_from(place) {
        Ok(place @ 1..) => Channel::with_part(0, place),
        _ => Channel::new(0),
    }
}
