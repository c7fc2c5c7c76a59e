//! Receiver of a stream.

use std::fmt;
use std::sync::Arc;

use provstream::{GateEnd, Handler, Span};
use provstream_providers::{Channel, GateEvent};

/// Text of an input that has several.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextName {
    Channel {
        channel: Channel,
        is_reasoning: bool,
    },
    /// String in a line of NDJSON.
    Field {
        line: u64,
        /// Index of the pointer that it was found with.
        field: usize,
        /// Pointer of the string, if a line can have several strings.
        pointer: Option<Arc<str>>,
    },
}

impl fmt::Display for TextName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel {
                channel,
                is_reasoning,
            } => {
                let reasoning = if *is_reasoning { " reasoning" } else { "" };
                write!(f, "{channel}{reasoning}")
            }
            Self::Field { line, pointer, .. } => match pointer {
                Some(pointer) => write!(f, "line {line} {pointer}"),
                None => write!(f, "line {line}"),
            },
        }
    }
}

/// A diagnostic that is not about a text.
#[derive(Debug)]
pub(crate) enum StreamNotice<'a> {
    /// Diagnostic about an event of a response, or a line of NDJSON.
    Diagnostic {
        code: &'static str,
        span: Span,
        message: Option<&'a str>,
        /// Number of the line.
        line: Option<u64>,
        /// `true` if something was not read.
        is_unread: bool,
    },
    /// Error that the provider reports.
    Error(&'a str),
}

/// Receives a stream. The events of its texts come through [`Handler`].
pub(crate) trait StreamSink: Handler {
    /// Returns the first error of the output, and flushes it if the input may pause.
    fn check(&mut self, _may_pause: bool) -> anyhow::Result<()> {
        Ok(())
    }

    /// Receives the input without annotations, as a gate releases it: text, a response, or lines of NDJSON.
    fn write(&mut self, _bytes: &[u8]) {}

    /// Receives bytes of a text before they are parsed; not called for responses.
    fn on_input_bytes(&mut self, _bytes: &[u8]) {}

    /// Receives the text that the following events are about, if there are several. A gate also reports texts that repeat
    /// another one.
    fn on_text(&mut self, _name: &TextName, _is_repeated: bool) {}

    /// Receives the text that the following markers repeat.
    fn on_copy(&mut self, _name: &TextName) {}

    /// Receives the end of a text.
    fn on_text_end(&mut self, _name: &TextName) {}

    /// Receives a text that the policy of a gate ended: a string of a line before its end, other texts after the input.
    fn on_stop(&mut self, _stopped: &StoppedText) {}

    /// Receives what a gate does.
    fn on_gate(&mut self, _event: &GateEvent<'_>) {}

    /// Receives a diagnostic that is not about a text.
    fn on_notice(&mut self, _notice: &StreamNotice<'_>) {}
}

/// Text that the policy of a gate ended.
#[derive(Debug)]
pub(crate) struct StoppedText {
    /// Name; `None` if the input is one text.
    pub(crate) name: Option<String>,
    pub(crate) end: GateEnd,
}
