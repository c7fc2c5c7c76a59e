//! Interventions that can reduce uncertainty.

use crate::declare::{setters, values};
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
    /// Returns the action that performs the intervention. Source: MARC-02 8.9.
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

    /// Returns the intervention that an action performs; `None` for [`Action::Answer`] and
    /// [`Action::Abstain`].
    #[must_use]
    pub fn of(action: Action) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|one| one.action() == action)
    }

    /// Returns the class as named in a record; `None` for deliberation.
    #[must_use]
    pub const fn remediability(self) -> Option<Remediability> {
        self.action().remediability()
    }

    /// Returns the intervention of a class; `None` for [`Remediability::None`].
    #[must_use]
    pub fn of_class(class: Remediability) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|one| one.remediability() == Some(class))
    }
}

values! {
    /// Availability, permission and value of one intervention at a decision point. Source: MARC-02
    /// 8.3.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[must_use]
    pub struct Remedy {
        own available: bool,
        own permitted: bool,
        /// `true` if a material gain is expected for the cost, latency and burden; `None` if this
        /// was not assessed.
        copy worthwhile: Option<bool>,
    }
}

impl Remedy {
    /// Available and permitted. Its value was not assessed.
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

    /// Returns `true` if the intervention is available and permitted.
    #[must_use]
    pub const fn is_usable(self) -> bool {
        self.available && self.permitted
    }
}

setters! { Remedy {
    /// Sets the availability.
    with_available(available: bool) available = available;
    /// Sets the permission.
    with_permitted(permitted: bool) permitted = permitted;
    /// Sets the assessment: `true` if a material gain is expected for the cost, latency and burden
    /// on the user.
    with_worthwhile(worthwhile: bool) worthwhile = Some(worthwhile);
} }
