//! Action selection: properties, comparison with the model of MARC-02 section 8, and cases of an
//! expert.

use std::collections::BTreeSet;

use provstream_marc::{
    Action, BoundKind, Deviation, Exhausted, Intervention, Judgement, Policy, PolicyErrorKind,
    Remediability, Remedy, RiskTier, Score, Scores, Selection, Situation, Source, Thresholds,
};
use testkit::marc::decide::{calm, score, scores, with_usable};
use testkit::marc::generate::Random;
use testkit::marc::situations::case;

use Intervention::{Deliberation, Human, Retrieval, Tool, User};

/// Returns the number of random situations: 100,000, or `PROVSTREAM_SITUATIONS`.
fn situations() -> u64 {
    let set = std::env::var("PROVSTREAM_SITUATIONS").ok();
    set.and_then(|count| count.parse().ok()).unwrap_or(100_000)
}

fn select(situation: &Situation) -> Selection {
    Selection::of(situation, &Policy::default(), &Exhausted::default())
}

#[track_caller]
fn check(situation: &Situation, action: Action) {
    let selection = select(situation);
    assert_eq!(selection.action(), action, "{selection}");
}

fn material(source: Source) -> Situation {
    let uncertainty = Scores::all(score(0.1)).with(source, score(0.8));
    Situation::new(score(0.9), uncertainty, source)
}

/// M2-52 to M2-68: an independent reading of section 8 selects the same action.
#[test]
fn the_model_of_section_8_agrees_on_random_situations() {
    let mut random = Random::new(8);
    let mut seen = BTreeSet::new();
    for number in 0..situations() {
        let case = case(&mut random);
        let selection = Selection::of(&case.situation, &case.policy, &case.exhausted);
        let action = selection.action().as_str();
        assert_eq!(
            action,
            case.point.action(),
            "{number}: {selection}\n{case:#?}"
        );
        let class = case.point.remediability(action);
        let class = class.map_or(Remediability::None, |at| Remediability::ALL[at]);
        assert_eq!(
            selection.remediability(),
            class,
            "{number}: {selection}\n{case:#?}"
        );
        seen.insert(action);
    }
    assert_eq!(seen.len(), 7, "{seen:?}");
}

/// M2-23, M2-49, M2-52, M2-53, M2-55, M2-68, M2-113: what holds in every situation.
#[test]
fn no_action_is_selected_that_is_not_permitted_and_safety_never_answers() {
    let mut random = Random::new(15);
    for number in 0..situations() {
        let case = case(&mut random);
        let (situation, point) = (&case.situation, &case.point);
        let selection = Selection::of(situation, &case.policy, &case.exhausted);
        let action = selection.action();
        let governed = point.primary == 4
            || point.scores[4] >= point.material[4]
            || situation.judgement(Judgement::SafetyControls) == Some(true);
        assert_eq!(selection.is_governed(), governed);
        if governed {
            let allowed = case.policy.safety().contains(&action) || action == Action::Abstain;
            assert!(allowed && action != Action::Answer, "{number}: {selection}");
        }
        if let Some(intervention) = Intervention::of(action) {
            let stated = situation.remediability().and_then(Intervention::of_class);
            let usable = match situation.remedy(intervention) {
                Some(remedy) => remedy.is_usable() && remedy.worthwhile() != Some(false),
                None => stated == Some(intervention),
            };
            assert!(usable, "{number}: {selection}");
            assert!(
                case.exhausted.get(intervention).is_none(),
                "{number}: {selection}"
            );
        }
        let is_resolved = situation.judgement(Judgement::ResolvableFromEvidence) == Some(true);
        if action == Action::Answer && !is_resolved {
            let blocked = situation
                .judgement(Judgement::BlockingAmbiguity)
                .unwrap_or(point.scores[0] >= point.material[0]);
            assert!(!blocked, "{number}: {selection}");
        }
        // It explains itself: sections all along, and the last step that chose is the action.
        assert!(
            selection
                .steps()
                .iter()
                .all(|step| step.section().starts_with("MARC-02 "))
        );
        let chosen = selection
            .steps()
            .iter()
            .rev()
            .find_map(|step| step.action());
        assert_eq!(chosen, Some(action));
        assert!(
            action.fits(selection.remediability()),
            "{number}: {selection}"
        );
    }
}

/// M2-52, M2-64 to M2-67: with the remedy of its own source at hand, each source leads to it.
#[test]
fn d3_selection_depends_on_attribution() {
    let mut random = Random::new(3);
    let all = [User, Retrieval, Tool, Human];
    for _ in 0..2_000 {
        let low = [(); 5].map(|()| random.below(5) as f64 / 10.0);
        let with = |source| {
            let uncertainty = scores(low).with(source, score(0.9));
            let situation = Situation::new(score(0.5), uncertainty, source);
            select(&with_usable(situation, &all)).action()
        };
        assert_eq!(with(Source::Ambiguity), Action::Clarify);
        assert_eq!(with(Source::MissingEvidence), Action::Retrieve);
        assert_eq!(with(Source::CapabilityLimit), Action::Tool);
        assert_eq!(with(Source::EvidenceConflict), Action::Retrieve);
    }
    let humans = |source| select(&with_usable(material(source), &[Human])).action();
    assert_eq!(humans(Source::CapabilityLimit), Action::Escalate);
    assert_eq!(humans(Source::MissingEvidence), Action::Answer);
}

/// M2-52, M2-58: the values of the examples, with the class that they state.
#[test]
fn d3_selection_depends_on_remediability() {
    let examples = [
        (
            0.44,
            [0.81, 0.18, 0.12, 0.03, 0.0],
            Source::Ambiguity,
            Remediability::UserClarification,
            Action::Clarify,
        ),
        (
            0.39,
            [0.09, 0.84, 0.14, 0.11, 0.0],
            Source::MissingEvidence,
            Remediability::Retrieval,
            Action::Retrieve,
        ),
        (
            0.52,
            [0.08, 0.12, 0.61, 0.04, 0.0],
            Source::CapabilityLimit,
            Remediability::Tool,
            Action::Tool,
        ),
        (
            0.21,
            [0.06, 0.27, 0.88, 0.14, 0.19],
            Source::CapabilityLimit,
            Remediability::Human,
            Action::Escalate,
        ),
    ];
    for (capability, values, source, class, action) in examples {
        let situation = Situation::new(score(capability), scores(values), source);
        check(&situation.clone().with_remediability(class), action);
        let none = select(&situation.with_remediability(Remediability::None)).action();
        assert!(matches!(none, Action::Abstain | Action::Answer), "{none}");
    }
}

/// M2-57: where several actions are allowed, the stated class is preferred.
#[test]
fn the_stated_class_is_preferred_among_those_that_a_step_allows() {
    let conflict = with_usable(
        material(Source::EvidenceConflict),
        &[Retrieval, Tool, Human],
    );
    check(&conflict, Action::Retrieve);
    check(
        &conflict.clone().with_remediability(Remediability::Tool),
        Action::Tool,
    );
    check(
        &conflict.clone().with_remediability(Remediability::Human),
        Action::Escalate,
    );
    check(
        &conflict.with_remediability(Remediability::UserClarification),
        Action::Retrieve,
    );
}

/// M2-56
#[test]
fn policy_a_blocking_ambiguity_is_never_guessed() {
    let blocked = calm(Source::MissingEvidence).with_judgement(Judgement::BlockingAmbiguity, true);
    check(&blocked, Action::Abstain);
    check(&with_usable(blocked.clone(), &[Human]), Action::Escalate);
    check(&with_usable(blocked.clone(), &[User]), Action::Clarify);
    // What available evidence resolves is not guessed.
    let resolvable = blocked.with_judgement(Judgement::ResolvableFromEvidence, true);
    check(&with_usable(resolvable.clone(), &[User]), Action::Answer);
    let retrieval = resolvable.with_remedy(Retrieval, Remedy::WORTHWHILE);
    check(&retrieval, Action::Retrieve);
}

/// M2-57, M2-67
#[test]
fn policy_a_conflict_without_remedy_is_not_answered() {
    check(&material(Source::EvidenceConflict), Action::Abstain);
    check(
        &with_usable(material(Source::EvidenceConflict), &[User]),
        Action::Abstain,
    );
    check(
        &with_usable(material(Source::EvidenceConflict), &[Human]),
        Action::Escalate,
    );
}

/// M2-16, M2-62
#[test]
fn policy_a_spent_bound_falls_through_to_the_next_worthwhile_action() {
    let spent = |situation: &Situation, used: &[Intervention]| {
        let exhausted = used.iter().fold(Exhausted::default(), |all, &one| {
            all.with(one, BoundKind::Count)
        });
        let selection = Selection::of(situation, &Policy::default(), &exhausted);
        assert_eq!(selection.skipped().len(), used.len(), "{selection}");
        selection.action()
    };
    let missing = with_usable(material(Source::MissingEvidence), &[Retrieval, Tool]);
    assert_eq!(spent(&missing, &[Retrieval]), Action::Tool);
    assert_eq!(spent(&missing, &[Retrieval, Tool]), Action::Answer);
    let doubt = calm(Source::MissingEvidence).with_remedy(Deliberation, Remedy::WORTHWHILE);
    check(&doubt, Action::Deliberate);
    assert_eq!(spent(&doubt, &[Deliberation]), Action::Answer);
    let conflict = with_usable(material(Source::EvidenceConflict), &[Retrieval, Human]);
    assert_eq!(spent(&conflict, &[Retrieval]), Action::Escalate);
}

/// M2-61
#[test]
fn policy_deliberation_may_precede_retrieval_and_tools() {
    for (source, remedy, action) in [
        (Source::MissingEvidence, Retrieval, Action::Retrieve),
        (Source::CapabilityLimit, Tool, Action::Tool),
    ] {
        let situation =
            with_usable(material(source), &[remedy]).with_remedy(Deliberation, Remedy::WORTHWHILE);
        check(&situation, Action::Deliberate);
        let last = Policy::default().deliberating_last();
        let selection = Selection::of(&situation, &last, &Exhausted::default());
        assert_eq!(selection.action(), action);
        // What nobody weighed waits for what the source asks for.
        check(
            &with_usable(material(source), &[remedy, Deliberation]),
            action,
        );
    }
}

/// M2-54, M2-57 to M2-60: steps 3 to 6 keep their order, whatever the primary source is.
#[test]
fn the_order_of_steps_does_not_depend_on_the_primary_source() {
    let worthwhile = |situation: Situation, all: &[Intervention]| {
        let all = all.iter();
        all.fold(situation, |situation, &one| {
            situation.with_remedy(one, Remedy::WORTHWHILE)
        })
    };
    let of = |values: [f64; 4], primary| {
        let [ambiguity, missing, limit, conflict] = values;
        Situation::new(
            score(0.5),
            scores([ambiguity, missing, limit, conflict, 0.0]),
            primary,
        )
    };
    let (missing, limit, conflict) = (
        Source::MissingEvidence,
        Source::CapabilityLimit,
        Source::EvidenceConflict,
    );
    for (values, primary, remedies, action) in [
        (
            [0.0, 0.9, 0.9, 0.0],
            limit,
            &[Retrieval][..],
            Action::Retrieve,
        ),
        (
            [0.0, 0.9, 0.9, 0.0],
            missing,
            &[Retrieval],
            Action::Retrieve,
        ),
        ([0.0, 0.9, 0.9, 0.0], limit, &[User], Action::Clarify),
        ([0.0, 0.9, 0.9, 0.0], limit, &[Human], Action::Escalate),
        (
            [0.0, 0.9, 0.0, 0.9],
            missing,
            &[User, Human],
            Action::Escalate,
        ),
        ([0.0, 0.9, 0.0, 0.9], missing, &[User], Action::Clarify),
        ([0.0, 0.9, 0.0, 0.9], missing, &[Tool], Action::Tool),
        (
            [0.0, 0.0, 0.9, 0.9],
            limit,
            &[Retrieval, Tool],
            Action::Retrieve,
        ),
        ([0.0, 0.0, 0.9, 0.9], limit, &[Human], Action::Escalate),
        ([0.0, 0.9, 0.9, 0.9], limit, &[Tool], Action::Tool),
        ([0.0, 0.9, 0.9, 0.9], conflict, &[], Action::Abstain),
        ([0.9, 0.9, 0.9, 0.9], limit, &[Retrieval], Action::Retrieve),
        (
            [0.9, 0.9, 0.9, 0.9],
            limit,
            &[User, Retrieval],
            Action::Clarify,
        ),
    ] {
        check(&worthwhile(of(values, primary), remedies), action);
    }
}

/// M2-61: computation is selected only where somebody expects a gain from it.
#[test]
fn deliberation_that_nobody_weighed_is_not_selected() {
    for source in [
        Source::Ambiguity,
        Source::MissingEvidence,
        Source::CapabilityLimit,
        Source::EvidenceConflict,
    ] {
        for tier in [RiskTier::Standard, RiskTier::High] {
            let situation = material(source).with_risk_tier(tier);
            let usable = with_usable(situation.clone(), &[Deliberation]);
            assert_ne!(select(&usable).action(), Action::Deliberate, "{source}");
            let blocked = usable.with_judgement(Judgement::BlockingAmbiguity, true);
            assert_ne!(select(&blocked).action(), Action::Deliberate, "{source}");
            let weighed = situation.with_remedy(Deliberation, Remedy::WORTHWHILE);
            check(&weighed, Action::Deliberate);
        }
    }
}

/// M2-31, M2-33: no class is recorded that is not available, not permitted or spent, also after a deviation.
#[test]
fn what_is_not_possible_is_not_recorded_as_the_best_class() {
    let mut random = Random::new(83);
    for number in 0..situations() / 10 {
        let case = case(&mut random);
        let mut policy = case.policy.clone();
        let (from, to) = (random.pick(Action::ALL), random.pick(&Action::ALL[1..]));
        if random.one_in(2) {
            policy = policy.with_deviation(Deviation::from_order("c", from, to).unwrap());
        }
        let selection = Selection::of(&case.situation, &policy, &case.exhausted);
        let Some(class) = Intervention::of_class(selection.remediability()) else {
            continue;
        };
        let remedy = case.situation.remedy(class);
        assert!(
            remedy.is_none_or(Remedy::is_usable),
            "{number}: {selection}"
        );
        if selection.action() != Action::Abstain {
            assert_eq!(case.exhausted.get(class), None, "{number}: {selection}");
        }
    }
}

/// M2-62
#[test]
fn four_worthwhile_remedies_keep_an_answer_back() {
    let calm = calm(Source::MissingEvidence);
    check(
        &with_usable(calm.clone(), &[User, Retrieval, Tool, Human]),
        Action::Answer,
    );
    for (intervention, action) in [
        (User, Action::Clarify),
        (Retrieval, Action::Retrieve),
        (Tool, Action::Tool),
        (Human, Action::Escalate),
    ] {
        check(
            &calm.clone().with_remedy(intervention, Remedy::WORTHWHILE),
            action,
        );
        let not = Remedy::USABLE.with_worthwhile(false);
        check(&calm.clone().with_remedy(intervention, not), Action::Answer);
    }
}

/// M2-63
#[test]
fn missing_evidence_that_does_not_matter_is_not_retrieved() {
    let missing = with_usable(material(Source::MissingEvidence), &[Retrieval]);
    check(
        &missing
            .clone()
            .with_judgement(Judgement::LimitedToContext, true),
        Action::Answer,
    );
    check(
        &missing
            .clone()
            .with_judgement(Judgement::RequiredEvidenceMissing, false),
        Action::Answer,
    );
    let prohibited = Remedy::USABLE.with_permitted(false);
    check(&missing.with_remedy(Retrieval, prohibited), Action::Answer);
}

/// M2-66, M2-60
#[test]
fn a_primary_capability_limit_without_a_tool_is_not_answered() {
    let limit = material(Source::CapabilityLimit);
    check(&limit, Action::Abstain);
    check(
        &with_usable(limit.clone(), &[Retrieval, User]),
        Action::Abstain,
    );
    check(&with_usable(limit.clone(), &[Human]), Action::Escalate);
    check(&with_usable(limit, &[Tool, Human]), Action::Tool);
}

/// M2-152
#[test]
fn policy_high_safety_never_answers() {
    for tier in [RiskTier::Standard, RiskTier::High] {
        let situation = calm(Source::Ambiguity).with_risk_tier(tier);
        let uncertainty = scores([0.1, 0.1, 0.1, 0.1, 0.95]);
        let unsafe_ =
            Situation::new(Score::ONE, uncertainty, Source::Ambiguity).with_risk_tier(tier);
        check(&situation, Action::Answer);
        check(&unsafe_, Action::Abstain);
        check(&with_usable(unsafe_, &[Human, Retrieval]), Action::Escalate);
    }
    check(&calm(Source::Safety), Action::Abstain);
}

/// M2-152
#[test]
fn the_high_tier_has_lower_thresholds_and_answers_nothing_unresolved() {
    let mild = Scores::all(score(0.1)).with(Source::MissingEvidence, score(0.4));
    let situation = Situation::new(score(0.9), mild, Source::MissingEvidence);
    check(&situation, Action::Answer);
    let high = situation.with_risk_tier(RiskTier::High);
    check(&high, Action::Abstain);
    check(&with_usable(high, &[Retrieval]), Action::Retrieve);
    let lax = Thresholds::new(score(0.3), score(0.5)).unwrap_err();
    assert_eq!(
        lax.kind(),
        PolicyErrorKind::LaxThreshold(score(0.5), score(0.3))
    );
    assert!(
        lax.to_string().contains("high tier 0.5, standard tier 0.3"),
        "{lax}"
    );
}

/// M2-54, M2-114
#[test]
fn policy_a_deviation_leads_only_to_what_is_permitted() {
    let lax = Deviation::from_order("always answer", Action::Abstain, Action::Answer).unwrap_err();
    assert_eq!(lax.kind(), PolicyErrorKind::LaxDeviation(Action::Abstain));
    assert_eq!(
        Policy::default()
            .with_safety(&[Action::Answer])
            .unwrap_err()
            .kind(),
        PolicyErrorKind::LaxSafety
    );
    let deviation = Deviation::from_order(
        "cases go to a person at once",
        Action::Retrieve,
        Action::Escalate,
    )
    .unwrap()
    .for_source(Source::MissingEvidence);
    let policy = Policy::default().with_deviation(deviation);
    let selected = |situation: &Situation| Selection::of(situation, &policy, &Exhausted::default());
    let missing = with_usable(material(Source::MissingEvidence), &[Retrieval]);
    assert_eq!(selected(&missing).action(), Action::Retrieve);
    let with_human = selected(&with_usable(missing, &[Human]));
    assert_eq!(with_human.action(), Action::Escalate);
    assert_eq!(with_human.deviation(), Some("cases go to a person at once"));
    let conflict = with_usable(material(Source::EvidenceConflict), &[Retrieval, Human]);
    assert_eq!(selected(&conflict).action(), Action::Retrieve);
}

/// M2-111, M2-114: the class that an ABSTAIN states is kept, and a described deviation can happen.
#[test]
fn d7_a_stated_remediability_is_kept_or_reported() {
    let worthless = Remedy::USABLE.with_worthwhile(false);
    for (remedy, class) in [
        (worthless, Remediability::Human),
        (Remedy::UNAVAILABLE, Remediability::None),
        (worthless.with_permitted(false), Remediability::None),
    ] {
        let limit = material(Source::CapabilityLimit)
            .with_remedy(Human, remedy)
            .with_remediability(Remediability::Human);
        let selection = select(&limit);
        assert_eq!(selection.action(), Action::Abstain);
        assert_eq!(selection.remediability(), class);
        assert!(selection.to_string().contains("MARC-02 9.4"), "{selection}");
    }

    let tool = material(Source::CapabilityLimit)
        .with_remedy(Tool, Remedy::UNAVAILABLE)
        .with_remediability(Remediability::Tool);
    let corrected = select(&tool);
    assert_eq!(corrected.remediability(), Remediability::None);
    assert!(
        corrected.to_string().contains("stated was tool"),
        "{corrected}"
    );
    let deviation = Deviation::from_pairing(
        "the tool is down at night",
        Action::Abstain,
        Remediability::Tool,
    );
    let policy = Policy::default().with_deviation(deviation.unwrap());
    let kept = Selection::of(&tool, &policy, &Exhausted::default());
    assert_eq!(kept.remediability(), Remediability::Tool);
    assert_eq!(kept.deviation(), Some("the tool is down at night"));
}

#[test]
fn a_selection_explains_itself_in_the_words_of_the_draft() {
    let missing = with_usable(material(Source::MissingEvidence), &[Retrieval]);
    assert_eq!(
        select(&missing).to_string(),
        "MARC-02 8.8 step 1: no safety, legal or policy constraint governs; MARC-02 8.8 step 2: no ambiguity blocks an answer; \
         MARC-02 8.8 step 3: no conflict of evidence is material; MARC-02 8.8 step 4: RETRIEVE, required evidence is missing"
    );
}
