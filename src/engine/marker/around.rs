//! Markers around their assertion.

use super::{Markers, Reader, With, is_white};
use crate::Span;
use crate::dialect::Patterns;
use crate::engine::Sink;
use crate::event::{Diagnostic, DiagnosticCode, Event};
use crate::marker::{Citation, CitationParts, IdList};
use crate::marker_ids::IdText;
use crate::provenance::reading::lossy;

use super::tracker::{cited, whole_prefix};

/// Markers that are open, the last one innermost.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenMarkers(Vec<OpenMarker>);

#[derive(Clone, Debug)]
struct OpenMarker {
    /// Pattern of the opening marker; its end tag has the next one.
    pattern: usize,
    span: Span,
    ids: IdText,
    /// Start of the text inside, in the stream and in the clean text, and its end so far; without white space.
    inside: Option<(Span, Span)>,
    /// Kept part of the text inside, with white space at its end.
    text: Vec<u8>,
    /// Length of what is inside, white space at its end included.
    len: usize,
}

/// Most bytes that are kept beyond the limit, so that it is known where its last character ends.
const SLACK: usize = 4;

impl OpenMarkers {
    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn heap(&self) -> usize {
        let one =
            |open: &OpenMarker| size_of::<OpenMarker>() + open.text.capacity() + open.ids.heap();
        self.0.iter().map(one).sum()
    }

    /// Patterns of the end tags that count.
    pub(super) fn ends(&self) -> Patterns {
        self.0
            .iter()
            .fold(0, |all, open| all | 1 << (open.pattern + 1))
    }

    /// Returns where the text inside of the outermost marker with identifiers begins, in the stream and in the clean text; `None` if there is no
    /// text in any yet.
    pub(super) fn start(&self) -> Option<(u64, u64)> {
        let mut cited = self.0.iter().filter(|open| open.ids.len() > 0);
        let (stream, clean) = cited.find_map(|open| open.inside)?;
        Some((stream.start(), clean.start()))
    }

    pub(super) fn begin(&mut self, pattern: usize, span: Span, ids: &IdText) {
        self.0.push(OpenMarker {
            pattern,
            span,
            ids: ids.clone(),
            inside: None,
            text: Vec::new(),
            len: 0,
        });
    }

    /// Text comes inside, at stream offset `at` and clean offset `clean`.
    pub(super) fn push(&mut self, bytes: &[u8], at: u64, clean: u64, max: usize) {
        for open in &mut self.0 {
            let Some(last) = bytes.iter().rposition(|&byte| !is_white(byte)) else {
                if open.inside.is_some() {
                    open.keep(bytes, max);
                }
                continue;
            };
            let end = last as u64 + 1;
            match &mut open.inside {
                Some((stream, text)) => {
                    *stream = Span::new(stream.start(), at + end);
                    *text = Span::new(text.start(), clean + end);
                    open.keep(bytes, max);
                }
                inside => {
                    let first = bytes
                        .iter()
                        .position(|&byte| !is_white(byte))
                        .unwrap_or(last);
                    let start = first as u64;
                    *inside = Some((
                        Span::new(at + start, at + end),
                        Span::new(clean + start, clean + end),
                    ));
                    open.keep(&bytes[first..], max);
                }
            }
        }
    }

    /// The last `white` bytes are removed.
    pub(super) fn remove(&mut self, white: usize) {
        for open in &mut self.0 {
            open.len = open.len.saturating_sub(white);
            open.text.truncate(open.len);
        }
    }
}

impl OpenMarker {
    fn keep(&mut self, bytes: &[u8], max: usize) {
        let room = (max + SLACK).saturating_sub(self.text.len());
        self.text.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.len += bytes.len();
    }
}

impl Reader {
    /// Reports the marker whose end tag is at `span`.
    pub(super) fn close(
        &mut self,
        pattern: usize,
        span: Span,
        with: With<'_>,
        sink: &mut Sink<'_>,
    ) {
        let opening = with.set.forms[pattern].ends;
        let index = self
            .open
            .0
            .iter()
            .rposition(|open| Some(open.pattern) == opening);
        if let Some(index) = index {
            let open = self.open.0.remove(index);
            self.report(&open, span.start(), with, sink);
        }
        self.skip(0, span.len());
    }

    /// Reports a marker around its assertion, which ends at stream offset `end`, if it has identifiers.
    fn report(&mut self, open: &OpenMarker, end: u64, with: With<'_>, sink: &mut Sink<'_>) {
        if open.ids.len() == 0 {
            return;
        }
        let max = self.tracker.max_assertion();
        let clean_end = end - self.tracker.removed();
        let here = (Span::new(end, end), Span::new(clean_end, clean_end));
        let (span, clean) = open.inside.unwrap_or(here);
        let whole = clean.len() as usize;
        let cut = whole > max;
        let text = match cut {
            true => &open.text[..whole_prefix(&open.text, max)],
            false => &open.text[..whole],
        };
        let ids = open
            .ids
            .iter()
            .map(|id| (with.set.forms[open.pattern].dialect, id, open.span));
        let (text, mut ids) = (lossy(text), cited(ids, with));
        let too_many = ids.len() > self.tracker.max_ids();
        ids.truncate(self.tracker.max_ids());
        let bad = matches!(text, std::borrow::Cow::Owned(_));
        let parts = CitationParts {
            text: &text,
            span,
            clean_span: clean,
            limit_hit: cut || too_many,
            is_orphan: false,
            ids: IdList::Borrowed(&ids),
        };
        sink(Event::Citation(Citation::borrowed(&parts)));
        for (holds, code) in [
            (cut, DiagnosticCode::LimitAssertion),
            (too_many, DiagnosticCode::LimitAnnotations),
            (bad, DiagnosticCode::InvalidUtf8),
        ] {
            if holds {
                sink(Event::Diagnostic(Diagnostic::new(code, span)));
            }
        }
    }
}

impl Markers {
    /// Reports what is open at a break or the end of the stream, the last opened first.
    pub(super) fn end_open(&mut self, sink: &mut Sink<'_>) {
        let (reader, with) = self.with();
        while let Some(open) = reader.open.0.pop() {
            let end = reader.position;
            reader.report(&open, end, with, sink);
            sink(Event::Diagnostic(Diagnostic::new(
                DiagnosticCode::UnclosedMarker,
                open.span,
            )));
        }
    }
}
