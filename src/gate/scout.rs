//! Reader ahead of a gate that finds syntax errors in a stream of JSON alone.

use smallvec::SmallVec;

use crate::engine::chars::BYTE_ORDER_MARK;
use crate::event::{Diagnostic, DiagnosticCode, Event};
use crate::parser::Parser;

/// Reads a stream of JSON alone for its faults; after a fault, the rest of the line is not read.
#[derive(Clone, Debug)]
pub(super) struct Scout {
    parser: Parser,
    /// Stream offset at which the stream begins.
    start: u64,
    /// Number of bytes of the byte order mark at the start of the stream.
    mark: usize,
    /// No byte order mark can follow, because there was a break.
    has_begun: bool,
}

impl Scout {
    /// Creates a scout for a parser at the start of a stream; `None` if the parser also reads other
    /// text.
    pub(super) fn of(parser: &Parser) -> Option<Box<Self>> {
        let scout = || Self {
            start: parser.position(),
            mark: 0,
            has_begun: false,
            parser: parser.clone(),
        };
        parser.reads_json_alone().then(|| Box::new(scout()))
    }

    /// Resets to the start of a stream.
    pub(super) fn reset(&mut self) {
        self.parser.reset();
        self.start = self.parser.position();
        self.mark = 0;
        self.has_begun = false;
    }

    /// Returns `true` if the bytes before a stream offset begin a byte order mark, which may turn out to be a fault.
    pub(super) fn is_within_mark(&self, at: u64) -> bool {
        let taken = (at - self.start) as usize;
        !self.has_begun && (1..BYTE_ORDER_MARK.len()).contains(&taken) && taken <= self.mark
    }

    /// Returns the heap memory in bytes, the scout's own box included.
    pub(super) fn heap_size(&self) -> usize {
        size_of::<Self>() + self.parser.heap_size()
    }

    /// Reads a piece and returns its faults, each with the number of bytes of the piece before it.
    pub(super) fn push(
        &mut self,
        piece: &[u8],
        untrusted: bool,
    ) -> SmallVec<[(usize, Diagnostic); 1]> {
        let (base, start) = (self.parser.position(), self.start);
        if !self.has_begun && base - start == self.mark as u64 {
            self.mark += mark(self.mark, piece);
        }
        let mut faults = SmallVec::new();
        let mut note = |event: Event<'_>| {
            if let Some((at, diagnostic)) = fault(&event) {
                let before = match at.checked_sub(base) {
                    // What began like a byte order mark is not one, which is seen at the byte after that.
                    _ if at == start => mark((base - start) as usize, piece),
                    before => before.unwrap_or(0) as usize,
                };
                faults.push((before, diagnostic));
            }
        };
        if untrusted {
            self.parser.push_untrusted(piece, &mut note);
        } else {
            self.parser.push(piece, &mut note);
        }
        faults
    }

    /// Reads a break or the end of the stream and returns the fault there, if there is one.
    pub(super) fn push_break(&mut self) -> Option<Diagnostic> {
        let mut found = None;
        self.parser.push_break(|event: Event<'_>| {
            found = found.or(fault(&event).map(|(_, diagnostic)| diagnostic));
        });
        if self.parser.position() > self.start {
            self.has_begun = true;
        }
        found
    }
}

/// Returns the number of bytes of a piece that continue a byte order mark of which `taken` bytes were read.
fn mark(taken: usize, piece: &[u8]) -> usize {
    let rest = BYTE_ORDER_MARK.iter().skip(taken);
    rest.zip(piece).take_while(|(a, b)| a == b).count()
}

/// Returns the offset from which the stream is not read, with the diagnostic that says why.
fn fault(event: &Event<'_>) -> Option<(u64, Diagnostic)> {
    let Event::Diagnostic(diagnostic) = event else {
        return None;
    };
    let span = diagnostic.span();
    let at = match diagnostic.code() {
        DiagnosticCode::JsonSyntax | DiagnosticCode::LimitDepth => span.start(),
        DiagnosticCode::Unterminated => span.end(),
        _ => return None,
    };
    Some((at, *diagnostic))
}
