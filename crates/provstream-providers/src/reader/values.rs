//! Facts from the values of an event.

use super::{FactReader, OpenTextSelector};
use crate::Channel;
use crate::blocks::BlockEvent;
use crate::channel::MAX_CHANNELS;
use crate::event::{WalkedEvent, is_blank};
use crate::found::{Found, Piece, Raw, Repeats, Str};
use crate::item::NoticeCode;
use crate::steps::each;
use crate::text_id::{Member, TextId};
use crate::walk::automaton::PathRule;
use crate::walk::table::{ChannelOf, Role};
use crate::walk::{Capture, Shape};

/// Things that an event says, at most, between two members with one piece.
const NEXT: usize = 8;

impl FactReader {
    /// Adds what a value says that is not an end.
    pub(super) fn take(&mut self, event: &mut WalkedEvent<'_>, capture: &Capture, rule: &PathRule) {
        let role = rule.row.role;
        if role.is_text() {
            return self.take_text(event, capture, rule);
        }
        // Some client may read an earlier one of repeated members.
        if capture.superseded {
            match role {
                Role::Logprobs | Role::Echo => {}
                Role::Reasoning | Role::ReasoningWhole if self.wants_reasoning => {
                    return self.add_echo(capture);
                }
                _ => return,
            }
        }
        let channel = || event.channel(capture, rule.row.channel);
        let id = || event.text_id(capture, rule);
        match role {
            Role::Reasoning if capture.is_string() => {
                self.reasoning(event, capture, id());
            }
            Role::ReasoningWhole if capture.is_string() => {
                self.reasoning_whole(event, id(), Str::of(capture));
            }
            Role::ReasoningStart => {
                self.has_break |= self.report.text_bytes() > 0;
                self.break_before_reasoning(event, id());
            }
            Role::ReasoningEnd => self.end_reasoning(event, channel()),
            Role::Tool if capture.is_string() && capture.start < capture.end => {
                self.found.push(Found::Tool(channel(), Str::of(capture)));
            }
            Role::ToolJson => self
                .found
                .push(Found::ToolJson(channel(), Raw::of(capture))),
            Role::Part if event.is_set(capture) => self.add_break(event, rule, id()),
            Role::Holder if event.is_other_part(capture) => self.add_break(event, rule, id()),
            Role::Block => self.take_kind(event, capture, rule),
            Role::BlockStart => {
                // Clients add what follows to the new one of two blocks with a name.
                self.end_block(event, channel());
                self.begin_block(event, channel());
            }
            Role::Announced => self.numbering.announce(channel()),
            Role::InBlockStart => self.block = Some(BlockEvent::Start),
            Role::InBlock => self.block = self.block.or(Some(BlockEvent::Delta)),
            Role::BlockEnd => self.block = Some(BlockEvent::Stop),
            Role::Element => {
                self.end_blocks();
                self.block = Some(BlockEvent::Whole);
                self.found.push(Found::Element(Raw::of(capture)));
            }
            Role::Logprobs => {
                let channel = self.named(event, id()).channel;
                self.found.push(Found::Logprobs(channel, Raw::of(capture)));
            }
            Role::Echo => self.add_echo(capture),
            Role::Sequence => self.found.push(Found::Sequence(Raw::of(capture))),
            Role::Offset | Role::PromptOffset
                if matches!(capture.shape, Shape::Scalar | Shape::Plain) =>
            {
                let of_prompt = role == Role::PromptOffset;
                let id = self.named(event, id());
                self.found
                    .push(Found::Offset(id, Raw::of(capture), of_prompt));
            }
            _ => {}
        }
    }

    /// Takes the kind of a block that begins.
    fn take_kind(&mut self, event: &WalkedEvent<'_>, capture: &Capture, rule: &PathRule) {
        let is_one_text = event.automaton.table.one_text;
        let channel = || event.channel(capture, rule.row.channel);
        match &*event.string(capture) {
            b"text" | b"message" | b"model_output" if !is_one_text => {}
            b"text" => {
                self.block = self.block.or(Some(BlockEvent::Start));
                self.begin_block(event, channel());
            }
            _ => {
                if is_one_text {
                    self.block = self.block.or(Some(BlockEvent::OtherStart));
                }
                if event.is_kind(capture) {
                    self.break_before_block(event, rule, event.text_id(capture, rule));
                } else if is_one_text {
                    self.begin_block(event, channel());
                }
            }
        }
    }

    /// Takes a value of an event that a gate withholds: only what texts begin counts, so that they stay apart.
    #[cold]
    pub(super) fn take_withheld(
        &mut self,
        event: &WalkedEvent<'_>,
        capture: &Capture,
        rule: &PathRule,
    ) {
        let channel = event.channel(capture, rule.row.channel);
        match rule.row.role {
            Role::Block if *event.string(capture) == *b"text" => self.begin_block(event, channel),
            Role::BlockStart => self.begin_block(event, channel),
            Role::Announced => self.numbering.announce(channel),
            _ => {}
        }
    }

    fn add_echo(&mut self, capture: &Capture) {
        if self.is_gated {
            self.found
                .push(Found::Echo(Raw::of(capture), capture.shape));
        }
    }

    fn begin_block(&mut self, event: &WalkedEvent<'_>, channel: Channel) {
        let key = self.block_key(event, channel);
        self.numbering.begin_block(key);
    }

    /// The reasoning of a channel, or of the part that an event names, is over.
    fn end_reasoning(&mut self, event: &WalkedEvent<'_>, channel: Channel) {
        if !self.wants_reasoning {
            return;
        }
        self.found.push(match &event.walk.id {
            None => Found::ReasoningEnd(channel),
            Some(id) => {
                let key = self.numbering.id(&event.string(id));
                match self.numbering.end_thought(key) {
                    Some(channel) => Found::ReasoningPartEnd(channel),
                    None => return,
                }
            }
        });
    }

    /// Reads a delta of reasoning. If a server writes reasoning in two members, they are equal.
    fn reasoning(&mut self, event: &mut WalkedEvent<'_>, capture: &Capture, mut id: TextId) {
        let text = Str::of(capture);
        if let Some(part) = event.walk.id.filter(|_| self.wants_reasoning) {
            let key = self.numbering.id(&event.string(&part));
            match self.numbering.thought(key) {
                Some(channel) => id.channel = channel,
                None => {
                    event.odd = Some(NoticeCode::LimitChannels);
                    return;
                }
            }
        }
        if event.automaton.table.parts_reasoning {
            id.member = Member::Reasoning(capture.node);
        }
        let is_again = |found: &Found| match found {
            Found::Reasoning(other, before, _) => {
                other.channel.index() == id.channel.index()
                    && before.content(event.data) == text.content(event.data)
            }
            _ => false,
        };
        if !text.is_empty() {
            if !is_blank(text.content(event.data)) {
                self.break_before_reasoning(event, id);
            }
            let is_again = self.found.iter().rev().take(NEXT).any(is_again);
            self.found.push(Found::Reasoning(id, text, is_again));
        }
    }

    /// Reasoning comes after the text of its channel, unless the same event has both in different members.
    #[cold]
    fn break_before_reasoning(&mut self, event: &WalkedEvent<'_>, id: TextId) {
        let is_all = event.automaton.table.one_text;
        let of = match is_all {
            true => OpenTextSelector::All,
            false => OpenTextSelector::Index(id.index()),
        };
        let places = self.places(of);
        let mut open = self.open[places].iter();
        if open.any(|open| !open.is_broken) && !event.has_text_of(id.index()) {
            self.push_breaks(of);
        }
    }

    fn reasoning_whole(&mut self, event: &WalkedEvent<'_>, id: TextId, text: Str) {
        if !text.is_empty() && self.has_joined() {
            self.push_breaks(OpenTextSelector::Index(id.index()));
        }
        if !text.is_empty() && (self.wants_reasoning || !event.is_streamed) {
            let found = Found::ReasoningWhole(id, text, event.is_streamed);
            self.found.push(found);
        }
    }

    /// Notes that something other than text comes, in one channel or in all.
    pub(super) fn add_break(&mut self, event: &WalkedEvent<'_>, rule: &PathRule, id: TextId) {
        if rule.row.channel == ChannelOf::All || event.automaton.table.one_text {
            return self.break_all();
        }
        let named = self.named(event, id).channel;
        self.push_breaks(OpenTextSelector::Channel(named));
    }

    /// Adds the break before a block other than text, which comes before the reasoning that the block begins with.
    fn break_before_block(&mut self, event: &WalkedEvent<'_>, rule: &PathRule, id: TextId) {
        let before = self.found.len();
        self.add_break(event, rule, id);
        let is_reasoning = |found: &Found| matches!(found, Found::Reasoning(..));
        if self.block != Some(BlockEvent::Whole)
            && let Some(first) = self.found.iter().position(is_reasoning)
        {
            let added = self.found.len() - before;
            self.found[first..].rotate_right(added);
        }
    }

    /// Notes that something other than text comes in all channels.
    pub(super) fn break_all(&mut self) {
        if self.last_break() != Some(Found::BreakAll) {
            self.found.push(Found::BreakAll);
        }
        self.push_broken(OpenTextSelector::All);
    }

    /// Notes that something other than text comes in the channels of some texts.
    fn push_breaks(&mut self, of: OpenTextSelector) {
        for place in each(self.places(of)) {
            let open = &self.open[place];
            if self.last_break() != Some(Found::Break(open.id)) {
                self.found.push(Found::Break(open.id));
            }
        }
        self.push_broken(of);
    }

    fn push_broken(&mut self, of: OpenTextSelector) {
        self.has_break |= self.report.text_bytes() > 0;
        let places = self.places(of);
        for open in each(self.open[places].iter_mut()) {
            let broken = Found::Broken(open.id.channel);
            if !core::mem::replace(&mut open.is_broken, true) && self.found.last() != Some(&broken)
            {
                self.found.push(broken);
            }
        }
    }

    /// The last thing that was found, if it is a break.
    fn last_break(&self) -> Option<Found> {
        let is_broken = |found: &&Found| matches!(found, Found::Broken(_));
        let mut found = each(self.found.iter().rev());
        found.find(|found| !is_broken(found)).copied()
    }

    pub(super) fn take_text(
        &mut self,
        event: &mut WalkedEvent<'_>,
        capture: &Capture,
        rule: &PathRule,
    ) {
        if !capture.is_string() {
            if !event.holds_text(capture) && !capture.superseded {
                event.odd = Some(NoticeCode::UnreadText);
            }
            return;
        }
        let (id, text) = (event.text_id(capture, rule), Str::of(capture));
        let role = rule.row.role;
        if event.is_thought(capture) {
            if capture.superseded && self.is_gated {
                if self.wants_reasoning {
                    self.add_echo(capture);
                }
            } else if matches!(role, Role::Text | Role::Quote) {
                self.reasoning(event, capture, id);
            } else {
                self.reasoning_whole(event, id, text);
            }
            return;
        }
        if role == Role::Text && event.is_other(capture) {
            return self.leave_text(event, capture);
        }
        if role == Role::Text && event.is_mark(capture) {
            return;
        }
        if capture.superseded && self.is_gated {
            return self.leave_text(event, capture);
        }
        if capture.superseded {
            let named = self.named(event, id);
            self.found.push(Found::Quote(named, text));
            return;
        }
        match role {
            Role::Text | Role::Start => self.piece(event, capture, rule),
            Role::Alone if !self.has_deltas => self.piece(event, capture, rule),
            Role::Initial if !self.is_begun(event, id) => self.piece(event, capture, rule),
            Role::WholePart => {
                let named = self.named(event, id);
                if self.is_joined(event, named) {
                    self.settled |= !text.is_empty();
                    self.add_piece(event, named, text, false);
                } else {
                    self.whole(event, named, text);
                }
            }
            Role::Quote | Role::Alone => {
                let named = self.named(event, id);
                self.found.push(Found::Quote(named, text));
            }
            Role::Message if self.is_delta(event, capture, id) => {
                let named = self.named(event, id);
                let id = TextId {
                    member: Member::Message,
                    ..named
                };
                self.add_piece(event, id, text, true);
            }
            _ => {
                let named = self.named(event, id);
                self.whole(event, named, text);
            }
        }
    }

    /// Leaves text in a delta of another kind, which some client may show.
    fn leave_text(&mut self, event: &WalkedEvent<'_>, capture: &Capture) {
        let path = event.automaton.path(capture.node);
        if capture.start < capture.end && (capture.superseded || !self.passes.has(path)) {
            self.report.add_member(path);
            self.found.push(Found::Unread(Str::of(capture)));
        }
    }

    /// Adds the next piece of a text.
    fn piece(&mut self, event: &mut WalkedEvent<'_>, capture: &Capture, rule: &PathRule) {
        let text = Str::of(capture);
        self.settled |= !text.is_empty();
        if rule.row.role == Role::Text && event.automaton.table.one_text {
            self.block = Some(BlockEvent::Delta);
        }
        let Some((id, odd)) = self.text_of(event, capture, rule) else {
            if !text.is_empty() {
                event.odd = Some(NoticeCode::LimitChannels);
            }
            return;
        };
        event.odd = event.odd.or(odd);
        self.has_deltas |= !text.is_empty() && rule.row.role != Role::Alone;
        self.add_piece(event, id, text, rule.row.role == Role::Text);
    }

    fn add_piece(
        &mut self,
        event: &mut WalkedEvent<'_>,
        id: TextId,
        text: Str,
        is_repeatable: bool,
    ) {
        let near = self.found.iter().rev().take(NEXT);
        let like = near.into_iter().find_map(|found| match found {
            Found::Text(of, before, _)
                if of.channel == id.channel
                    && !matches!(of.member, Member::Message)
                    && of.member != id.member
                    && before.equals(text, event.data) =>
            {
                Some(*of)
            }
            _ => None,
        });
        match self.begin(id, text, like) {
            Some(begun) => {
                let piece = Piece {
                    is_repeatable,
                    is_again: begun.is_again || id.member == Member::Message,
                    is_joined: self.is_joining(id),
                    ..begun
                };
                self.found.push(Found::Text(id, text, piece));
            }
            None if !text.is_empty() => event.odd = Some(NoticeCode::LimitChannels),
            None => {}
        }
    }

    /// Returns `true` if a part of a full text is joined to those before, because the text itself is in the parts.
    fn is_joined(&mut self, event: &WalkedEvent<'_>, id: TextId) -> bool {
        if self.is_joining(id) {
            return true;
        }
        let is_first = !self.is_open(id) && (!event.is_streamed || self.is_first_whole(id));
        if is_first {
            self.full.get_or_insert_default().joined.push(id);
        }
        is_first
    }

    /// Returns `true` if the last part of the event was of this text.
    fn is_joining(&self, id: TextId) -> bool {
        let full = self.full.as_ref();
        full.is_some_and(|full| full.joined.last() == Some(&id))
    }

    /// Returns `true` if a text of the event is joined from parts.
    pub(super) fn has_joined(&self) -> bool {
        let full = self.full.as_ref();
        full.is_some_and(|full| !full.joined.is_empty())
    }

    /// Returns `true` if the text of a part has begun.
    fn is_begun(&mut self, event: &WalkedEvent<'_>, id: TextId) -> bool {
        let named = self.named(event, id);
        !event.is_streamed || self.is_open(named)
    }

    /// Returns `true` if a message repeats the delta of its event, and did so in all events so far.
    fn is_delta(&mut self, event: &WalkedEvent<'_>, capture: &Capture, id: TextId) -> bool {
        if !event.is_streamed || capture.start == capture.end {
            return false;
        }
        let content = self.named(event, id);
        let message = TextId {
            member: Member::Message,
            ..content
        };
        let repeats = event.repeats_delta(capture);
        if self.is_open(message) {
            if !repeats {
                // It repeats all of the text, of which the first piece was the first delta.
                if let Ok(place) = self.place_of(message) {
                    let open = self.open.remove(place);
                    self.finishing -= usize::from(open.is_finishing);
                }
                self.found.push(Found::Forget(message));
            }
            return repeats;
        }
        let before = self.read_of(content).unwrap_or(0);
        let mut near = self.found.iter().rev().take(NEXT);
        let delta = match near.any(|found| matches!(found, Found::Text(of, ..) if *of == content)) {
            true => (capture.end - capture.start) as u64,
            false => 0,
        };
        repeats && before == delta
    }

    pub(super) fn whole(&mut self, event: &WalkedEvent<'_>, id: TextId, text: Str) {
        let repeats = if self.is_open(id) {
            Repeats::SoFar
        } else if event.is_streamed && !self.is_first_whole(id) {
            Repeats::All
        } else {
            self.settled |= !text.is_empty();
            Repeats::Nothing
        };
        self.found.push(Found::Whole(id, text, repeats));
    }

    /// Returns `true` if a full text in a stream is the first that a client reads of that text: the stream has no deltas so far.
    fn is_first_whole(&mut self, id: TextId) -> bool {
        if self.has_deltas {
            return false;
        }
        let known = &mut self.full.get_or_insert_default().known;
        let is_first = known.len() < MAX_CHANNELS && !each(known.iter()).any(|whole| *whole == id);
        if is_first {
            known.push(id);
        }
        is_first
    }
}
