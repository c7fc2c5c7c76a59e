//! The streaming engine with dialects beside the naive reference: adapters of both, and their comparison. The fuzz body of markers
//! compiles this file, too.

use std::fmt::Debug;

use provstream::{Event, Parser, Rewriter, Span};

use testkit::reference::dialects::generate::Case;
use testkit::reference::dialects::{self, Citation, Id, Known, Marker, Read, With};
use testkit::reference::engine::{Cuts, collect};
use testkit::reference::{Ev, Reading, RefVocabulary, Segment, events_in};
use testkit::sentence;

use super::parser::parser;

/// Report of the engine: the events of dialects, and all others without text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Report {
    /// Diagnostics of all kinds are here.
    read: Read,
    memo: Vec<Ev>,
    /// Reasons of the identifiers of all citations, in order.
    reasons: Vec<(String, Option<String>)>,
    /// All events but text, in the order in which they came.
    order: Vec<String>,
}

impl Report {
    /// Adds an event.
    fn add(&mut self, event: Event<'_>, names: &[&'static str]) {
        let ends = |span: Span| (span.start(), span.end());
        let dialect = |name: &str| {
            let known = names.iter().find(|known| **known == name);
            *known.unwrap_or_else(|| panic!("{name} is not among {names:?}"))
        };
        if !matches!(event, Event::Text(_)) {
            self.order.push(format!("{event:?}"));
        }
        match event {
            Event::Marker(marker) => {
                let name = dialect(marker.dialect());
                let ids = marker.ids().map(|id| Id {
                    dialect: name,
                    id: id.to_owned(),
                });
                self.read.markers.push(Marker {
                    span: ends(marker.span()),
                    dialect: name,
                    ids: ids.collect(),
                    whitespace_before: marker.whitespace_before() as u64,
                });
            }
            Event::Citation(citation) => {
                let ids = citation.ids().map(|cited| Id {
                    dialect: dialect(cited.dialect),
                    id: cited.id.to_owned(),
                });
                self.read.citations.push(Citation {
                    span: ends(citation.span()),
                    clean_span: ends(citation.clean_span()),
                    text: citation.text().to_owned(),
                    ids: ids.collect(),
                });
                let reasons = citation.ids().map(|cited| {
                    let reason = cited.reason.map(|reason| reason.to_string());
                    (cited.id.to_owned(), reason)
                });
                self.reasons.extend(reasons);
            }
            Event::Diagnostic(diagnostic) => {
                let found = (diagnostic.code().as_str(), ends(diagnostic.span()));
                self.read.diagnostics.push(found);
            }
            Event::Text(_) => {}
            other => {
                let mut events = Vec::new();
                collect(other, &mut events);
                self.memo.extend(events);
            }
        }
    }

    fn sorted(mut self) -> Self {
        self.read.markers.sort();
        self.read.citations.sort();
        self.read.diagnostics.sort_unstable();
        self.reasons.sort();
        self
    }
}

/// Reads an input in chunks, whose lengths `cut` draws, and strips it in the same chunks.
fn run(
    parser: &Parser,
    names: &[&'static str],
    input: &[Segment],
    mut cut: impl FnMut(usize) -> usize,
) -> Report {
    let mut parser = parser.clone();
    let mut rewriter = Rewriter::new(parser.clone());
    let mut report = Report::default();
    let mut clean = Vec::new();
    for segment in input {
        if segment.after_break {
            parser.push_break(|event: Event<'_>| report.add(event, names));
            rewriter.push_break(&mut clean);
        }
        let mut rest = &segment.bytes[..];
        while !rest.is_empty() {
            let (now, later) = rest.split_at(cut(rest.len()).min(rest.len()));
            let sink = |event: Event<'_>| report.add(event, names);
            if segment.own {
                parser.push(now, sink);
                rewriter.push(now, &mut clean);
            } else {
                parser.push_untrusted(now, sink);
                rewriter.push_untrusted(now, &mut clean);
            }
            rest = later;
        }
    }
    parser.finish(|event: Event<'_>| report.add(event, names));
    rewriter.finish(&mut clean);
    report.read.clean = clean;
    report.sorted()
}

/// Computes what the engine must report, from the references with dialects and without.
fn expected(read: Read, memo: Vec<Ev>, known: &Known) -> Report {
    let mut report = Report {
        read,
        ..Report::default()
    };
    for event in memo {
        match event {
            Ev::Text { .. } => {}
            Ev::Diagnostic { code, span } => report.read.diagnostics.push((code, span)),
            event => report.memo.push(event),
        }
    }
    let citations = report.read.citations.iter();
    let ids = citations.flat_map(|citation| &citation.ids);
    let reasons = ids.map(|id| (id.id.clone(), known.reason(&id.id).map(str::to_owned)));
    report.reasons = reasons.collect();
    report.sorted()
}

/// Compares two reports, without the text and without the clean spans of assertions, which dialects
/// move. Returns what differs.
fn difference(expected: &Report, found: &Report) -> Option<String> {
    let memo = |report: &Report| {
        let mut memo = report.memo.clone();
        for event in &mut memo {
            if let Ev::Assertion { clean_span, .. } = event {
                *clean_span = None;
            }
        }
        memo
    };
    let both = |what: &str, expected: &dyn Debug, found: &dyn Debug| {
        Some(format!(
            "{what}\n  expected {expected:?}\n  found    {found:?}"
        ))
    };
    let (one, other) = (&expected.read, &found.read);
    if one.clean != other.clean {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        return both("clean text", &text(&one.clean), &text(&other.clean));
    }
    if one.markers != other.markers {
        return both("markers", &one.markers, &other.markers);
    }
    let unclear = one.at_block_markers;
    if one.citations != other.citations && !unclear {
        return both("citations", &one.citations, &other.citations);
    }
    if one.diagnostics != other.diagnostics && !unclear {
        return both("diagnostics", &one.diagnostics, &other.diagnostics);
    }
    if expected.reasons != found.reasons && !unclear {
        return both("reasons", &expected.reasons, &found.reasons);
    }
    if memo(expected) != memo(found) {
        return both("memo", &memo(expected), &memo(found));
    }
    None
}

/// Chunk lengths for small texts and long ones.
fn cuts(seed: u64, most: usize) -> impl FnMut(usize) -> usize {
    let mut cuts = Cuts(seed);
    move |left| {
        if most == usize::MAX {
            left
        } else {
            1 + cuts.below(most)
        }
    }
}

/// Builds the report that the references call for.
fn reference(reading: Reading, case: &Case) -> Report {
    let with = With {
        dialects: &dialects::Dialects::built_in(&case.dialects),
        known: &case.sources,
    };
    let (input, limits) = (&case.input, &case.limits);
    let read = dialects::read(reading, input, limits, with, &sentence::starts);
    let memo = events_in(
        reading,
        input,
        limits,
        &RefVocabulary::default(),
        &sentence::last_sentence,
    );
    expected(read, memo, &case.sources)
}

/// Formats a case for people.
pub(super) fn show(case: &Case) -> String {
    let segments = case.input.iter().map(|segment| {
        let after_break = if segment.after_break { "break, " } else { "" };
        let whose = if segment.own { "" } else { "untrusted " };
        format!(
            "{after_break}{whose}{:?}\n",
            String::from_utf8_lossy(&segment.bytes)
        )
    });
    let (dialects, sources) = (&case.dialects, &case.sources);
    format!(
        "{}{dialects:?} {sources:?} {}",
        segments.collect::<String>(),
        case.limits.max_assertion
    )
}

/// Reads a case whole and in chunks of several lengths, and says what differs.
pub(crate) fn check(reading: Reading, case: &Case, seed: u64) -> Option<String> {
    if case.is_open_question() {
        return None;
    }
    let expected = reference(reading, case);
    let mut order = None;
    let parser = parser(reading, &case.limits, &case.dialects, &case.sources);
    [usize::MAX, 1, 8, 200].into_iter().find_map(|most| {
        let run = || {
            let cuts = cuts(seed, most);
            run(&parser, &case.dialects, &case.input, cuts)
        };
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        let difference = match found {
            Ok(found) => match &order {
                Some(order) if *order != found.order => {
                    format!("order\n  whole {order:#?}\n  cut   {:#?}", found.order)
                }
                _ => {
                    let difference = difference(&expected, &found);
                    order = Some(found.order);
                    difference?
                }
            },
            Err(_) => "panic".to_owned(),
        };
        Some(format!(
            "seed {seed}, chunks up to {most}\n{}\n{difference}\n",
            show(case)
        ))
    })
}
