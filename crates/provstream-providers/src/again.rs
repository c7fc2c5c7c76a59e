//! Events that differ from the last one in their text, and in strings that nothing reads.

use smallvec::SmallVec;

use super::Channel;
use super::found::{Raw, Str};
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
    /// What may differ in the next event, in its order: the text, the strings that vary, and the number of the event.
    vary_at: SmallVec<[Varying; 4]>,
}

/// What may differ in the next event.
#[derive(Clone, Copy, Debug)]
struct Varying {
    at: Unread,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// The content of the string that is the text.
    Text,
    /// The content of a string that nothing reads.
    Unread,
    /// The digits of the number of the event.
    Sequence,
}

/// The text of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    /// The channel by its numbers in the event.
    pub(super) channel: Channel,
    pub(super) at: Str,
    /// The event can be repeated with other text.
    pub(super) repeatable: bool,
    /// The number of the event in the stream, in digits alone, where events are numbered.
    pub(super) sequence: Option<Raw>,
}

impl Again {
    /// The text of an event that differs from the last one in it, and in strings that nothing reads.
    #[inline]
    pub(super) fn read(&self, data: &[u8]) -> Option<Text> {
        let (text, len) = self.follow(data, string_end)?;
        (len == data.len()).then_some(text)
    }

    /// The same of an event whose data begin the bytes, how long its data are, and whether its strings that are not those of the
    /// last event are ASCII. These have no escapes and no control characters, so that its data are one line as those of the last
    /// event are.
    #[inline]
    pub(super) fn read_first(&self, bytes: &[u8]) -> Option<(Text, usize, bool)> {
        let mut is_ascii = true;
        let (text, len) = self.follow(bytes, |data, from| {
            let (end, is_plain) = plain_end(data, from)?;
            is_ascii &= is_plain;
            Some(StringEnd {
                end,
                escaped: false,
            })
        })?;
        Some((text, len, is_ascii))
    }

    /// Reads what begins like the last event; where strings that may differ end is what `end` says.
    #[inline(always)] // Each caller has another `end`.
    fn follow(
        &self,
        data: &[u8],
        mut end: impl FnMut(&[u8], usize) -> Option<StringEnd>,
    ) -> Option<(Text, usize)> {
        let text = self.text.as_ref()?;
        let (mut at, mut kept_at) = (0, 0);
        let (mut text_at, mut sequence) = (text.at, None);
        for Varying { at: kept, what } in &self.vary_at {
            let before = &self.data[kept_at..usize::from(kept.start)];
            if !data.get(at..)?.starts_with(before) {
                return None;
            }
            let start = at + before.len();
            at = match what {
                What::Sequence => {
                    let end = digits_end(data, start)?;
                    sequence = Some(Raw::new(start..end));
                    end
                }
                What::Unread => end(data, start)?.end,
                What::Text => {
                    let end = end(data, start)?;
                    text_at = Str::new(start, end);
                    end.end
                }
            };
            kept_at = usize::from(kept.end);
        }
        let after = &self.data[kept_at..];
        let is_same = data[at..].starts_with(after);
        let text = Text {
            at: text_at,
            sequence,
            ..*text
        };
        is_same.then_some((text, at + after.len()))
    }

    /// Whether events like the last one differ in their text alone.
    pub(super) fn varies_in_text_alone(&self) -> bool {
        self.vary_at.len() == 1
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
        let varying = |what| move |at| Varying { at, what };
        let number = text.sequence.and_then(|number| Unread::new(number.range()));
        let text = Unread::new(text.at.range());
        let unread = self.unread.iter().enumerate();
        let unread = unread.filter(|(place, _)| self.vary >> place & 1 == 1);
        self.vary_at.clear();
        self.vary_at.extend(text.map(varying(What::Text)));
        self.vary_at.extend(number.map(varying(What::Sequence)));
        let unread = unread.map(|(_, string)| *string);
        self.vary_at.extend(unread.map(varying(What::Unread)));
        self.vary_at
            .sort_unstable_by_key(|varying| varying.at.start);
    }

    /// Forgets the event.
    pub(super) const fn forget(&mut self) {
        self.text = None;
    }
}

/// Where the digits end that begin at `from`; `None` without a digit, or with so many that they may be no number of 64 bits.
fn digits_end(data: &[u8], from: usize) -> Option<usize> {
    const MOST: usize = 19;
    let digits = data.get(from..)?.iter().take(MOST + 1);
    let len = digits.take_while(|byte| byte.is_ascii_digit()).count();
    (1..=MOST).contains(&len).then_some(from + len)
}
