//! Descriptions of deployments: what is read from the file, and what is wrong with it.

use proptest::prelude::*;
use provstream_marc::carry::Carrier;
use provstream_marc::{
    Action, Band, CarrierKind, ConformanceClass, Core, Deployment, DeploymentErrorKind as Kind,
    Details, Domain, Draft, Implementation, Intervention, Permission, Remedies, Remedy, RiskTier,
    Score, Scores, Session, Situation, Source, Target, Use, WordingErrorKind, WordingPart,
};
use testkit::marc::deployment::{EXAMPLE, MINIMAL, cut, edited};

#[track_caller]
fn read(file: &str) -> Deployment {
    Deployment::from_toml(file.as_bytes()).unwrap()
}

/// The error of a file: what, and where.
#[track_caller]
fn refused(file: &str) -> (Kind, u32, u32) {
    let error = Deployment::from_toml(file.as_bytes()).expect_err(file);
    let place = error.place().expect("a place");
    let start = format!("line {}, column {}: ", place.line(), place.column());
    assert!(error.to_string().starts_with(&start), "{error}");
    (error.kind(), place.line(), place.column())
}

/// Line and column of the byte at `offset`.
fn place_of(text: &str, offset: usize) -> (u32, u32) {
    let before = &text[..offset];
    let column = before.rsplit('\n').next().unwrap_or_default();
    (
        u32::try_from(before.matches('\n').count()).unwrap() + 1,
        u32::try_from(column.chars().count()).unwrap() + 1,
    )
}

/// M2-41, M2-42, M2-46, M2-51, M2-94, M2-184
#[test]
fn a_description_configures_a_controller() {
    let deployment = read(EXAMPLE);
    assert_eq!(deployment.name(), "tax assistant");
    assert_eq!(deployment.draft(), Draft::Draft02);
    assert_eq!(deployment.records(), Implementation::Provstream);
    assert_eq!(deployment.decisions(), Implementation::Provstream);
    assert!(
        deployment
            .classes()
            .eq(ConformanceClass::ALL.iter().copied())
    );

    let calibration = deployment.calibration().unwrap();
    let score = Score::new(0.45).unwrap();
    assert_eq!(calibration.profile(), "tax-2026-05");
    assert_eq!(calibration.band(None, score), Band::Medium);
    assert_eq!(calibration.band(Some("us-federal"), score), Band::Low);
    assert_eq!(
        deployment.bounds().unwrap().to_string(),
        "RETRIEVE 3 rounds, 20s, cost 30; TOOL 2 rounds, 30s, cost 20; DELIBERATE 2 rounds, 15s, cost 10"
    );
    let materiality = deployment.materiality().unwrap();
    let high = |source| materiality.get(source).get(RiskTier::High).get();
    assert_eq!((high(Source::Safety), high(Source::Ambiguity)), (0.1, 0.3));

    let controller = deployment.controller().unwrap();
    assert_eq!(
        controller.sub_actions().get("search_statutes"),
        Some(Action::Retrieve)
    );
    let mut session = Session::new(&controller, "d").unwrap();
    let situation = Situation::new(score, Scores::default(), Source::Safety)
        .with_remedies(Remedies::default().with(Intervention::Human, Remedy::USABLE));
    let details = Details::new("hand over").with_action_suitability(Score::ONE);
    let decision = session.decide(&situation, &details).unwrap();
    let record: &Core = decision.record();
    assert_eq!(record.selected_action(), Action::Escalate);
    assert_eq!(record.confidence_target(), Some(Target::ActionSuitability));
    assert_eq!(record.calibration_profile(), Some("tax-2026-05"));
    assert_eq!(record.max_iterations(), Some(7));
}

/// M2-40, M2-125, M2-141, M2-144, M2-154, M2-155
#[test]
fn a_description_configures_what_is_shown_carried_and_trusted() {
    let deployment = read(EXAMPLE);
    let wording = deployment.wording().unwrap().unwrap();
    assert_eq!(
        wording.text(WordingPart::Band(Band::Medium)),
        Some("moderate")
    );
    assert_eq!(wording.text(WordingPart::Band(Band::Low)), Some("low"));
    assert_eq!(
        deployment.calibrated_scores().unwrap().task_family(),
        "us-federal"
    );
    let kinds: Vec<_> = deployment
        .mappings()
        .iter()
        .map(|mapping| mapping.kind())
        .collect();
    assert_eq!(kinds, CarrierKind::ALL);
    let pointers: Vec<_> = deployment
        .mappings()
        .iter()
        .filter_map(|mapping| mapping.carrier())
        .map(|carrier: &dyn Carrier| carrier.place(provstream_marc::MarcKind::Core).pointer())
        .collect();
    assert_eq!(
        pointers,
        [
            "/metadata/marc_core",
            "/_meta/com.example~1marc-core",
            "/metadata/https:~1~1example.com~1marc~1v1~1core",
            "/marc_core",
        ]
    );
    assert!(deployment.mappings()[2].carries(provstream_marc::MarcKind::Core));
    assert!(!deployment.mappings()[2].carries(provstream_marc::MarcKind::Disclosure));
    let policy = deployment.trust_policy();
    assert_eq!(
        policy.get(Domain::Delegated, Use::Automate),
        Permission::IfAttested
    );
    assert_eq!(
        policy.get(Domain::Delegated, Use::Route),
        Permission::Always
    );
    assert_eq!(
        policy.get(Domain::CrossDomain, Use::Automate),
        Permission::Never
    );
    let names: Vec<_> = deployment
        .extensions()
        .iter()
        .map(|one| one.name())
        .collect();
    assert_eq!(
        names,
        [
            "x_trace",
            "x_sub_action",
            "x_pre_capability",
            "x_post_answer_confidence"
        ]
    );
    assert!(
        deployment.extensions()[0]
            .meaning()
            .unwrap()
            .starts_with("identifies")
    );
}

#[test]
fn what_is_not_described_is_not_there() {
    let deployment = read(MINIMAL);
    assert_eq!(deployment.draft(), Draft::Draft02);
    assert_eq!(deployment.records(), Implementation::Own);
    assert_eq!(deployment.decisions(), Implementation::Own);
    assert!(deployment.calibration().is_none() && deployment.bounds().is_none());
    assert!(deployment.controller().is_none() && deployment.materiality().is_none());
    assert!(deployment.wording() == Ok(None) && deployment.calibrated_scores().is_none());
    assert!(deployment.extensions().is_empty() && deployment.mappings().is_empty());
    assert_eq!(*deployment.trust_policy(), Default::default());
    assert!(deployment.claims(ConformanceClass::Core));
    assert!(!deployment.claims(ConformanceClass::Disclosure));
}

/// M1-8: a description for -01 makes records of -01; its bands are about the suitability of a direct answer.
#[test]
fn a_controller_follows_the_draft_of_its_description() {
    let file = edited(EXAMPLE, "draft = \"02\"", "draft = \"01\"");
    let file = edited(&file, ", confidence_target = \"band_target\"", "");
    let file = cut(&file, "[[policy.deviation]]", "# How disclosures look");
    let controller = read(&file).controller().unwrap();
    assert_eq!(controller.draft(), Draft::Draft01);
    let mut session = Session::new(&controller, "d").unwrap();
    let situation = Situation::new(Score::ONE, Scores::default(), Source::Safety)
        .with_remedy(Intervention::Human, Remedy::USABLE);
    // By `policy.action_suitability` the band of -02 would need a score of its own.
    let decision = session
        .decide(&situation, &Details::new("hand over"))
        .unwrap();
    let record = decision.record();
    assert_eq!(record.selected_action(), Action::Escalate);
    assert_eq!(record.confidence_band(), Band::High);
    assert_eq!(
        (record.draft(), record.calibration_profile()),
        (Draft::Draft01, None)
    );
}

/// M2-94, M2-16
#[test]
fn a_controller_needs_a_profile_and_whole_bounds() {
    for without in [
        cut(EXAMPLE, "calibration_profile =", "medium_from = 0.4"),
        cut(EXAMPLE, "[bounds.tool]", "[bounds.deliberate]"),
        edited(EXAMPLE, "cost = 20\n", ""),
        edited(EXAMPLE, "time = \"20s\"\n", ""),
        edited(EXAMPLE, "count = 3\n", ""),
    ] {
        assert!(read(&without).controller().is_none());
    }
}

/// M2-183, OP-101
#[test]
fn a_disclosure_is_claimed_with_the_records_behind_it() {
    let deployment = read("name = \"a\"\nclasses = [\"disclosure\"]");
    assert!(deployment.claims(ConformanceClass::Core));
    let deployment = read("name = \"a\"\nclasses = [\"carrying\"]");
    assert!(!deployment.claims(ConformanceClass::Core));
}

/// M2-40
#[test]
fn texts_that_cannot_be_told_apart_are_no_wording() {
    for (from, to, part, kind) in [
        (
            "medium = \"moderate\"",
            "medium = \"High\"",
            WordingPart::Band(Band::Medium),
            WordingErrorKind::SameAsOther,
        ),
        (
            "low = \"low\"\nmedium = \"moderate\"\nhigh = \"high\"",
            "low = \"medium\"\nmedium = \"so-so\"",
            WordingPart::Band(Band::Low),
            WordingErrorKind::NameOfOther,
        ),
        (
            "the current rules for this case are not at hand",
            "The request is ambiguous",
            WordingPart::Source(Source::MissingEvidence),
            WordingErrorKind::SameAsOther,
        ),
    ] {
        let clash = read(&edited(EXAMPLE, from, to)).wording().unwrap_err();
        assert_eq!((clash.part(), clash.kind()), (part, kind));
    }
    // What is replaced later on does not count.
    let mut file = MINIMAL.to_owned();
    file.push_str("[wording.source]\nambiguity = \"current evidence is missing\"\nmissing_evidence = \"no source\"\n");
    let wording = read(&file).wording().unwrap().cloned().unwrap();
    assert_eq!(
        wording.text(WordingPart::Source(Source::Ambiguity)),
        Some("current evidence is missing")
    );
}

/// Each key has a value of its type: the example with a date in the place of one value after the other.
#[test]
fn every_key_has_its_type() {
    let mut keys = 0;
    let mut offset = 0;
    for line in EXAMPLE.lines() {
        if let Some((key, value)) = line.split_once(" = ").filter(|_| !line.starts_with('#')) {
            let at = offset + key.len() + 3;
            let (before, after) = (&EXAMPLE[..at], &EXAMPLE[at + value.len()..]);
            let file = format!("{before}2026-05-01{after}");
            let (line, column) = place_of(EXAMPLE, at);
            assert_eq!(refused(&file), (Kind::WrongType, line, column), "{key}");
            keys += 1;
        }
        offset += line.len() + 1;
    }
    assert_eq!(keys, 102);
}

/// Each table is closed: the example with one more key at the beginning of one table after the other.
#[test]
fn every_table_is_closed() {
    let mut tables = 0;
    let mut offset = 0;
    for line in EXAMPLE.lines() {
        offset += line.len() + 1;
        if line.starts_with('[') {
            let file = format!("{}other = 1\n{}", &EXAMPLE[..offset], &EXAMPLE[offset..]);
            let (number, _) = place_of(EXAMPLE, offset);
            let (kind, column) = match line {
                "[sub_actions]" => (Kind::WrongType, 9),
                "[stated]" => (Kind::UnknownRequirement, 1),
                _ => (Kind::UnknownKey, 1),
            };
            assert_eq!(refused(&file), (kind, number, column), "{line}");
            tables += 1;
        }
    }
    assert_eq!(tables, 34);
    assert_eq!(
        refused("nome = \"a\"\nclasses = [\"core\"]"),
        (Kind::UnknownKey, 1, 1)
    );
    let carrier = edited(EXAMPLE, "prefix = \"com.example\"", "uri = \"a:b\"");
    assert_eq!(refused(&carrier).0, Kind::UnknownKey);
    let families = edited(
        EXAMPLE,
        "[bands.family.us-federal]",
        "[bands.families.us-federal]",
    );
    assert_eq!(refused(&families).0, Kind::UnknownKey);
}

/// Each key that holds tables holds them.
#[test]
fn every_table_is_one() {
    for key in [
        "bands",
        "bounds",
        "risk",
        "extension",
        "sub_actions",
        "wording",
        "mapping",
        "trust",
        "policy",
        "presentation",
        "privacy",
        "use",
        "stated",
        "bounds.retrieve",
        "bounds.tool",
        "bounds.deliberate",
        "wording.message",
        "wording.source",
        "wording.band",
        "wording.target",
        "trust.controls",
        "trust.permit",
        "trust.permit.local",
        "policy.deviation",
        "presentation.scores",
    ] {
        let file = format!("{MINIMAL}{key} = \"\"\n");
        let line = u32::try_from(file.lines().count()).unwrap();
        let column = u32::try_from(key.len()).unwrap() + 4;
        assert_eq!(refused(&file), (Kind::WrongType, line, column), "{key}");
    }
    for (key, value) in [
        ("extension", "[1]"),
        ("mapping", "[[]]"),
        ("policy.deviation", "[\"a\"]"),
    ] {
        let file = format!("{MINIMAL}{key} = {value}\n");
        let line = u32::try_from(file.lines().count()).unwrap();
        let column = u32::try_from(key.len()).unwrap() + 5;
        assert_eq!(refused(&file), (Kind::WrongType, line, column), "{key}");
    }
}

/// What is replaced in the example, by what, with a `¦` before the place of the error, and what the error is.
#[rustfmt::skip]
const FAULTS: &[(&str, &str, Kind)] = &[
    ("name = \"tax assistant\"", "name = ¦\" \"", Kind::Empty),
    ("draft = \"02\"", "draft = ¦\"2\"", Kind::UnknownValue),
    ("draft = \"02\"", "draft = ¦\"02", Kind::Syntax),
    ("classes = [\"core\", \"disclosure\", \"carrying\"]", "classes = ¦[]", Kind::Empty),
    ("classes = [\"core\", \"disclosure\"", "classes = [\"core\", ¦\"Disclosure\"", Kind::UnknownValue),
    ("classes = [\"core\", \"disclosure\"", "classes = [\"core\", \"disclosure\", ¦1", Kind::WrongType),
    ("classes = [\"core\", \"disclosure\"", "classes = [\"core\", ¦\"core\"", Kind::Repeated),
    ("records = \"provstream\"", "records = ¦\"other\"", Kind::UnknownValue),
    ("decisions = \"provstream\"", "decisions = ¦\"\"", Kind::UnknownValue),
    ("medium_from = 0.4", "medium_from = ¦-0.1", Kind::OutOfRange),
    ("medium_from = 0.4", "medium_from = ¦nan", Kind::OutOfRange),
    ("medium_from = 0.4", "medium_from = ¦0x0", Kind::WrongType),
    ("medium_from = 0.4\nhigh_from = ", "medium_from = 0\nhigh_from = ¦", Kind::BadBands),
    ("high_from = 0.75", "high_from = ¦1.5", Kind::OutOfRange),
    ("high_from = 0.75", "high_from = ¦0.4", Kind::BadBands),
    ("high_from = 0.8", "high_from = ¦0.5", Kind::BadBands),
    ("[bands.family.us-federal]\nmedium_from = 0.5\n", "¦[bands.family.us-federal]\n", Kind::MissingKey),
    ("[bands.family.us-federal]", "[bands.family.¦\" \"]", Kind::Empty),
    ("[\"task family\", \"risk tier\"]", "[¦\"task\"]", Kind::UnknownValue),
    ("[\"task family\", \"risk tier\"]", "[\"risk tier\", ¦\"risk tier\"]", Kind::Repeated),
    ("count = 3", "count = ¦-3", Kind::WrongType),
    ("count = 3", "count = ¦4294967296", Kind::OutOfRange),
    ("count = 3", "count = ¦3.0", Kind::WrongType),
    ("cost = 30", "cost = ¦18446744073709551616", Kind::WrongType),
    ("time = \"20s\"", "time = ¦\"20\"", Kind::BadDuration),
    ("[bounds.retrieve]\ncount = 3\ntime = \"20s\"\ncost = 30", "¦[bounds.retrieve]", Kind::Empty),
    ("[\"financial\", \"legal\"]", "[¦\"tax\"]", Kind::UnknownValue),
    ("[\"financial\", \"legal\"]", "[\"legal\", ¦\"legal\"]", Kind::Repeated),
    ("standard = 0.6", "standard = ¦6", Kind::OutOfRange),
    ("high_risk = 0.3", "high_risk = ¦0.7", Kind::BadThreshold),
    ("high_risk = 0.1", "high_risk = ¦0.3", Kind::BadThreshold),
    ("[risk.source.safety]\nstandard = 0.2\n", "¦[risk.source.safety]\n", Kind::MissingKey),
    ("[risk.source.safety]", "[risk.source.¦Safety]", Kind::UnknownKey),
    ("name = \"x_trace\"", "name = ¦\"\"", Kind::Empty),
    ("[[extension]]\nname = \"x_trace\"\n", "¦[[extension]]\n", Kind::MissingKey),
    ("name = \"x_sub_action\"", "name = ¦\"x_trace\"", Kind::Repeated),
    ("search_statutes = \"RETRIEVE\"", "search_statutes = ¦\"retrieve\"", Kind::UnknownValue),
    ("search_statutes = \"RETRIEVE\"", "¦\"\" = \"RETRIEVE\"", Kind::Empty),
    ("unit = \"How sure {target}", "unit = ¦\"How sure {aim}", Kind::BadWording),
    ("unit = \"How sure {target}", "unit = ¦\"How sure", Kind::BadWording),
    ("ESCALATE = \"A tax adviser has to decide this: {source}", "ESCALATE = ¦\"A tax adviser: {source", Kind::BadWording),
    ("CLARIFY = \"To answer", "¦ANSWER = \"To answer", Kind::UnknownKey),
    ("[wording.message]", "[wording.message]\n¦ANSWER = 5", Kind::UnknownKey),
    ("CLARIFY = \"To answer", "¦clarify = \"To answer", Kind::UnknownKey),
    ("low = \"low\"", "low = ¦\"\"", Kind::Empty),
    ("carrier = \"sse\"", "carrier = ¦\"smtp\"", Kind::UnknownValue),
    ("[[mapping]]\ncarrier = \"sse\"\n", "¦[[mapping]]\n", Kind::MissingKey),
    ("carries = [\"core\"]", "carries = [¦\"record\"]", Kind::UnknownValue),
    ("carries = [\"core\"]", "carries = ¦[]", Kind::Empty),
    ("carries = [\"core\"]\n", "¦prefix = \"a\"\n", Kind::UnknownKey),
    ("# The deployment's domain, its labels in reverse order.\nprefix = \"com.example\"", "¦uri = \"a:b\"", Kind::UnknownKey),
    ("prefix = \"com.example\"", "prefix = ¦\"com.mcp\"", Kind::BadCarrier),
    ("uri = \"https://example.com/marc/v1\"", "uri = ¦\"example\"", Kind::BadCarrier),
    ("{ confidence_band =", "{ ¦band =", Kind::UnknownMember),
    ("= \"band_target\"", "= ¦\"\"", Kind::Empty),
    ("omitted = [\"secondary_source\"]", "omitted = [¦\"x_trace\"]", Kind::UnknownMember),
    ("omitted = [\"secondary_source\"]", "omitted = [\"iteration\", ¦\"iteration\"]", Kind::Repeated),
    ("emitted = [\"local\"", "emitted = [¦\"attested\"", Kind::UnknownValue),
    ("emitted = [\"local\"", "emitted = [¦\"attested  local\"", Kind::UnknownValue),
    ("route = \"if attested\"", "route = ¦\"sometimes\"", Kind::UnknownValue),
    ("[trust.permit.cross-domain]", "[trust.permit.¦attested]", Kind::UnknownKey),
    ("action_suitability = [\"ESCALATE\"]", "action_suitability = [¦\"escalate\"]", Kind::UnknownValue),
    ("requirement = \"M2-111\"", "requirement = ¦\"M2-63\"", Kind::UnknownRequirement),
    ("requirement = \"M2-111\"", "requirement = ¦\"M1-16.1\"", Kind::UnknownRequirement),
    ("[[policy.deviation]]\nrequirement = \"M2-111\"\n", "¦[[policy.deviation]]\n", Kind::MissingKey),
    ("calibrated_for = \"us-federal\"", "calibrated_for = ¦\"\"", Kind::Empty),
    ("infers_psychology = false", "infers_psychology = ¦\"no\"", Kind::WrongType),
    ("\"auditability\", ", "¦\" \", ", Kind::Empty),
    ("[stated]", "[stated]\n\"M2-27\" = ¦\"\"", Kind::Empty),
    ("[stated]", "[stated]\n¦\"M2-41\" = \"a\"", Kind::UnknownRequirement),
    ("[stated]", "[stated]\n¦\"M2-178\" = \"a\"", Kind::UnknownRequirement),
    ("[stated]", "[stated]\n¦\"M2-178.01\" = \"a\"", Kind::UnknownRequirement),
];

#[test]
fn every_value_is_checked() {
    for &(from, to, kind) in FAULTS {
        let file = edited(EXAMPLE, from, to);
        let place = place_of(&file, file.find('¦').expect("a place"));
        let found = refused(&file.replace('¦', ""));
        if kind == Kind::Syntax {
            assert_eq!((found.0, found.1), (kind, place.0));
        } else {
            assert_eq!(found, (kind, place.0, place.1), "{to}");
        }
    }
}

#[test]
fn messages_say_what_is_wrong() {
    for (from, to, message) in [
        (
            "draft = \"02\"",
            "draft = \"03\"",
            "line 7, column 9: unknown value: \"03\" is no draft; known are 01, 02",
        ),
        (
            "draft = \"02\"",
            "drafts = \"02\"",
            "line 7, column 1: unknown key: drafts",
        ),
        (
            "draft = \"02\"",
            "draft = 2",
            "line 7, column 9: wrong type: `draft` must be a string",
        ),
        (
            "name = \"tax assistant\"\n",
            "",
            "line 1, column 1: a key is missing: name",
        ),
    ] {
        let error = Deployment::from_toml(edited(EXAMPLE, from, to).as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let long = format!("name = \"a\"\nclasses = [\"{}\"]", "\\u0007".repeat(10_000));
    let error = Deployment::from_toml(long.as_bytes())
        .unwrap_err()
        .to_string();
    assert!(
        error.len() < 2_000 && error.ends_with('…') && !error.contains('\u{7}'),
        "{error}"
    );
}

#[test]
fn bytes_that_are_not_utf_8_have_a_place() {
    let error = Deployment::from_toml(b"name = \"a\"\n# \xc3\xa9 \xff").unwrap_err();
    let place = error.place().unwrap();
    assert_eq!(
        (error.kind(), place.line(), place.column()),
        (Kind::NotUtf8, 2, 5)
    );
}

#[test]
fn the_size_is_bounded() {
    let mut file = EXAMPLE.as_bytes().to_vec();
    file.push(b'#');
    file.resize(1 << 20, b'x');
    assert!(Deployment::from_toml(&file).is_ok());
    file.push(b'x');
    let error = Deployment::from_toml(&file).unwrap_err();
    assert_eq!((error.kind(), error.place()), (Kind::FileTooLarge, None));
    let deep = format!("name = {}", "[".repeat(500_000));
    assert_eq!(refused(&deep).0, Kind::Syntax);
}

/// Long lists and tables take time that grows with their length only.
#[test]
fn many_of_one_thing_are_read() {
    let mut file = MINIMAL.to_owned();
    for index in 0..15_000 {
        file.push_str(&format!(
            "[[extension]]\nname = \"x_{index}\"\nmeaning = \"a\"\n"
        ));
    }
    file.push_str("[sub_actions]\n");
    for index in 0..15_000 {
        file.push_str(&format!("a{index} = \"TOOL\"\n"));
    }
    let deployment = read(&file);
    assert_eq!(deployment.extensions().len(), 15_000);
    assert!(!deployment.conformance().is_conformant());
}

/// Pieces of the example and others, in any order and place.
fn edits() -> impl Strategy<Value = Vec<(usize, usize, String)>> {
    let pieces: Vec<String> = EXAMPLE
        .split_inclusive(['\n', ' ', '[', ']', '='])
        .map(Into::into)
        .collect();
    let piece = prop_oneof![
        prop::sample::select(pieces),
        "[\\PC\n\"'\\[\\]{}=.,#0-9-]{0,6}",
    ];
    prop::collection::vec((0..EXAMPLE.len(), 0..60usize, piece), 1..8)
}

proptest! {
    #[test]
    fn no_file_is_too_odd(edits in edits()) {
        let mut file: Vec<char> = EXAMPLE.chars().collect();
        for (at, len, piece) in edits {
            let at = at.min(file.len());
            let end = (at + len).min(file.len());
            file.splice(at..end, piece.chars());
        }
        let file: String = file.into_iter().collect();
        match Deployment::from_toml(file.as_bytes()) {
            Ok(deployment) => {
                let report = deployment.conformance();
                let lines = report.to_string().lines().count();
                prop_assert!(lines <= report.findings().len() + 9, "{report}");
                prop_assert_eq!(&deployment.conformance(), &report);
            }
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }

    #[test]
    fn no_bytes_are_too_odd(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,80}") {
        let _ = Deployment::from_toml(&bytes);
        let _ = Deployment::from_toml(text.as_bytes());
    }
}
