//! The release point: the offset from which on text may still become part of an assertion.

use memchr::{memchr, memrchr};

use super::attach::block_text;
use super::{Block, Context, Engine};
use crate::engine::bytes::{FREE, MID_SENTENCE, TEXT, TEXT_AND_JSON, all};
use crate::engine::chars::{trimmed_len, whole_characters, without_open_white, without_partial};
use crate::engine::lookback::{LookbackResult, Reach, look_back, look_back_over, reach};
use crate::engine::markdown::code::FenceLine;
use crate::engine::sentence::surely_not_near;
use crate::engine::unknown;
use crate::engine::{AtCut, ReleasePoint};
use crate::{Limits, Span};

/// Most bytes of a character.
const MAX_CHAR: u64 = 4;

/// Most bytes that are searched byte by byte.
const SHORT: usize = 16;

/// Results of earlier questions about the release point. Only a stream that is asked has them.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    /// The last answer.
    last: Option<ReleasePoint>,
    /// State of the text that the last answer about free text holds for.
    calm: Option<StableAnswer>,
    /// Position where a candidate annotation starts, and the answer as long as it is open.
    candidate: Option<(u64, ReleasePoint)>,
    /// Stream offset up to which the text was searched for a bracket, without finding one.
    no_bracket: u64,
    /// Chain of the unknowns in the slot that were found last, in stream offsets; empty if none
    /// were found.
    chain: Span,
    /// Reach of a later annotation, found when the last line was blank; the same while only blank
    /// lines follow.
    blank: Option<BlankLines>,
    /// The last answer with the citations of dialects.
    citations: Option<CitationFindings>,
}

/// Release point of a text with dialects.
#[derive(Clone, Copy, Debug)]
struct CitationFindings {
    at: u64,
    clean: u64,
    /// The answer for annotations alone.
    annotations: ReleasePoint,
    /// Stream offset up to which no sentence of a citation exceeds `max_assertion`.
    uncut_until: u64,
}

/// Reach of a later annotation after blank lines, which further blank lines do not change.
#[derive(Clone, Copy, Debug)]
struct BlankLines {
    /// The window's start then.
    base: u64,
    /// Stream offset up to which all lines were blank.
    upto: u64,
    found: Reach,
}

/// Answer that stays the same while only bytes of the class [`MID_SENTENCE`] follow.
#[derive(Clone, Copy, Debug)]
struct StableAnswer {
    /// The window's start then.
    base: u64,
    /// Stream offset up to which the bytes were looked at.
    upto: u64,
    /// Stream offset up to which the answer holds if all bytes are of that class.
    until: u64,
    /// The answer.
    from: ReleasePoint,
}

/// Returns `true` if a byte is text in every line: neither white space nor part of a line's marker.
const fn is_text(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b']'
}

/// Returns `true` if there are only lines of white space, the last of which is complete.
fn is_blank(bytes: &[u8]) -> bool {
    let is_white = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    bytes.last().is_none_or(|&last| last == b'\n') && bytes.iter().all(is_white)
}

/// Returns `true` if the last line is complete, and has only white space.
fn ends_with_blank_line(text: &[u8]) -> bool {
    text.strip_suffix(b"\n")
        .is_some_and(|before| memrchr(b'\n', before).is_some_and(|at| is_blank(&text[at..])))
}

impl Engine {
    /// The least stream offset at which an assertion that is not complete may begin, whatever follows; at most
    /// [`position`](Self::position).
    pub(crate) fn release_point(&mut self, limits: &Limits) -> ReleasePoint {
        let found = self.release_point_of_annotations(limits);
        self.sync_markers();
        match self.markers {
            Some(_) => self.lower_to_citations(found),
            None => found,
        }
    }

    /// Lowers the release point to the earliest citation that is not complete.
    #[cold]
    fn lower_to_citations(&mut self, found: ReleasePoint) -> ReleasePoint {
        let clean = found.at - self.removed_before_annotated(found.at);
        let Some(markers) = &mut self.markers else {
            return found;
        };
        let open = markers.open_citation();
        let (mut at, mut clean) = (open.stream, open.clean).min((found.at, clean));
        if let Some(last) = self.findings.as_ref().and_then(|found| found.citations)
            && last.at > at
        {
            // White space before it may have been removed since.
            (at, clean) = (last.at, last.at - markers.removed_before(last.at));
        }
        self.findings().citations = Some(CitationFindings {
            at,
            clean,
            annotations: found,
            uncut_until: open.uncut_until,
        });
        ReleasePoint {
            at,
            cut: if open.cut { AtCut::Yes } else { found.cut },
            block: found.block.min(at),
        }
    }

    fn release_point_of_annotations(&mut self, limits: &Limits) -> ReleasePoint {
        let found = self.undecided_from(limits);
        let findings = self.findings();
        // It never moves back.
        let at = findings.last.map_or(0, |last| last.at).max(found.at);
        let found = ReleasePoint { at, ..found };
        findings.last = Some(found);
        found
    }

    /// Results of earlier questions.
    fn findings(&mut self) -> &mut Findings {
        self.findings.get_or_insert_default()
    }

    /// The last answer, if it was at this place.
    fn last_answer(&self, at: u64) -> Option<ReleasePoint> {
        let last = self.findings.as_ref()?.last;
        last.filter(|last| last.at == at)
    }

    fn undecided_from(&mut self, limits: &Limits) -> ReleasePoint {
        let now = self.position();
        if self.is_sequence() {
            let from = if self.json.open {
                self.reader.undecided_from(now)
            } else {
                now
            };
            return ReleasePoint::uncut(from);
        }
        let is_plain = self.reads_plain_text();
        if let Some(calm) = self.findings().calm {
            if is_plain
                && calm.base == self.window.base()
                && now <= calm.until
                && all(self.window.raw_from(calm.upto), MID_SENTENCE)
            {
                self.findings().calm = Some(StableAnswer { upto: now, ..calm });
                return calm.from;
            }
            let findings = self.findings();
            findings.calm = None;
            findings.no_bracket = findings.no_bracket.max(calm.upto);
        }
        if let Context::Candidate { start } = self.context
            && let Some((same, from)) = self.findings().candidate
            && same == start
        {
            return from;
        }
        if let Some(pending) = &self.pending {
            let empty = pending.empty.start();
            let from = self.target.map_or(empty, |target| target.span.start());
            return ReleasePoint::uncut(from);
        }
        let from = match self.context {
            Context::Info(_) => return ReleasePoint::uncut(now),
            Context::Opening { fence, .. } if fence.run >= 3 && fence.marker == b'~' => {
                return ReleasePoint::uncut(now);
            }
            Context::Block(block) => self.undecided_in_block(limits, &block),
            _ if self.json.open && self.reader.has_reported() => ReleasePoint::uncut(now),
            _ => self.undecided_in_text(limits),
        };
        if self.json.open {
            from.at_most(self.reader.undecided_from(from.at))
        } else {
            from
        }
    }

    fn undecided_in_text(&mut self, limits: &Limits) -> ReleasePoint {
        if self.findings().blank.is_some()
            && let Some(from) = self.after_blank_lines()
        {
            return from;
        }
        // A candidate may still become an annotation, with which the text before it is complete.
        let candidate = match self.context {
            Context::Candidate { start } if self.held.is_some() => Some(start),
            _ => None,
        };
        // Unknowns in the slot are passed over, also one that is not complete.
        let unknowns = match self.may_have_unknowns(candidate) {
            true => self.open_unknowns(limits, candidate),
            false => None,
        };
        let most = unknowns.or(candidate);
        let most = most.map(|start| (start, self.before_candidate(limits, start)));
        if let Some((start, (most, false))) = most
            && unknowns.is_none()
            && let Some(last) = self.last_answer(most)
            && self.json_is_closed()
        {
            // The release point never moves back and is at most `most`, where the last answer is
            // already.
            let same = ReleasePoint {
                cut: AtCut::No,
                ..last
            };
            self.findings().candidate = Some((start, same));
            return same;
        }
        let (found, from) = self.reach_in_text(limits);
        let base = self.window.base();
        if self.reads_plain_text()
            && unknowns.is_none()
            && let Some(Reach::From(start)) = found
            && let Some(until) = start.steady_len(self.window.raw(), limits.max_assertion())
        {
            self.findings().calm = Some(StableAnswer {
                base,
                upto: self.window.end(),
                until: base + until as u64,
                from,
            });
            return from;
        }
        let Some((start, (most, cut))) = most else {
            if let (Some(found), Some(b'\n')) = (found, self.window.raw().last()) {
                self.note_blank_lines(found);
            }
            return from;
        };
        let from = from.at_most_as(most, cut);
        if unknowns.is_none() && from.at == most && from.cut == AtCut::No && self.json_is_closed() {
            self.findings().candidate = Some((start, from));
        }
        from
    }

    /// Returns the release point if only blank lines were read since
    /// [`note_blank_lines`](Self::note_blank_lines).
    #[cold]
    fn after_blank_lines(&mut self) -> Option<ReleasePoint> {
        let blank = self.findings().blank.take()?;
        let same = self.json_is_closed()
            && blank.base == self.window.base()
            && is_blank(self.window.raw_from(blank.upto));
        let upto = self.position();
        same.then(|| {
            self.findings().blank = Some(BlankLines { upto, ..blank });
            self.release_point_of(blank.found, upto)
        })
    }

    /// Notes what was reached if the last line is blank: it ends the block, and white space is in no assertion, so more blank lines
    /// change nothing.
    #[cold]
    fn note_blank_lines(&mut self, found: Reach) {
        if self.json_is_closed() && ends_with_blank_line(self.window.raw()) {
            let (base, upto) = (self.window.base(), self.window.end());
            self.findings().blank = Some(BlankLines { base, upto, found });
        }
    }

    /// Returns the reach of a later annotation, `None` if the text ends within a character, and the release point that follows
    /// from it.
    fn reach_in_text(&self, limits: &Limits) -> (Option<Reach>, ReleasePoint) {
        let (window, max) = (&self.window, limits.max_assertion());
        let base = window.base();
        let raw = window.raw();
        let text = whole_characters(raw);
        let open = match raw.len() - text.len() {
            0 => 0,
            _ => without_open_white(raw).len() - text.len(),
        };
        let found = reach(text, open, window.line(), max);
        let from = self.release_point_of(found, base + text.len() as u64);
        ((text.len() == raw.len()).then_some(found), from)
    }

    /// Returns `true` if there may be unknowns in the slot: a bracket is before the candidate or in the text. Only text that is new since the
    /// last question is searched.
    #[inline]
    fn may_have_unknowns(&mut self, candidate: Option<u64>) -> bool {
        if self.untrusted || candidate.is_some() {
            return !self.untrusted;
        }
        let findings = self.findings.get_or_insert_default();
        let from = findings.no_bracket.max(self.window.base());
        let new = self.window.raw_from(from);
        let found = match new.len() {
            0..=SHORT if all(new, TEXT) => None,
            _ => memchr(b'[', new),
        };
        let upto = found.unwrap_or(new.len());
        findings.no_bracket = from + upto as u64;
        found.is_some()
    }

    /// Finds the unknowns in the slot right before the candidate, or at the end of the text, and returns the stream offset at
    /// which they begin.
    fn open_unknowns(&mut self, limits: &Limits, candidate: Option<u64>) -> Option<u64> {
        let base = self.window.base();
        let raw = self.window.raw();
        let known = self.findings.as_ref()?.chain;
        // An unknown never begins before the last annotation or before untrusted text, so an older
        // chain is of no use.
        let known = match known.start() >= self.strip_from {
            true => known.start().saturating_sub(base)..known.end().saturating_sub(base),
            false => 0..0,
        };
        // Without an incomplete character at the end, which may become punctuation that can be
        // between unknowns.
        let text = || without_partial(raw).len();
        let end = candidate.map_or_else(text, |start| (start - base) as usize);
        let before = unknown::UnknownSearch {
            chain: known.start as usize..known.end as usize,
            ..self.unknown_search(&raw[..end], base, true, limits)
        };
        let run = match candidate {
            Some(_) => before.run_to(end),
            None => before.open_run(),
        }?;
        let (start, end) = (run.chain.start as u64, run.chain.end as u64);
        self.findings().chain = Span::new(base + start, base + end);
        Some(base + run.start as u64)
    }

    /// Returns the position where an assertion begins that an annotation at `start` completes, and whether `max_assertion` makes it begin there.
    fn before_candidate(&self, limits: &Limits, start: u64) -> (u64, bool) {
        let (window, max) = (&self.window, limits.max_assertion());
        let base = window.base();
        let raw = window.raw();
        let text = &raw[..(start - base) as usize];
        let upto = match self.context {
            Context::Candidate { start } if self.held.is_some() => (start - base) as usize,
            _ => raw.len(),
        };
        let end = trimmed_len(text);
        let is_far = trimmed_len(&raw[..upto]) - end + MAX_CHAR as usize > max;
        if is_far && matches!(text[..end].last(), Some(byte) if is_text(*byte)) {
            return (start, false);
        }
        let found = if text.len() == upto {
            look_back(text, Some(window.line()), max)
        } else {
            look_back_over(&raw[..upto], text.len(), Some(window.line()), max)
        };
        match found {
            Some((LookbackResult::Found { start, cut, .. }, _)) => (base + start as u64, cut),
            Some((LookbackResult::Blank, _)) => {
                (self.release_point_of(Reach::Blank, start).at, false)
            }
            Some((LookbackResult::Nothing, _)) | None => (start, false),
        }
    }

    /// Returns `true` if the next bytes are ordinary text, unless they open something.
    const fn reads_plain_text(&self) -> bool {
        self.window.plain_class() & FREE != 0
    }

    /// Returns `true` if nothing but the text decides where an assertion may begin.
    fn json_is_closed(&self) -> bool {
        self.pending.is_none() && !self.json.open
    }

    /// Appends a short chunk if it leaves the release point unchanged. Returns `Some(true)` if the chunk is text,
    /// `Some(false)` if it continues a candidate, and `None` if it was not appended and must be pushed.
    #[inline]
    pub(crate) fn append_if_stable(&mut self, chunk: &[u8]) -> Option<bool> {
        let findings = self.findings.as_deref_mut()?;
        if let Context::Candidate { start } = self.context {
            let same = findings.candidate.is_some_and(|(known, _)| known == start);
            return (same && self.window.buffer_mut().append_plain_held(chunk)).then_some(false);
        }
        let calm = findings.calm.as_mut()?;
        let now = calm.upto + chunk.len() as u64;
        let is_calm = calm.upto == self.window.end()
            && now <= calm.until
            && self.window.plain_class() & (TEXT | TEXT_AND_JSON) != 0
            && all(chunk, MID_SENTENCE);
        if !is_calm || !self.window.append_in_place(chunk) {
            return None;
        }
        calm.upto = now;
        Some(true)
    }

    /// Converts a reach in the window to a release point; the text ends at stream offset `end`.
    fn release_point_of(&self, found: Reach, end: u64) -> ReleasePoint {
        let base = self.window.base();
        match found {
            Reach::From(found) => ReleasePoint {
                at: base + found.start as u64,
                cut: found.cut,
                block: found.block.map_or(0, |block| base + block as u64),
            },
            Reach::Blank => {
                let from = self.target.map_or(end, |target| target.span.start());
                // Text that follows may continue a block whose beginning is no longer kept.
                let is_open = self.window.line().is_open();
                ReleasePoint {
                    block: if is_open { 0 } else { from },
                    ..ReleasePoint::uncut(from)
                }
            }
            Reach::Nothing => ReleasePoint::uncut(end),
        }
    }

    fn undecided_in_block(&self, limits: &Limits, block: &Block) -> ReleasePoint {
        let (quoted, missing) = (block.fence.quoted, block.cut);
        let base = self.window.base();
        let raw = without_open_white(self.window.raw());
        let max = limits.max_assertion();
        let content = match block.line {
            FenceLine::Code => raw.len(),
            // A line within an open JSON value cannot be the closing line, so all of it is content.
            _ if self.json.open => raw.len(),
            // What may be the closing line may be content as well.
            _ => raw
                .len()
                .min(block.line_start.saturating_sub(base) as usize),
        };
        let text = |len: usize| {
            let (range, cut) = block_text(&raw[..len], quoted, missing, max)?;
            let at = base + range.start as u64;
            Some(ReleasePoint {
                cut: cut.into(),
                ..ReleasePoint::uncut(at)
            })
        };
        let before = || Some(ReleasePoint::uncut(self.target?.span.start()));
        text(content)
            .or_else(before)
            .or_else(|| text(raw.len()))
            .unwrap_or(ReleasePoint::uncut(base + raw.len() as u64))
    }

    /// Returns a stream offset up to which the text may grow before `max_assertion` can cut off an assertion that begins at the
    /// release point, or move that point; `None` if it can with the next character. The result does not depend on the chunks.
    pub(crate) fn uncut_until(&self, point: ReleasePoint, limits: &Limits) -> Option<u64> {
        let Some(found) = self.findings.as_ref().and_then(|found| found.citations) else {
            return self.uncut_annotations_until(point, limits);
        };
        let until = self.uncut_annotations_until(found.annotations, limits)?;
        let until = until.min(found.uncut_until);
        (until >= self.position() + MAX_CHAR).then_some(until)
    }

    fn uncut_annotations_until(&self, point: ReleasePoint, limits: &Limits) -> Option<u64> {
        if self.is_sequence() {
            // Nothing is cut off in a stream of JSON values.
            return Some(u64::MAX);
        }
        // If text is cut off before `near`, the sentence boundaries from the release point on stay the
        // same.
        let base = self.window.base();
        let near = match point.at.checked_sub(base) {
            None => 0,
            Some(at) => match surely_not_near(self.window.raw(), at as usize) {
                0 => 0,
                before => base + before as u64,
            },
        };
        let until = point.block.max(near) + limits.max_assertion() as u64;
        // The window keeps at least the last `max_assertion` bytes of a long block; how many more depends on the chunks. A
        // place that only a longer window shows gives an `until` within the next character. With `None` for all of these, the
        // result is the same for all chunks.
        (until >= self.position() + MAX_CHAR).then_some(until)
    }

    /// Returns the position where the JSON value begins that is open in free text, outside a block of code.
    pub(crate) fn bare_value(&self) -> Option<u64> {
        let in_block = matches!(self.context, Context::Block(_));
        let bare = self.json.open && !in_block && !self.is_sequence();
        bare.then(|| self.reader.start())
    }

    /// Returns the number of bytes that stripping removes before the release point, a stream offset.
    pub(crate) fn removed_before(&self, from: u64) -> u64 {
        match self.findings.as_ref().and_then(|found| found.citations) {
            Some(found) => found.at - found.clean,
            None => self.removed_before_annotated(from),
        }
    }

    /// Returns the number of bytes that stripping removes before a stream offset at which an annotated assertion may begin.
    fn removed_before_annotated(&self, from: u64) -> u64 {
        match (&self.pending, self.target, &self.markers) {
            (Some(pending), None, _) => pending.empty.start() - pending.clean.start(),
            (Some(pending), Some(target), _) => target.span.start() - pending.clean.start(),
            (None, _, Some(markers)) => markers.removed_before(from),
            (None, Some(target), None) if target.span.start() == from => {
                self.removed - target.removed
            }
            _ => self.removed - self.json.removed_after(from),
        }
    }
}
