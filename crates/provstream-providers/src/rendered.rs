//! Markers in the texts of a response, written anew.

use std::collections::BTreeMap;

use provstream::render::MarkerRenderer;
use provstream::{Marker, Replacement};

use crate::channel::MAX_CHANNELS;
use crate::{Channel, ChannelPosition};

/// Writes the markers of a response anew, with a [`MarkerRenderer`] for each channel, so that each text has numbers of its own.
///
/// A [`StreamHandler`](crate::StreamHandler) passes on the calls of its methods [`channel`](crate::StreamHandler::channel) and
/// [`marker`](provstream::Handler::marker).
#[derive(Clone, Debug)]
pub struct ChannelRenderer {
    /// Renderer of a text that begins.
    fresh: MarkerRenderer,
    texts: BTreeMap<Channel, MarkerRenderer>,
    /// Channel of the markers that come next.
    channel: Channel,
}

impl ChannelRenderer {
    /// Creates the renderer of a response. Each text begins with a copy of `fresh`.
    #[must_use]
    pub fn new(fresh: MarkerRenderer) -> Self {
        Self {
            fresh,
            texts: BTreeMap::new(),
            channel: Channel::default(),
        }
    }

    /// Sets the text that the next markers are in. Of a channel's members that repeat its text, markers have the same numbers.
    pub const fn channel(&mut self, position: ChannelPosition) {
        self.channel = position.channel;
    }

    /// Returns what is written in the place of a marker. Above the 256th channel, the lowest one begins anew.
    pub fn render(&mut self, marker: &Marker<'_>) -> Replacement {
        if self.texts.len() == MAX_CHANNELS && !self.texts.contains_key(&self.channel) {
            self.texts.pop_first();
        }
        let fresh = &self.fresh;
        let text = self.texts.entry(self.channel);
        text.or_insert_with(|| fresh.clone()).render(marker)
    }
}
