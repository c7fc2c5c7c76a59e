//! Examples from transcripts, and files of observations.

mod common;

use common::corpus;
use provstream::provenance::Vocabulary;
use provstream_emit::{ExampleError, GrammarTarget, Observations, Prompt, example_pair};
use serde_json::{Value, json};

fn pair(value: &Value) -> Result<(Value, Value), ExampleError> {
    let line = value.to_string();
    let pair = example_pair(line.as_bytes(), "Annotate.\n", &Vocabulary::memo())?;
    let read = |line: &str| serde_json::from_str(line).unwrap();
    Ok((read(pair.annotated()), read(pair.unannotated())))
}

#[test]
fn both_conversations_come_of_one() {
    let (annotated, plain) = pair(&json!({
        "id": 7,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Is it? [substrate.grep]"},
            {"role": "assistant", "content": "It is.  [substrate.grep] [substrate.git.log]\nReally. [unverified-inference]", "weight": 1},
            {"role": "assistant", "content": null, "tool_calls": []},
            {"role": "assistant", "content": "Done."}
        ]
    }))
    .unwrap();
    assert_eq!(
        annotated["messages"][0]["content"],
        "Annotate.\n\nBe brief."
    );
    assert_eq!(plain["messages"][0]["content"], "Be brief.");
    assert_eq!(plain["messages"][1]["content"], "Is it? [substrate.grep]");
    assert_eq!(
        plain["messages"][2],
        json!({"role": "assistant", "content": "It is.\nReally.", "weight": 1})
    );
    assert_eq!(plain["messages"][3], annotated["messages"][3]);
    assert_eq!((&plain["id"], &annotated["id"]), (&json!(7), &json!(7)));
}

#[test]
fn what_teaches_faults_or_nothing_is_refused() {
    let answer = |content: &str| json!({"messages": [{"role": "assistant", "content": content}]});
    assert_eq!(pair(&answer("So.")), Err(ExampleError::Unannotated));
    assert_eq!(
        pair(&answer(
            "So. [substrate.telepathy] [substrate.grep] [substrate.grep; x]"
        )),
        Err(ExampleError::Faulty {
            count: 2,
            first: "message 1: unknown-identifier, found \"substrate.telepathy\"".into()
        })
    );
    // What a reader has a diagnostic for.
    let long = format!("So. [substrate.grep; observation-id={}]", "a".repeat(2_000));
    for (content, code) in [
        ("Hi. [substrate.grep; ts=2026]", "invalid-ts"),
        (
            "Hi. [substrate.grep] and [substrate.grep; observation-id=a",
            "unterminated",
        ),
        ("[substrate.grep]", "no-assertion"),
        (long.as_str(), "limit-annotation"),
    ] {
        let error = pair(&answer(content)).unwrap_err().to_string();
        assert_eq!(error, format!("message 1: {code} (1 in all)"), "{content}");
    }
    for (wrong, message) in [
        ("", "column 1: expected JSON, found nothing"),
        (
            "[1,\n",
            "expected one conversation a line, found one that goes on in the next line or is not complete; `jq -c .` writes each on one line",
        ),
        (
            "[]",
            "expected an object with an array \"messages\", found an array",
        ),
        (
            "{}",
            "expected an object with an array \"messages\", found one without \"messages\"",
        ),
        (
            "{\"messages\": []}",
            "expected a message with the role \"assistant\", found no messages",
        ),
        (
            "{\"messages\": [{\"role\": \"user\"}, {\"role\": \"bot\"}, {\"role\": \"user\"}]}",
            "expected a message with the role \"assistant\", found \"user\", \"bot\"",
        ),
        (
            "{\"messages\": [], \"messages\": []}",
            "expected each member once, found \"messages\" again",
        ),
        (
            "{\"messages\": {}}",
            "\"messages\": expected an array, found an object",
        ),
        (
            "{\"messages\": [1]}",
            "message 1: expected an object with a string \"role\", found a number",
        ),
        (
            "{\"messages\": [{\"role\": 1}]}",
            "message 1: \"role\": expected a string, found a number",
        ),
        (
            "{\"messages\": [{}]}",
            "message 1: expected an object with a string \"role\", found one without \"role\"",
        ),
        (
            "{\"messages\": [{\"role\": \"assistant\", \"content\": []}]}",
            "message 1: expected a string or null as \"content\" of the assistant, found an array",
        ),
        (
            "{\"messages\": [{\"role\": \"assistant\", \"content\": 5}]}",
            "message 1: expected a string or null as \"content\" of the assistant, found a number",
        ),
    ] {
        let error = example_pair(wrong.as_bytes(), "", &Vocabulary::memo()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let long = vec![b' '; (8 << 20) + 1];
    assert!(example_pair(&long, "", &Vocabulary::memo()).is_err());
}

/// Whatever shape the system message has, the instructions are in it once, and its own text stays.
#[test]
fn the_instructions_join_the_system_message() {
    let part = |text: &str| json!({"type": "text", "text": text});
    for (system, annotated, plain) in [
        (
            json!("Be nice."),
            json!("Annotate.\n\nBe nice."),
            Some(json!("Be nice.")),
        ),
        (json!(""), json!("Annotate."), Some(json!(""))),
        (Value::Null, json!("Annotate."), Some(Value::Null)),
        (json!("Annotate."), json!("Annotate."), None),
        (
            json!("Annotate.\n\nBe nice."),
            json!("Annotate.\n\nBe nice."),
            Some(json!("Be nice.")),
        ),
        (
            json!([part("BE NICE")]),
            json!([part("Annotate."), part("BE NICE")]),
            Some(json!([part("BE NICE")])),
        ),
        (
            json!([part("Annotate.\n"), part("BE NICE")]),
            json!([part("Annotate.\n"), part("BE NICE")]),
            Some(json!([part("BE NICE")])),
        ),
        (json!([part("Annotate.")]), json!([part("Annotate.")]), None),
    ] {
        let answer = json!({"role": "assistant", "content": "It is. [substrate.grep]"});
        let line = json!({"messages": [{"role": "system", "content": system}, answer]});
        let (marked, clean) = pair(&line).unwrap();
        assert_eq!(marked["messages"][0]["content"], annotated, "{line}");
        assert_eq!(marked["messages"][1], answer);
        let first = &clean["messages"][0];
        match plain {
            Some(plain) => assert_eq!(first["content"], plain, "{line}"),
            None => assert_eq!(first["content"], "It is.", "{line}"),
        }
    }
    let wrong = json!({"messages": [{"role": "system", "content": 7}, {"role": "assistant", "content": "It is. [substrate.grep]"}]});
    assert_eq!(
        pair(&wrong).unwrap_err().to_string(),
        "message 1: expected a string, an array or null as \"content\" of the system, found a number"
    );
}

#[test]
fn what_is_not_changed_stays_as_it_is_written() {
    let line = "{\"n\":12345678901234567890123,\"f\":1.10,\"e\":1e400,\n\"messages\":[\n{\"role\": \"user\",\"name\":\"\\u0041\"},{\"role\":\"assistant\",\"content\":\"So. [substrate.grep]\",\"x\":[ 1.0 ]}]}\n";
    let made = example_pair(line.as_bytes(), "Annotate.", &Vocabulary::memo()).unwrap();
    assert_eq!(
        made.unannotated(),
        "{\"n\":12345678901234567890123,\"f\":1.10,\"e\":1e400,\"messages\":[{\"role\": \"user\",\"name\":\"\\u0041\"},{\"role\":\"assistant\",\"content\":\"So.\",\"x\":[ 1.0 ]}]}"
    );
    assert!(!made.annotated().contains('\n'));
}

/// The transcripts of the corpus: some have faults on purpose, all others give examples that differ in the annotations alone.
#[test]
fn transcripts_of_the_corpus() {
    let prompt = Prompt::new(&Vocabulary::memo()).build();
    let mut given = 0;
    for path in corpus("transcripts") {
        let text = std::fs::read_to_string(&path).unwrap();
        let line = json!({"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": text}]}).to_string();
        match example_pair(line.as_bytes(), prompt.text(), &Vocabulary::memo()) {
            Ok(pair) => {
                given += 1;
                let read = |line: &str| serde_json::from_str::<Value>(line).unwrap();
                let plain = read(pair.unannotated());
                let plain = plain["messages"][1]["content"].as_str().unwrap();
                assert!(plain.len() < text.len());
                let annotated = read(pair.annotated());
                assert_eq!(annotated["messages"][2]["content"], text.as_str());
            }
            Err(error) => assert!(matches!(error, ExampleError::Faulty { .. }), "{error}"),
        }
    }
    // Each of the seven has faults on purpose; what is cut off before the first fault has none.
    assert_eq!(given, 0);
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
fn wrong_observations_are_refused_with_their_place() {
    let read = |file: &str| Observations::from_json(file.as_bytes(), &Vocabulary::memo());
    assert!(read("\u{feff}[]").unwrap().is_empty());
    assert_eq!(
        read(r#"[{"class":"substrate.grep","id":"a","ts":null,"summary":" "}]"#)
            .unwrap()
            .len(),
        1
    );
    for (file, message) in [
        (
            "",
            "line 1, column 1: expected an array of observations, such as [{\"class\": \"substrate.grep\", \"id\": \"src/a.rs:7\"}], found an empty file",
        ),
        (
            "[\n{]",
            "line 2, column 2: expected a name in double quotes, found \"]\"",
        ),
        (
            "[]\n[]",
            "line 2, column 1: expected one JSON value, found more after it: \"[]\"",
        ),
        (
            "{}\n{}",
            "line 2, column 1: expected one JSON value, found more after it: \"{}\"; put the observations in one array: [{…}, {…}]",
        ),
        (
            "[\n {\"id\": \"a\"}]",
            "line 2, column 2: observation 1: the member \"class\" is missing, such as \"class\": \"substrate.grep\"",
        ),
        (
            "{}",
            "line 1, column 1: expected an array of observations, such as [{\"class\": \"substrate.grep\", \"id\": \"src/a.rs:7\"}], found an object",
        ),
        ("[1]", "observation 1: expected an object, found a number"),
        (
            "[{\"id\": \"a\"}]",
            "observation 1: the member \"class\" is missing, such as \"class\": \"substrate.grep\"",
        ),
        (
            "[{\"class\": \"substrate.grep\"}]",
            "observation 1: the member \"id\" is missing, such as \"id\": \"src/a.rs:7\"",
        ),
        (
            "[{\"class\": \"substrate.grep\", \"id\": 7}]",
            "observation 1: \"id\": expected a string, found a number",
        ),
        (
            "[{\"class\": \"substrate.grep\", \"id\": null}]",
            "observation 1: \"id\": expected a string, found null",
        ),
        (
            "[{\"class\": \"substrate.grep\", \"id\": \"a\", \"id\": \"b\"}]",
            "observation 1: expected each member once, found \"id\" again",
        ),
        (
            "[{\"class\": \"substrate.grep\", \"id\": \"a\", \"time\": \"x\"}]",
            "observation 1: unknown member \"time\", expected \"class\", \"id\", \"ts\" or \"summary\"",
        ),
        (
            "[{\"class\": \"substrate.telepathy\", \"id\": \"a\"}]",
            "observation 1: \"class\": expected a class of vocabulary 1.0 (substrate.git.log, substrate.grep, substrate.code.read, substrate.fs.mtime, substrate.mcp.brief, substrate.do.sse-count, substrate.unix.peercred), found \"substrate.telepathy\"",
        ),
        (
            "[{\"class\": \"1.0.substrate.grep\", \"id\": \"a\"}]",
            "observation 1: \"class\": expected \"substrate.grep\" without a version, found \"1.0.substrate.grep\"",
        ),
        (
            "[{\"class\": \"unverified-inference\", \"id\": \"a\"}]",
            "observation 1: \"class\": expected a class of what was observed, found the terminal \"unverified-inference\"",
        ),
        (
            "[{\"class\":\"substrate.grep\",\"id\":\"b\"},{\"class\":\"substrate.grep\",\"id\":\"a\"},{\"class\":\"substrate.grep\",\"id\":\"a\",\"ts\":\"2026-05-28T11:40:00Z\"}]",
            "observation 3: expected another class or id than substrate.grep and \"a\" of observation 2",
        ),
        (
            "[{\"class\":\"substrate.grep\",\"id\":\"b\"},{\"class\":\"substrate.grep\",\"id\":\"a\",\"ts\":\"yesterday\"}]",
            "observation 2: \"ts\": expected a time such as 2026-05-28T12:00:00Z, found \"yesterday\"",
        ),
        (
            "[{\"class\":\"substrate.grep\",\"id\":\"a\",\"summary\":\"x\\ny\"}]",
            "observation 1: \"summary\": expected one line without control characters, found U+000A at byte 1",
        ),
    ] {
        let said = read(file).unwrap_err().to_string();
        assert!(said.ends_with(message), "{said}\n{message}");
        assert!(said.starts_with("line "), "{said}");
    }
    // Characters that end a line or turn it round in a prompt.
    for c in [
        "\u{2028}", "\u{2029}", "\u{85}", "\u{202e}", "\u{2066}", "\u{9b}",
    ] {
        for member in ["id", "summary"] {
            let mut item = json!({"class": "substrate.grep", "id": "a"});
            item[member] = json!(format!("a{c}b"));
            let error = read(&json!([item]).to_string()).unwrap_err().to_string();
            assert!(
                error.contains(member) && error.ends_with("at byte 1"),
                "{error}"
            );
        }
    }
    let summary = json!([{"class": "substrate.grep", "id": "a", "summary": "x".repeat(501)}]);
    assert_eq!(
        read(&summary.to_string()).unwrap_err().to_string(),
        "line 1, column 2: observation 1: \"summary\": expected at most 500 bytes, found 501"
    );
    assert_eq!(
        read(&" ".repeat((1 << 20) + 1)).unwrap_err().to_string(),
        "expected at most 1048576 bytes (1 MiB), found 1048577"
    );
    for broken in ["\"\"", "\"a\\nb\"", "\"\\u0007\""] {
        assert!(
            read(&format!(
                "[{{\"class\":\"substrate.grep\",\"id\":{broken}}}]"
            ))
            .is_err(),
            "{broken}"
        );
    }
    for ts in ["yesterday", "2026-02-30T00:00:00Z"] {
        assert!(
            read(&format!(
                "[{{\"class\":\"substrate.grep\",\"id\":\"a\",\"ts\":\"{ts}\"}}]"
            ))
            .is_err(),
            "{ts}"
        );
    }
    let long = "x".repeat(1_100);
    assert!(
        read(&format!(
            "[{{\"class\":\"substrate.grep\",\"id\":\"{long}\"}}]"
        ))
        .is_err()
    );
    let many: Vec<_> = (0..4_097)
        .map(|index| json!({"class": "substrate.grep", "id": index.to_string()}))
        .collect();
    let error = read(&Value::from(many).to_string()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected at most 4096 observations, found 4097"
    );
    assert_eq!(error.index(), None);
}

#[test]
fn names_are_parsed_and_explained() {
    assert_eq!("gbnf".parse(), Ok(GrammarTarget::Gbnf));
    let error = "GBNF".parse::<GrammarTarget>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown grammar target \"GBNF\", expected one of \"lark\", \"gbnf\", \"ebnf\", \"regex\", \"structural-tag\", \"structural-tag-legacy\""
    );
}

#[test]
fn an_observation_has_a_place_in_its_file() {
    let file = "\u{feff}[{\"class\":\"substrate.grep\",\"id\":\"é\"},\n  {\"class\":\"substrate.grep\",\"id\":\"b\"}]";
    let places: Vec<_> = (0..3)
        .map(|index| Observations::place(file.as_bytes(), index))
        .map(|place| place.map(|place| place.to_string()))
        .collect();
    let expected = ["line 1, column 2", "line 2, column 3"].map(|place| Some(place.to_owned()));
    assert_eq!(places, [&expected[..], &[None]].concat());
    assert_eq!(Observations::place(b"{}", 0), None);
    assert_eq!(Observations::place(b"[\"\xff\"]", 0), None);
}
