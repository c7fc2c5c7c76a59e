//! The eight steps of action selection.

use core::fmt;

/// A step of the order in which actions are weighed. Source: MARC-02 8.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Step 1: a safety, legal or policy constraint controls the selection.
    Governing,
    /// Step 2: ambiguity blocks an answer, and the user can resolve it.
    Ambiguity,
    /// Step 3: relevant evidence is materially inconsistent.
    Conflict,
    /// Step 4: required evidence is missing, and can be retrieved.
    Evidence,
    /// Step 5: a capability limit is material, and a tool can relieve it.
    Tool,
    /// Step 6: a limit remains material after the remedies at hand.
    Limit,
    /// Step 7: more computation is expected to help.
    Deliberation,
    /// Step 8: no corrective action is expected to help enough.
    Answer,
}

impl Step {
    /// All steps, in their order.
    pub const ALL: [Self; 8] = [
        Self::Governing,
        Self::Ambiguity,
        Self::Conflict,
        Self::Evidence,
        Self::Tool,
        Self::Limit,
        Self::Deliberation,
        Self::Answer,
    ];

    /// The number of the step, from 1 to 8.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The number of the requirement in the project's table of conformance: `M2-55` to `M2-62`.
    #[must_use]
    pub const fn requirement(self) -> &'static str {
        match self {
            Self::Governing => "M2-55",
            Self::Ambiguity => "M2-56",
            Self::Conflict => "M2-57",
            Self::Evidence => "M2-58",
            Self::Tool => "M2-59",
            Self::Limit => "M2-60",
            Self::Deliberation => "M2-61",
            Self::Answer => "M2-62",
        }
    }

    /// Why the step applies, as a sentence without its full stop.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Governing => "a safety, legal or policy constraint controls the selection",
            Self::Ambiguity => "ambiguity blocks an answer, and the user can resolve it",
            Self::Conflict => "relevant evidence is materially inconsistent",
            Self::Evidence => "required evidence is missing, and can be retrieved",
            Self::Tool => "a capability limit is material, and a tool can relieve it",
            Self::Limit => "a limit remains material after the remedies at hand",
            Self::Deliberation => "more computation is expected to help",
            Self::Answer => "no corrective action is expected to help enough",
        }
    }
}

/// `step 2 (M2-56): ambiguity blocks an answer, and the user can resolve it`
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "step {} ({}): {}",
            self.number(),
            self.requirement(),
            self.reason()
        )
    }
}
