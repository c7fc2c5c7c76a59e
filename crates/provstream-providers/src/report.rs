//! Counts of what was read of a stream.

use super::NoticeCode;

/// Kinds of notices of which there can be several; those after them are about the whole body.
const COUNTED: usize = NoticeCode::GzipBody as usize;

/// Most paths of members that are kept.
const MAX_MEMBERS: usize = 32;

/// Counts of a stream so far: events, text that was read, and text that was not read.
///
/// A gate that lets a stream pass because nothing was found in it asks [`is_complete`](Self::is_complete) first: what was
/// not read may have annotations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)] // Most events change the first two alone.
pub struct ReadReport {
    events: u64,
    text_bytes: u64,
    reasoning_bytes: u64,
    /// Events that no format is known of, while none was.
    unknown: u64,
    is_known: bool,
    notices: [u64; COUNTED],
    /// The paths of members that were not read, with how many strings were.
    members: Vec<(Box<str>, u64)>,
    /// The body is not text, for this reason.
    body: Option<NoticeCode>,
}

impl ReadReport {
    /// The report on nothing.
    pub(super) const fn new() -> Self {
        Self {
            events: 0,
            text_bytes: 0,
            reasoning_bytes: 0,
            unknown: 0,
            is_known: false,
            notices: [0; COUNTED],
            members: Vec::new(),
            body: None,
        }
    }

    /// Events with data, those included that were not read.
    #[must_use]
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Bytes of text that was read, in UTF-8, of all channels together.
    #[must_use]
    pub const fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    /// Bytes of reasoning that was passed over or rewritten, as it is in the stream, with its escapes.
    #[must_use]
    pub const fn reasoning_bytes(&self) -> u64 {
        self.reasoning_bytes
    }

    /// Events that may have text that was not read.
    #[must_use]
    pub fn unread(&self) -> u64 {
        let codes = NoticeCode::ALL.into_iter();
        let noticed: u64 = codes
            .filter(|code| code.is_unread())
            .map(|code| self.count(code))
            .sum();
        noticed + if self.is_known { 0 } else { self.unknown }
    }

    /// Returns the number of notices of one kind.
    #[must_use]
    pub const fn count(&self, code: NoticeCode) -> u64 {
        let at = code as usize;
        if at < COUNTED {
            self.notices[at]
        } else {
            matches!(self.body, Some(body) if body as usize == at) as u64
        }
    }

    /// Returns `true` if all text was read: no event is [`unread`](Self::unread).
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unread() == 0
    }

    /// Strings that may be text and were not read, in members that the format does not have, or of another shape than the
    /// format's: the path of the member, such as `choices[].delta.note`, and how many there were. Of more than 32 paths, the first.
    pub fn unread_members(&self) -> impl Iterator<Item = (&str, u64)> {
        self.members.iter().map(|(path, count)| (&**path, *count))
    }

    pub(super) fn add_member(&mut self, path: &str) {
        if let Some((_, count)) = self.members.iter_mut().find(|(known, _)| **known == *path) {
            *count += 1;
        } else if self.members.len() < MAX_MEMBERS {
            self.members.push((path.into(), 1));
        }
    }

    pub(super) const fn add_event(&mut self) {
        self.events += 1;
    }

    pub(super) const fn add_text(&mut self, bytes: usize) {
        self.text_bytes += bytes as u64;
    }

    pub(super) const fn add_reasoning(&mut self, bytes: usize) {
        self.reasoning_bytes += bytes as u64;
    }

    pub(super) const fn add_unknown(&mut self) {
        self.unknown += 1;
    }

    pub(super) const fn format_is_known(&mut self) {
        self.is_known = true;
    }

    pub(super) const fn add_notice(&mut self, code: NoticeCode) {
        let at = code as usize;
        if at < COUNTED {
            self.notices[at] += 1;
        } else {
            self.body = Some(code);
        }
    }
}
