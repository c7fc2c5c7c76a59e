//! The admissibility discipline, provenance memo 7 and wire profile 7.

use std::time::Duration;

use proptest::prelude::*;
use provstream::Span;
use provstream::provenance::{
    Annotation, Assertion, Class, Discipline, Encoding, Reason, Timestamp, VerdictReason as Why,
};

const NOW: &str = "2026-05-28T12:00:00Z";
const FRESH: &str = "2026-05-28T11:59:00Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn at(class: Class, ts: &str) -> Annotation<'_> {
    let declared = class.to_string();
    Annotation::new(class, declared).with_ts(ts)
}

fn mapped() -> Annotation<'static> {
    Annotation::new(Class::UNVERIFIED_INFERENCE, "substrate.new")
        .with_reason(Reason::UnknownIdentifier)
}

fn assertion<const N: usize>(annotations: [Annotation<'_>; N]) -> Assertion<'_> {
    Assertion::new(Encoding::Bracket, "It rains.", Span::new(0, 9))
        .with_annotations(annotations.into())
}

fn two_of(window: u64) -> Discipline {
    Discipline::own_state()
        .default_window(seconds(window))
        .build()
        .unwrap()
}

/// PA-40 to PA-47; OP-10, OP-16, OP-31, OP-35, OP-36
#[test]
fn every_reason() {
    let (grep, log) = (|| at(Class::GREP, FRESH), || at(Class::GIT_LOG, FRESH));
    let bare = |class: Class| Annotation::new(class, "x");
    let nowhere = |annotations| {
        Assertion::new(Encoding::Bracket, "", Span::new(5, 5)).with_annotations(annotations)
    };
    for (assertion, reason, classes) in [
        (assertion([grep(), log()]), Why::Admitted, 2),
        (assertion([grep(), log(), grep()]), Why::Admitted, 2),
        (assertion([grep()]), Why::BelowFloor, 1),
        (assertion([grep(), grep()]), Why::BelowFloor, 1),
        (
            assertion([grep(), bare(Class::GIT_LOG)]),
            Why::BelowFloor,
            1,
        ),
        (
            assertion([grep(), at(Class::GIT_LOG, "yesterday")]),
            Why::BelowFloor,
            1,
        ),
        (
            assertion([grep(), at(Class::GIT_LOG, "2026-05-28T11:00:00Z")]),
            Why::BelowFloor,
            1,
        ),
        (
            assertion([grep(), log(), bare(Class::UNVERIFIED_INFERENCE)]),
            Why::Terminal,
            2,
        ),
        (
            assertion([at(Class::DECAYED_TO_UNCERTAINTY, FRESH), grep(), log()]),
            Why::Terminal,
            2,
        ),
        (assertion([grep(), mapped(), log()]), Why::Terminal, 2),
        (assertion([mapped()]), Why::Terminal, 0),
        (assertion([]), Why::Unannotated, 0),
        (assertion([]).with_limit_hit(true), Why::Limit, 0),
        (
            assertion([grep(), log(), mapped()]).with_limit_hit(true),
            Why::Limit,
            2,
        ),
        (
            nowhere(vec![grep(), log()]).with_limit_hit(true),
            Why::NoAssertion,
            2,
        ),
        (nowhere(vec![]), Why::NoAssertion, 0),
    ] {
        let verdict = two_of(300).judge(&assertion, now());
        assert_eq!(verdict.reason(), reason, "{assertion:?}");
        assert_eq!(verdict.admitted(), reason == Why::Admitted);
        assert_eq!(
            (verdict.classes().len(), verdict.count(), verdict.floor()),
            (classes, classes, 2)
        );
    }
}

#[test]
fn reasons_have_their_wire_names() {
    let names = [
        (Why::NoAssertion, "no-assertion"),
        (Why::Limit, "limit"),
        (Why::Unannotated, "unannotated"),
        (Why::Terminal, "terminal"),
        (Why::BelowFloor, "below-floor"),
        (Why::Admitted, "admitted"),
    ];
    assert!(
        names
            .iter()
            .all(|(reason, name)| reason.to_string() == *name)
    );
    assert!(names.is_sorted());
}

/// PA-9, PA-42; OP-28
#[test]
fn windows_include_both_ends() {
    let discipline = Discipline::builder(1)
        .default_window(seconds(60))
        .window(Class::GIT_LOG, seconds(3600))
        .skew(seconds(5))
        .build()
        .unwrap();
    for (class, ts, counts) in [
        (Class::GREP, "2026-05-28T11:59:00Z", true),
        (Class::GREP, "2026-05-28T11:58:59.999999999Z", false),
        (Class::GREP, "2026-05-28T13:59:00+02:00", true),
        (Class::GREP, NOW, true),
        (Class::GREP, "2026-05-28T12:00:05Z", true),
        (Class::GREP, "2026-05-28T12:00:05.000000001Z", false),
        (Class::GIT_LOG, "2026-05-28T11:00:00Z", true),
        (Class::GIT_LOG, "2026-05-28T10:59:59Z", false),
        (Class::GIT_LOG, "2026-05-28T12:00:06Z", false),
    ] {
        let verdict = discipline.judge(&assertion([at(class, ts)]), now());
        assert_eq!(verdict.admitted(), counts, "{ts}");
    }
}

#[test]
fn without_skew_the_future_does_not_count() {
    let instant = Discipline::builder(1)
        .default_window(Duration::ZERO)
        .build()
        .unwrap();
    assert!(
        instant
            .judge(&assertion([at(Class::GREP, NOW)]), now())
            .admitted()
    );
    let later = at(Class::GREP, "2026-05-28T12:00:00.000000001Z");
    assert!(!instant.judge(&assertion([later]), now()).admitted());
}

#[test]
fn the_longest_window_reaches_everything() {
    let discipline = Discipline::builder(1)
        .default_window(Duration::MAX)
        .skew(Duration::MAX)
        .build()
        .unwrap();
    for ts in ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
        assert!(
            discipline
                .judge(&assertion([at(Class::GREP, ts)]), Timestamp::MIN)
                .admitted()
        );
    }
}

/// OP-32
#[test]
fn a_class_without_a_window_never_counts() {
    let discipline = Discipline::builder(1)
        .window(Class::GREP, seconds(60))
        .build()
        .unwrap();
    assert!(
        !discipline
            .judge(&assertion([at(Class::GIT_LOG, NOW)]), now())
            .admitted()
    );
    assert!(
        discipline
            .judge(&assertion([at(Class::GREP, NOW)]), now())
            .admitted()
    );
}

/// PA-61; OP-41
#[test]
fn a_group_counts_once() {
    let files = [Class::GREP, Class::CODE_READ, Class::FS_MTIME];
    let discipline = Discipline::own_state()
        .default_window(seconds(300))
        .group(files.clone())
        .group([Class::MCP_BRIEF, Class::SSE_COUNT])
        .build()
        .unwrap();
    let [grep, read, mtime] = files.map(|class| at(class, FRESH));
    let verdict = discipline.judge(&assertion([read, mtime, grep]), now());
    assert_eq!((verdict.reason(), verdict.count()), (Why::BelowFloor, 1));
    assert_eq!(
        verdict.classes(),
        [Class::CODE_READ, Class::FS_MTIME, Class::GREP]
    );

    for other in [Class::GIT_LOG, Class::SSE_COUNT] {
        let verdict = discipline.judge(
            &assertion([at(Class::GREP, FRESH), at(other, FRESH)]),
            now(),
        );
        assert_eq!((verdict.reason(), verdict.count()), (Why::Admitted, 2));
    }
}

/// In the order of their names, classes of one group come before and after one of another.
#[test]
fn groups_that_interleave_count_once_each() {
    let discipline = Discipline::builder(3)
        .default_window(seconds(300))
        .group([Class::CODE_READ, Class::GREP])
        .group([Class::FS_MTIME])
        .build()
        .unwrap();
    let classes = [Class::CODE_READ, Class::FS_MTIME, Class::GREP];
    let verdict = discipline.judge(&assertion(classes.map(|class| at(class, FRESH))), now());
    assert_eq!((verdict.reason(), verdict.count()), (Why::BelowFloor, 2));
}

#[test]
fn shared_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<Discipline>();
    check::<provstream::provenance::Verdict>();
    check::<provstream::provenance::DisciplineError>();
}

proptest! {
    /// PA-45: what counts is the set of distinct classes in their windows, whatever the order and the repeats.
    #[test]
    fn counts_like_a_set(picks in prop::collection::vec((0usize..7, 0i64..600), 0..12), floor in 1usize..5) {
        let all = [
            Class::GIT_LOG, Class::GREP, Class::CODE_READ, Class::FS_MTIME, Class::MCP_BRIEF, Class::SSE_COUNT, Class::PEERCRED,
        ];
        let discipline = Discipline::builder(floor).default_window(seconds(300)).build().unwrap();
        let annotations: Vec<_> = picks
            .iter()
            .map(|&(class, age)| {
                let ts = Timestamp::from_unix(now().unix_seconds() - age, 0).unwrap();
                Annotation::new(all[class].clone(), "x").with_ts(ts.to_rfc3339().unwrap())
            })
            .collect();
        let mut expected: Vec<_> = picks.iter().filter(|pick| pick.1 <= 300).map(|pick| all[pick.0].clone()).collect();
        expected.sort();
        expected.dedup();
        let assertion = Assertion::new(Encoding::Json, "x", Span::new(0, 1)).with_annotations(annotations);
        let verdict = discipline.judge(&assertion, now());
        prop_assert_eq!(verdict.classes(), &expected[..]);
        prop_assert_eq!(verdict.admitted(), expected.len() >= floor);
    }
}
