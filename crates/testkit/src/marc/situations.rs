//! Random situations, for the controller and for its model.

use provstream_marc::{
    Action, BoundKind, Exhausted, Intervention, Judgement, Policy, Remediability, Remedy, RiskTier,
    Score, Situation, Source, Thresholds,
};

use super::decide::{score, scores};
use super::generate::Random;
use super::model::{Means, Point};

/// A situation with its policy and exhausted bounds, in the form of the library and in the form of
/// the model.
#[derive(Debug)]
pub struct Case {
    pub situation: Situation,
    pub policy: Policy,
    pub exhausted: Exhausted,
    pub point: Point,
}

fn tenth(random: &mut Random) -> Score {
    score(random.below(11) as f64 / 10.0)
}

fn maybe(random: &mut Random) -> Option<bool> {
    match random.below(6) {
        0 => Some(true),
        1 => Some(false),
        _ => None,
    }
}

const JUDGED: [Judgement; 5] = [
    Judgement::BlockingAmbiguity,
    Judgement::RequiredEvidenceMissing,
    Judgement::MaterialCapabilityLimit,
    Judgement::MaterialConflict,
    Judgement::SafetyControls,
];

const SAFETY: [&[Action]; 4] = [
    &[Action::Escalate, Action::Abstain],
    &[Action::Abstain],
    &[Action::Clarify, Action::Escalate],
    &[Action::Deliberate, Action::Retrieve, Action::Tool],
];

/// Draws a safety policy with thresholds, and returns it with the thresholds that apply in the risk
/// tier.
fn policy(random: &mut Random, high_risk: bool) -> (Policy, [f64; 5], Vec<&'static str>, bool) {
    let mut thresholds = Thresholds::default();
    for &source in Source::ALL {
        // Safety seldom governs, or most cases would be alike.
        let standard = if source == Source::Safety && !random.one_in(4) {
            Score::ONE
        } else {
            tenth(random)
        };
        let high = score(standard.get() * (random.below(11) as f64 / 10.0));
        thresholds = thresholds
            .with(source, standard, high)
            .expect("a stricter high tier");
    }
    let tier = if high_risk {
        RiskTier::High
    } else {
        RiskTier::Standard
    };
    let material = Source::ALL
        .iter()
        .map(|&source| thresholds.get(source, tier).get())
        .collect::<Vec<_>>();
    let safety = random.pick(&SAFETY);
    let policy = Policy::default()
        .with_thresholds(thresholds)
        .with_safety(safety)
        .expect("no answer");
    let first = random.one_in(2);
    let policy = if first {
        policy
    } else {
        policy.deliberating_last()
    };
    let material = material.try_into().expect("five sources");
    (
        policy,
        material,
        safety.iter().map(|action| action.as_str()).collect(),
        first,
    )
}

/// Draws a random case.
pub fn case(random: &mut Random) -> Case {
    let high_risk = random.one_in(3);
    let (policy, material, safety, effort_first) = policy(random, high_risk);
    let values = [(); 5].map(|()| tenth(random).get());
    let primary = if random.one_in(12) {
        4
    } else {
        random.below(4)
    };
    let mut situation = Situation::new(tenth(random), scores(values), Source::ALL[primary]);
    if high_risk {
        situation = situation.with_risk_tier(RiskTier::High);
    }
    let mut judged = [None; 5];
    for (place, judgement) in JUDGED.into_iter().enumerate() {
        judged[place] = maybe(random).filter(|_| random.one_in(2));
        if let Some(holds) = judged[place] {
            situation = situation.with_judgement(judgement, holds);
        }
    }
    let (resolvable, immaterial) = (random.one_in(6), random.one_in(6));
    situation = situation
        .with_judgement(Judgement::ResolvableFromEvidence, resolvable)
        .with_judgement(Judgement::LimitedToContext, immaterial);
    let stated = random.one_in(2).then(|| random.pick(Remediability::ALL));
    if let Some(class) = stated {
        situation = situation.with_remediability(class);
    }
    let mut exhausted = Exhausted::default();
    let mut remedies = [Means::default(); 5];
    for (place, &intervention) in Intervention::ALL.iter().enumerate() {
        let (remedy, means) = remedy(random, intervention);
        remedies[place] = means;
        if means.spent {
            exhausted = exhausted.with(intervention, BoundKind::Count);
        }
        if let Some(remedy) = remedy {
            situation = situation.with_remedy(intervention, remedy);
        }
    }
    let point = Point {
        scores: values,
        material,
        primary,
        stated: stated.map(|class| {
            Remediability::ALL
                .iter()
                .take(4)
                .position(|&one| one == class)
        }),
        judged,
        resolvable,
        immaterial,
        remedies,
        high_risk,
        safety,
        effort_first,
    };
    Case {
        situation,
        policy,
        exhausted,
        point,
    }
}

fn remedy(random: &mut Random, intervention: Intervention) -> (Option<Remedy>, Means) {
    let spent = intervention != Intervention::Human && random.one_in(5);
    if random.one_in(3) {
        return (
            None,
            Means {
                spent,
                ..Means::default()
            },
        );
    }
    let (available, permitted, worthwhile) = (!random.one_in(3), !random.one_in(5), maybe(random));
    let mut remedy = Remedy::USABLE
        .with_available(available)
        .with_permitted(permitted);
    if let Some(worth) = worthwhile {
        remedy = remedy.with_worthwhile(worth);
    }
    let means = Means {
        usable: Some(available && permitted),
        worthwhile,
        spent,
    };
    (Some(remedy), means)
}
