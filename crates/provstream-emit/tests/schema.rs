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
            ("open", target, memo().build(target).unwrap()),
            (
                "closed",
                target,
                memo().citing(&observations()).build(target).unwrap(),
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
            let required = schema["required"].as_array().unwrap();
            let mut coin = Random(random.below(1 << 30) as u64);
            let mut members: Vec<_> = properties
                .iter()
                .filter(|(name, _)| required.contains(&json!(name)) || coin.below(2) == 0)
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
            // Without what a pattern of Ollama excludes.
            Some(pattern) if pattern.contains('"') => {
                let id = string(random, 160, false).replace(['"', '\\'], "");
                id.trim_start().into()
            }
            Some(pattern) if pattern.contains("159") => {
                string(random, 160, false).trim_start().into()
            }
            Some(_) => string(random, 300, true).trim().into(),
            None if random.below(50) == 0 => ["", " ", "\n"][random.below(3)].into(),
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
        let schema = memo().citing(&many).build(target).unwrap();
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

fn bedrock_edits() -> Vec<Edit> {
    let edits = anthropic_edits();
    let kept = edits.into_iter().filter(|(pointer, member, value)| {
        // Patterns are not listed at all, and neither are the numbers of optional and union properties.
        let is_counted = *member == "anyOf" && *pointer == TEXT;
        !is_counted && *member != "pattern" && !value.is_null()
    });
    let mut edits: Vec<Edit> = kept.collect();
    edits.extend([
        (ITEM, "additionalProperties", Value::Null),
        (TEXT, "pattern", json!("^a$")),
        (TEXT, "default", json!("a")),
    ]);
    edits
}

fn cohere_edits() -> Vec<Edit> {
    let mut edits: Vec<Edit> = [
        "allOf",
        "oneOf",
        "not",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "multipleOf",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "uniqueItems",
        "patternProperties",
    ]
    .map(|keyword| (TEXT, keyword, json!(1)))
    .into();
    edits.extend([
        ("", "type", json!("array")),
        ("", "anyOf", json!([])),
        (ITEM, "required", Value::Null),
        (ITEM, "required", json!([])),
        (ITEM, "type", json!(["object", "null"])),
        (TEXT, "type", json!("null")),
        (TEXT, "format", json!("email")),
        (TEXT, "pattern", json!("^a")),
        (TEXT, "pattern", json!("a$")),
        (TEXT, "pattern", json!("(?=a)a")),
        (TEXT, "pattern", json!("(?!a)b")),
        (TEXT, "$ref", json!("https://example.org/schema")),
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
        (TEXT, "pattern", json!("^(?:abc)$")),
        (TEXT, "pattern", json!("^[^\\x00-\\x1f\\x7f]{1,160}$")),
        (TEXT, "pattern", json!("^[^\"]*$")),
        (TEXT, "pattern", json!("^[ -~]*$")),
        (TEXT, "pattern", json!("^[a\\-z]$")),
        (TEXT, "pattern", json!("^a.c$")),
        (TEXT, "pattern", json!("^\\d$")),
        (TEXT, "pattern", json!("^a\"$")),
        (TEXT, "pattern", json!("^a\\\\$")),
        (TEXT, "pattern", json!("^[a$")),
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
        (SchemaTarget::Bedrock, bedrock_edits()),
        (SchemaTarget::Cohere, cohere_edits()),
    ] {
        assert!(edits.len() >= 20, "{target}: {}", edits.len());
        for (pointer, member, value) in edits {
            let mut schema = memo().build(target).unwrap();
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
        let schema = Schema::new(&later).build(target).unwrap().to_string();
        assert!(schema.contains("\"substrate.ct.log\""), "{target}");
        assert!(
            !memo()
                .build(target)
                .unwrap()
                .to_string()
                .contains("substrate.ct.log")
        );
    }
}

/// Observations of so many classes, each with one that has a time and one that has none.
fn made(classes: usize, each: usize) -> (Vocabulary, Observations) {
    let version = Version::new(1, 1);
    let names: Vec<String> = (0..classes)
        .map(|index| format!("substrate.c{index}"))
        .collect();
    let all = names
        .iter()
        .fold(Vocabulary::builder(version), |all, name| {
            all.class(name, version)
        });
    let vocabulary = all.build().unwrap();
    let items: Vec<Value> = (0..each)
        .flat_map(|index| {
            let ts = (index % 2 == 0).then_some("2026-05-28T11:40:00Z");
            let one =
                move |name: &String| json!({"class": name, "id": format!("{index}"), "ts": ts});
            names.iter().map(one)
        })
        .collect();
    let file = serde_json::to_vec(&items).unwrap();
    let observations = Observations::from_json(&file, &vocabulary).unwrap();
    (vocabulary, observations)
}

#[test]
fn schemas_beyond_a_documented_limit_are_refused() {
    let (vocabulary, observations) = made(2, 200);
    let closed = Schema::new(&vocabulary).citing(&observations);
    assert_eq!(
        closed.build(SchemaTarget::OpenAi).unwrap_err().to_string(),
        "openai allows at most 1000 enum values in a schema, found 1402: list fewer observations"
    );
    assert!(closed.build(SchemaTarget::JsonSchema).is_ok());
    // With a time, an observation has four values.
    let timed = |count: usize| {
        let item = |index| json!({"class": "substrate.grep", "id": format!("{index}"), "ts": "2026-05-28T11:40:00Z"});
        let items: Vec<Value> = (0..count).map(item).collect();
        let file = serde_json::to_vec(&items).unwrap();
        let observations = Observations::from_json(&file, &Vocabulary::memo()).unwrap();
        memo().citing(&observations).build(SchemaTarget::OpenAi)
    };
    assert!(timed(249).is_ok() && timed(250).is_err());
    // 30 classes with and without time have no union types.
    let (vocabulary, observations) = made(30, 2);
    let closed = Schema::new(&vocabulary).citing(&observations);
    assert!(closed.build(SchemaTarget::Anthropic).is_ok());
    let (vocabulary, _) = made(1_100, 0);
    let error = Schema::new(&vocabulary).build(SchemaTarget::OpenAi);
    assert_eq!(
        error.unwrap_err().to_string(),
        "openai allows at most 15000 characters in an enum of more than 250 values, found 15564 in 1109 values: \
         load a vocabulary with fewer classes"
    );
}

/// Ollama describes a string by its pattern as JSON writes it, so that neither may be in a pattern of ours.
#[test]
fn patterns_of_ollama_keep_within_a_string() {
    let schema = memo().build(SchemaTarget::Ollama).unwrap();
    let annotation = schema.pointer(ANNOTATION).unwrap();
    let pattern = |member: &str| {
        let first = format!("/properties/{member}/anyOf/0");
        json!({"type": "string", "pattern": annotation.pointer(&first).unwrap()["pattern"]})
    };
    let id = jsonschema::validator_for(&pattern("observation_id")).unwrap();
    assert!(id.is_valid(&json!("src/a.rs:7")) && id.is_valid(&json!("é [0]; b")));
    for bad in ["", " ", " a", "a\"b", "a\\q", "a\n"] {
        assert!(!id.is_valid(&json!(bad)), "{bad:?}");
    }
    let ts = jsonschema::validator_for(&pattern("ts")).unwrap();
    assert!(ts.is_valid(&json!("2026-05-28T11:40:00.5+02:00")) && !ts.is_valid(&json!("x")));
}

/// A statement has a character that is not blank, where the target has a way to say so.
#[test]
fn statements_are_not_empty() {
    for (set, target, schema) in schemas() {
        let text = schema.pointer(TEXT).unwrap();
        let validator = jsonschema::validator_for(text).unwrap();
        assert!(validator.is_valid(&json!("So\nit is.")), "{set} {target}");
        let refused = ["", " ", "\n"].map(|blank| !validator.is_valid(&json!(blank)));
        let expected = match target {
            SchemaTarget::Gemini | SchemaTarget::Bedrock | SchemaTarget::Cohere => {
                [false, false, false]
            }
            SchemaTarget::Ollama => [true, false, false],
            _ => [true, true, true],
        };
        assert_eq!(refused, expected, "{set} {target}");
    }
}

/// Cohere describes no null: what an annotation does not have is left out.
#[test]
fn annotations_of_cohere_leave_out_what_they_do_not_have() {
    for (set, target, schema) in schemas() {
        if target != SchemaTarget::Cohere {
            continue;
        }
        assert!(!schema.to_string().contains("null"), "{set}: {schema}");
        let validator = jsonschema::validator_for(&schema).unwrap();
        let answer = |annotation: Value| json!({"assertions": [{"assertion": "So.", "provenance": [annotation]}]});
        let terminal = json!({"substrate_class": "unverified-inference"});
        assert!(validator.is_valid(&answer(terminal)), "{set}");
        let named = json!({"substrate_class": "substrate.grep", "observation_id": null});
        assert!(!validator.is_valid(&answer(named)), "{set}");
    }
    let closed = memo().citing(&observations());
    let schema = closed.build(SchemaTarget::Cohere).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let answer = |annotation: Value| json!({"assertions": [{"assertion": "So.", "provenance": [annotation]}]});
    let cited = json!({"substrate_class": "substrate.grep", "observation_id": "src/a.rs:7", "ts": "2026-05-28T11:40:00Z"});
    assert!(validator.is_valid(&answer(cited)));
    let alone = json!({"substrate_class": "substrate.grep"});
    assert!(!validator.is_valid(&answer(alone)));
}

#[test]
fn closed_schemas_tie_ids_to_their_class() {
    let schema = memo()
        .citing(&observations())
        .build(SchemaTarget::JsonSchema)
        .unwrap();
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
    assert!(validator.is_valid(&answer("decayed-to-uncertainty", Value::Null, Value::Null)));
    assert!(validator.is_valid(&answer("decayed-to-uncertainty", seven(), at())));
    for bad in [
        answer("substrate.git.log", seven(), at()),
        answer("substrate.grep", seven(), Value::Null),
        answer("substrate.grep", json!("src/a.rs:8"), at()),
        answer("substrate.grep", Value::Null, Value::Null),
        answer("unverified-inference", seven(), at()),
        answer("decayed-to-uncertainty", seven(), Value::Null),
        answer("decayed-to-uncertainty", json!("other"), Value::Null),
        json!({"assertions": [{"assertion": "So.", "provenance": []}]}),
    ] {
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}
