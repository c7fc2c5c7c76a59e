//! The order of action selection. Source: MARC-02 8.8.

use super::bounds::{BoundHit, Exhausted};
use super::policy::Policy;
use super::remedy::Intervention;
use super::selection::{Selection, Step};
use super::situation::{Judgement, RiskTier, Situation};
use crate::terms::{Action, Remediability, Source};

use Intervention::{Deliberation, Human, Retrieval, Tool, User};

/// Section of the draft, and finding or reason of a step.
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
    RESOLVED = "8.8 step 2", "available evidence resolves the ambiguity";
    FROM_USER = "8.8 step 2", "ambiguity blocks an answer and the user can resolve it";
    FROM_NOBODY = "8.8 step 2", "ambiguity blocks an answer and the user cannot resolve it";
    ASK = "8.8", "the primary source is ambiguity and the user can reduce it";
    EFFORT_FIRST = "8.8 step 7", "more computation is worthwhile before anything external";
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
    NO_LIMIT = "8.8 step 5", "no capability limit is material";
    LIMIT = "8.8 step 5", "a capability limit is material and a tool relieves it";
    LIMIT_STAYS = "8.8 step 6", "a capability limit remains material";
}

const NOTHING_POSSIBLE: &str = "no intervention that addresses it is possible";
const PREFERENCE: &str = "MARC-02 8.8";
const REMEDIABILITY: &str = "MARC-02 8.3";
const PAIRING: &str = "MARC-02 9.4";
const BOUNDS: &str = "MARC-02 7.3";

impl Selection {
    /// Selects the action for a situation under a policy, without interventions whose bound is
    /// reached.
    pub fn of(situation: &Situation, policy: &Policy, exhausted: &Exhausted) -> Self {
        let stated = situation.remediability();
        let mut selector = Selector {
            situation,
            policy,
            exhausted,
            stated: stated.and_then(Intervention::of_class),
            unresolved: None,
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
    /// Intervention of the stated class.
    stated: Option<Intervention>,
    /// Reason why an answer is ruled out, by the first step that found one.
    unresolved: Option<Ground>,
    steps: Vec<Step>,
    skipped: Vec<BoundHit>,
}

impl Selector<'_> {
    fn reaches(&self, source: Source) -> bool {
        let tier = self.situation.risk_tier();
        self.situation.uncertainty().get(source) >= self.policy.thresholds().get(source, tier)
    }

    /// Returns `true` if a source is material: by its judgement if there is one, otherwise by its
    /// score and threshold.
    fn is_material(&self, source: Source) -> bool {
        let judged = self.situation.judgement(Judgement::about(source));
        judged.unwrap_or_else(|| self.reaches(source))
    }

    fn holds(&self, judgement: Judgement) -> bool {
        self.situation.judgement(judgement) == Some(true)
    }

    /// Returns `true` if the situation allows an intervention and no bound is reached. Records a
    /// bound that is reached.
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

    /// Returns `true` if the situation allows an intervention. Ignores bounds; [`can`](Self::can)
    /// also checks those.
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

    /// Finds the first possible intervention among `wanted`, trying the stated one first.
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

    /// Performs step 1: selects an action of the safety policy, which no later step overrides.
    fn govern(&mut self) -> Action {
        let policy = self.policy;
        let possible = policy.safety().iter().copied().find(|&action| {
            Intervention::of(action).map_or(action == Action::Abstain, |one| self.can(one))
        });
        self.choose(possible.unwrap_or(Action::Abstain), GOVERNED)
    }

    /// Performs steps 2 to 8 in the order of the draft, up to the first that selects an action.
    fn correct(&mut self) -> Action {
        self.pass(NOT_GOVERNED);
        let steps = [
            Self::clarify,
            Self::deliberate_first,
            Self::reconcile,
            Self::retrieve,
            Self::use_tool,
            Self::refuse,
        ];
        let selected = steps.into_iter().find_map(|step| step(self));
        selected.unwrap_or_else(|| self.answer())
    }

    /// Performs step 2. If ambiguity is the primary source, it prefers a question even if the
    /// ambiguity does not block.
    fn clarify(&mut self) -> Option<Action> {
        let is_material = self.is_material(Source::Ambiguity);
        let is_resolved = self.holds(Judgement::ResolvableFromEvidence);
        let is_primary = self.situation.primary_source() == Source::Ambiguity;
        if is_material && is_resolved {
            self.pass(RESOLVED);
        } else if is_material {
            if self.can(User) {
                return Some(self.choose(Action::Clarify, FROM_USER));
            }
            self.leave(FROM_NOBODY);
        } else {
            self.pass(NOT_BLOCKED);
            if is_primary && self.reaches(Source::Ambiguity) && !is_resolved && self.can(User) {
                return Some(self.choose(Action::Clarify, ASK));
            }
        }
        None
    }

    /// Performs step 7 if the policy places it before externalization.
    fn deliberate_first(&mut self) -> Option<Action> {
        let is_first = !self.policy.deliberates_last() && self.can_weighed(Deliberation);
        is_first.then(|| self.choose(Action::Deliberate, EFFORT_FIRST))
    }

    /// Performs step 3: reconciles conflicting evidence.
    fn reconcile(&mut self) -> Option<Action> {
        if !self.is_material(Source::EvidenceConflict) {
            self.pass(NO_CONFLICT);
            return None;
        }
        let found = self.first(&[Retrieval, Tool, Human]);
        self.take(found, CONFLICT, Some(CONFLICT_STAYS))
    }

    /// Performs step 4: retrieval. The draft does not rank the substitutes for retrieval; the user
    /// and a human are substitutes only if stated or worthwhile.
    fn retrieve(&mut self) -> Option<Action> {
        let is_limited = self.holds(Judgement::LimitedToContext);
        if is_limited || !self.is_material(Source::MissingEvidence) {
            self.pass(NOTHING_MISSING);
            return None;
        }
        let mut substitutes = vec![Tool];
        let others = [User, Human].into_iter();
        substitutes.extend(others.filter(|&one| self.is_weighed(one) || self.stated == Some(one)));
        let found = match self.can(Retrieval) {
            true => Some(Retrieval),
            false => self.first(&substitutes),
        };
        let is_high = self.situation.risk_tier() == RiskTier::High;
        self.take(found, MISSING, is_high.then_some(MISSING_STAYS))
    }

    /// Performs step 5: calls a tool for a capability limit.
    fn use_tool(&mut self) -> Option<Action> {
        if !self.is_material(Source::CapabilityLimit) {
            self.pass(NO_LIMIT);
            return None;
        }
        let found = self.can(Tool).then_some(Tool);
        self.take(found, LIMIT, Some(LIMIT_STAYS))
    }

    /// Selects the intervention found by a step; otherwise records the reason why an answer is
    /// ruled out, if it is.
    fn take(
        &mut self,
        found: Option<Intervention>,
        possible: Ground,
        unresolved: Option<Ground>,
    ) -> Option<Action> {
        if let Some(intervention) = found {
            return Some(self.choose(intervention.action(), possible));
        }
        match unresolved {
            Some(ground) => self.leave(ground),
            None => self.pass((possible.0, NOTHING_POSSIBLE)),
        }
        None
    }

    /// Records a step after which an answer is ruled out.
    fn leave(&mut self, ground: Ground) {
        self.pass((ground.0, NOTHING_POSSIBLE));
        self.unresolved.get_or_insert(ground);
    }

    /// Performs step 6, for everything that the steps before left unresolved: escalates to a human
    /// if possible, otherwise abstains.
    fn refuse(&mut self) -> Option<Action> {
        let ground = self.unresolved?;
        let action = match self.can(Human) {
            true => Action::Escalate,
            false => Action::Abstain,
        };
        Some(self.choose(action, ground))
    }

    /// Performs steps 7 and 8: selects an answer, unless a worthwhile intervention is left.
    fn answer(&mut self) -> Action {
        let order = [User, Retrieval, Tool, Deliberation, Human];
        let mut order = self.stated.into_iter().chain(order);
        match order.find(|&intervention| self.can_weighed(intervention)) {
            Some(Deliberation) => self.choose(Action::Deliberate, EFFORT_WORTHWHILE),
            Some(intervention) => self.choose(intervention.action(), WORTHWHILE),
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

    /// Finds the first deviation that applies and whose action is possible in the situation.
    fn deviate(&mut self, selected: Action) -> Option<(Action, String)> {
        let policy = self.policy;
        policy.deviations().iter().find_map(|deviation| {
            let action = deviation.replaces(selected, self.situation)?;
            let possible = Intervention::of(action).is_none_or(|one| self.can(one));
            possible.then(|| (action, deviation.condition().to_owned()))
        })
    }

    /// Determines the remediability that the record states.
    fn remediability(&mut self, action: Action, deviation: &mut Option<String>) -> Remediability {
        let stated = self.situation.remediability();
        let Some(own) = action.remediability() else {
            return self.remaining_class(stated);
        };
        let Some(stated) = stated.filter(|&stated| stated != own) else {
            return own;
        };
        if action.fits(stated) && !self.is_ruled_out(Human) {
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

    /// Determines the class for an action that goes with any class: the stated one unless it is no
    /// longer possible, otherwise the best one.
    fn remaining_class(&mut self, stated: Option<Remediability>) -> Remediability {
        let is_possible = self
            .stated
            .is_none_or(|one| !self.is_ruled_out(one) && self.exhausted.get(one).is_none());
        match stated {
            Some(stated) if is_possible => stated,
            Some(stated) => {
                let best = self.best_class();
                let reason =
                    format!("remediability is {best}; stated was {stated}, which is not possible");
                self.steps.push(Step::new(REMEDIABILITY, reason, None));
                best
            }
            None => self.best_class(),
        }
    }

    /// Returns `true` if the situation has the intervention as unavailable or not permitted.
    fn is_ruled_out(&self, intervention: Intervention) -> bool {
        let remedy = self.situation.remedy(intervention);
        remedy.is_some_and(|remedy| !remedy.is_usable())
    }

    /// Returns the best usable class: the one that fits the primary source, otherwise the first.
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
