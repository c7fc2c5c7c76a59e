//! Markers in the texts of a response, written anew.

use std::collections::BTreeMap;

use provstream::render::MarkerRenderer;
use provstream::{Marker, Replacement};
use smallvec::SmallVec;

use crate::channel::MAX_CHANNELS;
use crate::{Channel, ChannelPosition};

/// Most versions of the sources that are noted in one text.
const MAX_VERSIONS: usize = 128;

/// Writes the markers of a response anew, with a [`MarkerRenderer`] for each channel, so that each text has numbers of its own.
/// Members that repeat a text get what the text got, whatever the sources have learned since.
///
/// A [`StreamHandler`](crate::StreamHandler) passes on the calls of its methods [`channel`](crate::StreamHandler::channel) and
/// [`marker`](provstream::Handler::marker).
#[derive(Clone, Debug)]
pub struct ChannelRenderer {
    /// Renderer of a text that begins.
    fresh: MarkerRenderer,
    texts: BTreeMap<Channel, RenderedText>,
    /// Position of the markers that come next.
    position: Option<ChannelPosition>,
}

/// Text of a channel.
#[derive(Clone, Debug)]
struct RenderedText {
    renderer: MarkerRenderer,
    /// Versions of the sources, each with the offset of the first marker that was compared with it.
    versions: SmallVec<[(u64, usize); 1]>,
}

impl RenderedText {
    fn new(renderer: MarkerRenderer) -> Self {
        Self {
            renderer,
            versions: SmallVec::new(),
        }
    }

    /// Returns the version of the sources for a marker: in a copy of the text, that of the text.
    fn version(&mut self, marker: &Marker<'_>, of: Option<ChannelPosition>, now: usize) -> usize {
        let at = marker.span().start();
        let is_copy = of.is_some_and(|of| of.is_repeated && !of.is_reasoning);
        if is_copy {
            let mut before = self.versions.iter().rev();
            let before = before.find(|(from, _)| *from <= at);
            return before.map_or(now, |(_, version)| *version);
        }
        let is_text = !of.is_some_and(|of| of.is_reasoning);
        let is_new = self.versions.last().is_none_or(|(_, last)| *last != now);
        if is_text && is_new && self.versions.len() < MAX_VERSIONS {
            self.versions.push((at, now));
        }
        now
    }
}

impl ChannelRenderer {
    /// Creates the renderer of a response. Each text begins with a copy of `fresh`.
    #[must_use]
    pub fn new(fresh: MarkerRenderer) -> Self {
        Self {
            fresh,
            texts: BTreeMap::new(),
            position: None,
        }
    }

    /// Sets the text that the next markers are in. Of a channel's members that repeat its text, markers have the same numbers.
    pub const fn channel(&mut self, position: ChannelPosition) {
        self.position = Some(position);
    }

    /// Returns what is written in the place of a marker. Above the 256th channel, the lowest one begins anew.
    pub fn render(&mut self, marker: &Marker<'_>) -> Replacement {
        let channel = self.position.map(|position| position.channel);
        let channel = channel.unwrap_or_default();
        if self.texts.len() == MAX_CHANNELS && !self.texts.contains_key(&channel) {
            self.texts.pop_first();
        }
        let fresh = &self.fresh;
        let text = self.texts.entry(channel);
        let text = text.or_insert_with(|| RenderedText::new(fresh.clone()));
        let version = text.version(marker, self.position, fresh.sources().version());
        if let Some(sources) = fresh.sources().as_of(version) {
            text.renderer.set_sources(sources);
        }
        text.renderer.render(marker)
    }
}
