//! Recognises events that differ from the last one only in their text, in ignored strings and in their sequence
//! number.

use smallvec::SmallVec;

use super::found::{Raw, Str};
use super::text_id::TextId;
use super::walk::Unread;
use super::walk::scan::{StringEnd, plain_end, string_end, word_end};

/// Maximum length in bytes of an event that is kept as a template.
const MAX_KEPT: usize = 1 << 10;

/// Number of bytes that are compared at a time.
const BLOCK: usize = 32;

/// Template of the last event that was read, if it has one delta and nothing else of interest.
///
/// Consecutive events usually differ only in the delta, in ignored strings such as a time or `obfuscation`, and in a
/// sequence number. An event that equals the template in all other bytes has the same facts, so it needs no walk.
/// Fast path: handles a subset with the same result as the walk.
#[derive(Clone, Debug, Default)]
#[repr(C)] // What each event needs comes last, before what the reader counts.
pub(super) struct Again {
    /// Ignored strings of the event.
    unread: Vec<Unread>,
    /// Bit set of the indices in `unread` of strings that differed between two events.
    vary: u16,
    text: Option<RepeatedDelta>,
    /// Ranges in which the next event may differ, in order: the delta, ignored strings and the sequence number. Empty
    /// without an event.
    vary_at: SmallVec<[Varying; 4]>,
    /// Number of bytes before the data.
    lead: usize,
    /// The bytes before the data of such an event, and the data.
    raw: Vec<u8>,
}

/// Range in which the next event may differ.
#[derive(Clone, Copy, Debug)]
struct Varying {
    at: Unread,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Content of the delta's string.
    Text,
    /// Content of an ignored string.
    Unread,
    /// Digits of the sequence number.
    Sequence,
}

/// Delta of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct RepeatedDelta {
    /// Text that the delta continues.
    pub(super) id: TextId,
    pub(super) at: Str,
    /// The event can be repeated with other text.
    pub(super) repeatable: bool,
    /// Sequence number of the event, if it has one that is digits only.
    pub(super) sequence: Option<Raw>,
}

/// An event that matches the template.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alike {
    /// Delta of the event.
    pub(super) text: Str,
    /// Sequence number, if the template has one.
    pub(super) sequence: Option<Raw>,
    /// Position after the data.
    pub(super) end: usize,
    /// The strings that may differ are ASCII.
    pub(super) is_ascii: bool,
}

impl Again {
    /// Returns the delta of an event whose data match the template.
    #[inline]
    pub(super) fn read(&self, data: &[u8]) -> Option<RepeatedDelta> {
        let text = self.text?;
        let alike = self.follow(data, 0, |data, from| Some((string_end(data, from)?, true)))?;
        (alike.end == data.len()).then_some(RepeatedDelta {
            at: alike.text,
            sequence: alike.sequence,
            ..text
        })
    }

    /// Matches the event at the start of `bytes`, with the bytes before its data. Strings that differ must have no
    /// escapes or control characters, so the data are one line like those of the template. Without a template, the
    /// delta is empty.
    #[inline]
    pub(super) fn read_first(&self, bytes: &[u8]) -> Option<Alike> {
        self.follow(bytes, self.lead, |bytes, from| {
            let (end, is_ascii) = plain_end(bytes, from)?;
            let escaped = false;
            Some((StringEnd { end, escaped }, is_ascii))
        })
    }

    /// Matches `bytes` with the template, of which `lead` bytes before the data are included. `end` returns the end
    /// of a string that may differ, and `true` if the string is ASCII.
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
                What::Text => {
                    let (end, is_ascii) = end(bytes, start)?;
                    alike.is_ascii = is_ascii;
                    alike.text = Str::new(start, end);
                    end.end
                }
                What::Unread => word_end(bytes, start)?,
            };
            kept_at = lead + usize::from(kept.end);
        }
        let after = raw.get(kept_at..)?;
        alike.end = at + after.len();
        begins(bytes.get(at..)?, after).then_some(alike)
    }

    /// Returns the number of bytes before the data in [`read_first`](Self::read_first).
    pub(super) const fn lead(&self) -> usize {
        self.lead
    }

    /// Returns `true` if the event can be repeated with other text.
    pub(super) fn is_repeatable(&self) -> bool {
        self.text.is_some_and(|text| text.repeatable)
    }

    /// Sets the bytes before the data in [`read_first`](Self::read_first).
    pub(super) fn set_lead(&mut self, lead: &[u8]) {
        if self.raw[..self.lead] != *lead {
            self.raw.reserve_exact(lead.len());
            self.raw.splice(..self.lead, lead.iter().copied());
            self.lead = lead.len();
        }
    }

    /// Returns `true` if matching events may differ only in the delta.
    pub(super) fn varies_in_text_alone(&self) -> bool {
        self.vary_at.len() == 1
    }

    /// Replaces the template by an event with this delta, these ignored strings, and nothing else of interest.
    /// `unread` receives the earlier template's ignored strings, for reuse of the memory.
    pub(super) fn keep(&mut self, data: &[u8], text: RepeatedDelta, unread: &mut Vec<Unread>) {
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

    /// Removes the template.
    pub(super) fn forget(&mut self) {
        self.text = None;
        self.vary_at.clear();
    }
}

/// Returns `true` if `bytes` begins with `with`. The comparison is written out, because a call of the C library would
/// touch code that nothing else needs before the next event.
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

/// Returns the end of the digits that begin at `from`; `None` without a digit, or with more than 19, which may exceed
/// 64 bits.
#[inline(never)] // Few formats have them.
fn digits_end(data: &[u8], from: usize) -> Option<usize> {
    const MOST: usize = 19;
    let digits = data.get(from..)?.iter().take(MOST + 1);
    let len = digits.take_while(|byte| byte.is_ascii_digit()).count();
    (1..=MOST).contains(&len).then_some(from + len)
}
