//! What is done with a response, by its head.

use crate::filter::BodyFilter;
use crate::pass_reason::PassReason;
use crate::refusal::Refusal;

/// What is done with the body of a response.
#[derive(Debug)]
pub enum Plan {
    /// It passes as it is, and is not inspected.
    Pass(PassReason),
    /// This response takes its place.
    Refuse(Refusal),
    /// It goes through a filter.
    Filter(Box<BodyFilter>),
}
