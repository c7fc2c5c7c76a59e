//! Text through a gate on its way out of a reader.

use std::io::{self, Read};

use super::Gated;
use crate::gate::{Gate, GateHandler, Policy};
use crate::io::{PIECE, is_passing};

/// A reader of what a policy releases of what another one reads. With the feature `tokio` it is an `AsyncRead` where the
/// other one is.
///
/// At most 8 KiB are read at a time, only when all that was released is taken.
///
/// **The end.** The gate finishes at the end of the reader inside, at its first error, and when the adapter is dropped.
/// An error comes after the text that is released then, and nothing after it; of errors that say that a read would block
/// or was interrupted, nothing is ended. When the policy ends the stream, the reader inside is not read any further.
///
/// ```
/// use provstream::io::GateReader;
/// use provstream::{Action, Gate, Parser, Policy, Question};
/// use std::io::Read;
///
/// struct Nothing;
/// impl Policy for Nothing {
///     fn assertion(&mut self, _: &Question<'_>) -> Action {
///         Action::Replace("(withheld)".into())
///     }
/// }
///
/// let answer = &b"It is so. [substrate.grep] Really."[..];
/// let mut text = String::new();
/// GateReader::new(answer, Gate::new(Parser::new(), Nothing), ()).read_to_string(&mut text)?;
/// assert_eq!(text, "(withheld) Really.");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "nothing is read until text is asked for"]
pub struct GateReader<R, P: Policy, H: GateHandler> {
    reader: R,
    gated: Gated<P, H>,
    /// Room for what is read next.
    room: Vec<u8>,
    /// An error for after the text.
    failed: Option<io::Error>,
}

impl<R, P: Policy, H: GateHandler> GateReader<R, P, H> {
    /// Creates a reader of the text that the gate releases from `reader`; `handler` gets the
    /// reports of the gate.
    pub const fn new(reader: R, gate: Gate<P>, handler: H) -> Self {
        Self {
            reader,
            gated: Gated::new(gate, handler),
            room: Vec::new(),
            failed: None,
        }
    }

    /// Returns the gate.
    pub const fn gate(&self) -> &Gate<P> {
        &self.gated.gate
    }

    /// Returns the handler.
    #[must_use]
    pub const fn handler(&self) -> &H {
        &self.gated.handler
    }

    /// Takes what a read of so many bytes of room gave.
    fn take(&mut self, read: io::Result<usize>) -> io::Result<()> {
        match read {
            Ok(0) => self.gated.finish(),
            Ok(count) => {
                let read = core::mem::take(&mut self.room);
                self.gated.push(read.get(..count).unwrap_or_default());
                self.room = read;
            }
            Err(error) if is_passing(&error) => return Err(error),
            Err(error) => {
                self.gated.finish();
                self.failed = Some(error);
            }
        }
        Ok(())
    }

    /// Copies released bytes into `buffer` and returns their number, or an error in their place; `None` if more input is needed.
    fn give(&mut self, buffer: &mut [u8]) -> Option<io::Result<usize>> {
        let waiting = self.gated.waiting();
        let len = waiting.len().min(buffer.len());
        if len > 0 {
            buffer[..len].copy_from_slice(&waiting[..len]);
            self.gated.take(len);
            return Some(Ok(len));
        }
        if let Some(error) = self.failed.take() {
            return Some(Err(error));
        }
        if buffer.is_empty() || self.gated.is_over() {
            self.gated.finish();
            return Some(Ok(0));
        }
        self.room.resize(PIECE, 0);
        None
    }
}

impl<R: Read, P: Policy, H: GateHandler> Read for GateReader<R, P, H> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(given) = self.give(buffer) {
                return given;
            }
            let read = self.reader.read(&mut self.room);
            self.take(read)?;
        }
    }
}

#[cfg(feature = "tokio")]
impl<R, P, H> tokio::io::AsyncRead for GateReader<R, P, H>
where
    R: tokio::io::AsyncRead + Unpin,
    P: Policy + Unpin,
    H: GateHandler + Unpin,
{
    fn poll_read(
        mut self: core::pin::Pin<&mut Self>,
        cx: &mut core::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> core::task::Poll<io::Result<()>> {
        use core::task::{Poll, ready};

        let this = &mut *self;
        loop {
            if let Some(given) = this.give(buffer.initialize_unfilled()) {
                return Poll::Ready(given.map(|len| buffer.advance(len)));
            }
            let mut room = tokio::io::ReadBuf::new(&mut this.room);
            let read = ready!(core::pin::Pin::new(&mut this.reader).poll_read(cx, &mut room));
            let count = room.filled().len();
            this.take(read.map(|()| count))?;
        }
    }
}
