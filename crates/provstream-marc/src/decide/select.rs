//! The order of action selection. Source: MARC-02 8.8.

use super::bounds::{BoundHit, Exhausted};
use super::policy::Policy;
use super::remedy::Intervention;
use super::selection::{Selection, Step};
use super::situation::{Judgement, RiskTier, Situation};
use crate::terms::{Action, Remediability, Source};

use Intervention::{Deliberation, Human, Retrieval, Tool, User};

const STEP_1: &str = "MARC-02 8.8 step 1";
const STEP_2: &str = "MARC-02 8.8 step 2";
const STEP_3: &str = "MARC-02 8.8 step 3";
const STEP_4: &str = "MARC-02 8.8 step 4";
const STEP_5: &str = "MARC-02 8.8 step 5";
const STEP_6: &str = "MARC-02 8.8 step 6";
const STEP_7: &str = "MARC-02 8.8 step 7";
const STEP_8: &str = "MARC-02 8.8 step 8";
const PAIRING: &str = "MARC-02 9.4";
const BOUNDS: &str = "MARC-02 7.3";
const PREFERENCE: &str = "MARC-02 8.8";

impl Selection {
    /// Selects the action for a situation under a policy, without those whose bound is reached.
    pub fn of(situation: &Situation, policy: &Policy, exhausted: &Exhausted) -> Self {
        let mut selector = Selector {
            situation,
            policy,
            exhausted,
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
    steps: Vec<Step>,
    skipped: Vec<BoundHit>,
}

impl Selector<'_> {
    fn reaches(&self, source: Source) -> bool {
        let threshold = self
            .policy
            .thresholds()
            .get(source, self.situation.risk_tier());
        self.situation.uncertainty().get(source) >= threshold
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
            self.steps.push(Step::passed(BOUNDS, hit.to_string()));
            self.skipped.push(hit);
        }
        false
    }

    /// The same, bounds aside.
    fn would(&self, intervention: Intervention) -> bool {
        let stated = self.situation.remediability();
        match self.situation.remedies().get(intervention) {
            Some(remedy) if !remedy.is_usable() => false,
            Some(remedy) => match stated {
                Some(Remediability::None) => remedy.worthwhile() == Some(true),
                _ => remedy.worthwhile() != Some(false),
            },
            None => stated.and_then(Intervention::of_class) == Some(intervention),
        }
    }

    fn is_weighed(&self, intervention: Intervention) -> bool {
        let remedy = self.situation.remedies().get(intervention);
        remedy.is_some_and(|remedy| remedy.worthwhile() == Some(true))
    }

    fn can_weighed(&mut self, intervention: Intervention) -> bool {
        self.is_weighed(intervention) && self.can(intervention)
    }

    /// The first intervention that is possible, the stated class before the others.
    fn first(&mut self, wanted: &[Intervention]) -> Option<Intervention> {
        let stated = self
            .situation
            .remediability()
            .and_then(Intervention::of_class)
            .filter(|stated| wanted.contains(stated));
        stated
            .into_iter()
            .chain(wanted.iter().copied())
            .find(|&intervention| self.can(intervention))
    }

    fn pass(&mut self, section: &'static str, reason: &'static str) {
        self.steps.push(Step::passed(section, reason));
    }

    fn choose(&mut self, section: &'static str, action: Action, reason: &'static str) -> Action {
        self.steps.push(Step::chose(section, action, reason));
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
        let action = possible.unwrap_or(Action::Abstain);
        self.choose(
            STEP_1,
            action,
            "a safety, legal or policy constraint governs",
        )
    }

    /// Steps 2 to 8.
    fn correct(&mut self) -> Action {
        self.pass(STEP_1, "no safety, legal or policy constraint governs");
        if self.is_material(Source::Ambiguity) {
            return self.unblock();
        }
        self.pass(STEP_2, "no ambiguity blocks an answer");
        if !self.policy.deliberates_last() && self.can_weighed(Deliberation) {
            return self.choose(
                STEP_7,
                Action::Deliberate,
                "more computation is worthwhile before anything external",
            );
        }
        if let Some(action) = self.prefer_clarification() {
            return action;
        }
        let sources = self.material_sources();
        for &source in &sources {
            if let Some(action) = self.remedy(source) {
                return action;
            }
        }
        let high = self.situation.risk_tier() == RiskTier::High;
        if let Some(&source) = sources
            .iter()
            .find(|&&source| high || source != Source::MissingEvidence)
        {
            return self.refuse(section_of(source), unresolved(source));
        }
        let is_uncertain = !sources.is_empty() || self.reaches(Source::Ambiguity);
        self.answer(is_uncertain)
    }

    /// Step 2. Evidence that resolves the ambiguity spares the user; what nobody resolves is not guessed.
    fn unblock(&mut self) -> Action {
        let stated = self
            .situation
            .remediability()
            .and_then(Intervention::of_class);
        let by_evidence = match stated {
            Some(one @ (Retrieval | Tool)) if self.can(one) => Some(one),
            _ if self.holds(Judgement::ResolvableFromEvidence) => self.first(&[Retrieval, Tool]),
            _ => None,
        };
        if let Some(intervention) = by_evidence {
            return self.choose(
                PREFERENCE,
                intervention.action(),
                "evidence can resolve the ambiguity without the user",
            );
        }
        if self.can(User) {
            return self.choose(
                STEP_2,
                Action::Clarify,
                "ambiguity blocks an answer and the user can resolve it",
            );
        }
        self.refuse(
            STEP_2,
            "ambiguity blocks an answer and nobody can resolve it",
        )
    }

    /// A primary ambiguity that does not block still prefers a question.
    fn prefer_clarification(&mut self) -> Option<Action> {
        let asks = self.situation.primary_source() == Source::Ambiguity
            && self.reaches(Source::Ambiguity)
            && !self.holds(Judgement::ResolvableFromEvidence);
        (asks && self.can(User)).then(|| {
            self.choose(
                PREFERENCE,
                Action::Clarify,
                "the primary source is ambiguity and the user can reduce it",
            )
        })
    }

    /// The sources that matter besides ambiguity and safety: the primary one, which is the most relevant to the selection
    /// (8.2), then the rest in the order of 8.8.
    fn material_sources(&mut self) -> Vec<Source> {
        let mut sources = Vec::new();
        for (source, immaterial) in [
            (
                Source::EvidenceConflict,
                "no conflict of evidence is material",
            ),
            (Source::MissingEvidence, "no missing evidence is material"),
            (Source::CapabilityLimit, "no capability limit is material"),
        ] {
            let limited =
                source == Source::MissingEvidence && self.holds(Judgement::LimitedToContext);
            if self.is_material(source) && !limited {
                sources.push(source);
            } else {
                self.pass(section_of(source), immaterial);
            }
        }
        sources.sort_by_key(|&source| source != self.situation.primary_source());
        sources
    }

    fn remedy(&mut self, source: Source) -> Option<Action> {
        let (section, found, reason) = match source {
            Source::EvidenceConflict => (
                STEP_3,
                self.first(&[Retrieval, Tool, Human]),
                "relevant evidence is materially inconsistent",
            ),
            Source::MissingEvidence => {
                let wanted: Vec<_> = [Retrieval, Tool, User, Human]
                    .into_iter()
                    .filter(|&one| matches!(one, Retrieval | Tool) || self.supplies(one))
                    .collect();
                (STEP_4, self.first(&wanted), "required evidence is missing")
            }
            _ => (
                STEP_5,
                self.first(&[Tool]),
                "a capability limit is material and a tool relieves it",
            ),
        };
        if let Some(intervention) = found {
            return Some(self.choose(section, intervention.action(), reason));
        }
        self.pass(section, "no intervention that addresses it is possible");
        // The draft prefers ABSTAIN or ESCALATE for a primary limit that no tool relieves, whatever else is wrong.
        let primary = self.situation.primary_source();
        (source == Source::CapabilityLimit && primary == source)
            .then(|| self.refuse(STEP_6, unresolved(source)))
    }

    /// Whether somebody said that the user, or a human, has the missing evidence.
    fn supplies(&self, intervention: Intervention) -> bool {
        let stated = self
            .situation
            .remediability()
            .and_then(Intervention::of_class);
        self.is_weighed(intervention) || stated == Some(intervention)
    }

    /// No answer: more computation while it is possible, else a human, else nothing.
    fn refuse(&mut self, section: &'static str, reason: &'static str) -> Action {
        if self.can(Deliberation) {
            self.choose(
                STEP_7,
                Action::Deliberate,
                "more computation is left to try",
            )
        } else if self.can(Human) {
            self.choose(section, Action::Escalate, reason)
        } else {
            self.choose(section, Action::Abstain, reason)
        }
    }

    /// Steps 7 and 8: an answer, unless something worthwhile is left.
    fn answer(&mut self, is_uncertain: bool) -> Action {
        let stated = self
            .situation
            .remediability()
            .and_then(Intervention::of_class);
        let order = [User, Retrieval, Tool, Deliberation, Human];
        let left = stated
            .into_iter()
            .chain(order)
            .find(|&intervention| self.can_weighed(intervention));
        if let Some(intervention) = left {
            let section = if intervention == Deliberation {
                STEP_7
            } else {
                STEP_8
            };
            return self.choose(
                section,
                intervention.action(),
                "it is expected to improve reliability for its price",
            );
        }
        if is_uncertain && self.can(Deliberation) {
            return self.choose(
                STEP_7,
                Action::Deliberate,
                "more computation is left to try",
            );
        }
        self.choose(
            STEP_8,
            Action::Answer,
            "no corrective action is expected to improve reliability enough",
        )
    }

    fn finish(mut self, selected: Action, governed: bool) -> Selection {
        let mut action = selected;
        let mut deviation = None;
        if !governed && let Some((other, condition)) = self.deviate(selected) {
            let reason = format!("local policy: {condition}");
            self.steps.push(Step::chose(PREFERENCE, other, reason));
            (action, deviation) = (other, Some(condition));
        }
        let remediability = self.remediability(action, &mut deviation);
        Selection {
            action,
            remediability,
            governed,
            steps: self.steps,
            skipped: self.skipped,
            deviation,
        }
    }

    /// The first deviation that applies and leads to an action that is possible here.
    fn deviate(&mut self, selected: Action) -> Option<(Action, String)> {
        let policy = self.policy;
        policy.deviations().iter().find_map(|deviation| {
            let primary = self.situation.primary_source();
            let action = deviation.replaces(selected, primary, self.situation.risk_tier())?;
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
            let reason =
                "remediability is human: a human path exists that this system does not initiate";
            self.pass(PAIRING, reason);
            return stated;
        }
        let kept = self
            .policy
            .deviations()
            .iter()
            .find(|deviation| deviation.keeps(action, stated));
        if let Some(kept) = kept {
            let condition = kept.condition();
            let reason = format!("remediability {stated} is kept, local policy: {condition}");
            self.steps.push(Step::passed(PAIRING, reason));
            deviation.get_or_insert_with(|| condition.to_owned());
            return stated;
        }
        let reason =
            format!("remediability is {own}, which goes with {action}; stated was {stated}");
        self.steps.push(Step::passed(PAIRING, reason));
        own
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

const fn section_of(source: Source) -> &'static str {
    match source {
        Source::Safety => STEP_1,
        Source::Ambiguity => STEP_2,
        Source::EvidenceConflict => STEP_3,
        Source::MissingEvidence => STEP_4,
        Source::CapabilityLimit => STEP_6,
    }
}

const fn unresolved(source: Source) -> &'static str {
    match source {
        Source::EvidenceConflict => "evidence conflicts materially and nothing reconciles it",
        Source::MissingEvidence => "required evidence is missing, which high risk does not allow",
        _ => "a capability limit remains material",
    }
}
