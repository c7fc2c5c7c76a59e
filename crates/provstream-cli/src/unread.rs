//! What of a provider's event stream was not read.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use provstream_providers::{Decoder, Format, Notice, NoticeCode, ReadReport};

use crate::counted::Counted;
use crate::messages;
use crate::printable::cut;

/// Most characters of a provider's error that a message shows.
const MOST_SHOWN: usize = 120;

/// An error of the provider, as a message shows it.
pub(crate) fn shown_error(message: &str) -> String {
    format!("{:?}", cut(message, MOST_SHOWN))
}

/// What was met in an event stream, as far as it shows what was not read.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The format that was asked for.
    asked: Option<Format>,
    /// Finds out what format the events really are of, until one has text.
    probe: Decoder,
    /// What the stream begins with; none as long as only white space came.
    start: Option<Start>,
    /// A channel had something.
    pub(crate) text: bool,
    /// What comes now repeats text that came before.
    pub(crate) is_repeated: bool,
    /// The provider's marker for the end came.
    pub(crate) end: bool,
    /// Errors that the provider reported, and what the first one says.
    errors: Counted,
    /// Notices about events.
    notices: BTreeMap<NoticeCode, u64>,
    /// Where the first of them is.
    places: Counted,
}

impl Seen {
    /// Nothing yet of a stream of the format asked for, if one was.
    pub(crate) fn new(asked: Option<Format>) -> Self {
        Self {
            asked,
            probe: Decoder::detect(),
            start: None,
            text: false,
            is_repeated: false,
            end: false,
            errors: Counted::default(),
            notices: BTreeMap::new(),
            places: Counted::default(),
        }
    }

    /// The provider reported an error.
    pub(crate) fn error(&mut self, message: &str) {
        self.errors.note(|| shown_error(message));
    }

    /// Something of an event was not read, if that is what the notice is about.
    pub(crate) fn notice(&mut self, notice: &Notice) {
        let code = notice.code();
        if code.is_unread() {
            *self.notices.entry(code).or_default() += 1;
            let start = notice.span().start();
            let place = || format!("at byte {start} of the response");
            self.places
                .note(|| messages::explained(&place(), code.as_str()));
        }
    }

    /// Takes the next bytes of the stream.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        if self.start.is_none() {
            self.start = Start::of(chunk.trim_ascii_start());
        }
        if !self.text && self.probe.format().is_none() {
            self.probe.push(chunk, |_| {});
        }
    }

    /// What was not read, once the stream has ended and its rewriter reports this.
    pub(crate) fn unread(mut self, report: &ReadReport) -> Unread {
        if !self.text && self.probe.format().is_none() {
            self.probe.finish(|_| {});
        }
        let found = self.probe.format();
        let unknown = Unknown {
            asked: self.asked,
            found,
            start: if self.notices.contains_key(&NoticeCode::BinaryBody) {
                Start::Binary
            } else {
                let is_cut = self.notices.contains_key(&NoticeCode::UnterminatedEvent);
                match self.start {
                    Some(Start::Json | Start::Events) if is_cut => Start::Cut,
                    Some(Start::Events)
                        if self.notices.contains_key(&NoticeCode::MalformedEvent) =>
                    {
                        Start::Broken
                    }
                    start => start.unwrap_or(Start::Text),
                }
            },
        };
        // In the streams of these formats nothing marks the end.
        let has_no_end = matches!(found, Some(Format::Gemini | Format::LlamaCpp | Format::Tgi));
        let ends = self.end || has_no_end;
        let is_known = self.text || self.errors.count() > 0 || (ends && !unknown.is_foreign());
        Unread {
            errors: self.errors,
            notices: self.notices,
            places: self.places,
            blank: self.start.is_none().then_some(Blank { asked: self.asked }),
            unknown: (self.start.is_some() && !is_known).then_some(unknown),
            is_complete: report.is_complete(),
        }
    }
}

/// What was not read of a stream. Displayed, it says so.
#[derive(Debug)]
pub(crate) struct Unread {
    errors: Counted,
    notices: BTreeMap<NoticeCode, u64>,
    places: Counted,
    blank: Option<Blank>,
    unknown: Option<Unknown>,
    /// The rewriter has read every event.
    is_complete: bool,
}

/// An input with white space at most, where a response was expected.
#[derive(Clone, Copy, Debug)]
struct Blank {
    asked: Option<Format>,
}

/// A stream without text, an end and an error of the provider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknown {
    asked: Option<Format>,
    found: Option<Format>,
    start: Start,
}

/// What a stream begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// A JSON object or array.
    Json,
    /// A field or a comment of server-sent events.
    Events,
    /// One of these, which ends in the middle of an event.
    Cut,
    /// Events whose data are not JSON.
    Broken,
    /// Bytes that no text begins with.
    Binary,
    /// Something else.
    Text,
}

impl Start {
    /// What the first bytes that are not white space show; `None` without one.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        let is_events = [&b"data"[..], b"event", b"id:", b"retry", b":"]
            .iter()
            .any(|field| start.starts_with(field) || field.starts_with(start));
        match start.first()? {
            b'{' | b'[' => Some(Self::Json),
            _ if is_events => Some(Self::Events),
            _ if start.contains(&0) => Some(Self::Binary),
            _ => Some(Self::Text),
        }
    }
}

impl Default for Unread {
    /// Everything was read.
    fn default() -> Self {
        Self {
            errors: Counted::default(),
            notices: BTreeMap::new(),
            places: Counted::default(),
            blank: None,
            unknown: None,
            is_complete: true,
        }
    }
}

impl Unread {
    /// Whether a gate may pass the stream: all was read, and the provider reported no error.
    pub(crate) fn passes(&self) -> bool {
        self.is_empty() && self.is_complete
    }

    /// Whether all was read, and no error of the provider cut it short.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.count() == 0 && self.is_all_but_errors()
    }

    /// Whether there is nothing in the input, where a response was expected.
    pub(crate) const fn is_blank(&self) -> bool {
        self.blank.is_some()
    }

    /// Whether all was read but errors of the provider, if there are any.
    pub(crate) fn is_all_but_errors(&self) -> bool {
        self.notices.is_empty() && self.blank.is_none() && self.unknown.is_none()
    }

    /// If a stream that is not empty has neither text, an end nor an error of the provider: what it looks like.
    pub(crate) const fn unknown(&self) -> Option<Unknown> {
        self.unknown
    }
}

impl Unknown {
    /// Whether it is worth a diagnostic: not even one event is of the format, or the input is other JSON.
    pub(crate) fn is_reported(self) -> bool {
        self.is_foreign() || self.start == Start::Json
    }

    /// Whether not even one event is of the format.
    pub(crate) fn is_foreign(self) -> bool {
        self.found.is_none() || self.found != self.asked.or(self.found)
    }
}

impl Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Blank { asked }) = self.blank {
            return match asked {
                Some(format) => write!(f, "the input is empty: expected a response of {format}"),
                None => f.write_str("the input is empty: expected a response of a provider"),
            };
        }
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.unknown.map(|unknown| unknown.to_string()));
        let notices = self.notices.iter();
        let notices: Vec<_> = notices
            .map(|(code, count)| format!("{count} {code}"))
            .collect();
        if !notices.is_empty() {
            parts.push(format!("{}{}", notices.join(", "), self.places.first()));
        }
        let first = self.errors.first();
        parts.extend(match self.errors.count() {
            0 => None,
            1 => Some(format!("1 error of the provider{first}")),
            errors => Some(format!("{errors} errors of the provider{first}")),
        });
        write!(f, "not all was read: {}", parts.join("; "))
    }
}

impl Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.asked.or(self.found) {
            Some(format) if !self.is_reported() => {
                return write!(f, "the response of {format} ends before it has any text");
            }
            Some(format) if !self.is_foreign() => {
                return write!(
                    f,
                    "expected a response of {format}, found JSON like one that has no text; if it is something else, read it without --input"
                );
            }
            Some(format) => write!(f, "nothing in the input is a response of {format}")?,
            None => f.write_str("the format of the response is not known")?,
        }
        match (self.found, self.start) {
            (Some(found), _) if self.is_foreign() => {
                write!(f, "; it looks like {found}, so give --input {found}")
            }
            (_, Start::Json) => f.write_str(
                "; expected a response of a provider, streamed or whole, found other JSON: read it without --input, or its texts with \
                 `provstream extract --field`",
            ),
            (_, Start::Cut) => f.write_str("; the input ends in the middle of an event, so it was cut short"),
            (_, Start::Broken) => f.write_str(
                "; expected JSON as the data of each event, found something else, so the response was cut short or changed",
            ),
            (_, Start::Binary) => f.write_str(
                "; expected server-sent events or JSON, found bytes that are not text, perhaps compressed with Brotli: decompress \
                 them first",
            ),
            (None, Start::Text) => f.write_str(
                "; expected server-sent events or JSON, found text: read it without --input",
            ),
            _ => f.write_str("; found none of the events of the formats that --help lists"),
        }
    }
}
