//! What an event ends.

use smallvec::SmallVec;

use super::Reader;
use crate::Channel;
use crate::event::Event;
use crate::found::{Found, Raw, Repeats};
use crate::steps::{count, each};
use crate::walk::Shape;
use crate::walk::automaton::ROOT;
use crate::walk::table::{ChannelOf, Role};

impl Reader {
    /// Closes all channels that are open; their ends are added to what was found.
    pub(crate) fn close(&mut self) {
        self.finishing = 0;
        for open in each(self.channels.drain(..)) {
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
        for capture in each(event.walk.captures.iter()).filter(|capture| !capture.superseded) {
            let is_event = capture.node == ROOT;
            for rule in event.rules(capture) {
                let channel = event.channel(capture, rule.row.channel);
                match rule.row.role {
                    Role::Finish if is_event || event.is_finish(capture) => {
                        self.finish(self.named(event, channel));
                    }
                    Role::End if is_event || event.is_set(capture) => {
                        if rule.row.channel == ChannelOf::All {
                            self.close();
                        } else {
                            self.end(self.named(event, channel));
                        }
                    }
                    Role::EndAll => self.end_all(channel.index()),
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
        let mut ends: SmallVec<[Channel; 4]> =
            each(self.found.iter()).filter_map(Found::ended).collect();
        count(ends.len());
        ends.sort_unstable();
        for found in each(self.found.iter_mut()) {
            if let Found::Whole(channel, _, repeats @ Repeats::SoFar) = found
                && ends.binary_search(channel).is_ok()
            {
                *repeats = Repeats::All;
            }
        }
    }

    pub(super) fn finish(&mut self, channel: Channel) {
        let event = self.report.events();
        if let Ok(place) = self.place_of(channel) {
            let open = &mut self.channels[place];
            self.finishing += usize::from(!open.is_finishing);
            open.is_finishing = true;
            // Of several reasons in an event one is enough.
            if open.finished_in != event {
                open.finished_in = event;
                self.found.push(Found::Finish(channel));
            }
        }
    }

    pub(super) fn end(&mut self, channel: Channel) {
        if let Ok(place) = self.place_of(channel) {
            count(self.channels.len() - place);
            let open = self.channels.remove(place);
            self.finishing -= usize::from(open.is_finishing);
            self.found.push(Found::End(channel));
        }
    }

    /// Ends all channels with this index.
    fn end_all(&mut self, index: u32) {
        let from = self
            .channels
            .partition_point(|open| open.channel.index() < index);
        let rest = each(self.channels[from..].iter());
        let len = rest
            .take_while(|open| open.channel.index() == index)
            .count();
        for open in each(self.channels.drain(from..from + len)) {
            self.finishing -= usize::from(open.is_finishing);
            self.found.push(Found::End(open.channel));
        }
    }
}
