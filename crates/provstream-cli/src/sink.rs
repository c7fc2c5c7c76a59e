//! What a command does with a stream.

use provstream::Handler;
use provstream_providers::Channel;

use crate::line::Line;
use crate::output::Output;

/// What a command does with a stream.
pub(crate) trait Sink: Handler {
    /// Where it writes to.
    fn output(&mut self) -> &mut Output;

    /// Takes the next bytes of the text, before they are parsed. Not called for a provider's event stream.
    fn raw(&mut self, chunk: &[u8]) {
        let _ = chunk;
    }

    /// Takes the channel of a provider's event stream that the following calls are about.
    fn enter(&mut self, channel: Channel) {
        let _ = channel;
    }

    /// Takes the line, counted from 1, that the following calls are about, and which of the fields asked for is read in
    /// it; none for the line itself. Offsets count within the field.
    fn enter_field(&mut self, line: u64, field: Option<usize>) {
        let _ = (line, field);
    }

    /// The text of a field is complete.
    fn leave_field(&mut self) {}

    /// Takes the next bytes of an event stream without annotations.
    fn stream(&mut self, bytes: &[u8]) {
        let _ = bytes;
    }

    /// Takes what is to be reported besides the events of a text.
    fn notice(&mut self, line: &Line<'_>) {
        let _ = line;
    }
}
