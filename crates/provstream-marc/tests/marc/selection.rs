//! The selection of an action, MARC-02 8.3 and 8.8.

use provstream_marc::{
    Action, Appraisal, DefaultPolicy, Deviation, DeviationError, Intervention, Judgement,
    Judgements, Materiality, Policy, Remediability, Remedies, Remedy, RiskTier, Score, Scores,
    Selection, Situation, Source, Step, SubActionError, SubActions, Threshold, Weights,
};
use testkit::marc::decide::{calm, score, scores, with_usable};

use Intervention::{Deliberation, Human, Retrieval, Tool, User};
use Judgement::{
    BlockingAmbiguity, LimitedToContext, MaterialCapabilityLimit, MaterialConflict,
    RequiredEvidenceMissing, ResolvableFromEvidence, SafetyControls,
};

fn select(situation: &Situation) -> Selection {
    Selection::of(situation, &DefaultPolicy)
}

fn situation(judgements: &[Judgement], usable: &[Intervention]) -> Situation {
    let situation = judgements
        .iter()
        .fold(calm(Source::Ambiguity), |situation, &judgement| {
            situation.with_judgement(judgement)
        });
    with_usable(situation, usable)
}

#[track_caller]
fn assert_selects(situation: &Situation, step: u8, action: Action) {
    let selection = select(situation);
    let found = (selection.step().number(), selection.action());
    assert_eq!(found, (step, action), "{selection}");
}

/// The least that makes each step apply: judgements, usable interventions, and the action.
const CONDITIONS: [(&[Judgement], &[Intervention], Action); 8] = [
    (&[SafetyControls], &[Human], Action::Escalate),
    (&[BlockingAmbiguity], &[User], Action::Clarify),
    (&[MaterialConflict], &[Retrieval], Action::Retrieve),
    (&[RequiredEvidenceMissing], &[Retrieval], Action::Retrieve),
    (&[MaterialCapabilityLimit], &[Tool], Action::Tool),
    (&[MaterialCapabilityLimit], &[], Action::Abstain),
    (&[], &[Deliberation], Action::Deliberate),
    (&[], &[], Action::Answer),
];

/// M2-55, M2-56, M2-57, M2-58, M2-59, M2-60, M2-61, M2-62
#[test]
fn each_step_applies_under_its_own_conditions() {
    let requirements = [
        "M2-55", "M2-56", "M2-57", "M2-58", "M2-59", "M2-60", "M2-61", "M2-62",
    ];
    for (index, (judgements, usable, action)) in CONDITIONS.into_iter().enumerate() {
        let selection = select(&situation(judgements, usable));
        assert_eq!(selection.step(), Step::ALL[index]);
        assert_eq!(usize::from(selection.step().number()), index + 1);
        assert_eq!(selection.action(), action, "{selection}");
        assert_eq!(selection.requirement(), requirements[index]);
        assert_eq!(selection.step().requirement(), requirements[index]);
    }
}

/// M2-49, M2-53, M2-54: the order holds between any two steps, in both risk tiers.
#[test]
fn of_two_steps_that_apply_the_earlier_one_decides() {
    for tier in [RiskTier::Standard, RiskTier::High] {
        for (i, (judgements, usable, _)) in CONDITIONS.into_iter().enumerate() {
            for (other_judgements, other_usable, _) in CONDITIONS.into_iter().skip(i + 1) {
                let both = situation(
                    &[judgements, other_judgements].concat(),
                    &[usable, other_usable].concat(),
                );
                let selection = select(&both.with_risk_tier(tier));
                let earlier = Step::ALL[i];
                assert_eq!(selection.step(), earlier, "{selection}");
            }
        }
    }
}

/// M2-53, M2-54: also among any number of steps.
#[test]
fn of_all_steps_that_apply_the_first_one_decides() {
    for subset in 0_u16..1 << CONDITIONS.len() {
        let chosen: Vec<usize> = (0..CONDITIONS.len())
            .filter(|index| subset >> index & 1 == 1)
            .collect();
        let together = chosen
            .iter()
            .fold(calm(Source::Ambiguity), |situation, &index| {
                let (judgements, usable, _) = CONDITIONS[index];
                let judgements = judgements.iter().copied().collect();
                with_usable(situation.with_judgements(judgements), usable)
            });
        let first = chosen.first().copied().unwrap_or(CONDITIONS.len() - 1);
        let selection = select(&together);
        assert_eq!(selection.step(), Step::ALL[first], "{chosen:?} {selection}");
    }
}

/// M2-23, M2-55, M2-68, M2-113: by judgement or as primary source, before anything else.
#[test]
fn safety_is_decided_by_the_policy_before_anything_else() {
    let all = [User, Retrieval, Tool, Human, Deliberation];
    let everything = situation(
        &[
            BlockingAmbiguity,
            MaterialConflict,
            RequiredEvidenceMissing,
            MaterialCapabilityLimit,
        ],
        &all,
    );
    assert_selects(
        &everything.with_judgement(SafetyControls),
        1,
        Action::Escalate,
    );
    let primary = with_usable(calm(Source::Safety), &all[..3]);
    assert_selects(&primary, 1, Action::Abstain);
    assert_selects(&with_usable(primary, &[Human]), 1, Action::Escalate);
}

/// M2-23: a score of `safety` that neither controls nor comes first does not govern.
#[test]
fn a_safety_score_alone_does_not_govern() {
    let scores = scores([0.1, 0.1, 0.1, 0.1, 1.0]);
    let situation = Situation::new(Score::ONE, scores, Source::Ambiguity);
    assert_selects(&situation, 8, Action::Answer);
}

/// M2-56, M2-64: both must hold, that the user can help and that evidence cannot.
#[test]
fn clarify_needs_a_user_and_no_evidence_that_resolves_it() {
    assert_selects(
        &situation(&[BlockingAmbiguity], &[User]),
        2,
        Action::Clarify,
    );
    assert_selects(&situation(&[BlockingAmbiguity], &[]), 8, Action::Answer);
    assert_selects(&situation(&[], &[User]), 8, Action::Answer);
    let resolvable = [BlockingAmbiguity, ResolvableFromEvidence];
    assert_selects(&situation(&resolvable, &[User]), 8, Action::Answer);
    let retrievable = [
        BlockingAmbiguity,
        ResolvableFromEvidence,
        RequiredEvidenceMissing,
    ];
    assert_selects(
        &situation(&retrievable, &[User, Retrieval]),
        4,
        Action::Retrieve,
    );
}

/// M2-57: the stated remediability decides between the actions if it is usable, else their order.
#[test]
fn a_conflict_goes_to_the_remedy_that_is_named_else_to_the_first() {
    let class_and_usable: [(Option<Remediability>, &[Intervention], Action); 9] = [
        (None, &[Retrieval, Tool, Human], Action::Retrieve),
        (None, &[Tool, Human], Action::Tool),
        (None, &[Human], Action::Escalate),
        (
            Some(Remediability::Tool),
            &[Retrieval, Tool, Human],
            Action::Tool,
        ),
        (
            Some(Remediability::Human),
            &[Retrieval, Tool, Human],
            Action::Escalate,
        ),
        (
            Some(Remediability::Retrieval),
            &[Retrieval, Tool, Human],
            Action::Retrieve,
        ),
        (
            Some(Remediability::Tool),
            &[Retrieval, Human],
            Action::Retrieve,
        ),
        (
            Some(Remediability::UserClarification),
            &[User, Tool, Human],
            Action::Tool,
        ),
        (
            Some(Remediability::None),
            &[Retrieval, Tool, Human],
            Action::Retrieve,
        ),
    ];
    for (class, usable, action) in class_and_usable {
        let mut conflict = situation(&[MaterialConflict], usable);
        if let Some(class) = class {
            conflict = conflict.with_remediability(class);
        }
        assert_selects(&conflict, 3, action);
    }
}

/// M2-57, M2-67: without any remedy the order goes on, and says that the preference is not met.
#[test]
fn a_conflict_without_remedy_does_not_hold_up_the_order() {
    let conflict = with_usable(
        calm(Source::EvidenceConflict).with_judgement(MaterialConflict),
        &[User],
    );
    assert_selects(&conflict, 8, Action::Answer);
    assert!(!select(&conflict).preference().is_met());
    let deliberating = with_usable(conflict, &[Deliberation]);
    assert_selects(&deliberating, 7, Action::Deliberate);
}

/// M2-58, M2-63: nothing is externalized needlessly.
#[test]
fn retrieval_is_only_for_evidence_that_is_required_and_can_be_had() {
    let missing = situation(&[RequiredEvidenceMissing], &[Retrieval]);
    assert_selects(&missing, 4, Action::Retrieve);
    for remedy in [
        Remedy::USABLE.with_available(false),
        Remedy::USABLE.with_permitted(false),
        Remedy::USABLE.with_worthwhile(false),
    ] {
        let without = missing.clone().with_remedy(Retrieval, remedy);
        assert_selects(&without, 8, Action::Answer);
    }
    let limited = missing.with_judgement(LimitedToContext);
    assert_selects(&limited, 8, Action::Answer);
    assert_selects(&situation(&[], &[Retrieval]), 8, Action::Answer);
}

/// M2-59, M2-60, M2-66
#[test]
fn a_capability_limit_goes_to_a_tool_then_to_a_human_then_nowhere() {
    let limit = [MaterialCapabilityLimit];
    assert_selects(&situation(&limit, &[Tool, Human]), 5, Action::Tool);
    assert_selects(&situation(&limit, &[Human]), 6, Action::Escalate);
    assert_selects(&situation(&limit, &[]), 6, Action::Abstain);
    assert_selects(
        &situation(&limit, &[Deliberation, Retrieval, User]),
        6,
        Action::Abstain,
    );
    assert_selects(&situation(&[], &[Tool, Human]), 8, Action::Answer);
}

/// M2-60, M2-152: where nothing helps, the standard tier abstains; the high one calls a human all the same.
#[test]
fn a_stated_remediability_of_none_abstains_in_the_standard_tier_only() {
    let hopeless =
        situation(&[MaterialCapabilityLimit], &[Human]).with_remediability(Remediability::None);
    assert_selects(&hopeless, 6, Action::Abstain);
    let high = hopeless.with_risk_tier(RiskTier::High);
    assert_selects(&high, 6, Action::Escalate);
}

/// M2-152: what has no remedy is not answered in the high tier.
#[test]
fn in_the_high_tier_what_has_no_remedy_is_not_answered() {
    for judgement in [BlockingAmbiguity, MaterialConflict, RequiredEvidenceMissing] {
        let standard = situation(&[judgement], &[Deliberation]);
        assert_selects(&standard, 7, Action::Deliberate);
        let high = standard.with_risk_tier(RiskTier::High);
        assert_selects(&high, 6, Action::Abstain);
        assert_eq!(select(&high).requirement(), "M2-152");
        let limited = high.with_judgement(MaterialCapabilityLimit);
        assert_eq!(select(&limited).requirement(), "M2-60");
    }
    let missing = situation(&[RequiredEvidenceMissing], &[Human]).with_risk_tier(RiskTier::High);
    assert_selects(&missing, 6, Action::Escalate);
    let limited_to_context = missing.with_judgement(LimitedToContext);
    assert_selects(&limited_to_context, 8, Action::Answer);
}

/// M2-61: only where no earlier step has a corrective action.
#[test]
fn deliberation_comes_after_all_remedies() {
    assert_selects(&situation(&[], &[Deliberation]), 7, Action::Deliberate);
    for remedy in [
        Remedy::USABLE.with_available(false),
        Remedy::USABLE.with_permitted(false),
        Remedy::USABLE.with_worthwhile(false),
    ] {
        let without = situation(&[], &[]).with_remedy(Deliberation, remedy);
        assert_selects(&without, 8, Action::Answer);
    }
}

/// M2-26, M2-32, M2-52
#[test]
fn a_low_capability_alone_changes_nothing() {
    let hopeless = Situation::new(Score::ZERO, scores([1.0; 5]), Source::CapabilityLimit);
    assert_selects(&hopeless, 8, Action::Answer);
    assert_eq!(select(&hopeless).remediability(), Remediability::None);
}

/// Every combination of judgements, usable interventions, tier, primary source and stated remediability.
fn all_situations() -> impl Iterator<Item = Situation> {
    let stated = Remediability::ALL
        .iter()
        .copied()
        .map(Some)
        .chain([None])
        .collect::<Vec<_>>();
    (0_u32..1 << 12).flat_map(move |bits| {
        let judgements: Judgements = Judgement::ALL
            .iter()
            .copied()
            .filter(|&judgement| bits >> judgement as u32 & 1 == 1)
            .collect();
        let usable: Vec<Intervention> = Intervention::ALL
            .iter()
            .copied()
            .filter(|&intervention| bits >> (7 + intervention as u32) & 1 == 1)
            .collect();
        let stated = stated.clone();
        Source::ALL.iter().flat_map(move |&source| {
            let base = with_usable(calm(source).with_judgements(judgements), &usable);
            stated.clone().into_iter().flat_map(move |stated| {
                let stated = match stated {
                    Some(class) => base.clone().with_remediability(class),
                    None => base.clone(),
                };
                [stated.clone(), stated.with_risk_tier(RiskTier::High)]
            })
        })
    })
}

fn hands_over(action: Action) -> bool {
    matches!(action, Action::Abstain | Action::Escalate)
}

/// M2-48, M2-49, M2-52, M2-58, M2-60, M2-63, M2-107, M2-108, M2-109, M2-110, M2-111, M2-152
#[test]
fn what_holds_in_every_situation() {
    let mut seen = [false; 7];
    for situation in all_situations() {
        let selection = select(&situation);
        let action = selection.action();
        seen[action as usize] = true;
        let usable = |intervention| situation.remedies().is_usable(intervention);
        let is = |judgement| situation.is(judgement);

        // No action is selected that is not usable.
        for &intervention in Intervention::ALL {
            assert!(action != intervention.action() || usable(intervention));
        }
        assert_eq!(selection.deviation(), None);
        assert!(action.fits(selection.remediability()));
        let unfit = situation
            .remediability()
            .filter(|&class| !action.fits(class));
        assert_eq!(selection.unfit_remediability(), unfit);
        let governed = is(SafetyControls) || situation.primary_source() == Source::Safety;
        assert_eq!(selection.step() == Step::Governing, governed);
        assert!(action != Action::Answer || !is(MaterialCapabilityLimit));
        if situation.risk_tier() == RiskTier::High {
            // Conservative: nothing unremedied is answered, and what was handed over stays so.
            let unremedied =
                is(MaterialConflict) || is(RequiredEvidenceMissing) && !is(LimitedToContext);
            assert!(!unremedied || !matches!(action, Action::Answer | Action::Deliberate));
            let standard = select(&situation.clone().with_risk_tier(RiskTier::Standard));
            assert!(!hands_over(standard.action()) || hands_over(action));
        }
    }
    assert_eq!(seen, [true; 7]);
}

/// M2-64, M2-65, M2-66, M2-67, M2-68: reported beside the selection.
#[test]
fn the_preference_of_the_primary_source_is_reported() {
    type Row = (
        Source,
        &'static [Judgement],
        &'static [Intervention],
        Action,
        &'static [Action],
        bool,
    );
    let rows: [Row; 13] = [
        (
            Source::Ambiguity,
            &[BlockingAmbiguity],
            &[User],
            Action::Clarify,
            &[Action::Clarify],
            true,
        ),
        (
            Source::Ambiguity,
            &[BlockingAmbiguity],
            &[],
            Action::Answer,
            &[Action::Clarify],
            false,
        ),
        (
            Source::Ambiguity,
            &[BlockingAmbiguity, ResolvableFromEvidence],
            &[User],
            Action::Answer,
            &[],
            true,
        ),
        (
            Source::MissingEvidence,
            &[RequiredEvidenceMissing],
            &[Retrieval],
            Action::Retrieve,
            &[Action::Retrieve],
            true,
        ),
        (
            Source::MissingEvidence,
            &[],
            &[Retrieval],
            Action::Answer,
            &[Action::Retrieve],
            false,
        ),
        (
            Source::MissingEvidence,
            &[RequiredEvidenceMissing],
            &[],
            Action::Answer,
            &[],
            true,
        ),
        (
            Source::CapabilityLimit,
            &[MaterialCapabilityLimit],
            &[Human],
            Action::Escalate,
            &[Action::Abstain, Action::Escalate],
            true,
        ),
        // The order comes first, whatever the source prefers.
        (
            Source::CapabilityLimit,
            &[MaterialCapabilityLimit, BlockingAmbiguity],
            &[User],
            Action::Clarify,
            &[Action::Abstain, Action::Escalate],
            false,
        ),
        (
            Source::CapabilityLimit,
            &[MaterialCapabilityLimit],
            &[Tool],
            Action::Tool,
            &[],
            true,
        ),
        (
            Source::EvidenceConflict,
            &[MaterialConflict],
            &[Tool],
            Action::Tool,
            &[Action::Retrieve, Action::Tool, Action::Escalate],
            true,
        ),
        (
            Source::EvidenceConflict,
            &[MaterialConflict],
            &[],
            Action::Answer,
            &[Action::Retrieve, Action::Tool, Action::Escalate],
            false,
        ),
        // The preference is over a direct answer only.
        (
            Source::EvidenceConflict,
            &[MaterialConflict, BlockingAmbiguity],
            &[User],
            Action::Clarify,
            &[Action::Retrieve, Action::Tool, Action::Escalate],
            true,
        ),
        (Source::Safety, &[], &[], Action::Abstain, &[], true),
    ];
    for (source, judgements, usable, action, preferred, met) in rows {
        let judgements = judgements.iter().copied().collect();
        let situation = with_usable(calm(source).with_judgements(judgements), usable);
        let selection = select(&situation);
        let preference = selection.preference();
        assert_eq!(selection.action(), action, "{selection}");
        assert_eq!(preference.source(), source);
        assert_eq!(preference.actions(), preferred, "{preference}");
        assert_eq!(preference.is_met(), met, "{preference}");
        // The requirements stand in the order of the sources.
        let requirement = format!("M2-{}", 64 + source as u8);
        assert_eq!(preference.requirement(), requirement);
    }
}

/// M2-65: what retrieval is worth does not matter to the preference, only whether it is there and permitted.
#[test]
fn missing_evidence_prefers_retrieval_that_is_not_worth_its_price() {
    let situation = calm(Source::MissingEvidence)
        .with_judgement(RequiredEvidenceMissing)
        .with_remedy(Retrieval, Remedy::USABLE.with_worthwhile(false));
    let selection = select(&situation);
    assert_eq!(selection.action(), Action::Answer);
    assert_eq!(
        selection.preference().to_string(),
        "M2-65: missing_evidence prefers RETRIEVE, not met"
    );
}

/// M2-31, M2-107, M2-108, M2-109, M2-110, M2-111: the record says what goes with the action; what was stated is reported.
#[test]
fn a_stated_remediability_never_contradicts_the_action() {
    let clarify = situation(&[BlockingAmbiguity], &[User]);
    let stated = |class| select(&clarify.clone().with_remediability(class));
    let selection = stated(Remediability::Human);
    assert_eq!(selection.action(), Action::Clarify);
    assert_eq!(selection.remediability(), Remediability::UserClarification);
    assert_eq!(selection.unfit_remediability(), Some(Remediability::Human));
    assert_eq!(
        selection.to_string(),
        "CLARIFY by step 2 (M2-56): ambiguity blocks an answer, and the user can resolve it; \
         M2-107: remediability human does not fit"
    );
    assert_eq!(
        stated(Remediability::UserClarification).unfit_remediability(),
        None
    );

    // A human path may exist that is not taken.
    let abstain =
        situation(&[MaterialCapabilityLimit], &[]).with_remediability(Remediability::Human);
    let selection = select(&abstain);
    assert_eq!(selection.action(), Action::Abstain);
    assert_eq!(selection.remediability(), Remediability::None);
    assert_eq!(selection.unfit_remediability(), None);
}

/// M2-31: where the action has no class of its own, the record has the best usable one.
#[test]
fn an_answer_has_the_stated_remediability_or_the_best_usable_one() {
    let of = |source, usable: &[Intervention]| {
        let selection = select(&with_usable(calm(source), usable));
        assert!(matches!(
            selection.action(),
            Action::Answer | Action::Deliberate
        ));
        selection.remediability()
    };
    let all = [Deliberation, Human, Tool, Retrieval, User];
    for (source, class) in [
        (Source::Ambiguity, Remediability::UserClarification),
        (Source::MissingEvidence, Remediability::Retrieval),
        (Source::CapabilityLimit, Remediability::Tool),
        (Source::EvidenceConflict, Remediability::Retrieval),
    ] {
        assert_eq!(of(source, &all), class);
        assert_eq!(of(source, &[Human]), Remediability::Human);
        assert_eq!(of(source, &[Deliberation]), Remediability::None);
        assert_eq!(of(source, &[]), Remediability::None);
    }
    assert_eq!(
        of(Source::CapabilityLimit, &[Human, Retrieval]),
        Remediability::Retrieval
    );
    let stated = with_usable(calm(Source::Ambiguity), &all).with_remediability(Remediability::Tool);
    assert_eq!(select(&stated).remediability(), Remediability::Tool);
}

/// A policy that always wants the same, in the governing step and after the others.
#[derive(Debug)]
struct Always {
    governing: Action,
    deviation: Deviation,
}

impl Always {
    fn new(governing: Action, action: Action) -> Self {
        Self {
            governing,
            deviation: Deviation::new(action, "maintenance: nothing else is served").unwrap(),
        }
    }
}

impl Policy for Always {
    fn govern(&self, _: &Situation) -> Action {
        self.governing
    }

    fn deviate(&self, _: &Situation, _: &Selection) -> Option<Deviation> {
        Some(self.deviation.clone())
    }
}

/// M2-54, M2-114: with its condition, beside what the order selected.
#[test]
fn a_policy_can_deviate_with_a_documented_condition() {
    let policy = Always::new(Action::Abstain, Action::Escalate);
    let clarify = situation(&[BlockingAmbiguity], &[User])
        .with_remediability(Remediability::UserClarification);
    let selection = Selection::of(&clarify, &policy);
    assert_eq!(selection.action(), Action::Escalate);
    assert_eq!(selection.ordered_action(), Action::Clarify);
    assert_eq!(selection.step(), Step::Ambiguity);
    assert_eq!(selection.remediability(), Remediability::Human);
    assert_eq!(
        selection.to_string(),
        "CLARIFY by step 2 (M2-56): ambiguity blocks an answer, and the user can resolve it; \
         instead ESCALATE: maintenance: nothing else is served; \
         M2-110: remediability user_clarification does not fit; \
         M2-64: ambiguity prefers CLARIFY, not met"
    );
    assert_eq!(Deviation::new(Action::Abstain, " "), Err(DeviationError));
}

/// M2-54: a rule that wants what the order selects is no deviation.
#[test]
fn agreeing_with_the_order_is_no_deviation() {
    let policy = Always::new(Action::Abstain, Action::Clarify);
    let selection = Selection::of(&situation(&[BlockingAmbiguity], &[User]), &policy);
    assert_eq!(selection.action(), Action::Clarify);
    assert_eq!(selection.deviation(), None);
}

/// M2-53, M2-55, M2-68, M2-113
#[test]
fn no_deviation_overrides_the_governing_policy() {
    for &governing in Action::ALL {
        for &action in Action::ALL {
            let policy = Always::new(governing, action);
            for governed in [
                calm(Source::Safety),
                situation(&[SafetyControls, BlockingAmbiguity], &[User]),
            ] {
                let selection = Selection::of(&governed, &policy);
                assert_eq!(selection.action(), governing);
                assert_eq!(selection.step(), Step::Governing);
                assert_eq!(selection.deviation(), None);
            }
        }
    }
}

/// M2-33: the six factors.
#[test]
fn a_remedy_is_usable_if_it_is_there_permitted_and_worth_its_price() {
    let weights = Weights::new(score(0.5), score(0.25), score(1.0));
    let reachable = Remedy::USABLE.with_worthwhile(false);
    let gain = Appraisal::new(score(0.5));
    assert!(weights.weigh(reachable, gain).is_usable());
    for (appraisal, worthwhile) in [
        (gain.with_cost(score(0.75)), true),
        (gain.with_cost(score(1.0)), false),
        (gain.with_latency(score(1.0)), true),
        (gain.with_burden(score(0.25)), true),
        (gain.with_burden(score(0.5)), false),
        (
            gain.with_cost(score(0.25))
                .with_latency(score(0.5))
                .with_burden(score(0.125)),
            true,
        ),
        (
            gain.with_cost(score(0.25))
                .with_latency(score(0.5))
                .with_burden(score(0.25)),
            false,
        ),
        (Appraisal::new(Score::ZERO), false),
    ] {
        assert_eq!(
            weights.is_worthwhile(appraisal),
            worthwhile,
            "{appraisal:?}"
        );
        assert_eq!(weights.weigh(reachable, appraisal).is_usable(), worthwhile);
    }
    for unreachable in [
        reachable.with_available(false),
        reachable.with_permitted(false),
    ] {
        let weighed = weights.weigh(unreachable, gain);
        assert!(weighed.is_worthwhile() && !weighed.is_usable());
    }
    assert_eq!(
        weights.to_string(),
        "worthwhile if gain > 0.5 * cost + 0.25 * latency + 1.0 * burden"
    );
}

/// M2-152
#[test]
fn a_threshold_for_high_risk_is_never_above_the_standard_one() {
    let error = Threshold::new(score(0.5), score(0.6)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the threshold 0.6 for high risk is above the standard one, 0.5"
    );
    let threshold = Threshold::new(score(0.5), score(0.5)).unwrap();
    assert_eq!(threshold.get(RiskTier::High), score(0.5));
}

/// M2-152: a threshold that is reached counts, in each tier and for each source by itself.
#[test]
fn thresholds_give_a_judgement_for_each_source() {
    let materiality = Materiality::new(Threshold::new(score(0.6), score(0.3)).unwrap()).with(
        Source::Safety,
        Threshold::new(score(0.2), score(0.1)).unwrap(),
    );
    let judged = |scores: &Scores, tier| -> Vec<Judgement> {
        materiality.judgements(scores, tier).iter().collect()
    };
    for (source, judgement) in [
        (Source::Ambiguity, BlockingAmbiguity),
        (Source::MissingEvidence, RequiredEvidenceMissing),
        (Source::CapabilityLimit, MaterialCapabilityLimit),
        (Source::EvidenceConflict, MaterialConflict),
        (Source::Safety, SafetyControls),
    ] {
        for (tier, other) in [
            (RiskTier::Standard, RiskTier::High),
            (RiskTier::High, RiskTier::Standard),
        ] {
            let least = materiality.get(source).get(tier);
            let reached = Scores::default().with(source, least);
            assert_eq!(judged(&reached, tier), [judgement]);
            let below = Scores::default().with(source, score(least.get() - 0.01));
            assert_eq!(judged(&below, tier), []);
            let also = judged(&reached, other).is_empty();
            assert_eq!(also, other == RiskTier::Standard);
        }
    }
    assert!(materiality.to_string().starts_with(
        "ambiguity from 0.6, high risk from 0.3; missing_evidence from 0.6, high risk from 0.3; "
    ));
}

/// Open point 86: thresholds are used where the caller asks for them, and nowhere else.
#[test]
fn judgements_from_scores_are_the_callers_to_add() {
    let materiality = Materiality::new(Threshold::new(score(0.6), score(0.3)).unwrap());
    let scores = scores([0.1, 0.1, 0.9, 0.1, 0.1]);
    let situation = Situation::new(score(0.2), scores, Source::CapabilityLimit);
    assert_selects(&situation, 8, Action::Answer);
    let judgements = materiality.judgements(&scores, situation.risk_tier());
    let judged = situation.with_judgements(judgements);
    assert_selects(&judged, 6, Action::Abstain);
}

/// M2-50, M2-51
#[test]
fn a_sub_action_maps_to_one_primary_action() {
    let sub_actions = SubActions::default()
        .with("search", Action::Retrieve)
        .unwrap();
    let again = sub_actions
        .clone()
        .with("search", Action::Retrieve)
        .unwrap();
    assert_eq!(again, sub_actions);
    let error = sub_actions
        .clone()
        .with("search", Action::Tool)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "sub-action \"search\" is a kind of RETRIEVE already"
    );
    let error = sub_actions.clone().with(" ", Action::Tool).unwrap_err();
    assert_eq!(error, SubActionError::NoName);
    assert_eq!(
        sub_actions.iter().collect::<Vec<_>>(),
        [("search", Action::Retrieve)]
    );
    assert_eq!(sub_actions.get("lookup"), None);
}

/// The names that inputs are written with read back as what they name.
#[test]
fn inputs_have_names() {
    for &judgement in Judgement::ALL {
        assert_eq!(judgement.as_str().parse(), Ok(judgement));
    }
    for &intervention in Intervention::ALL {
        assert_eq!(intervention.as_str().parse(), Ok(intervention));
        let class = intervention.remediability();
        assert_eq!(class.and_then(Intervention::of).is_some(), class.is_some());
    }
    for &tier in RiskTier::ALL {
        assert_eq!(tier.as_str().parse(), Ok(tier));
    }
    assert_eq!(
        "Tool".parse::<Intervention>().unwrap_err().to_string(),
        "\"Tool\" is no intervention; known are user, retrieval, tool, human, deliberation"
    );
    let remedies = Remedies::default().with(Tool, Remedy::USABLE);
    assert!(remedies.is_usable(Tool) && !remedies.is_usable(Human));
}
