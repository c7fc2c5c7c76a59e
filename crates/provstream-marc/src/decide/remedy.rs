//! What can be done about uncertainty.

use crate::terms::{Action, Remediability, terms};

terms! {
    /// Something that can reduce uncertainty: the classes of `remediability`, and more computation inside the system.
    /// Source: MARC-02 8.3, 8.9.
    Intervention, "intervention" {
        /// The user clarifies.
        User = "user_clarification",
        /// Evidence is retrieved.
        Retrieval = "retrieval",
        /// A tool other than retrieval is invoked.
        Tool = "tool",
        /// A human or a higher authority takes over.
        Human = "human",
        /// The system spends more computation.
        Deliberation = "deliberation",
    }
}

impl Intervention {
    /// The action that takes the intervention. Source: MARC-02 8.9.
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

    /// The intervention that an action takes; `None` for [`Action::Answer`] and [`Action::Abstain`].
    #[must_use]
    pub const fn of(action: Action) -> Option<Self> {
        match action {
            Action::Clarify => Some(Self::User),
            Action::Retrieve => Some(Self::Retrieval),
            Action::Tool => Some(Self::Tool),
            Action::Escalate => Some(Self::Human),
            Action::Deliberate => Some(Self::Deliberation),
            Action::Answer | Action::Abstain => None,
        }
    }

    /// The class as a record names it; `None` for deliberation.
    #[must_use]
    pub const fn remediability(self) -> Option<Remediability> {
        match self {
            Self::User => Some(Remediability::UserClarification),
            Self::Retrieval => Some(Remediability::Retrieval),
            Self::Tool => Some(Remediability::Tool),
            Self::Human => Some(Remediability::Human),
            Self::Deliberation => None,
        }
    }

    /// The intervention of a class; `None` for [`Remediability::None`].
    #[must_use]
    pub const fn of_class(class: Remediability) -> Option<Self> {
        match class {
            Remediability::UserClarification => Some(Self::User),
            Remediability::Retrieval => Some(Self::Retrieval),
            Remediability::Tool => Some(Self::Tool),
            Remediability::Human => Some(Self::Human),
            Remediability::None => None,
        }
    }
}

/// What the controller knows of one intervention at a decision point. Source: MARC-02 8.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Remedy {
    available: bool,
    permitted: bool,
    worthwhile: Option<bool>,
}

impl Remedy {
    /// Available and permitted; whether it is worth its price was not weighed.
    pub const USABLE: Self = Self {
        available: true,
        permitted: true,
        worthwhile: None,
    };
    /// Not available.
    pub const UNAVAILABLE: Self = Self {
        available: false,
        ..Self::USABLE
    };
    /// Available, permitted, and expected to improve reliability materially for its cost, latency and burden.
    pub const WORTHWHILE: Self = Self {
        worthwhile: Some(true),
        ..Self::USABLE
    };

    /// The same, available or not.
    #[must_use]
    pub const fn with_available(self, available: bool) -> Self {
        Self { available, ..self }
    }

    /// The same, permitted or not.
    #[must_use]
    pub const fn with_permitted(self, permitted: bool) -> Self {
        Self { permitted, ..self }
    }

    /// The same, weighed: whether a material gain is expected for its cost, latency and burden on the user.
    #[must_use]
    pub const fn with_worthwhile(self, worthwhile: bool) -> Self {
        Self {
            worthwhile: Some(worthwhile),
            ..self
        }
    }

    /// Whether it is available and permitted.
    #[must_use]
    pub const fn is_usable(self) -> bool {
        self.available && self.permitted
    }

    /// How it was weighed; `None` if it was not.
    #[must_use]
    pub const fn worthwhile(self) -> Option<bool> {
        self.worthwhile
    }
}

/// The remedies at hand. An intervention that is not listed is not usable, unless the situation's `remediability` names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Remedies([Option<Remedy>; 5]);

impl Remedies {
    /// No remedies.
    pub const NONE: Self = Self([None; 5]);

    /// The same with a remedy for one intervention.
    #[must_use]
    pub const fn with(mut self, intervention: Intervention, remedy: Remedy) -> Self {
        self.0[intervention as usize] = Some(remedy);
        self
    }

    /// What is known of an intervention.
    #[must_use]
    pub const fn get(&self, intervention: Intervention) -> Option<Remedy> {
        self.0[intervention as usize]
    }
}
