//! `provstream marc`: from situations to records, disclosures and text, and what is refused on the way.

use std::fs;
use std::path::PathBuf;

use provstream_marc::{Document, Draft, MarcKind, Profile};
use serde_json::{Value, json};
use testkit::marc::generate::{Random, mutated};

use crate::common::{Files, Run, run, sh};

/// The base line of situations, with some members replaced.
fn situation(edits: Value) -> String {
    let mut line = json!({
        "pre_capability": 0.7,
        "uncertainty": {"ambiguity": 0.1, "missing_evidence": 0.1, "capability_limit": 0.1, "evidence_conflict": 0.1, "safety": 0.0},
        "primary_source": "ambiguity",
        "recommended_next_step": "do it",
        "post_answer_confidence": 0.95
    });
    for (name, value) in edits.as_object().expect("an object") {
        line[name] = value.clone();
    }
    line.to_string()
}

fn corpus(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../corpus/marc")
        .join(name);
    path.to_str().expect("UTF-8").to_owned()
}

/// An object of the corpus without white space.
fn compact(name: &str) -> String {
    let object = fs::read(corpus(name)).expect("an example");
    Document::parse(&object).expect("an object").to_json()
}

/// The description of a deployment with nothing special.
const PLAIN: &str = "name = \"x\"\nclasses = [\"core\"]\nrecords = \"provstream\"\ndecisions = \"provstream\"\n\
    [bands]\ncalibration_profile = \"p\"\nmedium_from = 0.5\nhigh_from = 0.8\n\
    [bounds]\nclarifications = 1\n\
    [bounds.retrieve]\ncount = 1\ntime = \"1m\"\ncost = 9\n[bounds.tool]\ncount = 1\ntime = \"1m\"\ncost = 9\n\
    [bounds.deliberate]\ncount = 1\ntime = \"1m\"\ncost = 9\n";

fn decide_with(description: &str, args: &[&str], input: &str) -> Run {
    let files = Files::new();
    let path = files.write("deployment.toml", description);
    let mut all = vec!["marc", "decide", "--deployment", &path];
    all.extend(args);
    run(&all, input)
}

/// The lines of a run, the last one with the totals aside.
#[track_caller]
fn lines(run: &Run) -> Vec<Value> {
    let mut lines: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect();
    let end = lines.pop().unwrap_or_else(|| panic!("{}", run.stderr));
    assert_eq!(end["event"], "end", "{}", run.stdout);
    lines
}

#[track_caller]
fn decide(input: &str) -> Vec<Value> {
    let run = decide_with(PLAIN, &[], input);
    assert_eq!(run.status, 0, "{}", run.stderr);
    lines(&run)
}

fn action(line: &Value) -> &str {
    line["action"].as_str().unwrap_or("none")
}

/// M2-117: no text reaches a decision, and the answer reaches no disclosure but that of ANSWER.
#[test]
fn d1_no_answer_text_reaches_a_disclosure_of_another_action() {
    let secret = "To build the device, first mix";
    let early = decide(&situation(
        json!({"primary_source": "safety", "answer": secret}),
    ));
    assert_eq!(early[0]["event"], "refused");
    assert!(
        early[0]["message"]
            .as_str()
            .unwrap()
            .starts_with("unknown field `answer`")
    );
    let situations = [
        json!({"primary_source": "safety"}),
        json!({"primary_source": "safety", "remedies": {"human": true}}),
        json!({"judgements": ["blocking_ambiguity"], "remedies": {"user_clarification": true}}),
        json!({"judgements": {"material_conflict": true}}),
    ];
    let input: Vec<String> = situations.into_iter().map(situation).collect();
    let decided = decide_with(PLAIN, &[], &input.join("\n"));
    let project = ["marc", "project", "--trust", "local", "--answer", secret];
    let project = run(&project, &decided.stdout);
    let shown = lines(&project);
    assert_eq!(shown.len(), 4, "{}", project.stdout);
    for (line, action) in shown
        .iter()
        .zip(["ABSTAIN", "ESCALATE", "CLARIFY", "ABSTAIN"])
    {
        assert_eq!(line["event"], "disclosure", "{line}");
        assert_eq!(line["action"], action);
        assert_ne!(line["disclosure"]["answer"], "");
    }
    assert!(!project.stdout.contains(secret));
}

/// M2-117: one answer is for one record.
#[test]
fn policy_one_answer_is_for_one_record() {
    let decided = decide_with(
        PLAIN,
        &[],
        &[situation(json!({})), situation(json!({}))].join("\n"),
    );
    let project = sh(
        "marc project --trust local --answer Yes. --fail",
        &decided.stdout,
    );
    let shown = lines(&project);
    assert_eq!(shown[0]["disclosure"]["answer"], "Yes.");
    assert_eq!(shown[1]["event"], "refused");
    assert_eq!(project.status, 3);
    let files = Files::new();
    let texts = files.write(
        "texts",
        "{\"decision_id\":\"session-1\",\"answer\":\"One.\"}\n{\"decision_id\":\"session.2-1\",\"answer\":\"Two.\",\"message\":\"No.\"}\n",
    );
    let project = sh(
        &format!("marc project --trust local --texts {texts} --fail"),
        &decided.stdout,
    );
    let shown = lines(&project);
    assert_eq!(project.status, 0, "{}", project.stdout);
    assert_eq!(shown[1]["disclosure"]["answer"], "Two.");
    assert_eq!(shown[1]["unused"], json!(["message"]));
}

/// M2-76, M2-117, M2-118, M2-120: an object that lacks a member is not passed over; nothing is a violation, too.
#[test]
fn d2_nothing_vanishes_from_validation() {
    let read = |name: &str| fs::read_to_string(corpus(name)).unwrap();
    for (name, member) in [
        ("tv-m2-1.json", "marc_version"),
        ("tv-m2-3.json", "answer"),
        ("tv-m2-3.json", "confidence_band"),
        ("tv-m2-3.json", "uncertainty_source"),
    ] {
        let mut object: Value = serde_json::from_str(&read(name)).unwrap();
        object.as_object_mut().unwrap().remove(member);
        let validate = run(&["marc", "validate", "--fail"], object.to_string());
        assert_eq!(validate.status, 3, "{name} {member}");
        let line = &lines(&validate)[0];
        assert_eq!(
            line["violations"][0]["pointer"],
            format!("/{member}"),
            "{line}"
        );
    }
    for input in [
        "",
        "{}",
        "[]",
        "prose",
        "{\"id\":7}",
        "7",
        "{\"marc_version\":\"1.0\"",
        "[{}",
    ] {
        let validate = run(&["marc", "validate", "--fail"], input);
        assert_eq!(validate.status, 3, "{input:?}: {}", validate.stdout);
        assert!(
            validate.stdout.lines().count() >= 2,
            "{input:?}: {}",
            validate.stdout
        );
    }
    let unknown = sh(
        "marc validate --fail",
        "{\"confidence_band\":\"low\",\"confidence_target\":\"answer\"}",
    );
    assert_eq!(lines(&unknown)[0]["violations"][0]["code"], "unknown-kind");
    let forced = run(&["marc", "validate", "--kind", "core", "--fail"], "{}");
    assert_eq!(lines(&forced)[0]["violations"].as_array().unwrap().len(), 9);
}

/// M2-9: 12,000 changed records and as many disclosures: one line for each, with the verdict of the library.
#[test]
fn d2_no_changed_object_vanishes() {
    for (kind, name, given) in [
        (MarcKind::Core, "core", "core"),
        (MarcKind::Disclosure, "disclosure", "auto"),
    ] {
        let mut random = Random::new(2);
        let documents: Vec<Document> = (0..4_000)
            .map(|_| mutated(kind, Draft::Draft02, &mut random))
            .collect();
        let input: String = documents.iter().map(|one| format!("{one}\n")).collect();
        let found = lines(&run(&["marc", "validate", "--kind", given], &input));
        assert_eq!(found.len(), documents.len());
        for (line, document) in found.iter().zip(&documents) {
            let valid = document.validate(kind, Profile::default()).is_valid();
            // Where the members decide, a faulty object may be of another kind, or of none that is known, but not valid.
            assert_eq!(line["valid"], valid, "{line} {document}");
            assert!(line["kind"] == name || !valid, "{document}");
        }
    }
}

/// M2-154: without --trust nothing is disclosed, and the line says so.
#[test]
fn d4_without_a_trust_context_nothing_is_disclosed() {
    let record = fs::read_to_string(corpus("tv-m2-2.json")).unwrap();
    for (args, event, status) in [
        (&[][..], "withheld", 3),
        (&["--trust", "cross-domain"], "withheld", 3),
        (
            &["--trust", "attested", "--emitter", "example.org"],
            "disclosure",
            0,
        ),
        (&["--trust", "local"], "disclosure", 0),
        (&["--trust", "delegated"], "disclosure", 0),
    ] {
        let mut all = vec!["marc", "project", "--fail"];
        all.extend(args);
        let project = run(&all, &record);
        assert_eq!(lines(&project)[0]["event"], event, "{args:?}");
        assert_eq!(project.status, status, "{args:?}");
    }
    assert_eq!(
        run(&["marc", "project", "--trust", "attested"], &record).status,
        2
    );
}

/// M2-136
#[test]
fn d5_an_unknown_marc_version_changes_nothing() {
    let disclosure = fs::read_to_string(corpus("tv-m2-3.json")).unwrap();
    let with_version = disclosure.replacen('{', "{\"marc_version\":\"1.0\",", 1);
    let validate = run(&["marc", "validate", "--fail"], &with_version);
    assert_eq!(validate.status, 0, "{}", validate.stdout);
    assert_eq!(lines(&validate)[0]["kind"], "disclosure");
    let envelope =
        format!("{{\"marc_version\":\"1.0\",\n\"metadata\":{{\"marc_disclosure\":{disclosure}}}}}");
    let validate = run(&["marc", "validate", "--fail"], &envelope);
    assert_eq!(validate.status, 0, "{}", validate.stdout);
    assert_eq!(lines(&validate)[0]["pointer"], "/metadata/marc_disclosure");
    assert_eq!(lines(&validate)[0]["line"], 2);
}

/// An unknown member never changes what `extract` and `validate` say that an object is.
#[test]
fn d5_extract_and_validate_agree_on_what_an_object_is() {
    let core = compact("tv-m2-1.json");
    let disclosure = compact("tv-m2-3.json");
    let with = |object: &str, members: &str| object.replacen('{', &format!("{{{members},"), 1);
    let shown = r#""answer":"a","uncertainty_source":"safety""#;
    for (object, expected) in [
        (core.clone(), Some("core")),
        (disclosure.clone(), Some("disclosure")),
        (with(&core, shown), Some("core")),
        (
            with(&disclosure, r#""marc_version":"1.0""#),
            Some("disclosure"),
        ),
        (
            with(
                &disclosure,
                r#""marc_version":"1.0","remediability":"none""#,
            ),
            Some("disclosure"),
        ),
        (r#"{"marc_version":"1.0","id":7}"#.into(), None),
    ] {
        let validate = run(&["marc", "validate"], &object);
        let extract = run(&["extract"], &object);
        let [validated, extracted] = [&validate, &extract].map(|run| lines(run)[0].clone());
        assert_eq!(validated["kind"].as_str(), expected, "{object}");
        let codes = |line: &Value| -> Vec<Value> {
            let all = line["violations"].as_array().cloned().unwrap_or_default();
            all.iter().map(|one| one["code"].clone()).collect()
        };
        if expected.is_some() {
            assert_eq!(extracted["kind"], validated["kind"], "{object}");
            assert_eq!(codes(&extracted), codes(&validated), "{object}");
        } else {
            assert_eq!(codes(&extracted), ["unknown-kind"], "{object}");
        }
    }
    // Of an envelope only what it carries is an object of MARC.
    let envelope = format!(r#"{{"marc_version":"1.0","metadata":{{"marc_core":{core}}}}}"#);
    let validated = lines(&run(&["marc", "validate"], &envelope));
    let extracted = lines(&run(&["extract"], &envelope));
    let judged = |line: &&Value| line["violations"][0]["code"] != "unknown-kind";
    let extracted: Vec<_> = extracted.iter().filter(judged).collect();
    assert_eq!((validated.len(), extracted.len()), (1, 1));
    assert_eq!(extracted[0]["pointer"], validated[0]["pointer"]);
}

/// M2-18, M2-80, M2-93
#[test]
fn d6_interleaved_requests_are_kept_apart() {
    let input: String = ["a", "b", "a", "b"]
        .map(|session| {
            situation(json!({"session": session, "remedies": {"retrieval": {"worthwhile": true}}}))
                + "\n"
        })
        .concat();
    let decided = decide(&input);
    assert_eq!(
        decided.iter().map(action).collect::<Vec<_>>(),
        ["RETRIEVE", "RETRIEVE", "ANSWER", "ANSWER"]
    );
    assert_eq!(decided[3]["record"]["parent_decision_id"], "b-1");
    let records: String = decided
        .iter()
        .map(|line| line["record"].to_string() + "\n")
        .collect();
    let validate = sh("marc validate --session --strict --fail", &records);
    let found = lines(&validate);
    assert!(
        found.iter().all(|line| line["violations"] == json!([])),
        "{}",
        validate.stdout
    );
    let open = sh("marc validate --session", decided[0]["record"].to_string());
    assert!(open.stdout.contains("open-loop"), "{}", open.stdout);
}

/// M2-111, M2-114
#[test]
fn d7_a_stated_human_is_kept_with_abstain_and_a_deviation_can_happen() {
    let decided = decide(&situation(
        json!({"judgements": ["material_capability_limit"], "remediability": "human", "remedies": {"human": false}}),
    ));
    // A path that does not exist is not recorded.
    assert_eq!(decided[0]["record"]["remediability"], "none");
    let decided = decide(&situation(
        json!({"judgements": ["material_capability_limit"], "remediability": "human", "remedies": {"human": {"worthwhile": false}}}),
    ));
    assert_eq!(decided[0]["record"]["remediability"], "human");
    assert!(decided[0].to_string().contains("MARC-02 9.4"));
    let description = format!(
        "{PLAIN}[[policy.deviation]]\ncondition = \"the tool is off\"\naction = \"ABSTAIN\"\nremediability = \"tool\"\n"
    );
    let line = situation(
        json!({"judgements": ["material_capability_limit"], "remediability": "tool", "remedies": {"tool": false}}),
    );
    let decided = lines(&decide_with(&description, &[], &line));
    assert_eq!(decided[0]["record"]["remediability"], "tool");
    assert_eq!(decided[0]["deviation"], "the tool is off");
}

/// M2-102: a score that is missing is an error, unless the deployment says that unused ones are zero.
#[test]
fn d10_missing_scores_are_not_invented() {
    let line = situation(json!({"uncertainty": {}}));
    let refused = decide_with(PLAIN, &["--fail"], &line);
    assert_eq!(refused.status, 3);
    let message = lines(&refused)[0]["message"].as_str().unwrap().to_owned();
    assert_eq!(
        message,
        "`uncertainty`: missing: ambiguity, missing_evidence, capability_limit, evidence_conflict, safety; every source needs a score (MARC-02 9.3)"
    );
    let description = format!("unused_scores = \"zero\"\n{PLAIN}");
    assert_eq!(
        action(&lines(&decide_with(&description, &[], &line))[0]),
        "ANSWER"
    );
}

/// M2-53, M2-152: described thresholds are executed.
#[test]
fn policy_described_thresholds_are_executed() {
    let description = format!(
        "unused_scores = \"zero\"\n{PLAIN}[risk]\nstandard = 0.6\nhigh_risk = 0.3\n[risk.source.safety]\nstandard = 0.2\nhigh_risk = 0.1\n"
    );
    for (tier, safety, expected) in [
        ("standard", 0.19, "ANSWER"),
        ("standard", 0.2, "ABSTAIN"),
        ("high", 0.1, "ABSTAIN"),
        ("high", 0.95, "ABSTAIN"),
    ] {
        let line = situation(json!({"uncertainty": {"safety": safety}, "risk_tier": tier}));
        let decided = lines(&decide_with(&description, &[], &line));
        assert_eq!(action(&decided[0]), expected, "{tier} {safety}");
        if expected == "ABSTAIN" {
            assert_eq!(decided[0]["record"]["confidence_band"], "low");
        }
    }
}

/// A run in which every line is refused fails where that is asked for.
#[test]
fn policy_decide_and_project_fail_where_asked() {
    let decided = decide_with(PLAIN, &["--fail"], "{}");
    assert_eq!(decided.status, 3, "{}", decided.stdout);
    assert_eq!(decide_with(PLAIN, &[], "{}").status, 0);
    let record = decide_with(PLAIN, &[], &situation(json!({}))).stdout;
    let project = ["marc", "project", "--trust", "local"];
    assert_eq!(run(&project, &record).status, 0);
    assert_eq!(
        run(&[&project[..], &["--fail"]].concat(), &record).status,
        3
    );
}

/// The worked examples of both drafts, end to end: decided, disclosed and shown.
#[test]
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
fn the_worked_examples_run_end_to_end() {
    let examples = [
        ("tv-m2-2.json", "CLARIFY", "user_clarification"),
        ("tv-m2-4.json", "CLARIFY", "user_clarification"),
        ("tv-m2-5.json", "RETRIEVE", "retrieval"),
        ("tv-m2-6.json", "TOOL", "tool"),
        ("tv-m2-7.json", "ESCALATE", "human"),
        ("tv-m1-2.json", "CLARIFY", "user_clarification"),
        ("tv-m1-4.json", "CLARIFY", "user_clarification"),
        ("tv-m1-5.json", "RETRIEVE", "retrieval"),
        ("tv-m1-6.json", "TOOL", "tool"),
        ("tv-m1-7.json", "ESCALATE", "human"),
    ];
    for (name, expected, class) in examples {
        let example: Value =
            serde_json::from_str(&fs::read_to_string(corpus(name)).unwrap()).unwrap();
        let draft = if name.contains("m1") {
            "draft = \"01\"\n"
        } else {
            ""
        };
        let line = json!({"pre_capability": example["pre_capability"], "uncertainty": example["uncertainty"],
            "primary_source": example["primary_source"], "secondary_source": example["secondary_source"],
            "remediability": class, "recommended_next_step": {expected: example["recommended_next_step"]}});
        let decided = lines(&decide_with(
            &format!("{draft}{PLAIN}"),
            &["--fail"],
            &line.to_string(),
        ));
        assert_eq!(action(&decided[0]), expected, "{name}");
        let mut record = decided[0]["record"].clone();
        let own = [
            "decision_id",
            "parent_decision_id",
            "iteration",
            "max_iterations",
            "calibration_profile",
        ];
        let mut wanted = example.clone();
        for name in own {
            record.as_object_mut().unwrap().remove(name);
            wanted.as_object_mut().unwrap().remove(name);
        }
        assert_eq!(record, wanted, "{name}");
    }
    for (record, disclosure, draft) in [
        ("tv-m2-2.json", "tv-m2-3.json", "02"),
        ("tv-m1-2.json", "tv-m1-3.json", "01"),
    ] {
        let record = fs::read_to_string(corpus(record)).unwrap();
        let args = [
            "marc",
            "project",
            "--draft",
            draft,
            "--trust",
            "local",
            "--fail",
            "--question",
            "Which jurisdiction and tax year should I use?",
            "--next-step",
            "CLARIFY=provide the jurisdiction and tax year",
        ];
        let project = run(&args, record);
        let wanted: Value =
            serde_json::from_str(&fs::read_to_string(corpus(disclosure)).unwrap()).unwrap();
        assert_eq!(lines(&project)[0]["disclosure"], wanted);
        let show = sh(
            &format!("marc show --draft {draft} --fail"),
            lines(&project)[0]["disclosure"].to_string(),
        );
        assert_eq!(
            show.stdout,
            "Which jurisdiction and tax year should I use?\n\nConfidence that a direct answer is suitable at present: low\n\
             Uncertainty: the request is ambiguous\nNext step: provide the jurisdiction and tax year\n"
        );
    }
    // Example C.2: an answer after retrieval, whose residual source is the missing evidence.
    let wanted: Value =
        serde_json::from_str(&fs::read_to_string(corpus("tv-m1-9.json")).unwrap()).unwrap();
    let missing = json!({"primary_source": "missing_evidence", "judgements": ["required_evidence_missing"], "remedies": {"retrieval": true}});
    let found = json!({"primary_source": "missing_evidence", "post_answer_confidence": 0.7, "recommended_next_step": wanted["recommended_next_step"]});
    let decided = decide_with(
        &format!("draft = \"01\"\n{PLAIN}"),
        &[],
        &[situation(missing), situation(found)].join("\n"),
    );
    let args = [
        "marc",
        "project",
        "--draft",
        "01",
        "--trust",
        "local",
        "--answer",
        wanted["answer"].as_str().unwrap(),
    ];
    let shown = lines(&run(&args, &decided.stdout));
    assert_eq!(shown[0]["event"], "deferred");
    assert_eq!(shown[0]["unused"], json!(["answer"]));
    assert_eq!(shown[1]["disclosure"], wanted);
}

/// M2-140 to M2-145, M2-147, M2-181
#[test]
fn objects_are_carried_and_taken_out_unchanged() {
    let record = compact("tv-m2-2.json");
    let disclosure = compact("tv-m2-3.json");
    let carriers: [&[&str]; 5] = [
        &["response-metadata"],
        &["mcp", "--prefix", "com.example"],
        &["a2a", "--uri", "https://example.com/marc/v1"],
        &["sse"],
        &["audit-log"],
    ];
    let input = format!("{record}\n{disclosure}\n");
    for carrier in carriers {
        let carry = |way: &str, input: &str| {
            let mut args = vec!["marc", "carry", way];
            args.extend(carrier);
            args.push("--fail");
            let carry = run(&args, input);
            assert_eq!(
                carry.status, 0,
                "{carrier:?}: {}{}",
                carry.stdout, carry.stderr
            );
            carry.stdout
        };
        let carried = carry("--into", &input);
        assert_eq!(carry("--out-of", &carried), input, "{carrier:?}");
        let stripped = carry("--strip", &carried);
        assert!(
            !stripped.contains("pre_capability") && stripped.contains("uncertainty_source"),
            "{stripped}"
        );
    }
    let files = Files::new();
    let envelope = files.write("envelope.json", "{\"id\":7,\"metadata\":{\"trace\":\"a\"}}");
    let carried = sh(
        &format!("marc carry --into response-metadata --envelope {envelope}"),
        &record,
    );
    assert!(
        carried
            .stdout
            .starts_with("{\"id\":7,\"metadata\":{\"trace\":\"a\",\"marc_core\":{"),
        "{}",
        carried.stdout
    );
    assert_eq!(run(&["marc", "carry", "--into", "mcp"], &record).status, 2);
    assert_eq!(
        run(&["marc", "carry", "--out-of", "audit-log", "--fail"], "{}").status,
        3
    );
}

/// OP-44
#[test]
fn objects_of_the_first_draft_are_upgraded() {
    let input: String = ["tv-m1-1.json", "tv-m1-2.json", "tv-m1-9.json"]
        .map(|name| fs::read_to_string(corpus(name)).unwrap())
        .concat();
    let upgraded = run(&["marc", "upgrade", "--fail"], &input);
    assert_eq!(upgraded.status, 0, "{}", upgraded.stdout);
    let validate = sh("marc validate --strict --fail", &upgraded.stdout);
    assert_eq!(validate.status, 0, "{}", validate.stdout);
    assert!(upgraded.stdout.contains("\"confidence_target\":\"answer\""));
    let unnamed = compact("tv-m1-9.json").replace(",\"selected_action\":\"ANSWER\"", "");
    let refused = run(&["marc", "upgrade", "--fail"], &unnamed);
    assert_eq!(refused.status, 3, "{}", refused.stdout);
    assert_eq!(
        sh("marc upgrade --fail --action ANSWER", &unnamed).status,
        0
    );
}

#[test]
fn an_object_of_the_second_draft_is_upgraded_to_itself() {
    let unnamed = r#"{"answer":"x","confidence_band":"low","confidence_target":"direct_answer_suitability","uncertainty_source":"ambiguity","recommended_next_step":"name it"}"#;
    let unnamed = format!("{unnamed}\n");
    for args in [
        &["marc", "upgrade", "--fail"][..],
        &["marc", "upgrade", "--fail", "--action", "ANSWER"],
    ] {
        let found = run(args, &unnamed);
        assert_eq!((found.status, &found.stdout), (0, &unnamed));
    }
}

/// M2-9: violations give line, pointer and section.
#[test]
fn violations_have_line_pointer_and_section() {
    let record = compact("tv-m2-1.json");
    let spread = record
        .replace("\"ambiguity\":0.78", "\"ambiguity\":\n1.78")
        .replace("\"low\"", "\n\"Low\"");
    let found = &lines(&run(&["marc", "validate"], format!("\n{spread}")))[0];
    let violations: Vec<_> = found["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["line"].as_u64(),
                one["pointer"].as_str(),
                one["section"].as_str(),
            )
        })
        .collect();
    assert_eq!(
        violations,
        [
            (Some(3), Some("/uncertainty/ambiguity"), Some("MARC-02 8.2")),
            (Some(4), Some("/confidence_band"), Some("MARC-02 9.2")),
        ]
    );
    assert_eq!(found["record"], Value::Null);
}

#[test]
fn schemas_are_printed() {
    for kind in ["core", "disclosure"] {
        let schema = run(&["marc", "schema", kind], "");
        let schema: Value = serde_json::from_str(&schema.stdout).unwrap();
        assert_eq!(
            schema["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
    }
}

/// Situations of the corpus become the expected decisions, disclosures and texts, which the tests
/// of the Python package also use.
#[test]
fn the_situations_of_the_corpus_become_decisions_disclosures_and_text() {
    let expected = |name| fs::read_to_string(corpus(name)).expect("a file of the corpus");
    let (deployment, texts) = (corpus("deployment.toml"), corpus("texts.ndjson"));
    let described = ["--deployment", &*deployment];
    let decided = run(
        &[&["marc", "decide"][..], &described].concat(),
        expected("situations.ndjson"),
    );
    assert_eq!(decided.stdout, expected("decided.ndjson"));
    let projecting = ["marc", "project", "--trust", "local", "--texts", &texts];
    let projected = run(&[&projecting[..], &described].concat(), decided.stdout);
    assert_eq!(projected.stdout, expected("projected.ndjson"));
    let shown = run(
        &[&["marc", "show"][..], &described].concat(),
        projected.stdout,
    );
    assert_eq!(shown.stdout, expected("shown.text"));
}
