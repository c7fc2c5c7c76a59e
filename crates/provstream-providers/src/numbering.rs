//! Which text a piece belongs to where a format's own numbers do not say it.

use std::hash::{BuildHasher, RandomState};

use smallvec::SmallVec;

use super::channel::{Channel, MAX_CHANNELS};
use super::text_id::TextId;

/// What is known about the numbers of a stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering {
    /// Where the choices of a chat completion may count deltas.
    choices: Choices,
    /// Where the text blocks of a message are one text.
    blocks: Blocks,
    /// Where the parts of an item may count deltas.
    parts: Parts,
    /// Where blocks have identifiers.
    ids: Option<Box<Ids>>,
}

/// Names the text of a choice.
///
/// Some servers of chat completions count `index` up with every delta of the one text (Foundry Local).
/// [`Counting`](super::counting::Counting) finds out whether numbers do. If so, a number that is one more than that of the last
/// delta goes on with its text.
#[derive(Clone, Debug, Default)]
struct Choices {
    last: Option<LastDelta>,
    /// Numbers count deltas, as the stream has shown.
    is_counted: bool,
}

#[derive(Clone, Copy, Debug)]
struct LastDelta {
    number: u32,
    /// The choice it is of.
    choice: Channel,
}

/// Names the text of a block.
///
/// The text blocks of a message are one text, as long as each begins after the one before has ended. A block that begins while
/// another one is open is a text of its own.
#[derive(Clone, Debug, Default)]
struct Blocks {
    /// Those that are open.
    open: SmallVec<[Block; 1]>,
    /// The text that the next block goes on with.
    last: Option<TextId>,
    /// How many texts there were, where blocks have no numbers.
    named: u32,
}

/// What is known of blocks that have identifiers.
#[derive(Clone, Debug, Default)]
struct Ids {
    hasher: RandomState,
    /// Parts of reasoning that are open, each in the place of its number.
    thoughts: Vec<Option<BlockKey>>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    key: BlockKey,
    /// Its text, if it has some.
    text: Option<TextId>,
    /// The text before that it goes on with.
    goes_on: Option<TextId>,
}

/// What a format calls a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKey {
    Number(u32),
    /// The hash of its identifier.
    Id(u64),
}

/// Names the text of a part.
///
/// vLLM counts `content_index` up with every delta of an item's only part. So an item is counted whose first text is in a part
/// that is not the first and was not announced.
#[derive(Clone, Debug, Default)]
struct Parts {
    /// Items of which parts were announced, and the greatest number of one.
    announced: SmallVec<[(u32, u32); 1]>,
    counted: Option<Counted>,
}

/// An item whose parts count deltas.
#[derive(Clone, Copy, Debug)]
struct Counted {
    item: u32,
    first: u32,
    last: u32,
}

impl Numbering {
    /// The numbers of choices count deltas.
    pub(super) const fn set_counted(&mut self) {
        self.choices.is_counted = true;
    }

    /// The choice of a delta with this number, and whether the number only counts deltas.
    pub(super) fn choice_of(&mut self, channel: Channel) -> (Channel, bool) {
        let choices = &mut self.choices;
        let number = channel.index();
        if let Some(last) = &mut choices.last {
            if last.number == number {
                return (last.choice, false);
            }
            if choices.is_counted && last.number.checked_add(1) == Some(number) {
                last.number = number;
                return (last.choice, true);
            }
            // A count does not jump.
            choices.is_counted = false;
        }
        choices.last = Some(LastDelta {
            number,
            choice: channel,
        });
        (channel, false)
    }

    /// The choice that a number belongs to by what came so far.
    pub(super) fn choice(&self, channel: Channel) -> Channel {
        match self.choices.last {
            Some(last) if last.number == channel.index() => last.choice,
            _ => channel,
        }
    }

    /// The key of a block with this identifier.
    pub(super) fn id(&mut self, id: &[u8]) -> BlockKey {
        let ids = self.ids.get_or_insert_default();
        BlockKey::Id(ids.hasher.hash_one(id))
    }

    /// The channel of a part of reasoning, which begins if it is not open; `None` if there are too many.
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

    /// A part of reasoning is over: its channel, if it was open.
    pub(super) fn end_thought(&mut self, key: BlockKey) -> Option<Channel> {
        let thoughts = &mut self.ids.as_mut()?.thoughts;
        let place = thoughts.iter().position(|other| *other == Some(key))?;
        thoughts[place] = None;
        Some(thought(place))
    }

    pub(super) fn is_block_open(&self, key: BlockKey) -> bool {
        self.blocks.open.iter().any(|block| block.key == key)
    }

    /// A block begins, unless it is open; `false` if there are too many.
    pub(super) fn begin_block(&mut self, key: BlockKey) -> bool {
        if self.is_block_open(key) {
            return true;
        }
        let blocks = &mut self.blocks;
        if blocks.open.len() == MAX_CHANNELS {
            return false;
        }
        let goes_on = blocks.last.take_if(|_| blocks.open.is_empty());
        blocks.open.push(Block {
            key,
            text: None,
            goes_on,
        });
        true
    }

    /// The text of a piece, empty or not, of a block, which begins if it is not open; `None` if there are too many.
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

    /// The text of a block, as far as it is known.
    pub(super) fn block(&self, key: BlockKey) -> Option<TextId> {
        let mut open = self.blocks.open.iter();
        let block = open.find(|block| block.key == key);
        block.map_or(self.blocks.last, |block| block.text.or(block.goes_on))
    }

    /// A block ends: its text, and whether no other block goes on with it.
    pub(super) fn end_block(&mut self, key: BlockKey) -> Option<(TextId, bool)> {
        let blocks = &mut self.blocks;
        let place = blocks.open.iter().position(|block| block.key == key)?;
        let block = blocks.open.remove(place);
        let text = block.text.or(block.goes_on);
        if blocks.open.is_empty() {
            blocks.last = text.or(blocks.last);
        }
        Some((text?, !blocks.open.is_empty()))
    }

    /// All blocks so far come before the next one. Gives the texts that it does not go on with.
    pub(super) fn end_blocks(&mut self) -> SmallVec<[TextId; 1]> {
        let blocks = &mut self.blocks;
        let Some(last) = blocks.open.pop() else {
            return SmallVec::new();
        };
        blocks.last = last.text.or(last.goes_on).or(blocks.last);
        let others = blocks.open.drain(..);
        others.filter_map(|block| block.text).collect()
    }

    /// A part is announced.
    pub(super) fn announce(&mut self, part: Channel) {
        let (item, number) = (part.index(), part.part().unwrap_or(0));
        let announced = &mut self.parts.announced;
        if let Some((_, most)) = announced.iter_mut().find(|(of, _)| *of == item) {
            *most = number.max(*most);
        } else if announced.len() < MAX_CHANNELS {
            announced.push((item, number));
        }
    }

    /// The part of a delta with these numbers, and whether the second only counts deltas; with whether the item has text already.
    pub(super) fn part_of(
        &mut self,
        channel: Channel,
        has_text: impl Fn(u32) -> bool,
    ) -> (Channel, bool) {
        let (item, part) = (channel.index(), channel.part().unwrap_or(0));
        let parts = &mut self.parts;
        if let Some(counted) = parts
            .counted
            .as_mut()
            .filter(|counted| counted.item == item)
        {
            if part == counted.last || counted.last.checked_add(1) == Some(part) {
                let is_odd = part != counted.last;
                counted.last = part;
                return (Channel::with_part(item, counted.first), is_odd);
            }
            // A count does not jump.
            parts.counted = None;
            return (channel, false);
        }
        let mut announced = parts.announced.iter();
        if part > 0 && !announced.any(|(of, most)| *of == item && part <= *most) && !has_text(item)
        {
            parts.counted = Some(Counted {
                item,
                first: part,
                last: part,
            });
        }
        (channel, false)
    }

    /// The part that numbers belong to by what came so far.
    pub(super) fn part(&self, channel: Channel) -> Channel {
        match &self.parts.counted {
            Some(counted) if counted.item == channel.index() => {
                Channel::with_part(counted.item, counted.first)
            }
            _ => channel,
        }
    }
}

/// The channel of a part of reasoning.
fn thought(place: usize) -> Channel {
    match u32::try_from(place) {
        Ok(place @ 1..) => Channel::with_part(0, place),
        _ => Channel::new(0),
    }
}
