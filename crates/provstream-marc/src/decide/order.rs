//! The order in which corrective actions are weighed.

use super::policy::{Policy, hand_over};
use super::remedy::Intervention;
use super::selection::Selection;
use super::situation::{Judgement, RiskTier, Situation};
use super::step::Step;
use crate::terms::{Action, Remediability, Source};

impl Selection {
    /// Selects one action by the eight steps of the draft, literally in their order; the first that applies decides.
    ///
    /// 1. Safety controls by judgement, or is the primary source: what the policy's [`govern`](Policy::govern) says.
    /// 2. Ambiguity blocks, the user is usable, and evidence cannot resolve it: `CLARIFY`.
    /// 3. Evidence conflicts materially: of `RETRIEVE`, `TOOL` and `ESCALATE` the one that the stated remediability names, if
    ///    it is usable, else the first that is.
    /// 4. Required evidence is missing, the answer is not limited to the context, and retrieval is usable: `RETRIEVE`.
    /// 5. A capability limit is material, and a tool is usable: `TOOL`.
    /// 6. A capability limit is material: `ESCALATE` where a human is usable, else `ABSTAIN`. In the standard risk tier a
    ///    stated remediability of none leads to `ABSTAIN`. In the high tier the step also applies to what remains of
    ///    steps 2 to 4: ambiguity, a conflict or missing evidence that nothing usable remedies.
    /// 7. Deliberation is usable: `DELIBERATE`.
    /// 8. Otherwise: `ANSWER`.
    ///
    /// A low score alone leads nowhere. Unless step 1 has decided, the policy may then [deviate](Policy::deviate).
    /// Source: MARC-02 8.8, 14; open points 86 to 90, 97.
    pub fn of(situation: &Situation, policy: &dyn Policy) -> Self {
        let (step, action) = first_step(situation, policy);
        let selection = Self::new(situation, step, action);
        if step == Step::Governing {
            return selection;
        }
        match policy.deviate(situation, &selection) {
            Some(deviation) if deviation.action() != action => {
                selection.deviating(situation, deviation)
            }
            _ => selection,
        }
    }
}

fn first_step(situation: &Situation, policy: &dyn Policy) -> (Step, Action) {
    let is = |judgement| situation.is(judgement);
    let usable = |intervention| situation.remedies().is_usable(intervention);

    if is(Judgement::SafetyControls) || situation.primary_source() == Source::Safety {
        return (Step::Governing, policy.govern(situation));
    }
    let ambiguous = is(Judgement::BlockingAmbiguity) && !is(Judgement::ResolvableFromEvidence);
    if ambiguous && usable(Intervention::User) {
        return (Step::Ambiguity, Action::Clarify);
    }
    let conflict = is(Judgement::MaterialConflict);
    if conflict && let Some(remedy) = remedy_of_conflict(situation) {
        return (Step::Conflict, remedy.action());
    }
    let missing = is(Judgement::RequiredEvidenceMissing) && !is(Judgement::LimitedToContext);
    if missing && usable(Intervention::Retrieval) {
        return (Step::Evidence, Action::Retrieve);
    }
    let limited = is(Judgement::MaterialCapabilityLimit);
    if limited && usable(Intervention::Tool) {
        return (Step::Tool, Action::Tool);
    }
    let high = situation.risk_tier() == RiskTier::High;
    if limited || high && (ambiguous || conflict || missing) {
        let hopeless = !high && situation.remediability() == Some(Remediability::None);
        let action = if hopeless {
            Action::Abstain
        } else {
            hand_over(situation)
        };
        return (Step::Limit, action);
    }
    if usable(Intervention::Deliberation) {
        return (Step::Deliberation, Action::Deliberate);
    }
    (Step::Answer, Action::Answer)
}

fn remedy_of_conflict(situation: &Situation) -> Option<Intervention> {
    const CANDIDATES: [Intervention; 3] = [
        Intervention::Retrieval,
        Intervention::Tool,
        Intervention::Human,
    ];
    let named = situation
        .remediability()
        .and_then(Intervention::of)
        .filter(|named| CANDIDATES.contains(named));
    named
        .into_iter()
        .chain(CANDIDATES)
        .find(|&remedy| situation.remedies().is_usable(remedy))
}
