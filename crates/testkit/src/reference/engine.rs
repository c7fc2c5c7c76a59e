//! Adapter that runs the streaming engine and converts its events to those of the reference.
use std::fmt::Debug;

use provstream::provenance::{self, Version, Vocabulary};
use provstream::{Event, Limits, Mode, Parser, ParserBuilder};

use super::{Ann, Encoding, Ev, Extent, Reading, RefLimits, RefMode, RefVocabulary, Segment};

/// Builds a parser in mode `text` with the settings of the reference.
pub fn parser(limits: &RefLimits, vocabulary: &RefVocabulary) -> Parser {
    parser_in(Reading::TEXT, limits, vocabulary)
}

/// Builds a parser in the mode of `reading` with the settings of the reference.
pub fn parser_in(reading: Reading, limits: &RefLimits, vocabulary: &RefVocabulary) -> Parser {
    builder_in(reading, limits, vocabulary).build()
}

/// Configures a parser builder with the mode, limits and vocabulary of the reference.
pub fn builder_in(
    reading: Reading,
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
) -> ParserBuilder {
    let version = |(major, minor): (u64, u64)| Version::new(major as u32, minor as u32);
    let memo = Vocabulary::memo();
    let mut builder = Vocabulary::builder(version(vocabulary.version));
    for (id, since) in &vocabulary.classes {
        if memo.class(id).is_none() {
            builder = builder.class(id, version(*since));
        }
    }
    let mode = match reading.mode {
        RefMode::Text => Mode::Text,
        RefMode::Json => Mode::Json,
        RefMode::Ndjson => Mode::Ndjson,
        RefMode::Auto => Mode::Auto,
    };
    Parser::builder()
        .limits(engine_limits(limits))
        .vocabulary(builder.build().expect("a sound vocabulary"))
        .mode(mode)
        .hold_records(reading.hold_records)
}

/// Converts the limits of the reference to those of the engine.
fn engine_limits(limits: &RefLimits) -> Limits {
    let engine = Limits::default()
        .with_max_annotation(limits.max_annotation)
        .and_then(|l| l.with_max_assertion(limits.max_assertion))
        .and_then(|l| l.with_max_annotations(limits.max_annotations))
        .and_then(|l| l.with_max_depth(limits.max_depth))
        .and_then(|l| l.with_max_pointer(limits.max_pointer))
        .and_then(|l| l.with_max_record(limits.max_record))
        .expect("limits in range");
    // The two kinds of pending bytes have one setter but different defaults.
    if limits.max_pending == engine.max_pending() {
        return engine;
    }
    engine
        .with_max_pending(limits.max_pending)
        .expect("limits in range")
}

/// Pushes a chunk and appends its events, merging contiguous text.
pub fn feed(parser: &mut Parser, own: bool, chunk: &[u8], events: &mut Vec<Ev>) {
    let sink = |event: Event<'_>| collect(event, events);
    if own {
        parser.push(chunk, sink);
    } else {
        parser.push_untrusted(chunk, sink);
    }
}

/// Reads an input and collects its events. `cut` gets the number of bytes left of a segment and
/// returns the length of the next chunk.
pub fn run(parser: &mut Parser, input: &[Segment], mut cut: impl FnMut(usize) -> usize) -> Vec<Ev> {
    let mut events = Vec::new();
    for segment in input {
        if segment.after_break {
            parser.push_break(|event: Event<'_>| collect(event, &mut events));
        }
        let mut rest = &segment.bytes[..];
        while !rest.is_empty() {
            let (now, later) = rest.split_at(cut(rest.len()).min(rest.len()));
            feed(parser, segment.own, now, &mut events);
            rest = later;
        }
    }
    parser.finish(|event: Event<'_>| collect(event, &mut events));
    canonical(events)
}

/// Moves text and record events before the others, as their order relative to other events is not
/// compared.
pub fn canonical(events: Vec<Ev>) -> Vec<Ev> {
    let (mut tiles, others): (Vec<Ev>, Vec<Ev>) = events
        .into_iter()
        .partition(|event| matches!(event, Ev::Text { .. } | Ev::Record { .. }));
    tiles.extend(others);
    tiles
}

/// Appends an event, merging contiguous text.
pub fn collect(event: Event<'_>, events: &mut Vec<Ev>) {
    let ends = |span: provstream::Span| (span.start(), span.end());
    let found = match event {
        Event::Text(text) => {
            let (start, end) = ends(text.span());
            let last = events.iter_mut().rev().find_map(|event| match event {
                Ev::Text { end, .. } => Some(end),
                _ => None,
            });
            match last {
                Some(last) if *last == start => {
                    *last = end;
                    return;
                }
                _ => Ev::Text { start, end },
            }
        }
        Event::Annotation(found) => {
            let annotation = found.annotation();
            Ev::Annotation {
                span: ends(annotation.span()),
                whitespace_before: found.whitespace_before() as u64,
                class: annotation.class().to_string(),
                declared: annotation.declared().to_owned(),
                reason: annotation.reason().map(|reason| reason.as_str()),
                observation_id: annotation.observation_id().map(str::to_owned),
                ts: annotation.ts().map(str::to_owned),
            }
        }
        Event::Assertion(assertion) => Ev::Assertion {
            encoding: match assertion.encoding() {
                provenance::Encoding::Bracket => Encoding::Bracket,
                provenance::Encoding::Json => Encoding::Json,
                other => panic!("an encoding that there is not: {other:?}"),
            },
            text: assertion.text().to_owned(),
            span: ends(assertion.span()),
            extent: Extent {
                span: ends(assertion.extent()),
                repeated: assertion.is_repeated(),
            },
            clean_span: assertion.clean_span().map(ends),
            pointer: assertion.pointer().map(str::to_owned),
            annotations: assertion
                .annotations()
                .map(|annotation| Ann {
                    span: ends(annotation.span()),
                    class: annotation.class().to_string(),
                    declared: annotation.declared().to_owned(),
                    reason: annotation.reason().map(|reason| reason.as_str()),
                    observation_id: annotation.observation_id().map(str::to_owned),
                    ts: annotation.ts().map(str::to_owned),
                })
                .collect(),
            limited: assertion.limit_hit(),
        },
        Event::Marc(object) => Ev::Marc {
            kind: object.kind().as_str(),
            span: ends(object.span()),
            pointer: object.pointer().map(str::to_owned),
            raw: object.raw().map(<[u8]>::to_vec),
        },
        Event::Record(record) => Ev::Record {
            span: ends(record.span()),
        },
        Event::Diagnostic(diagnostic) => Ev::Diagnostic {
            code: diagnostic.code().as_str(),
            span: ends(diagnostic.span()),
        },
        other => panic!("an event that there is not: {other:?}"),
    };
    events.push(found);
}

/// A deterministic pseudo-random generator, seeded with its field.
pub struct Cuts(pub u64);

impl Cuts {
    /// Draws a number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// Asserts that a parser emits the expected events for an input, read as a whole and with three
/// random chunkings drawn from `seed`; `what` names the input in the failure message.
pub fn check(parser: &mut Parser, input: &[Segment], expected: &[Ev], seed: u64, what: &dyn Debug) {
    let mut cuts = Cuts(seed);
    for most in [usize::MAX, 1, 8, 200] {
        let found = run(parser, input, |left| {
            if most == usize::MAX {
                left
            } else {
                1 + cuts.below(most)
            }
        });
        parser.reset();
        if found == expected {
            continue;
        }
        let at = expected
            .iter()
            .zip(&found)
            .take_while(|(a, b)| a == b)
            .count();
        panic!(
            "seed {seed}, chunks up to {most}, {what:?}\n{}\nexpected {:#?}\nfound {:#?}",
            show(input),
            &expected[at..expected.len().min(at + 2)],
            &found[at..found.len().min(at + 2)]
        );
    }
}

fn show(input: &[Segment]) -> String {
    input
        .iter()
        .map(|segment| {
            let whose = if segment.own { "" } else { "foreign " };
            format!("{whose}\"{}\"\n", segment.bytes.escape_ascii())
        })
        .collect()
}
