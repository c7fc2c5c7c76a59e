//! Citation dialects of a route.

use provstream::provenance::Vocabulary;
use provstream_route::{RouteError, Routes};
use serde_json::Value;

use crate::audits::{Lines, event};
use crate::{REPLACE, filter, route, sse, through};

const BODY: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Paris [1\"}}]}\n\n\
                    data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"] is big【4:0†a.pdf】.\"}}]}\n\n\
                    data: [DONE]\n\n";

#[test]
fn markers_are_removed_in_the_dialects_of_the_route() {
    for (more, texts) in [
        ("", ["Paris", " [1] is big【4:0†a.pdf】."]),
        ("dialects = []", ["Paris", " [1] is big【4:0†a.pdf】."]),
        (
            "dialects = [\"numeric\"]",
            ["Paris", " is big【4:0†a.pdf】."],
        ),
        (
            "dialects = [\"numeric\", \"openai-file\"]",
            ["Paris", " is big."],
        ),
    ] {
        let routes = route("strip", more, REPLACE);
        for size in [1, 7, usize::MAX] {
            let mut filter = filter(&routes, &sse("/"));
            let (out, _) = through(&mut filter, BODY.as_bytes(), size);
            let expected = BODY
                .replace("Paris [1", texts[0])
                .replace("] is big【4:0†a.pdf】.", texts[1]);
            assert_eq!(String::from_utf8_lossy(&out), expected, "{more} by {size}");
        }
    }
}

#[test]
fn a_dialect_may_be_a_file() {
    let file = "[[route]]\npath = \"*\"\naction = \"strip\"\ndialects = [\"own.toml\"]\n";
    let own = "name = \"own\"\n[[marker]]\nopen = '\\{'\nid = '[0-9]+'\nclose = '\\}'\n";
    let read = |name: &str| match name {
        "own.toml" => Ok(own.to_owned()),
        _ => Err("it is not there"),
    };
    let routes = Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), read).expect("routes");
    let mut filter = filter(&routes, &sse("/"));
    let body = BODY.replace("[1", "{1").replace("] is", "} is");
    let (out, _) = through(&mut filter, body.as_bytes(), 7);
    let out = String::from_utf8(out).expect("UTF-8");
    assert!(
        out.contains("\"Paris\"") && out.contains("\" is big"),
        "{out}"
    );
}

#[test]
fn wrong_dialects_are_errors_with_their_place() {
    let error = |action: &str, dialects: &str| {
        let file =
            format!("[[route]]\npath = \"*\"\naction = \"{action}\"\ndialects = {dialects}\n");
        let none = |_: &str| Err("no files here");
        let found = Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), none);
        found.expect_err("wrong").to_string()
    };
    assert_eq!(
        error("strip", "[\"numeric\", \"numbers\"]"),
        "line 4, column 24: expected one of \"openai-file\", \"openai-web\", \"file-token\", \"numeric\", \"doc\", \"citation\", \
         \"cohere\", \"cite-tag\", \"nova\", or the path of a file, for \"dialects\", found \"numbers\""
    );
    assert_eq!(
        error("pass", "[\"numeric\"]"),
        "line 4, column 12: expected \"dialects\" only with action \"strip\" or \"gate\", found it with action \"pass\""
    );
    assert_eq!(
        error("strip", "[\"own.toml\"]"),
        "line 4, column 13: dialect \"own.toml\": no files here"
    );
    assert!(error("strip", "\"numeric\"").contains("line 4"));
    assert!(error("strip", "[1]").contains("line 4"));
}

/// A policy that withholds what cites an unknown source.
const POLICY: &str = "[route.policy]\nfloor = 1\ndefault_window = \"1h\"\ninadmissible = { action = \"release\" }\n\
    unknown_source = { action = \"replace\", text = \"(withheld)\" }\n";

const SOURCES: &str = "{\"sources\": [{\"id\": \"1\", \"title\": \"Cities\"}, {\"id\": \"2\"}]}";

fn cited(more: &str, policy: &str) -> Result<Routes, RouteError> {
    let file = format!("[[route]]\npath = \"*\"\naction = \"gate\"\n{more}\n{policy}");
    let read = |name: &str| match name {
        "sources.json" => Ok(SOURCES.to_owned()),
        "bad.json" => Ok("[{\"id\": \"1\", \"ts\": \"today\"}]".to_owned()),
        _ => Err("it is not there"),
    };
    Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), read)
}

#[test]
fn a_gate_withholds_invented_citations_and_its_log_and_counts_say_why() {
    let deltas = [
        "Paris is big [1",
        "]. Rome is big",
        "ger [2][7",
        "]. So it is.",
    ];
    let body: String = deltas.map(|text| event(0, text)).concat() + "data: [DONE]\n\n";
    for sources in ["\"sources.json\"", "[\"1\", \"2\"]"] {
        let more = format!("dialects = [\"numeric\"]\nsources = {sources}");
        let routes = cited(&more, POLICY).expect("routes");
        for size in [1, 7, usize::MAX] {
            let lines = Lines::default();
            let mut filter = filter(&routes, &sse("/")).with_audit(lines.clone(), "log", "s");
            let (out, _) = through(&mut filter, body.as_bytes(), size);
            let out = String::from_utf8(out).expect("UTF-8");
            assert!(!out.contains("bigger") && !out.contains("Rome"), "{out}");
            assert!(
                out.contains("(withheld)") && out.contains("So it is."),
                "{out}"
            );
            let lines = lines.0.lock().expect("a test");
            let of = |line: &Value| {
                [&line["disposition"], &line["annotations"][0]["reason"]]
                    .map(|value| value.to_string())
            };
            let found: Vec<_> = lines.iter().map(of).collect();
            let listed = ["\"listed-source\"", "null"].map(str::to_owned);
            let unknown = ["\"unknown-source\"", "\"unknown-source\""].map(str::to_owned);
            assert_eq!(found, [listed, unknown], "{lines:?}");
            // For a policy, a citation is an assertion.
            let outcome = filter.outcome();
            assert_eq!((outcome.assertions(), outcome.citations()), (2, 2));
            let ids: Vec<_> = outcome.cited_ids().collect();
            assert_eq!(ids, [("listed", 2), ("unknown-source", 1)]);
            let counts: Vec<_> = outcome
                .decisions()
                .map(|found| (found.disposition(), found.action(), found.count()))
                .collect();
            assert_eq!(
                counts,
                [
                    ("listed-source", "release", 1),
                    ("unknown-source", "replace", 1)
                ]
            );
        }
    }
}

#[test]
fn wrong_sources_are_errors_with_their_place() {
    let error = |more: &str, policy: &str| cited(more, policy).expect_err("wrong").to_string();
    let needs = error("", POLICY);
    assert!(
        needs.starts_with("line 5, column")
            && needs.contains("expected \"dialects\" and \"sources\" for a policy"),
        "{needs}"
    );
    let needs = error("dialects = [\"numeric\"]", POLICY);
    assert!(needs.contains("need a list of sources"), "{needs}");
    let plain = "[route.policy]\nfloor = 1\ndefault_window = \"1h\"\ninadmissible = { action = \"release\" }\n";
    assert!(cited("dialects = [\"numeric\"]", plain).is_ok());
    for alone in ["sources = [\"1\"]", "dialects = []\nsources = [\"1\"]"] {
        let alone = error(alone, plain);
        assert!(
            alone.contains("expected \"sources\" only with \"dialects\""),
            "{alone}"
        );
    }
    let typed = error("dialects = \"numeric\"\nsources = [\"1\"]", plain);
    assert!(
        typed.starts_with("line 4, column 12") && typed.contains("for \"dialects\""),
        "{typed}"
    );
    let with = |sources: &str| {
        error(
            &format!("dialects = [\"numeric\"]\nsources = {sources}"),
            plain,
        )
    };
    assert_eq!(
        with("\"none.json\""),
        "line 5, column 11: sources \"none.json\": it is not there"
    );
    assert_eq!(
        with("\"bad.json\""),
        "line 5, column 11: sources \"bad.json\": source `1`: expected a time such as 2026-05-28T11:40:00Z in \"ts\", found `today`"
    );
    for wrong in ["\"\"", "1", "[1]"] {
        assert!(with(wrong).starts_with("line 5"), "{}", with(wrong));
    }
}

/// Without dialects there are no citations; without sources, none has a list.
#[test]
fn a_policy_about_missing_lists_needs_dialects() {
    let policy = POLICY.replace("unknown_source", "no_source_list");
    for none in ["", "dialects = []"] {
        let error = cited(none, &policy).expect_err("wrong").to_string();
        assert!(
            error.contains("expected \"dialects\" for a policy with the rule [no_source_list]"),
            "{error}"
        );
    }
    assert!(cited("dialects = [\"numeric\"]", &policy).is_ok());
}
