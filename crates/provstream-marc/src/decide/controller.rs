//! What the sessions of a deployment share.

use std::sync::Arc;

use super::bounds::Bounds;
use super::policy::Policy;
use super::sub_actions::SubActions;
use crate::bands::Calibration;
use crate::draft::Draft;
use crate::terms::{Action, Target};
use crate::wording::Wording;

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
pub struct Controller {
    draft: Draft,
    calibration: Arc<Calibration>,
    bounds: Bounds,
    policy: Arc<Policy>,
    sub_actions: Arc<SubActions>,
    wording: Arc<Wording>,
}

impl Controller {
    /// A controller of draft -02, with the default policy and without sub-actions.
    #[must_use]
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

    /// The same for another draft, which its records then are of.
    ///
    /// Records of -01 have no identifiers, counters, calibration profile or target. Sessions are bounded all the same. The
    /// band is about the answer or about answering directly, whatever the policy.
    /// Source: MARC-01 7.5, 8.1.
    #[must_use]
    pub const fn with_draft(mut self, draft: Draft) -> Self {
        self.draft = draft;
        self
    }

    /// The same with another policy.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = Arc::new(policy);
        self
    }

    /// The same with other sub-actions.
    #[must_use]
    pub fn with_sub_actions(mut self, sub_actions: SubActions) -> Self {
        self.sub_actions = Arc::new(sub_actions);
        self
    }

    /// The draft that its records are of.
    #[must_use]
    pub const fn draft(&self) -> Draft {
        self.draft
    }

    /// What maps scores to bands.
    #[must_use]
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// The bounds of each session.
    #[must_use]
    pub const fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The rules of the deployment.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The sub-actions that a decision can name.
    #[must_use]
    pub fn sub_actions(&self) -> &SubActions {
        &self.sub_actions
    }

    /// The same with another wording, which words the next steps that the caller does not give.
    #[must_use]
    pub fn with_wording(mut self, wording: Wording) -> Self {
        self.wording = Arc::new(wording);
        self
    }

    /// The wording.
    #[must_use]
    pub fn wording(&self) -> &Wording {
        &self.wording
    }

    /// What the band of an action is about.
    pub(super) fn target(&self, action: Action) -> Target {
        let about_action = self.draft == Draft::Draft02 && self.policy.is_about_action(action);
        match Target::of(action) {
            Target::DirectAnswerSuitability if about_action => Target::ActionSuitability,
            target => target,
        }
    }
}
