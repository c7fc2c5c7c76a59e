//! Makes language models write provenance annotations: prompts that ask for them, schemas and grammars that enforce them.
mod grammar;
mod names;
mod observation;

pub use grammar::{Grammar, GrammarError, GrammarTarget, Requirement};
pub use names::UnknownName;
pub use observation::{Observation, ObservationError, Observations};
