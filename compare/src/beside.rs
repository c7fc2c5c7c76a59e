//! provstream beside each peer: one cell for a kind of stream and a size of chunks.

use std::time::{Duration, Instant};

use crate::adapter::{Adapter, Peer};
use crate::peers::{OWN, PEERS};
use crate::rounds::{Times, Work, interleaved};
use crate::streams::{KINDS, Kind};

/// Bytes of a stream at most.
const LONGEST: usize = 1 << 20;

/// Bytes of a stream at least.
const SHORTEST: usize = 1 << 14;

/// Bytes of a stream in which parsers are checked.
const CHECKED: usize = 1 << 16;

/// A stream four times as long is taken as long as this one is read within so much time.
const PATIENCE: Duration = Duration::from_millis(8);

/// What a parser reads in one cell.
struct Reading {
    parser: Box<dyn Adapter>,
    text: String,
    size: usize,
    /// Bytes of the stream that were asked for.
    length: usize,
}

impl Reading {
    /// The longest stream that this parser reads in reasonable time.
    fn new(peer: &Peer, kind: Kind, size: usize) -> Self {
        let mut length = SHORTEST;
        loop {
            let (text, markers) = kind.text(peer, length);
            let mut reading = Self {
                parser: (peer.make)(),
                text,
                size,
                length,
            };
            let found = reading.run();
            let missed = missed(peer, kind, size, found, markers);
            assert!(missed.is_none(), "{missed:?}");
            let start = Instant::now();
            reading.run();
            if length >= LONGEST || start.elapsed() > PATIENCE {
                return reading;
            }
            length *= 4;
        }
    }

    fn run(&mut self) -> usize {
        self.parser.read(&self.text, self.size)
    }
}

/// What to say of a parser that did not find what is there: it is not worth timing.
fn missed(
    peer: &Peer,
    kind: Kind,
    size: usize,
    found: usize,
    markers: Option<usize>,
) -> Option<String> {
    let markers = markers.filter(|&markers| peer.parses && markers != found)?;
    let name = peer.name;
    Some(format!(
        "{name}, {kind}, {size}-byte chunks: {found} of {markers}\n"
    ))
}

/// Sees to it that every parser finds every marker of streams of every kind, in chunks of every size.
///
/// # Panics
///
/// If one does not; all are named.
pub(crate) fn check() {
    let mut all = String::new();
    for kind in KINDS {
        for size in kind.sizes(CHECKED) {
            for peer in std::iter::once(OWN).chain(PEERS) {
                let (text, markers) = kind.text(&peer, CHECKED);
                let found = (peer.make)().read(&text, size);
                all.extend(missed(&peer, kind, size, found, markers));
            }
        }
    }
    assert!(all.is_empty(), "{all}");
}

/// How one parser did beside provstream in one cell.
pub(crate) struct Compared {
    /// What the parser is called.
    pub(crate) name: &'static str,
    /// Whether the seventh target is about it.
    pub(crate) streams: bool,
    /// The bytes of the stream that it read, where it read less than the others.
    pub(crate) shorter: Option<usize>,
    /// What it took.
    pub(crate) times: Times,
    /// How many times as fast provstream is; the median of the rounds.
    pub(crate) ratio: f64,
}

/// provstream and all peers on this kind of stream in chunks of `size` bytes, provstream first.
#[must_use]
pub(crate) fn compare(kind: Kind, size: usize, rounds: usize) -> Vec<Compared> {
    let all: Vec<Peer> = std::iter::once(OWN).chain(PEERS).collect();
    let mut readings: Vec<Reading> = all
        .iter()
        .map(|peer| Reading::new(peer, kind, size))
        .collect();
    let lengths: Vec<usize> = readings.iter().map(|reading| reading.length).collect();
    let mut works: Vec<Work<'_>> = readings
        .iter_mut()
        .map(|reading| Work::new(reading.text.len(), || reading.run()))
        .collect();
    let times = interleaved(rounds, &mut works);
    let own = times[0].clone();
    let compared = all.into_iter().zip(lengths).zip(times);
    let compared = compared.map(|((peer, length), times)| Compared {
        name: peer.name,
        streams: peer.streams,
        shorter: (length < LONGEST).then_some(length),
        ratio: own.times_as_fast_as(&times)[1],
        times,
    });
    compared.collect()
}

/// The sizes of chunks in which streams of this kind are compared.
#[must_use]
pub(crate) fn sizes(kind: Kind) -> Vec<usize> {
    kind.sizes(LONGEST)
}
