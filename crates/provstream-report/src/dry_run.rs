//! Policy that judges everything and withholds nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use provstream::provenance::{
    Annotation, Assertion, ObservationCheck, ObservationOutcome, Timestamp, Verdict,
};
use provstream::{Action, AtLimit, Policy, Question, RulePolicy, Rules, Unannotated};

/// Rules with a fixed time.
#[derive(Clone, Debug)]
pub(crate) struct Judge {
    /// Rules without their clock: assertions are judged at `now`.
    policy: RulePolicy<fn() -> Timestamp>,
    observations: Option<Arc<dyn ObservationCheck>>,
    now: Timestamp,
}

impl Judge {
    pub(crate) fn new(rules: Rules, now: Timestamp) -> Self {
        Self {
            policy: rules.policy(Timestamp::now),
            observations: None,
            now,
        }
    }

    pub(crate) fn set_observations(&mut self, observations: Arc<dyn ObservationCheck>) {
        self.observations = Some(observations);
    }

    pub(crate) fn rules(&self) -> &Rules {
        self.policy.rules()
    }

    pub(crate) const fn now(&self) -> Timestamp {
        self.now
    }

    pub(crate) fn verdict(&self, assertion: &Assertion<'_>) -> Verdict {
        let discipline = self.rules().discipline();
        match &self.observations {
            Some(observations) => discipline.judge_observed(assertion, self.now, &**observations),
            None => discipline.judge(assertion, self.now),
        }
    }

    /// Explains the outcome of checking the observation of an annotation.
    pub(crate) fn explanation(
        &self,
        annotation: &Annotation<'_>,
        outcome: ObservationOutcome,
    ) -> Option<String> {
        // There is nothing to say of the others, and a query could be repeated for it.
        if matches!(
            outcome,
            ObservationOutcome::Declared
                | ObservationOutcome::Observed
                | ObservationOutcome::Requeried
                | ObservationOutcome::Unobserved
        ) {
            return None;
        }
        let window = self.rules().discipline().window(annotation.class());
        let observations = self.observations.as_ref()?;
        observations.explain(annotation, window, self.now)
    }

    pub(crate) fn unannotated(&mut self) -> Unannotated {
        self.policy.unannotated()
    }

    pub(crate) fn limit(&mut self) -> AtLimit {
        self.policy.limit()
    }
}

/// Policy for a gate in front of a [`Transcript`](crate::Transcript). Judges by the rules, and
/// releases everything.
///
/// So the transcript gets the whole answer, including text that the rules would withhold and text
/// after the end that they would set.
#[derive(Clone, Debug)]
pub struct DryRun {
    judge: Judge,
    at_limit: LimitFlag,
}

impl DryRun {
    pub(crate) const fn new(judge: Judge, at_limit: LimitFlag) -> Self {
        Self { judge, at_limit }
    }
}

impl Policy for DryRun {
    fn judge(&mut self, assertion: &Assertion<'_>) -> Option<Verdict> {
        Some(self.judge.verdict(assertion))
    }

    fn assertion(&mut self, _: &Question<'_>) -> Action {
        Action::Release
    }

    fn unannotated(&mut self) -> Unannotated {
        Unannotated::Release
    }

    fn limit(&mut self) -> AtLimit {
        self.at_limit.0.store(true, Ordering::Relaxed);
        AtLimit::Release
    }
}

/// Flag that the gate has reached a limit. The gate asks its policy first and reports the released
/// text afterwards, so the transcript has to learn of the limit in between.
#[derive(Clone, Debug, Default)]
pub(crate) struct LimitFlag(Arc<AtomicBool>);

impl LimitFlag {
    /// Returns `true` if the limit was reached since the last call.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}
