//! Members that a caller lets pass.

use std::sync::Arc;

/// The paths of members that pass, though the format does not have them: strings in them are neither emptied by a
/// [`StreamGate`](super::StreamGate) nor [counted](super::ReadReport::unread_members) as unread.
///
/// A path names members from the event on, and `[]` each element of an array. What is inside of a member that passes also does.
///
/// ```
/// use provstream_providers::PassMembers;
///
/// let members = PassMembers::from(["choices[].delta.note"]);
/// assert!(members.has("choices[].delta.note[].text"));
/// assert!(!members.has("choices[].delta.notes"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassMembers(Option<Arc<[Box<str>]>>);

impl PassMembers {
    /// Returns `true` if a path is in the list, or inside a path of the list.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let mut paths = self.0.iter().flat_map(|paths| paths.iter());
        paths.any(|pass| is_in(path, pass))
    }
}

impl<P: Into<Box<str>>> FromIterator<P> for PassMembers {
    fn from_iter<I: IntoIterator<Item = P>>(paths: I) -> Self {
        let paths: Arc<[Box<str>]> = paths.into_iter().map(Into::into).collect();
        Self((!paths.is_empty()).then_some(paths))
    }
}

impl<P: Into<Box<str>>, const N: usize> From<[P; N]> for PassMembers {
    fn from(paths: [P; N]) -> Self {
        paths.into_iter().collect()
    }
}

/// Returns `true` if a path equals `around` or is inside it.
pub(super) fn is_in(path: &str, around: &str) -> bool {
    let rest = path.strip_prefix(around);
    rest.is_some_and(|rest| matches!(rest.as_bytes(), [] | [b'.' | b'[', ..]))
}
