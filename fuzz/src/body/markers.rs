//! Markers of citations: what is read, stripped and gated does not depend on the chunking, and equals the naive reference.

use std::sync::{Arc, LazyLock};

use provstream::{Dialects, Event, Gate, Limits, Parser, Rewriter, Source, Sources};
use testkit::gate::policies::no_inference;
use testkit::reference::Reading;
use testkit::reference::dialects::{BUILT_IN, generate};

use super::super::case::Case;
use super::super::dialects::engine;
use super::same_bytes;

/// Sources with the identifiers that built-in dialects may have.
#[derive(Debug)]
struct Listed {
    is_complete: bool,
}

impl Sources for Listed {
    fn find(&self, id: &str) -> Option<Source<'_>> {
        const LISTED: [&str; 9] = [
            "0",
            "1",
            "2",
            "3",
            "4:0",
            "doc1",
            "0-1",
            "turn0search1",
            "abc",
        ];
        let found = LISTED.into_iter().find(|listed| *listed == id);
        found.map(Source::new)
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }
}

/// Most bytes of an assertion where inputs of a few hundred bytes have longer sentences.
const SHORT: usize = 64;

/// The first byte of input that is the choices of an answer; it appears nowhere in UTF-8.
pub(crate) const CHOSEN: u8 = 0xFC;

/// Checks a text with all built-in dialects, or a generated answer beside the naive reference.
pub(super) fn check(data: &[u8]) {
    if let Some((&CHOSEN, choices)) = data.split_first() {
        let case = generate::chosen(choices);
        let difference = engine::check(Reading::TEXT, &case, Case::new(data).seed());
        assert!(difference.is_none(), "{}", difference.unwrap_or_default());
        return;
    }
    static ALL: LazyLock<Dialects> =
        LazyLock::new(|| Dialects::built_in(BUILT_IN).expect("built-in dialects"));
    check_with(&ALL, data);
}

/// Checks that a text is read alike in one piece, in some pieces and byte by byte, with a complete list of sources, an incomplete one,
/// or none, and sometimes with sentences that are longer than an assertion may be.
pub(super) fn check_with(dialects: &Dialects, data: &[u8]) {
    let case = Case::new(data);
    let mut limits = Limits::default();
    if case.seed().is_multiple_of(4) {
        limits = limits.with_max_assertion(SHORT).expect("an assertion");
    }
    let mut builder = Parser::builder().limits(limits).dialects(dialects.clone());
    if let is_complete @ 0..2 = data.len() % 3 {
        let is_complete = is_complete == 0;
        builder = builder.sources(Arc::new(Listed { is_complete }));
    }
    let parser = builder.build();
    let whole = Out::of(&parser, &[data]);
    for pieces in [case.pieces(data), data.chunks(1).collect()] {
        let cut = Out::of(&parser, &pieces);
        assert_eq!(cut.events, whole.events);
        same_bytes(&cut.text, &whole.text, "text");
        same_bytes(&cut.stripped, &whole.stripped, "stripped");
        same_bytes(&cut.gated, &whole.gated, "gated");
    }
}

/// Events and outputs of a text.
#[derive(Default)]
struct Out {
    /// Events other than text.
    events: Vec<Event<'static, bytes::Bytes>>,
    text: Vec<u8>,
    stripped: Vec<u8>,
    gated: Vec<u8>,
}

impl Out {
    fn of(parser: &Parser, pieces: &[&[u8]]) -> Self {
        let mut out = Self::default();
        let mut reader = parser.clone();
        let mut rewriter = Rewriter::new(parser.clone());
        let mut gate = Gate::new(parser.clone(), no_inference());
        let mut sink = |event: Event<'_>| match event {
            Event::Text(text) => out.text.extend_from_slice(text.bytes()),
            other => out.events.push(other.into_owned()),
        };
        for piece in pieces {
            reader.push(piece, &mut sink);
            rewriter.push(piece, &mut out.stripped);
            gate.push(piece, &mut out.gated);
        }
        reader.finish(&mut sink);
        rewriter.finish(&mut out.stripped);
        gate.finish(&mut out.gated);
        out
    }
}
