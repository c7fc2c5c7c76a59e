//! Reads the data of events to facts, and tracks the open channels.

mod ends;
mod unread;
mod values;

use core::ops::Range;

use smallvec::SmallVec;

use self::unread::is_taken;
use crate::again::{Again, RepeatedDelta};
use crate::blocks::BlockEvent;
use crate::channel::MAX_CHANNELS;
use crate::counting::Indices;
use crate::event::{Odd, WalkedEvent};
use crate::formats::{DETECT, evidence};
use crate::found::{self, Found, Piece, Str};
use crate::item::NoticeCode;
use crate::numbering::{BlockKey, Numbering};
use crate::pass_members::PassMembers;
use crate::report::ReadReport;
use crate::steps::{count, each};
use crate::text_id::TextId;
use crate::walk::automaton::{PathRule, ROOT};
use crate::walk::table::Role;
use crate::walk::{Capture, Walk};
use crate::{Channel, Format};

/// Number of facts that events commonly have; larger buffers are released.
const USUAL: usize = 64;

/// Reads events one after the other. The fields for events that match the template come first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct FactReader {
    pub(crate) again: Again,
    pub(crate) report: ReadReport,
    /// Format that the caller has named. If `None`, the format is that of the last event with evidence, until one has
    /// text.
    asked: Option<Format>,
    format: Option<Format>,
    /// The format is certain: the caller named it, or an event in it had text.
    settled: bool,
    /// Facts of the last event, in order.
    pub(crate) found: Vec<Found>,
    walk: Walk,
    /// Open texts, sorted; at most [`MAX_CHANNELS`].
    open: Vec<OpenText>,
    /// Number of open texts that have ended unless more follows.
    finishing: usize,
    numbering: Numbering,
    ended: bool,
    /// Some text came in deltas.
    has_deltas: bool,
    /// Full texts; `None` if there were none.
    full: Option<Box<FullTexts>>,
    /// Content other than text came after text.
    has_break: bool,
    /// Facts about reasoning and its ends are reported.
    pub(crate) wants_reasoning: bool,
    /// A gate reads: values that it empties are reported, and events whose text may be of several texts are not read.
    pub(crate) is_gated: bool,
    /// Block numbers of all events are needed.
    wants_blocks: bool,
    /// Name of the next server-sent event.
    name: Vec<u8>,
    /// The SSE name of some event equalled the type in its data.
    pub(crate) has_names: bool,
    /// The next event has the type `error`, whatever its data.
    pub(crate) is_error: bool,
    /// Nothing continues after the last event: no client reads further, or the event reports an error.
    pub(crate) ends_reading: bool,
    /// The last event had text that a gate did not read, because clients may read it as another text or not at all.
    pub(crate) has_lost_text: bool,
    /// Paths of members that pass although the format does not have them.
    pub(crate) passes: PassMembers,
    /// Relation of the last event to a text block.
    pub(crate) block: Option<BlockEvent>,
}

/// Full texts that repeat no deltas.
#[derive(Clone, Debug, Default)]
struct FullTexts {
    /// Texts that came as a whole before any delta; at most [`MAX_CHANNELS`].
    known: Vec<TextId>,
    /// Texts that are joined from parts of the event, in order.
    joined: Vec<TextId>,
}

/// Selects open texts.
#[derive(Clone, Copy, Debug)]
enum OpenTextSelector {
    All,
    /// Texts whose channel index is this one.
    Index(u32),
    Channel(Channel),
}

/// An open text.
#[derive(Clone, Copy, Debug)]
struct OpenText {
    id: TextId,
    /// The text has ended, unless more follows.
    is_finishing: bool,
    /// Number of the last event that set `is_finishing`.
    finished_in: u64,
    /// Other content came after the last delta.
    is_broken: bool,
    /// Another text of the channel is equal so far.
    is_again: bool,
    /// Number of bytes of the text's strings.
    read: u64,
}

impl FactReader {
    pub(crate) fn new(asked: Option<Format>) -> Self {
        Self {
            asked,
            format: asked,
            settled: asked.is_some(),
            found: Vec::new(),
            walk: Walk::default(),
            again: Again::default(),
            open: Vec::new(),
            finishing: 0,
            numbering: Numbering::default(),
            ended: false,
            has_deltas: false,
            full: None,
            has_break: false,
            wants_reasoning: false,
            is_gated: false,
            wants_blocks: false,
            name: Vec::new(),
            has_names: false,
            is_error: false,
            ends_reading: false,
            has_lost_text: false,
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
            is_gated: self.is_gated,
            ..Self::new(self.asked)
        };
    }

    /// Returns a reader for another response, in this format, with equal settings.
    pub(crate) fn of(&self, format: Format) -> Self {
        Self {
            passes: self.passes.clone(),
            wants_reasoning: self.wants_reasoning,
            is_gated: self.is_gated,
            ..Self::new(Some(format))
        }
    }

    /// Reads an event to [`found`](Self::found), and returns the diagnostic about it, if any. An end is reported only
    /// for an open text, and an empty delta only if the text is open. All open channels end before an error and
    /// before the end of the stream, which is reported once.
    pub(crate) fn read(&mut self, data: &[u8], is_streamed: bool) -> Odd {
        count(data.len());
        self.found.clear();
        self.ends_reading = false;
        let is_error = core::mem::take(&mut self.is_error);
        if !is_error && let Some(text) = self.again.read(data) {
            return self.read_again(text);
        }
        self.block = None;
        match data.trim_ascii() {
            // Some servers keep connections alive with empty events.
            b"" if !is_error => return None,
            b"" => {
                self.report.add_event();
                self.report_error(data);
                return None;
            }
            // OpenAI's clients stop at all data that begin like this.
            text if text.starts_with(b"[DONE]") => {
                self.report.add_event();
                if is_error {
                    self.report_error(data);
                }
                self.done();
                return (text.len() > b"[DONE]".len()).then_some(NoticeCode::MalformedEvent);
            }
            _ => {}
        }
        self.report.add_event();
        let mut walk = core::mem::take(&mut self.walk);
        let odd = self.walk(&mut walk, (data, is_error), is_streamed);
        self.walk = walk;
        if is_error {
            self.report_error(data);
        }
        self.keep(data, odd);
        odd
    }

    /// Learns the template from an event with one delta and nothing else of interest.
    fn keep(&mut self, data: &[u8], odd: Odd) {
        match found::alone(&self.found, data) {
            Some((id, at, repeatable, sequence))
                if !at.is_empty() && odd.is_none() && self.settled && !self.wants_blocks =>
            {
                let text = RepeatedDelta {
                    id,
                    at,
                    repeatable,
                    sequence,
                };
                self.again.keep(data, text, &mut self.walk.unread);
            }
            _ => self.again.forget(),
        }
    }

    /// Reports the facts of an event that matches the template.
    fn read_again(&mut self, text: RepeatedDelta) -> Odd {
        self.report.add_event();
        if let Some(begun) = self.begin(text.id, text.at, None) {
            let piece = Piece {
                is_repeatable: text.repeatable,
                is_again: false,
                ..begun
            };
            self.found.push(Found::Text(text.id, text.at, piece));
            if let Some(number) = text.sequence {
                self.found.push(Found::Sequence(number));
            }
        } else if !text.at.is_empty() {
            return Some(NoticeCode::LimitChannels);
        }
        None
    }

    /// Returns the text of a delta, by its numbers in the event, with the diagnostic about them; `None` if there are
    /// too many texts, or if a gate cannot know which one it is.
    fn text_of(
        &mut self,
        event: &WalkedEvent<'_>,
        capture: &Capture,
        rule: &PathRule,
    ) -> Option<(TextId, Odd)> {
        let table = event.automaton.table;
        let id = event.text_id(capture, rule);
        let (channel, is_odd) = if table.one_text {
            let key = self.block_key(event, id.channel);
            let is_empty = capture.start == capture.end;
            // A block that there is no room for says nothing about the others.
            let has_room = self.numbering.has_room_for_block();
            let has_begun = rule.row.role == Role::Start || self.numbering.is_block_open(key);
            if table.has_starts && has_room && !has_begun {
                self.end_blocks();
            }
            return Some((self.numbering.block_of(key, is_empty)?, None));
        } else if table.counts_up {
            self.numbering.choice_of(id.channel, self.is_gated)?
        } else if table.counts_parts {
            let open = &self.open;
            let has_text = |item| {
                let place = open.partition_point(|open| open.id.index() < item);
                open.get(place).is_some_and(|open| open.id.index() == item)
            };
            self.numbering
                .part_of(id.channel, self.is_gated, has_text)?
        } else {
            return Some((id, None));
        };
        let odd = is_odd.then_some(NoticeCode::OddChannel);
        Some((TextId { channel, ..id }, odd))
    }

    /// Returns the key of the block that an event names.
    fn block_key(&mut self, event: &WalkedEvent<'_>, channel: Channel) -> BlockKey {
        match &event.walk.id {
            Some(id) => self.numbering.id(&event.string(id)),
            None => BlockKey::Number(channel.index()),
        }
    }

    fn walk(
        &mut self,
        walk: &mut Walk,
        (data, is_named_error): (&[u8], bool),
        is_streamed: bool,
    ) -> Odd {
        if !self.settled
            && let Some(odd) = self.detect(walk, data)
        {
            return Some(odd);
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
        if walk.has_too_many {
            return Some(NoticeCode::OversizedEvent);
        }
        let mut event = WalkedEvent::new(automaton, walk, data, is_streamed);
        let is_late = self.ends_before(&event);
        let is_odd = is_late || self.is_odd(walk, &event);
        if is_odd && self.is_gated {
            // The gate withholds this event, so its facts are not reported.
            self.has_lost_text = event.has_text();
            return Some(NoticeCode::AmbiguousEvent);
        }
        let (mut has_ends, mut is_error) = (false, is_named_error);
        let mut untaken: SmallVec<[Capture; 2]> = SmallVec::new();
        self.has_lost_text = false;
        event.is_withheld = walk.is_repeated && self.is_gated;
        for capture in each(walk.captures.iter()) {
            for rule in event.rules(capture) {
                if event.is_withheld && !rule.row.role.is_text() {
                    self.take_withheld(&event, capture, rule);
                    continue;
                }
                has_ends |= rule.row.role.is_end();
                is_error |= match rule.row.role {
                    Role::Error => capture.node == ROOT || event.is_set(capture),
                    Role::ErrorName => true,
                    Role::ErrorCode => event.is_error_code(capture),
                    Role::ErrorKind => event.is_failure(capture),
                    _ => false,
                };
                self.take(&mut event, capture, rule);
            }
            if !is_taken(&event, capture) {
                untaken.push(*capture);
            }
        }
        if !(walk.untaken.is_empty() && untaken.is_empty()) {
            self.take_untaken(&mut event, &untaken, is_error);
        }
        let control = automaton.table.control;
        let is_other_type =
            || event.bit == 0 && event.is_other_type(control, self.numbering.has_open_block());
        if !control.is_empty() && !event.is_withheld && is_other_type() {
            self.break_all();
        }
        // Frames of Bedrock are without their names, and one with a number alone ends a block.
        let is_bare = automaton.table.one_text
            && walk.captures.is_empty()
            && !event.is_withheld
            && walk.kind.is_none()
            && walk.number_at.1 > 0;
        if is_bare {
            self.end_bare_block(&event);
        }
        if self.has_joined() {
            self.end_joined();
        }
        if has_ends {
            self.take_ends(&event, is_named_error);
        }
        if self.format.is_none() && self.found.is_empty() {
            self.report.add_unknown();
        }
        if is_odd || walk.is_repeated {
            event.odd = event.odd.or(Some(NoticeCode::AmbiguousEvent));
        }
        event.odd
    }

    /// Returns `true` if clients can read an event as different texts.
    fn is_odd(&mut self, walk: &Walk, event: &WalkedEvent<'_>) -> bool {
        walk.is_odd() || self.is_misnamed(event) || self.has_odd_part(walk, event)
    }

    /// Returns `true` if an event has more text of a block that has ended, after a later block has begun: clients append it to
    /// the first block, which a text that goes on from block to block cannot follow. Other texts end before it.
    fn ends_before(&mut self, event: &WalkedEvent<'_>) -> bool {
        let is_late = event.automaton.table.one_text
            && event.walk.id.is_none()
            && event.walk.captures.iter().any(|capture| {
                event.rules(capture).any(|rule| {
                    let number = event.text_id(capture, rule).index();
                    let is_text = rule.row.role == Role::Text && capture.start < capture.end;
                    is_text && self.numbering.is_block_over(number)
                })
            });
        if is_late && !self.is_gated {
            self.break_all();
        }
        is_late
    }

    /// Returns `true` if a part has an invalid number that decides to which text a string belongs.
    fn has_odd_part(&self, walk: &Walk, event: &WalkedEvent<'_>) -> bool {
        if !walk.has_odd_part() || !event.automaton.table.parts_reasoning {
            return walk.has_odd_part();
        }
        // Texts have no parts there, and servers number tool calls as they like.
        self.wants_reasoning
            && walk.captures.iter().any(|capture| {
                let mut rules = event.rules(capture);
                let is_reasoning = |role| matches!(role, Role::Reasoning | Role::ReasoningWhole);
                rules.any(|rule| is_reasoning(rule.row.role)) && walk.is_in_odd_part(capture)
            })
    }

    /// Detects the format by an event, and returns the diagnostic about it, if any.
    #[cold]
    fn detect(&mut self, walk: &mut Walk, data: &[u8]) -> Odd {
        if walk.read(&DETECT, data).is_err() {
            return Some(NoticeCode::MalformedEvent);
        }
        let shown = evidence(walk, data);
        // A format that an earlier event has shown stays.
        let is_known = self.format.is_some_and(|format| shown.has(format));
        if shown.is_ambiguous() && !is_known {
            return Some(NoticeCode::AmbiguousFormat);
        }
        if !is_known {
            let format = shown.only().or(self.format);
            if self.format.is_some() && format != self.format {
                // Blocks that were counted for the other format do not count.
                self.numbering = Numbering::default();
            }
            self.format = format;
        }
        None
    }

    /// Sets the name of the next server-sent event, which is empty without one.
    #[inline]
    pub(crate) fn set_name(&mut self, name: &[u8]) {
        if name.is_empty() && self.name.is_empty() {
            return;
        }
        // No type is longer.
        const LONGEST: usize = 64;
        let name = &name[..name.len().min(LONGEST)];
        if self.name != name {
            self.name.clear();
            self.name.extend_from_slice(name);
            self.again.forget();
        }
    }

    /// Returns `true` if the name of a server-sent event contradicts the type in its data. Some SDKs go by the name,
    /// others by the data.
    fn is_misnamed(&mut self, event: &WalkedEvent<'_>) -> bool {
        let name = &self.name[..];
        match event.kind() {
            // An event named `error` is an error, whatever type its data have.
            _ if name == b"error" => false,
            // These are events of assistants, which clients of chat completions pass over.
            _ if self.format == Some(Format::OpenAiChat) && name.starts_with(b"thread.") => true,
            None => false,
            Some(_) if event.bit | event.automaton.type_bit(name) == 0 => false,
            // An event without a name counts as named `message`. Anthropic's SDKs ignore such
            // events.
            Some(_) if matches!(name, b"" | b"message") => {
                self.has_names && self.format == Some(Format::Anthropic)
            }
            Some(kind) => {
                let is_same = *kind == *name;
                self.has_names |= is_same;
                !is_same
            }
        }
    }

    /// Sets whether the block numbers of all events are needed.
    pub(crate) fn want_blocks(&mut self, wants: bool) {
        self.wants_blocks = wants;
        if wants {
            self.again.forget();
        }
    }

    /// Returns `true` if the last event may belong to a block.
    #[inline]
    pub(crate) const fn may_be_of_block(&self) -> bool {
        self.block.is_some() || self.wants_blocks
    }

    /// Returns the block number in the last event, and the range of its digits in the data.
    pub(crate) fn block_number(&self, data: &[u8]) -> Option<(u32, Range<usize>)> {
        let (start, end) = self.walk.number_at;
        let range = start as usize..end as usize;
        let digits = core::str::from_utf8(data.get(range.clone())?).ok()?;
        Some((digits.parse().ok()?, range))
    }

    /// Records what the indices of choices mean.
    pub(crate) const fn set_indices(&mut self, indices: Indices) {
        match indices {
            Indices::Unknown { .. } if self.is_gated => self.numbering.set_unknown(),
            Indices::Count | Indices::Unknown { count: true } => self.numbering.set_counted(),
            Indices::Name | Indices::Unknown { count: false } => {}
        }
    }

    /// Returns `true` if a gate could not assign some delta to a text; its annotations may belong to any
    /// text.
    pub(crate) const fn is_lost(&self) -> bool {
        self.numbering.is_lost()
    }

    /// Returns `true` if some text came in deltas.
    pub(crate) const fn has_deltas(&self) -> bool {
        self.has_deltas
    }

    /// Returns the numbers of the choices of the last event.
    pub(crate) fn choices(&self) -> impl Iterator<Item = u32> {
        let scopes = self.walk.scopes.iter();
        scopes.filter_map(|scope| scope.numbers[0])
    }

    /// Returns `true` if a text is open.
    pub(crate) fn is_open(&self, id: TextId) -> bool {
        self.place_of(id).is_ok()
    }

    /// Returns the index of an open text, or the index for inserting it.
    #[inline]
    fn place_of(&self, id: TextId) -> Result<usize, usize> {
        // Most responses have one text.
        if let [only] = &*self.open
            && only.id == id
        {
            return Ok(0);
        }
        self.open.binary_search_by_key(&id, |open| open.id)
    }

    /// Returns the indices of the selected open texts.
    fn places(&self, of: OpenTextSelector) -> Range<usize> {
        let (from, rest) = match of {
            OpenTextSelector::All => return 0..self.open.len(),
            OpenTextSelector::Index(index) => {
                let from = self.open.partition_point(|open| open.id.index() < index);
                let rest = self.open[from..].iter();
                (
                    from,
                    rest.take_while(|open| open.id.index() == index).count(),
                )
            }
            OpenTextSelector::Channel(channel) => {
                let from = self.open.partition_point(|open| open.id.channel < channel);
                let rest = self.open[from..].iter();
                let len = rest.take_while(|open| open.id.channel == channel).count();
                (from, len)
            }
        };
        from..from + rest
    }

    /// The text that a value is about, by the names that its pieces go by.
    fn named(&mut self, event: &WalkedEvent<'_>, id: TextId) -> TextId {
        let table = event.automaton.table;
        if table.one_text {
            let key = self.block_key(event, id.channel);
            return self.numbering.block(key).unwrap_or(id);
        }
        let channel = if table.counts_up {
            self.numbering.choice(id.channel)
        } else if table.counts_parts {
            self.numbering.part(id.channel)
        } else {
            id.channel
        };
        TextId { channel, ..id }
    }

    /// Begins or continues a text, perhaps with the piece that another text of its channel has in the same event; what it is
    /// then. `None` without text to begin, or without room for one more.
    fn begin(&mut self, id: TextId, text: Str, like: Option<TextId>) -> Option<Piece> {
        let len = text.range().len() as u64;
        let before = match like {
            Some(like) => self.read_of(like).and_then(|read| read.checked_sub(len)),
            None => None,
        };
        let mut place = match self.place_of(id) {
            Ok(place) => {
                let open = &mut self.open[place];
                let is_at_end = open.is_finishing;
                if len > 0 {
                    self.finishing -= usize::from(open.is_finishing);
                    open.is_finishing = false;
                    open.is_broken = false;
                    open.is_again &= before == Some(open.read);
                    open.read += len;
                }
                return Some(Piece {
                    is_repeatable: true,
                    is_again: open.is_again,
                    is_after_break: false,
                    is_at_end,
                    is_joined: false,
                });
            }
            Err(_) if len == 0 => return None,
            Err(place) => place,
        };
        if self.open.len() == MAX_CHANNELS {
            if self.finishing == 0 {
                return None;
            }
            let over = each(self.open.iter()).position(|open| open.is_finishing)?;
            self.finishing -= 1;
            let ended = self.open.remove(over).id;
            place -= usize::from(over < place);
            self.found.push(Found::MakesRoom(ended));
            if self
                .places(OpenTextSelector::Channel(ended.channel))
                .is_empty()
            {
                self.found.push(Found::Ended(ended.channel));
            }
        }
        if self.open.is_empty() {
            // Most responses have one.
            self.open.reserve_exact(1);
        }
        let is_again = before == Some(0);
        let open = OpenText {
            id,
            is_finishing: false,
            finished_in: 0,
            is_broken: false,
            is_again,
            read: len,
        };
        count(self.open.len() - place);
        self.open.insert(place, open);
        Some(Piece {
            is_repeatable: true,
            is_again,
            is_after_break: self.has_break,
            is_at_end: false,
            is_joined: false,
        })
    }

    #[cold]
    fn read_of(&self, id: TextId) -> Option<u64> {
        let place = self.place_of(id).ok()?;
        Some(self.open[place].read)
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
