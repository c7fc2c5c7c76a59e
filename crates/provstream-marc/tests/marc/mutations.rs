//! Single faults in every member of both objects: validation finds exactly the expected violations.

use std::collections::{BTreeMap, BTreeSet};

use provstream_marc::{
    Core, Disclosure, Document, Draft, Level, MarcKind, Profile, Violation, ViolationCode, schema,
};
use serde_json::Value;
use testkit::marc::generate::{Random, valid};
use testkit::marc::mutations::{Expected, Mutations, Row, expected, found};
use testkit::marc::{KINDS, profiles};

/// M2-9
#[test]
fn the_bases_have_no_fault() {
    for base in &Mutations::read().bases {
        for profile in profiles() {
            let report = base.document(profile.draft()).validate(base.kind, profile);
            assert!(report.is_clean(), "{} {profile:?}: {report}", base.name);
        }
    }
}

/// M1-8 to M1-11, M1-24 to M1-34, M2-9, M2-20, M2-25, M2-26, M2-29, M2-35, M2-37, M2-44 to M2-46, M2-76 to M2-91, M2-96 to
/// M2-111, M2-115, M2-117 to M2-122, M2-125, M2-132, M2-133, M2-135, M2-136; OP-46 to OP-48, OP-50 to OP-52, OP-54, OP-55,
/// OP-57, OP-59, OP-61, OP-62, OP-64 to OP-68, OP-74 to OP-77, OP-79
#[test]
fn every_mutation_gives_exactly_its_violations() {
    let table = Mutations::read();
    let mut checked = 0;
    for row in &table.rows {
        let base = table.base(row);
        for profile in profiles() {
            let Some(violations) = row.expected(profile.draft()) else {
                continue;
            };
            let document = row.apply(&base.document(profile.draft()));
            let report = document.validate(base.kind, profile);
            let what = format!("{} {} {} {profile:?}", base.name, row.member, row.change);
            assert_eq!(found(&report), expected(violations, profile), "{what}");
            let invalid = violations
                .iter()
                .any(|one| one.level(profile) == Some(Level::Must));
            assert_eq!(report.is_valid(), !invalid, "{what}");
            checked += 1;
        }
    }
    assert!(checked > 1_500, "{checked}");
}

/// M2-9
#[test]
fn the_types_take_what_validation_finds_valid_and_nothing_else() {
    let table = Mutations::read();
    for row in &table.rows {
        let base = table.base(row);
        for profile in profiles() {
            if row.expected(profile.draft()).is_none() {
                continue;
            }
            let document = row.apply(&base.document(profile.draft()));
            let report = document.validate(base.kind, profile);
            let taken = match base.kind {
                MarcKind::Core => Core::new(document, profile).map(|core| core.to_json()),
                _ => Disclosure::new(document, profile).map(|disclosure| disclosure.to_json()),
            };
            let what = format!("{} {} {}", base.name, row.member, row.change);
            match taken {
                Ok(_) => assert!(report.is_valid(), "{what}"),
                Err(refused) => assert!(!report.is_valid() && refused == report, "{what}"),
            }
        }
    }
}

/// M2-9
#[test]
fn every_message_names_the_member_and_shows_no_control_character() {
    let table = Mutations::read();
    for row in &table.rows {
        let base = table.base(row);
        for profile in profiles() {
            if row.expected(profile.draft()).is_none() {
                continue;
            }
            let document = row.apply(&base.document(profile.draft()));
            for violation in document.validate(base.kind, profile).violations() {
                let message = violation.message();
                let pointer = violation.pointer();
                let name = pointer.rsplit('/').next().unwrap_or_default();
                let name = name.replace("~1", "/").replace("~0", "~");
                // A version is named by its value.
                let named = message.contains(&*name) || pointer == "/marc_version";
                assert!(named, "{pointer}: {message}");
                assert!(!message.contains(char::is_control), "{message:?}");
                assert!(message.chars().count() < 250, "{message}");
            }
        }
    }
}

/// Members that rules between members look at.
const LINKED: [&str; 7] = [
    "/answer",
    "/selected_action",
    "/remediability",
    "/post_answer_confidence",
    "/confidence_target",
    "/iteration",
    "/max_iterations",
];

fn is_linked(row: &Row) -> bool {
    LINKED.contains(&&*row.member)
}

/// No mutation changes the verdict for another field, but where a rule between members says so and the row names the member.
///
/// M2-9, M2-106
#[test]
fn only_rules_between_members_find_something_elsewhere() {
    let between = [
        "answer-without-confidence",
        "confidence-without-answer",
        "answer-target",
        "target-without-answer",
        "remediability-mismatch",
        "iteration-above-maximum",
        "too-long",
    ];
    for row in &Mutations::read().rows {
        for violation in Draft::ALL
            .iter()
            .filter_map(|&draft| row.expected(draft))
            .flatten()
        {
            let inside = violation.pointer.starts_with(&row.member);
            let linked = is_linked(row) && LINKED.contains(&&*violation.pointer);
            assert!(
                inside || linked && between.contains(&&*violation.code),
                "{} {}: {violation:?}",
                row.member,
                row.change
            );
        }
    }
}

/// Returns `true` if one of two pointers leads to the member of the other or into it.
fn overlap(one: &str, other: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    within(one, other) || within(other, one)
}

/// No mutation changes the verdict for another field: two at once give what each gives alone, unless one rule looks at both.
///
/// M2-9, M2-106
#[test]
fn two_mutations_give_the_violations_of_both() {
    let table = Mutations::read();
    // One pair in twelve, or all of them if `PROVSTREAM_ALL_PAIRS` is set for a longer search.
    let all = std::env::var_os("PROVSTREAM_ALL_PAIRS").is_some();
    let mut pairs = 0;
    for (index, one) in table.rows.iter().enumerate() {
        for (offset, other) in table.rows[index + 1..].iter().enumerate() {
            if !all && (index + offset) % 12 != 0 {
                continue;
            }
            let independent = !(is_linked(one) && is_linked(other));
            if one.base != other.base || !independent || overlap(&one.member, &other.member) {
                continue;
            }
            for &draft in Draft::ALL {
                let (Some(first), Some(second)) = (one.expected(draft), other.expected(draft))
                else {
                    continue;
                };
                // Both the lenient and the strict levels are shown for single mutations.
                let profile = Profile::new(draft);
                let base = table.base(one);
                let document = other.apply(&one.apply(&base.document(draft)));
                let both: Vec<Expected> = first.iter().chain(second).cloned().collect();
                assert_eq!(
                    found(&document.validate(base.kind, profile)),
                    expected(&both, profile),
                    "{} {} and {} {}",
                    one.member,
                    one.change,
                    other.member,
                    other.change
                );
                pairs += 1;
            }
        }
    }
    assert!(pairs > if all { 50_000 } else { 4_000 }, "{pairs}");
}

#[test]
fn there_are_hundreds_of_rows_and_none_twice() {
    let table = Mutations::read();
    let rows: BTreeSet<_> = table
        .rows
        .iter()
        .map(|row| (row.base, &row.member, &row.change))
        .collect();
    assert_eq!(rows.len(), table.rows.len());
    let with_violations = |draft| {
        let found = |row: &&Row| row.expected(draft).is_some_and(|found| !found.is_empty());
        table.rows.iter().filter(found).count()
    };
    for &draft in Draft::ALL {
        assert!(
            with_violations(draft) >= 200,
            "{draft}: {}",
            with_violations(draft)
        );
    }
}

/// M2-9
#[test]
fn every_code_that_one_record_can_have_is_in_the_table() {
    let table = Mutations::read();
    let seen: BTreeSet<_> = table
        .rows
        .iter()
        .flat_map(|row| Draft::ALL.iter().map(|&draft| row.expected(draft)))
        .flatten()
        .flatten()
        .map(|violation| &*violation.code)
        .collect();
    // Those of bytes, of many violations at once, and of records in their order are shown elsewhere.
    let elsewhere = [
        "limit-record",
        "invalid-utf8",
        "limit-violations",
        "unknown-kind",
        "nothing",
        "json-syntax",
        "open-loop",
        "repeated-decision-id",
        "unknown-parent",
        "missing-parent",
        "iteration-not-growing",
        "limit-session",
    ];
    for code in ViolationCode::ALL {
        let name = code.as_str();
        assert_ne!(seen.contains(name), elsewhere.contains(&name), "{name}");
    }
}

/// Lists the kinds of fault that the schema of a member makes possible.
fn faults(property: &Value, required: bool, strict: &Value) -> BTreeSet<&'static str> {
    let mut faults = BTreeSet::from(["duplicate", if required { "missing" } else { "left out" }]);
    let types: Vec<_> = match &property["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    for name in ["null", "string", "number", "boolean", "array", "object"] {
        // An integer is a number, too.
        let own = types.contains(&name) || name == "number" && types.contains(&"integer");
        if !own {
            faults.insert(name);
        } else if name == "null" {
            faults.insert("null that is allowed");
        }
    }
    if property.get("enum").is_some() {
        faults.extend(["another case", "unknown value", "empty"]);
    }
    if property.get("pattern").is_some() && property.get("minLength").is_none() {
        faults.extend([
            "empty",
            "another minor version",
            "another major version",
            "no version",
        ]);
    }
    if property.get("minimum").is_some() {
        faults.extend(["below", "lowest", "highest", "above"]);
    }
    if property.get("minLength").is_some() {
        faults.insert("empty");
    }
    if strict.get("maxLength").is_some() {
        faults.extend(["280", "281", "280 astral", "281 astral"]);
    }
    if types.contains(&"integer") {
        faults.extend(["fraction", "negative", "integral with a point"]);
    }
    faults
}

/// Lists the kinds of fault that a row shows in a member with this schema.
fn shown(row: &Row, property: &Value, required: bool) -> BTreeSet<&'static str> {
    let Some(json) = row.value() else {
        let removed = if required { "missing" } else { "left out" };
        return BTreeSet::from([if row.change == "repeat" {
            "duplicate"
        } else {
            removed
        }]);
    };
    // `1e400` is no number to this reader of JSON.
    let value: Value = serde_json::from_str(&json).unwrap_or_default();
    let mut shown = BTreeSet::new();
    match &value {
        Value::Null if json == "null" => shown.extend(["null", "null that is allowed"]),
        Value::Null => {}
        Value::Bool(_) => drop(shown.insert("boolean")),
        Value::Array(_) => drop(shown.insert("array")),
        Value::Object(_) => drop(shown.insert("object")),
        Value::Number(number) => {
            shown.insert("number");
            let number = number.as_f64().unwrap_or_default();
            if number < 0.0 {
                shown.extend(["below", "negative"]);
            } else if number > 1.0 {
                shown.insert("above");
            } else if number == 0.0 {
                shown.insert("lowest");
            } else if number == 1.0 {
                shown.insert("highest");
            }
            if number.fract() != 0.0 {
                shown.insert("fraction");
            } else if json.contains('.') {
                shown.insert("integral with a point");
            }
        }
        Value::String(text) => {
            shown.insert("string");
            let astral = text.starts_with('\u{1F680}');
            match (text.chars().count(), astral) {
                (0, _) => drop(shown.insert("empty")),
                (280, false) => drop(shown.insert("280")),
                (281, false) => drop(shown.insert("281")),
                (280, true) => drop(shown.insert("280 astral")),
                (281, true) => drop(shown.insert("281 astral")),
                _ => {}
            }
            let known = property["enum"].as_array().into_iter().flatten();
            let known: Vec<_> = known.filter_map(Value::as_str).collect();
            if !known.contains(&&**text) {
                let case = known.iter().any(|known| known.eq_ignore_ascii_case(text));
                shown.insert(if case {
                    "another case"
                } else {
                    "unknown value"
                });
            }
            shown.insert(match text.split_once('.') {
                Some(("1", "1")) => "another minor version",
                Some(("2", "0")) => "another major version",
                _ => "no version",
            });
        }
    }
    shown
}

/// The table is complete: each member of each schema, with each kind of fault that it can have, is in a row.
///
/// M1-24 to M1-34, M2-76 to M2-91, M2-117 to M2-122
#[test]
fn every_member_has_every_fault_that_it_can_have() {
    let table = Mutations::read();
    let mut count = 0;
    for kind in KINDS {
        for &draft in Draft::ALL {
            let parse = |profile| -> Value {
                serde_json::from_str(&schema(kind, profile)).expect("a schema")
            };
            let lenient = parse(Profile::new(draft));
            let strict = parse(Profile::new(draft).strict());
            let mut properties = BTreeMap::new();
            for inside in ["", "/uncertainty"] {
                let part = |schema: &Value| match inside {
                    "" => schema.clone(),
                    _ => schema["properties"]["uncertainty"].clone(),
                };
                let (lenient, strict) = (part(&lenient), part(&strict));
                let required = lenient["required"].as_array().cloned().unwrap_or_default();
                let members = lenient["properties"]
                    .as_object()
                    .cloned()
                    .unwrap_or_default();
                for (name, property) in members {
                    let strict = strict["properties"][&name].clone();
                    let required = required.iter().any(|required| required == name.as_str());
                    properties.insert(format!("{inside}/{name}"), (property, strict, required));
                }
            }
            for (pointer, (property, strict, required)) in properties {
                let rows = table.rows.iter().filter(|row| {
                    table.base(row).kind == kind
                        && row.member == pointer
                        && row.expected(draft).is_some()
                });
                let shown: BTreeSet<_> = rows
                    .flat_map(|row| shown(row, &property, required))
                    .collect();
                let faults = faults(&property, required, &strict);
                let missing: Vec<_> = faults.difference(&shown).collect();
                assert!(missing.is_empty(), "{kind} {draft} {pointer}: {missing:?}");
                count += faults.len();
            }
        }
    }
    assert!(count > 400, "{count}");
}

/// M2-9
#[test]
fn many_violations_are_cut_and_the_verdict_is_kept() {
    let mut json = String::from("{\"marc_version\":\"1.0\"");
    for number in 0..300 {
        json += &format!(",\"note-{number}\":1");
    }
    json += "}";
    let document = Document::parse(json.as_bytes()).expect("an object");
    let report = document.validate(MarcKind::Core, Profile::new(Draft::Draft02));
    assert_eq!(report.violations().len(), 257);
    let codes = |at: usize| report.violations()[at].code();
    assert_eq!(codes(255), ViolationCode::UnknownMember);
    assert_eq!(codes(256), ViolationCode::LimitViolations);
    // What makes it invalid, the missing members, is not among those that are listed.
    assert!(
        report
            .violations()
            .iter()
            .all(|one| one.level() == Level::Should)
    );
    assert!(!report.is_valid());
}

/// M2-9
#[test]
fn what_is_not_utf8_is_must_level() {
    let json =
        b"{\"answer\":\"\xff\",\"confidence_band\":\"low\",\"confidence_target\":\"answer\",\
        \"uncertainty_source\":\"safety\",\"recommended_next_step\":\"x\"}";
    let document = Document::parse(json).expect("an object");
    for profile in [Profile::default(), Profile::default().strict()] {
        let report = document.validate(MarcKind::Disclosure, profile);
        assert_eq!(found(&report), ["must invalid-utf8 RFC 8259 8.1 "]);
        assert_eq!(
            report.to_string(),
            "must RFC 8259 8.1: the object is not UTF-8 throughout"
        );
    }
}

/// M2-79, M2-80: in the range of `i64`, and reported as they are written.
#[test]
fn counters_are_compared_and_told_as_they_are_written() {
    for (iteration, max, above) in [
        ("9223372036854775807", "9223372036854775806", true),
        ("99999999999999999999999999", "9223372036854775806", true),
        // Both are above the range.
        ("1.1e30", "1e30", false),
        ("1e2", "99", true),
        ("1", "-9223372036854775809", false),
        ("-9223372036854775809", "0", false),
    ] {
        let mut document = valid(MarcKind::Core, Draft::Draft02, &mut Random::new(1));
        document.set("iteration", iteration).expect("JSON");
        document.set("max_iterations", max).expect("JSON");
        let report = document.validate(MarcKind::Core, Profile::default());
        let told = report
            .violations()
            .iter()
            .find(|violation| violation.code() == ViolationCode::IterationAboveMaximum)
            .map(Violation::message);
        let expected =
            format!("`iteration` is {iteration}, above `max_iterations`, which is {max}");
        assert_eq!(told, above.then_some(&*expected), "{iteration} {max}");
    }
}

/// M2-105
#[test]
fn a_message_says_must_where_the_level_does() {
    let mut document = valid(MarcKind::Core, Draft::Draft02, &mut Random::new(1));
    document.set_str("recommended_next_step", &"x".repeat(281));
    for (profile, verb) in [
        (Profile::default(), "should"),
        (Profile::default().strict(), "must"),
    ] {
        let report = document.validate(MarcKind::Core, profile);
        let expected = format!(
            "{verb} MARC-02 9.3 /recommended_next_step: `recommended_next_step` {verb} have at most 280 characters; it has 281"
        );
        let told: Vec<_> = report
            .violations()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert!(told.contains(&expected), "{told:?}");
    }
}

/// A member that is repeated has no value for the rules between members: one fault is told once.
///
/// OP-61, M2-106
#[test]
fn a_repeated_member_is_no_party_to_a_rule() {
    let table = Mutations::read();
    let base = table.bases.iter().find(|base| base.name == "core");
    let json = base.expect("a base").document(Draft::Draft02).to_json();
    for (name, value) in [
        ("selected_action", "\"ANSWER\""),
        ("remediability", "\"tool\""),
        ("confidence_target", "\"answer\""),
        ("post_answer_confidence", "0.5"),
        ("max_iterations", "0"),
    ] {
        for json in [
            format!("{{\"{name}\":{value},{}", &json[1..]),
            format!("{},\"{name}\":{value}}}", &json[..json.len() - 1]),
        ] {
            let document = Document::parse(json.as_bytes()).expect("an object");
            let report = document.validate(MarcKind::Core, Profile::default());
            let expected = format!("must duplicate-member RFC 8259 4 /{name}");
            assert_eq!(found(&report), [expected], "{json}");
        }
    }
}
