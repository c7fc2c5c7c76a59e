//! Schemas: samples of them parse, and they keep to what providers document.

mod common;

use common::{Random, golden, observations};
use provstream::provenance::{Version, Vocabulary};
use provstream::{Event, Mode, Parser};
use provstream_emit::{Observations, Schema, SchemaTarget, subset_violations};
use serde_json::{Map, Value, json};

/// Samples of each schema in the default run; `PROVSTREAM_SAMPLES` sets another number.
const SAMPLES: usize = 500;

fn memo() -> Schema {
    Schema::new(&Vocabulary::memo())
}

fn schemas() -> impl Iterator<Item = (&'static str, SchemaTarget, Value)> {
    SchemaTarget::ALL.iter().flat_map(|&target| {
        [
            ("open", target, memo().build(target)),
            (
                "closed",
                target,
                memo().citing(&observations()).build(target),
            ),
        ]
    })
}

#[test]
fn printed_schemas_are_what_they_were() {
    for (set, target, schema) in schemas() {
        golden(
            &format!("schema/{set}.{target}.json"),
            &format!("{schema:#}\n"),
        );
    }
}

#[test]
fn samples_parse_without_a_diagnostic() {
    let samples = std::env::var("PROVSTREAM_SAMPLES")
        .ok()
        .map_or(SAMPLES, |count| count.parse().unwrap());
    for (set, target, schema) in schemas() {
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(&schema)
            .unwrap();
        let mut random = Random(5);
        let (mut valid, mut assertions, mut annotations) = (0, 0, 0);
        for tried in 0.. {
            let value = sample(&schema, &mut random);
            if validator.is_valid(&value) {
                valid += 1;
                let counts = judge(&value, &format!("{set} {target}"));
                assertions += counts.0;
                annotations += counts.1;
            }
            if valid == samples {
                break;
            }
            assert!(
                tried < samples * 2,
                "{set} {target}: most samples are invalid"
            );
        }
        assert!(
            assertions > samples && annotations > samples,
            "{assertions} {annotations}"
        );
    }
}

/// The assertions and annotations of an answer, which has to be free of diagnostics.
fn judge(value: &Value, name: &str) -> (usize, usize) {
    let text = value.to_string();
    let (mut assertions, mut annotations) = (0, 0);
    let mut parser = Parser::builder().mode(Mode::Json).build();
    let mut note = |event: Event<'_>| match event {
        Event::Assertion(assertion) => {
            assertions += 1;
            for annotation in assertion.annotations() {
                annotations += 1;
                assert_eq!(annotation.reason(), None, "{name}: {text}");
            }
        }
        Event::Diagnostic(diagnostic) => panic!("{name}: {diagnostic} in {text}"),
        _ => {}
    };
    parser.push(text.as_bytes(), &mut note);
    parser.finish(&mut note);
    assert_eq!(assertions, value["assertions"].as_array().unwrap().len());
    (assertions, annotations)
}

/// A random value that the schema allows, with the odd one that it does not.
fn sample(schema: &Value, random: &mut Random) -> Value {
    if let Some(Value::Array(all)) = schema.get("enum") {
        return all[random.below(all.len())].clone();
    }
    if let Some(Value::Array(ways)) = schema.get("anyOf") {
        return sample(&ways[random.below(ways.len())], random);
    }
    let name = match &schema["type"] {
        Value::Array(names) => names[random.below(names.len())].as_str().unwrap(),
        name => name.as_str().unwrap(),
    };
    match name {
        "null" => Value::Null,
        "array" => {
            let least = schema
                .get("minItems")
                .map_or(0, |least| least.as_u64().unwrap());
            let count = usize::try_from(least).unwrap() + random.below(4);
            (0..count)
                .map(|_| sample(&schema["items"], random))
                .collect()
        }
        "object" => {
            let properties = schema["properties"].as_object().unwrap();
            let mut members: Vec<_> = properties
                .iter()
                .map(|(name, inner)| (name.clone(), sample(inner, random)))
                .collect();
            // The order of members means nothing.
            let turn = random.below(members.len());
            members.rotate_left(turn);
            Value::Object(members.into_iter().collect::<Map<_, _>>())
        }
        "string" if schema.get("format").is_some() => time(random).into(),
        "string" => match schema.get("pattern").and_then(Value::as_str) {
            Some(pattern) if pattern.contains("59:60") => time(random).into(),
            Some(_) => string(random, 160, false).into(),
            None => string(random, 300, true).into(),
        },
        other => panic!("no sample of {other}"),
    }
}

fn string(random: &mut Random, most: usize, controls: bool) -> String {
    let alphabet: Vec<char> = "abc XYZ0189.:/-_\"\\[]{};=äß漢字🙂\u{2028}\u{202e}\u{fffd}"
        .chars()
        .collect();
    let count = 1 + random.below(most);
    (0..count)
        .map(|_| match random.below(20) {
            0 if controls => char::from(u8::try_from(random.below(32)).unwrap()),
            _ => alphabet[random.below(alphabet.len())],
        })
        .collect()
}

/// A random time, often at the edges of what exists and sometimes beyond.
fn time(random: &mut Random) -> String {
    let year = [1900, 1999, 2000, 2016, 2023, 2024, 2026, 9999][random.below(8)];
    let month = 1 + random.below(12);
    let day = [1, 15, 28, 28, 30, 31, 29][random.below(7)];
    let fraction = ["", "", ".5", ".123456789"][random.below(4)];
    let zone = ["Z", "z", "+00:00", "-00:00", "+02:00", "-05:30", "+23:59"][random.below(7)];
    let separator = ["T", "T", "t"][random.below(3)];
    let clock = ["00:00:00", "23:59:59", "11:40:07", "23:59:59", "23:59:58"][random.below(5)];
    format!("{year:04}-{month:02}-{day:02}{separator}{clock}{fraction}{zone}")
}

#[test]
fn schemas_keep_to_the_documented_subsets() {
    for (set, target, schema) in schemas() {
        assert_eq!(subset_violations(target, &schema), [], "{set} {target}");
    }
    // 200 observations are within every limit.
    let many: Vec<_> = (0..200)
        .map(|index| json!({"class": "substrate.grep", "id": format!("src/file{index}.rs"), "ts": "2026-05-28T11:40:00Z"}))
        .collect();
    let file = serde_json::to_vec(&many).unwrap();
    let many = Observations::from_json(&file, &Vocabulary::memo()).unwrap();
    for &target in SchemaTarget::ALL {
        let schema = memo().citing(&many).build(target);
        assert_eq!(subset_violations(target, &schema), [], "{target}");
    }
}

/// An edit of a schema: at a JSON Pointer, a member and its new value, or null to remove it.
type Edit = (&'static str, &'static str, Value);

const ITEM: &str = "/properties/assertions/items";
const ANNOTATION: &str = "/properties/assertions/items/properties/provenance/items";
const CLASS: &str =
    "/properties/assertions/items/properties/provenance/items/properties/substrate_class";
const TEXT: &str = "/properties/assertions/items/properties/assertion";

/// Schemas nested so deep.
fn nested(depth: usize) -> Value {
    let leaf =
        json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
    (1..depth).fold(leaf, |inner, _| {
        json!({"type": "object", "properties": {"a": inner}, "required": ["a"], "additionalProperties": false})
    })
}

/// An object with so many properties.
fn wide(count: usize, required: bool) -> Value {
    let members: Map<String, Value> = (0..count)
        .map(|index| (format!("p{index}"), json!({"type": "string"})))
        .collect();
    let names: Vec<&String> = if required {
        members.keys().collect()
    } else {
        Vec::new()
    };
    json!({"type": "object", "properties": members, "required": names, "additionalProperties": false})
}

fn strings(count: usize, length: usize) -> Value {
    (0..count)
        .map(|index| Value::from(format!("{index:0length$}")))
        .collect()
}

fn openai_edits() -> Vec<Edit> {
    let mut edits: Vec<Edit> = [
        "allOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "dependentRequired",
        "dependentSchemas",
        "patternProperties",
        "minLength",
        "uniqueItems",
    ]
    .map(|keyword| (TEXT, keyword, json!({})))
    .into();
    edits.extend([
        ("", "type", json!("array")),
        ("", "anyOf", json!([{"type": "object", "properties": {}, "required": [], "additionalProperties": false}])),
        (ITEM, "additionalProperties", Value::Null),
        (ITEM, "additionalProperties", json!(true)),
        (ANNOTATION, "required", json!(["substrate_class"])),
        (ITEM, "required", Value::Null),
        (CLASS, "enum", strings(1_001, 3)),
        (CLASS, "enum", strings(300, 60)),
        (TEXT, "format", json!("uri")),
        (TEXT, "anyOf", json!([nested(9)])),
        (TEXT, "anyOf", json!([wide(5_000, true)])),
        (TEXT, "const", json!("x".repeat(120_001))),
        (TEXT, "$ref", json!("https://example.org/schema")),
    ]);
    edits
}

fn anthropic_edits() -> Vec<Edit> {
    let mut edits: Vec<Edit> = [
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "maxItems",
        "uniqueItems",
        "oneOf",
        "not",
        "patternProperties",
    ]
    .map(|keyword| (TEXT, keyword, json!(1)))
    .into();
    edits.extend([
        (ITEM, "additionalProperties", Value::Null),
        (ITEM, "additionalProperties", json!({"type": "string"})),
        ("/properties/assertions", "minItems", json!(2)),
        (CLASS, "enum", json!([["a"]])),
        (TEXT, "format", json!("regex")),
        (TEXT, "pattern", json!("^(?!a).*$")),
        (TEXT, "pattern", json!("\\bword\\b")),
        (TEXT, "$ref", json!("#")),
        (TEXT, "$ref", json!("other.json")),
        (TEXT, "allOf", json!([{"$ref": "#/properties"}])),
        (TEXT, "anyOf", json!([wide(25, false)])),
        (
            TEXT,
            "anyOf",
            (0..17)
                .map(|_| json!({"type": ["string", "null"]}))
                .collect(),
        ),
    ]);
    edits
}

fn gemini_edits() -> Vec<Edit> {
    let mut edits: Vec<Edit> = [
        "pattern",
        "minLength",
        "maxLength",
        "const",
        "allOf",
        "not",
        "if",
        "then",
        "else",
        "uniqueItems",
        "patternProperties",
        "default",
        "exclusiveMinimum",
        "multipleOf",
        "minProperties",
        "propertyNames",
        "contains",
    ]
    .map(|keyword| (TEXT, keyword, json!(1)))
    .into();
    edits.extend([
        (CLASS, "enum", json!([true])),
        (CLASS, "enum", json!([null])),
        (TEXT, "$ref", json!("#/properties/assertions")),
        ("/properties/assertions", "items", json!({"$ref": "#"})),
        (ITEM, "$ref", json!("https://example.org/schema")),
    ]);
    edits
}

fn ollama_edits() -> Vec<Edit> {
    let mut edits: Vec<Edit> = [
        "not",
        "if",
        "then",
        "else",
        "patternProperties",
        "contains",
        "minContains",
        "maxContains",
        "uniqueItems",
        "propertyNames",
        "dependentSchemas",
        "dependentRequired",
        "minProperties",
        "maxProperties",
        "unevaluatedProperties",
        "unevaluatedItems",
    ]
    .map(|keyword| (TEXT, keyword, json!({})))
    .into();
    edits.extend([
        (TEXT, "pattern", json!("abc")),
        (TEXT, "pattern", json!("^abc")),
        (TEXT, "$ref", json!("https://example.org/schema")),
        (TEXT, "$ref", json!("#/$defs/missing")),
        (TEXT, "anyOf", json!([true])),
    ]);
    edits
}

#[test]
fn each_violation_of_a_subset_is_found() {
    for (target, edits) in [
        (SchemaTarget::OpenAi, openai_edits()),
        (SchemaTarget::Anthropic, anthropic_edits()),
        (SchemaTarget::Gemini, gemini_edits()),
        (SchemaTarget::Ollama, ollama_edits()),
    ] {
        assert!(edits.len() >= 20, "{target}: {}", edits.len());
        for (pointer, member, value) in edits {
            let mut schema = memo().build(target);
            let place = schema
                .pointer_mut(pointer)
                .unwrap()
                .as_object_mut()
                .unwrap();
            match &value {
                Value::Null => place.remove(member),
                value => place.insert(member.into(), value.clone()),
            };
            let found = subset_violations(target, &schema);
            let shown: String = value.to_string().chars().take(80).collect();
            assert!(!found.is_empty(), "{target}: {pointer} {member} {shown}");
        }
    }
}

#[test]
fn a_class_is_known_to_the_schema_as_soon_as_the_vocabulary_has_it() {
    let version = Version::new(1, 1);
    let later = Vocabulary::builder(version)
        .class("substrate.ct.log", version)
        .build()
        .unwrap();
    for &target in SchemaTarget::ALL {
        let schema = Schema::new(&later).build(target).to_string();
        assert!(schema.contains("\"substrate.ct.log\""), "{target}");
        assert!(
            !memo()
                .build(target)
                .to_string()
                .contains("substrate.ct.log")
        );
    }
}

#[test]
fn closed_schemas_tie_ids_to_their_class() {
    let schema = memo()
        .citing(&observations())
        .build(SchemaTarget::JsonSchema);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let answer = |class: &str, id: Value, ts: Value| {
        let provenance = json!([{"substrate_class": class, "observation_id": id, "ts": ts}]);
        json!({"assertions": [{"assertion": "So.", "provenance": provenance}]})
    };
    let seven = || json!("src/a.rs:7");
    let at = || json!("2026-05-28T11:40:00Z");
    assert!(validator.is_valid(&answer("substrate.grep", seven(), at())));
    assert!(validator.is_valid(&answer("substrate.git.log", json!("4f2a9c1"), Value::Null)));
    assert!(validator.is_valid(&answer("unverified-inference", Value::Null, Value::Null)));
    for bad in [
        answer("substrate.git.log", seven(), at()),
        answer("substrate.grep", seven(), Value::Null),
        answer("substrate.grep", json!("src/a.rs:8"), at()),
        answer("substrate.grep", Value::Null, Value::Null),
        answer("unverified-inference", seven(), at()),
        json!({"assertions": [{"assertion": "So.", "provenance": []}]}),
    ] {
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}
