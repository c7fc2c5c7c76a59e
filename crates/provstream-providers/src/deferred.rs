//! Events that are held back until it is certain what comes before them.

use smallvec::SmallVec;

use super::Channel;

/// Most bytes of events that are held back.
pub(super) const MAX_DEFERRED: usize = 1 << 16;

/// Rewritten events that end a channel of which text is held back. If more of the channel's text follows they are written
/// as they are; if not, what is held back is written before them.
#[derive(Clone, Debug, Default)]
pub(super) struct Deferred {
    pub(super) bytes: Vec<u8>,
    points: SmallVec<[(Channel, Point); 1]>,
}

/// Where in the events held back the rest of a channel's text belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// In the string whose content ends here.
    InString(usize),
    /// Before the event that begins here.
    Before(usize),
}

impl Deferred {
    pub(super) const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.points.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.points.clear();
    }

    /// Waits for what follows in a channel; the first place for the rest of its text stays.
    pub(super) fn wait(&mut self, channel: Channel, point: Point) {
        if self.points.iter().all(|(waiting, _)| *waiting != channel) {
            self.points.push((channel, point));
        }
    }

    /// More text of a channel followed, or what was held back was written: it is not waited for any more.
    pub(super) fn settle(&mut self, channel: Channel) -> Option<Point> {
        let place = self
            .points
            .iter()
            .position(|(waiting, _)| *waiting == channel)?;
        Some(self.points.remove(place).1)
    }

    /// A channel that is waited for.
    pub(super) fn waiting(&self) -> Option<Channel> {
        self.points.first().map(|(channel, _)| *channel)
    }

    /// Inserts bytes at a place.
    pub(super) fn insert(&mut self, at: usize, bytes: &[u8]) {
        let tail = self.bytes.split_off(at.min(self.bytes.len()));
        self.bytes.extend_from_slice(bytes);
        self.bytes.extend_from_slice(&tail);
        for (_, point) in &mut self.points {
            match point {
                Point::InString(place) | Point::Before(place) if *place >= at => {
                    *place += bytes.len();
                }
                _ => {}
            }
        }
    }
}
