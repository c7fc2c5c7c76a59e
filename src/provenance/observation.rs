//! Checks of the observations that annotations cite.

use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::time::Duration;

use super::{Annotation, Timestamp};
use crate::names::names;

/// Outcome of checking an annotation against a ledger of observations. It is about the observation, and not about the assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ObservationOutcome {
    /// The annotation cites no observation.
    Declared,
    /// The ledger has the observation, and it was not repeated.
    Observed,
    /// The query was repeated, and its result is the same.
    Requeried,
    /// The ledger does not have the observation.
    Unobserved,
    /// The observation is of another class than the annotation.
    ClassDiffers,
    /// The observation has expired, or is older than the window.
    Stale,
    /// The substrate has the same words at another place.
    Moved,
    /// The result is another one now.
    Changed,
    /// The substrate has nothing there any more.
    Gone,
    /// The substrate or the ledger could not be asked.
    Unreachable,
    /// No substrate knows the query.
    NotRequeryable,
}

names! {
    ObservationOutcome, "outcome", "Returns the name, such as `class-differs`.",
    Declared => "declared",
    Observed => "observed",
    Requeried => "requeried",
    Unobserved => "unobserved",
    ClassDiffers => "class-differs",
    Stale => "stale",
    Moved => "moved",
    Changed => "changed",
    Gone => "gone",
    Unreachable => "unreachable",
    NotRequeryable => "not-requeryable",
}

impl ObservationOutcome {
    /// All outcomes.
    pub const ALL: [Self; 11] = [
        Self::Declared,
        Self::Observed,
        Self::Requeried,
        Self::Unobserved,
        Self::ClassDiffers,
        Self::Stale,
        Self::Moved,
        Self::Changed,
        Self::Gone,
        Self::Unreachable,
        Self::NotRequeryable,
    ];

    /// Returns the level that the outcome reaches: `moved` reaches that of `requeried`. Returns `None` if something speaks against the
    /// observation, or if it was asked for and is not known (`unreachable`, `not-requeryable`).
    #[must_use]
    pub const fn level(self) -> Option<ObservationLevel> {
        match self {
            Self::Declared => Some(ObservationLevel::Declared),
            Self::Observed => Some(ObservationLevel::Observed),
            Self::Requeried | Self::Moved => Some(ObservationLevel::Requeried),
            _ => None,
        }
    }

    /// Returns `true` if nothing speaks against the observation: `declared`, `observed`, `requeried` and `moved`.
    #[must_use]
    pub const fn holds(self) -> bool {
        self.level().is_some()
    }
}

/// Level that the observation of an annotation must reach for the annotation to count. Higher levels include the lower ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ObservationLevel {
    /// Nothing speaks against the observation, if one is cited and checked.
    #[default]
    Declared,
    /// The observation was made.
    Observed,
    /// The query was repeated, and the substrate still has the result.
    Requeried,
}

names! {
    ObservationLevel, "level", "Returns the name, such as `observed`.",
    Declared => "declared",
    Observed => "observed",
    Requeried => "requeried",
}

/// Check of the observations that annotations cite, by a record of those that were made.
///
/// `provstream-observe` implements it with a ledger.
pub trait ObservationCheck: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Checks the observation that an annotation cites, at the time `now`. An observation that is older than `window` is stale.
    ///
    /// The answer must not depend on anything but the arguments, the record and the substrates. If the record cannot be read, the
    /// outcome is [`ObservationOutcome::Unreachable`].
    fn check(
        &self,
        annotation: &Annotation<'_>,
        window: Option<Duration>,
        now: Timestamp,
    ) -> ObservationOutcome;

    /// Explains the outcome of [`check`](Self::check) to people, such as by the line that has changed. The text may have words of the
    /// substrate and is not escaped. `None` if there is nothing to explain, as by default.
    fn explain(
        &self,
        annotation: &Annotation<'_>,
        window: Option<Duration>,
        now: Timestamp,
    ) -> Option<String> {
        let _ = (annotation, window, now);
        None
    }
}
