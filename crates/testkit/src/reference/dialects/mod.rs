//! Naive reference for citation dialects: the rules of docs/dialects.md, one after another, on the
//! whole text.
//!
//! Markers are searched for in what `scan` leaves (`find`, `guard`). Then the text is
//! stripped, divided into blocks and sentences, and each marker gets its sentence (`citations`).

mod citations;
mod find;
pub mod generate;
mod guard;
pub mod tables;

use super::{Reading, RefLimits, RefVocabulary, Segment, parts, records, scan};
pub use find::Dialects;
use find::Kind;

/// Names of the built-in dialects, in the order of the page.
pub const BUILT_IN: [&str; 9] = [
    "openai-file",
    "openai-web",
    "file-token",
    "numeric",
    "doc",
    "citation",
    "cohere",
    "cite-tag",
    "nova",
];

/// A list of sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    Nothing,
    Complete(Vec<String>),
    Incomplete(Vec<String>),
}

impl Known {
    fn lists(&self, id: &str) -> bool {
        match self {
            Known::Nothing => false,
            Known::Complete(ids) | Known::Incomplete(ids) => ids.iter().any(|known| known == id),
        }
    }

    /// Reason for an identifier that is not listed, `None` for one that is.
    pub fn reason(&self, id: &str) -> Option<&'static str> {
        match self {
            _ if self.lists(id) => None,
            Known::Complete(_) => Some("unknown-source"),
            _ => Some("no-source-list"),
        }
    }
}

/// An identifier of a marker.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id {
    pub dialect: &'static str,
    pub id: String,
}

/// A marker that comes after its assertion, an opening marker, or an end tag.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Marker {
    pub span: (u64, u64),
    pub dialect: &'static str,
    pub ids: Vec<Id>,
    pub whitespace_before: u64,
}

/// A sentence, or what is inside of a marker, with the identifiers that it cites.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Citation {
    pub span: (u64, u64),
    pub clean_span: (u64, u64),
    pub text: String,
    pub ids: Vec<Id>,
}

/// Events that dialects add to a stream, and the stripped stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    pub markers: Vec<Marker>,
    pub citations: Vec<Citation>,
    /// Codes and spans of diagnostics about markers and citations.
    pub diagnostics: Vec<(&'static str, (u64, u64))>,
    pub clean: Vec<u8>,
    /// A marker is where the block markers of a line begin, or end with the line.
    pub at_block_markers: bool,
}

/// Dialects that a stream is read with, and the sources that it may cite.
#[derive(Clone, Copy)]
pub struct With<'a> {
    pub dialects: &'a Dialects,
    pub known: &'a Known,
}

/// Function that lists the starts of the sentences of a block, without white space at its ends.
pub type Sentences<'a> = &'a dyn Fn(&[u8]) -> Vec<usize>;

/// Reads a stream with dialects. Lists are sorted by span.
pub fn read(
    reading: Reading,
    input: &[Segment],
    limits: &RefLimits,
    with: With<'_>,
    sentences: Sentences<'_>,
) -> Read {
    let mut all = Read::default();
    let mut from = 0;
    for part in parts(input) {
        let stream = part.stream();
        let scan = scan::scan(&stream, reading, limits, &RefVocabulary::default());
        let found = find::find(&stream, &scan, with.dialects, with.known);
        let records = records(reading, limits, scan.all_values());
        let annotations = super::cuts(&stream, &scan, &records);
        let cuts = cuts(&stream, &annotations, &found.markers);
        let clean_from = all.clean.len() as u64;
        let moved = |span: (u64, u64), by: u64| (span.0 + by, span.1 + by);
        let wide = |range: &std::ops::Range<usize>| (range.start as u64, range.end as u64);

        for marker in &found.markers {
            let cut = cuts.iter().find(|cut| cut.1 == marker.span.end);
            let start = cut.map_or(marker.span.start, |cut| cut.0);
            all.markers.push(Marker {
                span: moved(wide(&marker.span), from),
                dialect: marker.dialect,
                ids: marker.ids.clone(),
                whitespace_before: (marker.span.start - start) as u64,
            });
        }
        for span in &found.unclosed {
            all.diagnostics
                .push(("unclosed-marker", moved(wide(span), from)));
        }
        for span in &found.unread {
            all.diagnostics
                .push(("unread-marker", moved(wide(span), from)));
        }
        for marker in &found.markers {
            // A marker that cites nothing has no citation with this diagnostic.
            if marker.kind == (Kind::Open { end: None }) && marker.ids.is_empty() {
                all.diagnostics
                    .push(("unclosed-marker", moved(wide(&marker.span), from)));
            }
        }
        let text = citations::Text::new(&stream, &scan, &cuts);
        let mut markers = found.markers.iter();
        all.at_block_markers |= markers.any(|marker| text.is_at_block_markers(marker));
        let cited = citations::citations(&text, &found.markers, limits, sentences);
        for citation in cited {
            let span = moved(citation.span, from);
            for code in citation.codes {
                all.diagnostics.push((code, span));
            }
            if let Some(marker) = citation.unclosed {
                all.diagnostics
                    .push(("unclosed-marker", moved(wide(&marker), from)));
            }
            all.citations.push(Citation {
                span,
                clean_span: moved(citation.clean_span, clean_from),
                text: citation.text,
                ids: citation.ids,
            });
        }
        all.clean.extend_from_slice(text.bytes());
        from += stream.bytes.len() as u64;
    }
    all.markers.sort();
    all.citations.sort();
    all.diagnostics.sort_unstable();
    all
}

/// Continuations on which it may depend that a group is a marker.
const PROBES: &[&str] = &[
    "",
    " ",
    "x",
    ".",
    ":",
    ": x",
    "=",
    " =",
    " x",
    " \n",
    "\n",
    "*",
    "**:",
    "* x",
    "** x",
    "_ x",
    "__ x",
    "]",
    "(",
    "`",
    "é",
    "。",
    "          ",
    "          x",
    "}",
    "\"a\":1}",
];

/// Computes the offset of the first byte that must be held back at the end of a stream because of
/// dialects, and the length of the white space before it that would be removed with it.
pub fn held(
    reading: Reading,
    prefix: &[Segment],
    limits: &RefLimits,
    with: With<'_>,
) -> (usize, usize) {
    let all = parts(prefix);
    let last = &all[all.len() - 1];
    let scanned = |input: &[Segment]| {
        let all = parts(input);
        let stream = all[all.len() - 1].stream();
        let scan = scan::scan(&stream, reading, limits, &RefVocabulary::default());
        (stream, scan)
    };
    let (stream, scan) = scanned(prefix);
    let mut probes: Vec<Vec<u8>> = PROBES
        .iter()
        .map(|probe| probe.as_bytes().to_vec())
        .collect();
    probes.extend(super::holdback::completions(&stream.bytes));
    // The rest of closing punctuation of which the first bytes have come.
    for closing in super::stream::CLOSING.chars().map(String::from) {
        let rests =
            (1..closing.len()).filter(|&len| stream.bytes.ends_with(&closing.as_bytes()[..len]));
        probes.extend(rests.map(|len| closing.as_bytes()[len..].to_vec()));
    }
    let depends = |span: &std::ops::Range<usize>| {
        let mut results = probes.iter().map(|probe| {
            let mut longer = prefix.to_vec();
            longer.push(Segment {
                own: true,
                bytes: probe.clone(),
                after_break: false,
            });
            let (stream, scan) = scanned(&longer);
            let found = find::find(&stream, &scan, with.dialects, with.known);
            found.markers.iter().any(|marker| marker.span == *span)
        });
        let first = results.next();
        results.any(|result| Some(result) != first)
    };
    let part_len: usize = last.input.iter().map(|segment| segment.bytes.len()).sum();
    let all_len: usize = prefix.iter().map(|segment| segment.bytes.len()).sum();
    let undecided = find::undecided(&stream, &scan, (with.dialects, with.known), &depends);
    let Some(undecided) = undecided else {
        return (all_len, 0);
    };
    let found = find::find(&stream, &scan, with.dialects, with.known);
    let markers = found.markers.iter().map(|marker| marker.span.end);
    let annotations = scan.annotation_spans().map(|(_, end)| end);
    let ends = markers
        .chain(annotations)
        .filter(|&end| end <= undecided.at);
    let previous = ends.max().unwrap_or(0);
    let mut cut = undecided.at;
    while undecided.takes_space
        && cut > previous
        && undecided.at - cut < 64
        && stream.is_own(cut - 1)
        && matches!(stream.bytes[cut - 1], b' ' | b'\t')
    {
        cut -= 1;
    }
    (all_len - part_len + undecided.at, undecided.at - cut)
}

/// Adds the markers, with the white space that is removed with them, to what stripping removes
/// without dialects.
fn cuts(
    stream: &super::stream::Stream,
    annotations: &[(usize, usize)],
    markers: &[find::Marker],
) -> Vec<(usize, usize)> {
    let mut cuts = annotations.to_vec();
    let mut previous_marker = 0;
    for marker in markers {
        let at = marker.span.start;
        let ends = annotations.iter().map(|cut| cut.1);
        let annotation = ends.filter(|&end| end <= at).max().unwrap_or(0);
        let mut cut = at;
        if marker.kind == Kind::After && !marker.ids.is_empty() {
            while cut > annotation.max(previous_marker)
                && at - cut < 64
                && stream.is_own(cut - 1)
                && matches!(stream.bytes[cut - 1], b' ' | b'\t')
            {
                cut -= 1;
            }
        }
        cuts.push((cut, marker.span.end));
        previous_marker = marker.span.end;
    }
    cuts.sort_unstable();
    cuts
}
