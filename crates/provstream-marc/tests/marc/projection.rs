//! What is disclosed of a record, and what is not.

use std::error::Error;

use proptest::prelude::*;
use proptest::sample::select;
use provstream_marc::{
    Action, Band, CalibratedScores, Content, Core, Disclosure, Document, Draft, MarcKind, Profile,
    ProjectError, Projected, Projection, Remediability, Score, Scores, Source, Target,
    ViolationCode, Wording, WordingKind, WordingPart,
};
use serde_json::Value;

macro_rules! vector {
    ($name:literal) => {
        include_str!(concat!("../../../../corpus/marc/", $name, ".json"))
    };
}

const QUESTION: &str = "Which jurisdiction and tax year should I use?";

fn record(json: &str, draft: Draft) -> Core {
    Core::read(json.as_bytes(), Profile::new(draft).strict()).unwrap()
}

#[track_caller]
fn disclosed(projection: &Projection, record: &Core, content: Content<'_>) -> Disclosure {
    projection
        .project(record, content)
        .unwrap()
        .disclosure()
        .expect("a disclosure")
}

#[track_caller]
fn assert_same_values(disclosure: &Disclosure, expected: &str) {
    let value = |json: &str| serde_json::from_str::<Value>(json).unwrap();
    assert_eq!(value(&disclosure.to_json()), value(expected));
    // Member by member in the order of the draft.
    let names =
        |value: Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(names(value(&disclosure.to_json())), names(value(expected)));
}

/// A record with an action, band low and no other surprises.
fn with(action: Action, draft: Draft) -> Core {
    let builder = Core::builder()
        .draft(draft)
        .pre_capability(Score::new(0.125).unwrap())
        .uncertainty(Scores::default().with(Source::MissingEvidence, Score::new(0.625).unwrap()))
        .primary_source(Source::MissingEvidence)
        .remediability(action.remediability().unwrap_or(Remediability::None))
        .selected_action(action)
        .confidence_band(Band::Low)
        .confidence_target(Target::of(action))
        .recommended_next_step("retrieve the current rules");
    let builder = match action {
        Action::Answer => builder.post_answer_confidence(Score::new(0.375).unwrap()),
        _ => builder,
    };
    builder
        .extension("x_rationale", "\"hidden prompt\"")
        .unwrap()
        .build()
        .unwrap()
}

/// TV-M1-2 to TV-M1-3, TV-M2-2 to TV-M2-3; M1-11, M1-12, M2-116, M2-124, M2-163, M2-179
#[test]
fn the_example_of_appendix_a_is_projected_as_the_drafts_say() {
    let content = Content::new()
        .answer(QUESTION)
        .next_step("provide the jurisdiction and tax year");
    for (draft, from, to) in [
        (Draft::Draft01, vector!("tv-m1-2"), vector!("tv-m1-3")),
        (Draft::Draft02, vector!("tv-m2-2"), vector!("tv-m2-3")),
    ] {
        let found = disclosed(&Projection::new(), &record(from, draft), content);
        assert_same_values(&found, to);
        assert_eq!(found.draft(), draft);
    }
}

/// TV-M1-4 to TV-M1-8; M1-12
#[test]
fn the_example_of_appendix_c_1_is_projected_as_the_draft_says() {
    let content = Content::new()
        .answer("Which jurisdiction and date range should I use?")
        .next_step("provide jurisdiction and tax year");
    let record = record(vector!("tv-m1-4"), Draft::Draft01);
    assert_same_values(
        &disclosed(&Projection::new(), &record, content),
        vector!("tv-m1-8"),
    );
}

/// TV-M1-9; M1-35, M2-12
#[test]
fn an_answer_after_retrieval_keeps_the_missing_evidence_as_its_source() {
    let record = Core::builder()
        .draft(Draft::Draft01)
        .pre_capability(Score::new(0.7).unwrap())
        .uncertainty(Scores::default().with(Source::MissingEvidence, Score::new(0.4).unwrap()))
        .primary_source(Source::MissingEvidence)
        .remediability(Remediability::None)
        .selected_action(Action::Answer)
        .post_answer_confidence(Score::new(0.6).unwrap())
        .confidence_band(Band::Medium)
        .recommended_next_step("verify the authority before filing")
        .build()
        .unwrap();
    let content = Content::new().answer("Retrieved authority indicates this is allowed.");
    assert_same_values(
        &disclosed(&Projection::new(), &record, content),
        vector!("tv-m1-9"),
    );
}

/// M2-117, M2-121, M2-124: open point 72.
#[test]
fn the_next_step_is_the_record_s_unless_the_caller_has_one_for_the_user() {
    let record = record(vector!("tv-m2-2"), Draft::Draft02);
    let found = disclosed(&Projection::new(), &record, Content::new().answer(QUESTION));
    assert_eq!(found.answer(), QUESTION);
    assert_eq!(
        found.recommended_next_step(),
        "ask for jurisdiction and tax year"
    );
    let content = Content::new().next_step("name the year");
    let found = disclosed(&Projection::new(), &record, content);
    assert_eq!(found.recommended_next_step(), "name the year");
}

/// M2-117
#[test]
fn an_answer_is_disclosed_with_its_text_only() {
    for draft in Draft::ALL {
        let record = with(Action::Answer, draft);
        let error = Projection::new().project(&record, Content::new().next_step("x"));
        assert_eq!(error, Err(ProjectError::MissingAnswer));
        let found = disclosed(&Projection::new(), &record, Content::new().answer("Yes."));
        assert_eq!(found.answer(), "Yes.");
        assert_eq!(found.selected_action(), Some(Action::Answer));
    }
}

/// M2-117, M2-126, M2-129
#[test]
fn a_question_a_refusal_and_a_referral_have_a_message_of_their_own() {
    let next_step = WordingPart::Message(Action::Escalate);
    let wording = Wording::default()
        .with(next_step, "{{{next_step}: {source}}}")
        .unwrap()
        .with(WordingPart::Source(Source::MissingEvidence), "{next_step}")
        .unwrap();
    let own = Projection::new().with_wording(wording.clone());
    assert_eq!(own.wording(), &wording);
    for (action, message) in [
        (
            Action::Clarify,
            "More information is needed: current evidence is missing.",
        ),
        (
            Action::Abstain,
            "No answer is given: current evidence is missing.",
        ),
        (
            Action::Escalate,
            "This request is referred to a person or service that can decide it: current evidence is missing.",
        ),
    ] {
        let record = with(action, Draft::Draft02);
        let found = disclosed(&Projection::new(), &record, Content::new());
        assert_eq!(found.answer(), message);
        assert_eq!(found.check_wording(action), []);
    }
    let record = with(Action::Escalate, Draft::Draft02);
    let found = disclosed(&own, &record, Content::new().next_step("{source}"));
    assert_eq!(found.answer(), "{{source}: {next_step}}");
}

/// M2-123: open point 83.
#[test]
fn looping_actions_are_deferred_unless_interim_disclosure_is_wanted() {
    for draft in Draft::ALL {
        for &action in Action::ALL {
            let record = with(action, draft);
            let content = Content::new().answer("Text");
            let found = Projection::new().project(&record, content).unwrap();
            let loops = [Action::Retrieve, Action::Tool, Action::Deliberate].contains(&action);
            assert_eq!(found == Projected::Deferred(action), loops, "{action}");
            assert_eq!(found.disclosure().is_none(), loops);
            let interim = Projection::new().with_interim();
            assert_eq!(disclosed(&interim, &record, content).answer(), "Text");
            if loops {
                let message = disclosed(&interim, &record, Content::new());
                assert!(
                    message.answer().ends_with(": current evidence is missing."),
                    "{message:?}"
                );
                assert_eq!(message.check_wording(action), []);
            }
        }
    }
}

/// M1-12, M2-38, M2-119, M2-124, M2-163
#[test]
fn the_target_is_always_kept_and_there_is_none_before_02() {
    for &action in Action::ALL {
        let targets: &[Target] = match action {
            Action::Answer => &[Target::Answer],
            _ => &[Target::DirectAnswerSuitability, Target::ActionSuitability],
        };
        for &target in targets {
            let mut document = with(action, Draft::Draft02).into_document();
            document.set_str("confidence_target", target.as_str());
            let record = Core::new(document, Draft::Draft02.into()).unwrap();
            for projection in [Projection::new(), Projection::new().without_action()] {
                let found = disclosed(
                    &projection.with_interim(),
                    &record,
                    Content::new().answer("x"),
                );
                assert_eq!(found.confidence_target(), Some(target));
                assert_eq!(
                    found.document().get_str("confidence_target").as_deref(),
                    Some(target.as_str())
                );
            }
        }
        let projection = Projection::new().with_interim();
        let found = disclosed(
            &projection,
            &with(action, Draft::Draft01),
            Content::new().answer("x"),
        );
        assert_eq!(found.document().get("confidence_target"), None);
    }
}

/// M2-122
#[test]
fn the_action_is_shown_unless_it_is_hidden() {
    let record = record(vector!("tv-m2-2"), Draft::Draft02);
    let shown = disclosed(&Projection::new(), &record, Content::new());
    assert_eq!(shown.selected_action(), Some(Action::Clarify));
    let hidden = disclosed(&Projection::new().without_action(), &record, Content::new());
    assert_eq!(hidden.selected_action(), None);
    let names: Vec<_> = hidden
        .document()
        .members()
        .map(|(name, _)| name.into_owned())
        .collect();
    assert_eq!(
        names,
        [
            "answer",
            "confidence_band",
            "confidence_target",
            "uncertainty_source",
            "recommended_next_step"
        ]
    );
}

/// M2-125, M2-131, M2-134, M2-143
#[test]
fn scores_are_disclosed_only_where_calibration_is_stated() {
    let answer = with(Action::Answer, Draft::Draft02);
    let clarify = with(Action::Clarify, Draft::Draft02);
    let content = Content::new().answer("Yes.");
    let none = disclosed(&Projection::new(), &answer, content);
    assert!(!none.to_json().contains("0."), "{none:?}");
    let statement = CalibratedScores::stated("tax deductions", "test of May 2026").unwrap();
    assert_eq!(
        (statement.task_family(), statement.test()),
        ("tax deductions", "test of May 2026")
    );
    let projection = Projection::new().with_scores(statement);
    let found = disclosed(&projection, &answer, content);
    assert_eq!(found.document().get("x_pre_capability"), Some("0.125"));
    assert_eq!(
        found.document().get("x_post_answer_confidence"),
        Some("0.375")
    );
    assert_eq!(found.document().len(), 8);
    let found = disclosed(&projection, &clarify, content);
    assert_eq!(found.document().get("x_pre_capability"), Some("0.125"));
    assert_eq!(found.document().len(), 7);
    // They are private members, so nothing is wrong with the disclosure.
    let report = found
        .document()
        .validate(MarcKind::Disclosure, Profile::default().strict());
    assert!(report.is_clean(), "{report}");
    for (family, test) in [("", "x"), ("x", ""), (" ", "x"), ("x", "\t")] {
        let error = CalibratedScores::stated(family, test).unwrap_err();
        assert_eq!(
            error.to_string(),
            "calibration is stated for a named family of tasks and by a named test"
        );
    }
}

/// M2-137, M2-169, M2-180
#[test]
fn nothing_else_of_a_record_is_disclosed() {
    let mut document = Document::parse(vector!("tv-m2-2").as_bytes()).unwrap();
    for name in ["x_prompt", "x_answer", "unknown", "calibration_profile"] {
        document.set_str(name, "secret");
    }
    let record = Core::new(document, Draft::Draft02.into()).unwrap();
    let found = disclosed(&Projection::new(), &record, Content::new());
    for part in [
        "secret",
        "example-tax-001",
        "0.",
        "missing_evidence",
        "user_clarification",
    ] {
        assert!(!found.to_json().contains(part), "{part}: {found:?}");
    }
}

/// M2-121, M2-126
#[test]
fn a_text_that_must_not_be_disclosed_is_an_error() {
    let clarify = with(Action::Clarify, Draft::Draft02);
    let long = "é".repeat(281);
    for (content, code, pointer) in [
        (Content::new().answer(""), ViolationCode::Empty, "/answer"),
        (
            Content::new().next_step(""),
            ViolationCode::Empty,
            "/recommended_next_step",
        ),
        (
            Content::new().next_step(&long),
            ViolationCode::TooLong,
            "/recommended_next_step",
        ),
    ] {
        let Err(ProjectError::Invalid(report)) = Projection::new().project(&clarify, content)
        else {
            panic!("{content:?} was disclosed");
        };
        let violations: Vec<_> = report
            .violations()
            .iter()
            .map(|violation| (violation.code(), violation.pointer()))
            .collect();
        assert_eq!(violations, [(code, pointer)]);
    }
    // A record that is valid although its next step is too long is disclosed with a shorter one.
    let mut document = clarify.into_document();
    document.set_str("recommended_next_step", &long);
    let record = Core::new(document, Draft::Draft02.into()).unwrap();
    let error = Projection::new()
        .project(&record, Content::new())
        .unwrap_err();
    let ProjectError::Invalid(report) = &error else {
        panic!("{error}");
    };
    assert_eq!(error.to_string(), "the disclosure would not be valid");
    let reason = error.source().expect("a reason").to_string();
    assert_eq!(reason, report.to_string());
    assert!(reason.starts_with("must "), "{reason}");
    assert!(
        Projection::new()
            .project(&record, Content::new().next_step(&long[..560]))
            .is_ok()
    );
}

/// M2-129, M2-131, M2-150, M2-175
#[test]
fn the_wording_is_checked_but_for_the_answer_itself() {
    let found = |action: Action| {
        let content = Content::new()
            .answer("I feel unsure: 20 % or 25 %.")
            .next_step("trust me");
        let record = with(action, Draft::Draft02);
        let findings = disclosed(&Projection::new(), &record, content).check_wording(action);
        findings
            .into_iter()
            .map(|(name, finding)| (name, finding.kind(), finding.span().start()))
            .collect::<Vec<_>>()
    };
    let next_step = ("recommended_next_step", WordingKind::Bonding, 0);
    assert_eq!(found(Action::Answer), [next_step]);
    assert_eq!(
        found(Action::Abstain),
        [
            ("answer", WordingKind::Anthropomorphic, 0),
            ("answer", WordingKind::FalsePrecision, 15),
            ("answer", WordingKind::FalsePrecision, 23),
            next_step,
        ]
    );
}

/// A record that can be built, whatever its values.
fn any_record() -> impl Strategy<Value = Core> {
    let score = || (0..=1000_u32).prop_map(|value| Score::new(f64::from(value) / 1000.0).unwrap());
    let texts = ("\\PC{1,40}", prop::option::of("\\PC{0,10}"));
    let terms = (
        select(Action::ALL),
        select(Source::ALL),
        select(Band::ALL),
        any::<bool>(),
        select(Draft::ALL.to_vec()),
    );
    (
        texts,
        terms,
        prop::array::uniform5(score()),
        score(),
        score(),
    )
        .prop_map(
            |(
                (next_step, id),
                (action, source, band, own_target, draft),
                scores,
                before,
                after,
            )| {
                let scores = Source::ALL
                    .iter()
                    .zip(scores)
                    .fold(Scores::default(), |all, (&source, score)| {
                        all.with(source, score)
                    });
                let target = if own_target && action != Action::Answer {
                    Target::ActionSuitability
                } else {
                    Target::of(action)
                };
                let mut builder = Core::builder()
                    .draft(draft)
                    .pre_capability(before)
                    .uncertainty(scores)
                    .primary_source(source)
                    .remediability(action.remediability().unwrap_or(Remediability::None))
                    .selected_action(action)
                    .confidence_band(band)
                    .confidence_target(target)
                    .recommended_next_step(format!("a{next_step}"));
                if action == Action::Answer {
                    builder = builder.post_answer_confidence(after);
                }
                if let Some(id) = id {
                    builder = builder.decision_id(format!("id-{id}"));
                }
                builder.build().unwrap()
            },
        )
}

proptest! {
    /// M1-11, M2-116 to M2-122, M2-124, M2-145, M2-179
    #[test]
    fn every_record_is_disclosed_with_its_own_values(record in any_record(), text in "\\PC{1,60}", hidden in any::<bool>()) {
        let mut projection = Projection::new().with_interim();
        if hidden {
            projection = projection.without_action();
        }
        let text = format!("a{text}");
        let found = projection.project(&record, Content::new().answer(&text)).unwrap().disclosure().unwrap();
        prop_assert_eq!(found.draft(), record.draft());
        prop_assert_eq!(found.answer(), text);
        prop_assert_eq!(found.confidence_band(), record.confidence_band());
        prop_assert_eq!(found.confidence_target(), record.confidence_target());
        prop_assert_eq!(found.uncertainty_source(), record.primary_source());
        prop_assert_eq!(found.recommended_next_step(), record.recommended_next_step());
        prop_assert_eq!(found.selected_action(), (!hidden).then_some(record.selected_action()));
        let report = found.document().validate(MarcKind::Disclosure, Profile::new(record.draft()).strict());
        prop_assert!(report.is_clean(), "{}", report);
        let read = Disclosure::read(found.to_json().as_bytes(), record.draft().into()).unwrap();
        prop_assert_eq!(read, found);
    }

    /// M1-7, M2-47, M2-149: however a disclosure is made, what is shown has the band, its target, the source and the next step.
    #[test]
    fn what_is_shown_is_always_one_unit(record in any_record(), hidden in any::<bool>()) {
        let mut projection = Projection::new().with_interim();
        if hidden {
            projection = projection.without_action();
        }
        let found = projection.project(&record, Content::new().answer("x")).unwrap().disclosure().unwrap();
        let wording = Wording::default();
        let text = |part| wording.text(part).unwrap().to_owned();
        let action = record.selected_action();
        let target = match record.confidence_target() {
            Some(target) => WordingPart::Target(target),
            None if hidden => WordingPart::NoTarget,
            None => WordingPart::Target(Target::of(action)),
        };
        prop_assert_eq!(
            wording.render(&found),
            format!(
                "Confidence {}: {}\nUncertainty: {}\nNext step: {}",
                text(target),
                record.confidence_band(),
                text(WordingPart::Source(record.primary_source())),
                record.recommended_next_step(),
            )
        );
    }
}
