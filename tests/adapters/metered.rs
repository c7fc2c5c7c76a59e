//! The metrics of a parser: each with its value, bounded in number, and without effect on the events.

use std::collections::BTreeMap;

use metrics_util::MetricKind;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use proptest::prelude::*;
use proptest::sample::select;
use provstream::metered::{
    ANNOTATIONS, BYTES, CHUNKS, DIAGNOSTICS, HELD_BYTES, MAX_NAME, MAX_NAMES, Meter, MeteredParser,
    OTHER, PUSH_NANOSECONDS, UNKNOWN_IDENTIFIERS,
};
use provstream::{Event, Mode, Parser};

/// What was recorded while `run` ran: counters and the values of histograms, by name and labels.
struct Recorded {
    counters: BTreeMap<String, u64>,
    histograms: BTreeMap<String, Vec<f64>>,
    descriptions: BTreeMap<String, String>,
}

fn record(run: impl FnOnce()) -> Recorded {
    let recorder = DebuggingRecorder::new();
    metrics::with_local_recorder(&recorder, run);
    let mut recorded = Recorded {
        counters: BTreeMap::new(),
        histograms: BTreeMap::new(),
        descriptions: BTreeMap::new(),
    };
    for (key, unit, description, value) in recorder.snapshotter().snapshot().into_vec() {
        let (kind, key) = key.into_parts();
        let labels: Vec<_> = key
            .labels()
            .map(|label| format!("{}={}", label.key(), label.value()))
            .collect();
        let name = format!("{}{{{}}}", key.name(), labels.join(","));
        let unit = unit.map(|unit| unit.as_str()).unwrap_or_default();
        if let Some(description) = description {
            recorded
                .descriptions
                .insert(key.name().to_owned(), format!("{unit}: {description}"));
        }
        match (kind, value) {
            (MetricKind::Counter, DebugValue::Counter(count)) => {
                assert_eq!(recorded.counters.insert(name, count), None);
            }
            (MetricKind::Histogram, DebugValue::Histogram(values)) => {
                let values = values.into_iter().map(f64::from).collect();
                assert_eq!(recorded.histograms.insert(name, values), None);
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    recorded
}

fn parser(mode: Mode) -> Parser {
    Parser::builder().mode(mode).build()
}

#[test]
fn every_metric_has_its_value() {
    let chunks: [&[u8]; 5] = [
        b"It is. [substrate.grep] [substrate.grep; ts=x] [substrate.nope] [9.9.substrate.grep]",
        b"",
        b" So. [substrate.git.log;;] [unverified-inference]\n\nHeld [subst",
        b"rate.gr",
        b"ep] {\"assertion\": \"a\", \"provenance\": {\"substrate_class\": \"substrate.nope\"}}",
    ];
    let recorded = record(|| {
        let mut parser = MeteredParser::new(parser(Mode::Auto), &Meter::new());
        for chunk in chunks {
            parser.push(chunk, ());
        }
        parser.push_untrusted(b"[substrate.grep]", ());
        parser.push(b"[substrate.grep;", ());
        parser.finish(());
    });
    let bytes: usize = chunks.iter().map(|chunk| chunk.len()).sum();
    let expected = [
        (format!("{BYTES}{{}}"), bytes as u64 + 32),
        (format!("{CHUNKS}{{}}"), 7),
        (
            format!("{ANNOTATIONS}{{class=substrate.grep,reason=none}}"),
            3,
        ),
        (
            format!("{ANNOTATIONS}{{class=unverified-inference,reason=none}}"),
            1,
        ),
        (
            format!("{ANNOTATIONS}{{class=unverified-inference,reason=unknown-identifier}}"),
            2,
        ),
        (
            format!("{ANNOTATIONS}{{class=unverified-inference,reason=vocabulary-version}}"),
            1,
        ),
        (
            format!("{ANNOTATIONS}{{class=unverified-inference,reason=malformed}}"),
            1,
        ),
        (format!("{UNKNOWN_IDENTIFIERS}{{name=substrate.nope}}"), 2),
        (format!("{DIAGNOSTICS}{{code=invalid-ts}}"), 1),
        (format!("{DIAGNOSTICS}{{code=unterminated}}"), 1),
    ];
    assert_eq!(recorded.counters, BTreeMap::from(expected));
    let held = &recorded.histograms[&format!("{HELD_BYTES}{{}}")];
    assert_eq!(held, &[0.0, 0.0, 6.0, 13.0, 0.0, 0.0, 16.0]);
    let nanoseconds = &recorded.histograms[&format!("{PUSH_NANOSECONDS}{{}}")];
    assert_eq!(nanoseconds.len(), 7);
    assert!(nanoseconds.iter().all(|&nanoseconds| nanoseconds >= 0.0));
    assert_eq!(recorded.histograms.len(), 2);
    let described = [
        BYTES,
        CHUNKS,
        ANNOTATIONS,
        UNKNOWN_IDENTIFIERS,
        DIAGNOSTICS,
        HELD_BYTES,
        PUSH_NANOSECONDS,
    ];
    for name in described {
        assert!(recorded.descriptions[name].contains(": "), "{name}");
    }
}

#[test]
fn the_time_of_a_push_includes_its_sink() {
    let recorded = record(|| {
        let mut parser = MeteredParser::new(parser(Mode::Auto), &Meter::new());
        parser.push(b"text", |_: Event<'_>| {
            std::thread::sleep(std::time::Duration::from_millis(2));
        });
    });
    assert!(recorded.histograms[&format!("{PUSH_NANOSECONDS}{{}}")][0] >= 2_000_000.0);
}

#[test]
fn the_number_of_names_is_bounded_over_all_parsers_of_a_meter() {
    let recorded = record(|| {
        let meter = Meter::new();
        // A new parser for each stream, half of them with a clone of the meter.
        for stream in 0..100 {
            let meter = if stream % 2 == 0 {
                meter.clone()
            } else {
                Meter::clone(&meter)
            };
            let mut parser = MeteredParser::new(parser(Mode::Auto), &meter);
            for name in 0..100 {
                parser.push(
                    format!("It is. [substrate.n{}] ", stream * 100 + name).as_bytes(),
                    (),
                );
            }
            parser.push(b"Known. [substrate.n7]", ());
            parser.finish(());
        }
    });
    let names: Vec<_> = recorded
        .counters
        .iter()
        .filter(|(name, _)| name.starts_with(UNKNOWN_IDENTIFIERS))
        .collect();
    assert_eq!(names.len(), MAX_NAMES + 1);
    assert_eq!(names.iter().map(|(_, count)| **count).sum::<u64>(), 10_100);
    assert_eq!(
        recorded.counters[&format!("{UNKNOWN_IDENTIFIERS}{{name=substrate.n7}}")],
        101
    );
    assert_eq!(
        recorded.counters[&format!("{UNKNOWN_IDENTIFIERS}{{name={OTHER}}}")],
        10_000 - MAX_NAMES as u64
    );
}

#[test]
fn names_are_cut_between_characters() {
    let object = |class: &str| {
        format!("{{\"assertion\":\"a\",\"provenance\":{{\"substrate_class\":\"{class}\"}}}}\n")
    };
    let exact = "x".repeat(MAX_NAME);
    let recorded = record(|| {
        let mut parser = MeteredParser::new(parser(Mode::Ndjson), &Meter::new());
        for class in [
            &exact,
            &format!("{exact}y"),
            &"é😀".repeat(40),
            &format!("x{}", "é".repeat(40)),
            "é",
            "",
        ] {
            parser.push(object(class).as_bytes(), ());
        }
    });
    let cut = ["é😀".repeat(10) + "é", "x".to_owned() + &"é".repeat(31)];
    let expected = [
        (&*exact, 2),
        (&*cut[0], 1),
        (&*cut[1], 1),
        ("é", 1),
        (OTHER, 1),
    ];
    for (name, count) in expected {
        assert_eq!(
            recorded
                .counters
                .get(&format!("{UNKNOWN_IDENTIFIERS}{{name={name}}}")),
            Some(&count),
            "{name}"
        );
    }
    assert!(
        cut.iter()
            .all(|name| name.len() <= MAX_NAME && name.len() > MAX_NAME - 4)
    );
}

#[test]
fn an_identifier_spelt_as_the_rest_takes_no_place() {
    let object = |class: &str| {
        format!("{{\"assertion\":\"a\",\"provenance\":{{\"substrate_class\":\"{class}\"}}}}\n")
    };
    let recorded = record(|| {
        let mut parser = MeteredParser::new(parser(Mode::Ndjson), &Meter::new());
        parser.push(object(OTHER).as_bytes(), ());
        for name in 0..=MAX_NAMES {
            parser.push(object(&format!("n{name}")).as_bytes(), ());
        }
    });
    let count = |name: &str| {
        let series = format!("{UNKNOWN_IDENTIFIERS}{{name={name}}}");
        recorded.counters.get(&series).copied()
    };
    assert_eq!(count(OTHER), Some(2));
    assert_eq!(count(&format!("n{}", MAX_NAMES - 1)), Some(1));
    assert_eq!(count(&format!("n{MAX_NAMES}")), None);
}

#[test]
fn a_reset_parser_goes_on_counting_and_the_parser_inside_does_not() {
    let recorded = record(|| {
        let mut parser = MeteredParser::new(parser(Mode::Auto), &Meter::new());
        parser.push(b"abc", ());
        parser.reset();
        parser.push(b"de", ());
        assert_eq!(parser.parser().position(), 2);
        parser.into_parser().push(b"fgh", ());
    });
    assert_eq!(recorded.counters[&format!("{BYTES}{{}}")], 5);
}

#[test]
fn without_a_recorder_all_is_as_before() {
    let mut parser = MeteredParser::new(parser(Mode::Auto), &Meter::default());
    let mut events = 0;
    parser.push(b"It is. [substrate.nope]", |_: Event<'_>| events += 1);
    assert_eq!(events, 2);
}

proptest! {
    #[test]
    fn metering_changes_no_event(
        pieces in proptest::collection::vec(select(vec!["[", "]", "substrate.grep", ";", "ts=", "{", "\"assertion\"", ":", "\"a\"", "}", " ", "\n", "It is. ", "é", "`"]), 0..60),
        size in 1..20_usize,
        foreign in 0..20_usize,
    ) {
        let text = pieces.concat();
        let chunks = || text.as_bytes().chunks(size).enumerate();
        let (mut plain, mut metered) = (Vec::new(), Vec::new());
        let mut parser = Parser::new();
        let mut with_meter = MeteredParser::new(Parser::new(), &Meter::new());
        for (index, chunk) in chunks() {
            let mut sink = |event: Event<'_>| plain.push(event.into_owned());
            let mut counted = |event: Event<'_>| metered.push(event.into_owned());
            if index == foreign {
                parser.push_untrusted(chunk, &mut sink);
                with_meter.push_untrusted(chunk, &mut counted);
            } else {
                parser.push(chunk, &mut sink);
                with_meter.push(chunk, &mut counted);
            }
        }
        parser.finish(|event: Event<'_>| plain.push(event.into_owned()));
        with_meter.finish(|event: Event<'_>| metered.push(event.into_owned()));
        prop_assert_eq!(plain, metered);
    }
}
