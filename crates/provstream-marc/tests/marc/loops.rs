//! Sessions and their bounds, MARC-02 7.2, 7.3 and 9.4.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;
use provstream_marc::{
    Action, Band, Bound, BoundKind, Bounds, ContextualRecord, Controller, Core, DecideError,
    Decision, Details, Deviation, Domain, Draft, Intervention, Judgement, MarcKind, NotRunning,
    Policy, Profile, Remediability, RiskTier, Score, Selection, SequenceValidator, Session,
    SessionError, SessionState, Situation, Source, Spent, SubActions, Suitability, Target,
    TrustContext, check_wording,
};
use testkit::marc::decide::{
    assert_clean, bound, calibration, calm, controller, score, scores, with_usable,
};

const LOOPING: [Action; 3] = [Action::Retrieve, Action::Tool, Action::Deliberate];

/// A situation in which a looping action is selected, every time.
fn always(action: Action) -> Situation {
    match action {
        Action::Retrieve => with_usable(
            calm(Source::MissingEvidence).with_judgement(Judgement::RequiredEvidenceMissing),
            &[Intervention::Retrieval],
        ),
        Action::Tool => with_usable(
            calm(Source::CapabilityLimit).with_judgement(Judgement::MaterialCapabilityLimit),
            &[Intervention::Tool],
        ),
        _ => with_usable(calm(Source::Ambiguity), &[Intervention::Deliberation]),
    }
}

fn details() -> Details {
    Details::new("go on").with_post_answer_confidence(score(0.7))
}

fn session(controller: &Controller) -> Session {
    Session::new(controller, "request-1").unwrap()
}

/// Decides on the situations in turn, each round taking the same, until the session is over.
fn run(
    session: &mut Session,
    situations: impl IntoIterator<Item = Situation>,
    spent: Spent,
) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for situation in situations {
        let decision = session.decide(&situation, &details()).unwrap();
        let action = decision.action();
        decisions.push(decision);
        if !action.loops() {
            assert_eq!(session.state(), SessionState::Over(action));
            break;
        }
        assert_eq!(session.state(), SessionState::Running(action));
        session.completed(spent).unwrap();
        assert_eq!(session.state(), SessionState::Assess);
        assert!(decisions.len() < 100, "no end in sight");
    }
    decisions
}

/// What holds of the records of any session.
#[track_caller]
fn assert_sound(decisions: &[Decision], controller: &Controller) {
    let mut ids = BTreeSet::new();
    let mut before: Option<&Decision> = None;
    let max = i64::from(controller.bounds().max_iterations());
    let mut stream = SequenceValidator::new(Profile::default());
    for (index, decision) in decisions.iter().enumerate() {
        let record = decision.record();
        assert_clean(record);
        let report = stream.check(record.document());
        assert!(report.is_clean(), "{report}");
        let id = record.decision_id().unwrap();
        assert!(ids.insert(id), "{id} twice");
        let parent = before.and_then(|before| before.record().decision_id());
        assert_eq!(record.parent_decision_id(), parent);
        assert_eq!(record.iteration(), i64::try_from(index).ok());
        assert_eq!(record.max_iterations(), Some(max));
        assert_eq!(
            record.calibration_profile(),
            Some(controller.calibration().profile())
        );
        before = Some(decision);
    }
}

/// M2-16, M2-17, M2-73, M2-112, M2-129, M2-161, M2-166: a loop that never converges ends at its bound.
#[test]
fn a_loop_that_never_converges_ends_at_its_bound() {
    let (much, long) = (u64::MAX, Duration::MAX);
    // Each allows four rounds, of three seconds and of a cost of 30.
    let spent = Spent::new(Duration::from_secs(3), 30);
    let kinds = [
        (BoundKind::Count, Bound::new(4, long, much)),
        (
            BoundKind::Time,
            Bound::new(1_000, Duration::from_secs(10), much),
        ),
        (BoundKind::Cost, Bound::new(1_000, long, 100)),
    ];
    let texts = [
        [
            "all rounds of retrieval are used up",
            "the time for retrieval is used up",
            "the budget for retrieval is used up",
        ],
        [
            "all rounds of tool use are used up",
            "the time for tool use is used up",
            "the budget for tool use is used up",
        ],
        [
            "all rounds of deliberation are used up",
            "the time for deliberation is used up",
            "the budget for deliberation is used up",
        ],
    ];
    for (action, texts) in LOOPING.into_iter().zip(texts) {
        for ((kind, bound), text) in kinds.into_iter().zip(texts) {
            for human in [false, true] {
                let controller = controller(bound);
                let mut situation = always(action);
                let (outcome, remediability, next) = if human {
                    situation = with_usable(situation, &[Intervention::Human]);
                    (
                        Action::Escalate,
                        Remediability::Human,
                        "hand the request to a human",
                    )
                } else {
                    (Action::Abstain, Remediability::None, "decline to answer")
                };
                let mut session = session(&controller);
                let decisions = run(&mut session, std::iter::repeat(situation), spent);
                assert_sound(&decisions, &controller);
                let (last, rounds) = decisions.split_last().unwrap();
                assert_eq!(rounds.len(), 4, "{action} {kind:?}");
                for round in rounds {
                    assert_eq!((round.action(), round.bound()), (action, None));
                    assert_eq!(round.record().recommended_next_step(), "go on");
                }
                let hit = last.bound().unwrap();
                assert_eq!((hit.action(), hit.kind()), (action, kind));
                assert_eq!(last.selection().action(), action);
                assert_eq!(last.action(), outcome);
                assert_eq!(last.record().remediability(), remediability);
                let next_step = last.record().recommended_next_step();
                assert_eq!(next_step, format!("{text}; {next}"));
                assert_eq!(check_wording(next_step), []);
            }
        }
    }
}

/// M2-16: which action comes next does not help a loop to go on.
#[test]
fn a_loop_through_all_three_actions_ends_within_the_sum_of_its_bounds() {
    let bounds = Bounds::new(bound(2), bound(3), bound(1));
    let controller = Controller::new(calibration(), bounds);
    let mut session = session(&controller);
    let turns = LOOPING.into_iter().cycle().map(always);
    let decisions = run(&mut session, turns, Spent::default());
    assert_sound(&decisions, &controller);
    let actions: Vec<Action> = decisions.iter().map(Decision::action).collect();
    assert_eq!(
        actions,
        [
            Action::Retrieve,
            Action::Tool,
            Action::Deliberate,
            Action::Retrieve,
            Action::Tool,
            // A third deliberation would be due, of which one was allowed.
            Action::Abstain,
        ]
    );
    let hit = decisions.last().and_then(Decision::bound).unwrap();
    assert_eq!(hit.action(), Action::Deliberate);
}

/// M2-80: each action has a bound of its own; the record has the sum.
#[test]
fn the_bound_of_one_action_is_not_that_of_another() {
    let bounds = Bounds::new(bound(0), bound(2), bound(0));
    assert_eq!(bounds.max_iterations(), 2);
    assert_eq!(bounds.get(Action::Tool), Some(&bound(2)));
    for action in [
        Action::Answer,
        Action::Clarify,
        Action::Abstain,
        Action::Escalate,
    ] {
        assert_eq!(bounds.get(action), None);
    }
    let controller = Controller::new(calibration(), bounds);
    let mut session = session(&controller);
    let decisions = run(
        &mut session,
        std::iter::repeat(always(Action::Tool)),
        Spent::default(),
    );
    assert_sound(&decisions, &controller);
    assert_eq!(decisions.len(), 3);
    let most = Bound::new(u32::MAX, Duration::ZERO, 0);
    assert_eq!(Bounds::new(most, most, most).max_iterations(), u32::MAX);
}

/// M2-16: a bound of nothing, whichever part of it, allows no round.
#[test]
fn a_bound_of_zero_allows_no_round() {
    let minute = Duration::from_secs(60);
    for (bound, kind) in [
        (Bound::new(0, minute, 1), BoundKind::Count),
        (Bound::new(1, Duration::ZERO, 1), BoundKind::Time),
        (Bound::new(1, minute, 0), BoundKind::Cost),
        (Bound::new(0, Duration::ZERO, 0), BoundKind::Count),
    ] {
        for action in LOOPING {
            let controller = controller(bound);
            let mut session = session(&controller);
            let decisions = run(&mut session, [always(action)], Spent::default());
            assert_sound(&decisions, &controller);
            assert_eq!(decisions[0].action(), Action::Abstain);
            assert_eq!(decisions[0].bound().unwrap().kind(), kind);
        }
    }
}

/// M2-161: who reports nothing spent, or more than there is, gets no further.
#[test]
fn what_rounds_are_said_to_take_cannot_break_a_bound() {
    let most = Spent::new(Duration::MAX, u64::MAX);
    for (spent, rounds) in [(Spent::default(), 5), (most, 1)] {
        let controller = controller(bound(5));
        let mut session = session(&controller);
        let turns = std::iter::repeat(always(Action::Retrieve));
        let decisions = run(&mut session, turns, spent);
        assert_eq!(decisions.len(), rounds + 1);
    }
    // Two of the longest rounds overflow nothing.
    let endless = Bound::new(2, Duration::MAX, u64::MAX);
    let nearly = Spent::new(Duration::MAX - Duration::from_nanos(1), u64::MAX - 1);
    let controller = controller(endless);
    let mut session = session(&controller);
    let turns = std::iter::repeat(always(Action::Retrieve));
    let decisions = run(&mut session, turns, nearly);
    assert_eq!(decisions.len(), 3);
}

/// M2-15, M2-69, M2-72, M2-74: the edges of the state machine.
#[test]
fn looping_actions_lead_to_assessment_and_the_others_to_the_end() {
    let controller = controller(bound(9));
    let limit = calm(Source::CapabilityLimit).with_judgement(Judgement::MaterialCapabilityLimit);
    let clarify = calm(Source::Ambiguity).with_judgement(Judgement::BlockingAmbiguity);
    let situations = [
        (Action::Answer, calm(Source::Ambiguity)),
        (Action::Clarify, with_usable(clarify, &[Intervention::User])),
        (Action::Retrieve, always(Action::Retrieve)),
        (Action::Tool, always(Action::Tool)),
        (Action::Deliberate, always(Action::Deliberate)),
        (Action::Abstain, limit.clone()),
        (Action::Escalate, with_usable(limit, &[Intervention::Human])),
    ];
    assert_eq!(situations.len(), Action::ALL.len());
    for (action, situation) in situations {
        let mut session = session(&controller);
        assert_eq!(session.state(), SessionState::Assess);
        assert_eq!(session.completed(Spent::default()), Err(NotRunning));
        assert_eq!(session.select(&situation).action(), action);
        assert_eq!(session.state(), SessionState::Assess);

        let decision = session.decide(&situation, &details()).unwrap();
        assert_eq!(decision.action(), action);
        let refused = session.decide(&situation, &details()).unwrap_err();
        if action.loops() {
            assert_eq!(refused, DecideError::Running(action));
            session.completed(Spent::default()).unwrap();
            assert_eq!(session.completed(Spent::default()), Err(NotRunning));
            let next = session.decide(&situation, &details()).unwrap();
            assert_eq!(next.record().iteration(), Some(1));
        } else {
            assert_eq!(refused, DecideError::Over(action));
            assert_eq!(session.completed(Spent::default()), Err(NotRunning));
            assert_eq!(session.state(), SessionState::Over(action));
        }
    }
}

/// M2-19, M2-21, M2-34, M2-36, M2-45, M2-103: the two estimates are separate, and an answer needs its own.
#[test]
fn an_answer_needs_a_confidence_of_its_own() {
    let controller = controller(bound(1));
    let mut session = session(&controller);
    let situation = calm(Source::Ambiguity);
    let without = Details::new("show the answer");
    assert_eq!(
        session.decide(&situation, &without),
        Err(DecideError::NoConfidence)
    );
    assert_eq!(session.state(), SessionState::Assess);

    let with = without.with_post_answer_confidence(score(0.6));
    let record = session
        .decide(&situation, &with)
        .map(Decision::into_record)
        .unwrap();
    assert_clean(&record);
    assert_eq!(record.decision_id(), Some("request-1-1"));
    assert_eq!(record.pre_capability(), score(0.9));
    assert_eq!(record.post_answer_confidence(), Some(score(0.6)));
    assert_eq!(record.confidence_target(), Some(Target::Answer));
    // 0.9 would be high.
    assert_eq!(record.confidence_band(), Band::Medium);
}

/// M2-37, M2-38, M2-104: without a candidate answer there is none of its confidence, and the band comes from capability.
#[test]
fn other_actions_have_the_band_of_direct_answer_suitability() {
    let controller = controller(bound(1));
    for action in LOOPING {
        let decision = session(&controller)
            .decide(&always(action), &details())
            .unwrap();
        let record = decision.record();
        assert_eq!(record.post_answer_confidence(), None);
        assert_eq!(
            record.confidence_target(),
            Some(Target::DirectAnswerSuitability)
        );
        assert_eq!(record.confidence_band(), Band::High);
    }
}

/// Bands are about the action, but for `ANSWER`.
#[derive(Debug)]
struct ActionBands;

impl Policy for ActionBands {
    fn target(&self, _: Action) -> Suitability {
        Suitability::Action
    }
}

/// M2-44, M2-46: a policy can define the other target, and then a score for it is needed.
#[test]
fn a_policy_can_make_the_band_about_the_action() {
    let controller = controller(bound(1)).with_policy(ActionBands);
    let mut session = session(&controller);
    let situation = always(Action::Tool);
    let refused = session.decide(&situation, &details());
    assert_eq!(refused, Err(DecideError::NoSuitability(Action::Tool)));
    assert_eq!(session.state(), SessionState::Assess);

    let suitable = details().with_action_suitability(score(0.3));
    let decision = session.decide(&situation, &suitable).unwrap();
    assert_clean(decision.record());
    assert_eq!(
        decision.record().confidence_target(),
        Some(Target::ActionSuitability)
    );
    assert_eq!(decision.record().confidence_band(), Band::Low);

    // At the bound the score is about an action that is not taken.
    session.completed(Spent::default()).unwrap();
    let decision = session.decide(&situation, &details()).unwrap();
    assert_clean(decision.record());
    assert_eq!(
        decision.record().confidence_target(),
        Some(Target::DirectAnswerSuitability)
    );
    assert_eq!(decision.record().confidence_band(), Band::High);

    let mut answering = Session::new(&controller, "request-2").unwrap();
    let answer = answering
        .decide(&calm(Source::Ambiguity), &details())
        .unwrap();
    assert_eq!(answer.record().confidence_target(), Some(Target::Answer));
}

/// M2-50, M2-51, M2-134, M2-135, M2-137
#[test]
fn a_sub_action_stands_in_the_record_of_its_primary_action() {
    let sub_actions = SubActions::default()
        .with("search_case_law", Action::Retrieve)
        .and_then(|known| known.with("compute", Action::Tool))
        .unwrap();
    let controller = controller(bound(1)).with_sub_actions(sub_actions);
    let mut session = session(&controller);
    let situation = always(Action::Retrieve);
    let named = |name: &str| {
        details()
            .with_sub_action(name)
            .with_extension("trace", "[1]")
            .unwrap()
    };
    for (name, text) in [
        ("lookup", "there is no sub-action \"lookup\""),
        (
            "compute",
            "sub-action \"compute\" is a kind of TOOL, and RETRIEVE is selected",
        ),
    ] {
        let error = session.decide(&situation, &named(name)).unwrap_err();
        assert_eq!(error.to_string(), text);
        assert_eq!(session.state(), SessionState::Assess);
    }
    let decision = session
        .decide(&situation, &named("search_case_law"))
        .unwrap();
    let document = decision.record().document();
    assert_clean(decision.record());
    assert_eq!(document.get("x_sub_action"), Some("\"search_case_law\""));
    assert_eq!(document.get("x_trace"), Some("[1]"));

    // At the bound no retrieval is done, so none is named.
    session.completed(Spent::default()).unwrap();
    let decision = session
        .decide(&situation, &named("search_case_law"))
        .unwrap();
    let document = decision.record().document();
    assert_eq!(decision.action(), Action::Abstain);
    assert_eq!(document.get("x_sub_action"), None);
    assert_eq!(document.get("x_trace"), Some("[1]"));
}

/// M2-91, M2-105: the session goes on when the mistake is mended.
#[test]
fn a_next_step_that_no_record_may_have_is_refused() {
    let controller = controller(bound(1));
    let mut session = session(&controller);
    let situation = always(Action::Retrieve);
    for next_step in [String::new(), "é".repeat(281)] {
        let refused = session.decide(&situation, &Details::new(next_step));
        let Err(DecideError::Invalid(report)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(report.violations()[0].pointer(), "/recommended_next_step");
        assert_eq!(session.state(), SessionState::Assess);
    }
    let longest = Details::new("é".repeat(280));
    let decision = session.decide(&situation, &longest).unwrap();
    assert_clean(decision.record());
    assert_eq!(decision.record().decision_id(), Some("request-1-1"));
    assert_eq!(decision.record().iteration(), Some(0));
}

/// M2-27, M2-28, M2-30, M2-75, M2-95: what was assessed stands in the record.
#[test]
fn the_record_has_the_situation() {
    let bands = provstream_marc::Bands::new(score(0.2), score(0.3)).unwrap();
    let calibration = calibration().with_family("tax", bands);
    let controller = Controller::new(calibration, Bounds::new(bound(1), bound(1), bound(1)));
    let uncertainty = scores([0.81, 0.18, 0.12, 0.03, 0.0]);
    let situation = Situation::new(score(0.44), uncertainty, Source::Ambiguity)
        .with_secondary_source(Source::MissingEvidence)
        .with_judgement(Judgement::BlockingAmbiguity)
        .with_risk_tier(RiskTier::High)
        .with_task_family("tax");
    let situation = with_usable(situation, &[Intervention::User]);
    let decision = session(&controller).decide(&situation, &details()).unwrap();
    let record = decision.record();
    assert_clean(record);
    assert_eq!(record.version(), "1.0");
    assert_eq!(record.pre_capability(), score(0.44));
    assert_eq!(record.uncertainty(), uncertainty);
    assert_eq!(record.primary_source(), Source::Ambiguity);
    assert_eq!(record.secondary_source(), Some(Source::MissingEvidence));
    assert_eq!(record.remediability(), Remediability::UserClarification);
    assert_eq!(record.calibration_profile(), Some("test-1"));
    // The family's own thresholds apply.
    assert_eq!(record.confidence_band(), Band::High);
}

/// M2-18, M2-92, M2-93
#[test]
fn a_session_can_follow_a_record_that_was_handed_over() {
    let controller = controller(bound(1));
    let mut first = Session::new(&controller, "a").unwrap();
    let record = first
        .decide(&always(Action::Retrieve), &details())
        .map(Decision::into_record)
        .unwrap();
    let placed = record
        .clone()
        .placed(TrustContext::new(Domain::CrossDomain));

    let mut second = Session::following(&controller, "b", &placed).unwrap();
    let decisions = run(
        &mut second,
        std::iter::repeat(always(Action::Tool)),
        Spent::default(),
    );
    let ids: Vec<_> = decisions
        .iter()
        .map(|decision| {
            let record = decision.record();
            assert_clean(record);
            (
                record.decision_id().unwrap(),
                record.parent_decision_id().unwrap(),
                record.iteration().unwrap(),
                record.max_iterations().unwrap(),
            )
        })
        .collect();
    assert_eq!(ids, [("b-1", "a-1", 0, 3), ("b-2", "b-1", 1, 3)]);

    let follow = |prefix: &str, placed: &ContextualRecord| {
        Session::following(&controller, prefix, placed).map(|_| ())
    };
    assert_eq!(follow("a", &placed), Err(SessionError::PrefixTaken));
    assert_eq!(follow(" ", &placed), Err(SessionError::NoPrefix));
    assert_eq!(follow("a-1", &placed), Ok(()));
    // Only an identifier that the session could give is taken.
    for (id, expected) in [
        ("b-1", Err(SessionError::PrefixTaken)),
        ("b-18446744073709551615", Err(SessionError::PrefixTaken)),
        ("b-18446744073709551616", Ok(())),
        ("b-", Ok(())),
        ("b-0", Ok(())),
        ("b-01", Ok(())),
        ("b-+1", Ok(())),
        ("b--1", Ok(())),
        ("b-1-1", Ok(())),
        ("b1", Ok(())),
        ("1", Ok(())),
    ] {
        let mut document = record.clone().into_document();
        document.set_str("decision_id", id);
        let named = Core::new(document, Profile::default()).unwrap();
        let placed = named.placed(TrustContext::new(Domain::Local));
        assert_eq!(follow("b", &placed), expected, "{id}");
    }
    for without in ["", "\"\""] {
        let mut document = record.clone().into_document();
        document.remove("decision_id");
        if !without.is_empty() {
            document.set("decision_id", without).unwrap();
        }
        let unnamed = Core::new(document, Profile::default()).unwrap();
        let placed = unnamed.placed(TrustContext::new(Domain::Local));
        assert_eq!(follow("b", &placed), Err(SessionError::NoParent));
    }
}

/// M1-8: records of -01 have neither identifiers nor counters, nor a calibration profile, nor a target. Bounds hold.
#[test]
fn records_of_the_first_draft_have_only_what_it_defines() {
    let sub_actions = SubActions::default()
        .with("search", Action::Retrieve)
        .unwrap();
    // A policy's targets have no meaning there.
    let controller = controller(bound(1))
        .with_draft(Draft::Draft01)
        .with_policy(ActionBands)
        .with_sub_actions(sub_actions);
    assert_eq!(controller.draft(), Draft::Draft01);
    let strict = Profile::new(Draft::Draft01).strict();
    let mut session = session(&controller);
    let missing = always(Action::Retrieve);
    let search = details().with_sub_action("search");
    let answering = calm(Source::Ambiguity);
    let mut decisions = vec![session.decide(&missing, &search).unwrap()];
    session.completed(Spent::default()).unwrap();
    decisions.push(session.decide(&missing, &details()).unwrap());
    let placed = decisions[0]
        .record()
        .clone()
        .placed(TrustContext::new(Domain::Local));
    // Nothing is named as a parent, so nothing is asked of the record.
    let mut second = Session::following(&controller, "b", &placed).unwrap();
    decisions.push(second.decide(&answering, &details()).unwrap());

    let common = [
        "marc_version",
        "pre_capability",
        "uncertainty",
        "primary_source",
        "remediability",
        "selected_action",
        "post_answer_confidence",
        "confidence_band",
        "recommended_next_step",
    ];
    for (decision, (action, band, extra)) in decisions.iter().zip([
        (Action::Retrieve, Band::High, Some("x_sub_action")),
        (Action::Abstain, Band::High, None),
        (Action::Answer, Band::Medium, None),
    ]) {
        let record = decision.record();
        let report = record.document().validate(MarcKind::Core, strict);
        assert!(report.is_clean(), "{report}");
        assert_eq!(record.draft(), Draft::Draft01);
        assert_eq!(
            (record.selected_action(), record.confidence_band()),
            (action, band)
        );
        let names: Vec<_> = record.document().members().map(|(name, _)| name).collect();
        let expected: Vec<_> = common.into_iter().chain(extra).collect();
        assert_eq!(names, expected);
    }
}

/// M2-17: what bounds, rounds and details say can be read again.
#[test]
fn what_was_said_can_be_read_and_compared() {
    let spent = Spent::new(Duration::from_secs(3), 30);
    assert_eq!((spent.time(), spent.cost()), (Duration::from_secs(3), 30));
    assert_eq!(BoundKind::NAMES, ["count", "time", "cost"]);
    assert_eq!(BoundKind::Time.to_string(), "time");
    assert_eq!("cost".parse(), Ok(BoundKind::Cost));
    let with = |json| details().with_extension("trace", json).unwrap();
    assert_eq!(with("1"), with("1"));
    assert_ne!(with("1"), with("2"));
    let builder = || Core::builder().decision_id("a");
    assert_eq!(builder(), builder());
    assert_ne!(builder(), builder().draft(Draft::Draft01));
}

/// M2-92
#[test]
fn a_session_needs_a_prefix() {
    let controller = controller(bound(1));
    for prefix in ["", "\t"] {
        let error = Session::new(&controller, prefix).unwrap_err();
        assert_eq!(error, SessionError::NoPrefix);
    }
}

/// M2-53, M2-55: a governing policy that keeps retrieving is bounded as anybody else.
#[test]
fn the_governing_policy_is_bounded_too() {
    #[derive(Debug)]
    struct Retrieving;

    impl Policy for Retrieving {
        fn govern(&self, _: &Situation) -> Action {
            Action::Retrieve
        }
    }

    let controller = controller(bound(2)).with_policy(Retrieving);
    let mut session = session(&controller);
    let turns = std::iter::repeat(calm(Source::Safety));
    let decisions = run(&mut session, turns, Spent::default());
    assert_sound(&decisions, &controller);
    let actions: Vec<Action> = decisions.iter().map(Decision::action).collect();
    assert_eq!(
        actions,
        [Action::Retrieve, Action::Retrieve, Action::Abstain]
    );
}

/// A policy of fixed answers.
#[derive(Clone, Debug)]
struct Fixed {
    governing: Action,
    deviation: Option<Action>,
    suitability: Suitability,
}

impl Policy for Fixed {
    fn govern(&self, _: &Situation) -> Action {
        self.governing
    }

    fn deviate(&self, _: &Situation, selection: &Selection) -> Option<Deviation> {
        let action = self
            .deviation
            .filter(|_| selection.action() != Action::Answer)?;
        Deviation::new(action, "a rule of the house").ok()
    }

    fn target(&self, _: Action) -> Suitability {
        self.suitability
    }
}

fn actions() -> impl Strategy<Value = Action> {
    proptest::sample::select(Action::ALL)
}

fn policies() -> impl Strategy<Value = Fixed> {
    let suitability =
        proptest::sample::select(vec![Suitability::DirectAnswer, Suitability::Action]);
    (actions(), proptest::option::of(actions()), suitability).prop_map(
        |(governing, deviation, suitability)| Fixed {
            governing,
            deviation,
            suitability,
        },
    )
}

fn any_score() -> impl Strategy<Value = Score> {
    (0.0..=1.0).prop_map(score)
}

fn situations() -> impl Strategy<Value = Situation> {
    use proptest::sample::{select, subsequence};
    let sources = || select(Source::ALL);
    (
        (any_score(), proptest::array::uniform5(0.0..=1.0)),
        (sources(), proptest::option::of(sources())),
        subsequence(Judgement::ALL, 0..=Judgement::ALL.len()),
        subsequence(Intervention::ALL, 0..=Intervention::ALL.len()),
        (
            select(RiskTier::ALL),
            proptest::option::of(select(Remediability::ALL)),
        ),
    )
        .prop_map(
            |((capability, values), (primary, secondary), judgements, usable, (tier, stated))| {
                let mut situation = Situation::new(capability, scores(values), primary)
                    .with_judgements(judgements.into_iter().collect())
                    .with_risk_tier(tier);
                if let Some(source) = secondary {
                    situation = situation.with_secondary_source(source);
                }
                if let Some(class) = stated {
                    situation = situation.with_remediability(class);
                }
                with_usable(situation, &usable)
            },
        )
}

fn bounds() -> impl Strategy<Value = Bounds> {
    let bound = || {
        (0_u32..4, 0_u64..5, 0_u64..50)
            .prop_map(|(count, time, cost)| Bound::new(count, Duration::from_secs(time), cost))
    };
    (bound(), bound(), bound())
        .prop_map(|(retrieve, tool, deliberate)| Bounds::new(retrieve, tool, deliberate))
}

proptest! {
    /// M2-14, M2-16, M2-48, M2-49, M2-75, M2-92, M2-93, M2-106
    #[test]
    fn every_session_ends_within_its_bounds_with_valid_records(
        bounds in bounds(),
        policy in policies(),
        situations in proptest::collection::vec(situations(), 1..6),
        spent in (0_u64..3, 0_u64..20),
        suitability in any_score(),
    ) {
        let controller = Controller::new(calibration(), bounds).with_policy(policy);
        let mut session = session(&controller);
        let first = controller.clone().with_draft(Draft::Draft01);
        let mut in_first = Session::new(&first, "request-1").unwrap();
        let strict = Profile::new(Draft::Draft01).strict();
        let details = details().with_action_suitability(suitability);
        let spent = Spent::new(Duration::from_secs(spent.0), spent.1);
        let mut decisions = Vec::new();
        for situation in situations.iter().cycle() {
            let previewed = session.select(situation);
            let decision = session.decide(situation, &details).unwrap();
            let action = decision.action();
            prop_assert_eq!(decision.selection(), &previewed);
            prop_assert_eq!(decision.bound().is_none(), action == previewed.action());
            // In -01 the same is decided.
            let older = in_first.decide(situation, &details).unwrap();
            prop_assert_eq!(older.action(), action);
            prop_assert!(older.record().document().validate(MarcKind::Core, strict).is_clean());
            decisions.push(decision);
            prop_assert!(decisions.len() <= bounds.max_iterations() as usize + 1);
            if !action.loops() {
                break;
            }
            session.completed(spent).unwrap();
            in_first.completed(spent).unwrap();
        }
        assert_sound(&decisions, &controller);
        for &action in &LOOPING {
            let rounds = decisions.iter().filter(|decision| decision.action() == action).count();
            prop_assert!(rounds <= bounds.get(action).unwrap().count() as usize);
        }
    }
}
