//! Wording that should not be shown.

use provstream_marc::{Action, Disclosure};
use serde::Serialize;

use provstream::Span;

/// Wording that should not be shown
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    member: &'static str,
    kind: &'static str,
    /// In bytes of the member's text.
    span: Span,
}

/// What is found in the texts of a disclosure.
pub(crate) fn findings(disclosure: &Disclosure, action: Action) -> Vec<Finding> {
    let found = disclosure.check_wording(action).into_iter();
    found
        .map(|(member, finding)| Finding {
            member,
            kind: finding.kind().as_str(),
            span: finding.span(),
        })
        .collect()
}
