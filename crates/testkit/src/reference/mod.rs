//! A naive reference for all modes, the oracle that the streaming engine is compared with.
//!
//! It reads the whole input at once and follows the wire profile rule by rule, with no regard for speed: one forward
//! pass settles what is code, what is an attempt and what is a JSON value (`scan`, `grammar`, `json`), each attempt is
//! resolved on its own (`resolve`, `timestamp`), and each assertion is looked for in the whole prefix before its
//! annotation (`lines`, `look_back`). A stream of JSON alone is read value by value (`json`). The events are sorted at
//! the very end, by the position at which each one becomes certain.

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

/// A stretch of input, either the model's own text or text that the caller feeds as not its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Whether the model wrote it.
    pub own: bool,
    /// The bytes, which need not be UTF-8 nor end at a character boundary.
    pub bytes: Vec<u8>,
    /// Whether a break comes before it.
    pub after_break: bool,
}

/// The input between two breaks.
struct Part<'a> {
    input: &'a [Segment],
    /// Nothing of the stream comes before it.
    is_first: bool,
    /// A break comes before it.
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

/// Where the breaks of an input are in the text without annotations and records.
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

/// How a stream is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefMode {
    /// Free text.
    Text,
    /// A sequence of JSON values.
    Json,
    /// One JSON value a line.
    Ndjson,
    /// Free text with JSON values in it.
    Auto,
}

/// How a stream is read and what of it is handed on as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The mode.
    pub mode: RefMode,
    /// Whether records are events of their own instead of text.
    pub hold_records: bool,
}

impl Reading {
    /// Free text.
    pub const TEXT: Self = Self::new(RefMode::Text);

    /// A mode in which nothing is held back because of JSON.
    pub const fn new(mode: RefMode) -> Self {
        Self {
            mode,
            hold_records: false,
        }
    }
}

/// The limits; a limit of n allows n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefLimits {
    /// Bytes from an annotation's opening bracket to its closing one, both included.
    pub max_annotation: usize,
    /// Raw bytes of an assertion.
    pub max_assertion: usize,
    /// Annotations reported with one assertion.
    pub max_annotations: usize,
    /// Raw bytes of identifiers, observation ids and timestamps kept for an assertion that is not reported yet.
    pub max_pending: usize,
    /// The same in JSON, assertions included, over all open objects of a value.
    pub max_pending_json: usize,
    /// Objects and arrays in one another.
    pub max_depth: usize,
    /// Bytes of a JSON Pointer.
    pub max_pointer: usize,
    /// Bytes of a MARC object, and of a record that is removed.
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

/// A loaded vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefVocabulary {
    /// Its version, major and minor.
    pub version: (u64, u64),
    /// Each identifier with the version that brought it.
    pub classes: Vec<(String, (u64, u64))>,
}

impl Default for RefVocabulary {
    /// Version 1.0: the memo's eight identifiers and the terminal that is not among them.
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

/// How an assertion is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Brackets behind it.
    Bracket,
    /// An asserted object.
    Json,
}

/// An annotation as its assertion reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ann {
    /// Raw bytes from its opening to its closing bracket.
    pub span: (u64, u64),
    /// The class it resolves to.
    pub class: String,
    /// The identifier as written.
    pub declared: String,
    /// Why the class is not the declared identifier.
    pub reason: Option<&'static str>,
    /// The decoded observation id.
    pub observation_id: Option<String>,
    /// The timestamp as written, when it is valid.
    pub ts: Option<String>,
}

/// All values of the member `assertion` of an object, or an assertion in free text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// From the first to the last; without the quotes of a string at either end.
    pub span: (u64, u64),
    /// Whether the member, or `provenance`, is repeated.
    pub repeated: bool,
}

/// One event of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ev {
    /// A maximal run of bytes that belong to no annotation.
    Text {
        /// First byte.
        start: u64,
        /// One past the last byte.
        end: u64,
    },
    /// An annotation, certain at its closing bracket.
    Annotation {
        /// Raw bytes from its opening to its closing bracket.
        span: (u64, u64),
        /// How many bytes of white space right before it are removed with it.
        whitespace_before: u64,
        /// The class it resolves to.
        class: String,
        /// The identifier as written.
        declared: String,
        /// Why the class is not the declared identifier.
        reason: Option<&'static str>,
        /// The decoded observation id.
        observation_id: Option<String>,
        /// The timestamp as written, when it is valid.
        ts: Option<String>,
    },
    /// An assertion with its annotations, certain once no further annotation can join it.
    Assertion {
        /// How it is written.
        encoding: Encoding,
        /// Its text, with replacement characters for what is not UTF-8.
        text: String,
        /// Its raw bytes.
        span: (u64, u64),
        /// All values of its member, from the first to the last.
        extent: Extent,
        /// Where it stands in the stripped text; nothing in JSON.
        clean_span: Option<(u64, u64)>,
        /// In JSON where its member stands in its value, unless that is too long.
        pointer: Option<String>,
        /// Its annotations, in order, without those a limit left out.
        annotations: Vec<Ann>,
        /// Whether it hit a limit.
        limited: bool,
    },
    /// A MARC object, certain at its closing brace.
    Marc {
        /// `core` or `disclosure`.
        kind: &'static str,
        /// Its raw bytes.
        span: (u64, u64),
        /// Where it stands in its value, unless that is too long.
        pointer: Option<String>,
        /// Its bytes, unless there are too many.
        raw: Option<Vec<u8>>,
    },
    /// A JSON value that is removed from the text.
    Record {
        /// Its raw bytes.
        span: (u64, u64),
    },
    /// Something worth telling about the bytes of `span`.
    Diagnostic {
        /// What it is.
        code: &'static str,
        /// Where it is.
        span: (u64, u64),
    },
}

impl Ev {
    /// Moves what was found in a part that begins at these offsets of the stream and of the text without annotations.
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

    /// Where the event's span starts.
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

/// Finds the start of the last sentence in a candidate that is already cut to its limit and trimmed at its end.
pub type Splitter<'a> = &'a dyn Fn(&[u8]) -> usize;

/// Where an event becomes certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// How many bytes it takes; one more than there are for the end of the stream.
    bytes: usize,
    /// Whether it comes behind all that the last of these bytes makes certain.
    behind: bool,
}

impl Place {
    /// With the last of so many bytes.
    pub fn after(bytes: usize) -> Self {
        Place {
            bytes,
            behind: false,
        }
    }

    /// Behind all that the last of so many bytes makes certain.
    pub fn behind(bytes: usize) -> Self {
        Place {
            bytes,
            behind: true,
        }
    }
}

/// All events of `input` in mode `text`, sorted by the number of bytes consumed when each is certain, then by span
/// start.
pub fn events(
    input: &[Segment],
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
    splitter: Splitter<'_>,
) -> Vec<Ev> {
    events_in(Reading::TEXT, input, limits, vocabulary, splitter)
}

/// The same in any mode.
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

/// All events in mode `text` with the number of bytes consumed when each is certain, one more than there are for the
/// end of the stream.
///
/// The number says nothing for text. For an assertion that a bracket follows which could only start an attempt beyond
/// its limit it is an upper bound.
pub fn timed_events(
    input: &[Segment],
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
    splitter: Splitter<'_>,
) -> Vec<(usize, Ev)> {
    timed_events_in(Reading::TEXT, input, limits, vocabulary, splitter)
}

/// The same in any mode. The number says nothing for a record either.
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

/// The events of a part, as if it were a stream.
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

/// The events of free text, with JSON values in it or not.
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

/// The bytes of `input` in mode `text` without its annotations and the white space removed with them.
pub fn strip(input: &[Segment], limits: &RefLimits, vocabulary: &RefVocabulary) -> Vec<u8> {
    strip_in(Reading::TEXT, input, limits, vocabulary)
}

/// The same in any mode, and without the records if these are held.
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

/// Start and end of the values that are removed from the text, in order.
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

/// A span in the width that events use.
fn wide(start: usize, end: usize) -> (u64, u64) {
    (start as u64, end as u64)
}

/// What stripping removes: every annotation, from the white space before it on, and every record.
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

/// Where a raw offset stands in the stripped text; what was cut out stands where it was cut.
fn clean(offset: usize, cuts: &[(usize, usize)]) -> usize {
    let removed: usize = cuts
        .iter()
        .map(|&(start, end)| offset.clamp(start, end) - start)
        .sum();
    offset - removed
}

/// The runs of bytes between annotations and records, and the records.
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

/// An annotation, or an unknown that counts like one.
struct Member {
    at: usize,
    end: usize,
    /// What an annotation holds.
    shape: Option<grammar::Shape>,
}

/// Splits the annotations, and the unknowns that stand alone, into those of one assertion each: nothing but white space, closing
/// punctuation and unknowns in the slot stands between two of a group.
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

/// The events of one assertion: those of its annotations, each at its bracket, then its own report.
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

/// The event of one annotation.
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

/// The report of one assertion and what is to be said about it, in the order that ties keep.
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
