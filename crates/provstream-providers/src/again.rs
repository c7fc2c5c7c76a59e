//! Events that differ from the last one in their text, and in strings that nothing reads.

use smallvec::SmallVec;

use super::Channel;
use super::found::Str;
use super::walk::Unread;
use super::walk::scan::{StringEnd, plain_end, string_end};

/// Most bytes of an event that is kept.
const MAX_KEPT: usize = 1 << 10;

/// The last event that was read, if it has one text and nothing else that matters.
///
/// Most events of a stream are the same but for a few characters of text. Some have a string as well that nothing reads and
/// that is another one in each event, such as a time or `obfuscation`. An event that is the same in all other bytes says the
/// same as the last one, so it needs no walk. The fast path: it knows nothing that the walk over the last event did not find
/// out.
#[derive(Clone, Debug, Default)]
pub(super) struct Again {
    /// The data of the event; empty if the event has no data.
    data: Vec<u8>,
    text: Option<Text>,
    /// The strings in it that nothing reads.
    unread: Vec<Unread>,
    /// Those of them that differed between two events, by their places in `unread`.
    vary: u16,
    /// The strings that may differ from those of the next event, in their order: the text, and those that vary.
    strings: SmallVec<[Unread; 4]>,
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
    /// The text of an event that differs from the last one in it, and in strings that nothing reads.
    #[inline]
    pub(super) fn read(&self, data: &[u8]) -> Option<Text> {
        let (text, len) = self.follow(data, string_end)?;
        (len == data.len()).then_some(text)
    }

    /// The same of an event whose data begin the bytes, and how long its data are. The strings in it that are not those of the last
    /// event have no escapes, and they have no control characters, so that its data are one line as those of the last event are.
    #[inline]
    pub(super) fn read_first(&self, bytes: &[u8]) -> Option<(Text, usize)> {
        self.follow(bytes, |data, from| {
            let end = plain_end(data, from)?;
            Some(StringEnd {
                end,
                escaped: false,
            })
        })
    }

    /// Reads what begins like the last event; where strings that may differ end is what `end` says.
    #[inline(always)] // Each caller has another `end`.
    fn follow(
        &self,
        data: &[u8],
        end: impl Fn(&[u8], usize) -> Option<StringEnd>,
    ) -> Option<(Text, usize)> {
        let text = self.text?;
        let (mut at, mut kept_at, mut found) = (0, 0, None);
        for string in &self.strings {
            let before = &self.data[kept_at..usize::from(string.start)];
            if !data.get(at..)?.starts_with(before) {
                return None;
            }
            let start = at + before.len();
            let end = end(data, start)?;
            if usize::from(string.start) == text.at.range().start {
                found = Some(Str::new(start, end));
            }
            (at, kept_at) = (end.end, usize::from(string.end));
        }
        let after = &self.data[kept_at..];
        let is_same = data[at..].starts_with(after);
        is_same.then_some((Text { at: found?, ..text }, at + after.len()))
    }

    /// Keeps an event with this text, these strings that nothing reads, and nothing else that matters, in the place of the one
    /// before. Its strings are exchanged for those of that one.
    pub(super) fn keep(&mut self, data: &[u8], text: Text, unread: &mut Vec<Unread>) {
        self.text = None;
        if data.len() > MAX_KEPT {
            return;
        }
        if self.unread.len() == unread.len() {
            for (place, (before, now)) in self.unread.iter().zip(&*unread).enumerate() {
                let differs = self.data.get(before.range()) != data.get(now.range());
                self.vary |= u16::from(differs) << place;
            }
        } else {
            self.vary = 0;
        }
        core::mem::swap(&mut self.unread, unread);
        self.data.clear();
        // Events of a stream have nearly the same length.
        self.data.reserve_exact(data.len());
        self.data.extend_from_slice(data);
        self.text = Some(text);
        let text = Unread::new(text.at.range());
        let varies = self.unread.iter().enumerate();
        let varies = varies.filter(|(place, _)| self.vary >> place & 1 == 1);
        let strings = varies.map(|(_, string)| *string).chain(text);
        self.strings.clear();
        self.strings.extend(strings);
        self.strings.sort_unstable_by_key(|string| string.start);
    }

    /// Forgets the event.
    pub(super) const fn forget(&mut self) {
        self.text = None;
    }
}
