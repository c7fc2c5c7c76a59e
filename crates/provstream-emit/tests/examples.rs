//! Examples from transcripts, and files of observations.

mod common;

use common::corpus;
use provstream::provenance::Vocabulary;
use provstream_emit::{ExampleError, GrammarTarget, Observations, Prompt, example_pair};
use serde_json::{Value, json};

fn pair(value: &Value) -> Result<(Value, Value), ExampleError> {
    let line = value.to_string();
    let pair = example_pair(line.as_bytes(), "Annotate.\n", &Vocabulary::memo())?;
    Ok((pair.annotated().clone(), pair.unannotated().clone()))
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
        Err(ExampleError::Faulty(2))
    );
    for (wrong, message) in [
        ("", "not JSON: EOF while parsing a value at line 1 column 0"),
        ("[]", "expected an object with an array \"messages\""),
        (
            "{\"messages\": {}}",
            "expected an object with an array \"messages\"",
        ),
        (
            "{\"messages\": [1]}",
            "message 1: expected an object with a string \"role\"",
        ),
        (
            "{\"messages\": [{\"role\": 1}]}",
            "message 1: expected an object with a string \"role\"",
        ),
        (
            "{\"messages\": [{\"role\": \"assistant\", \"content\": []}]}",
            "message 1: expected a string as \"content\", found an array",
        ),
    ] {
        let error = example_pair(wrong.as_bytes(), "", &Vocabulary::memo()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let long = vec![b' '; (8 << 20) + 1];
    assert!(example_pair(&long, "", &Vocabulary::memo()).is_err());
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
                let plain = pair.unannotated()["messages"][1]["content"]
                    .as_str()
                    .unwrap();
                assert!(plain.len() < text.len());
                assert_eq!(pair.annotated()["messages"][2]["content"], text.as_str());
            }
            Err(error) => assert!(matches!(error, ExampleError::Faulty(_)), "{error}"),
        }
    }
    // Each of the seven has faults on purpose; what is cut off before the first fault has none.
    assert_eq!(given, 0);
}

#[test]
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
        ("", "not JSON: EOF while parsing a value at line 1 column 0"),
        ("{}", "expected an array of observations, found an object"),
        ("[1]", "observation 1: expected an object, found a number"),
        (
            "[{\"id\": \"a\"}]",
            "observation 1: the member \"class\" is missing",
        ),
        (
            "[{\"class\": \"substrate.grep\"}]",
            "observation 1: the member \"id\" is missing",
        ),
        (
            "[{\"class\": \"substrate.grep\", \"id\": 7}]",
            "observation 1: expected a string for \"id\", found a number",
        ),
        (
            "[{\"class\": \"substrate.grep\", \"id\": \"a\", \"time\": \"x\"}]",
            "observation 1: unknown member \"time\", expected \"class\", \"id\", \"ts\" or \"summary\"",
        ),
        (
            "[{\"class\": \"substrate.telepathy\", \"id\": \"a\"}]",
            "observation 1: \"substrate.telepathy\" is not a class of the vocabulary",
        ),
        (
            "[{\"class\": \"unverified-inference\", \"id\": \"a\"}]",
            "observation 1: \"unverified-inference\" is a terminal, which nothing is observed by",
        ),
        (
            "[{\"class\":\"substrate.grep\",\"id\":\"a\"},{\"class\":\"substrate.grep\",\"id\":\"a\",\"ts\":\"2026-05-28T11:40:00Z\"}]",
            "observation 2: the class and the id \"a\" occur twice",
        ),
    ] {
        assert_eq!(read(file).unwrap_err().to_string(), message);
    }
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
        "at most 4096 observations can be listed, found 4097"
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
