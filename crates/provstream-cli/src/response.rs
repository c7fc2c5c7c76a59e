//! Evidence that part of a provider's response was not read.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use provstream_providers::{Decoder, Format, Notice, NoticeCode, ReadReport};

use crate::messages::{CountAndExample, truncate};

/// Most characters of a provider's error in a message.
const MAX_ERROR: usize = 120;

/// Collects what the reader of a response reports.
#[derive(Debug)]
pub(crate) struct ResponseTracker {
    /// Format of `--input`.
    expected: Option<Format>,
    /// Detects the real format, until an event has text.
    probe: Decoder,
    /// Beginning of the input; `None` while only white space came.
    kind: Option<InputKind>,
    /// `true` if a channel had text, or ended.
    pub(crate) has_text: bool,
    /// `true` while the input repeats text that came before.
    pub(crate) is_repeated: bool,
    /// `true` after the event that ends a response.
    pub(crate) has_end: bool,
    errors: CountAndExample,
    notices: BTreeMap<NoticeCode, u64>,
    first_notice: CountAndExample,
}

impl ResponseTracker {
    /// A tracker of a response in the format of `--input`, if that names one.
    pub(crate) fn new(expected: Option<Format>) -> Self {
        Self {
            expected,
            probe: Decoder::detect(),
            kind: None,
            has_text: false,
            is_repeated: false,
            has_end: false,
            errors: CountAndExample::default(),
            notices: BTreeMap::new(),
            first_notice: CountAndExample::default(),
        }
    }

    /// Counts an error that the provider reports.
    pub(crate) fn add_error(&mut self, message: &str) {
        self.errors
            .add(|| format!("{:?}", truncate(message, MAX_ERROR)));
    }

    /// Counts a notice, if it is about something that was not read.
    pub(crate) fn add_notice(&mut self, notice: &Notice) {
        let code = notice.code();
        if code.is_unread() {
            *self.notices.entry(code).or_default() += 1;
            let start = notice.span().start();
            let message = code.description();
            self.first_notice
                .add(|| format!("at byte {start} of the response: {message}"));
        }
    }

    /// Observes the next bytes of the response.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        if self.kind.is_none() {
            self.kind = InputKind::of(chunk.trim_ascii_start());
        }
        if !self.has_text && self.probe.format().is_none() {
            self.probe.push(chunk, |_| {});
        }
    }

    /// The status of the complete response.
    pub(crate) fn finish(mut self, report: &ReadReport) -> ResponseStatus {
        if !self.has_text && self.probe.format().is_none() {
            self.probe.finish(|_| {});
        }
        let has = |code| self.notices.contains_key(&code);
        let kind = match self.kind.unwrap_or(InputKind::Text) {
            _ if has(NoticeCode::BinaryBody) => InputKind::Binary,
            InputKind::Json | InputKind::Events if has(NoticeCode::UnterminatedEvent) => {
                InputKind::Truncated
            }
            InputKind::Events if has(NoticeCode::MalformedEvent) => InputKind::Malformed,
            kind => kind,
        };
        let found = self.probe.format();
        let unrecognised = UnrecognisedInput {
            expected: self.expected,
            found,
            kind,
        };
        // Nothing marks the end in these formats.
        let has_no_end = matches!(found, Some(Format::Gemini | Format::LlamaCpp | Format::Tgi));
        let is_ended = (self.has_end || has_no_end) && !unrecognised.has_no_event_of_format();
        let is_recognised = self.has_text || self.errors.count() > 0 || is_ended;
        ResponseStatus {
            expected: self.expected,
            is_empty: self.kind.is_none(),
            unrecognised: (self.kind.is_some() && !is_recognised).then_some(unrecognised),
            errors: self.errors,
            notices: self.notices,
            first_notice: self.first_notice,
            members: report
                .unread_members()
                .map(|(path, _)| path.to_owned())
                .collect(),
            is_complete: report.is_complete(),
        }
    }
}

/// Statement of what was not read of a response. The default is that of an input that is not a response.
#[derive(Debug)]
pub(crate) struct ResponseStatus {
    expected: Option<Format>,
    is_empty: bool,
    unrecognised: Option<UnrecognisedInput>,
    errors: CountAndExample,
    notices: BTreeMap<NoticeCode, u64>,
    first_notice: CountAndExample,
    /// Paths of members that may have text and that the format does not have.
    members: Vec<String>,
    is_complete: bool,
}

impl Default for ResponseStatus {
    fn default() -> Self {
        Self {
            expected: None,
            is_empty: false,
            unrecognised: None,
            errors: CountAndExample::default(),
            notices: BTreeMap::new(),
            first_notice: CountAndExample::default(),
            members: Vec::new(),
            is_complete: true,
        }
    }
}

/// Most members that a message names.
const MAX_MEMBERS: usize = 3;

impl ResponseStatus {
    /// Returns `true` if `--fail` can pass: all was read, and the provider reported no error.
    pub(crate) fn passes(&self) -> bool {
        self.is_fully_read() && self.is_complete
    }

    /// Returns `true` if all was read, and the provider reported no error.
    pub(crate) fn is_fully_read(&self) -> bool {
        self.errors.count() == 0 && self.is_fully_read_but_errors()
    }

    /// Returns `true` if all was read, apart from errors of the provider.
    pub(crate) fn is_fully_read_but_errors(&self) -> bool {
        self.notices.is_empty() && !self.is_empty && self.unrecognised.is_none()
    }

    /// Returns `true` if the input has only white space, and a response was expected.
    pub(crate) const fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// An input without text, an end and an error of the provider.
    pub(crate) const fn unrecognised(&self) -> Option<UnrecognisedInput> {
        self.unrecognised
    }
}

impl Display for ResponseStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty {
            let format = self.expected.map_or("a provider", Format::as_str);
            return write!(f, "the input is empty: expected a response of {format}");
        }
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.unrecognised.map(|input| input.to_string()));
        let notices = self
            .notices
            .iter()
            .map(|(code, count)| format!("{count} {code}"));
        let notices: Vec<_> = notices.collect();
        if !notices.is_empty() {
            parts.push(format!(
                "{}{}",
                notices.join(", "),
                self.first_notice.example()
            ));
        }
        if !self.members.is_empty() {
            let members = self.members.iter().take(MAX_MEMBERS);
            let members: Vec<_> = members.map(|path| format!("{path:?}")).collect();
            parts.push(format!("in {}", members.join(", ")));
        }
        match self.errors.count() {
            0 => {}
            1 => parts.push(format!("1 error of the provider{}", self.errors.example())),
            count => parts.push(format!(
                "{count} errors of the provider{}",
                self.errors.example()
            )),
        }
        write!(f, "not all was read: {}", parts.join("; "))
    }
}

/// An input in which no response was recognised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnrecognisedInput {
    expected: Option<Format>,
    found: Option<Format>,
    kind: InputKind,
}

impl UnrecognisedInput {
    /// Returns `true` if the input deserves the diagnostic `unknown-format`.
    pub(crate) fn is_reported(self) -> bool {
        self.has_no_event_of_format() || self.kind == InputKind::Json
    }

    /// Returns `true` if no event is of the expected format.
    pub(crate) fn has_no_event_of_format(self) -> bool {
        self.found.is_none() || self.found != self.expected.or(self.found)
    }
}

impl Display for UnrecognisedInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = self
            .expected
            .or(self.found)
            .map_or("a provider", Format::as_str);
        if !self.is_reported() {
            return write!(f, "the response of {format} ends before it has any text");
        }
        write!(f, "expected a response of {format}, found ")?;
        match (self.found, self.kind) {
            (Some(found), _) if self.has_no_event_of_format() => {
                write!(f, "one of {found}; give --input {found}")
            }
            (_, InputKind::Json) => {
                f.write_str("other JSON; read it without --input, or its texts with --field")
            }
            (_, InputKind::Truncated) => f.write_str("an event that is cut short"),
            (_, InputKind::Malformed) => f.write_str("events whose data are not JSON"),
            (_, InputKind::Events) => f.write_str("events of no format that --help lists"),
            (_, InputKind::Binary) => f.write_str("bytes that are not text, perhaps compressed"),
            (_, InputKind::Text) => f.write_str("text; read it without --input"),
        }
    }
}

/// Beginning of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputKind {
    /// A JSON object or array.
    Json,
    /// A field or a comment of server-sent events.
    Events,
    /// JSON or events that end within an event.
    Truncated,
    /// Events whose data are not JSON.
    Malformed,
    /// Bytes that are not text.
    Binary,
    /// Something else.
    Text,
}

impl InputKind {
    /// The kind of an input that begins with these bytes after white space; `None` without bytes.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        let mut fields = [&b"data"[..], b"event", b"id:", b"retry", b":"].into_iter();
        let is_field = |field: &[u8]| start.starts_with(field) || field.starts_with(start);
        match start.first()? {
            b'{' | b'[' => Some(Self::Json),
            _ if fields.any(is_field) => Some(Self::Events),
            _ if start.contains(&0) => Some(Self::Binary),
            _ => Some(Self::Text),
        }
    }
}
