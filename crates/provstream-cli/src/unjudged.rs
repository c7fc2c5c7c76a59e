//! What keeps a stream that was read from passing: something in it could not be judged.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use crate::messages;
use crate::strings::Hidden;

/// What a note says about annotations in brackets that JSON [hides](Hidden), and were therefore not `done`, such as `read`.
/// If they are in strings, `advice` says what reads them.
pub(crate) fn hidden(place: Hidden, done: &str, advice: &str) -> String {
    match place {
        Hidden::InString => {
            format!("annotations in brackets within JSON strings were not {done}; {advice}")
        }
        Hidden::InBrokenValue => format!(
            "annotations in brackets were not {done}, since they are in a JSON value that breaks off; --mode text reads them"
        ),
    }
}

/// Diagnostics after which a stream cannot pass, counted by their code. Displayed, they are a note.
#[derive(Debug, Default)]
pub(crate) struct Unjudged(BTreeMap<&'static str, u64>);

impl Unjudged {
    /// Counts a diagnostic, if it is such a one; whether it is.
    pub(crate) fn note(&mut self, code: &'static str) -> bool {
        let counts = messages::is_unread(code);
        if counts {
            *self.0.entry(code).or_default() += 1;
        }
        counts
    }

    /// Adds those of a further stream.
    pub(crate) fn add(&mut self, other: &Self) {
        for (code, count) in &other.0 {
            *self.0.entry(code).or_default() += count;
        }
    }

    /// Whether everything was judged.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Display for Unjudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes = self.0.iter().map(|(code, count)| format!("{count} {code}"));
        let codes: Vec<_> = codes.collect();
        write!(
            f,
            "not all was judged: {}; `provstream extract --pretty` with the same input options shows where",
            codes.join(", ")
        )
    }
}
