//! The names that texts go by where a format's own numbers do not name them.

use super::Channel;

/// Most choices of which it is known that a message began.
const MAX_BEGUN: usize = 256;

/// Which text a number names.
///
/// Some servers of chat completions count `index` up with every delta of the one text. A number is taken for such a count
/// if it is new, one more than that of the last delta, which had the only delta of its number, and no message began with it
/// (`delta.role`). Its text then goes on with that of the last delta. Where a message begins with each delta,
/// [`Counting`](super::counting::Counting) finds out which of the two numbers do.
///
/// The text blocks of an Anthropic message are one text, which has the number of the first of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering {
    last: Option<LastDelta>,
    /// The number of the last delta in this event.
    in_event: Option<u32>,
    /// A number came again after another one, or two in one event: numbers name texts.
    is_named: bool,
    /// Numbers count deltas, as the stream has shown.
    is_counted: bool,
    /// The choices that a message began in.
    begun: Vec<u32>,
    /// The number of the first text block.
    first: Option<Channel>,
}

#[derive(Clone, Copy, Debug)]
struct LastDelta {
    number: u32,
    /// How many deltas in a row had this number.
    count: u32,
    /// The text they are of.
    text: Channel,
}

impl Numbering {
    /// An event begins.
    pub(super) const fn begin_event(&mut self) {
        self.in_event = None;
    }

    /// Numbers count deltas although a message begins with each.
    pub(super) const fn set_counted(&mut self) {
        self.is_counted = true;
    }

    /// A message begins in a choice.
    pub(super) fn begins(&mut self, number: u32) {
        if self.begun.contains(&number) {
            return;
        }
        if self.begun.len() < MAX_BEGUN {
            self.begun.push(number);
        } else {
            self.is_named = true;
        }
    }

    /// The text of a delta with this number, which is that of a text that is known or not; and whether the number only
    /// counts deltas.
    pub(super) fn text_of(&mut self, channel: Channel, is_known: bool) -> (Channel, bool) {
        let number = channel.index();
        let beside = self.in_event.replace(number);
        let is_other = self.last.is_some_and(|last| last.number != number);
        self.is_named |= beside.is_some_and(|other| other != number) || (is_known && is_other);
        if let Some(last) = &mut self.last {
            if last.number == number {
                last.count = last.count.saturating_add(1);
                return (last.text, false);
            }
            let is_next = last.number.checked_add(1) == Some(number);
            let is_new = !is_known && !self.is_named && !self.begun.contains(&number);
            if is_next && (self.is_counted || (last.count == 1 && is_new)) {
                last.number = number;
                return (last.text, true);
            }
        }
        self.last = Some(LastDelta {
            number,
            count: 1,
            text: channel,
        });
        (channel, false)
    }

    /// The text of a block with this number that is not empty.
    pub(super) fn one_text(&mut self, channel: Channel) -> Channel {
        *self.first.get_or_insert(channel)
    }

    /// The name of the text that a number belongs to by what came so far.
    pub(super) fn name_of(&self, channel: Channel, is_one_text: bool) -> Channel {
        if is_one_text {
            return self.first.unwrap_or(channel);
        }
        match self.last {
            Some(last) if last.number == channel.index() => last.text,
            _ => channel,
        }
    }
}
