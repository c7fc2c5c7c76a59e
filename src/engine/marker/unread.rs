//! Markers where none is read: in code that is not closed, and in strings of JSON.

use super::{Reader, Region};
use crate::Span;
use crate::dialect::{AutomatonState, MarkerAutomaton, Set};
use crate::engine::Sink;
use crate::event::{Diagnostic, DiagnosticCode, Event};
use crate::steps;

/// Search in the present region.
#[derive(Clone, Debug, Default)]
pub(super) struct UnreadSearch {
    /// Stream offset at which the content of the region begins.
    start: u64,
    /// Content of a code span came, after its opening run of backticks.
    in_content: bool,
    candidate: Option<AutomatonState>,
    in_string: bool,
    /// The next byte of the string is escaped.
    escaped: bool,
    found: bool,
}

impl UnreadSearch {
    pub(super) fn begin(&mut self, start: u64) {
        *self = Self {
            start,
            ..Self::default()
        };
    }

    /// Looks for a marker in bytes of a code span.
    fn code(&mut self, bytes: &[u8], set: &Set) {
        let mut at = 0;
        if !self.in_content {
            at = bytes.iter().take_while(|&&byte| byte == b'`').count();
            self.start += at as u64;
            self.in_content = at < bytes.len();
        }
        while at < bytes.len() && !self.found {
            if self.candidate.is_none() {
                at += set.openers.find(&bytes[at..]);
            }
            let Some(&byte) = bytes.get(at) else {
                return;
            };
            at += usize::from(self.step(byte, set));
        }
    }

    /// Looks for a marker in the strings of bytes of a JSON value.
    fn json(&mut self, bytes: &[u8], set: &Set) {
        for &byte in bytes {
            match byte {
                _ if self.found => return,
                _ if core::mem::take(&mut self.escaped) => self.candidate = None,
                b'"' => {
                    self.in_string = !self.in_string;
                    self.candidate = None;
                }
                _ if !self.in_string => {}
                b'\\' => self.escaped = true,
                _ => while !self.step(byte, set) {},
            }
        }
    }

    /// Reads a byte; `false` if it ends a candidate and has to be read once more.
    fn step(&mut self, byte: u8, set: &Set) -> bool {
        let state = self.candidate.unwrap_or(MarkerAutomaton::START);
        let next = set.automaton.step(state, byte);
        let live = !set.ends;
        let accepts = set.automaton.accepts(next) & live;
        let has_ids =
            |pattern: usize| accepts & (1 << pattern) != 0 && set.has_ids(&set.forms[pattern]);
        self.found = accepts != 0 && (0..set.forms.len()).any(has_ids);
        let goes_on = (accepts | set.automaton.continues(next)) & live != 0;
        let was_open = self.candidate.is_some();
        self.candidate = goes_on.then_some(next);
        goes_on || !was_open
    }
}

impl Reader {
    /// Looks at text of the present region in which no marker is read.
    pub(super) fn look(&mut self, bytes: &[u8], set: &Set) {
        match self.region {
            Region::Code { .. } => self.unread.code(bytes, set),
            Region::Json => self.unread.json(bytes, set),
            _ => return,
        }
        steps::count(bytes.len());
    }

    /// The region ends here, and code in it was not closed.
    pub(super) fn end_unread(&mut self, sink: &mut Sink<'_>) {
        if core::mem::take(&mut self.unread.found) {
            let span = Span::new(self.unread.start, self.position);
            sink(Event::Diagnostic(Diagnostic::new(
                DiagnosticCode::UnreadMarker,
                span,
            )));
        }
    }
}
