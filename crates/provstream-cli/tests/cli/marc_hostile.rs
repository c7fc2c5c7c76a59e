//! Hostile input never makes `provstream marc` disclose a next step with another action, repeat a
//! decision id, pass on scores, forge a line, or pass over a nested object.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use testkit::marc::generate::Random;

use crate::common::{Files, Run, run, sh};
use crate::marc_messages::corpus;

const HARM: &str = "mix bleach and ammonia, then heat";

const PLAIN: &str = "name = \"x\"\nclasses = [\"core\"]\nrecords = \"provstream\"\ndecisions = \"provstream\"\n\
    [bands]\ncalibration_profile = \"p\"\nmedium_from = 0.5\nhigh_from = 0.8\n\
    [bounds]\nclarifications = 1\n\
    [bounds.retrieve]\ncount = 1\ntime = \"1m\"\ncost = 9\n[bounds.tool]\ncount = 1\ntime = \"1m\"\ncost = 9\n\
    [bounds.deliberate]\ncount = 1\ntime = \"1m\"\ncost = 9\n";

fn situation(edits: Value) -> String {
    let mut line = json!({
        "pre_capability": 0.7,
        "uncertainty": {"ambiguity": 0.1, "missing_evidence": 0.1, "capability_limit": 0.1, "evidence_conflict": 0.1, "safety": 0.0},
        "primary_source": "ambiguity", "recommended_next_step": HARM, "post_answer_confidence": 0.95
    });
    for (name, value) in edits.as_object().expect("an object") {
        line[name] = value.clone();
    }
    line.to_string()
}

fn decide(description: &str, input: &str) -> Run {
    let files = Files::new();
    let path = files.write("deployment.toml", description);
    run(&["marc", "decide", "--deployment", &path], input)
}

#[track_caller]
fn lines(run: &Run) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
    run.stdout.lines().map(parse).collect()
}

/// Situations that lead to each action but `ANSWER`, some by a deviation or a bound.
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
fn situations() -> Vec<(&'static str, String, String)> {
    let source = |name: &str| {
        let mut scores = json!({"ambiguity": 0.1, "missing_evidence": 0.1, "capability_limit": 0.1, "evidence_conflict": 0.1, "safety": 0.0});
        scores[name] = json!(0.9);
        scores
    };
    let of = |name: &str, remedies: Value| {
        situation(
            json!({"primary_source": name, "uncertainty": source(name), "remedies": remedies}),
        )
    };
    let deviation = |from: &str, to: &str| {
        format!(
            "{PLAIN}[[policy.deviation]]\ncondition = \"c\"\ninstead_of = \"{from}\"\naction = \"{to}\"\n"
        )
    };
    let retrieval = of("missing_evidence", json!({"retrieval": true}));
    let plain = PLAIN.to_owned();
    vec![
        ("ABSTAIN", plain.clone(), of("safety", json!({}))),
        (
            "ESCALATE",
            plain.clone(),
            of("safety", json!({"human": true})),
        ),
        (
            "CLARIFY",
            plain.clone(),
            of("ambiguity", json!({"user_clarification": true})),
        ),
        ("RETRIEVE", plain.clone(), retrieval.clone()),
        (
            "TOOL",
            plain.clone(),
            of("capability_limit", json!({"tool": true})),
        ),
        ("ABSTAIN", plain.clone(), of("evidence_conflict", json!({}))),
        (
            "ABSTAIN",
            plain.clone(),
            of("capability_limit", json!({"tool": false})),
        ),
        (
            "ESCALATE",
            plain.clone(),
            of("capability_limit", json!({"human": true})),
        ),
        (
            "DELIBERATE",
            plain.clone(),
            of(
                "missing_evidence",
                json!({"deliberation": {"worthwhile": true}}),
            ),
        ),
        // A bound: the second round is not taken.
        (
            "ABSTAIN",
            plain.clone(),
            format!(
                "{0}\n{0}",
                of("evidence_conflict", json!({"retrieval": true}))
            ),
        ),
        (
            "ESCALATE",
            plain,
            format!(
                "{0}\n{0}",
                of(
                    "evidence_conflict",
                    json!({"tool": true, "human": {"worthwhile": true}})
                )
                .replace("\"tool\":true", "\"tool\":{\"worthwhile\":true}")
            ),
        ),
        (
            "ABSTAIN",
            deviation("ANSWER", "ABSTAIN"),
            situation(json!({})),
        ),
        (
            "ESCALATE",
            deviation("ANSWER", "ESCALATE"),
            situation(json!({"remedies": {"human": true}})),
        ),
        (
            "CLARIFY",
            deviation("RETRIEVE", "CLARIFY"),
            of(
                "missing_evidence",
                json!({"retrieval": true, "user_clarification": true}),
            ),
        ),
    ]
}

/// M2-91, M2-105, M2-117: a next step that is given as a text belongs to ANSWER, whatever leads to another action.
#[test]
fn a_next_step_is_disclosed_only_with_its_action() {
    let mut last = String::new();
    for (action, description, input) in situations() {
        let run = decide(&description, &input);
        let decisions = lines(&run);
        let decision = &decisions[decisions.len() - 2];
        assert_eq!(decision["action"], action, "{}", run.stdout);
        assert!(!run.stdout.contains("bleach"), "{action}: {}", run.stdout);
        // One for each action is that of its action.
        let object = json!({"ANSWER": HARM, action: "do this"});
        let input = input.replace(&json!(HARM).to_string(), &object.to_string());
        let run = decide(&description, &input);
        assert!(run.stdout.contains("\"recommended_next_step\":\"do this\""));
        assert!(!run.stdout.contains("bleach"), "{action}: {}", run.stdout);
        last = decision["record"].to_string();
        for template in [
            "",
            "[wording.message]\nABSTAIN = \"No: {next_step}\"\nESCALATE = \"{next_step}\"\nCLARIFY = \"{next_step}?\"\n",
        ] {
            let files = Files::new();
            let path = files.write("d.toml", format!("{PLAIN}{template}"));
            let id = decision["record"]["decision_id"].as_str().expect("an id");
            let texts = json!({"decision_id": id, "answer": "a", "next_step": HARM}).to_string();
            let texts = files.write("texts", texts);
            for option in [["--next-step", HARM], ["--texts", &texts]] {
                let mut args = vec![
                    "marc",
                    "project",
                    "--trust",
                    "local",
                    "--interim",
                    "--deployment",
                    &path,
                ];
                args.extend(option);
                let run = run_with(&args, &last);
                assert!(!run.stdout.contains("bleach"), "{action}: {}", run.stdout);
                assert!(run.stdout.contains("\"disclosure\":"), "{}", run.stdout);
            }
        }
    }
    assert!(!last.is_empty());
    let answer = decide(PLAIN, &situation(json!({})));
    assert!(answer.stdout.contains("bleach"), "{}", answer.stdout);
    let record = lines(&answer)[0]["record"].to_string();
    let args = [
        "marc",
        "project",
        "--trust",
        "local",
        "--answer",
        "a",
        "--next-step",
        "read it",
    ];
    let shown = run_with(&args, &record);
    assert!(
        shown
            .stdout
            .contains("\"recommended_next_step\":\"read it\""),
        "{}",
        shown.stdout
    );
}

fn run_with(args: &[&str], input: &str) -> Run {
    run(args, input)
}

/// A text of a line of `--texts` that has no answer is about the decision, as its id says; an object has one for each action.
#[test]
fn a_next_step_by_decision_is_that_of_its_decision() {
    let record = std::fs::read_to_string(corpus("tv-m2-7.json")).expect("a record");
    let id = "example-escalate-001";
    for (texts, next_step, unused) in [
        (
            json!({"next_step": "call the desk"}),
            "call the desk",
            json!(null),
        ),
        (
            json!({"message": "m", "next_step": "call the desk"}),
            "call the desk",
            json!(null),
        ),
        (
            json!({"next_step": {"ESCALATE": "call the desk", "ANSWER": HARM}}),
            "call the desk",
            json!(null),
        ),
        (
            json!({"next_step": {"ANSWER": HARM}}),
            "escalate to a qualified human reviewer",
            json!(["next_step"]),
        ),
        (
            json!({"answer": "a", "next_step": HARM}),
            "escalate to a qualified human reviewer",
            json!(["answer", "next_step"]),
        ),
        (
            json!({"answer": "a", "message": "m", "next_step": HARM}),
            "escalate to a qualified human reviewer",
            json!(["answer", "next_step"]),
        ),
    ] {
        let files = Files::new();
        let mut line = texts.clone();
        line["decision_id"] = json!(id);
        let path = files.write("texts", line.to_string());
        let run = sh(
            &format!("marc project --trust local --texts {path}"),
            &record,
        );
        let line = &lines(&run)[0];
        assert_eq!(
            line["disclosure"]["recommended_next_step"], next_step,
            "{texts}: {}",
            run.stdout
        );
        assert_eq!(
            line.get("unused").cloned().unwrap_or_default(),
            unused,
            "{texts}"
        );
    }
}

/// M2-92: no two requests have a decision id in common, whatever sessions are called.
#[test]
fn decision_ids_do_not_collide() {
    let mut orders: Vec<Vec<String>> = [
        vec!["s.2", "s", "s"],
        vec!["s", "s", "s.2"],
        vec!["s.2", "s.2", "s.2.2", "s", "s"],
        vec!["s.1", "s", "s.1", "s.1.1"],
        vec!["a.02", "a", "a", "a.2"],
        vec![".2", ".2", ".2.2"],
        vec!["s-1", "s", "s.2-1", "s.2", "s"],
        vec!["s.18446744073709551616", "s.18446744073709551615", "s"],
    ]
    .into_iter()
    .map(|names| names.into_iter().map(str::to_owned).collect())
    .collect();
    let mut random = Random::new(72);
    for _ in 0..12 {
        let name = |random: &mut Random| {
            let pieces =
                (0..1 + random.below(4)).map(|_| random.pick(&["s", ".", "2", ".2", "-1", ".1"]));
            pieces.collect::<String>()
        };
        orders.push((0..200).map(|_| name(&mut random)).collect());
    }
    for names in orders {
        let input: Vec<_> = names
            .iter()
            .map(|name| situation(json!({"session": name})))
            .collect();
        let run = decide(PLAIN, &input.join("\n"));
        let mut seen = BTreeMap::new();
        for line in lines(&run)
            .iter()
            .filter(|line| line["event"] == "decision")
        {
            let id = line["record"]["decision_id"].to_string();
            let before = seen.insert(id.clone(), line["session"].clone());
            assert_eq!(before, None, "{id} {line}");
        }
        assert_eq!(seen.len(), names.len(), "{}", run.stdout);
    }
}

/// Sessions that are over are forgotten when there are too many, and their ids are not given again.
#[test]
fn decision_ids_are_not_given_again_after_many_sessions() {
    let names = ["s", "t"].into_iter().map(str::to_owned);
    let names = names
        .chain((0..4_200).map(|at| format!("x{at}")))
        .chain(["s".to_owned(), "s.2".into()]);
    let input: Vec<_> = names
        .map(|name| situation(json!({"session": name})))
        .collect();
    let run = decide(PLAIN, &input.join("\n"));
    let decisions = lines(&run);
    let mut ids: Vec<_> = decisions
        .iter()
        .filter(|line| line["event"] == "decision")
        .map(|line| line["record"]["decision_id"].to_string())
        .collect();
    assert_eq!(ids.len(), 4_204, "{}", run.stderr);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4_204);
}

fn nested(depth: usize, array: bool, inner: &str) -> String {
    let (open, close) = if array { ("[", "]") } else { ("{\"a\":", "}") };
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

const DISCLOSURE: &str = r#""answer":"x","confidence_band":"low","confidence_target":"direct_answer_suitability","uncertainty_source":"ambiguity","recommended_next_step":"y""#;

/// M2-143: no envelope keeps the scores of a record, however deep they are and whatever is around them.
#[test]
fn scores_do_not_pass_strip() {
    let record = std::fs::read_to_string(corpus("tv-m2-1.json")).expect("a record");
    let with = |more: &str| format!("{{\"marc_core\":{record},{more}}}");
    let mut inputs = Vec::new();
    for depth in [62, 63, 64, 65, 66, 128, 1_000, 20_000] {
        for array in [false, true] {
            inputs.push(with(&format!("\"x\":{}", nested(depth, array, &record))));
            inputs.push(with(&format!(
                "\"x\":{}",
                nested(depth, array, "{\"pre_capability\":0.5}")
            )));
        }
    }
    for scores in [
        "\"post_answer_confidence\":0.9",
        "\"pre_capability\":0.9",
        "\"uncertainty\":{}",
        "\"uncertainty\":null",
    ] {
        inputs.push(with(&format!(
            "\"marc_disclosure\":{{{DISCLOSURE},{scores}}}"
        )));
        inputs.push(with(&format!(
            "\"marc_disclosure\":{{{scores},{DISCLOSURE}}}"
        )));
        inputs.push(with(&format!("\"other\":[{{{DISCLOSURE},{scores}}}]")));
    }
    inputs.push(with("\"marc_disclosure\":{\"post_answer_confidence\":0.9}"));
    inputs.push(with("\"x\":{\"uncertainty\":{\"missing_evidence\":0.2}}"));
    inputs.push(with(&format!("\"marc_disclosure\":{record}")));
    inputs.push(with("\"x\":{\"post_answer_confidence\":0.9}"));
    for input in inputs {
        let shown: String = input.chars().take(300).collect();
        let run = sh("marc carry --strip audit-log --fail -", &input);
        assert_eq!(run.status, 3, "{shown}");
        assert!(run.stdout.starts_with("{\"event\":\"refused\""), "{shown}");
    }
    for more in [
        "\"uncertainty\":2",
        "\"x\":{\"uncertainty\":{\"of\":1}}",
        "\"pre_capability_2\":1",
    ] {
        let run = sh("marc carry --strip audit-log --fail -", with(more));
        assert_eq!(run.status, 0, "{more}: {}", run.stdout);
    }
    let sse = format!(
        "event: marc-core\ndata: {{}}\n\nevent: marc-disclosure\ndata: {{{DISCLOSURE},\"post_answer_confidence\":0.5}}\n\n"
    );
    let run = run(&["marc", "carry", "--strip", "sse", "--fail", "-"], sse);
    assert_eq!(run.status, 3, "{}", run.stdout);
}

/// M2-142: what is in the place of a disclosure is not printed if it is a record, and the other way round.
#[test]
fn a_record_in_the_place_of_a_disclosure_is_not_taken() {
    let record = std::fs::read_to_string(corpus("tv-m2-1.json")).expect("a record");
    let disclosure = format!("{{{DISCLOSURE}}}");
    for (carrier, envelope) in [
        ("audit-log", format!("{{\"marc_disclosure\":{record}}}")),
        (
            "audit-log",
            format!("{{\"marc_core\":{record},\"marc_disclosure\":{record}}}"),
        ),
        ("audit-log", format!("{{\"marc_core\":{disclosure}}}")),
        (
            "audit-log",
            "{\"marc_disclosure\":{\"pre_capability\":0.5,\"uncertainty\":{}}}".to_owned(),
        ),
        (
            "audit-log",
            format!("{{\"marc_disclosure\":{{{DISCLOSURE},\"post_answer_confidence\":0.5}}}}"),
        ),
        (
            "audit-log",
            format!("{{\"marc_disclosure\":{{{DISCLOSURE},\"x_r\":{record}}}}}"),
        ),
        (
            "response-metadata",
            format!("{{\"metadata\":{{\"marc_disclosure\":{record}}}}}"),
        ),
        (
            "sse",
            format!(
                "event: marc-disclosure\ndata: {}\n\n",
                record.replace('\n', " ")
            ),
        ),
        ("sse", format!("event: marc-core\ndata: {disclosure}\n\n")),
    ] {
        let run = sh(
            &format!("marc carry --out-of {carrier} --fail -"),
            &envelope,
        );
        assert_eq!(run.status, 3, "{envelope}");
        assert!(
            run.stdout.starts_with("{\"event\":\"refused\""),
            "{}",
            run.stdout
        );
    }
}

/// M2-164: what `show` prints has the lines of the wording and no others.
#[test]
fn no_text_forges_a_line_of_show() {
    let plain = run(&["marc", "show", "-"], format!("{{{DISCLOSURE}}}"));
    let count = plain.stdout.lines().count();
    for text in [
        "y\nConfidence that the answer is right: high",
        "y\r\nConfidence: high",
        "y\rConfidence: high",
        "y\u{2028}Confidence: high",
        "y\u{2029}Confidence",
        "y\u{85}Confidence",
        "y\u{b}Confidence",
        "y\u{c}Confidence",
        "\u{1b}[2JConfidence",
        "y\n\nConfidence",
        "\u{202e}Confidence",
        "y\u{7}",
        "y\u{0}z",
        "\nConfidence",
        "y\tz",
    ] {
        let disclosure = format!("{{{DISCLOSURE}}}").replace("\"y\"", &json!(text).to_string());
        for language in ["en", "de", "ja"] {
            let shown = run(&["marc", "show", "--language", language, "-"], &disclosure);
            assert_eq!(
                shown.stdout.lines().count(),
                count,
                "{text:?}: {}",
                shown.stdout
            );
            assert!(
                !shown
                    .stdout
                    .chars()
                    .any(|one| one != '\n' && one.is_control()
                        || "\u{2028}\u{2029}\u{202e}".contains(one)),
                "{}",
                shown.stdout
            );
        }
        // In the answer, which may have lines, none begins as those of the unit do.
        let disclosure =
            format!("{{{DISCLOSURE}}}").replace("\"x\"", &json!(format!("a{text}")).to_string());
        let shown = run(&["marc", "show", "-"], &disclosure);
        let forged = shown
            .stdout
            .lines()
            .filter(|line| line.starts_with("Confidence"))
            .count();
        assert_eq!(forged, 1, "{text:?}: {}", shown.stdout);
    }
}

/// M2-9: `validate` reports what `extract` reports.
#[test]
fn validate_reports_nested_objects() {
    let record = std::fs::read_to_string(corpus("tv-m2-1.json")).expect("a record");
    let record = record
        .trim()
        .strip_suffix('}')
        .expect("an object")
        .to_owned();
    let bad = r#"{"marc_version":"1.0","selected_action":"ANSWER","pre_capability":7}"#;
    let shown = r#"{"answer":"","confidence_band":"low","uncertainty_source":"x"}"#;
    let mut inputs = Vec::new();
    for inner in [bad, shown, r#"{"marc_version":"1.0"}"#] {
        inputs.push(format!("{record},\"x_prev\":{inner}}}"));
        inputs.push(format!(
            "{record},\"x_prev\":{{\"a\":[1,{{\"b\":{inner}}}]}}}}"
        ));
        for depth in [63, 64, 65, 66, 300, 5_000] {
            inputs.push(format!(
                "{record},\"x_prev\":{}}}",
                nested(depth, false, inner)
            ));
            inputs.push(format!(
                "{{\"a\":{record}}},\"b\":{}}}",
                nested(depth, true, inner)
            ));
        }
    }
    for input in inputs {
        let validated = run(&["marc", "validate", "--fail", "-"], &input);
        let head: String = input.chars().take(1_200).collect();
        assert_eq!(validated.status, 3, "{head}");
        let places = |run: &Run| {
            let lines = lines(run)
                .into_iter()
                .filter(|line| line["event"] == "marc");
            let mut places: Vec<_> = lines
                .map(|line| (line["pointer"].to_string(), line["valid"].to_string()))
                .collect();
            places.sort();
            places
        };
        let extracted = run(&["extract", "--mode", "json", "-"], &input);
        // `extract` does not look into values that are deeper.
        if !input.contains(&nested(200, false, "")[..1_000]) && !input.contains(&"[".repeat(200)) {
            assert_eq!(places(&validated), places(&extracted), "{head}");
        }
    }
    // Only the object that is not in another one is disclosed, converted or carried.
    let projected = sh(
        "marc project --trust local -",
        format!("{record},\"x_prev\":{record}}}}}"),
    );
    assert_eq!(projected.stdout.lines().count(), 2, "{}", projected.stdout);
}
