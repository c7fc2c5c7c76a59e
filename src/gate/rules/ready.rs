//! Policies that come with the library.

/// Returns the file of a policy that comes with the library, for [`Rules::from_toml`](super::Rules::from_toml): `"own-state"` or
/// `"external"`, after the references of `provenance memo 7`. Returns `None` for another name.
///
/// Under `own-state`, two classes must count, with observations of the last hour, and anything else is replaced by
/// `(not corroborated)`. Under `external`, three must count, of the last 15 minutes; no annotation may be stale, and the first
/// assertion that is not admitted ends the stream.
///
/// ```
/// use provstream::provenance::Vocabulary;
/// use provstream::{Rules, ready_policy};
///
/// let file = ready_policy("own-state").ok_or("no such policy")?;
/// let rules = Rules::from_toml(file.as_bytes(), &Vocabulary::memo())?;
/// assert_eq!(rules.discipline().floor(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn ready_policy(name: &str) -> Option<&'static str> {
    match name {
        "own-state" => Some(include_str!("own-state.toml")),
        "external" => Some(include_str!("external.toml")),
        _ => None,
    }
}
