//! Sessions: from a request to its end, within bounds, with a record for each decision. MARC-02 7.

use std::time::Duration;

use provstream_marc::{
    Action, Band, Bound, Bounds, Controller, DecideErrorKind, Details, Deviation, Domain, Draft,
    Intervention, Judgement, Policy, Remedy, Score, Scores, Session, SessionErrorKind,
    SessionState, Situation, Source, Spent, Target, TrustContext,
};
use testkit::marc::decide::{
    assert_clean, bound, calibration, calm, controller, score, with_usable,
};
use testkit::marc::generate::Random;
use testkit::marc::situations::case;

use Intervention::{Deliberation, Retrieval, Tool, User};

fn details() -> Details {
    Details::new()
        .with_post_answer_confidence(score(0.9))
        .with_action_suitability(score(0.6))
}

fn material(source: Source) -> Situation {
    let uncertainty = Scores::all(score(0.1)).with(source, score(0.8));
    Situation::new(score(0.9), uncertainty, source)
}

/// Reports whatever the session awaits; whether it goes on.
fn go_on(session: &mut Session) -> bool {
    match session.state() {
        SessionState::Running(_) => session.completed(Spent::default()).is_ok(),
        SessionState::AwaitingReply => session.replied().is_ok(),
        _ => false,
    }
}

/// M2-4, M2-14 to M2-16, M2-18, M2-19, M2-22, M2-49, M2-161, M2-178: 4,000 random requests.
#[test]
fn every_session_ends_within_its_bounds_with_valid_records() {
    let mut random = Random::new(7);
    for number in 0..4_000 {
        let case = case(&mut random);
        let counts = [(); 3].map(|()| bound(u32::try_from(random.below(3)).unwrap()));
        let clarifications = u32::try_from(random.below(3)).unwrap();
        let bounds =
            Bounds::new(counts[0], counts[1], counts[2]).with_clarifications(clarifications);
        let most = bounds.max_iterations() + clarifications + 1;
        let controller = Controller::new(calibration(), bounds).with_policy(case.policy.clone());
        let mut session = Session::new(&controller, "r").unwrap();
        let mut decisions = 0;
        loop {
            let decision = session.decide(&case.situation, &details()).unwrap();
            let record = decision.record();
            decisions += 1;
            assert!(decisions <= most, "{number}: {}", decision.selection());
            let expected = format!("r-{decisions}");
            assert_eq!(record.decision_id(), Some(&*expected));
            assert!(record.iteration() <= record.max_iterations());
            if record.remediability() == decision.selection().remediability() && number % 16 == 0 {
                assert_clean(record);
            }
            if !go_on(&mut session) {
                break;
            }
        }
        assert!(matches!(session.state(), SessionState::Over(_)));
    }
}

/// M2-16: RETRIEVE and CLARIFY do not alternate for ever.
#[test]
fn policy_clarify_resets_no_budget() {
    let bounds = Bounds::new(bound(1), bound(1), bound(1)).with_clarifications(1);
    let controller = Controller::new(calibration(), bounds);
    let mut session = Session::new(&controller, "r").unwrap();
    let blocked = with_usable(material(Source::Ambiguity), &[User, Retrieval]);
    let missing = with_usable(material(Source::MissingEvidence), &[User, Retrieval]);
    let mut actions = Vec::new();
    for situation in [&missing, &blocked, &missing, &blocked] {
        actions.push(session.decide(situation, &details()).unwrap().action());
        if !go_on(&mut session) {
            break;
        }
    }
    assert_eq!(actions, [Action::Retrieve, Action::Clarify, Action::Answer]);
}

/// M2-15, M2-72
#[test]
fn looping_actions_lead_to_assessment_and_the_others_to_the_end() {
    for (source, one, state) in [
        (
            Source::MissingEvidence,
            Retrieval,
            SessionState::Running(Action::Retrieve),
        ),
        (
            Source::CapabilityLimit,
            Tool,
            SessionState::Running(Action::Tool),
        ),
        (Source::Ambiguity, User, SessionState::AwaitingReply),
    ] {
        let mut session = Session::new(&controller(bound(2)), "r").unwrap();
        let situation = with_usable(material(source), &[one]);
        let _ = session.decide(&situation, &details()).unwrap();
        assert_eq!(session.state(), state);
        let again = session.decide(&situation, &details()).unwrap_err();
        assert!(matches!(
            again.kind(),
            DecideErrorKind::Running(_) | DecideErrorKind::AwaitingReply
        ));
        assert!(go_on(&mut session));
    }
    let mut session = Session::new(&controller(bound(2)), "r").unwrap();
    let _ = session
        .decide(&calm(Source::Ambiguity), &details())
        .unwrap();
    assert_eq!(session.state(), SessionState::Over(Action::Answer));
    let over = session
        .decide(&calm(Source::Ambiguity), &details())
        .unwrap_err();
    assert_eq!(over.kind(), &DecideErrorKind::Over(Action::Answer));
    assert_eq!(
        session.replied().unwrap_err().kind(),
        SessionErrorKind::NotAsked
    );
    assert_eq!(
        session.completed(Spent::default()).unwrap_err().kind(),
        SessionErrorKind::NotRunning
    );
}

/// M2-161: time and cost end loops as counts do.
#[test]
fn budgets_of_time_and_cost_end_loops() {
    for spent in [
        Spent::new(Duration::from_secs(60), 0),
        Spent::new(Duration::MAX, u64::MAX),
        Spent::new(Duration::ZERO, 1_000),
    ] {
        let mut session = Session::new(
            &controller(Bound::new(9, Duration::from_secs(60), 1_000)),
            "r",
        )
        .unwrap();
        let situation = with_usable(material(Source::EvidenceConflict), &[Retrieval]);
        assert_eq!(
            session.decide(&situation, &details()).unwrap().action(),
            Action::Retrieve
        );
        session.completed(spent).unwrap();
        let decision = session.decide(&situation, &details()).unwrap();
        assert_eq!(decision.action(), Action::Abstain);
        assert_eq!(decision.selection().skipped().len(), 1);
    }
}

/// M2-21, M2-34, M2-36, M2-103
#[test]
fn an_answer_needs_a_confidence_of_its_own() {
    let mut session = Session::new(&controller(bound(1)), "r").unwrap();
    let error = session
        .decide(&calm(Source::Ambiguity), &Details::new())
        .unwrap_err();
    assert_eq!(error.kind(), &DecideErrorKind::NoConfidence);
    assert!(
        error.to_string().contains("`post_answer_confidence`"),
        "{error}"
    );
    let decision = session
        .decide(&calm(Source::Ambiguity), &details())
        .unwrap();
    assert_eq!(decision.record().post_answer_confidence(), Some(score(0.9)));
    assert_eq!(decision.record().confidence_band(), Band::High);
    assert_eq!(decision.record().pre_capability(), score(0.9));
}

/// M2-38
#[test]
fn policy_a_refusal_is_never_highly_suitable_for_a_direct_answer() {
    let decide = |situation: &Situation, controller: &Controller| {
        let mut session = Session::new(controller, "r").unwrap();
        session.decide(situation, &details()).unwrap().into_record()
    };
    let controller = controller(bound(1));
    let capable = |source| {
        Situation::new(
            score(0.99),
            Scores::all(score(0.1)).with(source, score(0.8)),
            source,
        )
    };
    let safe = decide(&capable(Source::Safety), &controller);
    assert_eq!(
        (safe.selected_action(), safe.confidence_band()),
        (Action::Abstain, Band::Low)
    );
    let conflict = decide(&capable(Source::EvidenceConflict), &controller);
    assert_eq!(
        (conflict.selected_action(), conflict.confidence_band()),
        (Action::Abstain, Band::Medium)
    );
    let policy = Policy::default().with_action_suitability(Action::Abstain);
    let about_action = decide(&capable(Source::Safety), &controller.with_policy(policy));
    assert_eq!(
        about_action.confidence_target(),
        Some(Target::ActionSuitability)
    );
    assert_eq!(about_action.confidence_band(), Band::Medium);
}

/// M2-105: next steps are those of the action, also where a bound changed it.
#[test]
fn a_next_step_goes_with_its_action() {
    let controller = controller(bound(1));
    let mut session = Session::new(&controller, "r").unwrap();
    let conflict = with_usable(material(Source::EvidenceConflict), &[Retrieval]);
    let details = Details::new()
        .with_next_step_for(Action::Retrieve, "retrieve the current statute")
        .with_next_step_for(Action::Answer, "mix it");
    let first = session.decide(&conflict, &details).unwrap();
    assert_eq!(
        first.record().recommended_next_step(),
        "retrieve the current statute"
    );
    assert!(go_on(&mut session));
    let second = session.decide(&conflict, &details).unwrap();
    assert_eq!(second.record().recommended_next_step(), "decline to answer");
}

/// M2-105, M2-117: whatever leads to an action, its next step is not that of another one.
#[test]
fn no_next_step_of_another_action_is_recorded() {
    let mut random = Random::new(91);
    for number in 0..4_000 {
        let case = case(&mut random);
        let mut policy = case.policy.clone();
        if random.one_in(2) {
            let (from, to) = (random.pick(Action::ALL), random.pick(&Action::ALL[1..]));
            policy = policy.with_deviation(Deviation::from_order("c", from, to).unwrap());
        }
        let counts = [(); 3].map(|()| bound(u32::try_from(random.below(2)).unwrap()));
        let bounds = Bounds::new(counts[0], counts[1], counts[2]);
        let controller = Controller::new(calibration(), bounds).with_policy(policy);
        let mut session = Session::new(&controller, "r").unwrap();
        let given = random.pick(Action::ALL);
        let details = details().with_next_step_for(given, "as given");
        loop {
            let decision = session.decide(&case.situation, &details).unwrap();
            let is_given = decision.record().recommended_next_step() == "as given";
            assert_eq!(is_given, decision.action() == given, "{number}");
            if !go_on(&mut session) {
                break;
            }
        }
    }
}

/// M2-16, M2-38: an answer for lack of rounds does not have the high band.
#[test]
fn an_answer_that_a_bound_leads_to_is_at_most_medium() {
    let after = |situation: &Situation, rounds: u32| {
        let bounds = Bounds::new(bound(1), bound(1), bound(1)).with_clarifications(1);
        let mut session = Session::new(&Controller::new(calibration(), bounds), "r").unwrap();
        for _ in 0..rounds {
            let _ = session.decide(situation, &details()).unwrap();
            assert!(go_on(&mut session));
        }
        let decision = session.decide(situation, &details()).unwrap();
        assert_eq!(
            decision.action(),
            Action::Answer,
            "{}",
            decision.selection()
        );
        assert_eq!(decision.selection().skipped().is_empty(), rounds == 0);
        decision.record().confidence_band()
    };
    assert_eq!(after(&calm(Source::Ambiguity), 0), Band::High);
    let missing = material(Source::MissingEvidence);
    let remedy = |all: &[Intervention]| with_usable(missing.clone(), all);
    assert_eq!(after(&remedy(&[]), 0), Band::High);
    assert_eq!(after(&remedy(&[Retrieval]), 1), Band::Medium);
    assert_eq!(after(&remedy(&[Tool]), 1), Band::Medium);
    assert_eq!(after(&remedy(&[Retrieval, Tool]), 2), Band::Medium);
    for one in [User, Retrieval, Tool, Deliberation] {
        let worthwhile = calm(Source::MissingEvidence).with_remedy(one, Remedy::WORTHWHILE);
        assert_eq!(after(&worthwhile, 1), Band::Medium, "{one}");
    }
    let asked = with_usable(material(Source::Ambiguity), &[User]);
    let asked = asked.with_judgement(Judgement::BlockingAmbiguity, false);
    assert_eq!(after(&asked, 1), Band::Medium);
}

/// M2-18, M2-92: requests that differ in name or number have no identifier in common.
#[test]
fn ids_of_numbered_requests_do_not_collide() {
    let controller = controller(bound(1));
    let mut seen = std::collections::BTreeMap::new();
    let names = [
        "s",
        "s.2",
        "s.2.2",
        "s.1",
        "s.1.1",
        "s.02",
        "s-1",
        "s.2-1",
        "s-1.2",
        ".2",
        "2",
        "s.",
        "s..2",
        "s.x2",
        "s.2x",
        "s.２",
        "S",
        "s .2",
        "s.18446744073709551615",
        "s.99999999999999999999999",
    ];
    for name in names {
        for number in [1, 2, 3, 22, u64::MAX] {
            let mut session = Session::numbered(&controller, name, number).unwrap();
            let decision = session
                .decide(&calm(Source::Ambiguity), &details())
                .unwrap();
            let id = decision.record().decision_id().unwrap().to_owned();
            assert_eq!(seen.insert(id, (name, number)), None, "{name} {number}");
        }
    }
    assert!(seen.contains_key("s-1") && seen.contains_key("s.2-1"));
    let blank = Session::numbered(&controller, " ", 2).unwrap_err();
    assert_eq!(blank.kind(), SessionErrorKind::NoPrefix);
}

/// M2-50, M2-51
#[test]
fn a_sub_action_of_another_action_is_left_out_and_reported() {
    let sub_actions = [("search".to_owned(), Action::Retrieve)];
    let controller = controller(bound(1)).with_sub_actions(sub_actions.into());
    let mut session = Session::new(&controller, "r").unwrap();
    let details = details().with_sub_action("search");
    let answer = session
        .clone()
        .decide(&calm(Source::Ambiguity), &details)
        .unwrap();
    assert_eq!(answer.record().document().get("x_sub_action"), None);
    assert!(answer.selection().to_string().contains("MARC-02 8.7"));
    let missing = with_usable(material(Source::MissingEvidence), &[Retrieval]);
    let record = session.decide(&missing, &details).unwrap().into_record();
    assert_eq!(record.document().get("x_sub_action"), Some("\"search\""));
    let unknown = session.clone();
    drop(unknown);
    let mut other = Session::new(&controller, "s").unwrap();
    let error = other
        .decide(&missing, &details.with_sub_action("nap"))
        .unwrap_err();
    assert_eq!(
        error.kind(),
        &DecideErrorKind::UnknownSubAction("nap".into())
    );
}

/// M2-24, M2-27, M2-28, M2-92, M2-93, M2-95
#[test]
fn the_record_has_the_situation() {
    let tax = provstream_marc::Bands::new(score(0.7), score(0.95)).unwrap();
    let calibration = calibration().with_family("tax", tax);
    let bounds = Bounds::new(bound(1), bound(1), bound(1));
    let controller = Controller::new(calibration, bounds);
    let mut session = Session::new(&controller, "r").unwrap();
    let situation = calm(Source::Ambiguity).with_secondary_source(Source::Safety);
    let unknown = situation.clone().with_task_family("taxes");
    let error = session.decide(&unknown, &details()).unwrap_err();
    assert_eq!(
        error.kind(),
        &DecideErrorKind::UnknownFamily("taxes".into())
    );
    let record = session
        .decide(&situation.with_task_family("tax"), &details())
        .unwrap()
        .into_record();
    assert_clean(&record);
    assert_eq!(record.secondary_source(), Some(Source::Safety));
    assert_eq!(record.uncertainty(), Scores::all(score(0.1)));
    assert_eq!(record.calibration_profile(), Some("test-1/tax"));
    assert_eq!(record.confidence_band(), Band::Medium);
}

/// M1-8, M2-45
#[test]
fn records_of_the_first_draft_have_only_what_it_defines() {
    let controller = controller(bound(1)).with_draft(Draft::Draft01);
    let mut session = Session::new(&controller, "r").unwrap();
    let record = session
        .decide(&calm(Source::Ambiguity), &details())
        .unwrap()
        .into_record();
    assert_eq!(record.draft(), Draft::Draft01);
    assert_eq!(record.confidence_target(), None);
    assert_eq!(record.document().len(), 9);
}

/// M2-12, M2-18, M2-78
#[test]
fn a_session_can_follow_a_record_of_another_component() {
    let controller = controller(bound(1));
    let first = Session::new(&controller, "a")
        .unwrap()
        .decide(&calm(Source::Safety), &details())
        .unwrap();
    let placed = first
        .into_record()
        .placed(TrustContext::new(Domain::Delegated));
    let mut session = Session::following(&controller, "b", &placed).unwrap();
    let record = session
        .decide(&calm(Source::Ambiguity), &details())
        .unwrap()
        .into_record();
    assert_eq!(record.parent_decision_id(), Some("a-1"));
    assert_eq!(
        Session::following(&controller, "a", &placed)
            .unwrap_err()
            .kind(),
        SessionErrorKind::PrefixTaken
    );
    assert_eq!(
        Session::new(&controller, " ").unwrap_err().kind(),
        SessionErrorKind::NoPrefix
    );
}

/// M2-73, M2-112
#[test]
fn deliberation_is_bounded() {
    let mut session = Session::new(&controller(bound(2)), "r").unwrap();
    let doubt = calm(Source::MissingEvidence).with_remedy(Deliberation, Remedy::WORTHWHILE);
    let mut actions = Vec::new();
    loop {
        actions.push(session.decide(&doubt, &details()).unwrap().action());
        if !go_on(&mut session) {
            break;
        }
    }
    assert_eq!(
        actions,
        [Action::Deliberate, Action::Deliberate, Action::Answer]
    );
    assert_eq!(Score::ONE.get(), 1.0);
}
