//! Text through a gate on its way into a writer.

use std::io::{self, ErrorKind, Write};

use super::Gated;
use crate::gate::{Gate, GateHandler, Policy};
use crate::io::PIECE;

/// A writer that passes on what a policy releases to another one.
///
/// Each write takes at most 8 KiB. What the writer inside does not take is kept, and nothing further is taken until it is
/// gone. An error that comes when bytes of a write were taken already is the result of the next call, which then takes
/// nothing. After the policy has ended the stream, what is written is taken and dropped.
///
/// **The end.** [`finish`](Self::finish) decides about what is held back. So does dropping the adapter, which then writes
/// what is released, without reporting errors.
///
/// ```
/// use provstream::io::GateWriter;
/// use provstream::{Action, Gate, Parser, Policy, Question};
/// use std::io::Write;
///
/// struct Nothing;
/// impl Policy for Nothing {
///     fn assertion(&mut self, _: &Question<'_>) -> Action {
///         Action::Replace("(withheld)".into())
///     }
/// }
///
/// let mut text = Vec::new();
/// let mut writer = GateWriter::new(&mut text, Gate::new(Parser::new(), Nothing), ());
/// writer.write_all(b"It is so. [substrate.grep] Really.")?;
/// writer.finish()?;
/// drop(writer);
/// assert_eq!(text, b"(withheld) Really.");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct GateWriter<W: Write, P: Policy, H: GateHandler> {
    writer: W,
    gated: Gated<P, H>,
    /// An error for the next call.
    failed: Option<io::Error>,
}

impl<W: Write, P: Policy, H: GateHandler> GateWriter<W, P, H> {
    /// Writes what the gate releases to `writer`; the handler gets what the gate reports.
    pub const fn new(writer: W, gate: Gate<P>, handler: H) -> Self {
        Self {
            writer,
            gated: Gated::new(gate, handler),
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

    /// Returns the inner writer.
    #[must_use]
    pub const fn get_ref(&self) -> &W {
        &self.writer
    }

    /// Ends the stream, writes all that is released and flushes the writer inside. After an error it can be called again
    /// and goes on where it was. What is written afterwards is refused, with an error of kind
    /// [`InvalidInput`](ErrorKind::InvalidInput).
    ///
    /// # Errors
    /// That of the writer inside.
    pub fn finish(&mut self) -> io::Result<()> {
        self.gated.finish();
        self.flush()
    }

    /// Passes on what is released, or says why that cannot be.
    fn pass_on(&mut self) -> io::Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        loop {
            let waiting = self.gated.waiting();
            if waiting.is_empty() {
                return Ok(());
            }
            match self.writer.write(waiting) {
                Ok(0) => {
                    let message = "failed to write the released text";
                    return Err(io::Error::new(ErrorKind::WriteZero, message));
                }
                Ok(taken) => self.gated.take(taken),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl<W: Write, P: Policy, H: GateHandler> Write for GateWriter<W, P, H> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pass_on()?;
        let piece = &bytes[..bytes.len().min(PIECE)];
        if piece.is_empty() {
            return Ok(0);
        }
        if self.gated.finished {
            return Err(io::Error::new(
                ErrorKind::InvalidInput,
                "expected no more bytes after the end of the stream",
            ));
        }
        self.gated.push(piece);
        self.failed = self
            .pass_on()
            .err()
            .filter(|error| error.kind() != ErrorKind::WouldBlock);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()?;
        self.writer.flush()
    }
}

impl<W: Write, P: Policy, H: GateHandler> Drop for GateWriter<W, P, H> {
    fn drop(&mut self) {
        self.failed = None;
        // Nobody is there to take the error.
        let _ = self.finish();
    }
}
