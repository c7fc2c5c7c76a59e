//! Events that differ from the last one in their text alone.

use super::Channel;
use super::found::Str;
use super::walk::scan::string_end;

/// Most bytes of an event that is kept.
const MAX_KEPT: usize = 1 << 10;

/// The last event that was read, if it has one text and nothing else that matters.
///
/// Most events of a stream are the same but for a few characters of text. One whose bytes before and after the text are those
/// of the last event says the same as that one, so it needs no walk. The fast path: it knows nothing that the walk over the
/// last event did not find out.
#[derive(Clone, Debug, Default)]
pub(super) struct Again {
    /// The data of the event; empty if the event has no data.
    data: Vec<u8>,
    text: Option<Text>,
}

/// The text of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    /// The channel by its numbers in the event.
    pub(super) channel: Channel,
    pub(super) at: Str,
    /// The event can be repeated with other text.
    pub(super) repeatable: bool,
}

impl Again {
    /// The text of an event that differs from the last one in it alone.
    #[inline]
    pub(super) fn read(&self, data: &[u8]) -> Option<Text> {
        let text = self.text?;
        let (head, tail) = (
            &self.data[..text.at.range().start],
            &self.data[text.at.range().end..],
        );
        if !data.starts_with(head) {
            return None;
        }
        let string = string_end(data, head.len())?;
        (data[string.end..] == *tail).then(|| Text {
            at: Str::new(head.len(), string),
            ..text
        })
    }

    /// Keeps an event with this text and nothing else, in the place of the one before.
    pub(super) fn keep(&mut self, data: &[u8], text: Text) {
        self.text = None;
        if data.len() <= MAX_KEPT {
            self.data.clear();
            // Events of a stream have nearly the same length.
            self.data.reserve_exact(data.len());
            self.data.extend_from_slice(data);
            self.text = Some(text);
        }
    }

    /// Forgets the event.
    pub(super) const fn forget(&mut self) {
        self.text = None;
    }
}
