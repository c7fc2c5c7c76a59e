//! The names that texts go by where a format's own numbers do not name them.

use super::Channel;

/// Which text a number names.
///
/// Some servers of chat completions count `index` up with every delta of the one text.
/// [`Counting`](super::counting::Counting) finds out whether numbers do. If so, a number that is one more than that of the last
/// delta goes on with its text.
///
/// The text blocks of an Anthropic message are one text, which has the number of the first of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering {
    last: Option<LastDelta>,
    /// Numbers count deltas, as the stream has shown.
    is_counted: bool,
    /// The number of the first text block.
    first: Option<Channel>,
}

#[derive(Clone, Copy, Debug)]
struct LastDelta {
    number: u32,
    /// The text it is of.
    text: Channel,
}

impl Numbering {
    /// Numbers count deltas.
    pub(super) const fn set_counted(&mut self) {
        self.is_counted = true;
    }

    /// The text of a delta with this number, and whether the number only counts deltas.
    pub(super) fn text_of(&mut self, channel: Channel) -> (Channel, bool) {
        let number = channel.index();
        if let Some(last) = &mut self.last {
            if last.number == number {
                return (last.text, false);
            }
            if self.is_counted && last.number.checked_add(1) == Some(number) {
                last.number = number;
                return (last.text, true);
            }
            // A count does not jump.
            self.is_counted = false;
        }
        self.last = Some(LastDelta {
            number,
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
