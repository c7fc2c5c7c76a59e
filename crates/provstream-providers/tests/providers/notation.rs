//! Parsers for generated responses.

use provstream::Parser;
use provstream_providers::Format;
use testkit::wire::hostile::Notation;

/// The notations that a parser of this build reads.
pub(crate) const NOTATIONS: &[Notation] = match cfg!(feature = "dialects") {
    true => &[Notation::Annotations, Notation::Markers],
    false => &[Notation::Annotations],
};

/// All formats in each notation.
pub(crate) fn all() -> impl Iterator<Item = (Format, Notation)> {
    let formats = Format::ALL.into_iter();
    formats.flat_map(|format| NOTATIONS.iter().map(move |notation| (format, *notation)))
}

/// A parser of the notation. That of markers has all dialects and a complete list of sources.
pub(crate) fn parser(notation: Notation) -> Parser {
    match notation {
        Notation::Annotations => Parser::new(),
        Notation::Markers => with_markers(),
    }
}

#[cfg(not(feature = "dialects"))]
fn with_markers() -> Parser {
    Parser::new()
}

#[cfg(feature = "dialects")]
fn with_markers() -> Parser {
    use std::sync::{Arc, LazyLock};

    use provstream::{Dialects, Source, Sources};
    use testkit::reference::dialects::BUILT_IN;
    use testkit::wire::generate::SOURCES;

    #[derive(Debug)]
    struct List;

    impl Sources for List {
        fn find(&self, id: &str) -> Option<Source<'_>> {
            let known = SOURCES.into_iter().find(|known| *known == id)?;
            Some(Source::new(known))
        }

        fn is_complete(&self) -> bool {
            true
        }
    }

    static ALL: LazyLock<Dialects> =
        LazyLock::new(|| Dialects::built_in(BUILT_IN).expect("built-in dialects"));
    let builder = Parser::builder().dialects(ALL.clone());
    builder.sources(Arc::new(List)).build()
}
