//! Modes `json` and `ndjson`: the bytes between the values of a stream of JSON alone.

use memchr::memchr;

use super::scan::Scan;
use super::{Context, Engine, span, text_event};
use crate::Mode;
use crate::engine::json::lexer::{LineStart, ValueStatus, leading_white};
use crate::engine::{Input, Sink};
use crate::event::DiagnosticCode;

impl Engine {
    /// Reads a chunk that begins within a value of which no bytes are held.
    ///
    /// A fast path: most such chunks also end in it.
    pub(super) fn push_in_value(&mut self, input: &Input<'_>, sink: &mut Sink<'_>) {
        let (end, step) = self.reader.read(input, 0, false, sink);
        if step == ValueStatus::More {
            sink(text_event(input.chunk, input.base));
            self.reader.retain(input, sink);
            return;
        }
        let mut scan = Scan::new(self, input, sink);
        scan.end_json(end, step);
        scan.read(end);
    }
}

impl Scan<'_> {
    /// Reads the chunk from index `at` on, up to a value or the end of the line.
    pub(super) fn outside_value(&mut self, mut at: usize) -> usize {
        // Untrusted text is passed over; a line feed in it ends the line.
        if self.engine.untrusted {
            self.skip_line(at);
            return self.input.chunk.len();
        }
        if let Context::AfterValue = self.engine.context {
            let white = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r');
            at += self.input.chunk[at..].iter().take_while(white).count();
            self.engine.context = match self.input.chunk.get(at) {
                None => return at,
                Some(b'\n') => Context::BeforeValue,
                Some(_) => {
                    self.syntax(self.offset(at));
                    Context::Skipped
                }
            };
        }
        if let Context::Skipped = self.engine.context {
            return self.skip_line(at);
        }
        at += leading_white(&self.input.chunk[at..]);
        if at < self.input.chunk.len() {
            self.start_json(at);
        }
        at
    }

    /// Skips the rest of a line.
    fn skip_line(&mut self, at: usize) -> usize {
        match memchr(b'\n', &self.input.chunk[at..]) {
            None => self.input.chunk.len(),
            Some(found) => {
                self.engine.context = Context::BeforeValue;
                at + found + 1
            }
        }
    }

    /// Continues after a value that ended before index `end`.
    #[inline]
    pub(super) fn after_value(&mut self, end: usize, step: ValueStatus) {
        let lines = self.engine.mode == Mode::Ndjson;
        self.engine.context = match step {
            ValueStatus::Stopped => {
                let at = self.offset(end);
                self.syntax(at);
                if lines || self.engine.reader.lexer().line_at(at) == LineStart::Content {
                    Context::Skipped
                } else {
                    Context::BeforeValue
                }
            }
            ValueStatus::TooDeep => Context::Skipped,
            _ if lines => Context::AfterValue,
            _ => Context::BeforeValue,
        };
    }

    /// Reports the byte at a stream offset as invalid JSON, unless it was reported already.
    pub(super) fn syntax(&mut self, at: u64) {
        if self.engine.json.reported <= at {
            self.engine.json.reported = at + 1;
            self.diagnose(DiagnosticCode::JsonSyntax, span(at, 1));
        }
    }
}
