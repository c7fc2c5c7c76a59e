//! What is counted and not timed: allocations and bytes. The counting allocator lives in a program of its own, so that it
//! slows nothing down that is timed.

use std::collections::HashMap;
use std::fmt::Display;
use std::process::Command;

use provstream::{Mode, Parser, ParserBuilder};
use provstream_providers::StreamRewriter;

use crate::adapter::Adapter;
use crate::growth::{self, families};
use crate::json;
use crate::peers::{OWN, PEERS};
use crate::streams::{KINDS, Kind, SIZES};
use crate::wire::{self, Response, Varies};

/// Bytes of a stream in which allocations are counted: enough for several markers and chunks, and few enough for parsers
/// whose work grows with the square.
const LENGTH: usize = 1 << 16;

/// What counts.
pub trait Counter {
    /// The heap allocations of `run`.
    fn allocations(&mut self, run: &mut dyn FnMut()) -> u64;

    /// The bytes that `run` allocates and does not free.
    fn bytes(&mut self, run: &mut dyn FnMut()) -> usize;

    /// The bytes of a parser and all it owns before the first byte.
    fn at_rest(&mut self, builder: ParserBuilder) -> usize;

    /// The most bytes of a parser and all it owns while `feed` pushes a stream into it, chunk by chunk.
    fn most(&mut self, builder: ParserBuilder, feed: &mut dyn FnMut(Push<'_>)) -> usize;
}

/// Takes a chunk.
pub type Push<'a> = &'a mut dyn FnMut(&[u8]);

/// What was counted, by what it is about.
pub struct Counts(HashMap<String, f64>);

impl Counts {
    /// Builds the program `count`, runs it and reads what it prints.
    ///
    /// # Panics
    ///
    /// If it cannot be built or run: the report needs it.
    #[must_use]
    pub(crate) fn take() -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let mut command = Command::new(cargo);
        command
            .args(["run", "--release", "--locked", "--quiet", "--bin", "count"])
            .args(["--manifest-path", manifest]);
        // What cargo says of this package to what it runs would have build scripts run again.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        let output = command.output().expect("cargo can be run");
        let printed = String::from_utf8_lossy(&output.stdout);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let lines = printed.lines().filter_map(|line| {
            let (key, value) = line.rsplit_once('\t')?;
            Some((key.to_owned(), value.parse().ok()?))
        });
        Self(lines.collect())
    }

    /// What was counted under this key.
    ///
    /// # Panics
    ///
    /// If nothing was.
    #[must_use]
    pub(crate) fn get(&self, key: &str) -> f64 {
        let Some(&value) = self.0.get(key) else {
            panic!("nothing was counted of {key}");
        };
        value
    }
}

/// The key of a parser's allocations a chunk.
#[must_use]
pub(crate) fn key(name: &str, what: impl Display, size: usize) -> String {
    let size = size.min(1 << 16);
    format!("allocations\t{name}\t{what}\t{size}")
}

/// The key of the bytes before the first one in a mode.
#[must_use]
pub(crate) fn key_at_rest(mode: Mode) -> String {
    format!("at rest\t{mode:?}")
}

/// The key of the most bytes in a mode.
#[must_use]
pub(crate) fn key_most(mode: Mode) -> String {
    format!("most\t{mode:?}")
}

/// The key of the allocations for an event of a provider's stream.
pub(crate) const KEY_WIRE_ALLOCATIONS: &str = "wire allocations";

/// The key of the bytes of a rewriter of such a stream before the first one.
pub(crate) const KEY_WIRE_AT_REST: &str = "wire at rest";

/// The key of the most bytes of such a rewriter.
pub(crate) const KEY_WIRE_MOST: &str = "wire most";

/// All modes.
pub(crate) const MODES: [Mode; 4] = [Mode::Text, Mode::Auto, Mode::Json, Mode::Ndjson];

/// Counts everything and prints it, one line for each key.
pub fn print(counter: &mut dyn Counter) {
    for kind in KINDS {
        for size in kind.sizes(LENGTH) {
            // One chunk of the largest size is no steady state.
            let length = if size < LENGTH { LENGTH } else { 4 * LENGTH };
            for peer in std::iter::once(OWN).chain(PEERS) {
                let (text, _) = kind.text(&peer, if kind == Kind::Dense { LENGTH } else { length });
                let count = a_chunk(counter, &mut *(peer.make)(), &text, size);
                println!("{}\t{count}", key(peer.name, kind, size));
            }
        }
    }
    for document in json::documents() {
        for size in SIZES {
            for peer in json::peers(size) {
                let text = json::text(&document);
                let size = peer.chunk(&document, size);
                let count = a_chunk(counter, &mut *(peer.make)(&document), text, size);
                println!("{}\t{count}", key(peer.name, document.layout, size));
            }
        }
    }
    for mode in MODES {
        let builder = || Parser::builder().mode(mode);
        println!("{}\t{}", key_at_rest(mode), counter.at_rest(builder()));
        println!("{}\t{}", key_most(mode), most(counter, builder()));
    }
    print_wire(counter);
}

/// Counts what the rewriter of a provider's stream takes: its own bytes and all it owns.
fn print_wire(counter: &mut dyn Counter) {
    let (mut allocations, mut at_rest, mut most) = (0.0_f64, 0, 0);
    for varies in [Varies::Text, Varies::Obfuscation] {
        for delta in wire::DELTAS {
            let response = Response::new(delta, varies);
            let answer = Response::of_text(delta, varies, 1 << 14);
            for size in wire::PIECES {
                let mut rewriter = wire::rewriter();
                // The window and the places of annotations have reached their size when all this is read.
                for _ in 0..256 {
                    wire::feed(&mut rewriter, &response, size);
                }
                let count = counter.allocations(&mut || wire::feed(&mut rewriter, &response, size));
                allocations = allocations.max(count as f64 / response.events as f64);
                let mut made = None;
                let own = size_of::<StreamRewriter>();
                at_rest = own + counter.bytes(&mut || made = Some(wire::rewriter()));
                let fed = counter.bytes(&mut || {
                    if let Some(rewriter) = &mut made {
                        wire::feed(rewriter, &answer, size);
                    }
                });
                most = most.max(at_rest + fed);
            }
        }
    }
    println!("{KEY_WIRE_ALLOCATIONS}\t{allocations}");
    println!("{KEY_WIRE_AT_REST}\t{at_rest}");
    println!("{KEY_WIRE_MOST}\t{most}");
}

/// Allocations a chunk in the second stream.
fn a_chunk(counter: &mut dyn Counter, parser: &mut dyn Adapter, text: &str, size: usize) -> f64 {
    parser.read(text, size);
    let count = counter.allocations(&mut || {
        parser.read(text, size);
    });
    count as f64 / text.len().div_ceil(size) as f64
}

/// The most bytes over every family of streams, with and without records held back.
fn most(counter: &mut dyn Counter, builder: ParserBuilder) -> usize {
    let mut most = 0;
    for family in families() {
        for size in growth::SIZES {
            for hold in [false, true] {
                let builder = builder.clone().hold_records(hold);
                let bytes = counter.most(builder, &mut |push| {
                    family.feed(4 * LENGTH, size, |chunk| push(chunk));
                });
                most = most.max(bytes);
            }
        }
    }
    most
}
