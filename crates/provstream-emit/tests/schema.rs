//! Schemas: samples of them parse, and they keep to what providers document.

mod common;

use common::{Random, golden, observations};
use provstream::provenance::{Version, Vocabulary};
use provstream::{Event, Mode, Parser};
use provstream_emit::{Observations, Schema, SchemaTarget};
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
            Some(pattern) if pattern.contains("-02-29") => time(random).into(),
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
    let zone = ["Z", "+00:00", "-00:00", "+02:00", "-05:30", "+23:59"][random.below(6)];
    let clock = ["00:00:00", "23:59:59", "11:40:07", "23:59:59", "23:59:58"][random.below(5)];
    format!("{year:04}-{month:02}-{day:02}T{clock}{fraction}{zone}")
}

const ANNOTATION: &str = "/properties/assertions/items/properties/provenance/items";
const TEXT: &str = "/properties/assertions/items/properties/assertion";

/// Keywords that a target documents and our schemas use, besides those of [`COMMON`]. Sources, as read in November 2026:
///
/// - OpenAI: `platform.openai.com/docs/guides/structured-outputs`, "Supported schemas"
/// - Anthropic: `platform.claude.com/docs/en/build-with-claude/structured-outputs`, "JSON Schema limitations"
/// - Gemini: `ai.google.dev/api/generate-content`, `GenerationConfig.responseJsonSchema`
/// - Ollama: `grammars/README.md` of llama.cpp
/// - Bedrock: `docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html`, "Supported JSON Schema features"
/// - Cohere: `docs.cohere.com/v2/docs/structured-outputs`, "Schema constraints"
const fn keywords(target: SchemaTarget) -> &'static [&'static str] {
    match target {
        SchemaTarget::OpenAi => &["format", "minItems", "pattern"],
        SchemaTarget::Anthropic => &["format", "minItems", "pattern"],
        SchemaTarget::Gemini => &["format", "minItems", "propertyOrdering"],
        SchemaTarget::Ollama => &["minItems", "minLength", "pattern"],
        SchemaTarget::Bedrock => &["format", "minItems"],
        SchemaTarget::Cohere => &["format"],
        _ => &["$schema", "maxLength", "minItems", "pattern"],
    }
}

/// Keywords that every target documents.
const COMMON: [&str; 8] = [
    "additionalProperties",
    "anyOf",
    "description",
    "enum",
    "items",
    "properties",
    "required",
    "type",
];

/// Calls `each` with every schema in a schema.
fn visit<'s>(schema: &'s Value, each: &mut impl FnMut(&'s Map<String, Value>)) {
    let members = schema.as_object().unwrap();
    each(members);
    let properties = members.get("properties").and_then(Value::as_object);
    let ways = members.get("anyOf").and_then(Value::as_array);
    let inner = properties.into_iter().flat_map(Map::values);
    let inner = inner.chain(ways.into_iter().flatten());
    for inner in inner.chain(members.get("items")) {
        visit(inner, each);
    }
}

#[test]
fn schemas_keep_to_what_the_targets_document() {
    // 200 observations are within every limit.
    let many: Vec<_> = (0..200)
        .map(|index| json!({"class": "substrate.grep", "id": format!("src/file{index}.rs"), "ts": "2026-05-28T11:40:00Z"}))
        .collect();
    let file = serde_json::to_vec(&many).unwrap();
    let many = Observations::from_json(&file, &Vocabulary::memo()).unwrap();
    let many = SchemaTarget::ALL.iter().map(|&target| {
        let schema = memo().citing(&many).build(target).unwrap();
        ("many", target, schema)
    });
    for (set, target, schema) in schemas().chain(many) {
        assert_eq!(schema["type"], "object", "{set} {target}");
        let mut choices = 0;
        visit(&schema, &mut |members| {
            let shown = || format!("{set} {target}: {members:?}");
            for name in members.keys().map(String::as_str) {
                let is_known = COMMON.contains(&name) || keywords(target).contains(&name);
                assert!(is_known, "{name} in {}", shown());
            }
            choices += usize::from(members.contains_key("anyOf"));
            if let Some(Value::Object(properties)) = members.get("properties") {
                let required = members["required"].as_array().unwrap();
                let count = required.len();
                let is_complete = count == properties.len();
                // Cohere asks for one required property in an object, the others for all of them.
                assert!(
                    is_complete || target == SchemaTarget::Cohere && count > 0,
                    "{}",
                    shown()
                );
                assert_eq!(members["additionalProperties"], false, "{}", shown());
            }
            if let Some(Value::Array(all)) = members.get("enum") {
                assert!(all.iter().all(Value::is_string), "{}", shown());
            }
            if let Some(format) = members.get("format") {
                assert_eq!(format, "date-time", "{}", shown());
            }
            if target == SchemaTarget::Cohere {
                assert!(
                    members.get("type").is_none_or(Value::is_string),
                    "{}",
                    shown()
                );
            }
            if let Some(Value::String(pattern)) = members.get("pattern") {
                // Ollama copies a pattern to a grammar of the string as it is written, with its escapes; Anthropic has no look-around.
                assert!(!pattern.contains("(?"), "{}", shown());
                if target == SchemaTarget::Ollama {
                    assert!(
                        pattern.starts_with('^') && pattern.ends_with('$'),
                        "{}",
                        shown()
                    );
                    let rest = pattern.replace("[.]", "").replace("\\x", "");
                    assert!(!rest.contains('.') && !rest.contains(r"\d"), "{}", shown());
                }
            }
        });
        // Anthropic allows at most 16 properties with a choice of types.
        assert!(
            choices <= 16 || target != SchemaTarget::Anthropic,
            "{set} {target}: {choices}"
        );
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
