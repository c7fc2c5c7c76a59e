//! From the data of an event to what it says, with the channels that are open.

use core::ops::Range;

use smallvec::SmallVec;

use super::again::{Again, Text};
use super::blocks::BlockEvent;
use super::event::{Event, Odd};
use super::formats::{DETECT, evidence};
use super::found::{Found, Raw, Repeats, Str};
use super::item::NoticeCode;
use super::numbering::Numbering;
use super::report::ReadReport;
use super::walk::automaton::{ROOT, Rule};
use super::walk::table::{ChannelOf, Role};
use super::walk::{Capture, Shape, Walk};
use super::{Channel, Format};

/// Most channels with text that are open at one time in a stream.
pub const MAX_CHANNELS: usize = 256;

/// Things that events commonly say; memory for more is given back.
const USUAL: usize = 64;

/// Reads events one after the other.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    /// What was asked for; else the format is that of the last event with evidence, until one has text.
    asked: Option<Format>,
    format: Option<Format>,
    /// An event of this format had text, so that it is certain.
    settled: bool,
    /// What the last event says, in order.
    pub(super) found: Vec<Found>,
    walk: Walk,
    again: Again,
    /// The channel of the last text, by its numbers in the event.
    channel_read: Channel,
    /// The channels with text that has not ended; at most [`MAX_CHANNELS`].
    channels: Vec<OpenChannel>,
    numbering: Numbering,
    ended: bool,
    /// The numbers of blocks are wanted, of every event.
    wants_blocks: bool,
    /// What the last event is to a text block, until it is taken.
    pub(super) block: Option<BlockEvent>,
    pub(super) report: ReadReport,
}

/// A channel whose text has begun.
#[derive(Clone, Copy, Debug)]
struct OpenChannel {
    channel: Channel,
    /// Its text is over, unless more follows.
    is_finishing: bool,
    /// The number of the last event that said so.
    finished_in: u64,
}

impl Reader {
    pub(super) fn new(asked: Option<Format>) -> Self {
        Self {
            asked,
            format: asked,
            settled: asked.is_some(),
            found: Vec::new(),
            walk: Walk::default(),
            again: Again::default(),
            channel_read: Channel::default(),
            channels: Vec::new(),
            numbering: Numbering::default(),
            ended: false,
            wants_blocks: false,
            block: None,
            report: ReadReport::default(),
        }
    }

    pub(super) const fn format(&self) -> Option<Format> {
        self.format
    }

    pub(super) fn reset(&mut self) {
        *self = Self::new(self.asked);
    }

    /// Reads an event with these data to [`found`](Self::found). The end of a channel is there if it is open, and text of a
    /// channel that is not open if it is not empty. All open channels end before an error and the end, which is there once.
    pub(super) fn read(&mut self, data: &[u8], is_streamed: bool) -> Odd {
        self.found.clear();
        self.numbering.begin_event();
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
        match self.found[..] {
            [Found::Text(_, at, repeatable)]
                if !at.is_empty()
                    && odd.is_none()
                    && self.settled
                    && !self.walk.has_begins
                    && !self.wants_blocks =>
            {
                let channel = self.channel_read;
                self.again.keep(
                    data,
                    Text {
                        channel,
                        at,
                        repeatable,
                    },
                );
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
            let known = self.channels.iter().any(|open| open.channel == channel);
            let (named, is_odd) = self.numbering.text_of(channel, known);
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
        if walk.has_begins {
            self.note_begins(&event);
        }
        let mut has_ends = false;
        for capture in &walk.captures {
            for rule in event.rules(capture) {
                has_ends |= rule.row.role.is_end();
                self.take(&mut event, capture, rule);
            }
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
    pub(super) const fn want_blocks(&mut self, wants: bool) {
        self.wants_blocks = wants;
        if wants {
            self.again.forget();
        }
    }

    /// Whether the last event may be one of a block.
    #[inline]
    pub(super) const fn may_be_of_block(&self) -> bool {
        self.block.is_some() || self.wants_blocks
    }

    /// The number of the block that the last event names, and where in its data the digits are.
    pub(super) fn block_number(&self, data: &[u8]) -> Option<(u32, Range<usize>)> {
        let (start, end) = self.walk.number_at;
        let range = start as usize..end as usize;
        let digits = core::str::from_utf8(data.get(range.clone())?).ok()?;
        Some((digits.parse().ok()?, range))
    }

    /// Numbers count deltas, as far as they do not come again.
    pub(super) const fn set_counted(&mut self) {
        self.numbering.set_counted();
    }

    /// Whether a channel is open.
    pub(super) fn is_open(&self, channel: Channel) -> bool {
        self.channels.iter().any(|open| open.channel == channel)
    }

    /// Closes all channels that are open; their ends are added to what was found.
    pub(super) fn close(&mut self) {
        self.channels.sort_unstable_by_key(|open| open.channel);
        for open in self.channels.drain(..) {
            self.found.push(Found::End(open.channel));
        }
    }

    fn done(&mut self) {
        self.close();
        if !core::mem::replace(&mut self.ended, true) {
            self.found.push(Found::Done);
        }
    }

    /// Adds what a value says that is not an end.
    fn take(&mut self, event: &mut Event<'_>, capture: &Capture, rule: &Rule) {
        let role = rule.row.role;
        if matches!(role, Role::Text | Role::Start | Role::Whole | Role::Quote) {
            return self.take_text(event, capture, rule);
        }
        if capture.superseded {
            return;
        }
        let channel = || event.channel(capture, rule.row.channel);
        match role {
            Role::Reasoning if capture.is_string() => {
                self.reasoning(event.data, channel(), Str::of(capture));
            }
            Role::Tool if capture.is_string() && capture.start < capture.end => {
                self.found.push(Found::Tool(channel(), Str::of(capture)));
            }
            Role::ToolJson => self
                .found
                .push(Found::ToolJson(channel(), Raw::of(capture))),
            Role::Part if event.is_set(capture) => self.add_break(rule, channel()),
            Role::Block => match &event.data[capture.range()] {
                b"text" | b"model_output" if !event.automaton.table.one_text => {}
                b"text" => self.block = self.block.or(Some(BlockEvent::Start)),
                _ => self.add_break(rule, channel()),
            },
            Role::BlockEnd => self.block = Some(BlockEvent::Stop),
            Role::Element => {
                self.block = Some(BlockEvent::Whole);
                self.found.push(Found::Element(Raw::of(capture)));
            }
            Role::Logprobs => {
                let channel = self.named(event, channel());
                self.found.push(Found::Logprobs(channel, Raw::of(capture)));
            }
            Role::Sequence => self.found.push(Found::Sequence(Raw::of(capture))),
            Role::Offset if capture.shape == Shape::Scalar => {
                let channel = self.named(event, channel());
                self.found.push(Found::Offset(channel, Raw::of(capture)));
            }
            _ => {}
        }
    }

    /// Notes the messages that begin in an event, before its text is read.
    fn note_begins(&mut self, event: &Event<'_>) {
        for capture in &event.walk.captures {
            for rule in event
                .rules(capture)
                .filter(|rule| rule.row.role == Role::Begins)
            {
                let channel = event.channel(capture, rule.row.channel);
                self.numbering.begins(channel.index());
            }
        }
    }

    /// Where a server writes reasoning in two members, they are the same.
    fn reasoning(&mut self, data: &[u8], channel: Channel, text: Str) {
        let is_again = |found: &Found| match found {
            Found::Reasoning(other, before) => {
                *other == channel && before.content(data) == text.content(data)
            }
            _ => false,
        };
        if !text.is_empty() && !self.found.last().is_some_and(is_again) {
            self.found.push(Found::Reasoning(channel, text));
        }
    }

    fn add_break(&mut self, rule: &Rule, channel: Channel) {
        let found = if rule.row.channel == ChannelOf::All {
            Found::BreakAll
        } else {
            let channel = self.numbering.name_of(channel, self.is_one_text());
            if !self.is_open(channel) {
                return;
            }
            Found::Break(channel)
        };
        if self.found.last() != Some(&found) {
            self.found.push(found);
        }
    }

    fn is_one_text(&self) -> bool {
        self.format
            .is_some_and(|format| format.automaton().table.one_text)
    }

    fn take_text(&mut self, event: &mut Event<'_>, capture: &Capture, rule: &Rule) {
        if !capture.is_string() {
            if !event.holds_text(capture) && !capture.superseded {
                event.odd = Some(NoticeCode::UnreadText);
            }
            return;
        }
        let (channel, text) = (event.channel(capture, rule.row.channel), Str::of(capture));
        if event.is_thought(capture) {
            if rule.row.role != Role::Whole {
                self.reasoning(event.data, channel, text);
            }
            return;
        }
        if rule.row.role == Role::Text && event.is_special(capture) {
            return;
        }
        let channel = match rule.row.role {
            Role::Text | Role::Start if !capture.superseded => {
                self.settled |= !text.is_empty();
                self.channel_read = channel;
                if rule.row.role == Role::Text && event.automaton.table.one_text {
                    self.block = Some(BlockEvent::Delta);
                }
                let (named, odd) = self.text_of(channel, text);
                event.odd = odd.or(event.odd);
                named
            }
            _ => self.named(event, channel),
        };
        if capture.superseded {
            self.found.push(Found::Quote(channel, text));
            return;
        }
        match rule.row.role {
            Role::Quote => self.found.push(Found::Quote(channel, text)),
            Role::Whole => self.whole(event, channel, text),
            role => {
                if self.begin(channel, text) {
                    self.found
                        .push(Found::Text(channel, text, role == Role::Text));
                } else if !text.is_empty() {
                    event.odd = Some(NoticeCode::LimitChannels);
                }
            }
        }
    }

    fn whole(&mut self, event: &Event<'_>, channel: Channel, text: Str) {
        let repeats = if self.is_open(channel) {
            Repeats::SoFar
        } else if event.is_streamed
            && !(event.automaton.table.whole_alone && self.report.text_bytes() == 0)
        {
            Repeats::All
        } else {
            self.settled |= !text.is_empty();
            Repeats::Nothing
        };
        self.found.push(Found::Whole(channel, text, repeats));
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

    /// Begins or continues a channel's text; `false` if there is none to begin or no room for one more.
    fn begin(&mut self, channel: Channel, text: Str) -> bool {
        if let Some(open) = self
            .channels
            .iter_mut()
            .find(|open| open.channel == channel)
        {
            if !text.is_empty() {
                open.is_finishing = false;
            }
            return true;
        }
        if text.is_empty() {
            return false;
        }
        if self.channels.len() == MAX_CHANNELS {
            let Some(over) = self.channels.iter().position(|open| open.is_finishing) else {
                return false;
            };
            let over = self.channels.remove(over);
            self.found.push(Found::End(over.channel));
        }
        self.channels.push(OpenChannel {
            channel,
            is_finishing: false,
            finished_in: 0,
        });
        true
    }

    /// Adds the ends that an event brings, after all else in it.
    #[cold]
    fn take_ends(&mut self, event: &Event<'_>) {
        let mut is_done = false;
        let mut error = None;
        for capture in event
            .walk
            .captures
            .iter()
            .filter(|capture| !capture.superseded)
        {
            let is_event = capture.node == ROOT;
            for rule in event.rules(capture) {
                let channel = event.channel(capture, rule.row.channel);
                match rule.row.role {
                    Role::Finish if is_event || event.is_finish(capture) => {
                        self.finish(self.named(event, channel));
                    }
                    Role::End if is_event || event.is_set(capture) => {
                        let is_all = rule.row.channel == ChannelOf::All;
                        let named = self.named(event, channel);
                        self.end(|open| is_all || open == named);
                    }
                    Role::EndAll => self.end(|open| open.index() == channel.index()),
                    Role::Error if is_event || event.is_set(capture) => {
                        error = error.filter(|_| is_event).or(Some(Raw::of(capture)));
                    }
                    Role::Done
                        if is_event
                            || capture.shape == Shape::Object
                            || event.data[capture.range()] == *b"true" =>
                    {
                        is_done = true;
                    }
                    _ => {}
                }
            }
        }
        if let Some(error) = error {
            self.close();
            self.found.push(Found::Error(error));
        }
        if is_done {
            self.done();
        }
        self.settle_repeats();
    }

    /// What repeats the text of a channel that ends in the same event repeats all of it.
    fn settle_repeats(&mut self) {
        let ends: SmallVec<[Channel; 4]> = self.found.iter().filter_map(Found::ended).collect();
        for found in &mut self.found {
            if let Found::Whole(channel, _, repeats @ Repeats::SoFar) = found
                && ends.contains(channel)
            {
                *repeats = Repeats::All;
            }
        }
    }

    /// Gives back memory that an unusual event needed.
    pub(super) fn trim(&mut self) {
        if self.found.capacity() > USUAL {
            self.found.clear();
            self.found.shrink_to(USUAL);
        }
        self.walk.trim();
    }

    fn finish(&mut self, channel: Channel) {
        if let Some(open) = self
            .channels
            .iter_mut()
            .find(|open| open.channel == channel)
        {
            // Of several reasons in an event one is enough.
            if open.finished_in != self.report.events() {
                open.finished_in = self.report.events();
                self.found.push(Found::Finish(channel));
            }
            open.is_finishing = true;
        }
    }

    fn end(&mut self, is_over: impl Fn(Channel) -> bool) {
        self.channels.sort_unstable_by_key(|open| open.channel);
        let found = &mut self.found;
        self.channels.retain(|open| {
            let is_over = is_over(open.channel);
            if is_over {
                found.push(Found::End(open.channel));
            }
            !is_over
        });
    }
}
