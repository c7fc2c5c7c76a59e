//! Projection of a record to a disclosure (MARC-02 10), only within a trust context (MARC-02 15).

use provstream_marc::{
    Action, Core, Disclosure, Domain, Draft, Language, MarcKind, Profile, Projection, Speech,
    SpeechError, SpeechErrorKind, Target, TrustContext, TrustPolicy, Wording,
};
use testkit::marc::generate::{Random, valid};

const QUESTION: &str = "Which jurisdiction and tax year should I use?";

fn vector(name: &str, draft: Draft) -> Core {
    let path = format!(
        "{}/../../corpus/marc/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    Core::read(&std::fs::read(path).unwrap(), draft.into()).unwrap()
}

fn speech(record: Core) -> Speech {
    let placed = record.placed(TrustContext::new(Domain::Local));
    placed.speech(&TrustPolicy::default()).unwrap()
}

/// Builds the disclosure of a projection, with every text available.
fn speak(projection: &Projection, speech: Speech) -> Result<Disclosure, SpeechError> {
    match speech {
        Speech::Answer(turn) => projection.answer(turn, "ANSWER TEXT"),
        Speech::Clarify(turn) => projection.clarify(turn, Some(QUESTION)),
        Speech::Refuse(turn) => projection.refuse(turn, Some("No.")),
        Speech::Defer(turn) => projection.interim(turn),
        _ => panic!("an unknown action"),
    }
}

/// M1-11, M1-12, M2-116, M2-124: the example of appendix A, in both drafts.
#[test]
fn the_example_of_appendix_a_is_projected_as_the_drafts_say() {
    for (name, expected, draft) in [
        ("tv-m1-2", "tv-m1-3", Draft::Draft01),
        ("tv-m2-2", "tv-m2-3", Draft::Draft02),
    ] {
        let projection = Projection::new()
            .with_next_step_for(Action::Clarify, "provide the jurisdiction and tax year")
            .with_next_step_for(Action::Answer, "do it");
        let disclosure = speak(&projection, speech(vector(name, draft))).unwrap();
        let path = format!(
            "{}/../../corpus/marc/{expected}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let expected = std::fs::read(path).unwrap();
        let value = |json: &[u8]| -> serde_json::Value { serde_json::from_slice(json).unwrap() };
        assert_eq!(value(disclosure.to_json().as_bytes()), value(&expected));
    }
}

/// M2-2, M2-117 to M2-122, M2-124, M2-125, M2-145, M2-169, M2-171, M2-179, M2-180: 2,000 random records of each draft.
#[test]
fn every_record_is_disclosed_with_its_own_values_and_nothing_else() {
    let mut random = Random::new(10);
    for &draft in Draft::ALL {
        for _ in 0..2_000 {
            let record =
                Core::new(valid(MarcKind::Core, draft, &mut random), draft.into()).unwrap();
            let is_answer = record.selected_action() == Action::Answer;
            let disclosure = speak(&Projection::new(), speech(record.clone()));
            if !is_answer && record.confidence_target() == Some(Target::Answer) {
                let action = record.selected_action();
                let error = disclosure.unwrap_err();
                assert_eq!(error.kind(), &SpeechErrorKind::TargetWithoutAnswer(action));
                continue;
            }
            let disclosure = disclosure.unwrap();
            assert_eq!(disclosure.confidence_band(), record.confidence_band());
            assert_eq!(disclosure.confidence_target(), record.confidence_target());
            assert_eq!(disclosure.uncertainty_source(), record.primary_source());
            assert_eq!(
                disclosure.recommended_next_step(),
                record.recommended_next_step()
            );
            assert_eq!(disclosure.selected_action(), Some(record.selected_action()));
            let known = [
                "answer",
                "confidence_band",
                "confidence_target",
                "uncertainty_source",
                "recommended_next_step",
                "selected_action",
            ];
            for (name, _) in disclosure.document().members() {
                assert!(known.contains(&&*name), "{name}");
            }
            let report = disclosure
                .document()
                .validate(MarcKind::Disclosure, draft.into());
            assert!(report.is_valid(), "{report}");
        }
    }
}

/// M2-117: no answer reaches a disclosure of another action, whatever texts are at hand. The types allow no other way: see the
/// documentation of `Speech`, whose examples must not compile.
#[test]
fn d1_only_an_answer_carries_the_answer() {
    let mut random = Random::new(1);
    for _ in 0..2_000 {
        let record = Core::new(
            valid(MarcKind::Core, Draft::Draft02, &mut random),
            Profile::default(),
        )
        .unwrap();
        let action = record.selected_action();
        let given = random.pick(Action::ALL);
        let projection = Projection::new().with_next_step_for(given, "NEXT STEP");
        let Ok(disclosure) = speak(&projection, speech(record)) else {
            continue;
        };
        let json = disclosure.to_json();
        assert_eq!(json.contains("ANSWER TEXT"), action == Action::Answer);
        assert_eq!(json.contains("NEXT STEP"), action == given);
    }
}

/// M2-154: a record without a trust context gives no speech; its context decides.
#[test]
fn d4_a_record_is_disclosed_only_in_a_trust_context_that_permits_it() {
    let policy = TrustPolicy::default();
    let in_context = |context: TrustContext| {
        vector("tv-m2-2", Draft::Draft02)
            .placed(context)
            .speech(&policy)
    };
    assert!(in_context(TrustContext::new(Domain::Local)).is_ok());
    assert!(in_context(TrustContext::new(Domain::Delegated)).is_ok());
    let error = in_context(TrustContext::new(Domain::CrossDomain)).unwrap_err();
    assert!(
        error.to_string().contains("may not be used to disclose"),
        "{error}"
    );
    let attested = TrustContext::new(Domain::CrossDomain)
        .attested_by("example.org")
        .unwrap();
    assert!(in_context(attested).is_ok());
}

/// M2-117: CLARIFY asks, also without a text of the caller, in each language.
#[test]
fn d9_a_clarification_asks() {
    for &language in Language::ALL {
        let projection = Projection::new().with_wording(Wording::in_language(language));
        let Speech::Clarify(turn) = speech(vector("tv-m2-2", Draft::Draft02)) else {
            panic!("the action is CLARIFY");
        };
        let disclosure = projection.clarify(turn, None).unwrap();
        assert!(
            disclosure.answer().contains(['?', '\u{ff1f}']),
            "{}",
            disclosure.answer()
        );
    }
}

/// M2-117, M2-126: messages are brief; an answer may be long.
#[test]
fn a_message_is_brief_and_an_answer_may_be_long() {
    let long = "x".repeat(601);
    let projection = Projection::new();
    let Speech::Clarify(turn) = speech(vector("tv-m2-2", Draft::Draft02)) else {
        panic!("the action is CLARIFY");
    };
    let error = projection.clarify(turn.clone(), Some(&long)).unwrap_err();
    assert_eq!(error.kind(), &SpeechErrorKind::TooLong(601));
    assert_eq!(
        projection
            .clarify(turn.clone(), Some(" "))
            .unwrap_err()
            .kind(),
        &SpeechErrorKind::Empty
    );
    for blank in [
        "",
        "\t\n",
        "\u{a0}",
        "\u{200b}",
        "\u{feff}\u{2060}",
        "\u{3000}",
        "\u{0}",
        "\u{85}",
        "\u{202e}",
        "\u{ad}",
    ] {
        let error = projection.clarify(turn.clone(), Some(blank)).unwrap_err();
        assert_eq!(error.kind(), &SpeechErrorKind::Empty, "{blank:?}");
    }
    let mut document = projection
        .clarify(turn, Some(&long[1..]))
        .unwrap()
        .into_document();
    document.set_str("answer", &"x".repeat(17_600));
    let report = document.validate(MarcKind::Disclosure, Profile::default());
    assert_eq!(report.violations()[0].pointer(), "/answer");
    assert_eq!(report.violations()[0].section(), "MARC-02 10.3");
}

/// M1-2, M1-7, M2-47, M2-163
#[test]
fn the_target_is_always_kept_and_there_is_none_before_02() {
    let disclosure = speak(
        &Projection::new(),
        speech(vector("tv-m1-2", Draft::Draft01)),
    )
    .unwrap();
    assert_eq!(disclosure.confidence_target(), None);
    let text = Wording::default().render(&disclosure);
    assert_eq!(
        text,
        "Confidence that a direct answer is suitable at present: low\nUncertainty: the request is ambiguous\nNext step: ask \
         for jurisdiction and tax year"
    );
    let hidden = speak(
        &Projection::new().without_action(),
        speech(vector("tv-m1-2", Draft::Draft01)),
    )
    .unwrap();
    assert_eq!(hidden.selected_action(), None);
    assert!(
        Wording::default()
            .render(&hidden)
            .contains("in the answer given, or else")
    );
}

/// M2-123
#[test]
fn looping_actions_are_deferred_unless_an_interim_message_is_wanted() {
    for (name, message) in [
        (
            "tv-m2-5",
            "Further evidence is being retrieved: current evidence is missing.",
        ),
        (
            "tv-m2-6",
            "A tool is being used: the task exceeds what can be done reliably here.",
        ),
    ] {
        let Speech::Defer(turn) = speech(vector(name, Draft::Draft02)) else {
            panic!("the action loops");
        };
        assert_eq!(Projection::new().interim(turn).unwrap().answer(), message);
    }
}

/// M1-35, M2-129: an answer keeps its residual source, and what it says of its own certainty is checked.
#[test]
fn the_wording_of_an_answer_is_checked_for_what_it_says_of_itself() {
    let mut random = Random::new(2);
    let record = loop {
        let record = Core::new(
            valid(MarcKind::Core, Draft::Draft02, &mut random),
            Profile::default(),
        )
        .unwrap();
        if record.selected_action() == Action::Answer {
            break record;
        }
    };
    let Speech::Answer(turn) = speech(record) else {
        panic!("the action is ANSWER");
    };
    let projection = Projection::new().with_next_step_for(Action::Answer, "read it");
    let kinds = |text: &str| {
        let disclosure = projection.answer(turn.clone(), text).unwrap();
        let found = disclosure.check_wording(Action::Answer);
        found
            .iter()
            .map(|(_, finding)| finding.kind().as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        kinds("You can trust this answer. P(correct)=0.87"),
        ["certainty-cue", "false-precision"]
    );
    assert_eq!(
        kinds("The guarantee is definitely valid for 2 years; the rate is 20 %."),
        [""; 0]
    );
}
