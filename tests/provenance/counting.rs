//! For each annotation: whether it counts, and if not, why.

use std::time::Duration;

use provstream::provenance::{Class, Counting, Discipline, Timestamp};
use provstream::{Event, Parser};

#[test]
fn a_verdict_has_a_reason_for_each_annotation() {
    let now = Timestamp::parse("2026-05-28T12:00:00Z").expect("a time");
    let discipline = Discipline::builder(1)
        .window(Class::GREP, Duration::from_secs(300))
        .skew(Duration::from_secs(5))
        .build()
        .expect("a discipline");
    let counts = |by| Duration::from_millis(by);
    for (annotation, expected) in [
        (
            "[substrate.grep; ts=2026-05-28T11:55:00Z]",
            Counting::Counts,
        ),
        (
            "[substrate.grep; ts=2026-05-28T12:00:05Z]",
            Counting::Counts,
        ),
        (
            "[substrate.grep; ts=2026-05-28T11:54:59.5Z]",
            Counting::Stale { by: counts(500) },
        ),
        (
            "[substrate.grep; ts=2026-05-28T12:00:06Z]",
            Counting::Future { by: counts(1_000) },
        ),
        ("[substrate.grep]", Counting::NoTime),
        ("[substrate.grep; ts=yesterday]", Counting::NoTime),
        (
            "[substrate.git.log; ts=2026-05-28T12:00:00Z]",
            Counting::NoWindow,
        ),
        ("[unverified-inference]", Counting::Terminal),
        (
            "[substrate.other; ts=2026-05-28T12:00:00Z]",
            Counting::UnknownClass,
        ),
        (
            "[2.0.substrate.grep; ts=2026-05-28T12:00:00Z]",
            Counting::UnknownClass,
        ),
        ("[substrate.grep; ts]", Counting::Malformed),
    ] {
        let mut found = Vec::new();
        let mut handler = |event: Event<'_>| {
            if let Event::Assertion(assertion) = event {
                found.extend(discipline.judge(&assertion, now).counting().to_vec());
            }
        };
        let mut parser = Parser::new();
        parser.push(format!("It is so. {annotation}").as_bytes(), &mut handler);
        parser.finish(&mut handler);
        assert_eq!(found, [expected], "{annotation}");
        assert_eq!(expected.counts(), expected == Counting::Counts);
    }
    assert_eq!(
        Counting::Stale {
            by: Duration::from_secs(90)
        }
        .to_string(),
        "stale by 90s"
    );
    assert_eq!(Counting::NoWindow.to_string(), "no-window");
}
