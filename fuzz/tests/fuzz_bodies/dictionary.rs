//! The fuzzers' dictionary has the words that the grammar has.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use provstream::provenance::Vocabulary;
use provstream_marc::{Draft, MarcKind, Profile, schema};
use serde_json::Value;

/// Words of the dictionary that are in no vocabulary, schema or corpus file.
const MORE: [&str; 55] = [
    // Brackets.
    "[",
    "]",
    ";",
    "=",
    "\"",
    "\\",
    "[substrate.",
    "; ts=",
    "; observation-id=",
    "observation_id",
    "1.0.",
    "2.0.",
    "2026-05-28T11:40:00Z",
    "23:59:60Z",
    "+02:00",
    "sha256:e3b0",
    // Lines.
    "`",
    "```\n",
    "~~~\n",
    "\n\n",
    "\r\n",
    "\n- ",
    "\n1. ",
    "\n# ",
    "\n> ",
    "\n| ",
    // Text.
    ". ",
    "\u{feff}",
    "\0",
    "\u{3002}",
    "\u{2019}",
    "\u{a0}",
    "\u{fffd}",
    // JSON.
    "{\"",
    "\":",
    "\",\"",
    "\"}",
    "}]",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\ud83d",
    "null",
    "-1.5e3",
    // Server-sent events.
    "data: ",
    "event: ",
    "id: ",
    "[DONE]",
    // Members that repeat the text of an answer.
    "__verbose",
    "completion_probabilities",
    "logprobsResult",
    "providerMetadata",
    "provider_specific_fields",
    "sourceContent",
    "top_tokens",
    // The letter of what a gate may withhold in made-up responses.
    "\u{436}",
];

fn file(path: &str) -> PathBuf {
    testkit::root().join(path)
}

/// All names of members, and the values of those that name a type.
fn names(value: &Value, found: &mut BTreeSet<Vec<u8>>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                found.insert(format!("\"{name}\":").into_bytes());
                if let ("type", Value::String(kind)) = (&**name, member) {
                    found.insert(format!("\"{kind}\"").into_bytes());
                }
                names(member, found);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| names(element, found)),
        _ => {}
    }
}

/// The names of the members that a schema has, and their values where these are listed.
fn schema_words(schema: &Value, found: &mut BTreeSet<Vec<u8>>) {
    match schema {
        Value::Object(members) => {
            for (name, member) in members {
                match (&**name, member) {
                    ("properties", Value::Object(properties)) => {
                        found.extend(
                            properties
                                .keys()
                                .map(|name| format!("\"{name}\":").into_bytes()),
                        );
                    }
                    ("enum", Value::Array(values)) => {
                        let texts = values.iter().filter_map(Value::as_str);
                        found.extend(texts.map(|text| format!("\"{text}\"").into_bytes()));
                    }
                    _ => {}
                }
                schema_words(member, found);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|one| schema_words(one, found)),
        _ => {}
    }
}

/// The events of all streams of the corpus.
fn events() -> Vec<Value> {
    let mut events = Vec::new();
    for entry in fs::read_dir(file("corpus/wire")).expect("a folder") {
        let path = entry.expect("a readable entry").path();
        if path.to_string_lossy().ends_with(".text.json") {
            continue;
        }
        let text = fs::read_to_string(path).expect("UTF-8");
        let whole = serde_json::from_str(&text).into_iter();
        let lines = text
            .lines()
            .map(|line| line.strip_prefix("data: ").unwrap_or(line));
        events.extend(whole.chain(lines.filter_map(|line| serde_json::from_str(line).ok())));
    }
    assert!(events.len() > 100);
    events
}

/// The dictionary in the format of AFL++ and libFuzzer.
fn dictionary() -> String {
    let mut words: BTreeSet<Vec<u8>> = MORE.iter().map(|word| word.as_bytes().to_vec()).collect();
    for (class, _) in Vocabulary::memo().classes() {
        words.insert(class.as_str().into());
        words.insert(format!(" [{class}]").into_bytes());
    }
    for name in [
        "assertion",
        "provenance",
        "substrate_class",
        "observation_id",
        "observation-id",
        "ts",
    ] {
        words.insert(format!("\"{name}\":").into_bytes());
    }
    for &draft in Draft::ALL {
        for kind in [MarcKind::Core, MarcKind::Disclosure] {
            let schema = schema(kind, Profile::new(draft));
            schema_words(&serde_json::from_str(&schema).expect("JSON"), &mut words);
        }
    }
    events().iter().for_each(|event| names(event, &mut words));
    let example = fs::read_to_string(file("corpus/marc/deployment.toml")).expect("UTF-8");
    let keys = example.lines().filter_map(|line| line.split_once(" = "));
    words.extend(
        keys.filter(|(key, _)| !key.contains(['#', ' ']))
            .map(|(key, _)| format!("\n{key} = ").into_bytes()),
    );
    words.extend(
        [
            "version = \"1.1\"\n",
            "[[class]]\n",
            "id = \"",
            "since = \"",
        ]
        .map(|word| word.as_bytes().to_vec()),
    );
    let mut text = String::from(
        "# The grammar's words, for AFL++ and libFuzzer. Written by fuzz/tests/fuzz_bodies/dictionary.rs.\n",
    );
    for word in words {
        text.push('"');
        for byte in word {
            match byte {
                b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
                b' '..=b'~' => text.push(char::from(byte)),
                _ => text += &format!("\\x{byte:02X}"),
            }
        }
        text += "\"\n";
    }
    text
}

/// With `PROVSTREAM_WRITE_DICTIONARY` set, the file is written.
#[test]
fn the_dictionary_has_the_words_of_the_grammar() {
    let path = file("fuzz/dictionary.txt");
    let expected = dictionary();
    if std::env::var_os("PROVSTREAM_WRITE_DICTIONARY").is_some() {
        fs::write(&path, &expected).expect("a writable file");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "fuzz/dictionary.txt is stale: PROVSTREAM_WRITE_DICTIONARY=1 cargo test -p provstream-fuzz dictionary"
    );
}
