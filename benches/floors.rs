//! Lower bounds for any program that does the parser's work, measured beside the parser and the
//! other side of its targets.
//!
//! `cargo bench --bench floors`

#[path = "support/document.rs"]
#[expect(dead_code, reason = "other benches read other layouts")]
mod document;
#[path = "support/floor/mod.rs"]
mod floor;
#[path = "support/machine.rs"]
mod machine;
#[path = "support/rounds.rs"]
mod rounds;
#[expect(
    dead_code,
    reason = "other benches read rich text, and beside the regular expression"
)]
mod support;

use document::{Document, Layout};
use floor::json::Objects;
use floor::records::records;
use floor::text::{Text, opener, opener_or_brace};
use floor::window::Window;
use provstream::{Mode, Parser};
use rounds::{Times, Work, interleaved};
use support::{Prose, memchr3_and_copy, memchr3_pass, provstream, stream};

/// Rounds of which the median is taken.
const ROUNDS: usize = 31;

fn main() {
    println!("{}, {ROUNDS} interleaved rounds\n", machine::processor());
    println!(
        "| row | work | target | the floor's ratio | range | reached | range | the floor's MB/s |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    whole_text("1", Mode::Text, 0.7);
    whole_text("1, auto", Mode::Auto, 0.55);
    for (row, mode) in [("4", Mode::Text), ("4, auto", Mode::Auto)] {
        beside_copy(row, mode, 20_000, 1.5);
        beside_copy(row, mode, 200, 0.7);
    }
    println!(
        "\n| row | work | the floor's share of provstream's time | range | the floor's MB/s |"
    );
    println!("|---|---|---|---|---|");
    objects();
    dense_text::<4>();
    dense_text::<16>();
    dense_text::<64>();
}

/// Prints a line for a floor that stands beside the other side of a target, times in the order other, floor, own.
fn print_ratio(row: &str, work: &str, target: f64, times: &[Times]) {
    let [other, floor, own] = times else {
        return;
    };
    let [least, bound, most] = floor.times_as_fast_as(other);
    let [own_least, reached, own_most] = own.times_as_fast_as(other);
    println!(
        "| {row} | {work} | {target:.2} | {bound:.2} | {least:.2} to {most:.2} | {reached:.2} | {own_least:.2} to {own_most:.2} | {:.0} |",
        floor.rate()
    );
}

/// Prints a line for a floor that stands beside the parser alone, times in the order floor, own.
fn print_share(row: &str, work: &str, times: &[Times]) {
    let [floor, own] = times else {
        return;
    };
    let [least, share, most] = own.times_as_fast_as(floor);
    println!(
        "| {row} | {work} | {share:.2} | {least:.2} to {most:.2} | {:.0} |",
        floor.rate()
    );
}

/// Text in one piece, beside one search over it.
fn whole_text(row: &str, mode: Mode, target: f64) {
    let bytes = stream(Prose::Plain, 20_000);
    let mut parser = Parser::builder().mode(mode).build();
    let records = records(Parser::builder().mode(mode).build(), &bytes);
    let text = Text::new(&bytes, &records);
    let floor = || match mode {
        Mode::Auto => text.whole(opener_or_brace),
        _ => text.whole(opener),
    };
    assert_eq!(floor(), records.len(), "row {row}");
    let times = interleaved(
        ROUNDS,
        &mut [
            Work::new(bytes.len(), || memchr3_pass(&bytes)),
            Work::new(bytes.len(), floor),
            Work::new(bytes.len(), || provstream(&mut parser, &bytes, 1 << 16)),
        ],
    );
    let work = "64 KiB chunks, an annotation every 20000 bytes: one memchr3 pass";
    print_ratio(row, work, target, &times);
}

/// Text in chunks of 4 bytes, beside a search in each and a copy of it.
fn beside_copy(row: &str, mode: Mode, gap: usize, target: f64) {
    let bytes = stream(Prose::Plain, gap);
    let mut parser = Parser::builder().mode(mode).build();
    let records = records(Parser::builder().mode(mode).build(), &bytes);
    let text = Text::new(&bytes, &records);
    let (mut window, mut buffer) = (Window::new(), Vec::with_capacity(bytes.len()));
    let mut floor = || match mode {
        Mode::Auto => text.chunks::<4, true>(&mut window),
        _ => text.chunks::<4, false>(&mut window),
    };
    assert_eq!(floor(), records.len(), "row {row}");
    let times = interleaved(
        ROUNDS,
        &mut [
            Work::new(bytes.len(), || memchr3_and_copy(&mut buffer, &bytes, 4)),
            Work::new(bytes.len(), floor),
            Work::new(bytes.len(), || provstream(&mut parser, &bytes, 4)),
        ],
    );
    let work = format!("4-byte chunks, an annotation every {gap} bytes: memchr3 and copy of each");
    print_ratio(row, &work, target, &times);
}

/// Text in chunks of `N` bytes with an annotation every 200.
fn dense_text<const N: usize>() {
    let bytes = stream(Prose::Plain, 200);
    let mut parser = text_parser();
    let records = records(text_parser(), &bytes);
    let text = Text::new(&bytes, &records);
    let mut window = Window::new();
    assert_eq!(text.chunks::<N, false>(&mut window), records.len(), "row 7");
    let times = interleaved(
        ROUNDS,
        &mut [
            Work::new(bytes.len(), || text.chunks::<N, false>(&mut window)),
            Work::new(bytes.len(), || provstream(&mut parser, &bytes, N)),
        ],
    );
    let work = format!("{N}-byte chunks, an annotation every 200 bytes");
    print_share("7", &work, &times);
}

/// JSON in chunks of 64 KiB, 4 and 64 bytes.
fn objects() {
    let document = Document::new(Layout::Compact);
    let mut long = Objects::new(&document);
    let work = |size| format!("asserted objects in JSON, {size}-byte chunks");
    beside_own("5", &work(1 << 16), &document, 1 << 16, || {
        long.long_chunks(1 << 16)
    });
    let (mut short, mut window) = (Objects::new(&document), Window::new());
    beside_own("6", &work(4), &document, 4, || {
        short.short_chunks::<4>(&mut window)
    });
    beside_own("6", &work(64), &document, 64, || {
        short.short_chunks::<64>(&mut window)
    });
}

/// A floor for the document beside the parser in chunks of `size` bytes.
fn beside_own(
    row: &str,
    work: &str,
    document: &Document,
    size: usize,
    mut floor: impl FnMut() -> usize,
) {
    let mut parser = document.parser();
    assert_eq!(floor(), document.objects, "row {row}");
    let bytes = &document.bytes;
    let times = interleaved(
        ROUNDS,
        &mut [
            Work::new(bytes.len(), floor),
            Work::new(bytes.len(), || provstream(&mut parser, bytes, size)),
        ],
    );
    print_share(row, work, &times);
}

fn text_parser() -> Parser {
    Parser::builder().mode(Mode::Text).build()
}
