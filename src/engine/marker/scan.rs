//! Markers in prose: candidates run through the automaton until it is dead, and the longest match is one.

use super::{Markers, Reader, With};
use crate::dialect::{
    Around, AutomatonState, GuardVerdict, MOST_OPEN, MarkerAutomaton, Patterns, Set,
};
use crate::engine::Sink;
use crate::engine::chars::is_escaped;
use crate::event::{Diagnostic, DiagnosticCode, Event};
use crate::marker::{Marker, MarkerKind, MarkerParts};
use crate::{Span, steps};

/// Shortest opener after which an incomplete marker has a diagnostic, in bytes.
const NOTABLE_OPENER: usize = 3;

/// Most bytes that are added to held ones before they are looked at.
const PIECE: usize = 256;

/// Bytes that may begin a marker, as far as they were read.
#[derive(Clone, Copy, Debug)]
pub(super) struct MarkerCandidate {
    state: AutomatonState,
    /// Number of bytes that were read: no marker is longer than 4,096.
    read: u16,
    /// Length and pattern of the longest match so far.
    found: Option<(u16, u8)>,
    end: End,
}

/// Why a candidate is not read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Open,
    /// No byte continues it, or the last one did not.
    Decided,
    /// Limit of its length is reached.
    Limit,
}

/// More bytes than any guard looks at after a marker.
const NEAR: usize = 16;

/// Successor of prose.
#[derive(Clone, Copy)]
struct Next<'a> {
    bytes: &'a [u8],
    text_ends: bool,
}

impl Next<'_> {
    /// Returns the first bytes of `rest`, with which the prose ends, and of what follows.
    fn after<'n>(&self, rest: &[u8], near: &'n mut [u8; NEAR]) -> &'n [u8] {
        let mut len = 0;
        for (place, &byte) in near.iter_mut().zip(rest.iter().chain(self.bytes)) {
            *place = byte;
            len += 1;
        }
        &near[..len]
    }
}

/// A match that is a marker.
#[derive(Clone, Copy)]
struct FoundMarker {
    pattern: usize,
    kind: MarkerKind,
    has_ids: bool,
}

/// Result of a match.
enum MarkerOutcome {
    Marker(FoundMarker),
    Text,
    /// Text with a diagnostic.
    Unread,
    More,
}

impl MarkerCandidate {
    const fn new() -> Self {
        Self {
            state: MarkerAutomaton::START,
            read: 0,
            found: None,
            end: End::Open,
        }
    }

    /// Returns the length of the longest whole marker so far.
    pub(super) fn whole_len(&self) -> Option<usize> {
        self.found.map(|(len, _)| len.into())
    }

    /// Reads on in `bytes`, which begin where the candidate does.
    fn feed(&mut self, bytes: &[u8], set: &Set, live: Patterns) {
        let automaton = &set.automaton;
        let from = self.read;
        while self.end == End::Open
            && let Some(&byte) = bytes.get(usize::from(self.read))
        {
            let next = automaton.step(self.state, byte);
            let (accepts, continues) = (
                automaton.accepts(next) & live,
                automaton.continues(next) & live,
            );
            let len = self.read + 1;
            if accepts | continues == 0 {
                self.end = End::Decided;
                break;
            }
            self.state = next;
            self.read = len;
            let accepts = accepts & set.within(len.into());
            if accepts != 0 {
                self.found = Some((len, accepts.trailing_zeros() as u8));
            }
            if continues & set.within(usize::from(len) + 1) == 0 {
                self.end = match continues {
                    0 => End::Decided,
                    _ => End::Limit,
                };
            }
        }
        steps::count((self.read - from).into());
    }
}

impl Markers {
    /// The prose ends here, perhaps with the whole text, or goes on with `next`, which is no part of a marker.
    pub(super) fn end_candidate(&mut self, next: &[u8], text_ends: bool, sink: &mut Sink<'_>) {
        if self.reader.held.is_empty() {
            return;
        }
        let (reader, with) = self.with();
        let mut held = core::mem::take(&mut reader.held);
        let mut at = 0;
        while at < held.len() {
            at += reader.scan(
                &held[at..],
                Some(Next {
                    bytes: next,
                    text_ends,
                }),
                with,
                sink,
            );
        }
        held.clear();
        reader.held = held;
    }
}

impl Reader {
    /// Takes model text outside of code.
    pub(super) fn prose(&mut self, bytes: &[u8], with: With<'_>, sink: &mut Sink<'_>) {
        let mut rest = bytes;
        while !self.held.is_empty() && !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(PIECE));
            self.held.extend_from_slice(now);
            rest = later;
            let mut held = core::mem::take(&mut self.held);
            let done = self.scan(&held, None, with, sink);
            held.drain(..done);
            self.held = held;
        }
        if !rest.is_empty() {
            let done = self.scan(rest, None, with, sink);
            self.held.extend_from_slice(&rest[done..]);
        }
    }

    /// Emits the markers and the text that are certain; gives the length of what was read. With `next`, nothing but that
    /// follows the text, and all of it is certain.
    fn scan(
        &mut self,
        text: &[u8],
        next: Option<Next<'_>>,
        with: With<'_>,
        sink: &mut Sink<'_>,
    ) -> usize {
        let mut done = 0;
        let mut at = 0;
        while let Some(start) = self.next_candidate(text, at, done, with.set) {
            let mut candidate = self.candidate.take().unwrap_or_else(MarkerCandidate::new);
            candidate.feed(&text[start..], with.set, self.live);
            let read = usize::from(candidate.read);
            if candidate.end == End::Open && next.is_none() {
                self.pass(&text[done..start], with, sink);
                self.candidate = Some(candidate);
                return start;
            }
            let Some((len, pattern)) = candidate.found else {
                at = start + 1;
                let is_cut = next.is_some_and(|next| next.text_ends) && candidate.end == End::Open;
                if (is_cut || candidate.end == End::Limit)
                    && self.is_unclosed(&text[start..][..read], candidate.state, with.set)
                {
                    self.pass(&text[done..start], with, sink);
                    done = start;
                    self.tracker.settle(with, sink);
                    let span = Span::new(self.position, self.position + read as u64);
                    sink(Event::Diagnostic(Diagnostic::new(
                        DiagnosticCode::UnclosedMarker,
                        span,
                    )));
                }
                continue;
            };
            let (len, pattern) = (usize::from(len), usize::from(pattern));
            self.pass(&text[done..start], with, sink);
            let end = start + len;
            let mut near = [0; NEAR];
            let after = match next {
                Some(next) => (next.after(&text[end..], &mut near), true),
                None => (&text[end..], false),
            };
            match self.outcome(pattern, &text[start..end], after, with) {
                MarkerOutcome::More => {
                    self.candidate = Some(candidate);
                    return start;
                }
                MarkerOutcome::Text => self.pass(&text[start..end], with, sink),
                MarkerOutcome::Unread => {
                    self.tracker.settle(with, sink);
                    let span = Span::new(self.position, self.position + len as u64);
                    sink(Event::Diagnostic(Diagnostic::new(
                        DiagnosticCode::UnreadMarker,
                        span,
                    )));
                    self.pass(&text[start..end], with, sink);
                }
                MarkerOutcome::Marker(found) => {
                    self.marker(found, &text[start..end], with, sink);
                }
            }
            done = end;
            at = end;
        }
        self.pass(&text[done..], with, sink);
        text.len()
    }

    /// Index of the next byte from `at` on that may begin a marker; text before `done` was emitted.
    fn next_candidate(&self, text: &[u8], at: usize, done: usize, set: &Set) -> Option<usize> {
        if self.candidate.is_some() {
            return Some(at);
        }
        let mut at = at;
        loop {
            let start = at + set.openers.find(&text[at..]);
            steps::count(start - at);
            if start == text.len() {
                return None;
            }
            if !is_escaped(&text[done..], start - done, self.odd_backslashes) {
                return Some(start);
            }
            at = start + 1;
        }
    }

    fn is_unclosed(&self, bytes: &[u8], state: AutomatonState, set: &Set) -> bool {
        let open =
            (set.automaton.accepts(state) | set.automaton.continues(state)) & self.live & !set.ends;
        let Some((_, before)) = bytes.split_last() else {
            return false;
        };
        set.forms.iter().enumerate().any(|(pattern, form)| {
            open & (1 << pattern) != 0
                && set
                    .opener(form, before)
                    .is_some_and(|len| len >= NOTABLE_OPENER)
        })
    }

    fn outcome(
        &mut self,
        pattern: usize,
        bytes: &[u8],
        (after, ends): (&[u8], bool),
        with: With<'_>,
    ) -> MarkerOutcome {
        let form = &with.set.forms[pattern];
        if form.ends.is_some() {
            self.ids.clear();
            return MarkerOutcome::Marker(FoundMarker {
                pattern,
                kind: MarkerKind::End,
                has_ids: false,
            });
        }
        let Some(read) = with.set.read(form, bytes, &mut self.ids) else {
            // Too many identifiers, or a range that does not ascend.
            return match with.sources.is_some_and(|list| list.is_complete()) {
                true => MarkerOutcome::Unread,
                false => MarkerOutcome::Text,
            };
        };
        if let Some(guard) = with.set.guard(form) {
            if self.behind.in_bibliography && guard.is_for_numbers() {
                return MarkerOutcome::Text;
            }
            let around = Around {
                before: self.behind.bytes(),
                first_in_line: self.behind.line_start(),
                after,
                ends,
                attached: read.attached,
                sources: with.sources.filter(|list| !list.is_absent()),
            };
            match guard.verdict(bytes, &self.ids, read.one_each, &around) {
                GuardVerdict::Marker => {}
                GuardVerdict::Text => return MarkerOutcome::Text,
                GuardVerdict::Unlisted => return MarkerOutcome::Unread,
                GuardVerdict::FirstInLine => {
                    self.behind.in_bibliography = true;
                    return MarkerOutcome::Text;
                }
                GuardVerdict::More => return MarkerOutcome::More,
            }
        }
        if form.is_around && self.open.len() == MOST_OPEN {
            return MarkerOutcome::Text;
        }
        MarkerOutcome::Marker(FoundMarker {
            pattern,
            kind: match form.is_around {
                true => MarkerKind::Opening,
                false => MarkerKind::After,
            },
            has_ids: with.set.has_ids(form),
        })
    }

    fn marker(&mut self, found: FoundMarker, raw: &[u8], with: With<'_>, sink: &mut Sink<'_>) {
        let FoundMarker {
            pattern,
            kind,
            has_ids,
        } = found;
        let form = &with.set.forms[pattern];
        self.tracker.settle(with, sink);
        let white = match kind {
            MarkerKind::After if has_ids => usize::from(self.blanks),
            _ => 0,
        };
        let start = self.position;
        let parts = MarkerParts {
            dialect: with.set.name(form),
            ids: &self.ids,
            raw,
            start,
            whitespace_before: white,
            kind,
            follows_exclamation: self.tracker.last_byte() == Some(b'!'),
        };
        sink(Event::Marker(Marker::borrowed(&parts)));
        let span = Span::new(start, start + raw.len() as u64);
        match kind {
            MarkerKind::After => {
                self.skip(white, span.len());
                if has_ids {
                    self.tracker
                        .mark(span, (form.dialect, &self.ids), with, sink);
                    // Limits may complete it at once.
                    self.tracker.settle(with, sink);
                }
            }
            MarkerKind::Opening => {
                self.skip(0, span.len());
                self.open.begin(pattern, span, &self.ids);
            }
            MarkerKind::End => self.close(pattern, span, with, sink),
        }
        self.live = !with.set.ends | self.open.ends();
    }
}
