//! The report on the conformance of a deployment.

use std::collections::BTreeSet;

use provstream_marc::{
    ConformanceBasis as Basis, ConformanceClass as Class, ConformanceOutcome as Outcome,
    ConformanceReport, Deployment, Draft, Level,
};
use testkit::marc::deployment::{EXAMPLE, MINIMAL, cut, edited};

#[track_caller]
fn report(file: &str) -> ConformanceReport {
    Deployment::from_toml(file.as_bytes())
        .unwrap()
        .conformance()
}

/// The numbers of what is not met in some class, with how it fares.
fn unmet(report: &ConformanceReport) -> BTreeSet<(String, Outcome)> {
    let findings = report.findings().iter();
    findings
        .filter(|finding| finding.outcome() != Outcome::Met)
        .map(|finding| (finding.number(), finding.outcome()))
        .collect()
}

/// The example for -01: the same, but for what only -02 has.
fn first_example() -> String {
    let file = edited(EXAMPLE, "draft = \"02\"", "draft = \"01\"");
    let file = edited(&file, ", confidence_target = \"band_target\"", "");
    let file = edited(
        &file,
        "\"auditability\", \"operational routing\"",
        "\"safety\"",
    );
    cut(&file, "[[policy.deviation]]", "# How disclosures look")
}

#[test]
fn the_example_conforms_in_all_classes() {
    for (draft, file) in [
        (Draft::Draft01, first_example()),
        (Draft::Draft02, EXAMPLE.into()),
    ] {
        let report = report(&file);
        assert_eq!((report.name(), report.draft()), ("tax assistant", draft));
        for finding in report.findings() {
            assert_eq!(finding.outcome(), Outcome::Met, "{finding}");
            assert!(finding.basis().is_some() && !finding.reason().is_empty());
            assert!(!finding.prevents());
        }
        for &class in Class::ALL {
            assert!(report.claims(class) && report.conforms(class));
        }
        assert!(report.is_conformant());
    }
}

#[test]
fn the_least_that_is_a_description_does_not_conform() {
    let report = report(MINIMAL);
    assert!(!report.is_conformant() && !report.conforms(Class::Core));
    assert!(
        report
            .of(Class::Core)
            .all(|finding| finding.outcome() == Outcome::DocumentationMissing)
    );
    for class in [Class::Disclosure, Class::Carrying] {
        assert!(!report.claims(class) && !report.conforms(class));
        let mut findings = report.of(class);
        assert!(findings.all(|finding| {
            (finding.outcome(), finding.basis(), finding.reason())
                == (Outcome::NotClaimed, None, "")
        }));
    }
}

/// What the types of records meet. M2-20, M2-25, M2-27, M2-29, M2-31, M2-35, M2-44, M2-45, M2-102, M2-103, M2-116 to M2-121,
/// M2-124, M2-178, M2-179, M2-180
const BY_RECORDS: &[&str] = &[
    "M2-20", "M2-25", "M2-27", "M2-29", "M2-30", "M2-31", "M2-35", "M2-44", "M2-45", "M2-102",
    "M2-103", "M2-116", "M2-117", "M2-118", "M2-119", "M2-120", "M2-121", "M2-124", "M2-178.2",
    "M2-178.4", "M2-178.5", "M2-178.7", "M2-178.8", "M2-179", "M2-180",
];

/// What the types of decisions meet. M2-19, M2-23, M2-34, M2-36, M2-43, M2-48, M2-49, M2-52 to M2-55, M2-68, M2-113, M2-154
const BY_DECISIONS: &[&str] = &[
    "M2-19", "M2-22", "M2-23", "M2-34", "M2-36", "M2-43", "M2-48", "M2-49", "M2-52", "M2-53",
    "M2-54", "M2-55", "M2-68", "M2-113", "M2-154", "M2-178.3", "M2-178.6",
];

/// What takes both, as `Core::builder` knows neither when a decision is taken nor what should be. M2-18, M2-46, M2-92, M2-93,
/// M2-106, M2-178
const BY_SESSIONS: &[&str] = &[
    "M2-18",
    "M2-46",
    "M2-92",
    "M2-93",
    "M2-106",
    "M2-178.1",
    "M2-178.11",
];

#[test]
fn own_code_has_to_state_what_the_types_would_meet() {
    for (key, numbers) in [("records", BY_RECORDS), ("decisions", BY_DECISIONS)] {
        let own = edited(
            EXAMPLE,
            &format!("{key} = \"provstream\""),
            &format!("{key} = \"own\""),
        );
        let expected: BTreeSet<_> = numbers
            .iter()
            .chain(BY_SESSIONS)
            .map(|number| ((*number).to_owned(), Outcome::DocumentationMissing))
            .chain([("M2-183".to_owned(), Outcome::NotMet)])
            .collect();
        let found = report(&own);
        assert_eq!(unmet(&found), expected);
        assert!(!found.is_conformant());
        // Stated, all of it is met.
        let mut stated = own;
        for finding in found.findings() {
            let line = format!("{:?} = ", finding.number());
            if finding.reason().starts_with(key) && !stated.contains(&format!("\n{line}")) {
                stated.push_str(&format!("{line}\"see\\nthe design\"\n"));
            }
        }
        let found = report(&stated);
        assert_eq!(unmet(&found), BTreeSet::new());
        let one = found
            .of(Class::Core)
            .find(|finding| finding.number() == numbers[1])
            .unwrap();
        assert_eq!(one.basis(), Some(Basis::Statement));
        assert_eq!(one.reason(), "stated: see\\nthe design");
    }
}

/// A requirement, what is replaced in the example by what, and how the requirement fares then.
#[rustfmt::skip]
const FLIPS: &[(&str, &str, &str, Outcome)] = &[
    ("M2-16", "cost = 20\n", "", Outcome::DocumentationMissing),
    ("M2-16", "[bounds.tool]\ncount = 2\ntime = \"30s\"\ncost = 20\n", "", Outcome::DocumentationMissing),
    ("M2-17", "time = \"20s\"\n", "", Outcome::DocumentationMissing),
    ("M2-40", "medium = \"moderate\"", "medium = \"LOW\"", Outcome::NotMet),
    ("M2-42", "varies_by = [\"task family\", \"risk tier\"]\n", "", Outcome::DocumentationMissing),
    ("M2-42", "varies_by = [\"task family\", \"risk tier\"]", "varies_by = []", Outcome::NotMet),
    ("M2-42", "variation = ", "#", Outcome::DocumentationMissing),
    ("M2-42", "[bands.family.us-federal]\nmedium_from = 0.5\nhigh_from = 0.8\n", "", Outcome::DocumentationMissing),
    ("M2-45", "action_suitability = [\"ESCALATE\"]", "action_suitability = [\"ESCALATE\", \"ANSWER\"]", Outcome::NotMet),
    ("M2-47", "target = \"the label", "#", Outcome::DocumentationMissing),
    ("M2-94", "calibration_profile = ", "#", Outcome::DocumentationMissing),
    ("M2-112", "time = \"15s\"\n", "", Outcome::DocumentationMissing),
    ("M2-115", "score_normalization", "#", Outcome::DocumentationMissing),
    ("M2-116", "missing_evidence = \"the current rules for this case are not at hand\"", "missing_evidence = \"The request is ambiguous\"", Outcome::NotMet),
    ("M2-116", "answer = \"in the answer above\"", "answer = \"that a direct answer is suitable at present\"", Outcome::NotMet),
    ("M2-125", "tested = ", "#", Outcome::DocumentationMissing),
    ("M2-125", "calibrated_for = ", "#", Outcome::DocumentationMissing),
    ("M2-129", "the current rules for this case are not at hand", "I feel unsure", Outcome::NotMet),
    ("M2-130", "To answer this, one", "To be 87% right, one", Outcome::NotMet),
    ("M2-131", "A tax adviser has", "It is guaranteed that a tax adviser has", Outcome::NotMet),
    ("M2-131", "tested = ", "#", Outcome::DocumentationMissing),
    ("M2-135", "name = \"x_trace\"", "name = \"trace\"", Outcome::NotMet),
    ("M2-137", "name = \"x_trace\"", "name = \"primary_source\"", Outcome::NotMet),
    ("M2-140", "omitted = [\"secondary_source\"]", "omitted = [\"primary_source\"]", Outcome::NotMet),
    ("M2-140", "omitted = [\"secondary_source\"]", "omitted = [\"post_answer_confidence\"]", Outcome::NotMet),
    ("M2-140", "keeps_values = true", "", Outcome::DocumentationMissing),
    ("M2-141", "\"band_target\"", "\"band\"", Outcome::NotMet),
    ("M2-141", "\"band_target\"", "\"primary_source\"", Outcome::NotMet),
    ("M2-141", "\"band_target\"", "\"x_trace\"", Outcome::NotMet),
    ("M2-141", "\"band_target\"", "\"secondary_source\"", Outcome::Met),
    ("M2-141", "description = ", "#", Outcome::DocumentationMissing),
    ("M2-142", "told_apart = ", "#", Outcome::DocumentationMissing),
    ("M2-143", "carries = [\"core\"]", "carries = [\"core\"] #", Outcome::Met),
    ("M2-143", "[[mapping]]\ncarrier = \"sse\"\ncarries = [\"disclosure\"]", "[[mapping]]\ncarrier = \"sse\"\ncarries = [\"core\"]", Outcome::NotMet),
    ("M2-143", "uri = \"https://example.com/marc/v1\"\nend_users = false", "uri = \"a:b\"", Outcome::DocumentationMissing),
    ("M2-144", "description = ", "#", Outcome::DocumentationMissing),
    ("M2-145", "keeps_values = true", "keeps_values = false", Outcome::NotMet),
    ("M2-145", "keeps_values = true", "", Outcome::DocumentationMissing),
    ("M2-149", "unit = \"one box", "#", Outcome::DocumentationMissing),
    ("M2-150", "A tax adviser has", "Trust me, a tax adviser has", Outcome::NotMet),
    ("M2-152", "domains = [\"financial\", \"legal\"]\n", "", Outcome::DocumentationMissing),
    ("M2-152", "domains = [\"financial\", \"legal\"]", "domains = []", Outcome::Met),
    ("M2-152", "limits = ", "#", Outcome::DocumentationMissing),
    ("M2-152", "caution = ", "#", Outcome::Met),
    ("M2-154", "route = \"if attested\"", "route = \"always\"", Outcome::NotMet),
    ("M2-154", "automate = \"never\"", "automate = \"always\"", Outcome::NotMet),
    ("M2-155", "emitted = [\"local\", \"cross-domain\"]\n", "", Outcome::DocumentationMissing),
    ("M2-155", "received = [\"delegated\", \"attested cross-domain\"]\n", "", Outcome::DocumentationMissing),
    ("M2-155", "attestation = ", "#", Outcome::DocumentationMissing),
    ("M2-156", "replay = ", "#", Outcome::DocumentationMissing),
    ("M2-157", "protection = ", "#", Outcome::DocumentationMissing),
    ("M2-161", "cost = 10\n", "", Outcome::DocumentationMissing),
    ("M2-168", "retention = ", "#", Outcome::DocumentationMissing),
    ("M2-169", "prompts = ", "#", Outcome::DocumentationMissing),
    ("M2-170", "sensitivity = ", "#", Outcome::DocumentationMissing),
    ("M2-171", "explanations = ", "#", Outcome::DocumentationMissing),
    ("M2-172", "distress = ", "#", Outcome::DocumentationMissing),
    ("M2-173", "infers_psychology = false", "", Outcome::DocumentationMissing),
    ("M2-173", "infers_psychology = false", "infers_psychology = true", Outcome::NotMet),
    ("M2-174", "purposes = ", "#", Outcome::DocumentationMissing),
    ("M2-174", "\"auditability\"", "\"engagement\"", Outcome::NotMet),
    ("M2-175", "A tax adviser has", "Sorry, I think a tax adviser has", Outcome::NotMet),
    ("M2-178.8", "action_suitability = [\"ESCALATE\"]", "action_suitability = [\"ANSWER\"]", Outcome::NotMet),
    ("M2-178.9", "varies_by = [\"task family\", \"risk tier\"]", "varies_by = []", Outcome::NotMet),
    ("M2-178.10", "count = 3\n", "", Outcome::DocumentationMissing),
    ("M2-178.12", "name = \"x_trace\"", "name = \"primary_source\"", Outcome::NotMet),
    ("M2-179", "medium = \"moderate\"", "medium = \"low\"", Outcome::NotMet),
    ("M2-181", "description = ", "#", Outcome::DocumentationMissing),
    ("M2-181", "omitted = [\"secondary_source\"]", "omitted = [\"uncertainty\"]", Outcome::NotMet),
    ("M2-181", "omitted = [\"secondary_source\"]", "omitted = [\"post_answer_confidence\"]", Outcome::NotMet),
    ("M2-183", "name = \"x_trace\"", "name = \"trace\"", Outcome::NotMet),
    ("M2-184.1", "score_normalization", "#", Outcome::DocumentationMissing),
    ("M2-184.2", "varies_by = [\"task family\", \"risk tier\"]\n", "", Outcome::DocumentationMissing),
    ("M2-184.3", "target = \"the label", "#", Outcome::DocumentationMissing),
    ("M2-184.4", "regime = ", "#", Outcome::DocumentationMissing),
    ("M2-184.5", "count = 3\n", "", Outcome::DocumentationMissing),
    ("M2-184.6", "meaning = \"identifies", "#", Outcome::DocumentationMissing),
    ("M2-184.6", "name = \"x_sub_action\"", "name = \"x_other\"", Outcome::DocumentationMissing),
    ("M2-184.6", "name = \"x_pre_capability\"", "name = \"x_other\"", Outcome::DocumentationMissing),
    ("M2-184.8", "description = ", "#", Outcome::DocumentationMissing),
    ("M2-184.9", "attestation = ", "#", Outcome::DocumentationMissing),
    ("M2-184.10", "abstain = ", "#", Outcome::DocumentationMissing),
    ("M2-184.10", "escalate = ", "#", Outcome::DocumentationMissing),
    ("M2-186", "regime = ", "#", Outcome::DocumentationMissing),
];

/// The same where a whole part is cut out, from one piece up to another.
#[rustfmt::skip]
const CUTS: &[(&str, &str, &str, Outcome)] = &[
    ("M2-41", "[bands]", "# What ends a loop", Outcome::DocumentationMissing),
    ("M2-42", "[bands]", "# What ends a loop", Outcome::DocumentationMissing),
    ("M2-94", "[bands]", "# What ends a loop", Outcome::DocumentationMissing),
    ("M2-16", "[bounds.retrieve]", "# High-risk domains", Outcome::DocumentationMissing),
    ("M2-152", "[risk]", "# Private members", Outcome::DocumentationMissing),
    ("M2-135", "[[extension]]\nname = \"x_trace\"", "# Names of the controller", Outcome::DocumentationMissing),
    ("M2-137", "[[extension]]\nname = \"x_trace\"", "# Names of the controller", Outcome::DocumentationMissing),
    ("M2-51", "[sub_actions]", "# What differs", Outcome::Met),
    ("M2-184.7", "[wording]", "# Where records and", Outcome::DocumentationMissing),
    ("M2-40", "[wording]", "# Where records and", Outcome::Met),
    ("M2-144", "[[mapping]]\n# \"response", "# Contexts of trust", Outcome::DocumentationMissing),
    ("M2-143", "[[mapping]]\n# \"response", "# Contexts of trust", Outcome::DocumentationMissing),
    ("M2-141", "[[mapping]]\n# A mapping", "# Contexts of trust", Outcome::Met),
    ("M2-156", "[trust]", "# Local rules", Outcome::DocumentationMissing),
    ("M2-156", "[trust.controls]", "# What records of a domain", Outcome::DocumentationMissing),
    ("M2-114", "[[policy.deviation]]", "# How disclosures look", Outcome::DocumentationMissing),
    ("M2-125", "[presentation.scores]", "# Records and people", Outcome::Met),
];

/// How a requirement fares in the classes that ask for it.
fn outcome(report: &ConformanceReport, number: &str) -> Outcome {
    let findings = report.findings().iter();
    let mut outcomes = findings
        .filter(|one| one.number() == number)
        .map(|one| one.outcome());
    let first = outcomes
        .next()
        .unwrap_or_else(|| panic!("{number} is in the report"));
    assert!(
        outcomes.all(|other| other == first),
        "{number} fares alike in all classes"
    );
    first
}

#[test]
fn every_requirement_is_met_by_something_that_can_be_missing() {
    let flips = FLIPS
        .iter()
        .map(|&(number, from, to, expected)| (number, edited(EXAMPLE, from, to), expected));
    let cuts = CUTS
        .iter()
        .map(|&(number, from, to, expected)| (number, cut(EXAMPLE, from, to), expected));
    let mut shown: BTreeSet<String> = [BY_RECORDS, BY_DECISIONS, BY_SESSIONS]
        .concat()
        .into_iter()
        .map(Into::into)
        .collect();
    // It takes two: what is described, and decisions of the library's.
    let own = edited(EXAMPLE, "decisions = \"provstream\"", "decisions = \"own\"");
    let sub_actions = (
        "M2-51",
        cut(&own, "[sub_actions]", "# What differs"),
        Outcome::DocumentationMissing,
    );
    for (number, file, expected) in flips.chain(cuts).chain([sub_actions]) {
        let report = report(&file);
        assert_eq!(outcome(&report, number), expected, "{number}\n{report}");
        if expected != Outcome::Met {
            shown.insert(number.to_owned());
        }
    }
    let all: BTreeSet<String> = report(EXAMPLE)
        .findings()
        .iter()
        .map(|one| one.number())
        .collect();
    assert_eq!(shown, all);
}

/// M2-182, M2-183: should-level documentation may be missing; what must be there, and what contradicts, keeps from conforming.
#[test]
fn a_class_conforms_unless_something_prevents_it() {
    let should = report(&edited(EXAMPLE, "score_normalization", "#"));
    assert!(should.is_conformant());
    let missing = should
        .findings()
        .iter()
        .find(|one| one.number() == "M2-115")
        .unwrap();
    assert_eq!(
        (missing.outcome(), missing.level()),
        (Outcome::DocumentationMissing, Level::Should)
    );
    assert_eq!(
        missing.reason(),
        "say in `score_normalization` how scores are brought to the range from 0 to 1"
    );

    let must = report(&edited(EXAMPLE, "infers_psychology = false", ""));
    assert!(Class::ALL.iter().all(|&class| !must.conforms(class)));

    let contradiction = report(&edited(EXAMPLE, "name = \"x_trace\"", "name = \"trace\""));
    assert!(!contradiction.conforms(Class::Core) && !contradiction.conforms(Class::Disclosure));
    assert!(contradiction.conforms(Class::Carrying));

    let carrying = report(&edited(
        EXAMPLE,
        "keeps_values = true",
        "keeps_values = false",
    ));
    assert!(carrying.conforms(Class::Disclosure) && !carrying.conforms(Class::Carrying));
}

/// M2-152
#[test]
fn caution_is_said_or_seen_in_the_thresholds() {
    let silent = edited(EXAMPLE, "caution = ", "#");
    let none = cut(&silent, "# From which score on", "# Private members");
    assert_eq!(
        outcome(&report(&none), "M2-152"),
        Outcome::DocumentationMissing
    );
    let same = edited(&none, "[risk]", "[risk]\nstandard = 0.5\nhigh_risk = 0.5");
    assert_eq!(
        outcome(&report(&same), "M2-152"),
        Outcome::DocumentationMissing
    );
    let lower = edited(&none, "[risk]", "[risk]\nstandard = 0.5\nhigh_risk = 0.4");
    assert_eq!(outcome(&report(&lower), "M2-152"), Outcome::Met);
}

/// M2-54, M2-114
#[test]
fn a_documented_deviation_meets_what_should_be() {
    let deviation = |number: &str| {
        edited(
            EXAMPLE,
            "requirement = \"M2-111\"",
            &format!("requirement = \"{number}\""),
        )
    };
    let found = report(&cut(
        &deviation("M2-112"),
        "[bounds.deliberate]",
        "# High-risk domains",
    ));
    let bound = found
        .of(Class::Core)
        .find(|one| one.number() == "M2-112")
        .unwrap();
    assert_eq!(
        (bound.outcome(), bound.basis()),
        (Outcome::Met, Some(Basis::Description))
    );
    assert!(
        bound
            .reason()
            .starts_with("documented deviation: outside of office hours")
    );
    // What must be is not met by it.
    assert_eq!(outcome(&found, "M2-178.10"), Outcome::DocumentationMissing);
    for number in ["M2-54", "M2-59", "M2-107"] {
        assert_eq!(
            unmet(&report(&deviation(number))),
            BTreeSet::new(),
            "{number}"
        );
    }
    for number in ["M2-53", "M2-68", "M2-106", "M2-113"] {
        let must = report(&deviation(number));
        assert_eq!(outcome(&must, number), Outcome::NotMet);
        assert!(!must.is_conformant());
    }
    for number in ["M2-16", "M2-41", "M2-103", "M2-135", "M2-184.4"] {
        assert!(Deployment::from_toml(deviation(number).as_bytes()).is_err());
    }
}

/// M2-40, M2-116, M1-11: what cannot be told apart is told where it belongs.
#[test]
fn texts_that_read_alike_are_told_of_what_they_stand_for() {
    let sources = (
        "the current rules for this case are not at hand",
        "the request is ambiguous",
    );
    let bands = ("medium = \"moderate\"", "medium = \"low\"");
    for (example, fields) in [(EXAMPLE.to_owned(), "M2-116"), (first_example(), "M1-11")] {
        for ((from, to), unmet, met, part) in [
            (sources, fields, "M2-40", "source missing_evidence"),
            (bands, "M2-40", fields, "band medium"),
        ] {
            let found = report(&edited(&example, from, to));
            assert_eq!(outcome(&found, met), Outcome::Met);
            let finding = found.findings().iter().find(|one| one.number() == unmet);
            let finding = finding.unwrap();
            assert_eq!(finding.outcome(), Outcome::NotMet);
            let reason = format!("`wording`: {part}: the text is the same as another of its sort");
            assert_eq!(finding.reason(), reason);
            assert!(!found.conforms(Class::Disclosure));
        }
    }
}

/// M2-103, M2-140, M1-10: a member that `ANSWER` needs arrives.
#[test]
fn a_mapping_leaves_out_nothing_that_some_record_needs() {
    let from = "omitted = [\"secondary_source\"]";
    for example in [EXAMPLE.to_owned(), first_example()] {
        let lost = edited(&example, from, "omitted = [\"post_answer_confidence\"]");
        let found = report(&lost);
        let finding = found.findings().iter().find(|one| one.number() == "M2-140");
        assert_eq!(
            finding.unwrap().reason(),
            "`post_answer_confidence` is required with ANSWER and left out by a mapping"
        );
        assert!(!found.conforms(Class::Carrying) && found.conforms(Class::Core));
    }
}

/// M2-178: records of `Core::builder` alone may be should-level deviations, at any point.
#[test]
fn the_builder_alone_does_not_meet_what_a_session_does() {
    let file = edited(EXAMPLE, "decisions = \"provstream\"", "decisions = \"own\"");
    let found = report(&file);
    for (number, reason) in [
        (
            "M2-106",
            "decisions are not this library's: say in `stated.\"M2-106\"` how this is met",
        ),
        (
            "M2-178.1",
            "decisions are not this library's: say in `stated.\"M2-178.1\"` how this is met",
        ),
        ("M2-178.11", "see M2-106"),
    ] {
        let mut findings = found.of(Class::Core);
        let finding = findings.find(|one| one.number() == number).unwrap();
        assert_eq!(finding.outcome(), Outcome::DocumentationMissing);
        assert_eq!(finding.reason(), reason);
    }
    let own = edited(&file, "records = \"provstream\"", "records = \"own\"");
    let found = report(&own);
    let mut findings = found.of(Class::Core);
    let finding = findings.find(|one| one.number() == "M2-106").unwrap();
    assert!(
        finding
            .reason()
            .starts_with("records and decisions are not")
    );
}

/// M2-112, M2-17: own code may have other criteria than sessions.
#[test]
fn own_decisions_may_end_otherwise() {
    let own = edited(EXAMPLE, "decisions = \"provstream\"", "decisions = \"own\"");
    let own = edited(&own, "count = 2\ntime = \"15s\"\ncost = 10\n", "");
    let found = report(&own);
    for number in ["M2-16", "M2-17", "M2-112", "M2-178.10"] {
        assert_eq!(outcome(&found, number), Outcome::Met);
    }
    assert_eq!(outcome(&found, "M2-161"), Outcome::DocumentationMissing);
}

/// M2-43, M2-154, M2-156: who receives nothing trusts nothing.
#[test]
fn without_records_from_elsewhere_there_is_nothing_to_trust() {
    let own = edited(EXAMPLE, "decisions = \"provstream\"", "decisions = \"own\"");
    let own = edited(
        &own,
        "received = [\"delegated\", \"attested cross-domain\"]",
        "received = []",
    );
    let own = edited(
        &own,
        "emitted = [\"local\", \"cross-domain\"]",
        "emitted = [\"local\"]",
    );
    let found = report(&cut(&own, "[trust.controls]", "# What records of a domain"));
    for number in ["M2-43", "M2-154", "M2-155", "M2-156"] {
        assert_eq!(outcome(&found, number), Outcome::Met);
    }
}

/// M2-140, M2-142, M2-145, M2-181
#[test]
fn the_carriers_of_the_library_need_no_words() {
    let found = report(&cut(
        EXAMPLE,
        "[[mapping]]\n# A mapping",
        "# Contexts of trust",
    ));
    for number in ["M2-140", "M2-141", "M2-142", "M2-144", "M2-145", "M2-181"] {
        let one = found
            .of(Class::Carrying)
            .find(|one| one.number() == number)
            .unwrap();
        assert_eq!(
            (one.outcome(), one.basis()),
            (Outcome::Met, Some(Basis::Types))
        );
    }
}

/// M1-10 to M1-13, M1-16, M1-17, M1-18, M1-20, M1-21
#[test]
fn the_first_draft_has_a_list_of_its_own() {
    let example = first_example();
    let found = report(&example);
    let numbers: BTreeSet<_> = found.findings().iter().map(|one| one.number()).collect();
    let items = |list: &str| {
        numbers
            .iter()
            .filter(|number| number.starts_with(list))
            .count()
    };
    assert_eq!((items("M1-16."), items("M1-18.")), (10, 8));
    assert_eq!((items("M2-178"), items("M2-184")), (0, 0));
    for number in [
        "M1-10", "M1-11", "M1-12", "M1-13", "M1-20", "M1-21", "M2-20", "M2-41", "M2-137", "M2-181",
    ] {
        assert!(numbers.contains(number), "{number}");
    }
    for number in [
        "M2-45", "M2-47", "M2-106", "M2-114", "M2-119", "M2-145", "M2-154", "M2-169", "M2-175",
    ] {
        assert!(!numbers.contains(number), "{number}");
    }
    for (number, from, to) in [
        (
            "M1-16.8",
            "varies_by = [\"task family\", \"risk tier\"]\n",
            "",
        ),
        ("M1-16.9", "cost = 20\n", ""),
        (
            "M1-16.10",
            "name = \"x_trace\"",
            "name = \"primary_source\"",
        ),
        ("M1-18.1", "score_normalization", "#"),
        (
            "M1-18.2",
            "varies_by = [\"task family\", \"risk tier\"]\n",
            "",
        ),
        ("M1-18.3", "regime = ", "#"),
        ("M1-18.4", "cost = 20\n", ""),
        ("M1-18.5", "meaning = \"identifies", "#"),
        ("M1-18.7", "description = ", "#"),
        ("M1-18.8", "abstain = ", "#"),
        (
            "M1-20",
            "infers_psychology = false",
            "infers_psychology = true",
        ),
        ("M1-21", "\"safety\"]\ninfers", "\"auditability\"]\ninfers"),
        ("M1-13", "unit = \"one box", "#"),
    ] {
        assert_ne!(
            outcome(&report(&edited(&example, from, to)), number),
            Outcome::Met,
            "{number}"
        );
    }
    let without = report(&cut(&example, "[wording]", "# Where records and"));
    assert_eq!(outcome(&without, "M1-18.6"), Outcome::DocumentationMissing);
    let own = report(&edited(
        &example,
        "records = \"provstream\"",
        "records = \"own\"",
    ));
    for number in ["M1-10", "M1-11", "M1-12", "M1-16.1", "M1-16.7"] {
        assert_eq!(outcome(&own, number), Outcome::DocumentationMissing);
    }
    let reason = own
        .of(Class::Core)
        .find(|one| one.number() == "M1-16.7")
        .unwrap()
        .reason();
    assert_eq!(reason, "see M1-10");
}

/// M2-177
#[test]
fn the_text_says_what_a_report_is_worth() {
    let text = report(MINIMAL).to_string();
    assert!(
        text.starts_with("unfinished: MARC -02\n\nMARC-Core: does not conform\n"),
        "{text}"
    );
    assert!(
        text.contains(
            "\n  documentation missing  M2-41      must    band thresholds are monotonic"
        ),
        "{text}"
    );
    assert!(
        text.contains("\nMARC-Disclosure: not claimed\n\nMARC-Carrying: not claimed\n"),
        "{text}"
    );
    assert!(
        text.ends_with(ConformanceReport::CAVEAT) && text.contains("M2-177"),
        "{text}"
    );
    let odd = report(&edited(MINIMAL, "unfinished", "a\\u001b[31m\\nb")).to_string();
    assert!(odd.starts_with("a\\u{1b}[31m\\nb: MARC"), "{odd}");
    assert!(
        report(EXAMPLE)
            .to_string()
            .contains("\n\nMARC-Carrying: conforms\n")
    );
}

#[test]
fn findings_are_in_the_order_of_the_draft() {
    let report = report(EXAMPLE);
    let classes: Vec<_> = report.findings().iter().map(|one| one.class()).collect();
    assert!(classes.is_sorted());
    let one = report
        .of(Class::Core)
        .find(|one| one.number() == "M2-178.10")
        .unwrap();
    assert_eq!((one.requirement(), one.item()), ("M2-178", Some(10)));
    let one = report.of(Class::Core).next().unwrap();
    assert_eq!(
        (one.requirement(), one.item(), one.level()),
        ("M2-16", None, Level::Should)
    );
    assert_eq!(
        one.title(),
        "loops through RETRIEVE, TOOL and DELIBERATE are bounded"
    );
    // Of what it refers to, some is met by types and some is described.
    let one = report
        .of(Class::Disclosure)
        .find(|one| one.number() == "M2-179")
        .unwrap();
    assert_eq!(one.basis(), Some(Basis::Description));
}
