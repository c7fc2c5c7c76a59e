//! Checks across the records of one stream.

use allocation_counter::measure;
use provstream_marc::{
    Action, Details, Document, Draft, Intervention, Level, Profile, Remedy, Report,
    SequenceValidator, Session, Source, Spent, Violation,
};
use testkit::marc::decide::{bound, calm, controller, score, with_usable};

/// A record with the members that are given, as JSON; the action is the first word.
fn record(action: &str, members: &[(&str, &str)]) -> Document {
    let mut document = Document::new();
    document.set_str("marc_version", "1.0");
    document.set_str("selected_action", action);
    for (name, json) in members {
        document.set(name, json).expect("JSON");
    }
    document
}

/// A record out of words: its action, `id=`, `parent=`, `i=` and `max=`, the last two as JSON.
fn of(words: &str) -> Document {
    let mut words = words.split(' ');
    let mut document = record(words.next().expect("an action"), &[]);
    for word in words {
        let (name, value) = word.split_once('=').expect("a name and a value");
        match name {
            "id" => document.set_str("decision_id", value),
            "parent" => document.set_str("parent_decision_id", value),
            "i" => document.set("iteration", value).expect("JSON"),
            "max" => document.set("max_iterations", value).expect("JSON"),
            _ => panic!("{name} is no name"),
        }
    }
    document
}

/// Formats the violations of a report as code and pointer.
fn found(report: &Report) -> Vec<String> {
    assert!(report.is_valid(), "all of it is should-level: {report}");
    report
        .violations()
        .iter()
        .map(|violation| {
            assert_eq!(violation.level(), Level::Should);
            format!("{} {}", violation.code(), violation.pointer())
        })
        .collect()
}

/// Checks a stream: its records, each with what is found.
#[track_caller]
fn stream(records: &[(&str, &[&str])]) -> SequenceValidator {
    let mut check = SequenceValidator::new(Profile::default());
    for (number, (words, expected)) in records.iter().enumerate() {
        assert_eq!(
            found(&check.check(&of(words))),
            *expected,
            "{number}: {words}"
        );
    }
    check
}

const REPEATED: &str = "repeated-decision-id /decision_id";
const UNKNOWN: &str = "unknown-parent /parent_decision_id";
const MISSING: &str = "missing-parent /parent_decision_id";
const NOT_GROWING: &str = "iteration-not-growing /iteration";
const ABOVE: &str = "iteration-above-maximum /iteration";
const RAISED: &str = "iteration-above-maximum /max_iterations";
const ROUNDS: &str = "iteration-above-maximum /parent_decision_id";
const LIMIT: &str = "limit-session ";

/// M2-18, M2-80, M2-93: interleaved requests are kept apart by their ids, and rounds are counted by parents.
#[test]
fn d6_interleaved_requests_and_rounds_without_iteration() {
    let check = stream(&[
        ("RETRIEVE id=a-1 i=0 max=2", &[]),
        ("RETRIEVE id=b-1 i=0 max=2", &[]),
        ("ANSWER id=b-2 parent=b-1 i=1 max=2", &[]),
        ("ANSWER id=a-2 parent=a-1 i=1 max=2", &[]),
    ]);
    assert!(check.finish().is_clean());
    stream(&[
        ("RETRIEVE id=d-1 max=2", &[]),
        ("RETRIEVE id=d-2 parent=d-1 max=2", &[]),
        ("RETRIEVE id=d-3 parent=d-2 max=2", &[]),
        ("RETRIEVE id=d-4 parent=d-3 max=2", &[ROUNDS]),
        ("RETRIEVE id=d-5 parent=d-4 max=2", &[ROUNDS]),
    ]);
}

/// M2-18, M2-78 to M2-80, M2-93
#[test]
fn a_chain_that_is_as_it_should_be_has_no_violation() {
    stream(&[
        ("RETRIEVE id=d-1 i=1 max=3", &[]),
        ("TOOL id=d-2 parent=d-1 i=2 max=3", &[]),
        ("DELIBERATE id=d-3 parent=d-2 i=3", &[]),
        ("ANSWER id=d-4 parent=d-3", &[]),
        ("CLARIFY id=e-1", &[]),
        ("ANSWER id=e-2", &[]),
        ("ABSTAIN", &[]),
        ("ESCALATE id=e-3 i=1 max=1", &[]),
        ("ANSWER id=e-4 i=0", &[]),
    ]);
}

/// M2-79, M2-80
#[test]
fn counters_are_told_as_they_are_written() {
    let huge = "99999999999999999999999999";
    for (first, next, expected) in [
        (
            "max=5".to_owned(),
            format!("i={huge}"),
            format!("`iteration` is {huge}, above the `max_iterations` of the decision before, which is 5"),
        ),
        (
            "max=5".to_owned(),
            format!("max={huge}"),
            format!("`max_iterations` is {huge}, and that of the decision before is 5: it should not be raised"),
        ),
        (
            format!("i={huge}"),
            "i=1e2".to_owned(),
            "`iteration` is 1e2, and that of the decision before is 9223372036854775807 or more: it should grow".to_owned(),
        ),
        (
            "i=7".to_owned(),
            "i=7.0".to_owned(),
            "`iteration` is 7.0, and that of the decision before is 7: it should grow".to_owned(),
        ),
    ] {
        let mut check = SequenceValidator::new(Profile::default());
        assert!(check.check(&of(&format!("TOOL id=d {first}"))).is_clean());
        let report = check.check(&of(&format!("ANSWER parent=d {next}")));
        let messages: Vec<_> = report.violations().iter().map(Violation::message).collect();
        assert_eq!(messages, [expected], "{first} {next}");
    }
}

/// M2-18; OP-57
#[test]
fn a_repeated_decision_id_is_told_each_time() {
    stream(&[
        ("ANSWER id=d-1", &[]),
        ("ANSWER id=D-1", &[]),
        ("ANSWER id=d-1", &[REPEATED]),
        ("ANSWER id=d-1", &[REPEATED]),
        ("ANSWER id=", &[]),
        ("ANSWER id=", &[REPEATED]),
        ("ANSWER", &[]),
        ("ANSWER", &[]),
    ]);
}

/// M2-78; OP-58
#[test]
fn a_parent_is_an_earlier_record() {
    stream(&[
        ("ANSWER id=d-1 parent=d-0", &[UNKNOWN]),
        ("ANSWER id=d-2 parent=d-2", &[UNKNOWN]),
        ("ANSWER id=d-3 parent=d-4", &[UNKNOWN]),
        ("ANSWER id=d-4 parent=d-1", &[]),
        ("ANSWER parent=d-2", &[]),
        ("CLARIFY id=d-5", &[]),
        ("ANSWER parent=d-5", &[]),
    ]);
}

/// M2-93
#[test]
fn a_parent_is_expected_after_each_action_that_loops() {
    for action in ["RETRIEVE", "TOOL", "DELIBERATE"] {
        let first = format!("{action} id=d-1");
        // Another identifier without a parent may be another request; the end of the stream says what is open.
        let check = stream(&[(&first, &[]), ("ANSWER id=d-2", &[])]);
        assert_eq!(found(&check.finish()), ["open-loop /decision_id"]);
        let first_round = format!("{first} i=0");
        stream(&[(&first_round, &[]), ("ANSWER id=d-2 i=1", &[MISSING])]);
        stream(&[(&first, &[]), ("ANSWER id=d-2 parent=d-1", &[])]);
        // One that is named and not known is told as that.
        stream(&[(&first, &[]), ("ANSWER id=d-2 parent=d-9", &[UNKNOWN])]);
        stream(&[(action, &[]), (action, &[MISSING]), (action, &[MISSING])]);
    }
    for action in ["ANSWER", "CLARIFY", "ABSTAIN", "ESCALATE"] {
        stream(&[(action, &[]), ("ANSWER id=d-2", &[])]);
    }
    let mut check = stream(&[("TOOL", &[])]);
    let null = record("ANSWER", &[("parent_decision_id", "null")]);
    assert_eq!(found(&check.check(&null)), [MISSING]);
}

/// M2-79
#[test]
fn an_iteration_grows_from_parent_to_child() {
    stream(&[
        ("RETRIEVE id=d-1 i=1", &[]),
        ("RETRIEVE id=d-2 parent=d-1 i=1", &[NOT_GROWING]),
        ("RETRIEVE id=d-3 parent=d-2 i=0", &[NOT_GROWING]),
        ("RETRIEVE id=d-4 parent=d-3 i=7", &[]),
        // It goes on from the parent and not from the record before.
        ("RETRIEVE id=d-5 parent=d-1 i=2.0", &[]),
        ("RETRIEVE id=d-6 parent=d-4 i=6", &[NOT_GROWING]),
        // One that does not count says nothing, and neither does its child.
        ("RETRIEVE id=d-7 parent=d-6", &[]),
        ("RETRIEVE id=d-8 parent=d-7 i=0", &[]),
    ]);
}

/// M2-79
#[test]
fn without_a_parent_an_iteration_grows_from_the_record_before_if_that_loops() {
    stream(&[
        ("RETRIEVE i=1", &[]),
        ("RETRIEVE i=1", &[MISSING, NOT_GROWING]),
        ("ANSWER i=2", &[MISSING]),
        ("ANSWER i=1", &[]),
        ("TOOL i=5", &[]),
        // A parent that is not known is not the record before.
        ("ANSWER parent=d-1 i=1", &[UNKNOWN]),
    ]);
}

/// M2-80; OP-59
#[test]
fn a_maximum_goes_on_to_those_without_an_own_one() {
    stream(&[
        ("RETRIEVE id=d-1 i=1 max=2", &[]),
        ("RETRIEVE id=d-2 parent=d-1 i=2", &[]),
        ("RETRIEVE id=d-3 parent=d-2 i=3", &[ABOVE]),
        ("RETRIEVE id=d-4 parent=d-3", &[ROUNDS]),
        ("ANSWER id=d-5 parent=d-4 i=4", &[ABOVE]),
        // What is above its own maximum is told with the record itself.
        ("ANSWER id=d-6 parent=d-2 i=3 max=2", &[]),
        ("TOOL max=1", &[]),
        ("ANSWER i=2", &[MISSING, ABOVE]),
        ("ANSWER i=2", &[]),
    ]);
}

/// M2-16, M2-80; OP-94: a question does not begin the rounds of a request anew.
#[test]
fn rounds_are_counted_through_clarifications() {
    let chain = |records: usize, more: &dyn Fn(usize) -> String| {
        let mut check = SequenceValidator::new(Profile::default());
        let mut all = Vec::new();
        for at in 0..records {
            let action = ["RETRIEVE", "CLARIFY"][at % 2];
            let parent = if at == 0 {
                String::new()
            } else {
                format!(" parent=d-{}", at - 1)
            };
            let words = format!("{action} id=d-{at}{parent}{}", more(at));
            all.push(found(&check.check(&of(&words))));
        }
        all
    };
    let flagged = |found: &[Vec<String>]| found.iter().filter(|one| !one.is_empty()).count();
    // Twelve records with six rounds, where one is allowed: from the second round on each is above the maximum.
    let found = chain(12, &|_| " max=1".into());
    assert_eq!(found[..3], [vec![], vec![], Vec::<String>::new()]);
    assert!(found[3..].iter().all(|one| one == &[ROUNDS]), "{found:?}");
    assert_eq!(
        flagged(&chain(12, &|at| if at == 0 {
            " max=1".into()
        } else {
            String::new()
        })),
        9
    );
    assert_eq!(flagged(&chain(12, &|_| " max=6".into())), 0);
    assert_eq!(flagged(&chain(12, &|_| " max=5".into())), 1);
    assert_eq!(flagged(&chain(12, &|_| String::new())), 0);
    // Counters are those of the rounds before, or count decisions.
    assert_eq!(
        flagged(&chain(12, &|at| format!(" i={} max=6", at.div_ceil(2)))),
        0
    );
    assert_eq!(flagged(&chain(12, &|at| format!(" i={at} max=11"))), 0);
    assert_eq!(flagged(&chain(12, &|at| format!(" i={} max=1", at % 2))), 5);
    assert_eq!(flagged(&chain(12, &|_| " i=0 max=1".into())), 6);
    assert_eq!(
        flagged(&chain(12, &|at| if at == 0 {
            " i=0 max=1".into()
        } else {
            format!(" i={}", at.div_ceil(2))
        })),
        9
    );
    // A maximum that a later round raises.
    assert_eq!(flagged(&chain(12, &|at| format!(" max={}", 1 + at / 2))), 5);
    // Tools and deliberation count as well; questions alone do not.
    stream(&[
        ("TOOL id=a max=1", &[]),
        ("CLARIFY id=b parent=a", &[]),
        ("DELIBERATE id=c parent=b", &[]),
        ("CLARIFY id=d parent=c", &[ROUNDS]),
        ("ANSWER id=e parent=d", &[ROUNDS]),
        ("CLARIFY id=f max=1", &[]),
        ("CLARIFY id=g parent=f", &[]),
        ("CLARIFY id=h parent=g", &[]),
        ("ANSWER id=i parent=h", &[]),
    ]);
}

/// M2-79, M2-80; OP-58
#[test]
fn iterations_and_maximum_end_with_their_loop() {
    for action in ["ANSWER", "ABSTAIN", "ESCALATE"] {
        let end = format!("{action} id=d-2 parent=d-1 i=2");
        stream(&[
            ("RETRIEVE id=d-1 i=1 max=2", &[]),
            (&end, &[]),
            ("RETRIEVE id=d-3 parent=d-2 i=3 max=9", &[]),
            ("RETRIEVE id=d-4 parent=d-3 i=10", &[ABOVE]),
        ]);
        stream(&[
            ("RETRIEVE id=d-1 i=1 max=2", &[]),
            (&end, &[]),
            ("RETRIEVE id=d-3 parent=d-2 i=3", &[]),
        ]);
        stream(&[
            ("RETRIEVE id=d-1 i=1 max=2", &[]),
            (&end, &[]),
            ("RETRIEVE id=d-3 parent=d-2 i=0", &[]),
            ("RETRIEVE id=d-4 parent=d-3 i=0", &[NOT_GROWING]),
        ]);
    }
}

/// M2-80; OP-59
#[test]
fn a_maximum_that_is_raised_is_told_once() {
    stream(&[
        ("RETRIEVE id=d-1 i=1 max=2", &[]),
        ("RETRIEVE id=d-2 parent=d-1 i=2 max=5", &[RAISED]),
        ("RETRIEVE id=d-3 parent=d-2 i=3 max=5", &[]),
        ("RETRIEVE id=d-4 parent=d-3 i=4", &[]),
        ("RETRIEVE id=d-5 parent=d-4 i=5 max=4", &[]),
        ("RETRIEVE id=d-6 parent=d-5 i=6", &[ABOVE]),
        ("RETRIEVE id=d-7 parent=d-6 i=7 max=5", &[RAISED]),
    ]);
}

/// M2-78, M2-79, M2-80
#[test]
fn interleaved_chains_are_held_apart() {
    stream(&[
        ("RETRIEVE id=a-1 i=1 max=3", &[]),
        ("CLARIFY id=b-0 parent=a-1", &[]),
        ("TOOL id=b-1 i=10 max=11", &[]),
        ("RETRIEVE id=a-2 parent=a-1 i=2", &[]),
        ("TOOL id=b-2 parent=b-1 i=11", &[]),
        ("RETRIEVE id=a-3 parent=a-2 i=2", &[NOT_GROWING]),
        ("TOOL id=b-3 parent=b-2 i=12", &[ABOVE]),
        ("ANSWER id=a-4 parent=a-3 i=4", &[ABOVE]),
        ("ANSWER id=b-4 parent=b-3 i=13 max=99", &[RAISED]),
    ]);
}

/// M2-18, M2-79
#[test]
fn of_a_repeated_decision_the_last_is_what_children_are_held_against() {
    stream(&[
        ("RETRIEVE id=d-1 i=1", &[]),
        ("RETRIEVE id=d-1 parent=d-1 i=5", &[REPEATED]),
        ("RETRIEVE id=d-2 parent=d-1 i=3", &[NOT_GROWING]),
    ]);
}

/// Only members that are as they must be are looked at.
///
/// OP-61
#[test]
fn faulty_members_say_nothing() {
    let mut check = SequenceValidator::new(Profile::default());
    let mut quiet = |document: &Document| {
        let report = check.check(document);
        assert!(report.is_clean(), "{document:?}: {report}");
    };
    quiet(&record(
        "retrieve",
        &[("decision_id", "1"), ("max_iterations", "2.5")],
    ));
    quiet(&record(
        "TOOL",
        &[("decision_id", "null"), ("iteration", "\"1\"")],
    ));
    // A parent that is not as it must be is not missing.
    quiet(&record(
        "TOOL",
        &[("parent_decision_id", "7"), ("iteration", "1")],
    ));
    quiet(&record(
        "TOOL",
        &[("parent_decision_id", "[]"), ("iteration", "-1")],
    ));
    quiet(&record(
        "RETRIEVE",
        &[("parent_decision_id", "{}"), ("max_iterations", "-5")],
    ));
    quiet(&record(
        "ANSWER",
        &[("parent_decision_id", "true"), ("iteration", "0")],
    ));
    quiet(&record(
        "RETRIEVE",
        &[
            ("decision_id", "\"d\""),
            ("max_iterations", "1e30"),
            ("iteration", "1e20"),
        ],
    ));
    quiet(&record(
        "ANSWER",
        &[("parent_decision_id", "\"d\""), ("iteration", "1e21")],
    ));
    let twice =
        br#"{"marc_version":"1.0","decision_id":"e","decision_id":"f","selected_action":"ANSWER"}"#;
    quiet(&Document::parse(twice).expect("an object"));
    quiet(&record("ANSWER", &[("decision_id", "\"e\"")]));
    quiet(&record("ANSWER", &[("decision_id", "\"f\"")]));
}

/// A negative counter is a fault of the record itself and is ignored between records.
///
/// M2-79, M2-80; OP-59
#[test]
fn a_negative_counter_says_nothing() {
    stream(&[
        ("RETRIEVE id=d-1 i=0 max=1", &[]),
        ("RETRIEVE id=d-2 parent=d-1 i=-1", &[]),
        ("RETRIEVE id=d-3 parent=d-2 i=-2", &[ROUNDS]),
        ("RETRIEVE id=e-1 i=0 max=-1", &[]),
        ("RETRIEVE id=e-2 parent=e-1 i=1 max=1", &[]),
        ("RETRIEVE id=f-1 max=-2", &[]),
        ("RETRIEVE id=f-2 parent=f-1 i=1", &[]),
    ]);
}

/// A bound is not lost where a record of the chain writes nonsense in its place.
///
/// M2-80
#[test]
fn a_faulty_maximum_leaves_the_one_before() {
    for faulty in ["\"ten\"", "-1", "2.5", "null"] {
        let mut check = stream(&[("RETRIEVE id=d-1 i=1 max=2", &[])]);
        let second = [
            ("decision_id", "\"d-2\""),
            ("parent_decision_id", "\"d-1\""),
            ("max_iterations", faulty),
        ];
        assert!(check.check(&record("RETRIEVE", &second)).is_clean());
        assert_eq!(found(&check.check(&of("ANSWER parent=d-2 i=3"))), [ABOVE]);
    }
}

/// Disclosures and other objects are passed over.
#[test]
fn only_records_are_looked_at() {
    let mut check = stream(&[("RETRIEVE id=d-1", &[])]);
    for json in [
        r#"{"answer":"x","confidence_band":"low","uncertainty_source":"safety","decision_id":"d-1","parent_decision_id":"d-9"}"#,
        r#"{"decision_id":"d-1"}"#,
        "{}",
    ] {
        assert!(
            check.check(&json.parse().expect("an object")).is_clean(),
            "{json}"
        );
    }
    assert_eq!(found(&check.check(&of("TOOL"))), [""; 0]);
    assert_eq!(found(&check.check(&of("ANSWER"))), [MISSING]);
}

/// M1-5
#[test]
fn there_is_nothing_to_check_under_draft_01() {
    let mut check = SequenceValidator::new(Profile::new(Draft::Draft01).strict());
    for words in [
        "TOOL id=d-1 i=2 max=1",
        "TOOL id=d-1 parent=d-2 i=1 max=2",
        "TOOL i=9",
    ] {
        assert!(check.check(&of(words)).is_clean(), "{words}");
    }
}

/// M2-9
#[test]
fn each_violation_names_its_requirement_and_what_it_saw() {
    let mut check = SequenceValidator::new(Profile::default());
    let mut lines = Vec::new();
    for words in [
        "RETRIEVE id=d-1 i=4 max=5",
        "RETRIEVE id=d-1 parent=d-1 i=4",
        "TOOL id=d-2 parent=d-1 i=6",
        "TOOL id=d-3 parent=d-2 i=7 max=8",
        "TOOL id=d-4 parent=d\u{7}9",
    ] {
        let report = check.check(&of(words));
        lines.extend(report.violations().iter().map(ToString::to_string));
    }
    assert_eq!(
        lines,
        [
            "should MARC-02 7.3 /decision_id: an earlier record has the same `decision_id`, `d-1`",
            "should MARC-02 9.1 /iteration: `iteration` is 4, and that of the decision before is 4: it should grow",
            "should MARC-02 9.1 /iteration: `iteration` is 6, above the `max_iterations` of the decision before, which is 5",
            "should MARC-02 9.1 /max_iterations: `max_iterations` is 8, and that of the decision before is 5: it should not \
             be raised",
            "should MARC-02 9.1 /parent_decision_id: no earlier record has the `decision_id` `d\\u{7}9`",
        ]
    );
}

/// A decision with a number as identifier.
fn numbered(number: usize, members: &[(&str, &str)]) -> Document {
    let mut document = record("ANSWER", members);
    document.set_str("decision_id", &number.to_string());
    document
}

/// OP-57
#[test]
fn forgetting_is_told_once_and_ends_what_it_would_make_wrong() {
    let mut check = SequenceValidator::new(Profile::default());
    for number in 0..1_024 {
        assert!(check.check(&numbered(number, &[])).is_clean());
    }
    assert_eq!(found(&check.check(&of("ANSWER parent=x"))), [UNKNOWN]);
    assert_eq!(found(&check.check(&numbered(0, &[]))), [REPEATED]);
    assert_eq!(found(&check.check(&numbered(1_024, &[]))), [LIMIT]);
    assert!(check.check(&numbered(1_025, &[])).is_clean());
    // The two oldest are forgotten, so these are neither told as unknown nor as repeated.
    assert!(check.check(&of("ANSWER parent=0")).is_clean());
    assert!(check.check(&of("ANSWER parent=x")).is_clean());
    assert!(check.check(&numbered(1, &[])).is_clean());
    // What is remembered is still held against.
    assert_eq!(found(&check.check(&numbered(1_025, &[]))), [REPEATED]);
    assert_eq!(found(&check.check(&of("TOOL"))), [""; 0]);
    assert_eq!(found(&check.check(&of("ANSWER"))), [MISSING]);
}

/// An unknown parent that is named by the very record at which forgetting begins is told: nothing was forgotten before it.
#[test]
fn the_record_at_which_forgetting_begins_is_checked_in_full() {
    let mut check = SequenceValidator::new(Profile::default());
    for number in 0..1_024 {
        assert!(check.check(&numbered(number, &[])).is_clean());
    }
    let last = numbered(1_024, &[("parent_decision_id", "\"x\"")]);
    assert_eq!(found(&check.check(&last)), [UNKNOWN, LIMIT]);
}

#[test]
fn long_identifiers_are_forgotten_sooner() {
    let long = |first: char, len: usize| {
        let id = String::from(first) + &"x".repeat(len - 1);
        of(&format!("ANSWER id={id}"))
    };
    let mut check = SequenceValidator::new(Profile::default());
    assert!(check.check(&long('a', 40_000)).is_clean());
    assert_eq!(found(&check.check(&long('a', 40_000))), [REPEATED]);
    assert_eq!(found(&check.check(&long('b', 40_000))), [LIMIT]);
    assert!(check.check(&long('a', 40_000)).is_clean());
    // One that is longer than all that is remembered is not, and takes nothing's place.
    let mut check = SequenceValidator::new(Profile::default());
    assert!(check.check(&of("ANSWER id=d-1")).is_clean());
    assert_eq!(found(&check.check(&long('c', 65_537))), [LIMIT]);
    assert!(check.check(&long('c', 65_537)).is_clean());
    assert_eq!(found(&check.check(&of("ANSWER id=d-1"))), [REPEATED]);
}

/// A record that could not be read may be the parent of one that follows, and may have asked for a new assessment or not.
#[test]
fn a_record_that_was_skipped_may_have_been_anything() {
    let mut check = stream(&[("RETRIEVE id=d-1 i=3", &[])]);
    check.skip();
    assert!(check.check(&of("RETRIEVE id=d-3 i=1")).is_clean());
    assert!(
        check
            .check(&of("RETRIEVE id=d-4 parent=d-2 i=1"))
            .is_clean()
    );
    assert_eq!(
        found(&check.check(&of("ANSWER id=d-1 parent=d-1 i=3"))),
        [REPEATED, NOT_GROWING]
    );
}

/// Memory is bounded, whatever the length of the stream.
#[test]
fn memory_does_not_grow_with_the_stream() {
    let mut check = SequenceValidator::new(Profile::default());
    let mut held = 0_i64;
    let mut most = 0;
    for number in 0..20_000 {
        let mut document = record("RETRIEVE", &[("iteration", "1"), ("max_iterations", "2")]);
        document.set_str("decision_id", &format!("decision-{number:06}"));
        document.set_str("parent_decision_id", &format!("decision-{:06}", number / 2));
        held += measure(|| drop(check.check(&document))).bytes_current;
        most = most.max(held);
    }
    // Unbounded, the decisions with their identifiers would take more than a megabyte.
    assert!(most < 400 << 10, "{most}");
}

/// Memory is also bounded with identifiers of any length.
#[test]
fn memory_is_bounded_with_long_identifiers() {
    let mut check = SequenceValidator::new(Profile::default());
    let mut held = 0_i64;
    for number in 0..2_000 {
        let document = of(&format!(
            "TOOL id={number}-{}",
            "x".repeat(number * 37 % 66_000)
        ));
        held += measure(|| drop(check.check(&document))).bytes_current;
        assert!(held < 400 << 10, "{number}: {held}");
    }
}

/// Records made by sessions are consistent: by one that fills in identifiers, parents and counters,
/// and by one that adopts a record at its end.
///
/// M2-18, M2-78 to M2-80, M2-93
#[test]
fn the_records_of_sessions_are_as_they_should_be() {
    let controller = controller(bound(2));
    let mut sessions = ["a", "b"].map(|id| Session::new(&controller, id).unwrap());
    let situation = with_usable(calm(Source::MissingEvidence), &[Intervention::User])
        .with_remedy(Intervention::Retrieval, Remedy::WORTHWHILE)
        .with_remedy(Intervention::Tool, Remedy::WORTHWHILE);
    let details = Details::new().with_post_answer_confidence(score(0.9));
    let mut check = SequenceValidator::new(Profile::default());
    for _ in 0..5 {
        for session in &mut sessions {
            let record = session.decide(&situation, &details).unwrap().into_record();
            let report = check.check(record.document());
            assert!(report.is_clean(), "{report}");
            if session.completed(Spent::default()).is_err() {
                assert_eq!(record.selected_action(), Action::Answer);
            }
        }
    }
    assert!(check.finish().is_clean());
}
