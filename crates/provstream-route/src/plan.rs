//! Plan for a response, determined by its head.

use crate::filter::BodyFilter;
use crate::pass_reason::PassReason;
use crate::refusal::Refusal;

/// Plan for the body of a response.
#[derive(Debug)]
pub enum Plan {
    /// The body passes unchanged and is not inspected.
    Pass(PassReason),
    /// This response replaces the upstream's.
    Refuse(Refusal),
    /// The body passes through a filter.
    Filter(Box<BodyFilter>),
}
