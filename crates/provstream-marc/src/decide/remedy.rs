//! Which interventions could reduce the uncertainty.

use crate::terms::{Action, Remediability, terms};

terms! {
    /// What may reduce uncertainty before an answer: the classes of remediability, and computation inside the system.
    ///
    /// Source: MARC-02 8.3, 8.8.
    #[non_exhaustive]
    Intervention, "intervention" {
        /// The user is asked.
        User = "user",
        /// Evidence is retrieved.
        Retrieval = "retrieval",
        /// A tool other than retrieval is invoked.
        Tool = "tool",
        /// A human or a higher authority takes over.
        Human = "human",
        /// More is computed inside the system.
        Deliberation = "deliberation",
    }
}

impl Intervention {
    /// The primary action that is this intervention. Source: MARC-02 8.9.
    #[must_use]
    pub const fn action(self) -> Action {
        match self {
            Self::User => Action::Clarify,
            Self::Retrieval => Action::Retrieve,
            Self::Tool => Action::Tool,
            Self::Human => Action::Escalate,
            Self::Deliberation => Action::Deliberate,
        }
    }

    /// The class of remediability that it is; none for deliberation, which has no class. Source: MARC-02 8.3; open point 65.
    #[must_use]
    pub const fn remediability(self) -> Option<Remediability> {
        self.action().remediability()
    }

    /// The intervention that a class of remediability names; none for [`Remediability::None`].
    #[must_use]
    pub const fn of(class: Remediability) -> Option<Self> {
        match class {
            Remediability::UserClarification => Some(Self::User),
            Remediability::Retrieval => Some(Self::Retrieval),
            Remediability::Tool => Some(Self::Tool),
            Remediability::Human => Some(Self::Human),
            Remediability::None => None,
        }
    }
}

/// Whether an intervention is there, may be used, and is worth its price. It is usable if all three hold.
///
/// By default nothing holds. Source: MARC-02 8.3, 8.8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Remedy {
    available: bool,
    permitted: bool,
    worthwhile: bool,
}

impl Remedy {
    /// Neither available nor permitted nor worthwhile: the default.
    pub const NONE: Self = Self {
        available: false,
        permitted: false,
        worthwhile: false,
    };

    /// Available, permitted and worthwhile.
    pub const USABLE: Self = Self {
        available: true,
        permitted: true,
        worthwhile: true,
    };

    /// The same, available or not.
    #[must_use]
    pub const fn with_available(self, available: bool) -> Self {
        Self { available, ..self }
    }

    /// The same, permitted by policy or not.
    #[must_use]
    pub const fn with_permitted(self, permitted: bool) -> Self {
        Self { permitted, ..self }
    }

    /// The same, expected to help materially in relation to its price or not.
    #[must_use]
    pub const fn with_worthwhile(self, worthwhile: bool) -> Self {
        Self { worthwhile, ..self }
    }

    /// Whether it is there.
    #[must_use]
    pub const fn is_available(self) -> bool {
        self.available
    }

    /// Whether policy permits it.
    #[must_use]
    pub const fn is_permitted(self) -> bool {
        self.permitted
    }

    /// Whether it is expected to help materially in relation to its price.
    #[must_use]
    pub const fn is_worthwhile(self) -> bool {
        self.worthwhile
    }

    /// Whether it is available, permitted and worthwhile.
    #[must_use]
    pub const fn is_usable(self) -> bool {
        self.available && self.permitted && self.worthwhile
    }
}

/// A remedy for each intervention; by default none is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Remedies([Remedy; 5]);

impl Remedies {
    /// No intervention is there.
    pub const NONE: Self = Self([Remedy::NONE; 5]);

    /// The same with another remedy for one intervention.
    #[must_use]
    pub const fn with(mut self, intervention: Intervention, remedy: Remedy) -> Self {
        self.0[intervention as usize] = remedy;
        self
    }

    /// What is known of an intervention.
    #[must_use]
    pub const fn get(&self, intervention: Intervention) -> Remedy {
        self.0[intervention as usize]
    }

    /// Whether an intervention is available, permitted and worthwhile.
    #[must_use]
    pub const fn is_usable(&self, intervention: Intervention) -> bool {
        self.get(intervention).is_usable()
    }
}
