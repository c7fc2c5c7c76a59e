//! Assertions of markers: sentences of the stripped text, and what is inside of tags (sections 5
//! and 6 of docs/dialects.md).

use super::super::lines::{Fence, Layout, Line};
use super::super::scan::Scan;
use super::super::stream::Stream;
use super::super::{RefLimits, Segment, clean};
use super::find::{Kind, Marker};
use super::{Id, Sentences};
use std::ops::Range;

/// Stripped text of a part.
pub(super) struct Text {
    stripped: Stream,
    layout: Layout,
    fences: Vec<Fenced>,
    /// Offset in the part of each byte.
    from: Vec<usize>,
    cuts: Vec<(usize, usize)>,
    /// Length of the part.
    end: usize,
    after_break: bool,
}

/// A fenced block, from the start of its opening line to its end.
struct Fenced {
    start: usize,
    end: usize,
}

/// A block of the stripped text, without white space at either end.
struct Block {
    range: Range<usize>,
    sentences: Vec<Range<usize>>,
}

/// A citation, with offsets in the part.
pub(super) struct Cited {
    pub span: (u64, u64),
    pub clean_span: (u64, u64),
    pub text: String,
    pub ids: Vec<Id>,
    /// Codes of its diagnostics, but for `unclosed-marker`.
    pub codes: Vec<&'static str>,
    /// Opening marker without an end tag.
    pub unclosed: Option<Range<usize>>,
}

/// A boundary of blocks: nothing from `gap` to `at` belongs to a block.
#[derive(Clone, Copy)]
struct Boundary {
    gap: usize,
    at: usize,
    kind: Between,
}

/// Content of the gap of a boundary.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    /// Nothing, or a `|`.
    Nothing,
    /// Block markers, or a fenced block.
    Something,
}

impl Text {
    pub(super) fn new(stream: &Stream, scan: &Scan, cuts: &[(usize, usize)]) -> Self {
        let is_cut = |at: usize| cuts.iter().any(|&(start, end)| start <= at && at < end);
        let from: Vec<usize> = (0..stream.bytes.len()).filter(|&at| !is_cut(at)).collect();
        let bytes = from.iter().map(|&at| stream.bytes[at]).collect();
        let mut stripped = Stream::new(&[Segment {
            own: true,
            bytes,
            after_break: false,
        }]);
        stripped.may_have_mark = stream.mark() > 0 && !is_cut(0);
        let fence = |fence: &Fence| Fence {
            content: clean(fence.content.start, cuts)..clean(fence.content.end, cuts),
            end: clean(fence.end, cuts),
            ..fence.clone()
        };
        let mapped: Vec<Fence> = scan.fences.iter().map(fence).collect();
        let layout = Layout::new(&stripped, &mapped, &[]);
        let opening = |fence: &Fence| stream.line_start(fence.content.start.saturating_sub(1));
        let fences = scan.fences.iter().map(|fence| Fenced {
            start: clean(opening(fence), cuts),
            end: clean(fence.end, cuts),
        });
        Text {
            fences: fences.collect(),
            stripped,
            layout,
            from,
            cuts: cuts.to_vec(),
            end: stream.bytes.len(),
            after_break: stream.after_break,
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.stripped.bytes
    }

    /// Lists the block boundaries of the stripped text, in order.
    fn boundaries(&self) -> Vec<Boundary> {
        let mut found = Vec::new();
        let mut add = |gap: usize, at: usize, kind: Between| found.push(Boundary { gap, at, kind });
        for fence in &self.fences {
            add(fence.start, fence.end, Between::Something);
        }
        for line in &self.layout.lines {
            let inside = |fence: &Fenced| fence.start <= line.start && line.start < fence.end;
            if self.fences.iter().any(inside) {
                continue;
            }
            let prefix = &line.prefix;
            if line.blank || prefix.heading.is_some() {
                add(line.end, line.end, Between::Nothing);
            }
            if prefix.list || prefix.heading.is_some() || line.opens_quote {
                let at = prefix.heading.unwrap_or(prefix.end);
                add(line.start, at, Between::Something);
            }
            if line.row {
                for at in prefix.end..line.end {
                    if self.bytes()[at] == b'|' && !self.stripped.is_escaped(at) {
                        add(at, at + 1, Between::Nothing);
                    }
                }
            }
        }
        found.sort_by_key(|boundary| (boundary.at, boundary.gap));
        found
    }

    /// Divides the text between two offsets into sentences.
    fn block(&self, range: Range<usize>, sentences: Sentences<'_>) -> Block {
        let range = range.start..range.end.max(range.start);
        let range = self.layout.trim(&self.stripped, range);
        let mut starts: Vec<usize> = Vec::new();
        if !range.is_empty() {
            starts = sentences(&self.bytes()[range.clone()]);
        }
        starts.push(range.len());
        let sentences = starts.windows(2).map(|ends| {
            let sentence = range.start + ends[0]..range.start + ends[1];
            self.layout.trim(&self.stripped, sentence)
        });
        Block {
            sentences: sentences.collect(),
            range,
        }
    }

    /// Finds the sentence of a marker at an offset of the stripped text; an empty range without one.
    fn sentence(&self, at: usize, sentences: Sentences<'_>) -> Range<usize> {
        let boundaries = self.boundaries();
        let passed = |boundary: &Boundary| boundary.gap < at || boundary.at <= at;
        let count = boundaries
            .iter()
            .take_while(|boundary| passed(boundary))
            .count();
        let start = |index: usize| {
            index
                .checked_sub(1)
                .map_or(0, |before| boundaries[before].at)
        };
        let end = |index: usize| {
            let next = boundaries.get(index);
            next.map_or(self.bytes().len(), |boundary| boundary.gap)
        };
        if let Some(line) = self.row(at) {
            return self.in_row(&line, at, &boundaries, sentences);
        }
        let block = self.block(start(count)..end(count), sentences);
        if let Some(sentence) = self.in_block(&block, start(count).min(at), at) {
            return sentence;
        }
        // Nothing in its block: the last sentence before, with nothing but white space and the end of one row between, and no further line of its quote after that.
        for index in (0..count).rev() {
            if boundaries[index].kind == Between::Something {
                break;
            }
            let block = self.block(start(index)..end(index), sentences);
            if let Some(sentence) = block.sentences.last()
                && !sentence.is_empty()
            {
                let next_line = self.stripped.line_end(sentence.end).min(at);
                let (line_end, rest) =
                    self.bytes()[sentence.end..at].split_at(next_line - sentence.end);
                let is_beyond = |rest: &[u8]| {
                    rest.contains(&b'|') || line_end.contains(&b'|') && rest.contains(&b'>')
                };
                return match is_beyond(rest) {
                    true => at..at,
                    false => sentence.clone(),
                };
            }
        }
        at..at
    }

    /// Finds the sentence of a block that has the last character before a marker or, if its text begins later, the first one.
    fn in_block(&self, block: &Block, start: usize, at: usize) -> Option<Range<usize>> {
        let before = self.layout.trim(&self.stripped, start..at).end;
        let mut own = block.sentences.iter();
        let own = own.find(|sentence| sentence.start < before && before <= sentence.end);
        if block.range.start < before && own.is_some() {
            return own.cloned();
        }
        let mut sentences = block.sentences.iter();
        sentences.find(|sentence| !sentence.is_empty()).cloned()
    }

    /// Returns the row of a table in which a marker is.
    fn row(&self, at: usize) -> Option<Line> {
        let is_code = |line: &Line| {
            let mut fences = self.fences.iter();
            fences.any(|fence| fence.start <= line.start && line.start < fence.end)
        };
        let length = self.bytes().len();
        let has = |line: &&Line| {
            let ends_text = line.end == length && !self.bytes().ends_with(b"\n");
            line.start <= at && (at < line.end || at == line.end && ends_text)
        };
        let line = self.layout.lines.iter().find(has)?;
        (line.row && !is_code(line)).then(|| line.clone())
    }

    /// Finds the sentence of a marker in a row: in its own cell, or else at the end of the last cell before it with text, or
    /// else at the start of the first one after it.
    fn in_row(
        &self,
        line: &Line,
        at: usize,
        boundaries: &[Boundary],
        sentences: Sentences<'_>,
    ) -> Range<usize> {
        let feed = line.end - usize::from(self.bytes()[..line.end].ends_with(b"\n"));
        let is_pipe = |one: &Boundary| {
            let is_here = line.start <= one.gap && one.at <= feed;
            is_here && one.kind == Between::Nothing && one.gap + 1 == one.at
        };
        let mut cells = Vec::new();
        for (index, boundary) in boundaries.iter().enumerate() {
            if is_pipe(boundary) {
                let end = boundaries
                    .get(index + 1)
                    .map_or(self.bytes().len(), |next| next.gap);
                let block = self.block(boundary.at..end, sentences);
                let has_text = !block.range.is_empty() && block.range.start <= feed;
                cells.push((boundary.at, has_text, block));
            }
        }
        let own = cells.iter().rposition(|(start, ..)| *start <= at);
        if let Some((start, true, block)) = own.map(|own| &cells[own]) {
            return self.in_block(block, *start, at).unwrap_or(at..at);
        }
        let (before, after) = cells.split_at(own.map_or(0, |own| own));
        let has_text = |cell: &&(usize, bool, Block)| cell.1;
        if let Some((_, _, block)) = before.iter().rev().find(has_text) {
            let mut sentences = block.sentences.iter().rev();
            return sentences
                .find(|one| !one.is_empty())
                .cloned()
                .unwrap_or(at..at);
        }
        match after.iter().find(has_text) {
            Some((_, _, block)) => self.in_block(block, block.range.start, block.range.start),
            None => None,
        }
        .unwrap_or(at..at)
    }

    /// Returns `true` if a marker is where the markers of a line begin, or where a row begins or ends.
    pub(super) fn is_at_block_markers(&self, marker: &Marker) -> bool {
        let at = clean(marker.span.start, &self.cuts);
        let wide = |boundary: &Boundary| boundary.gap < boundary.at;
        let mut boundaries = self.boundaries().into_iter().filter(wide);
        boundaries.any(|boundary| {
            let rest = self.stripped.line_end(boundary.at.saturating_sub(1));
            let ends_line = self
                .layout
                .is_white(&self.stripped, boundary.at..rest.max(boundary.at));
            boundary.gap == at || ends_line && boundary.gap < at && at <= rest
        })
    }

    /// Returns `true` if only white space is between a break and a marker in the stripped text.
    fn is_first_after_break(&self, marker: &Marker) -> bool {
        let before = &self.bytes()[..clean(marker.span.start, &self.cuts)];
        self.after_break && String::from_utf8_lossy(before).trim().is_empty()
    }

    /// Builds the citation of a range of the stripped text; an empty one is at `place` in the part.
    fn cite(&self, range: Range<usize>, place: usize, ids: Vec<Id>) -> Cited {
        let span = if range.is_empty() {
            place..place
        } else {
            self.from[range.start]..self.from[range.end - 1] + 1
        };
        let clean_span = if range.is_empty() {
            let at = clean(place, &self.cuts);
            at..at
        } else {
            range.clone()
        };
        Cited {
            span: (span.start as u64, span.end as u64),
            clean_span: (clean_span.start as u64, clean_span.end as u64),
            text: String::from_utf8_lossy(&self.bytes()[range]).into_owned(),
            ids,
            codes: Vec::new(),
            unclosed: None,
        }
    }
}

/// Leaves SP, HTAB, CR and LF at both ends out.
fn trim_ascii(bytes: &[u8], mut range: Range<usize>) -> Range<usize> {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    while !range.is_empty() && is_blank(bytes[range.start]) {
        range.start += 1;
    }
    while !range.is_empty() && is_blank(bytes[range.end - 1]) {
        range.end -= 1;
    }
    range
}

/// Leaves out what is beyond `max` bytes, and a character that this would cut.
fn at_most(bytes: &[u8], mut range: Range<usize>, max: usize) -> Range<usize> {
    if range.len() > max {
        range.end = range.start + max;
        while range.end > range.start && bytes[range.end] & 0xC0 == 0x80 {
            range.end -= 1;
        }
    }
    range
}

/// Lists the citations of a part.
pub(super) fn citations(
    text: &Text,
    markers: &[Marker],
    limits: &RefLimits,
    sentences: Sentences<'_>,
) -> Vec<Cited> {
    let (orphans, others): (Vec<&Marker>, Vec<&Marker>) = markers
        .iter()
        .filter(|marker| marker.kind == Kind::After && !marker.ids.is_empty())
        .partition(|marker| text.is_first_after_break(marker));
    let mut found = sentence_citations(text, &others, sentences);
    let empty = found.iter_mut().filter(|cited| cited.text.is_empty());
    empty.for_each(|cited| cited.codes.push("no-assertion"));
    for marker in orphans {
        let mut cited = text.cite(0..0, marker.span.start, marker.ids.clone());
        cited.codes.push("orphan");
        found.push(cited);
    }
    let around = markers.iter().filter_map(|marker| match marker.kind {
        Kind::Open { end } if !marker.ids.is_empty() => Some((marker, end)),
        _ => None,
    });
    for (marker, end) in around {
        let end_tag = end.map(|end| markers[end].span.start);
        let place = end_tag.unwrap_or(text.end);
        let inside = clean(marker.span.end, &text.cuts)..clean(place, &text.cuts);
        let range = trim_ascii(text.bytes(), inside);
        let kept = at_most(text.bytes(), range.clone(), limits.max_assertion);
        let is_long = kept.len() < range.len();
        let mut cited = text.cite(range, place, marker.ids.clone());
        if is_long {
            cited.text = String::from_utf8_lossy(&text.bytes()[kept]).into_owned();
            cited.codes.push("limit-assertion");
        }
        if end.is_none() {
            cited.unclosed = Some(marker.span.clone());
        }
        found.push(cited);
    }
    for cited in &mut found {
        let clean = cited.clean_span.0 as usize..cited.clean_span.1 as usize;
        if cited.ids.len() > limits.max_annotations {
            cited.ids.truncate(limits.max_annotations);
            cited.codes.push("limit-annotations");
        }
        let kept = match cited.codes.contains(&"limit-assertion") {
            true => at_most(text.bytes(), clean, limits.max_assertion),
            false => clean,
        };
        if std::str::from_utf8(&text.bytes()[kept]).is_err() {
            cited.codes.push("invalid-utf8");
        }
    }
    found
}

/// Lists the citations of the markers that come after their assertion.
fn sentence_citations(text: &Text, markers: &[&Marker], sentences: Sentences<'_>) -> Vec<Cited> {
    let mut found: Vec<(Range<usize>, Cited)> = Vec::new();
    for marker in markers {
        let at = clean(marker.span.start, &text.cuts);
        let sentence = text.sentence(at, sentences);
        let same = found
            .iter_mut()
            .find(|(other, _)| *other == sentence && !sentence.is_empty());
        match same {
            Some((_, cited)) => cited.ids.extend(marker.ids.iter().cloned()),
            None => {
                let cited = text.cite(sentence.clone(), marker.span.start, marker.ids.clone());
                found.push((sentence, cited));
            }
        }
    }
    found.into_iter().map(|(_, cited)| cited).collect()
}
