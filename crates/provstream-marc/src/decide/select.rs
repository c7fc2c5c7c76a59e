//! The order of action selection. Source: MARC-02 8.8.

use super::bounds::{BoundHit, Exhausted};
use super::policy::Policy;
use super::remedy::Intervention;
use super::selection::{Selection, Step};
use super::situation::{Judgement, RiskTier, Situation};
use crate::terms::{Action, Remediability, Source};

use Intervention::{Deliberation, Human, Retrieval, Tool, User};

/// A section of the draft, and what a step by it found.
type Ground = (&'static str, &'static str);

macro_rules! grounds {
    ($($name:ident = $section:literal, $reason:literal;)+) => {
        $(const $name: Ground = (concat!("MARC-02 ", $section), $reason);)+
    };
}

grounds! {
    GOVERNED = "8.8 step 1", "a safety, legal or policy constraint governs";
    NOT_GOVERNED = "8.8 step 1", "no safety, legal or policy constraint governs";
    NOT_BLOCKED = "8.8 step 2", "no ambiguity blocks an answer";
    FROM_EVIDENCE = "8.8", "evidence can resolve the ambiguity without the user";
    FROM_USER = "8.8 step 2", "ambiguity blocks an answer and the user can resolve it";
    FROM_NOBODY = "8.8 step 2", "ambiguity blocks an answer and nobody can resolve it";
    ASK = "8.8", "the primary source is ambiguity and the user can reduce it";
    EFFORT_FIRST = "8.8 step 7", "more computation is worthwhile before anything external";
    EFFORT_LEFT = "8.8 step 7", "more computation is left to try";
    EFFORT_WORTHWHILE = "8.8 step 7", "it is expected to improve reliability for its price";
    WORTHWHILE = "8.8 step 8", "it is expected to improve reliability for its price";
    NOTHING_LEFT = "8.8 step 8", "no corrective action is expected to improve reliability enough";
    HUMAN_PATH = "9.4", "remediability is human: a human path exists that this system does not initiate";
    NO_CONFLICT = "8.8 step 3", "no conflict of evidence is material";
    CONFLICT = "8.8 step 3", "relevant evidence is materially inconsistent";
    CONFLICT_STAYS = "8.8 step 3", "evidence conflicts materially and nothing reconciles it";
    NOTHING_MISSING = "8.8 step 4", "no missing evidence is material";
    MISSING = "8.8 step 4", "required evidence is missing";
    MISSING_STAYS = "8.8 step 4", "required evidence is missing, which high risk does not allow";
    NO_LIMIT = "8.8 step 6", "no capability limit is material";
    LIMIT = "8.8 step 5", "a capability limit is material and a tool relieves it";
    LIMIT_STAYS = "8.8 step 6", "a capability limit remains material";
}

const NOTHING_POSSIBLE: &str = "no intervention that addresses it is possible";
const PREFERENCE: &str = "MARC-02 8.8";
const PAIRING: &str = "MARC-02 9.4";
const BOUNDS: &str = "MARC-02 7.3";

/// What is done about a source that matters, besides ambiguity and safety.
struct Correction {
    source: Source,
    order: &'static [Intervention],
    immaterial: Ground,
    possible: Ground,
    unresolved: Ground,
}

/// In the order of 8.8.
#[rustfmt::skip]
static CORRECTIONS: [Correction; 3] = [
    Correction { source: Source::EvidenceConflict, order: &[Retrieval, Tool, Human],
        immaterial: NO_CONFLICT, possible: CONFLICT, unresolved: CONFLICT_STAYS },
    Correction { source: Source::MissingEvidence, order: &[Retrieval, Tool, User, Human],
        immaterial: NOTHING_MISSING, possible: MISSING, unresolved: MISSING_STAYS },
    Correction { source: Source::CapabilityLimit, order: &[Tool],
        immaterial: NO_LIMIT, possible: LIMIT, unresolved: LIMIT_STAYS },
];

impl Selection {
    /// Selects the action for a situation under a policy, without those whose bound is reached.
    pub fn of(situation: &Situation, policy: &Policy, exhausted: &Exhausted) -> Self {
        let stated = situation.remediability();
        let mut selector = Selector {
            situation,
            policy,
            exhausted,
            stated: stated.and_then(Intervention::of_class),
            steps: Vec::new(),
            skipped: Vec::new(),
        };
        let governed = selector.is_governed();
        let action = if governed {
            selector.govern()
        } else {
            selector.correct()
        };
        selector.finish(action, governed)
    }
}

struct Selector<'a> {
    situation: &'a Situation,
    policy: &'a Policy,
    exhausted: &'a Exhausted,
    /// The intervention of the class that the situation states.
    stated: Option<Intervention>,
    steps: Vec<Step>,
    skipped: Vec<BoundHit>,
}

impl Selector<'_> {
    fn reaches(&self, source: Source) -> bool {
        let tier = self.situation.risk_tier();
        self.situation.uncertainty().get(source) >= self.policy.thresholds().get(source, tier)
    }

    /// Whether a source matters: as it was judged, else by its score.
    fn is_material(&self, source: Source) -> bool {
        let judged = self.situation.judgement(Judgement::about(source));
        judged.unwrap_or_else(|| self.reaches(source))
    }

    fn holds(&self, judgement: Judgement) -> bool {
        self.situation.judgement(judgement) == Some(true)
    }

    /// Whether an intervention is possible and not judged to be worth less than its price. A bound that is reached is noted.
    fn can(&mut self, intervention: Intervention) -> bool {
        if !self.would(intervention) {
            return false;
        }
        let Some(hit) = self.exhausted.get(intervention) else {
            return true;
        };
        if !self.skipped.contains(&hit) {
            self.steps.push(Step::new(BOUNDS, hit.to_string(), None));
            self.skipped.push(hit);
        }
        false
    }

    /// The same, bounds aside.
    fn would(&self, intervention: Intervention) -> bool {
        match self.situation.remedy(intervention) {
            Some(remedy) if !remedy.is_usable() => false,
            Some(remedy) if self.situation.remediability() == Some(Remediability::None) => {
                remedy.worthwhile() == Some(true)
            }
            Some(remedy) => remedy.worthwhile() != Some(false),
            None => self.stated == Some(intervention),
        }
    }

    fn is_weighed(&self, intervention: Intervention) -> bool {
        let remedy = self.situation.remedy(intervention);
        remedy.is_some_and(|remedy| remedy.worthwhile() == Some(true))
    }

    fn can_weighed(&mut self, intervention: Intervention) -> bool {
        self.is_weighed(intervention) && self.can(intervention)
    }

    /// The first intervention that is possible, the stated one before the others.
    fn first(&mut self, wanted: &[Intervention]) -> Option<Intervention> {
        let stated = self.stated.filter(|stated| wanted.contains(stated));
        let mut all = stated.into_iter().chain(wanted.iter().copied());
        all.find(|&intervention| self.can(intervention))
    }

    fn pass(&mut self, (section, reason): Ground) {
        self.steps.push(Step::new(section, reason, None));
    }

    fn choose(&mut self, action: Action, (section, reason): Ground) -> Action {
        self.steps.push(Step::new(section, reason, Some(action)));
        action
    }

    fn is_governed(&self) -> bool {
        self.situation.primary_source() == Source::Safety
            || self.holds(Judgement::SafetyControls)
            || self.reaches(Source::Safety)
    }

    /// Step 1: the governing policy. Nothing that follows can override it.
    fn govern(&mut self) -> Action {
        let policy = self.policy;
        let possible = policy.safety().iter().copied().find(|&action| {
            Intervention::of(action).map_or(action == Action::Abstain, |one| self.can(one))
        });
        self.choose(possible.unwrap_or(Action::Abstain), GOVERNED)
    }

    /// Steps 2 to 8.
    fn correct(&mut self) -> Action {
        self.pass(NOT_GOVERNED);
        if self.is_material(Source::Ambiguity) {
            return self.unblock();
        }
        self.pass(NOT_BLOCKED);
        if !self.policy.deliberates_last() && self.can_weighed(Deliberation) {
            return self.choose(Action::Deliberate, EFFORT_FIRST);
        }
        if self.prefers_clarification() {
            return self.choose(Action::Clarify, ASK);
        }
        let corrections = self.corrections();
        for correction in &corrections {
            if let Some(action) = self.remedy(correction) {
                return action;
            }
        }
        let high = self.situation.risk_tier() == RiskTier::High;
        let unanswerable = corrections
            .iter()
            .find(|correction| high || correction.source != Source::MissingEvidence);
        match unanswerable {
            Some(correction) => self.refuse(correction.unresolved),
            None => self.answer(!corrections.is_empty() || self.reaches(Source::Ambiguity)),
        }
    }

    /// Step 2. Evidence that resolves the ambiguity spares the user; what nobody resolves is not guessed.
    fn unblock(&mut self) -> Action {
        let stated = self.stated;
        let by_evidence = match stated {
            Some(one @ (Retrieval | Tool)) if self.can(one) => Some(one),
            _ if self.holds(Judgement::ResolvableFromEvidence) => self.first(&[Retrieval, Tool]),
            _ => None,
        };
        if let Some(intervention) = by_evidence {
            self.choose(intervention.action(), FROM_EVIDENCE)
        } else if self.can(User) {
            self.choose(Action::Clarify, FROM_USER)
        } else {
            self.refuse(FROM_NOBODY)
        }
    }

    /// A primary ambiguity that does not block still prefers a question.
    fn prefers_clarification(&mut self) -> bool {
        self.situation.primary_source() == Source::Ambiguity
            && self.reaches(Source::Ambiguity)
            && !self.holds(Judgement::ResolvableFromEvidence)
            && self.can(User)
    }

    /// The sources that matter: the primary one, which is the most relevant to the selection (8.2), then the rest in the
    /// order of 8.8.
    fn corrections(&mut self) -> Vec<&'static Correction> {
        let mut material = Vec::new();
        for correction in &CORRECTIONS {
            let source = correction.source;
            let limited =
                source == Source::MissingEvidence && self.holds(Judgement::LimitedToContext);
            if self.is_material(source) && !limited {
                material.push(correction);
            } else {
                self.pass(correction.immaterial);
            }
        }
        material.sort_by_key(|one| one.source != self.situation.primary_source());
        material
    }

    fn remedy(&mut self, correction: &Correction) -> Option<Action> {
        let wanted: Vec<_> = match correction.source {
            Source::MissingEvidence => {
                let order = correction.order.iter().copied();
                order.filter(|&one| self.supplies(one)).collect()
            }
            _ => correction.order.to_vec(),
        };
        if let Some(intervention) = self.first(&wanted) {
            return Some(self.choose(intervention.action(), correction.possible));
        }
        self.pass((correction.possible.0, NOTHING_POSSIBLE));
        // The draft prefers ABSTAIN or ESCALATE for a primary limit that no tool relieves, whatever else is wrong.
        let limit = correction.source == Source::CapabilityLimit;
        (limit && self.situation.primary_source() == correction.source)
            .then(|| self.refuse(correction.unresolved))
    }

    /// Whether an intervention can supply missing evidence; of the user and a human somebody has to have said so.
    fn supplies(&self, intervention: Intervention) -> bool {
        matches!(intervention, Retrieval | Tool)
            || self.is_weighed(intervention)
            || self.stated == Some(intervention)
    }

    /// No answer: more computation while it is possible, else a human, else nothing.
    fn refuse(&mut self, ground: Ground) -> Action {
        if self.can(Deliberation) {
            self.choose(Action::Deliberate, EFFORT_LEFT)
        } else if self.can(Human) {
            self.choose(Action::Escalate, ground)
        } else {
            self.choose(Action::Abstain, ground)
        }
    }

    /// Steps 7 and 8: an answer, unless something worthwhile is left.
    fn answer(&mut self, is_uncertain: bool) -> Action {
        let order = [User, Retrieval, Tool, Deliberation, Human];
        let mut order = self.stated.into_iter().chain(order);
        match order.find(|&intervention| self.can_weighed(intervention)) {
            Some(Deliberation) => self.choose(Action::Deliberate, EFFORT_WORTHWHILE),
            Some(intervention) => self.choose(intervention.action(), WORTHWHILE),
            None if is_uncertain && self.can(Deliberation) => {
                self.choose(Action::Deliberate, EFFORT_LEFT)
            }
            None => self.choose(Action::Answer, NOTHING_LEFT),
        }
    }

    fn finish(mut self, mut action: Action, is_governed: bool) -> Selection {
        let mut deviation = None;
        if !is_governed && let Some((other, condition)) = self.deviate(action) {
            let reason = format!("local policy: {condition}");
            self.steps.push(Step::new(PREFERENCE, reason, Some(other)));
            (action, deviation) = (other, Some(condition));
        }
        Selection {
            action,
            remediability: self.remediability(action, &mut deviation),
            is_governed,
            steps: self.steps,
            skipped: self.skipped,
            deviation,
        }
    }

    /// The first deviation that applies and leads to an action that is possible here.
    fn deviate(&mut self, selected: Action) -> Option<(Action, String)> {
        let policy = self.policy;
        policy.deviations().iter().find_map(|deviation| {
            let action = deviation.replaces(selected, self.situation)?;
            let possible = Intervention::of(action).is_none_or(|one| self.can(one));
            possible.then(|| (action, deviation.condition().to_owned()))
        })
    }

    fn remediability(&mut self, action: Action, deviation: &mut Option<String>) -> Remediability {
        let stated = self.situation.remediability();
        let Some(own) = action.remediability() else {
            return stated.unwrap_or_else(|| self.best_class());
        };
        let Some(stated) = stated.filter(|&stated| stated != own) else {
            return own;
        };
        if action.fits(stated) {
            self.pass(HUMAN_PATH);
            return stated;
        }
        let mut deviations = self.policy.deviations().iter();
        let (class, reason) = match deviations.find(|one| one.keeps(action, stated)) {
            Some(kept) => {
                let condition = kept.condition();
                deviation.get_or_insert_with(|| condition.to_owned());
                let reason = format!("remediability {stated} is kept, local policy: {condition}");
                (stated, reason)
            }
            None => (
                own,
                format!("remediability is {own}, which goes with {action}; stated was {stated}"),
            ),
        };
        self.steps.push(Step::new(PAIRING, reason, None));
        class
    }

    /// The best class that is usable: the one that fits the primary source, else the first.
    fn best_class(&self) -> Remediability {
        let fitting = match self.situation.primary_source() {
            Source::Ambiguity => User,
            Source::MissingEvidence | Source::EvidenceConflict => Retrieval,
            Source::CapabilityLimit => Tool,
            Source::Safety => Human,
        };
        [fitting, User, Retrieval, Tool, Human]
            .into_iter()
            .find(|&one| self.would(one) && self.exhausted.get(one).is_none())
            .and_then(Intervention::remediability)
            .unwrap_or(Remediability::None)
    }
}
