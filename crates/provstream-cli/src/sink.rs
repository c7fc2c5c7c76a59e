//! Receiver of a stream.

use provstream::{Handler, Span};
use provstream_providers::Channel;

use crate::output::Output;

/// A diagnostic that is not about the text of a channel.
#[derive(Debug)]
pub(crate) enum StreamNotice<'a> {
    /// Diagnostic about an event of a response, or a line of NDJSON.
    Diagnostic {
        code: &'static str,
        span: Span,
        message: Option<String>,
        /// `true` if something was not read.
        is_unread: bool,
    },
    /// Error that the provider reports.
    Error(&'a str),
}

/// Receives a stream. The events of its texts come through [`Handler`].
pub(crate) trait StreamSink: Handler {
    /// Output of the command.
    fn output(&mut self) -> &mut Output;

    /// Receives bytes of a text before they are parsed; not called for responses.
    fn on_input_bytes(&mut self, _bytes: &[u8]) {}

    /// Receives the channel of a response that the following events are about.
    fn on_channel(&mut self, _channel: Channel) {}

    /// Receives the line, and the index of the field in it, that the following events are about.
    fn on_field(&mut self, _line: u64, _field: Option<usize>) {}

    /// Receives the end of a field.
    fn on_field_end(&mut self) {}

    /// Receives bytes of a response without annotations.
    fn on_response_bytes(&mut self, _bytes: &[u8]) {}

    /// Receives a diagnostic that is not about a text.
    fn on_notice(&mut self, _notice: &StreamNotice<'_>) {}
}
