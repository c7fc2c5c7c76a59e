//! Sentences of markers, and the citations that are made of both.

use core::ops::Range;

use super::{MarkerTracker, With};
use crate::Span;
use crate::engine::Sink;
use crate::engine::chars::{next_boundary, trimmed_len};
use crate::engine::lookback::{BlockPassage, TableRow};
use crate::engine::markdown::line::{is_quote_prefix, skip_blank};
use crate::engine::sentence::sentences;
use crate::event::{Diagnostic, DiagnosticCode, Event};
use crate::marker::{Citation, CitationParts, CitationReason, CitedId, CitedIds, IdList};
use crate::provenance::reading::lossy;

/// Parts of the text that are certain, for one report.
#[derive(Clone, Copy)]
pub(super) struct CertainExtent {
    /// Length of the text without a last line that may still begin a block.
    pub(super) upto: usize,
    /// Index from which on no sentence is certain.
    pub(super) until: usize,
    /// Length of the text without an incomplete character.
    pub(super) len: usize,
    /// No text follows.
    pub(super) ends: bool,
}

/// Assertion of a marker, as ranges of the text.
pub(super) enum MarkedAssertion {
    Sentence {
        start: usize,
        end: usize,
        until: usize,
        /// Clean text between its terminator and the next sentence of the block, if there is one.
        gap: Option<Span>,
    },
    /// Nothing, whatever follows.
    Nothing,
    /// Nothing, since the marker comes first after a break.
    Orphan,
    /// Not certain yet.
    Later,
}

impl MarkerTracker {
    /// The byte by which a marker at `at` belongs to a sentence: the last one before it in its block, or else the first one
    /// after it. A marker in a row of a table belongs to a cell of that row. Another one in a block without text belongs to the
    /// last sentence before, if only white space and the end of a row are between, and the markers of a line begin no block.
    pub(super) fn owner(&self, blocks: &[BlockPassage], at: usize) -> Option<usize> {
        let index = blocks.partition_point(|block| block.from <= at);
        let block = blocks[..index].last()?;
        if let Some(row) = row_of(blocks, at) {
            let in_row = |block: &&BlockPassage| block.row == Some(row);
            let has_text = |block: &&BlockPassage| !block.is_empty() && block.start <= row.end;
            if !in_row(&block) || !has_text(&block) {
                let before = blocks[..index].iter().rev().take_while(in_row);
                let after = blocks[index..].iter().take_while(in_row);
                return match before.clone().find(has_text) {
                    Some(cell) => Some(cell.end - 1),
                    None => after.clone().find(has_text).map(|cell| cell.start),
                };
            }
        } else if block.is_empty() {
            let mut before = blocks[..index].iter().rev();
            let before = before.find(|block| !block.is_empty() || block.after_markers)?;
            if before.is_empty() {
                return None;
            }
            return is_row_end(&self.text[before.end..at]).then(|| before.end - 1);
        }
        let before = at.clamp(block.start, block.end);
        let len = trimmed_len(&self.text[block.start..before]);
        Some(block.start + len.saturating_sub(1))
    }

    /// Returns `true` if text that comes after the first `len` bytes may be the first that a marker at `at` can belong to.
    pub(super) fn may_begin(&self, blocks: &[BlockPassage], at: usize, len: usize) -> bool {
        let index = blocks.partition_point(|block| block.from <= at);
        let is_last = index == blocks.len() && blocks[index - 1].is_empty();
        match row_of(blocks, at) {
            Some(row) => row.end == len && (is_last || self.owner(blocks, at).is_none()),
            None => is_last,
        }
    }

    /// The block of a byte.
    pub(super) fn block_of(blocks: &[BlockPassage], owner: usize) -> BlockPassage {
        let index = blocks.partition_point(|block| block.start <= owner);
        let block = blocks[..index].iter().rev().find(|block| !block.is_empty());
        block.copied().unwrap_or(blocks[0])
    }

    pub(super) fn find(
        &self,
        blocks: &[BlockPassage],
        at: usize,
        extent: &CertainExtent,
    ) -> MarkedAssertion {
        let CertainExtent { until, ends, .. } = *extent;
        let owner = match self.owner(blocks, at) {
            _ if !ends && self.may_begin(blocks, at, extent.upto) => return MarkedAssertion::Later,
            Some(owner) => owner,
            None => return MarkedAssertion::Nothing,
        };
        if owner >= until {
            return MarkedAssertion::Later;
        }
        let block = Self::block_of(blocks, owner);
        let (Some(range), gap) = self.sentence_in(block, owner) else {
            return MarkedAssertion::Nothing;
        };
        let until_here = block.start + range.end;
        if until_here > until && !ends {
            return MarkedAssertion::Later;
        }
        let until = until_here;
        let start = skip_blank(&self.text, block.start + range.start, block.end);
        let end = start + sentence_len(&self.text[start..until.max(start)]);
        MarkedAssertion::Sentence {
            start,
            end,
            until,
            gap: (until < block.end).then_some(gap),
        }
    }

    /// The sentence of a block in which index `owner` is, as a range of the block, and the clean text between its terminator and the
    /// next sentence. Only sentences after the last reported one are looked at, if it is in the block.
    pub(super) fn sentence_in(
        &self,
        block: BlockPassage,
        owner: usize,
    ) -> (Option<Range<usize>>, Span) {
        let start = self.base + block.start as u64;
        let mut all = sentences(&self.text[block.start..block.end]);
        if let Some(gap) = self.gap
            && start <= gap.start()
            && gap.end() <= self.base + owner as u64
        {
            let index = |clean: u64| (clean - start) as usize;
            all = all.after(index(gap.start())..index(gap.end()));
        }
        let own = all.find(|range| owner < block.start + range.end);
        let gap = all.gap();
        let clean = |index: usize| start + index as u64;
        (
            own,
            Span::new(clean(gap.start.min(gap.end)), clean(gap.end)),
        )
    }

    pub(super) fn emit(
        &self,
        found: &MarkedAssertion,
        waiting: Range<usize>,
        with: With<'_>,
        sink: &mut Sink<'_>,
    ) {
        let first = self.waiting[waiting.start];
        let (text, clean, mut cut) = match *found {
            MarkedAssertion::Sentence { start, end, .. } => {
                let at = |index: usize| self.base + index as u64;
                let is_cut = self.cut && start == skip_blank(&self.text, 0, end);
                (
                    &self.text[start..end],
                    Span::new(at(start), at(end)),
                    is_cut,
                )
            }
            _ => (&[][..], Span::new(first.clean, first.clean), false),
        };
        let span = match clean.is_empty() {
            true => Span::new(first.span.start(), first.span.start()),
            false => self.stream_span(clean),
        };
        let (text, span, clean) = match text.len() > self.max {
            true => {
                cut = true;
                let len = whole_prefix(text, self.max);
                (&text[..len], span, clean)
            }
            false => (text, span, clean),
        };
        let mut skip: usize = self.waiting[..waiting.start]
            .iter()
            .map(|one| one.ids)
            .sum();
        let ids = self.waiting[waiting].iter().flat_map(|one| {
            let from = skip;
            skip += one.ids;
            (from..skip).map(|index| (one.dialect, self.ids.get(index), one.span))
        });
        let mut ids = cited(ids, with);
        let too_many = ids.len() > self.max_ids;
        let is_orphan = matches!(found, MarkedAssertion::Orphan);
        ids.truncate(self.max_ids);
        let text = lossy(text);
        let bad = matches!(text, std::borrow::Cow::Owned(_));
        let parts = CitationParts {
            text: &text,
            span,
            clean_span: clean,
            limit_hit: cut || too_many,
            is_orphan,
            ids: IdList::Borrowed(&ids),
        };
        sink(Event::Citation(Citation::borrowed(&parts)));
        for (holds, code) in [
            (is_orphan, DiagnosticCode::Orphan),
            (clean.is_empty() && !is_orphan, DiagnosticCode::NoAssertion),
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

/// Length of a sentence without the white space at its end; `>` at the start of the following quoted lines
/// counts as white space.
fn sentence_len(text: &[u8]) -> usize {
    let mut len = trimmed_len(text);
    while let Some(feed) = memchr::memrchr(b'\n', &text[..len])
        && text[feed + 1..len]
            .iter()
            .all(|&byte| is_quote_prefix(byte))
    {
        len = trimmed_len(&text[..feed]);
    }
    len
}

/// Returns `true` if text is only white space and the ends of cells, all in its first line: what comes after it belongs to the
/// last cell before.
fn is_row_end(text: &[u8]) -> bool {
    let Ok(text) = core::str::from_utf8(text) else {
        return false;
    };
    let mut chars = text.chars();
    let mut in_line = chars.by_ref().take_while(|&char| char != '\n');
    let is_end = |char: char| char == '|' || char.is_whitespace();
    in_line.all(is_end) && chars.all(char::is_whitespace)
}

/// Returns `true` if a marker that comes after this text may belong to the sentence before it: it is the end of a row, or only
/// white space, with `>` in further lines of a quote.
pub(super) fn may_go_on(text: &[u8]) -> bool {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let white = text.iter().take_while(|byte| is_blank(byte)).count();
    let quoted = text[..white].contains(&b'\n')
        && text[white..]
            .iter()
            .all(|&byte| byte == b'\n' || is_quote_prefix(byte));
    quoted || is_row_end(text)
}

/// Row of a table in which a marker at `at` is.
fn row_of(blocks: &[BlockPassage], at: usize) -> Option<TableRow> {
    let index = blocks.partition_point(|block| block.from <= at);
    let near = &blocks[index.saturating_sub(1)..blocks.len().min(index + 1)];
    near.iter()
        .filter_map(|block| block.row)
        .find(|row| row.contains(at))
}

/// The identifiers of a citation, held against the list of sources.
pub(in crate::engine::marker) fn cited<'a>(
    ids: impl Iterator<Item = (usize, &'a str, Span)>,
    with: With<'a>,
) -> CitedIds<'a> {
    let one = |(dialect, id, marker)| cited_id(dialect, id, marker, with);
    ids.map(one).collect()
}

/// An identifier of a citation, held against the list of sources.
fn cited_id<'a>(dialect: usize, id: &'a str, marker: Span, with: With<'a>) -> CitedId<'a> {
    let source = with.sources.and_then(|list| list.find(id));
    let reason = match (&source, with.sources) {
        (Some(_), _) => None,
        (None, Some(list)) if list.is_complete() => Some(CitationReason::UnknownSource),
        _ => Some(CitationReason::NoSourceList),
    };
    CitedId {
        dialect: with.set.dialect_name(dialect),
        id,
        marker,
        reason,
        class: source.as_ref().and_then(|source| source.class),
        ts: source.as_ref().and_then(|source| source.ts),
    }
}

/// Length of the beginning of `text` of at most `max` bytes that ends with a whole character.
pub(in crate::engine::marker) fn whole_prefix(text: &[u8], max: usize) -> usize {
    let cut = max.min(text.len());
    match (cut.saturating_sub(3)..cut).find(|&at| next_boundary(text, at + 1) > cut) {
        Some(at) => at,
        None => cut,
    }
}
