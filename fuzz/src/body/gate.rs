//! A gate writes what a naive one writes that sees the whole stream.

use provstream::{Gate, GateHandler, Handler, TextChunk};
use testkit::gate::naive::{Drawn, gate};
use testkit::gate::pieces::Short;

use super::super::case::Case;
use super::super::reference::RefLimits;
use super::same_bytes;

/// In a longer stream text may be let go because of a limit, which the naive gate does not know.
const MOST_BYTES: usize = 4_000;

/// Output of a gate, and the length of the clean text reported.
#[derive(Default)]
struct Out {
    text: Vec<u8>,
    upto: u64,
}

impl Out {
    fn cover(&mut self, text: &TextChunk<'_>) {
        assert_eq!(
            text.span().start(),
            self.upto,
            "spans cover the text in order"
        );
        self.upto = text.span().end();
    }
}

impl Handler for Out {
    fn text(&mut self, text: TextChunk<'_>) {
        self.text.extend_from_slice(text.bytes());
    }
}

impl GateHandler for Out {
    fn released(&mut self, text: TextChunk<'_>) {
        self.cover(&text);
        self.text(text);
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        self.cover(&text);
    }
}

/// Nothing that a policy withholds is written, and everything else is, with any policy and cut anywhere.
pub(super) fn check(data: &[u8]) {
    let mut case = Case::new(data);
    case.limits.max_assertion = RefLimits::default().max_assertion;
    let len: usize = case.input.iter().map(|segment| segment.bytes.len()).sum();
    if len > MOST_BYTES {
        return;
    }
    let policy = Drawn(case.seed());
    let mut gated = Gate::new(case.parser(), policy);
    let mut earlier = Out::default();
    for (own, bytes) in case.earlier() {
        push(&mut gated, own, bytes, &mut earlier);
    }
    gated.reset();
    let mut out = Out::default();
    for (own, chunk) in case.chunks() {
        push(&mut gated, own, chunk, &mut out);
    }
    gated.finish(&mut out);
    let short = Short {
        reading: case.reading,
        input: case.input.clone(),
    };
    let (expected, ended) = gate(&short, &case.limits, policy);
    same_bytes(&out.text, &expected, "what a gate writes");
    assert_eq!(gated.ended(), ended);
}

fn push(gate: &mut Gate<Drawn>, own: bool, chunk: &[u8], out: &mut Out) {
    if own {
        gate.push(chunk, out);
    } else {
        gate.push_untrusted(chunk, out);
    }
}
