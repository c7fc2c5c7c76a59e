//! `provstream marc`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{Files, Run, run};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../corpus/marc")
        .join(name)
}

/// An example of the drafts.
fn vector(name: &str) -> String {
    fs::read_to_string(corpus(name)).unwrap()
}

fn ok(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    let run = run(&[&["marc"], args].concat(), input);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{args:?}");
    run
}

fn values(run: &Run) -> Vec<Value> {
    let lines = run.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Code, level and pointer of each violation in a line.
fn violations(line: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    line["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| {
            (
                text(&found["code"]),
                text(&found["level"]),
                text(&found["pointer"]),
            )
        })
        .collect()
}

fn violation(code: &str, level: &str, pointer: &str) -> (String, String, String) {
    (code.into(), level.into(), pointer.into())
}

/// TV-M1-1 to TV-M1-9, TV-M2-1 to TV-M2-7
#[test]
fn every_example_is_valid_under_its_draft_and_comes_back_as_it_was() {
    for (draft, count) in [("01", 9), ("02", 7)] {
        for number in 1..=count {
            let text = vector(&format!("tv-m{}-{number}.json", &draft[1..]));
            for strict in [&[][..], &["--strict"]] {
                let run = ok(
                    &[&["validate", "--fail", "--draft", draft], strict].concat(),
                    &text,
                );
                let [line] = &values(&run)[..] else {
                    panic!("{}", run.stdout)
                };
                assert_eq!(line["valid"], true, "{}", run.stdout);
                assert_eq!(violations(line), []);
                assert_eq!(
                    line["record"],
                    serde_json::from_str::<Value>(&text).unwrap()
                );
            }
        }
    }
}

#[test]
fn the_draft_decides() {
    let run = ok(&["validate"], vector("tv-m1-2.json"));
    let line = &values(&run)[0];
    assert_eq!(line["valid"], false);
    assert_eq!(
        violations(line),
        [violation("missing-member", "must", "/confidence_target")]
    );
    let run = ok(&["validate", "--draft=01"], vector("tv-m2-2.json"));
    let line = &values(&run)[0];
    assert_eq!(line["valid"], true);
    assert_eq!(
        violations(line),
        [
            violation("unknown-member", "should", "/decision_id"),
            violation("unknown-member", "should", "/confidence_target"),
        ]
    );
    let run = ok(
        &["validate", "--draft=01", "--strict"],
        vector("tv-m2-2.json"),
    );
    assert_eq!(values(&run)[0]["valid"], false);
}

#[test]
fn a_gate_fails_on_what_is_not_valid_and_on_what_is_no_json() {
    let valid = vector("tv-m2-2.json");
    let other = valid.replace("\"low\"", "\"LOW\"");
    for (input, status) in [
        (valid.clone(), 0),
        (String::new(), 0),
        ("{\"other\":1}".to_owned(), 0),
        ("{\"assertion\":\"a\",\"assertion\":\"b\"}".to_owned(), 0),
        (other.clone(), 3),
        (format!("{valid}{other}{valid}"), 3),
        (format!("{valid}}}"), 3),
        (valid.trim_end().trim_end_matches('}').to_owned(), 3),
    ] {
        let gate = run(&["marc", "validate", "--fail"], &input);
        assert_eq!((gate.status, gate.stderr.as_str()), (status, ""), "{input}");
        assert_eq!(run(&["marc", "validate"], &input).status, 0);
    }
    let gate = run(&["marc", "validate", "--fail", "--max-record=100"], &valid);
    assert_eq!(gate.status, 3);
    let line: Value = serde_json::from_str(gate.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(violations(&line), [violation("limit-record", "must", "")]);
    assert_eq!(line.get("record"), None);
}

#[test]
fn records_are_held_against_those_before_on_demand() {
    let retrieve = vector("tv-m2-5.json");
    let stream = [&*retrieve, &vector("tv-m2-4.json"), &retrieve].concat();
    for line in values(&ok(&["validate"], &stream)) {
        assert_eq!(violations(&line), []);
    }
    let lines = values(&ok(&["validate", "--session", "--fail"], &stream));
    assert_eq!(violations(&lines[0]), []);
    assert_eq!(
        violations(&lines[1]),
        [violation("missing-parent", "should", "/parent_decision_id")]
    );
    assert_eq!(
        violations(&lines[2]),
        [violation("repeated-decision-id", "should", "/decision_id")]
    );
}

/// M2-124: the example of appendix A, and the record's own words without texts of the caller.
#[test]
fn a_record_is_projected_to_what_may_be_shown() {
    let run = ok(
        &[
            "project",
            "--answer=Which jurisdiction and tax year should I use?",
            "--next-step=provide the jurisdiction and tax year",
        ],
        vector("tv-m2-2.json"),
    );
    let line = &values(&run)[0];
    assert_eq!(line["event"], "disclosure");
    assert_eq!(
        line["disclosure"],
        serde_json::from_str::<Value>(&vector("tv-m2-3.json")).unwrap()
    );
    assert_eq!(line.get("findings"), None);

    let run = ok(&["project", "--hide-action"], vector("tv-m2-7.json"));
    let line = &values(&run)[0];
    assert_eq!(line["disclosure"].get("selected_action"), None);
    assert_eq!(
        line["disclosure"]["recommended_next_step"],
        "escalate to a qualified human reviewer"
    );
    // No score is among it.
    assert!(!run.stdout.contains("0."), "{}", run.stdout);
}

#[test]
fn nothing_is_shown_of_a_round_unless_asked_for() {
    let run = ok(&["project"], vector("tv-m2-5.json"));
    assert_eq!(
        run.stdout,
        "{\"event\":\"deferred\",\"span\":{\"start\":0,\"end\":536},\"pointer\":\"\",\"action\":\"RETRIEVE\"}\n"
    );
    let run = ok(&["project", "--interim"], vector("tv-m2-5.json"));
    assert_eq!(values(&run)[0]["event"], "disclosure");
}

#[test]
fn what_cannot_be_shown_is_told() {
    let answer = vector("tv-m2-2.json")
        .replace("CLARIFY", "ANSWER")
        .replace("direct_answer_suitability", "answer")
        .replace(
            "\"post_answer_confidence\": null",
            "\"post_answer_confidence\": 0.9",
        );
    let lines = values(&ok(&["project"], &answer));
    assert_eq!(lines[0]["event"], "refused");
    assert!(lines[0]["message"].as_str().unwrap().contains("answer"));
    let lines = values(&ok(&["project", "--answer="], &answer));
    assert_eq!(
        lines[0]["message"],
        "the disclosure would not be valid: must M2-117 /answer: `answer` must have content; it is empty"
    );
    let lines = values(&ok(
        &["project", "--answer=It is.", "--next-step=I feel sure"],
        &answer,
    ));
    assert_eq!(lines[0]["findings"][0]["member"], "recommended_next_step");
    assert_eq!(lines[0]["findings"][0]["kind"], "anthropomorphic");
    let lines = values(&ok(&["project"], answer.replace("low", "LOW")));
    assert_eq!(
        (&lines[0]["event"], &lines[0]["valid"]),
        (&"marc".into(), &false.into())
    );
}

const DEPLOYMENT: &str = "\
name = \"test\"\nclasses = [\"core\"]\n\
[bands]\ncalibration_profile = \"test-1\"\nmedium_from = 0.4\nhigh_from = 0.75\n\
[bounds]\nretrieve = { count = 1, time = \"20s\", cost = 10 }\n\
tool = { count = 1, time = \"20s\", cost = 10 }\ndeliberate = { count = 1, time = \"20s\", cost = 10 }\n";

#[test]
fn disclosures_are_worded_as_the_deployment_says() {
    let described = corpus("deployment.toml");
    let described = described.to_str().unwrap();
    let shown = ok(
        &["project", "--deployment", described],
        vector("tv-m2-2.json"),
    );
    let answer = &values(&shown)[0]["disclosure"]["answer"];
    assert_eq!(
        answer,
        "To answer this, one more detail is needed: the request is ambiguous."
    );
    // Labels that cannot be told apart are not replaced by others in silence.
    let files = Files::new();
    for (from, to, part) in [
        ("moderate", "LOW", "band medium"),
        (
            "the current rules for this case are not at hand",
            "the request is ambiguous",
            "source missing_evidence",
        ),
    ] {
        let clash = fs::read_to_string(described).unwrap().replace(from, to);
        let clash = files.write("clash.toml", clash);
        let refused = run(
            &["marc", "project", "--deployment", &clash],
            vector("tv-m2-2.json"),
        );
        assert_eq!((refused.status, refused.stdout.as_str()), (2, ""));
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
}

const MISSING: &str = "{\"pre_capability\":0.39,\"uncertainty\":{\"missing_evidence\":0.84},\
    \"primary_source\":\"missing_evidence\",\"judgements\":[\"required_evidence_missing\"],\
    \"remedies\":{\"retrieval\":true},\"recommended_next_step\":\"retrieve current sources\"}\n";

const ANSWERED: &str = "{\"pre_capability\":0.8,\"uncertainty\":{},\"primary_source\":\"missing_evidence\",\
    \"recommended_next_step\":\"verify it\",\"post_answer_confidence\":0.5,\"answer\":\"It is so.\",\
    \"spent\":{\"time\":\"2s\",\"cost\":3}}\n";

#[test]
fn a_session_is_decided_line_by_line() {
    let files = Files::new();
    let deployment = files.write("deployment.toml", DEPLOYMENT);
    let decide = ["decide", "--id=r", "--deployment", &deployment];
    let lines = values(&ok(
        &decide,
        format!("{MISSING}{ANSWERED}\n{MISSING}{MISSING}"),
    ));
    let decided: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line["line"].as_u64().unwrap(),
                line["action"].as_str().unwrap(),
                line["record"]["decision_id"].as_str().unwrap(),
                line["record"]["parent_decision_id"].as_str(),
                line["requirement"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        decided,
        [
            (1, "RETRIEVE", "r-1", None, "M2-58"),
            (2, "ANSWER", "r-2", Some("r-1"), "M2-62"),
            (4, "RETRIEVE", "r.2-1", None, "M2-58"),
            (5, "ABSTAIN", "r.2-2", Some("r.2-1"), "M2-58"),
        ]
    );
    assert_eq!(lines[1]["record"]["confidence_band"], "medium");
    assert_eq!(lines[1]["disclosure"]["answer"], "It is so.");
    assert_eq!(lines[0].get("disclosure"), None);
    assert_eq!(lines[3]["bound"]["kind"], "count");
    // What is emitted is valid, one by one and together.
    let records: String = lines
        .iter()
        .map(|line| line["record"].to_string())
        .collect();
    for line in values(&ok(&["validate", "--strict", "--session"], records)) {
        assert_eq!(violations(&line), []);
    }
}

#[test]
fn records_and_disclosures_are_of_the_draft_that_is_described() {
    let files = Files::new();
    let deployment = files.write("first.toml", format!("draft = \"01\"\n{DEPLOYMENT}"));
    let decide = ["decide", "--deployment", &deployment];
    let lines = values(&ok(&decide, format!("{MISSING}{ANSWERED}")));
    for (line, action) in lines.iter().zip(["RETRIEVE", "ANSWER"]) {
        assert_eq!(line["action"], action);
        let record = ok(
            &["validate", "--draft=01", "--strict"],
            line["record"].to_string(),
        );
        let record = &values(&record)[0];
        assert_eq!(record["valid"], true);
        assert_eq!(record["violations"], Value::Array(Vec::new()));
        for absent in ["decision_id", "iteration", "confidence_target"] {
            assert_eq!(line["record"].get(absent), None);
        }
    }
    assert_eq!(lines[1]["disclosure"].get("confidence_target"), None);
    assert_eq!(lines[1]["disclosure"]["answer"], "It is so.");
}

#[test]
fn what_nothing_can_be_decided_on_is_told_and_changes_nothing() {
    let files = Files::new();
    let deployment = files.write("deployment.toml", DEPLOYMENT);
    let long = "x".repeat(70_000);
    let remedy = |json: &str| MISSING.replace("{\"retrieval\":true}", json);
    for (line, message) in [
        ("{", "no JSON object"),
        ("[0.39,{},\"safety\"]", "no JSON object"),
        (
            &MISSING.replace("0.39", "1.39"),
            "`pre_capability`: a score lies from 0.0 to 1.0",
        ),
        (
            &MISSING.replace("0.39", "1.00000000000000000000001"),
            "from 0.0 to 1.0",
        ),
        (&MISSING.replace("0.39", "\"0.39\""), "a score is a number"),
        (
            &MISSING.replace("0.84", "null,\"missing_evidence\":1"),
            "more than once",
        ),
        (&remedy("{\"google\":true}"), "`remedies.google`: unknown"),
        (
            &remedy("{\"human\":false,\"human\":true}"),
            "`remedies.human`: stands there more than once",
        ),
        (
            &remedy("{\"human\":[true,true,true]}"),
            "must be true, false, or an object",
        ),
        (
            &remedy("{\"human\":{\"available\":true,\"permitted\":true}}"),
            "`worthwhile`: is required",
        ),
        (&remedy("[]"), "`remedies`: no JSON object"),
        (&MISSING.replace("_missing\"]", "\"]"), "required_evidence"),
        (
            &MISSING.replace("[\"req", "[7,\"req"),
            "must be an array of strings",
        ),
        (
            &MISSING.replace("retrieve current sources", ""),
            "`recommended_next_step`: has no content",
        ),
        (
            &MISSING.replace(
                ",\"recommended_next_step\":\"retrieve current sources\"",
                "",
            ),
            "is required",
        ),
        (
            &ANSWERED.replace("\"post_answer_confidence\":0.5,", ""),
            "confidence",
        ),
        (
            &ANSWERED.replace("It is so.", ""),
            "`answer`: has no content",
        ),
        (
            &ANSWERED.replace("\"2s\"", "\"soon\""),
            "`spent.time`: expected a number",
        ),
        (
            &ANSWERED.replace("\"cost\"", "\"price\""),
            "`spent.price`: unknown",
        ),
        (
            &ANSWERED.replace(":3", ":-3"),
            "`spent.cost`: must be a whole number",
        ),
        (
            &ANSWERED.replace(":3", ":3},\"sub_action\":\"nope\",\"task_family\":{"),
            "must be a string",
        ),
        (&long, "longer than"),
    ] {
        let input = format!("{MISSING}{}\n{ANSWERED}", line.trim_end());
        let lines = values(&ok(&["decide", "--deployment", &deployment], input));
        assert_eq!(lines[1]["event"], "refused", "{line:.80}");
        let told = lines[1]["message"].as_str().unwrap();
        assert!(told.contains(message), "{told}");
        assert!(!told.contains("struct") && !told.contains("u64"), "{told}");
        let record = &lines[2]["record"];
        assert_eq!(
            (&record["decision_id"], &record["iteration"]),
            (&"session-2".into(), &1.into())
        );
    }
}

#[test]
fn only_lines_that_are_decided_on_are_charged() {
    let files = Files::new();
    let deployment = files.write(
        "deployment.toml",
        DEPLOYMENT.replace("count = 1", "count = 3"),
    );
    let decide = |input: String| values(&ok(&["decide", "--deployment", &deployment], input));
    let spent = |line: &str, time: &str| {
        line.replace(
            "\"recommended",
            &format!("\"spent\":{{\"time\":\"{time}\"}},\"recommended"),
        )
    };
    let nope = |line: &str| line.replace("\"recommended", "\"sub_action\":\"nope\",\"recommended");
    // What the round took counts once, with the line that is decided on.
    let lines = decide(format!(
        "{MISSING}{}{}",
        nope(&spent(MISSING, "1s")),
        spent(MISSING, "1h")
    ));
    assert_eq!(lines[1]["event"], "refused");
    assert_eq!(lines[2]["bound"]["kind"], "time");
    let lines = decide(format!("{MISSING}{}{MISSING}", nope(&spent(MISSING, "1h"))));
    assert_eq!(lines[1]["event"], "refused");
    assert_eq!(
        (&lines[2]["action"], lines[2].get("bound")),
        (&"RETRIEVE".into(), None)
    );
    // Nothing was running.
    let lines = decide(spent(MISSING, "1s"));
    assert_eq!(lines[0]["message"], "`spent`: nothing was running");
}

#[test]
fn wording_that_should_not_be_shown_is_told_with_the_disclosure() {
    let files = Files::new();
    let deployment = files.write("deployment.toml", DEPLOYMENT);
    let line = format!("\u{feff}{ANSWERED}")
        .replace(",\"spent\":{\"time\":\"2s\",\"cost\":3}", "")
        .replace("verify it", "trust me, it is 100% sure");
    let lines = values(&ok(&["decide", "--deployment", &deployment], line));
    assert_eq!(lines[0]["findings"][0]["member"], "recommended_next_step");
    let id = "x".repeat(257);
    let refused = run(
        &["marc", "decide", "--deployment", &deployment, "--id", &id],
        "",
    );
    assert_eq!(refused.status, 2);
}

#[test]
fn a_description_that_does_not_do_is_usage() {
    let files = Files::new();
    for (content, message) in [
        (
            "name = \"test\"\nclasses = [\"core\"]\n",
            "are needed to decide",
        ),
        (&DEPLOYMENT.replace("0.75", "0.3"), "deployment.toml: line "),
        (&DEPLOYMENT.replace("count = 1", "count = -1"), "line "),
        ("name = ", "line 1"),
    ] {
        let deployment = files.write("deployment.toml", content);
        let refused = run(&["marc", "decide", "--deployment", &deployment], "");
        assert_eq!(
            (refused.status, refused.stdout.as_str()),
            (2, ""),
            "{content}"
        );
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
    }
    for args in [
        &["decide", "--deployment", "-"][..],
        &["decide"],
        &["conformance", "-"],
        &["conformance"],
        &["schema", "record"],
        &["validate", "--draft=03"],
        &["project", "a", "b"],
        &[],
    ] {
        let refused = run(&[&["marc"], args].concat(), "");
        assert_eq!(
            (refused.status, refused.stdout.as_str()),
            (2, ""),
            "{args:?}"
        );
    }
    let missing = files.path("missing.toml");
    let unread = run(&["marc", "conformance", missing.to_str().unwrap()], "");
    assert_eq!(unread.status, 1);
}

#[test]
fn schemas_are_json_of_their_kind_and_draft() {
    for (args, required) in [
        (&["schema"][..], 9),
        (&["schema", "core", "--draft=01"], 8),
        (&["schema", "disclosure"], 5),
        (&["schema", "disclosure", "--draft=01", "--strict"], 4),
    ] {
        let schema: Value = serde_json::from_str(&ok(args, "").stdout).unwrap();
        assert_eq!(schema["required"].as_array().unwrap().len(), required);
        let closed = schema.get("additionalProperties").is_some();
        assert_eq!(closed, args.contains(&"--strict"), "{args:?}");
    }
}

#[test]
fn a_deployment_is_held_against_each_class() {
    let files = Files::new();
    let partial = files.write("deployment.toml", DEPLOYMENT);
    let complete = corpus("deployment.toml");
    let complete = complete.to_str().unwrap();
    for (deployment, conforms, status) in [(complete, true, 0), (&*partial, false, 3)] {
        let gate = run(&["marc", "conformance", "--fail", deployment], "");
        assert_eq!((gate.status, gate.stderr.as_str()), (status, ""));
        let lines = values(&gate);
        let of = |event: &str| {
            lines
                .iter()
                .filter(|line| line["event"] == event)
                .collect::<Vec<_>>()
        };
        let classes = of("class");
        assert_eq!(classes.len(), 3);
        assert_eq!(
            (&classes[0]["class"], &classes[0]["conforms"]),
            (&"core".into(), &conforms.into())
        );
        assert!(of("requirement").len() > 60);
        assert_eq!(
            of("requirement").iter().all(|line| line["status"] == "met"),
            conforms
        );
        let table = run(&["marc", "conformance", "--table", deployment], "").stdout;
        assert!(table.contains("\nMARC-Core: "), "{table}");
        assert!(table.contains("M2-177"), "{table}");
    }
}
