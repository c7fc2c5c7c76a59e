//! What the values of an event say.

use super::Reader;
use crate::Channel;
use crate::blocks::BlockEvent;
use crate::event::Event;
use crate::found::{Found, Raw, Repeats, Str};
use crate::item::NoticeCode;
use crate::steps::each;
use crate::walk::automaton::Rule;
use crate::walk::table::{ChannelOf, Role};
use crate::walk::{Capture, Shape};

impl Reader {
    /// Adds what a value says that is not an end.
    pub(super) fn take(&mut self, event: &mut Event<'_>, capture: &Capture, rule: &Rule) {
        let role = rule.row.role;
        if matches!(role, Role::Text | Role::Start | Role::Whole | Role::Quote) {
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
        match role {
            Role::Reasoning if capture.is_string() => {
                self.reasoning(event.data, channel(), Str::of(capture));
            }
            Role::ReasoningWhole if capture.is_string() => {
                self.reasoning_whole(event, channel(), Str::of(capture));
            }
            Role::ReasoningEnd if self.wants_reasoning => {
                self.found.push(Found::ReasoningEnd(channel()));
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
            Role::InBlock => self.block = self.block.or(Some(BlockEvent::Delta)),
            Role::BlockEnd => self.block = Some(BlockEvent::Stop),
            Role::Element => {
                self.block = Some(BlockEvent::Whole);
                self.found.push(Found::Element(Raw::of(capture)));
            }
            Role::Logprobs => {
                let channel = self.named(event, channel());
                self.found.push(Found::Logprobs(channel, Raw::of(capture)));
            }
            Role::Echo => self.add_echo(capture),
            Role::Sequence => self.found.push(Found::Sequence(Raw::of(capture))),
            Role::Offset if capture.shape == Shape::Scalar => {
                let channel = self.named(event, channel());
                self.found.push(Found::Offset(channel, Raw::of(capture)));
            }
            _ => {}
        }
    }

    fn add_echo(&mut self, capture: &Capture) {
        if self.wants_echoes {
            self.found
                .push(Found::Echo(Raw::of(capture), capture.shape));
        }
    }

    /// Where a server writes reasoning in two members, they are the same.
    pub(super) fn reasoning(&mut self, data: &[u8], channel: Channel, text: Str) {
        let is_again = |found: &Found| match found {
            Found::Reasoning(other, before, _) => {
                *other == channel && before.content(data) == text.content(data)
            }
            _ => false,
        };
        if !text.is_empty() {
            let is_again = self.found.last().is_some_and(is_again);
            self.found.push(Found::Reasoning(channel, text, is_again));
        }
    }

    fn reasoning_whole(&mut self, event: &Event<'_>, channel: Channel, text: Str) {
        if !text.is_empty() && (self.wants_reasoning || !event.is_streamed) {
            let found = Found::ReasoningWhole(channel, text, event.is_streamed);
            self.found.push(found);
        }
    }

    /// Notes that something other than text comes, in one channel or in all.
    pub(super) fn add_break(&mut self, rule: &Rule, channel: Channel) {
        let is_all = rule.row.channel == ChannelOf::All;
        let channel = self.numbering.name_of(channel, self.is_one_text());
        let found = match is_all {
            true => Found::BreakAll,
            false if self.is_open(channel) => Found::Break(channel),
            false => return,
        };
        let is_broken = |found: &&Found| matches!(found, Found::Broken(_));
        if each(self.found.iter().rev()).find(|found| !is_broken(found)) != Some(&found) {
            self.found.push(found);
        }
        if !is_all {
            if let Some(open) = self.open(channel)
                && !core::mem::replace(&mut open.is_broken, true)
            {
                self.found.push(Found::Broken(channel));
            }
            return;
        }
        for open in each(self.channels.iter_mut()) {
            if !core::mem::replace(&mut open.is_broken, true) {
                self.found.push(Found::Broken(open.channel));
            }
        }
    }

    pub(super) fn take_text(&mut self, event: &mut Event<'_>, capture: &Capture, rule: &Rule) {
        if !capture.is_string() {
            if !event.holds_text(capture) && !capture.superseded {
                event.odd = Some(NoticeCode::UnreadText);
            }
            return;
        }
        let (channel, text) = (event.channel(capture, rule.row.channel), Str::of(capture));
        if event.is_thought(capture) {
            if capture.superseded && self.wants_echoes {
                if self.wants_reasoning {
                    self.add_echo(capture);
                }
            } else if matches!(rule.row.role, Role::Whole | Role::Start) {
                self.reasoning_whole(event, channel, text);
            } else {
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
                event.odd = event.odd.or(odd);
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

    pub(super) fn whole(&mut self, event: &Event<'_>, channel: Channel, text: Str) {
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
}
