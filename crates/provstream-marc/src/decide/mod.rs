//! From what a controller knows to one action and its record.

mod bounds;
mod choice;
mod controller;
mod decision;
mod details;
mod deviation;
mod materiality;
mod order;
mod policy;
mod preference;
mod remedy;
mod selection;
mod session;
mod situation;
mod step;
mod sub_actions;
mod weighing;

pub use bounds::{Bound, BoundHit, BoundKind, Bounds, Spent};
pub use controller::Controller;
pub use decision::{DecideError, Decision};
pub use details::Details;
pub use deviation::{Deviation, DeviationError};
pub use materiality::{Materiality, Threshold, ThresholdError};
pub use policy::{DefaultPolicy, Policy, Suitability};
pub use preference::Preference;
pub use remedy::{Intervention, Remedies, Remedy};
pub use selection::Selection;
pub use session::{NotRunning, Session, SessionError, SessionState};
pub use situation::{Judgement, Judgements, RiskTier, Situation};
pub use step::Step;
pub use sub_actions::{SubActionError, SubActions};
pub use weighing::{Appraisal, Weights};
