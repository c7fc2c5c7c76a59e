//! A short run of the comparison.

use provstream::{Event, Parser, handler_fn};
use provstream_gate_comparison::filters::FILTERS;
use provstream_gate_comparison::measure::Totals;
use provstream_gate_comparison::streams::Stream;
use provstream_gate_comparison::table::table;

const STREAMS: u64 = 100;

#[test]
fn the_parser_finds_the_planted_sentences() {
    for seed in 0..STREAMS {
        let stream = Stream::generate(seed);
        assert_eq!(stream.tokens().collect::<String>(), stream.raw);
        let mut found = Vec::new();
        let mut parser = Parser::new();
        let mut handler = handler_fn(|event: Event<'_>| {
            if let Event::Assertion(assertion) = &event {
                let span = assertion.span();
                let terminal = assertion
                    .classes()
                    .any(|class| class.as_str() == "unverified-inference");
                found.push((span.start() as usize..span.end() as usize, terminal));
            }
        });
        parser.push(stream.raw.as_bytes(), &mut handler);
        parser.finish(&mut handler);
        let planted = stream
            .sentences
            .iter()
            .filter(|sentence| sentence.inadmissible);
        let planted: Vec<_> = planted.map(|sentence| sentence.raw.clone()).collect();
        let terminal = found.iter().filter(|(_, terminal)| *terminal);
        assert_eq!(
            terminal.map(|(span, _)| span.clone()).collect::<Vec<_>>(),
            planted,
            "{}",
            stream.raw
        );
        let sentences: Vec<_> = stream
            .sentences
            .iter()
            .map(|sentence| &sentence.raw)
            .collect();
        assert!(
            found.iter().all(|(span, _)| sentences.contains(&span)),
            "{}",
            stream.raw
        );
    }
}

#[test]
fn only_the_gate_is_exact_and_early() {
    let [gate, hold, windows, last] = FILTERS.map(|(_, new)| Totals::of(new, 0..STREAMS));
    assert_eq!((gate.leaked, gate.lost), (0, 0));
    assert_eq!((hold.leaked, hold.lost), (0, 0));
    assert!(windows.leaked > 0);
    assert_eq!((last.leaked, last.lost), (last.planted, 0));
    let median = |totals: &Totals| totals.delays[totals.delays.len() / 2];
    assert!(last.delays.last() < Some(&median(&gate)));
    assert!(median(&gate) < median(&windows) && median(&windows) < median(&hold));
}

#[test]
fn the_table_has_a_column_for_each() {
    let table = table(3, false);
    assert_eq!(table.lines().count(), 9, "{table}");
    assert!(
        table.lines().all(|line| line.matches('|').count() == 6),
        "{table}"
    );
}
