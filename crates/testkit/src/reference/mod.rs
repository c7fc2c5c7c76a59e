//! Naive reference for all modes, the oracle for the streaming engine.
//!
//! The reference reads the whole input at once and follows the wire profile rule by rule, without
//! regard for speed: one forward pass finds code, candidate annotations and JSON values (`scan`,
//! `grammar`, `json`), each annotation is resolved on its own (`resolve`, `timestamp`), and each
//! assertion is searched for in the whole prefix before its annotation (`lines`, `look_back`). A
//! stream of JSON alone is read value by value (`json`). At the end, the events are sorted by the
//! position at which each becomes certain.

pub mod dialects;
pub mod engine;
pub mod generate;
pub mod generate_json;
mod grammar;
pub mod holdback;
pub mod json;
mod lines;
mod look_back;
mod resolve;
mod scan;
mod slot;
mod stream;
mod timestamp;

use lines::Layout;
use look_back::Found;
use resolve::Resolved;
use scan::{Outcome, Scan};
use stream::Stream;
pub use stream::is_closing;

/// A stretch of input, either model text or untrusted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Bytes are model text, otherwise untrusted text.
    pub own: bool,
    /// Bytes, not necessarily UTF-8, and not necessarily ending at a character boundary.
    pub bytes: Vec<u8>,
    /// A break comes before the segment.
    pub after_break: bool,
}

/// Input between two breaks.
struct Part<'a> {
    input: &'a [Segment],
    /// No byte of the stream comes before the part.
    is_first: bool,
    /// A break comes before the part.
    after_break: bool,
}

impl Part<'_> {
    fn stream(&self) -> Stream {
        let mut stream = Stream::new(self.input);
        stream.may_have_mark = self.is_first;
        stream.after_break = self.after_break;
        stream
    }
}

fn parts(input: &[Segment]) -> Vec<Part<'_>> {
    let mut starts: Vec<usize> = (0..input.len())
        .filter(|&at| input[at].after_break)
        .collect();
    starts.insert(0, 0);
    starts.push(input.len());
    let parts = starts.windows(2).enumerate().map(|(index, ends)| Part {
        input: &input[ends[0]..ends[1]],
        is_first: input[..ends[0]]
            .iter()
            .all(|segment| segment.bytes.is_empty()),
        after_break: index > 0,
    });
    parts.collect()
}

/// Computes the offsets of the breaks in the stripped stream.
pub fn breaks(
    reading: Reading,
    input: &[Segment],
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
) -> Vec<usize> {
    let mut parts = parts(input);
    parts.pop();
    let lengths = parts
        .iter()
        .map(|part| strip_part(reading, part, limits, vocabulary).len());
    lengths
        .scan(0, |at, len| {
            *at += len;
            Some(*at)
        })
        .collect()
}

/// Mode in which a stream is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefMode {
    Text,
    /// A sequence of JSON values.
    Json,
    /// One JSON value per line.
    Ndjson,
    /// Free text with JSON values in it.
    Auto,
}

/// Settings for reading a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    pub mode: RefMode,
    /// Records are reported as events and removed from the text.
    pub hold_records: bool,
}

impl Reading {
    /// Settings for free text without JSON.
    pub const TEXT: Self = Self::new(RefMode::Text);

    /// Settings for a mode without held records.
    pub const fn new(mode: RefMode) -> Self {
        Self {
            mode,
            hold_records: false,
        }
    }
}

/// Limits; each value is the largest one allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefLimits {
    /// Length of an annotation with its brackets, in bytes.
    pub max_annotation: usize,
    /// Raw length of an assertion, in bytes.
    pub max_assertion: usize,
    /// Number of annotations reported with one assertion.
    pub max_annotations: usize,
    /// Raw bytes of identifiers, observation ids and timestamps that are kept for an unreported
    /// assertion in free text.
    pub max_pending: usize,
    /// Raw bytes of assertions, identifiers, observation ids and timestamps that are kept for all
    /// open objects of a JSON value.
    pub max_pending_json: usize,
    /// Nesting depth of objects and arrays.
    pub max_depth: usize,
    /// Length of a JSON Pointer, in bytes.
    pub max_pointer: usize,
    /// Length of a MARC object and of a removed record, in bytes.
    pub max_record: usize,
}

impl Default for RefLimits {
    fn default() -> Self {
        RefLimits {
            max_annotation: 1024,
            max_assertion: 4096,
            max_annotations: 64,
            max_pending: 4096,
            max_pending_json: 65_536,
            max_depth: 128,
            max_pointer: 1024,
            max_record: 65_536,
        }
    }
}

/// A vocabulary of annotation classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefVocabulary {
    /// Version as major and minor number.
    pub version: (u64, u64),
    /// Identifiers of the classes, each with the version that added it.
    pub classes: Vec<(String, (u64, u64))>,
}

impl Default for RefVocabulary {
    /// Returns version 1.0: the eight identifiers of the memo and the terminal that is not one of
    /// them.
    fn default() -> Self {
        let classes = [
            "substrate.git.log",
            "substrate.grep",
            "substrate.code.read",
            "substrate.fs.mtime",
            "substrate.mcp.brief",
            "substrate.do.sse-count",
            "substrate.unix.peercred",
            "unverified-inference",
            "decayed-to-uncertainty",
        ];
        RefVocabulary {
            version: (1, 0),
            classes: classes.map(|id| (id.to_owned(), (1, 0))).to_vec(),
        }
    }
}

/// Encoding of an assertion and its annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bracketed annotations after the assertion.
    Bracket,
    /// A JSON object with the assertion.
    Json,
}

/// An annotation as reported with its assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ann {
    /// Range of the raw bytes, brackets included.
    pub span: (u64, u64),
    /// Resolved class.
    pub class: String,
    /// Declared identifier as written.
    pub declared: String,
    /// Reason for a class other than the declared one.
    pub reason: Option<&'static str>,
    /// Decoded observation id.
    pub observation_id: Option<String>,
    /// Timestamp as written, `None` if it is invalid.
    pub ts: Option<String>,
}

/// Range of all values of an object's members `assertion`, or of an assertion in free text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Range from the first value to the last, without the outer quotes of strings.
    pub span: (u64, u64),
    /// The member `assertion` or `provenance` occurs more than once.
    pub repeated: bool,
}

/// An event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ev {
    /// A maximal run of bytes outside annotations and records.
    Text {
        /// Offset of the first byte.
        start: u64,
        /// Offset after the last byte.
        end: u64,
    },
    /// A bracketed annotation, certain at its closing bracket.
    Annotation {
        /// Range of the raw bytes, brackets included.
        span: (u64, u64),
        /// Length of the white space before it that is removed with it, in bytes.
        whitespace_before: u64,
        /// Resolved class.
        class: String,
        /// Declared identifier as written.
        declared: String,
        /// Reason for a class other than the declared one.
        reason: Option<&'static str>,
        /// Decoded observation id.
        observation_id: Option<String>,
        /// Timestamp as written, `None` if it is invalid.
        ts: Option<String>,
    },
    /// An assertion with its annotations, certain once no further annotation can join it.
    Assertion {
        encoding: Encoding,
        /// Decoded text, with U+FFFD for invalid UTF-8.
        text: String,
        /// Range of the raw bytes.
        span: (u64, u64),
        /// Range of all values of the member `assertion`.
        extent: Extent,
        /// Range in the stripped stream, `None` in JSON.
        clean_span: Option<(u64, u64)>,
        /// JSON Pointer of the member `assertion`; `None` in free text or if longer than
        /// `max_pointer`.
        pointer: Option<String>,
        /// Annotations in order, without those that a limit left out.
        annotations: Vec<Ann>,
        /// A limit truncated the assertion or left something out.
        limited: bool,
    },
    /// A MARC object, certain at its closing brace.
    Marc {
        /// Kind: `core` or `disclosure`.
        kind: &'static str,
        /// Range of the raw bytes.
        span: (u64, u64),
        /// JSON Pointer of the object, `None` if longer than `max_pointer`.
        pointer: Option<String>,
        /// Raw bytes, `None` if more than `max_record`.
        raw: Option<Vec<u8>>,
    },
    /// A JSON value that is removed from the text.
    Record {
        /// Range of the raw bytes.
        span: (u64, u64),
    },
    /// A diagnostic about the bytes of `span`.
    Diagnostic {
        /// Code of the diagnostic.
        code: &'static str,
        /// Range of the bytes concerned.
        span: (u64, u64),
    },
}

impl Ev {
    /// Moves the offsets of an event by `by` in the stream and by `clean_by` in the stripped
    /// stream.
    pub fn shift(&mut self, by: u64, clean_by: u64) {
        let moved = |span: &mut (u64, u64), by: u64| *span = (span.0 + by, span.1 + by);
        match self {
            Ev::Text { start, end } => {
                *start += by;
                *end += by;
            }
            Ev::Assertion {
                span,
                extent,
                clean_span,
                annotations,
                ..
            } => {
                moved(span, by);
                moved(&mut extent.span, by);
                if let Some(span) = clean_span {
                    moved(span, clean_by);
                }
                for annotation in annotations {
                    moved(&mut annotation.span, by);
                }
            }
            Ev::Annotation { span, .. }
            | Ev::Marc { span, .. }
            | Ev::Record { span }
            | Ev::Diagnostic { span, .. } => moved(span, by),
        }
    }

    /// Returns the offset of the first byte of the event.
    fn span_start(&self) -> u64 {
        match self {
            Ev::Text { start, .. } => *start,
            Ev::Annotation { span, .. }
            | Ev::Assertion { span, .. }
            | Ev::Marc { span, .. }
            | Ev::Record { span }
            | Ev::Diagnostic { span, .. } => span.0,
        }
    }
}

/// Function that finds the start of the last sentence of a passage, which is already truncated to
/// its limit and trimmed at its end.
pub type Splitter<'a> = &'a dyn Fn(&[u8]) -> usize;

/// Position in the stream at which an event becomes certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Number of stream bytes needed; for the end of the stream, one more than the stream has.
    bytes: usize,
    /// The event follows all others that the last of these bytes makes certain.
    behind: bool,
}

impl Place {
    /// Position of the events that byte number `bytes` makes certain.
    pub fn after(bytes: usize) -> Self {
        Place {
            bytes,
            behind: false,
        }
    }

    /// Position after all events that byte number `bytes` makes certain.
    pub fn behind(bytes: usize) -> Self {
        Place {
            bytes,
            behind: true,
        }
    }
}

/// Computes all events of `input` in mode `text`, sorted by the number of bytes read when each is
/// certain, then by the start of their spans.
pub fn events(
    input: &[Segment],
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
    splitter: Splitter<'_>,
) -> Vec<Ev> {
    events_in(Reading::TEXT, input, limits, vocabulary, splitter)
}

/// Computes all events of `input` in the mode of `reading`, sorted as by [`events`].
pub fn events_in(
    reading: Reading,
    input: &[Segment],
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
    splitter: Splitter<'_>,
) -> Vec<Ev> {
    let timed = timed_events_in(reading, input, limits, vocabulary, splitter);
    timed.into_iter().map(|(_, event)| event).collect()
}

/// Computes all events of `input` in mode `text`, each with the number of bytes read when it is
/// certain; for the end of the stream, that is one more than the input has.
///
/// The number of a text event has no meaning. It is an upper bound for an assertion followed by a
/// bracket that could only meet the start condition beyond `max_annotation`.
pub fn timed_events(
    input: &[Segment],
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
    splitter: Splitter<'_>,
) -> Vec<(usize, Ev)> {
    timed_events_in(Reading::TEXT, input, limits, vocabulary, splitter)
}

/// Computes all events of `input` in the mode of `reading`, with numbers as by [`timed_events`].
/// The number of a record has no meaning either.
pub fn timed_events_in(
    reading: Reading,
    input: &[Segment],
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
    splitter: Splitter<'_>,
) -> Vec<(usize, Ev)> {
    let parts = parts(input);
    let (mut raw, mut clean) = (0, 0);
    let mut all: Vec<(usize, Ev)> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let mut found = timed_part(reading, part, limits, vocabulary, splitter);
        let len: usize = part.input.iter().map(|segment| segment.bytes.len()).sum();
        for (known, event) in &mut found {
            // A break comes before the next byte.
            let last = if index + 1 < parts.len() {
                len
            } else {
                len + 1
            };
            *known = raw + last.min(*known);
            event.shift(raw as u64, clean as u64);
        }
        let last = all.iter_mut().rev().find_map(|(_, event)| match event {
            Ev::Text { end, .. } => Some(end),
            _ => None,
        });
        let is_text = |(_, event): &(usize, Ev)| matches!(event, Ev::Text { .. });
        if let (Some(last), Some(at)) = (last, found.iter().position(is_text))
            && let Ev::Text { start, end } = found[at].1
            && *last == start
        {
            *last = end;
            found.remove(at);
        }
        all.extend(found);
        raw += len;
        clean += strip_part(reading, part, limits, vocabulary).len();
    }
    all
}

/// Computes the events of a part as if the part were a stream.
fn timed_part(
    reading: Reading,
    part: &Part<'_>,
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
    splitter: Splitter<'_>,
) -> Vec<(usize, Ev)> {
    let stream = part.stream();
    // Events are pushed in the order that ties keep: the sort below is stable.
    let mut timed: Vec<(Place, Ev)> = Vec::new();
    match reading.mode {
        RefMode::Text | RefMode::Auto => {
            free_text(reading, &stream, limits, vocabulary, splitter, &mut timed);
        }
        RefMode::Json | RefMode::Ndjson => {
            let hold = reading.hold_records;
            let found = match reading.mode {
                RefMode::Json => json::documents(&stream, hold, limits, vocabulary),
                _ => json::lines(&stream, hold, limits, vocabulary),
            };
            let records = records(reading, limits, found.values.iter());
            text_events(&stream, &[], &records, &mut timed);
            timed.extend(found.values.into_iter().flat_map(|value| value.events));
            timed.extend(found.offending);
        }
    }
    timed.sort_by_key(|(place, event)| (*place, event.span_start()));
    let bytes = |(place, event): (Place, Ev)| (place.bytes, event);
    timed.into_iter().map(bytes).collect()
}

/// Adds the events of free text, with JSON values in it or without.
#[expect(
    clippy::too_many_arguments,
    reason = "the naive reference passes on what it knows instead of keeping it"
)]
fn free_text(
    reading: Reading,
    stream: &Stream,
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
    splitter: Splitter<'_>,
    timed: &mut Vec<(Place, Ev)>,
) {
    let scan = scan::scan(stream, reading, limits, vocabulary);
    let records = records(reading, limits, scan.all_values());
    let cuts = cuts(stream, &scan, &records);
    let layout = Layout::new(stream, &scan.fences, &scan.blocks());

    let annotations: Vec<_> = scan.annotation_spans().collect();
    text_events(stream, &annotations, &records, timed);
    let groups = groups(stream, &scan, &layout, limits);
    let ends: Vec<_> = groups.iter().flatten().map(|member| member.end).collect();
    for group in &groups {
        group_events(
            group, &ends, stream, &scan, &layout, &cuts, limits, vocabulary, splitter, timed,
        );
    }
    for attempt in &scan.attempts {
        if let Outcome::Abandoned { code, end, known } = attempt.outcome {
            let span = wide(attempt.at, end);
            timed.push((Place::after(known), Ev::Diagnostic { code, span }));
        }
    }
    timed.extend(scan.all_values().flat_map(|value| value.events.clone()));
}

/// Returns the bytes of `input` in mode `text` without annotations and the white space removed with
/// them.
pub fn strip(input: &[Segment], limits: &RefLimits, vocabulary: &RefVocabulary) -> Vec<u8> {
    strip_in(Reading::TEXT, input, limits, vocabulary)
}

/// Returns the bytes of `input` in the mode of `reading` without annotations, the white space
/// removed with them, and held records.
pub fn strip_in(
    reading: Reading,
    input: &[Segment],
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
) -> Vec<u8> {
    let stripped = parts(input)
        .into_iter()
        .flat_map(|part| strip_part(reading, &part, limits, vocabulary));
    stripped.collect()
}

fn strip_part(
    reading: Reading,
    part: &Part<'_>,
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
) -> Vec<u8> {
    let stream = part.stream();
    let hold = reading.hold_records;
    let cuts = match reading.mode {
        RefMode::Text | RefMode::Auto => {
            let scan = scan::scan(&stream, reading, limits, vocabulary);
            let records = records(reading, limits, scan.all_values());
            cuts(&stream, &scan, &records)
        }
        RefMode::Json => {
            let found = json::documents(&stream, hold, limits, vocabulary);
            records(reading, limits, found.values.iter())
        }
        RefMode::Ndjson => {
            let found = json::lines(&stream, hold, limits, vocabulary);
            records(reading, limits, found.values.iter())
        }
    };
    let mut kept = Vec::new();
    let mut from = 0;
    for (start, end) in cuts {
        kept.extend_from_slice(&stream.bytes[from..start]);
        from = end;
    }
    kept.extend_from_slice(&stream.bytes[from..]);
    kept
}

/// Lists the start and end of the values that are removed from the text, in order.
fn records<'a>(
    reading: Reading,
    limits: &RefLimits,
    values: impl Iterator<Item = &'a json::Value>,
) -> Vec<(usize, usize)> {
    let removed = values.filter(|value| reading.hold_records && value.is_removable(limits));
    let mut spans: Vec<_> = removed.map(|value| (value.start, value.end())).collect();
    spans.sort_unstable();
    spans
}

/// Converts a range to the integer type of event spans.
fn wide(start: usize, end: usize) -> (u64, u64) {
    (start as u64, end as u64)
}

/// Lists the ranges that stripping removes: every annotation with the white space before it, and
/// every record.
fn cuts(stream: &Stream, scan: &Scan, records: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut cuts = Vec::new();
    let mut last_end = 0;
    for (start, end) in scan.annotation_spans() {
        let mut cut = start;
        let after_record = records.iter().map(|record| record.1);
        let after_record = after_record.take_while(|&end| end <= start).last();
        let previous_end = after_record.unwrap_or(0).max(last_end);
        while cut > previous_end
            && start - cut < 64
            && stream.is_own(cut - 1)
            && matches!(stream.bytes[cut - 1], b' ' | b'\t' | b'\r' | b'\n')
        {
            cut -= 1;
        }
        cuts.push((cut, end));
        last_end = end;
    }
    cuts.extend_from_slice(records);
    cuts.sort_unstable();
    cuts
}

/// Converts a stream offset to an offset in the stripped stream; an offset within a removed range
/// becomes that of the removal.
fn clean(offset: usize, cuts: &[(usize, usize)]) -> usize {
    let removed: usize = cuts
        .iter()
        .map(|&(start, end)| offset.clamp(start, end) - start)
        .sum();
    offset - removed
}

/// Adds the text between annotations and records, and the records.
fn text_events(
    stream: &Stream,
    annotations: &[(usize, usize)],
    records: &[(usize, usize)],
    timed: &mut Vec<(Place, Ev)>,
) {
    let mut from = 0;
    let stream_end = stream.bytes.len();
    let mut taken = [annotations, records, &[(stream_end, stream_end)]].concat();
    taken.sort_unstable();
    for (start, end) in taken {
        if from < start {
            let (from, until) = wide(from, start);
            timed.push((
                Place::after(start),
                Ev::Text {
                    start: from,
                    end: until,
                },
            ));
        }
        if records.contains(&(start, end)) {
            let span = wide(start, end);
            timed.push((Place::after(end), Ev::Record { span }));
        }
        from = end;
    }
}

/// An annotation, or an unknown in the slot that counts as one.
struct Member {
    at: usize,
    end: usize,
    /// Parts of an annotation, `None` for an unknown in the slot.
    shape: Option<grammar::Shape>,
}

/// Splits the annotations, and the unknowns that stand alone, into groups of one assertion each.
/// Between two members of a group there is only white space, closing punctuation and unknowns in
/// the slot.
fn groups(stream: &Stream, scan: &Scan, layout: &Layout, limits: &RefLimits) -> Vec<Vec<Member>> {
    let mut groups: Vec<Vec<Member>> = Vec::new();
    let mut previous_end = None;
    for attempt in &scan.attempts {
        let at = attempt.at;
        let gap =
            previous_end.map(|end| slot::gap(stream, scan, layout, end, limits.max_annotation));
        let gap = gap.filter(|gap| gap.end == at);
        let (end, shape) = match &attempt.outcome {
            Outcome::Annotation { end, shape } => (*end, Some(shape.clone())),
            Outcome::Abandoned { .. } => continue,
            Outcome::Ordinary { .. } => {
                let alone = match &gap {
                    Some(gap) => gap.alone,
                    None => slot::alone(stream, scan, at, limits),
                };
                let Some(end) = alone else {
                    continue;
                };
                (end, None)
            }
        };
        let member = Member { at, end, shape };
        match groups.last_mut() {
            Some(group) if gap.is_some() => group.push(member),
            _ => groups.push(vec![member]),
        }
        previous_end = Some(end);
    }
    groups
}

/// Adds the events of one group: those of its annotations, each at its closing bracket, then those
/// of its assertion.
#[expect(
    clippy::too_many_arguments,
    reason = "the whole analysis of a stream, passed on as it stands"
)]
fn group_events(
    group: &[Member],
    ends: &[usize],
    stream: &Stream,
    scan: &Scan,
    layout: &Layout,
    cuts: &[(usize, usize)],
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
    splitter: Splitter<'_>,
    timed: &mut Vec<(Place, Ev)>,
) {
    let mut kept = Vec::new();
    let mut pending = 0;
    let mut too_many = false;
    let mut too_big = false;
    let mut group_end = 0;
    for &Member { at, end, ref shape } in group {
        group_end = end;
        let Some(shape) = shape else {
            continue;
        };
        let resolved = resolve::resolve(&stream.bytes[at..end], shape, at, vocabulary);
        let cut = cuts.iter().find(|cut| cut.1 == end).map_or(at, |cut| cut.0);
        timed.push((
            Place::after(end),
            annotation_event(&resolved, (at - cut) as u64),
        ));

        // The count of annotations is looked at first; one that is left out for it takes no pending bytes.
        if kept.len() >= limits.max_annotations {
            too_many = true;
        } else if pending + resolved.retained > limits.max_pending {
            too_big = true;
            let span = wide(at, end);
            let code = "limit-pending";
            timed.push((Place::after(end), Ev::Diagnostic { code, span }));
        } else {
            pending += resolved.retained;
            kept.push(resolved.annotation.clone());
        }
        for (code, span) in resolved.diagnostics {
            timed.push((Place::after(end), Ev::Diagnostic { code, span }));
        }
    }

    let first = &group[0];
    let at = if first.shape.is_some() {
        first.at
    } else {
        first.end
    };
    let gap_after = |end: usize| slot::gap(stream, scan, layout, end, limits.max_annotation);
    let previous_end = ends.iter().take_while(|&&end| end <= first.at).last();
    let previous_end = previous_end.map(|&end| gap_after(end).unknown_end.unwrap_or(end));
    let fence_ends = scan.fences.iter().map(|fence| fence.end);
    let value_ends = scan.blocks().into_iter().map(|value| value.end);
    let floors = fence_ends.chain(value_ends).chain(previous_end);
    let floor = floors.filter(|&end| end <= first.at).max().unwrap_or(0);
    let slot_start = slot::before(stream, floor, at, limits);
    let found = look_back::assertion(
        stream,
        layout,
        &scan.fences,
        &scan.blocks(),
        previous_end,
        (slot_start, at, first.at),
        limits,
        splitter,
    );
    let is_unknown =
        |member: &Member| member.shape.is_none() || gap_after(member.end).unknown_end.is_some();
    let unknown = slot_start < at || group.iter().any(is_unknown);
    let known = look_back::ruled_out(stream, scan, &gap_after(group_end));
    let orphan = stream.after_break && layout.is_white(stream, 0..slot_start);
    assertion_events(
        found,
        (orphan, unknown),
        kept,
        too_many,
        too_big,
        stream,
        cuts,
        |event| {
            timed.push((Place::after(known), event));
        },
    );
}

/// Builds the event of one annotation.
fn annotation_event(resolved: &Resolved, whitespace_before: u64) -> Ev {
    let annotation = resolved.annotation.clone();
    Ev::Annotation {
        span: annotation.span,
        whitespace_before,
        class: annotation.class,
        declared: annotation.declared,
        reason: annotation.reason,
        observation_id: annotation.observation_id,
        ts: annotation.ts,
    }
}

/// Emits an assertion and its diagnostics in the order in which the wire profile lists them.
#[expect(
    clippy::too_many_arguments,
    reason = "the naive reference passes on what it knows instead of keeping it"
)]
fn assertion_events(
    found: Found,
    (orphan, unknown): (bool, bool),
    annotations: Vec<Ann>,
    too_many: bool,
    too_big: bool,
    stream: &Stream,
    cuts: &[(usize, usize)],
    mut push: impl FnMut(Ev),
) {
    let Found { start, end, cut } = found;
    let bytes = &stream.bytes[start..end];
    let span = wide(start, end);
    push(Ev::Assertion {
        encoding: Encoding::Bracket,
        text: String::from_utf8_lossy(bytes).into_owned(),
        span,
        extent: Extent {
            span,
            repeated: false,
        },
        clean_span: Some(wide(clean(start, cuts), clean(end, cuts))),
        pointer: None,
        annotations,
        limited: cut || too_many || too_big,
    });
    let findings = [
        (orphan, "orphan"),
        (start == end && !orphan, "no-assertion"),
        (unknown, "unknown-in-slot"),
        (cut, "limit-assertion"),
        (too_many, "limit-annotations"),
        (std::str::from_utf8(bytes).is_err(), "invalid-utf8"),
    ];
    for (holds, code) in findings {
        if holds {
            push(Ev::Diagnostic { code, span });
        }
    }
}
