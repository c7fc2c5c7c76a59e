//! Action selection: maps a situation to an action and its record, in a session with bounds.
//! Source: MARC-02 7, 8.

mod bounds;
mod controller;
mod decision;
mod details;
mod policy;
mod remedy;
mod select;
mod selection;
mod session;
mod situation;

pub use bounds::{Bound, BoundHit, BoundKind, Bounds, Exhausted, Spent};
pub use controller::Controller;
pub use decision::{DecideError, DecideErrorKind, Decision};
pub use details::Details;
pub use policy::{Deviation, Policy, PolicyError, PolicyErrorKind, Thresholds};
pub use remedy::{Intervention, Remedy};
pub use selection::{Selection, Step};
pub use session::{Session, SessionError, SessionErrorKind, SessionState};
pub use situation::{Judgement, RiskTier, Situation};
