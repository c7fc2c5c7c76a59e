//! Policies that come with the library.

use crate::names::UnknownNameError;

/// Names of the policies.
const NAMES: &[&str] = &["own-state", "external"];

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

/// Returns the policy file that a text is, or that it names as [`ready_policy`] does.
///
/// # Errors
///
/// The text is neither: a single line without `=`.
///
/// ```
/// use provstream::policy_file;
///
/// assert_eq!(policy_file("floor = 1").as_deref(), Ok("floor = 1"));
/// let error = policy_file("own_state").unwrap_err().to_string();
/// assert_eq!(error, r#"unknown policy "own_state", expected one of "own-state", "external""#);
/// ```
pub fn policy_file(text: &str) -> Result<&str, UnknownNameError> {
    match ready_policy(text) {
        Some(file) => Ok(file),
        None if text.contains(['=', '\n']) => Ok(text),
        None => Err(UnknownNameError::new("policy", NAMES, text)),
    }
}
