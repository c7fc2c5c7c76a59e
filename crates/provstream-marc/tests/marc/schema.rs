//! The JSON Schemas of MARC say what validation says, wherever a schema can speak.

use std::collections::BTreeMap;
use std::fs;

use jsonschema::Validator;
use provstream_marc::{Document, Draft, Level, MarcKind, Profile, schema};
use serde_json::Value;
use testkit::marc::generate::{Random, mutated, valid};
use testkit::marc::mutations::Mutations;
use testkit::marc::{KINDS, profiles};

/// Objects for each kind, draft and strictness.
const OBJECTS: u64 = 3_000;

fn schema_value(kind: MarcKind, profile: Profile) -> Value {
    serde_json::from_str(&schema(kind, profile)).expect("a schema is JSON")
}

fn validator(kind: MarcKind, profile: Profile) -> Validator {
    jsonschema::draft202012::new(&schema_value(kind, profile)).expect("a schema")
}

fn instance(json: &str) -> Value {
    serde_json::from_str(json).expect("JSON that a schema can see")
}

/// Every schema with its validator.
fn schemas() -> Vec<(MarcKind, Profile, Validator)> {
    KINDS
        .into_iter()
        .flat_map(|kind| profiles().map(move |profile| (kind, profile)))
        .map(|(kind, profile)| (kind, profile, validator(kind, profile)))
        .collect()
}

/// M1-23, M1-25 to M1-34, M2-9, M2-20, M2-25, M2-29, M2-35, M2-44, M2-45, M2-76 to M2-91, M2-96 to M2-103, M2-117 to M2-122
#[test]
fn schema_and_validator_agree_on_generated_objects() {
    // How often each must-level code was seen: where one is not, the objects do not show it.
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for (number, (kind, profile, schema)) in schemas().into_iter().enumerate() {
        let mut random = Random::new(number as u64);
        let mut valid = 0;
        for _ in 0..OBJECTS {
            let document = mutated(kind, profile.draft(), &mut random);
            let json = document.to_json();
            let report = document.validate(kind, profile);
            let instance = instance(&json);
            assert_eq!(
                report.is_valid(),
                schema.is_valid(&instance),
                "{kind} {profile:?}\n{json}\nvalidator: {report}\nschema: {:?}",
                schema
                    .iter_errors(&instance)
                    .map(|error| error.to_string())
                    .collect::<Vec<_>>()
            );
            valid += u64::from(report.is_valid());
            for violation in report.violations() {
                if violation.level() == Level::Must {
                    *seen.entry(violation.code().as_str()).or_default() += 1;
                }
            }
        }
        let share = OBJECTS / 5;
        assert!(
            (share..OBJECTS - share).contains(&valid),
            "{kind} {profile:?}: {valid} of {OBJECTS} are valid"
        );
    }
    let expected = [
        "answer-target",
        "answer-without-confidence",
        "bad-version",
        "empty",
        "exposed-score",
        "missing-member",
        "not-integral",
        "other-major",
        "other-minor",
        "out-of-range",
        "too-long",
        "unknown-member",
        "unknown-value",
        "wrong-case",
        "wrong-type",
    ];
    let codes: Vec<_> = seen.keys().copied().collect();
    assert_eq!(codes, expected);
    assert!(seen.values().all(|&times| times >= 5), "{seen:?}");
}

/// Changes of the table of mutations that a schema does not see.
const UNSEEN: [&str; 2] = ["repeat", "1e400"];

/// M1-23 to M1-34, M2-9, M2-76 to M2-91, M2-117 to M2-122
#[test]
fn schema_and_validator_agree_on_single_mutations() {
    let table = Mutations::read();
    let mut checked = 0;
    for (kind, profile, schema) in schemas() {
        for row in &table.rows {
            let base = table.base(row);
            let defined = row.expected(profile.draft()).is_some();
            if base.kind != kind || !defined || UNSEEN.contains(&&*row.change) {
                continue;
            }
            let document = row.apply(&base.document(profile.draft()));
            let report = document.validate(kind, profile);
            assert_eq!(
                report.is_valid(),
                schema.is_valid(&instance(&document.to_json())),
                "{profile:?} {} {}: {report}",
                row.member,
                row.change
            );
            checked += 1;
        }
    }
    assert!(checked > 1_500, "{checked}");
}

/// M2-9
#[test]
fn what_is_valid_has_no_fault_before_it_is_changed() {
    for (kind, profile, schema) in schemas() {
        let mut random = Random::new(7);
        for _ in 0..1_000 {
            let document = valid(kind, profile.draft(), &mut random);
            let report = document.validate(kind, profile);
            assert!(report.is_valid(), "{document:?}: {report}");
            assert!(
                schema.is_valid(&instance(&document.to_json())),
                "{document:?}"
            );
        }
    }
}

/// TV-M1-1 to TV-M1-9, TV-M2-1 to TV-M2-7; M1-23
#[test]
fn every_vector_is_valid_under_the_schemas_of_its_draft() {
    let folder = testkit::root().join("corpus/marc");
    let mut count = 0;
    for (kind, profile, schema) in schemas() {
        let series = match profile.draft() {
            Draft::Draft01 => "tv-m1-",
            _ => "tv-m2-",
        };
        for entry in fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let json = fs::read_to_string(&path).expect("a readable vector");
            if name.starts_with(series)
                && Document::parse(json.as_bytes()).expect("an object").kind() == Some(kind)
            {
                assert!(schema.is_valid(&instance(&json)), "{name}");
                count += 1;
            }
        }
    }
    assert_eq!(count, 2 * 16);
}

/// The validator may differ from the schema only on objects that a schema, or the JSON reader
/// before it, cannot judge.
///
/// OP-61
#[test]
fn what_a_schema_does_not_see_is_known() {
    let draft = Profile::new(Draft::Draft02);
    let schema = validator(MarcKind::Core, draft);
    let mut random = Random::new(3);
    let record = loop {
        let record = valid(MarcKind::Core, Draft::Draft02, &mut random);
        if record.get("pre_capability") == Some("0.41") && record.get("iteration").is_some() {
            break record.to_json();
        }
    };
    let report = |json: &str| {
        let document = Document::parse(json.as_bytes()).expect("an object");
        document.validate(MarcKind::Core, draft)
    };
    let valid_to_both = |json: &str| {
        (
            report(json).is_valid(),
            serde_json::from_str(json)
                .ok()
                .map(|value: Value| schema.is_valid(&value)),
        )
    };
    assert_eq!(valid_to_both(&record), (true, Some(true)));
    let repeated = record.replacen('{', "{\"marc_version\":\"1.0\",", 1);
    assert_eq!(valid_to_both(&repeated), (false, Some(true)));
    let digits = record.replace(
        "\"pre_capability\":0.41",
        "\"pre_capability\":1.00000000000000000001",
    );
    assert_eq!(valid_to_both(&digits), (true, Some(true)));
    let large = record.replace("\"pre_capability\":0.41", "\"pre_capability\":1e400");
    assert_eq!(valid_to_both(&large), (false, None));
    let half = record.replacen('{', "{\"x_half\":\"\\ud83d\",", 1);
    assert_eq!(valid_to_both(&half), (true, None));
}

/// M1-23
#[test]
fn each_schema_is_one_of_2020_12_and_describes_each_member() {
    for (kind, profile, _) in schemas() {
        let schema = schema_value(kind, profile);
        jsonschema::draft202012::meta::validate(&schema).expect("a schema of 2020-12");
        assert_eq!(
            schema["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
        assert!(schema.get("$id").is_none());
        let properties = schema["properties"].as_object().expect("properties");
        let inside = properties.get("uncertainty").map(|scores| {
            let scores = scores["properties"].as_object().expect("scores");
            assert_eq!(scores.len(), 5);
            scores
        });
        for (name, property) in properties.iter().chain(inside.into_iter().flatten()) {
            let description = property["description"].as_str().unwrap_or_default();
            assert!(description.ends_with('.'), "{name}: {description:?}");
            if profile.draft() == Draft::Draft01 {
                assert!(!description.contains("target"), "{name}: -01 has no target");
            }
        }
    }
}

/// M1-8, M1-11, M1-24, M1-26, M1-28, M2-76 to M2-91, M2-117 to M2-122, M2-136; OP-76, OP-77
#[test]
fn the_schemas_have_the_members_of_their_draft() {
    let required = |kind, profile| {
        let schema = schema_value(kind, profile);
        let count = |part: &str| match &schema[part] {
            Value::Array(names) => names.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        };
        (count("required"), count("properties"))
    };
    let (first, second) = (Profile::new(Draft::Draft01), Profile::new(Draft::Draft02));
    assert_eq!(required(MarcKind::Core, first), (8, 10));
    assert_eq!(required(MarcKind::Core, second), (9, 16));
    assert_eq!(required(MarcKind::Disclosure, first), (4, 5));
    assert_eq!(required(MarcKind::Disclosure, second), (5, 6));
    for (kind, profile, _) in schemas() {
        let schema = schema_value(kind, profile);
        let closed =
            |object: &Value| object.get("additionalProperties") == Some(&Value::Bool(false));
        assert_eq!(closed(&schema), profile.is_strict());
        if kind == MarcKind::Core {
            let scores = &schema["properties"]["uncertainty"];
            assert_eq!(closed(scores), profile.is_strict());
            let private = scores.get("patternProperties").is_some();
            assert_eq!(private, profile == Profile::new(Draft::Draft02).strict());
        }
        let next = &schema["properties"]["recommended_next_step"];
        assert_eq!(next.get("maxLength").is_some(), profile.is_strict());
        assert_eq!(next["minLength"], 1);
    }
}

/// M1-23
#[test]
fn a_schema_is_written_the_same_each_time_and_indented() {
    for (kind, profile, _) in schemas() {
        let text = schema(kind, profile);
        assert_eq!(text, schema(kind, profile));
        assert!(text.starts_with(
            "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": "
        ));
        assert!(text.ends_with("\n}"));
        let depth = |line: &str| line.len() - line.trim_start().len();
        assert!(
            text.lines()
                .all(|line| depth(line) % 2 == 0 && line.trim_end() == line)
        );
    }
}
