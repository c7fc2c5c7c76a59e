//! From the data of an event to what it says, with the channels that are open.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::formats::{self, Findings, Found};
use super::json;
use super::{Channel, Format};

/// Most channels with text in one stream.
pub const MAX_CHANNELS: usize = 256;

/// Reads events one after the other.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    /// What was asked for; else the format is that of the first event that tells.
    asked: Option<Format>,
    format: Option<Format>,
    /// The channels that had text, and whether they are open; at most [`MAX_CHANNELS`].
    channels: BTreeMap<Channel, bool>,
    ended: bool,
}

/// What an event says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said<'a> {
    pub(super) found: Findings<'a>,
    /// Something of it cannot be read.
    pub(super) malformed: bool,
    /// It has text of a channel too many, which is not in `found`.
    pub(super) too_many: bool,
}

impl Reader {
    pub(super) const fn new(asked: Option<Format>) -> Self {
        Self {
            asked,
            format: asked,
            channels: BTreeMap::new(),
            ended: false,
        }
    }

    pub(super) const fn format(&self) -> Option<Format> {
        self.format
    }

    pub(super) fn reset(&mut self) {
        *self = Self::new(self.asked);
    }

    /// What an event with these data says. The end of a channel is told if it is open, and text of a channel that is not
    /// open if it is not empty. All open channels end before an error and the end, which is told once.
    pub(super) fn read<'a>(&mut self, data: &'a [u8]) -> Said<'a> {
        let mut said = Said::default();
        match data.trim_ascii() {
            // Some servers keep a connection alive with it.
            b"" => return said,
            b"[DONE]" => {
                self.accept(Found::End, &mut said);
                return said;
            }
            _ => {}
        }
        let Some(event) = json::parse(data) else {
            said.malformed = true;
            return said;
        };
        self.format = self.format.or_else(|| Format::of(event));
        let found = match self.format {
            Some(format) => formats::read(format, event),
            None => {
                let mut found = Findings::new();
                formats::read_error(event, &mut found);
                found
            }
        };
        for found in found {
            self.accept(found, &mut said);
        }
        said
    }

    /// Closes all channels that are open, and gives them.
    pub(super) fn close(&mut self) -> SmallVec<[Channel; 4]> {
        let open = self.channels.iter_mut().filter(|(_, open)| **open);
        open.map(|(&channel, open)| {
            *open = false;
            channel
        })
        .collect()
    }

    fn accept<'a>(&mut self, found: Found<'a>, said: &mut Said<'a>) {
        match found {
            Found::Text(channel, "", _) if self.channels.get(&channel) != Some(&true) => return,
            Found::Text(_, "", _) => {}
            Found::Text(channel, ..) => {
                if self.channels.len() == MAX_CHANNELS && !self.channels.contains_key(&channel) {
                    said.too_many = true;
                    return;
                }
                self.channels.insert(channel, true);
            }
            Found::ChannelEnd(channel) => match self.channels.get_mut(&channel) {
                Some(open) if *open => *open = false,
                _ => return,
            },
            Found::Error(_) => said
                .found
                .extend(self.close().into_iter().map(Found::ChannelEnd)),
            Found::End => {
                said.found
                    .extend(self.close().into_iter().map(Found::ChannelEnd));
                if core::mem::replace(&mut self.ended, true) {
                    return;
                }
            }
            Found::BadNumber => {
                said.malformed = true;
                return;
            }
            _ => {}
        }
        said.found.push(found);
    }
}
