//! Settings that all sessions of a deployment share.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bounds::Bounds;
use super::policy::Policy;
use crate::bands::Calibration;
use crate::declare::{setters, values};
use crate::draft::Draft;
use crate::terms::{Action, Target};
use crate::wording::Wording;

values! {
    /// The settings of a controller: calibration and bounds, which have no default, draft, policy, sub-actions and wording.
    ///
    /// A clone shares them. Source: MARC-02 3, 7.
    ///
    /// ```
    /// use provstream_marc::{Bands, Bound, Bounds, Calibration, Controller, Score};
    /// use std::time::Duration;
    ///
    /// let bands = Bands::new(Score::new(0.5)?, Score::new(0.8)?)?;
    /// let bound = Bound::new(3, Duration::from_secs(10), 500);
    /// let controller = Controller::new(Calibration::new("gateway-2026-05", bands)?, Bounds::new(bound, bound, bound));
    /// assert_eq!(controller.bounds().max_iterations(), 9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Clone, Debug)]
    #[must_use]
    pub struct Controller {
        /// The draft of its records.
        copy draft: Draft,
        /// Maps scores to confidence bands.
        borrow calibration: Arc<Calibration>,
        /// The bounds of each session.
        borrow bounds: Bounds,
        /// The rules of the deployment.
        borrow policy: Arc<Policy>,
        /// The sub-actions that a decision can name, each with its primary action. Source: MARC-02
        /// 8.7.
        borrow sub_actions: Arc<BTreeMap<String, Action>>,
        /// Texts for next steps that the caller does not provide.
        borrow wording: Arc<Wording>,
    }
}

impl Controller {
    /// Creates a controller for draft -02, with the default policy and without sub-actions.
    pub fn new(calibration: Calibration, bounds: Bounds) -> Self {
        Self {
            draft: Draft::Draft02,
            calibration: Arc::new(calibration),
            bounds,
            policy: Arc::default(),
            sub_actions: Arc::default(),
            wording: Arc::default(),
        }
    }

    /// Returns the `confidence_target` of records of an action.
    pub(super) fn target(&self, action: Action) -> Target {
        let about_action = self.draft == Draft::Draft02 && self.policy.is_about_action(action);
        match Target::of(action) {
            Target::DirectAnswerSuitability if about_action => Target::ActionSuitability,
            target => target,
        }
    }
}

setters! { Controller {
    /// Sets the draft of the records.
    ///
    /// Records of -01 have no identifiers, counters, calibration profile or target. Sessions are bounded all the same. The
    /// band is about the answer or about answering directly, whatever the policy. Source: MARC-01 7.5, 8.1.
    with_draft(draft: Draft) draft = draft;
    /// Sets the policy.
    with_policy(policy: Policy) policy = Arc::new(policy);
    /// Sets the sub-actions.
    with_sub_actions(all: BTreeMap<String, Action>) sub_actions = Arc::new(all);
    /// Sets the wording.
    with_wording(wording: Wording) wording = Arc::new(wording);
} }
