//! What an event ends.

use smallvec::SmallVec;

use super::Reader;
use crate::Channel;
use crate::event::Event;
use crate::found::{Found, Raw, Repeats};
use crate::walk::Shape;
use crate::walk::automaton::ROOT;
use crate::walk::table::{ChannelOf, Role};

impl Reader {
    /// Closes all channels that are open; their ends are added to what was found.
    pub(crate) fn close(&mut self) {
        self.channels.sort_unstable_by_key(|open| open.channel);
        for open in self.channels.drain(..) {
            self.found.push(Found::End(open.channel));
        }
    }

    pub(super) fn done(&mut self) {
        self.close();
        if !core::mem::replace(&mut self.ended, true) {
            self.found.push(Found::Done);
        }
    }

    /// Adds the ends that an event brings, after all else in it.
    #[cold]
    pub(super) fn take_ends(&mut self, event: &Event<'_>) {
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
    pub(super) fn settle_repeats(&mut self) {
        let ends: SmallVec<[Channel; 4]> = self.found.iter().filter_map(Found::ended).collect();
        for found in &mut self.found {
            if let Found::Whole(channel, _, repeats @ Repeats::SoFar) = found
                && ends.contains(channel)
            {
                *repeats = Repeats::All;
            }
        }
    }

    pub(super) fn finish(&mut self, channel: Channel) {
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

    pub(super) fn end(&mut self, is_over: impl Fn(Channel) -> bool) {
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
