//! What keeps a stream that was read from passing: something in it could not be judged.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use crate::counted::Counted;
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
pub(crate) struct Unjudged {
    codes: BTreeMap<&'static str, u64>,
    /// All of them, and where the first one is.
    all: Counted,
}

impl Unjudged {
    /// Counts a diagnostic at a place, if it is such a one; whether it is.
    pub(crate) fn note(&mut self, code: &'static str, place: impl FnOnce() -> String) -> bool {
        let counts = messages::is_unread(code);
        if counts {
            *self.codes.entry(code).or_default() += 1;
            self.all.note(|| messages::explained(&place(), code));
        }
        counts
    }

    /// Adds those of a further stream.
    pub(crate) fn add(&mut self, other: &Self) {
        for (code, count) in &other.codes {
            *self.codes.entry(code).or_default() += count;
        }
        self.all.add(&other.all);
    }

    /// Whether everything was judged.
    pub(crate) fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }
}

impl Display for Unjudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes = self.codes.iter();
        let codes = codes.map(|(code, count)| format!("{count} {code}"));
        let codes: Vec<_> = codes.collect();
        let (codes, first) = (codes.join(", "), self.all.first());
        write!(
            f,
            "not all was judged: {codes}{first}; `provstream extract --pretty` with the same input options shows where"
        )
    }
}
