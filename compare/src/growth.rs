//! Whether a byte costs more the longer the stream is: the tenth target, and the streams that try to make it so.

use std::borrow::Cow;
use std::hint::black_box;
use std::time::Instant;

use provstream::{Event, Mode, Parser};

use crate::rounds::median;
use crate::support::read::look;

/// Bytes of the short stream.
const SHORT: usize = 1 << 20;

/// How many times as long the long one is.
const LONGER: usize = 64;

/// Short streams for each long one; their median counts.
const SHORTS: usize = 3;

/// An object that says where it comes from.
const ASSERTED: &str = r#"{"assertion":"A.","provenance":{"substrate_class":"substrate.grep"}} "#;

/// Sizes of chunks.
pub(crate) const SIZES: [usize; 2] = [1 << 16, 1];

/// A stream without end that means to be expensive.
pub(crate) struct Family {
    /// What it is made of.
    pub(crate) name: &'static str,
    /// The mode in which it is read.
    pub(crate) mode: Mode,
    /// How it begins.
    pub(crate) start: &'static str,
    /// What follows again and again: whole repetitions in about 64 KiB.
    pub(crate) buffer: Vec<u8>,
}

/// What a family is made of: name, beginning, what follows again and again.
type Recipe = (&'static str, &'static str, Cow<'static, [u8]>);

/// The families of free text, read in mode `auto`.
fn text() -> [Recipe; 22] {
    let unit = |unit: &'static str| Cow::Borrowed(unit.as_bytes());
    let far = format!("{}[substrate.grep] ", "word ".repeat(2_000));
    let runs: Vec<String> = (1..64).map(|run| "`".repeat(run)).collect();
    [
        ("openers only", "", unit("[")),
        ("all bytes that open something", "", unit("[`~{\\")),
        ("candidates never closed", "", unit("[substrate.grep; a=")),
        (
            "one candidate never closed",
            "[substrate.grep; a=",
            unit("x"),
        ),
        ("dense annotations", "", unit("A. [substrate.grep] ")),
        (
            "annotations without text",
            "",
            unit("[substrate.grep; ts=2026-05-28T11:40:00Z]"),
        ),
        (
            "annotations far after the last sentence's end",
            "",
            far.into_bytes().into(),
        ),
        ("objects that nest", "", unit("{\"a\":")),
        ("values that stop being JSON", "", unit("{\"a\":[1,{} }")),
        ("asserted objects", "", unit(ASSERTED)),
        ("a string in JSON without end", "{\"a\":\"", unit("x")),
        ("backticks", "", unit("`")),
        ("runs of backticks", "", runs.join(" ").into_bytes().into()),
        ("tildes", "", unit("\n~")),
        ("backslashes", "", unit("\\")),
        ("text without a sentence end", "", unit("word ")),
        ("blank text", "", unit(" ")),
        ("blank lines", "", unit(" \n")),
        (
            "bytes that are not UTF-8",
            "",
            Cow::Borrowed(&b"\xE2\x80"[..]),
        ),
        ("a row of a table without end", "| ", unit("a | ")),
        ("an open fence", "```\n", unit("code\n")),
        ("nested quotes", "", unit("> ")),
    ]
}

/// The families of mode `json`.
fn json() -> [Recipe; 5] {
    let unit = |unit: &'static str| Cow::Borrowed(unit.as_bytes());
    [
        ("JSON: objects that nest", "", unit("{\"a\":")),
        ("JSON: brackets without a match", "", unit("{\"a\":[1}")),
        (
            "JSON: a string of escapes without end",
            "{\"a\":\"",
            unit("\\u0041"),
        ),
        ("JSON: a number without end", "[", unit("1")),
        ("JSON: asserted objects", "", unit(ASSERTED)),
    ]
}

/// All families.
#[must_use]
pub(crate) fn families() -> Vec<Family> {
    let in_mode = |mode: Mode| {
        move |(name, start, unit): Recipe| Family {
            name,
            mode,
            start,
            buffer: unit.repeat(((1 << 16) / unit.len()).max(1)),
        }
    };
    let text = text().into_iter().map(in_mode(Mode::Auto));
    text.chain(json().into_iter().map(in_mode(Mode::Json)))
        .collect()
}

impl Family {
    /// Hands `length` bytes of the stream and what is left of a repetition to `push`, in chunks of `size` bytes, and
    /// gives how many there were.
    pub(crate) fn feed(&self, length: usize, size: usize, mut push: impl FnMut(&[u8])) -> usize {
        let mut fed = self.start.len();
        if fed > 0 {
            push(self.start.as_bytes());
        }
        while fed < length {
            for chunk in self.buffer.chunks(size) {
                push(chunk);
            }
            fed += self.buffer.len();
        }
        fed
    }

    /// Seconds a byte of a stream of `length` bytes.
    fn cost(&self, parser: &mut Parser, length: usize, size: usize) -> f64 {
        let start = Instant::now();
        let mut found = 0;
        let fed = self.feed(length, size, |chunk| {
            parser.push(chunk, |event: Event<'_>| found += look(event));
        });
        parser.finish(|event: Event<'_>| found += look(event));
        let seconds = start.elapsed().as_secs_f64();
        black_box(found);
        parser.reset();
        seconds / fed as f64
    }

    /// A byte's cost over the long stream to that over the short one, and the former in nanoseconds: medians.
    #[must_use]
    pub(crate) fn growth(&self, size: usize, rounds: usize) -> (f64, f64) {
        let mut parser = Parser::builder().mode(self.mode).build();
        let (mut ratios, mut costs) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let short = (0..SHORTS).map(|_| self.cost(&mut parser, SHORT, size));
            let short = median(short.collect());
            let long = self.cost(&mut parser, LONGER * SHORT, size);
            ratios.push(long / short);
            costs.push(1e9 * long);
        }
        (median(ratios), median(costs))
    }
}
