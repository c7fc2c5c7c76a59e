//! Evidence that part of a provider's response was not read.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use provstream_providers::{Decoder, Format, Notice, NoticeCode, ReadReport};

use crate::messages::{CountAndExample, count, truncate};

/// Most characters of a provider's error in a message.
const MAX_ERROR: usize = 120;

/// Most members that a message names.
const MAX_MEMBERS: usize = 3;

/// Collects what the reader of a response reports.
#[derive(Debug)]
pub(crate) struct ResponseTracker {
    /// Format of `--input`.
    expected: Option<Format>,
    /// Detects the real format, until there is text.
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
    /// Creates a tracker of a response in the format of `--input`, if the option names one.
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
        self.errors.add(|| quote_error(message));
    }

    /// Counts a notice, if it is about something that was not read.
    pub(crate) fn add_notice(&mut self, notice: &Notice) {
        let code = notice.code();
        if code.is_unread() {
            *self.notices.entry(code).or_default() += 1;
            let (start, message) = (notice.span().start(), code.description());
            self.first_notice
                .add(|| format!("at byte {start} of the response: {message}"));
        }
    }

    /// Observes the next bytes of the response.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        if self.kind.is_none() {
            self.kind = InputKind::of(chunk.trim_ascii_start());
        }
        // The last event with evidence counts, wherever chunks end.
        if !self.has_text {
            self.probe.push(chunk, |_| {});
        }
    }

    /// Determines the status of the complete response.
    pub(crate) fn finish(mut self, report: &ReadReport) -> ResponseStatus {
        if !self.has_text {
            self.probe.finish(|_| {});
        }
        let found = self.probe.format();
        let is_expected = found.is_some() && found == self.expected.or(found);
        // Nothing marks the end in these formats.
        let has_no_end = matches!(found, Some(Format::Gemini | Format::LlamaCpp | Format::Tgi));
        let is_ended = (self.has_end || has_no_end) && is_expected;
        // A response without text may be a tool call or reasoning.
        let mut notices = self.notices.keys();
        let is_read =
            notices.all(|code| *code == NoticeCode::UnreadMember) || report.reasoning_bytes() > 0;
        let is_body = self.kind == Some(InputKind::Json) && is_expected && is_read;
        let is_recognised = self.has_text || self.errors.count() > 0 || is_ended || is_body;
        let kind = self.kind.filter(|_| !is_recognised);
        let unrecognised = kind.map(|kind| self.unrecognised(kind, is_expected));
        ResponseStatus {
            message: self.message(unrecognised.as_ref(), report),
            is_empty: self.kind.is_none(),
            has_errors: self.errors.count() > 0,
            has_unread_events: !self.notices.is_empty(),
            has_unread_members: !report.is_complete(),
            unrecognised,
        }
    }

    fn unrecognised(&self, kind: InputKind, is_expected: bool) -> UnrecognisedInput {
        let found = self.probe.format();
        let is_open = self.notices.contains_key(&NoticeCode::UnterminatedEvent);
        let is_reported = !is_expected || kind == InputKind::Json && !is_open;
        let format = format_name(self.expected.or(found));
        let found = match (found, kind) {
            (Some(found), _) if !is_expected => format!("one of {found}; give --input {found}"),
            (_, InputKind::Json) => {
                "other JSON; read it without --input, or its texts with --field".into()
            }
            (_, InputKind::Events) => "other events, or events that are cut short".into(),
            (_, InputKind::Text) => "text; read it without --input".into(),
        };
        UnrecognisedInput {
            message: match is_reported {
                true => format!("expected a response of {format}, found {found}"),
                false => format!("the response of {format} ends before it has any text"),
            },
            is_reported,
            is_other_format: !is_expected,
        }
    }

    fn message(&self, unrecognised: Option<&UnrecognisedInput>, report: &ReadReport) -> String {
        if self.kind.is_none() {
            let format = format_name(self.expected);
            return format!("the input is empty: expected a response of {format}");
        }
        let mut parts: Vec<String> = Vec::new();
        parts.extend(unrecognised.map(|input| input.message.clone()));
        let notices = self.notices.iter();
        let notices: Vec<_> = notices
            .map(|(code, count)| format!("{count} {code}"))
            .collect();
        if !notices.is_empty() {
            let example = self.first_notice.example();
            parts.push(format!("{}{example}", notices.join(", ")));
        }
        let members = report.unread_members().take(MAX_MEMBERS);
        let members: Vec<_> = members.map(|(path, _)| format!("{path:?}")).collect();
        if !members.is_empty() {
            parts.push(format!("in {}", members.join(", ")));
        }
        if self.errors.count() > 0 {
            let (errors, example) = (count(self.errors.count(), "error"), self.errors.example());
            parts.push(format!("{errors} of the provider{example}"));
        }
        format!("not all was read: {}", parts.join("; "))
    }
}

/// Quotes an error of a provider for a message.
pub(crate) fn quote_error(message: &str) -> String {
    format!("{:?}", truncate(message, MAX_ERROR))
}

fn format_name(format: Option<Format>) -> &'static str {
    format.map_or("a provider", Format::as_str)
}

/// Statement of what was not read of a response. The default is that of an input that is not a response.
#[derive(Debug, Default)]
pub(crate) struct ResponseStatus {
    /// `true` if the input has only white space, and a response was expected.
    pub(crate) is_empty: bool,
    /// An input without text, an end and an error of the provider.
    pub(crate) unrecognised: Option<UnrecognisedInput>,
    has_errors: bool,
    has_unread_events: bool,
    /// `true` if members that the format does not have may have text.
    has_unread_members: bool,
    message: String,
}

impl ResponseStatus {
    /// Returns `true` if `--fail` can pass: all was read, and the provider reported no error.
    pub(crate) const fn passes(&self) -> bool {
        self.is_fully_read() && !self.has_unread_members
    }

    /// Returns `true` if all was read, and the provider reported no error.
    pub(crate) const fn is_fully_read(&self) -> bool {
        !self.has_errors && self.is_fully_read_but_errors()
    }

    /// Returns `true` if all was read, apart from errors of the provider.
    pub(crate) const fn is_fully_read_but_errors(&self) -> bool {
        !self.has_unread_events && !self.is_empty && self.unrecognised.is_none()
    }
}

impl Display for ResponseStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// An input in which no response was recognised.
#[derive(Debug)]
pub(crate) struct UnrecognisedInput {
    message: String,
    /// `true` if the input deserves the diagnostic `unknown-format`.
    pub(crate) is_reported: bool,
    /// `true` if no event is of the expected format.
    pub(crate) is_other_format: bool,
}

impl Display for UnrecognisedInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Beginning of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputKind {
    /// A JSON object or array.
    Json,
    /// A field or a comment of server-sent events.
    Events,
    /// Something else.
    Text,
}

impl InputKind {
    /// Returns the kind of an input that begins with these bytes after white space; `None` without
    /// bytes.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        let mut fields = [&b"data"[..], b"event", b"id:", b"retry", b":"].into_iter();
        let is_field = |field: &[u8]| start.starts_with(field) || field.starts_with(start);
        match start.first()? {
            b'{' | b'[' => Some(Self::Json),
            _ if fields.any(is_field) => Some(Self::Events),
            _ => Some(Self::Text),
        }
    }
}
