//! From the data of an event to what it says, with the channels that are open.

mod ends;
mod unread;
mod values;

use core::ops::Range;

use smallvec::SmallVec;

use self::unread::is_taken;
use crate::again::{Again, Text};
use crate::blocks::BlockEvent;
use crate::event::{Event, Odd};
use crate::formats::{DETECT, evidence};
use crate::found::{self, Found, Str};
use crate::item::NoticeCode;
use crate::numbering::Numbering;
use crate::pass_members::PassMembers;
use crate::report::ReadReport;
use crate::steps::{count, each};
use crate::walk::table::Role;
use crate::walk::{Capture, Walk};
use crate::{Channel, Format};

/// Most channels with text that are open at one time in a stream.
pub const MAX_CHANNELS: usize = 256;

/// Things that events commonly say; memory for more is given back.
const USUAL: usize = 64;

/// Reads events one after the other. What an event like the last one needs comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Reader {
    pub(crate) again: Again,
    pub(crate) report: ReadReport,
    /// What was asked for; else the format is that of the last event with evidence, until one has text.
    asked: Option<Format>,
    format: Option<Format>,
    /// An event of this format had text, so that it is certain.
    settled: bool,
    /// What the last event says, in order.
    pub(crate) found: Vec<Found>,
    walk: Walk,
    /// The channel of the last text, by its numbers in the event.
    channel_read: Channel,
    /// The channels with text that has not ended, sorted; at most [`MAX_CHANNELS`].
    channels: Vec<OpenChannel>,
    /// How many of them are finishing.
    finishing: usize,
    numbering: Numbering,
    ended: bool,
    /// All that is reasoning is wanted, and where it ends.
    pub(crate) wants_reasoning: bool,
    /// What a gate empties is wanted.
    pub(crate) wants_echoes: bool,
    /// The numbers of blocks are wanted, of every event.
    wants_blocks: bool,
    /// The paths of members that pass, though the format does not have them.
    pub(crate) passes: PassMembers,
    /// What the last event is to a text block, until it is taken.
    pub(crate) block: Option<BlockEvent>,
}

/// A channel whose text has begun.
#[derive(Clone, Copy, Debug)]
struct OpenChannel {
    channel: Channel,
    /// Its text is over, unless more follows.
    is_finishing: bool,
    /// The number of the last event that said so.
    finished_in: u64,
    /// Something other than text came after its last text.
    is_broken: bool,
}

impl Reader {
    pub(crate) fn new(asked: Option<Format>) -> Self {
        Self {
            asked,
            format: asked,
            settled: asked.is_some(),
            found: Vec::new(),
            walk: Walk::default(),
            again: Again::default(),
            channel_read: Channel::default(),
            channels: Vec::new(),
            finishing: 0,
            numbering: Numbering::default(),
            ended: false,
            wants_reasoning: false,
            wants_echoes: false,
            wants_blocks: false,
            passes: PassMembers::default(),
            block: None,
            report: ReadReport::default(),
        }
    }

    pub(crate) const fn format(&self) -> Option<Format> {
        self.format
    }

    pub(crate) fn reset(&mut self) {
        *self = Self {
            passes: core::mem::take(&mut self.passes),
            wants_reasoning: self.wants_reasoning,
            wants_echoes: self.wants_echoes,
            ..Self::new(self.asked)
        };
    }

    /// Reads an event with these data to [`found`](Self::found). The end of a channel is there if it is open, and text of a
    /// channel that is not open if it is not empty. All open channels end before an error and the end, which is there once.
    pub(crate) fn read(&mut self, data: &[u8], is_streamed: bool) -> Odd {
        count(data.len());
        self.found.clear();
        if let Some(text) = self.again.read(data) {
            return self.read_again(text);
        }
        self.block = None;
        match data.trim_ascii() {
            // Some servers keep a connection alive with it.
            b"" => return None,
            b"[DONE]" => {
                self.report.add_event();
                self.done();
                return None;
            }
            _ => {}
        }
        self.report.add_event();
        let mut walk = core::mem::take(&mut self.walk);
        let odd = self.walk(&mut walk, data, is_streamed);
        self.walk = walk;
        self.keep(data, odd);
        odd
    }

    /// Keeps an event that has one text and nothing else.
    fn keep(&mut self, data: &[u8], odd: Odd) {
        match found::alone(&self.found, data) {
            Some((_, at, repeatable, sequence))
                if !at.is_empty() && odd.is_none() && self.settled && !self.wants_blocks =>
            {
                let channel = self.channel_read;
                let text = Text {
                    channel,
                    at,
                    repeatable,
                    sequence,
                };
                self.again.keep(data, text, &mut self.walk.unread);
            }
            _ => self.again.forget(),
        }
    }

    /// Reads an event that differs from the last one in its text alone.
    fn read_again(&mut self, text: Text) -> Odd {
        self.report.add_event();
        let (channel, odd) = self.text_of(text.channel, text.at);
        if self.begin(channel, text.at) {
            self.found
                .push(Found::Text(channel, text.at, text.repeatable));
            if let Some(number) = text.sequence {
                self.found.push(Found::Sequence(number));
            }
        } else if !text.at.is_empty() {
            return Some(NoticeCode::LimitChannels);
        }
        odd
    }

    /// The channel of a text by its numbers, and whether they are odd.
    fn text_of(&mut self, channel: Channel, text: Str) -> (Channel, Odd) {
        let table = match self.format {
            Some(format) => format.automaton().table,
            None => DETECT.table,
        };
        if table.counts_up {
            let (named, is_odd) = self.numbering.text_of(channel);
            return (named, is_odd.then_some(NoticeCode::OddChannel));
        }
        if table.one_text {
            let named = match text.is_empty() {
                true => self.numbering.name_of(channel, true),
                false => self.numbering.one_text(channel),
            };
            return (named, None);
        }
        (channel, None)
    }

    fn walk(&mut self, walk: &mut Walk, data: &[u8], is_streamed: bool) -> Odd {
        if !self.settled {
            if walk.read(&DETECT, data).is_err() {
                return Some(NoticeCode::MalformedEvent);
            }
            self.format = evidence(walk, data).or(self.format);
        }
        if self.format.is_some() {
            self.report.format_is_known();
        }
        let automaton = match self.format {
            Some(format) => format.automaton(),
            None => &DETECT,
        };
        if (self.settled || self.format.is_some()) && walk.read(automaton, data).is_err() {
            return Some(NoticeCode::MalformedEvent);
        }
        let mut event = Event::new(automaton, walk, data, is_streamed);
        let (mut has_ends, mut is_error) = (false, false);
        let mut untaken: SmallVec<[Capture; 2]> = SmallVec::new();
        for capture in each(walk.captures.iter()) {
            for rule in event.rules(capture) {
                has_ends |= rule.row.role.is_end();
                is_error |= rule.row.role == Role::Error;
                self.take(&mut event, capture, rule);
            }
            if !is_taken(&event, capture) {
                untaken.push(*capture);
            }
        }
        if !(walk.untaken.is_empty() && untaken.is_empty()) {
            self.take_untaken(&mut event, &untaken, is_error);
        }
        if has_ends {
            self.take_ends(&event);
        }
        if self.format.is_none() && self.found.is_empty() {
            self.report.add_unknown();
        }
        if walk.bad_number {
            event.odd = event.odd.or(Some(NoticeCode::OddChannel));
        }
        event.odd
    }

    /// The numbers of blocks are wanted, of every event or no more.
    pub(crate) fn want_blocks(&mut self, wants: bool) {
        self.wants_blocks = wants;
        if wants {
            self.again.forget();
        }
    }

    /// Whether the last event may be one of a block.
    #[inline]
    pub(crate) const fn may_be_of_block(&self) -> bool {
        self.block.is_some() || self.wants_blocks
    }

    /// The number of the block that the last event names, and where in its data the digits are.
    pub(crate) fn block_number(&self, data: &[u8]) -> Option<(u32, Range<usize>)> {
        let (start, end) = self.walk.number_at;
        let range = start as usize..end as usize;
        let digits = core::str::from_utf8(data.get(range.clone())?).ok()?;
        Some((digits.parse().ok()?, range))
    }

    /// Numbers count deltas.
    pub(crate) const fn set_counted(&mut self) {
        self.numbering.set_counted();
    }

    /// Whether a channel is open.
    pub(crate) fn is_open(&self, channel: Channel) -> bool {
        self.place_of(channel).is_ok()
    }

    /// The place of a channel among those that are open, or where it would be.
    #[inline]
    fn place_of(&self, channel: Channel) -> Result<usize, usize> {
        self.channels
            .binary_search_by_key(&channel, |open| open.channel)
    }

    fn open(&mut self, channel: Channel) -> Option<&mut OpenChannel> {
        let place = self.place_of(channel).ok()?;
        self.channels.get_mut(place)
    }

    fn is_one_text(&self) -> bool {
        self.format
            .is_some_and(|format| format.automaton().table.one_text)
    }

    /// The channel that a value is about, by the names that its text goes by.
    fn named(&self, event: &Event<'_>, channel: Channel) -> Channel {
        let table = event.automaton.table;
        if table.one_text || table.counts_up {
            self.numbering.name_of(channel, table.one_text)
        } else {
            channel
        }
    }

    /// Begins or continues a channel's text; `false` without text to begin, or without room for one more.
    fn begin(&mut self, channel: Channel, text: Str) -> bool {
        let place = match self.place_of(channel) {
            Ok(place) => {
                if !text.is_empty() {
                    let open = &mut self.channels[place];
                    self.finishing -= usize::from(open.is_finishing);
                    open.is_finishing = false;
                    open.is_broken = false;
                }
                return true;
            }
            Err(_) if text.is_empty() => return false,
            Err(place) => place,
        };
        let mut place = place;
        if self.channels.len() == MAX_CHANNELS {
            if self.finishing == 0 {
                return false;
            }
            let mut channels = each(self.channels.iter());
            let Some(over) = channels.position(|open| open.is_finishing) else {
                return false;
            };
            self.finishing -= 1;
            self.found.push(Found::End(self.channels[over].channel));
            self.channels.remove(over);
            place -= usize::from(over < place);
        }
        if self.channels.is_empty() {
            // Most responses have one.
            self.channels.reserve_exact(1);
        }
        let open = OpenChannel {
            channel,
            is_finishing: false,
            finished_in: 0,
            is_broken: false,
        };
        count(self.channels.len() - place);
        self.channels.insert(place, open);
        true
    }

    /// Gives back memory that an unusual event needed.
    pub(crate) fn trim(&mut self) {
        if self.found.capacity() > USUAL {
            self.found.clear();
            self.found.shrink_to(USUAL);
        }
        self.walk.trim();
    }
}
