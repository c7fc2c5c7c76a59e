//! Cost of the stream adapters beside direct calls of the parser: both sides in one run, in paired
//! rounds.
//!
//! `cargo bench -p provstream --features futures --bench adapters`
//!
//! Both sides take the same chunks as the same `Bytes` and look at the same events. The direct side calls
//! [`Rewriter`] in a loop; the other polls an adapter around a stream that is always ready.

#[allow(dead_code, unused_imports, reason = "the floors of the other benches")]
mod support;

use std::convert::Infallible;
use std::hint::black_box;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use provstream::io::TextStream;
use provstream::{Event, Parser, Rewriter};
use support::{Prose, stream as prose};

/// Rounds of which the median is taken. They are many and short, so that what else the machine does disturbs few of them.
const ROUNDS: usize = 1_001;

/// Bytes of a round.
const ROUND: usize = 1 << 17;

fn seconds(mut work: impl FnMut() -> usize) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

/// Prints how many times as long as `direct` the adapter takes. Both count the same.
fn row(name: &str, mut direct: impl FnMut() -> usize, mut adapter: impl FnMut() -> usize) {
    assert_eq!(direct(), adapter(), "{name}");
    let mut ratios = Vec::new();
    let (mut fastest_direct, mut fastest) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        let direct = seconds(&mut direct);
        let adapter = seconds(&mut adapter);
        ratios.push(adapter / direct);
        fastest_direct = fastest_direct.min(direct);
        fastest = fastest.min(adapter);
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "| {name} | 2.00 | {:.2} | {:.2} to {:.2} | {:.2} | {:.0} |",
        ratios[ROUNDS / 2],
        ratios[ROUNDS / 10],
        ratios[ROUNDS - 1 - ROUNDS / 10],
        fastest / fastest_direct,
        ROUND as f64 / fastest / 1e6
    );
}

/// The chunks as a service gets them.
fn received(chunks: &[Bytes]) -> impl Iterator<Item = Bytes> {
    chunks.iter().cloned()
}

/// Builds a stream of the chunks.
fn source(chunks: &[Bytes]) -> impl Stream<Item = Result<Bytes, Infallible>> + Unpin {
    stream::iter(received(chunks).map(Ok))
}

/// Takes all items of a stream that is always ready.
fn drain<T>(
    mut stream: impl Stream<Item = Result<T, Infallible>> + Unpin,
    mut take: impl FnMut(T),
) {
    let mut cx = Context::from_waker(Waker::noop());
    while let Poll::Ready(Some(Ok(item))) = stream.poll_next_unpin(&mut cx) {
        take(item);
    }
}

fn rewriter(chunks: &[Bytes]) -> usize {
    let mut length = 0;
    let mut sink = |event: Event<'_>| {
        if let Event::Text(text) = event {
            length += black_box(text.bytes()).len();
        }
    };
    let mut rewriter = Rewriter::new(Parser::new());
    for chunk in received(chunks) {
        rewriter.push(&chunk, &mut sink);
    }
    rewriter.finish(&mut sink);
    length
}

fn text_stream(chunks: &[Bytes]) -> usize {
    let mut length = 0;
    drain(TextStream::new(source(chunks), Parser::new(), ()), |text| {
        length += black_box(&text[..]).len();
    });
    length
}

fn main() {
    println!("{ROUNDS} paired rounds of {ROUND} bytes, mode auto\n");
    println!(
        "| adapter: to what | at most | median | middle 80 % | fastest rounds | MB/s |\n|---|---|---|---|---|---|"
    );
    for (gap, size) in [
        (20_000, 16),
        (2_000, 16),
        (200, 16),
        (2_000, 4),
        (2_000, 64),
        (2_000, 4_096),
    ] {
        let text = Bytes::from(prose(Prose::Plain, gap)).slice(..ROUND);
        let chunks: Vec<Bytes> = (0..text.len())
            .step_by(size)
            .map(|start| text.slice(start..text.len().min(start + size)))
            .collect();
        let case = format!("{size}-byte chunks, {gap} B");
        row(
            &format!("{case}, TextStream: Rewriter"),
            || rewriter(&chunks),
            || text_stream(&chunks),
        );
    }
}
