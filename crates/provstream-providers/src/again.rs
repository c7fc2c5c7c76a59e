//! Events that differ from the last one in their text, and in strings that nothing reads.

use smallvec::SmallVec;

use super::found::{Raw, Str};
use super::text_id::TextId;
use super::walk::Unread;
use super::walk::scan::{StringEnd, plain_end, string_end};

/// Most bytes of an event that is kept.
const MAX_KEPT: usize = 1 << 10;

/// Bytes that are compared at a time.
const BLOCK: usize = 32;

/// The last event that was read, if it has one text and nothing else that matters.
///
/// Most events of a stream are the same but for a few characters of text. Some have a string as well that nothing reads and
/// that is another one in each event, such as a time or `obfuscation`. An event that is the same in all other bytes says the
/// same as the last one, so it needs no walk. The fast path: it knows nothing that the walk over the last event did not find
/// out.
#[derive(Clone, Debug, Default)]
#[repr(C)] // What each event needs comes last, before what the reader counts.
pub(super) struct Again {
    /// The strings in it that nothing reads.
    unread: Vec<Unread>,
    /// Those of them that differed between two events, by their places in `unread`.
    vary: u16,
    text: Option<Text>,
    /// What may differ in the next event, in its order: the text, the strings that vary, and the number of the event. Nothing if
    /// there is no event.
    vary_at: SmallVec<[Varying; 4]>,
    /// How many bytes come before the data.
    lead: usize,
    /// What comes before the data of such an event, and then the data.
    raw: Vec<u8>,
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
    /// The text that it is of.
    pub(super) id: TextId,
    pub(super) at: Str,
    /// The event can be repeated with other text.
    pub(super) repeatable: bool,
    /// The number of the event in the stream, in digits alone, where events are numbered.
    pub(super) sequence: Option<Raw>,
}

/// An event like the last one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alike {
    /// Where its text is.
    pub(super) text: Str,
    /// Its number, where events are numbered.
    pub(super) sequence: Option<Raw>,
    /// Where its data end.
    pub(super) end: usize,
    /// Its strings that are not those of the last event are ASCII.
    pub(super) is_ascii: bool,
}

impl Again {
    /// The text of an event that differs from the last one in it, and in strings that nothing reads.
    #[inline]
    pub(super) fn read(&self, data: &[u8]) -> Option<Text> {
        let text = self.text?;
        let alike = self.follow(data, 0, |data, from| Some((string_end(data, from)?, true)))?;
        (alike.end == data.len()).then_some(Text {
            at: alike.text,
            sequence: alike.sequence,
            ..text
        })
    }

    /// The event that begins the bytes, with what comes before its data, if it is like the last one. The strings in which it differs
    /// have no escapes and no control characters, so its data are one line as those of the last event are. If there is no last
    /// event, the text is empty.
    #[inline]
    pub(super) fn read_first(&self, bytes: &[u8]) -> Option<Alike> {
        self.follow(bytes, self.lead, |bytes, from| {
            let (end, is_ascii) = plain_end(bytes, from)?;
            let escaped = false;
            Some((StringEnd { end, escaped }, is_ascii))
        })
    }

    /// Reads what begins like the last event, with so many bytes before its data; where strings that may differ end is what `end`
    /// says, with whether they are ASCII.
    #[inline(always)] // Each caller has another `end`.
    fn follow(
        &self,
        bytes: &[u8],
        lead: usize,
        end: impl Fn(&[u8], usize) -> Option<(StringEnd, bool)>,
    ) -> Option<Alike> {
        let raw = self.raw.get(self.lead.checked_sub(lead)?..)?;
        let (mut at, mut kept_at) = (0, 0);
        let mut alike = Alike {
            text: Str::default(),
            sequence: None,
            end: 0,
            is_ascii: true,
        };
        for Varying { at: kept, what } in &self.vary_at {
            let before = raw.get(kept_at..lead + usize::from(kept.start))?;
            if !begins(bytes.get(at..)?, before) {
                return None;
            }
            let start = at + before.len();
            at = match what {
                What::Sequence => {
                    let end = digits_end(bytes, start)?;
                    alike.sequence = Some(Raw::new(start..end));
                    end
                }
                What::Text | What::Unread => {
                    let (end, is_ascii) = end(bytes, start)?;
                    alike.is_ascii &= is_ascii;
                    if *what == What::Text {
                        alike.text = Str::new(start, end);
                    }
                    end.end
                }
            };
            kept_at = lead + usize::from(kept.end);
        }
        let after = raw.get(kept_at..)?;
        alike.end = at + after.len();
        begins(bytes.get(at..)?, after).then_some(alike)
    }

    /// How many bytes come before the data of an event that is [read first](Self::read_first).
    pub(super) const fn lead(&self) -> usize {
        self.lead
    }

    /// Whether the event that is kept can be repeated with other text.
    pub(super) fn is_repeatable(&self) -> bool {
        self.text.is_some_and(|text| text.repeatable)
    }

    /// Has these bytes come before the data of events that are read first.
    pub(super) fn set_lead(&mut self, lead: &[u8]) {
        if self.raw[..self.lead] != *lead {
            self.raw.reserve_exact(lead.len());
            self.raw.splice(..self.lead, lead.iter().copied());
            self.lead = lead.len();
        }
    }

    /// Whether events like the last one differ in their text alone.
    pub(super) fn varies_in_text_alone(&self) -> bool {
        self.vary_at.len() == 1
    }

    /// Keeps an event with this text, these strings that nothing reads, and nothing else that matters, in the place of the one
    /// before. Its strings are exchanged for those of that one.
    pub(super) fn keep(&mut self, data: &[u8], text: Text, unread: &mut Vec<Unread>) {
        self.forget();
        if data.len() > MAX_KEPT {
            return;
        }
        let before = &self.raw[self.lead..];
        if self.unread.len() == unread.len() {
            for (place, (was, now)) in self.unread.iter().zip(&*unread).enumerate() {
                let differs = before.get(was.range()) != data.get(now.range());
                self.vary |= u16::from(differs) << place;
            }
        } else {
            self.vary = 0;
        }
        core::mem::swap(&mut self.unread, unread);
        self.raw.truncate(self.lead);
        // Events of a stream have nearly the same length.
        self.raw.reserve_exact(data.len());
        self.raw.extend_from_slice(data);
        self.text = Some(text);
        let varying = |what| move |at| Varying { at, what };
        let number = text.sequence.and_then(|number| Unread::new(number.range()));
        let text = Unread::new(text.at.range());
        let unread = self.unread.iter().enumerate();
        let unread = unread.filter(|(place, _)| self.vary >> place & 1 == 1);
        self.vary_at.extend(text.map(varying(What::Text)));
        self.vary_at.extend(number.map(varying(What::Sequence)));
        let unread = unread.map(|(_, string)| *string);
        self.vary_at.extend(unread.map(varying(What::Unread)));
        self.vary_at
            .sort_unstable_by_key(|varying| varying.at.start);
    }

    /// Forgets the event.
    pub(super) fn forget(&mut self) {
        self.text = None;
        self.vary_at.clear();
    }
}

/// Whether bytes begin with others. Most of these are a hundred and more, and compared here: what a call touches of the C library,
/// nothing else may need before the next event.
#[inline(never)] // It is called twice for an event, which is less code to fetch than two copies.
fn begins(bytes: &[u8], with: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..with.len()) else {
        return false;
    };
    let (Some(last), Some(with_last)) = (bytes.last_chunk::<BLOCK>(), with.last_chunk()) else {
        return bytes == with;
    };
    let (blocks, with_blocks) = (bytes.as_chunks::<BLOCK>().0, with.as_chunks().0);
    blocks
        .iter()
        .zip(with_blocks)
        .all(|(one, with)| one == with)
        && last == with_last
}

/// Where the digits end that begin at `from`; `None` without a digit, or with so many that they may be no number of 64 bits.
#[inline(never)] // Few formats have them.
fn digits_end(data: &[u8], from: usize) -> Option<usize> {
    const MOST: usize = 19;
    let digits = data.get(from..)?.iter().take(MOST + 1);
    let len = digits.take_while(|byte| byte.is_ascii_digit()).count();
    (1..=MOST).contains(&len).then_some(from + len)
}
