//! Languages of grammars, without an engine.

use provstream_emit::{Grammar, GrammarTarget};
use regex::{Regex, RegexBuilder};

/// Answers that a grammar accepts: the language of its printed regular expression, which all dialects have.
pub(crate) struct AcceptedAnswers(Regex);

impl AcceptedAnswers {
    pub(crate) fn of(grammar: &Grammar) -> Self {
        let printed = grammar.print(GrammarTarget::Regex).unwrap();
        let whole = format!(r"\A(?:{})\z", printed.trim_end_matches('\n'));
        let mut builder = RegexBuilder::new(&whole);
        Self(builder.size_limit(1 << 30).build().unwrap())
    }

    pub(crate) fn has(&self, answer: &str) -> bool {
        self.0.is_match(answer)
    }
}
