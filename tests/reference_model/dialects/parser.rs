//! Parsers with built-in dialects and the sources of a case.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use provstream::{Dialects, Parser, Source, Sources};
use testkit::reference::dialects::Known;
use testkit::reference::engine::builder_in;
use testkit::reference::{Reading, RefLimits, RefVocabulary};

/// A list of sources for the engine.
#[derive(Debug)]
struct List(Known);

impl Sources for List {
    fn find(&self, id: &str) -> Option<Source<'_>> {
        let (Known::Complete(ids) | Known::Incomplete(ids)) = &self.0 else {
            return None;
        };
        let known = ids.iter().find(|known| *known == id)?;
        Some(Source::new(known))
    }

    fn is_complete(&self) -> bool {
        matches!(self.0, Known::Complete(_))
    }
}

thread_local! {
    /// Sets of dialects, which take long to compile.
    static COMPILED: RefCell<BTreeMap<Vec<&'static str>, Dialects>> = RefCell::default();
}

/// Builds a parser with built-in dialects.
pub(crate) fn parser(
    reading: Reading,
    limits: &RefLimits,
    dialects: &[&'static str],
    known: &Known,
) -> Parser {
    let compiled = COMPILED.with_borrow_mut(|compiled| {
        let compile = || Dialects::built_in(dialects.iter().copied()).expect("built-in dialects");
        compiled
            .entry(dialects.to_vec())
            .or_insert_with(compile)
            .clone()
    });
    let mut builder = builder_in(reading, limits, &RefVocabulary::default()).dialects(compiled);
    if *known != Known::Nothing {
        builder = builder.sources(Arc::new(List(known.clone())));
    }
    builder.build()
}
