//! What of a provider's event stream was not read.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use provstream_providers::{Decoder, Format, NoticeCode};

/// What was met in an event stream, as far as it tells what was not read.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The format that was asked for.
    asked: Option<Format>,
    /// Finds out what format the events really are of, until one has text.
    probe: Decoder,
    /// Something other than white space came.
    any: bool,
    /// A channel had something.
    pub(crate) text: bool,
    /// The provider's marker for the end came.
    pub(crate) end: bool,
    /// Errors that the provider reported.
    pub(crate) errors: u64,
    /// Notices about events.
    pub(crate) notices: BTreeMap<NoticeCode, u64>,
}

impl Seen {
    /// Nothing yet of a stream of the format asked for, if one was.
    pub(crate) fn new(asked: Option<Format>) -> Self {
        Self {
            asked,
            probe: Decoder::detect(),
            any: false,
            text: false,
            end: false,
            errors: 0,
            notices: BTreeMap::new(),
        }
    }

    /// Takes the next bytes of the stream.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.any = self.any || !chunk.trim_ascii().is_empty();
        if !self.text && self.probe.format().is_none() {
            self.probe.push(chunk, |_| {});
        }
    }

    /// What was not read, once the stream has ended.
    pub(crate) fn unread(mut self) -> Unread {
        if !self.text && self.probe.format().is_none() {
            self.probe.finish(|_| {});
        }
        let told = self.probe.format();
        let unknown = Unknown {
            asked: self.asked,
            told,
        };
        // In Gemini's streams nothing marks the end.
        let ends = self.end || told == Some(Format::Gemini);
        let is_known = self.text || self.errors > 0 || (ends && !unknown.is_foreign());
        Unread {
            errors: self.errors,
            notices: self.notices,
            unknown: (self.any && !is_known).then_some(unknown),
        }
    }
}

/// What was not read of a stream. Displayed, it says so.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    errors: u64,
    notices: BTreeMap<NoticeCode, u64>,
    unknown: Option<Unknown>,
}

/// A stream without text, an end and an error of the provider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknown {
    asked: Option<Format>,
    told: Option<Format>,
}

impl Unread {
    /// Whether all was read, and no error of the provider cut it short.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors == 0 && self.is_all_but_errors()
    }

    /// Whether all was read but errors of the provider, if there are any.
    pub(crate) fn is_all_but_errors(&self) -> bool {
        self.notices.is_empty() && self.unknown.is_none()
    }

    /// If a stream that is not empty has neither text, an end nor an error of the provider: what it looks like.
    pub(crate) const fn unknown(&self) -> Option<Unknown> {
        self.unknown
    }
}

impl Unknown {
    /// Whether not even one event is of the format.
    pub(crate) fn is_foreign(self) -> bool {
        self.told.is_none() || self.told != self.asked.or(self.told)
    }
}

impl Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.unknown.map(|unknown| unknown.to_string()));
        let notices = self.notices.iter();
        parts.extend(notices.map(|(code, count)| format!("{count} {code}")));
        parts.extend(match self.errors {
            0 => None,
            1 => Some("1 error of the provider".to_owned()),
            errors => Some(format!("{errors} errors of the provider")),
        });
        write!(f, "not all was read: {}", parts.join(", "))
    }
}

impl Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.asked.or(self.told) {
            Some(format) => write!(f, "no event had text or ended a stream of {format}")?,
            None => f.write_str("the format of the event stream is not known")?,
        }
        match self.told {
            Some(told) if self.is_foreign() => write!(f, " (it looks like {told})"),
            _ => Ok(()),
        }
    }
}
