//! Markers of citations: what looking for them costs, and other ways to find them.

use provstream::{Dialects, Event, Mode, Parser};

use crate::adapter::Adapter;
use crate::peers::CITING;
use crate::rounds::Work;
use crate::rows::Row;
use crate::support::prose::{LENGTH, Prose, marked};

/// Number of the target.
const NUMBER: u8 = 13;

/// Sizes of chunks in bytes: a token, what a server batches, what a file or socket gives.
const SIZES: [usize; 3] = [4, 64, 1 << 16];

/// Bytes between two markers.
const GAP: usize = 200;

/// A parser that counts markers.
struct Citing {
    parser: Parser,
    found: usize,
}

impl Citing {
    fn new(dialects: Option<&Dialects>) -> Self {
        let builder = Parser::builder().mode(Mode::Text);
        let builder = match dialects {
            Some(dialects) => builder.dialects(dialects.clone()),
            None => builder,
        };
        Self {
            parser: builder.build(),
            found: 0,
        }
    }
}

impl Adapter for Citing {
    #[inline]
    fn feed(&mut self, chunk: &str) {
        let found = &mut self.found;
        self.parser.push(chunk.as_bytes(), |event: Event<'_>| {
            *found += usize::from(matches!(event, Event::Marker(_)));
        });
    }

    fn finish(&mut self) -> usize {
        let found = &mut self.found;
        self.parser.finish(|event: Event<'_>| {
            *found += usize::from(matches!(event, Event::Marker(_)));
        });
        self.parser.reset();
        std::mem::take(&mut self.found)
    }
}

/// Prose with a marker after each `gap` bytes.
fn text(gap: usize, open: &str, close: &str) -> String {
    let (text, markers) = marked(Prose::Plain, gap, LENGTH, |text, _| {
        text.extend([open, "1", close]);
    });
    assert_eq!(markers == 0, gap == usize::MAX);
    text
}

/// All rows, measured.
///
/// # Panics
///
/// If a parser does not find every marker.
#[must_use]
pub(crate) fn rows(rounds: usize) -> Vec<Row> {
    let three =
        Dialects::built_in(["numeric", "openai-file", "citation"]).expect("built-in dialects");
    let mut rows = Vec::new();
    for size in SIZES {
        let plain = text(usize::MAX, "", "");
        let (mut with, mut without) = (Citing::new(Some(&three)), Citing::new(None));
        rows.push(Row::measure(
            (
                NUMBER,
                format!("{size}-byte chunks, prose without markers: three dialects, beside none"),
                0.8,
            ),
            rounds,
            Work::new(plain.len(), || without.read(&plain, size)),
            Work::new(plain.len(), || with.read(&plain, size)),
        ));
        let cited = text(GAP, "[", "]");
        let markers = with.read(&cited, size);
        for peer in CITING {
            let theirs = text(GAP, peer.open, peer.close);
            let mut other = (peer.make)();
            let name = peer.name;
            assert_eq!(other.read(&theirs, size), markers, "{name}");
            rows.push(Row::measure(
                (NUMBER, format!("{size}-byte chunks, a marker every {GAP} bytes: three dialects, beside {name}"), 3.0),
                rounds,
                Work::new(theirs.len(), || other.read(&theirs, size)),
                Work::new(cited.len(), || with.read(&cited, size)),
            ));
        }
    }
    rows
}
