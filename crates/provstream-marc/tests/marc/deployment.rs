//! Descriptions of deployments, and the report on one.

use provstream_marc::{
    Action, Calibration, ConformanceClass, ConformanceFinding, ConformanceOutcome as Outcome,
    Deployment, DeploymentErrorKind, Details, Draft, Level, Scores, Session, Situation, Source,
};
use testkit::marc::decide::score;
use testkit::marc::deployment::{EXAMPLE, MINIMAL, cut, edited};

#[track_caller]
fn read(text: &str) -> Deployment {
    Deployment::from_toml(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn outcome(deployment: &Deployment, id: &str) -> Outcome {
    let report = deployment.conformance();
    let found = report.findings().iter().find(|finding| finding.id() == id);
    found.unwrap_or_else(|| panic!("{id}")).outcome()
}

/// M2-17, M2-42, M2-94, M2-114, M2-177, M2-184, M2-186
#[test]
fn the_example_conforms_and_declares_what_cannot_be_checked() {
    let deployment = read(EXAMPLE);
    let report = deployment.conformance();
    let lacking: Vec<_> = report
        .findings()
        .iter()
        .filter(|finding| !matches!(finding.outcome(), Outcome::Met | Outcome::Declared))
        .map(ToString::to_string)
        .collect();
    assert!(lacking.is_empty(), "{}", lacking.join("\n"));
    for &class in ConformanceClass::ALL {
        assert!(report.conforms(class));
    }
    for id in [
        "band-meaning",
        "extension-meaning",
        "no-influence",
        "carried-meaning",
        "retention",
    ] {
        assert_eq!(outcome(&deployment, id), Outcome::Declared, "{id}");
    }
    let text = report.to_string();
    assert!(
        text.contains("MARC-02 8.5") && text.contains("the deployer's word"),
        "{text}"
    );
}

/// M1-16 to M1-18, M2-178, M2-182, M2-183
#[test]
fn a_minimal_description_conforms_to_nothing() {
    let deployment = read(MINIMAL);
    let report = deployment.conformance();
    assert!(!report.is_conformant());
    let of_second = report.findings().len();
    let first = read(&format!("draft = \"01\"\n{MINIMAL}"));
    let report = first.conformance();
    assert!(report.findings().len() < of_second);
    assert!(
        report
            .findings()
            .iter()
            .all(|finding| finding.section().starts_with("MARC-01 "))
    );
    assert_eq!(report.draft(), Draft::Draft01);
}

/// M2-178: each finding that the example meets by its description is missing without the description.
#[test]
fn every_requirement_is_met_by_something_that_can_be_missing() {
    let own = edited(
        &edited(EXAMPLE, "records = \"provstream\"\n", ""),
        "decisions = \"provstream\"\n",
        "",
    );
    let own = cut(
        &own,
        "score_normalization",
        "# Where confidence bands begin",
    );
    let bare = "name = \"x\"\nclasses = [\"core\", \"disclosure\", \"carrying\"]\n".to_owned();
    let (with, without) = (read(&own).conformance(), read(&bare).conformance());
    let missing =
        |finding: &&ConformanceFinding| finding.outcome() == Outcome::DocumentationMissing;
    assert!(with.findings().iter().filter(missing).count() > 40);
    for finding in without.findings() {
        assert!(
            matches!(
                finding.outcome(),
                Outcome::DocumentationMissing | Outcome::NotMet
            ) || matches!(finding.id(), "band-meaning" | "disclosure-minimum"),
            "{finding}"
        );
    }
}

/// M2-40, M2-137, M2-141, M2-143, M2-145, M2-154, M2-174: what contradicts a requirement is found.
#[test]
fn what_contradicts_a_requirement_is_not_met() {
    for (from, to, id) in [
        (
            "labels_keep_order = true",
            "labels_keep_order = false",
            "band-meaning",
        ),
        (
            "name = \"x_trace\"",
            "name = \"x_confidence_band\"",
            "extension-meaning",
        ),
        ("name = \"x_trace\"", "name = \"trace\"", "private-prefix"),
        (
            "keep_meaning = true",
            "keep_meaning = false",
            "extension-meaning",
        ),
        (
            "confidence_target = \"band_target\"",
            "confidence_target = \"band\"",
            "renaming",
        ),
        (
            "omitted = [\"secondary_source\"]",
            "omitted = [\"primary_source\"]",
            "carrying-minimum",
        ),
        ("keeps_values = true", "keeps_values = false", "values-kept"),
        (
            "infers_psychology = false",
            "infers_psychology = true",
            "no-influence",
        ),
        (
            "purposes = [\"reliability\"",
            "purposes = [\"persuasion\"",
            "purposes",
        ),
        (
            "varies_by = [\"action type\", \"task family\", \"risk tier\"]",
            "varies_by = [\"action type\", \"risk tier\"]",
            "band-ranges",
        ),
        (
            "high = \"high\"",
            "high = \"definitely high\"",
            "no-certainty-cues",
        ),
    ] {
        let deployment = read(&edited(EXAMPLE, from, to));
        assert_eq!(outcome(&deployment, id), Outcome::NotMet, "{to}");
        let report = deployment.conformance();
        let level = |finding: &ConformanceFinding| (finding.id() == id).then_some(finding.level());
        let is_must = report.findings().iter().find_map(level) == Some(Level::Must);
        assert_eq!(report.is_conformant(), !is_must, "{to}");
        let notes: usize = ConformanceClass::ALL
            .iter()
            .map(|&class| report.notes(class))
            .sum();
        assert!(is_must || notes > 0, "{to}");
        let table = report.to_string();
        assert_eq!(
            table.contains("not met or not described"),
            notes > 0,
            "{table}"
        );
        assert_eq!(table.contains("does not conform"), is_must, "{table}");
    }
}

/// M2-135: a distinct prefix need not be `x_`.
#[test]
fn private_members_have_a_distinct_prefix() {
    for (name, is_distinct) in [
        ("acme_trace", true),
        ("x_y", true),
        ("com.example/trace", true),
        ("vendor:trace", true),
        ("acme.trace", true),
        ("ACME_trace", true),
        ("trace", false),
        ("acmetrace", false),
        ("acme_", false),
        ("_trace", false),
        ("confidence_note", false),
        ("marc_trace", false),
        ("selected_tool", false),
        ("answer_length", false),
    ] {
        let named = edited(EXAMPLE, "name = \"x_trace\"", &format!("name = \"{name}\""));
        let found = outcome(&read(&named), "private-prefix");
        assert_eq!(found == Outcome::Met, is_distinct, "{name}: {found}");
        assert!(read(&named).conformance().is_conformant(), "{name}");
    }
}

/// M2-42: sessions cap the bands of all actions but ANSWER, so a description that leaves it out is not complete.
#[test]
fn bands_of_sessions_vary_by_action_type() {
    let from = "varies_by = [\"action type\", \"task family\", \"risk tier\"]";
    for (varies, decisions, expected) in [
        (
            "\"action type\", \"task family\", \"risk tier\"",
            "provstream",
            Outcome::Met,
        ),
        (
            "\"task family\", \"risk tier\"",
            "provstream",
            Outcome::DocumentationMissing,
        ),
        (
            "\"task family\"",
            "provstream",
            Outcome::DocumentationMissing,
        ),
        ("", "provstream", Outcome::DocumentationMissing),
        (
            "\"action type\", \"task family\"",
            "provstream",
            Outcome::Met,
        ),
        ("\"task family\"", "own", Outcome::Met),
    ] {
        let text = edited(EXAMPLE, from, &format!("varies_by = [{varies}]"));
        let text = edited(
            &text,
            "decisions = \"provstream\"",
            &format!("decisions = \"{decisions}\""),
        );
        let found = outcome(&read(&text), "band-ranges");
        let is_met = matches!(found, Outcome::Met | Outcome::Declared);
        assert_eq!(
            is_met,
            expected == Outcome::Met,
            "{varies} {decisions}: {found}"
        );
    }
}

/// M2-129 to M2-131, M2-150, M2-175: wording in a language without rules is at most declared.
#[test]
fn wording_that_is_not_checked_is_declared() {
    let ids = [
        "task-terms",
        "no-false-precision",
        "no-certainty-cues",
        "calibrated-reliance",
        "no-anthropomorphism",
    ];
    let description = |language: &str, texts: &str| {
        format!(
            "name = \"x\"\nclasses = [\"disclosure\"]\nrecords = \"provstream\"\ndecisions = \"provstream\"\n\
             [wording]\nlanguage = \"{language}\"\n{texts}"
        )
    };
    let text = "[wording.message]\nABSTAIN = \"No: {source}.\"\n";
    for (language, expected) in [
        ("en", Outcome::Met),
        ("de", Outcome::Met),
        ("es", Outcome::Declared),
        ("fr", Outcome::Declared),
        ("ja", Outcome::Declared),
    ] {
        for texts in ["", text] {
            let deployment = read(&description(language, texts));
            for id in ids {
                assert_eq!(outcome(&deployment, id), expected, "{language} {id}");
            }
        }
    }
    // What a rule finds contradicts it in every language.
    let cue = "[wording.message]\nABSTAIN = \"You can trust this answer.\"\n";
    let found = outcome(&read(&description("es", cue)), "no-certainty-cues");
    assert_eq!(found, Outcome::NotMet);
}

/// M2-177
#[test]
fn a_report_ends_with_what_it_does_not_say() {
    for (draft, section) in [("01", "(MARC-01 14)"), ("02", "(MARC-02 20)")] {
        let report = read(&format!("draft = \"{draft}\"\n{MINIMAL}")).conformance();
        assert!(report.caveat().contains(section), "{}", report.caveat());
        assert!(report.to_string().ends_with(&report.caveat()));
    }
}

/// Own code states how it meets what the types would.
#[test]
fn own_code_states_how_it_meets_what_types_would() {
    let text = "name = \"x\"\nclasses = [\"core\"]\n[stated]\none-primary-source = \"the router names one\"\n".to_owned();
    assert_eq!(
        outcome(&read(&text), "one-primary-source"),
        Outcome::Declared
    );
    for id in ["band-thresholds", "retention", "M2-27", "doc-loops"] {
        let text = format!("name = \"x\"\nclasses = [\"core\"]\n[stated]\n{id} = \"y\"\n");
        let error = Deployment::from_toml(text.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), DeploymentErrorKind::BadValue, "{id}");
    }
}

/// M2-41, M2-43, M2-46, M2-152, M2-155: what is described is executed.
#[test]
fn what_is_described_is_executed() {
    let deployment = read(EXAMPLE);
    let controller = deployment.controller().unwrap();
    assert_eq!(controller.calibration().profile(), "tax-2026-05");
    assert_eq!(
        deployment.calibration().map(Calibration::varies),
        Some(true)
    );
    let situation = |safety: f64| {
        let scores = Scores::all(score(0.0)).with(Source::Safety, score(safety));
        Situation::new(score(0.9), scores, Source::Ambiguity)
    };
    let details = Details::new()
        .with_post_answer_confidence(score(0.9))
        .with_action_suitability(score(0.9));
    let act = |safety| {
        let mut session = Session::new(&controller, "r").unwrap();
        session
            .decide(&situation(safety), &details)
            .unwrap()
            .action()
    };
    assert_eq!(act(0.19), Action::Answer);
    assert_eq!(act(0.2), Action::Abstain);
    assert_eq!(controller.policy().deviations().len(), 2);
    assert_eq!(deployment.mappings().len(), 6);
    assert_eq!(deployment.extensions()[0].name(), "x_trace");
}

/// Each error says what is wrong and where.
#[test]
fn errors_have_a_kind_and_a_position() {
    use DeploymentErrorKind::{BadValue, MissingKey, Syntax, UnknownKey, WrongType};
    for (from, to, kind) in [
        ("name = \"tax assistant\"", "nane = \"x\"", UnknownKey),
        ("name = \"tax assistant\"", "", MissingKey),
        ("name = \"tax assistant\"", "name = 7", WrongType),
        ("name = \"tax assistant\"", "name = \" \"", BadValue),
        ("name = \"tax assistant\"", "name = ", Syntax),
        ("high_from = 0.75", "high_from = 0.3", BadValue),
        ("medium_from = 0.4", "medium_from = 0.0", BadValue),
        ("high_risk = 0.3", "high_risk = 0.9", BadValue),
        ("low = \"low\"", "low = \"very sure\"", BadValue),
        ("low = \"low\"", "low = \"high\"", BadValue),
        ("count = 3", "count = -3", WrongType),
        ("time = \"20s\"", "time = \"20 seconds\"", BadValue),
        ("prefix = \"com.example\"", "prefix = \"7\"", BadValue),
        (
            "action_suitability = [\"ESCALATE\"]",
            "action_suitability = [\"ANSWER\"]",
            BadValue,
        ),
        (
            "safety = [\"ESCALATE\", \"ABSTAIN\"]",
            "safety = [\"ANSWER\"]",
            BadValue,
        ),
        (
            "instead_of = \"RETRIEVE\"",
            "instead_of = \"retrieve\"",
            BadValue,
        ),
    ] {
        let text = edited(EXAMPLE, from, to);
        let error = Deployment::from_toml(text.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), kind, "{to}: {error}");
        let at = text.find(to).unwrap_or(0);
        let line = text[..at].matches('\n').count() + 1;
        let position = error.position().expect("a position");
        let apart = usize::try_from(position.line()).unwrap().abs_diff(line);
        assert!(
            kind == MissingKey || apart <= usize::from(kind != BadValue),
            "{to}: {error}, line {line}"
        );
        assert!(error.to_string().starts_with("line "), "{error}");
    }
    let large = vec![b'#'; (1 << 20) + 1];
    let error = Deployment::from_toml(&large).unwrap_err();
    assert_eq!(
        (error.kind(), error.position()),
        (DeploymentErrorKind::FileTooLarge, None)
    );
}
