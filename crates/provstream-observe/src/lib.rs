//! Observations of substrates: an id that can be checked, a ledger that can be audited, and the checks.
//!
//! The provenance memo has an annotation name an *observation*: a query to a substrate and its result. This crate makes
//! observations ([`Substrates`]), gives them ids that only somebody who knows the result can compute ([`Observation`]), records them
//! ([`Ledger`], [`SqliteLedger`]), and checks which observations an annotation cites ([`Checker`]). docs/observations.md has the
//! exact rules.
//!
//! An outcome is about an observation, never about an assertion: an observation that took place can still be misquoted.
//!
//! ```
//! use provstream::provenance::{Annotation, Class, Timestamp};
//! use provstream_observe::{Checker, Ledger, Observation, Outcome, Query, SqliteLedger};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let ledger = SqliteLedger::in_memory()?;
//!     let query = Query::parse(r#"{"path": "src/a.rs", "offset": 7, "limit": 1}"#)?;
//!     let now = Timestamp::parse("2026-05-28T11:40:00Z")?;
//!     let observation = Observation::new("substrate.code.read", query, "fn main() {\n", now)?;
//!     ledger.record(&observation)?;
//!
//!     let cited = Annotation::new(Class::CODE_READ, "substrate.code.read").with_observation_id(observation.id());
//!     let invented = Annotation::new(Class::CODE_READ, "substrate.code.read").with_observation_id("sha256:e3b0");
//!     let checker = Checker::new(&ledger);
//!     assert_eq!(checker.check(&cited, now)?.outcome, Outcome::Observed);
//!     assert_eq!(checker.check(&invented, now)?.outcome, Outcome::Unobserved);
//!     Ok(())
//! }
//! ```

mod check;
mod compare;
mod gate;
mod import;
mod ledger;
mod observation;
mod query;
mod quotes;
#[cfg(feature = "mcp")]
mod services;
mod substrate;

pub use check::{Checked, Checker};
pub use compare::Change;
pub use gate::LedgerObservations;
pub use import::{ToolLogError, ToolLogReader, ToolResult};
pub use ledger::{
    Body, ExportError, Ledger, LedgerEntry, LedgerError, LedgerFault, LedgerHead, LedgerRecord,
    LedgerReport, SqliteLedger,
};
pub use observation::{Anchor, Digest, IdKey, KeyError, Observation, ObservationError};
#[doc(no_inline)]
pub use provstream::provenance::ObservationOutcome as Outcome;
pub use query::{Query, QueryError};
pub use quotes::{Quote, QuoteTier, quotes};
#[cfg(feature = "mcp")]
pub use services::{Services, ServicesError};
pub use substrate::{
    FoundResult, SubstrateError, SubstrateErrorKind, SubstrateLimits, SubstrateQuery, Substrates,
};
