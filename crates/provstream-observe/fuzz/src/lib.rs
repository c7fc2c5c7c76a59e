//! Bodies that fuzzers drive: functions that panic if a promise about input that is read is broken.

#[path = "../../tests/observe/parsing.rs"]
mod parsing;

/// Returns the body with a name: `queries`, `ids` or `imports`; `None` for another one.
#[must_use]
pub fn body(name: &str) -> Option<fn(&[u8])> {
    Some(match name {
        "queries" => parsing::query,
        "ids" => parsing::id,
        "imports" => parsing::log,
        _ => return None,
    })
}
