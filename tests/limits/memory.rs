//! In free text a stream's state is bounded by its limits, and `heap_size` tells the truth about it.
//!
//! The modes that know JSON keep more: `memory_json.rs` is about these.

use allocation_counter::measure;
use provstream::{Limits, Mode, Parser, Rewriter};
use testkit::meter::Meter;
use testkit::reference::engine::Cuts;
use testkit::reference::generate;

/// Most bytes that a parser and all it owns take before the first byte.
const AT_REST: usize = 1 << 10;

/// Most bytes that a parser and all it owns take in mode `text` with the default limits: 12 KiB and a pointer.
const WORST: usize = (12 << 10) + 8;

/// Sizes of chunks around every bound that the engine has, and some that share no factor with any.
const SIZES: [usize; 24] = [
    1, 2, 3, 7, 13, 16, 17, 63, 64, 65, 127, 255, 511, 512, 1_000, 1_023, 1_024, 1_025, 4_095,
    4_096, 4_097, 5_121, 9_345, 65_536,
];

/// A meter of a parser of free text.
fn meter(limits: Limits) -> Meter {
    Meter::new(Parser::builder().limits(limits).mode(Mode::Text))
}

/// Bytes repeated up to a length.
fn fill(bytes: &[u8], len: usize) -> Vec<u8> {
    bytes.iter().copied().cycle().take(len).collect()
}

/// 64 annotations whose values together come close to `max_pending`.
fn many(count: usize, value: usize) -> Vec<u8> {
    format!("[substrate.x; observation-id={}] ", "v".repeat(value))
        .repeat(count)
        .into_bytes()
}

/// Builds the parts that take the most memory; a test joins each part with each other one.
fn parts() -> Vec<(&'static str, Vec<u8>)> {
    let long_id = |len: usize| [&b"[substrate.x; observation-id="[..], &fill(b"i", len)].concat();
    vec![
        ("text", fill(b"word ", 9_000)),
        (
            "an assertion of the longest kind",
            [&b"\n\n"[..], &fill(b"w", 4_096)].concat(),
        ),
        ("white space", fill(b" ", 9_000)),
        ("lines of white space", fill(b" \n", 9_000)),
        ("wide white space", fill("\u{3000}".as_bytes(), 9_000)),
        ("64 short annotations", many(64, 1)),
        ("64 annotations that fill what may be pending", many(64, 40)),
        ("4 annotations that fill what may be pending", many(4, 990)),
        ("more annotations than are kept", many(100, 50)),
        ("an attempt that stays open", long_id(990)),
        ("an attempt that becomes too long", long_id(2_000)),
        ("a line of a table", fill(b"| cell ", 9_000)),
        ("empty cells", fill(b"| ", 9_000)),
        (
            "a fence with a long tail",
            [
                &b"\n```\n"[..],
                &fill(b"code\n", 6_000),
                &fill(b" \n", 6_000),
            ]
            .concat(),
        ),
        ("the fence's end", b"\n```\n".to_vec()),
        (
            "a quoted fence",
            [&b"\n> ```\n"[..], &fill(b"> c\n", 9_000), b"> ```\n"].concat(),
        ),
        ("backticks", fill(b"`", 9_000)),
        ("tildes", [&b"\n"[..], &fill(b"~", 9_000)].concat()),
        ("backslashes", fill(b"\\", 9_000)),
        ("openers", fill(b"[", 9_000)),
        ("block quotes", fill(b"\n> ", 9_000)),
        ("closing punctuation", fill("\u{2026})".as_bytes(), 9_000)),
        ("no UTF-8", fill(b"\xE2\x80", 9_000)),
        ("cut characters", fill(b"\xF0\x9F\x98", 9_000)),
    ]
}

#[test]
fn at_rest_a_parser_takes_less_than_a_kibibyte() {
    assert!(
        size_of::<Rewriter>() < AT_REST,
        "{} bytes",
        size_of::<Rewriter>()
    );
    // The vocabulary is shared by all parsers: it belongs to none of them.
    drop(Parser::new());
    for mode in [Mode::Text, Mode::Json, Mode::Ndjson, Mode::Auto] {
        for hold in [false, true] {
            let mut parser = None;
            let builder = Parser::builder().mode(mode).hold_records(hold);
            let allocated = measure(|| parser = Some(builder.build())).bytes_current;
            assert_eq!(allocated, 0, "nothing before the first byte: {mode:?}");
            let parser = parser.expect("it was built");
            let taken = size_of::<Parser>() + parser.heap_size();
            assert!(taken < AT_REST, "{taken} bytes in mode {mode:?}");
        }
    }
}

#[cfg(feature = "dialects")]
#[test]
fn at_rest_a_parser_with_dialects_takes_less_than_a_kibibyte_and_a_half() {
    let dialects = provstream::Dialects::built_in(["numeric", "openai-file", "cite-tag"]);
    // The tables are shared by all parsers.
    let dialects = dialects.expect("built-in dialects");
    for mode in [Mode::Text, Mode::Json, Mode::Ndjson, Mode::Auto] {
        let builder = Parser::builder().mode(mode).dialects(dialects.clone());
        let mut parser = None;
        let allocated = measure(|| parser = Some(builder.build())).bytes_current as usize;
        let parser = parser.expect("it was built");
        let taken = size_of::<Parser>() + allocated.max(parser.heap_size());
        assert!(taken <= 3 << 9, "{taken} bytes in mode {mode:?}");
    }
}

#[test]
fn no_two_parts_one_after_the_other_exceed_the_bound() {
    let parts = parts();
    let mut worst = (0, String::new());
    for (first, before) in &parts {
        for (second, behind) in &parts {
            let text = [&before[..], &behind[..], b" [substrate.grep] End."].concat();
            for size in SIZES.into_iter().filter(|&size| size > 60) {
                let what = format!("{first}, then {second}, in chunks of {size}");
                let mut meter = meter(Limits::default());
                for chunk in text.chunks(size) {
                    meter.push(chunk, &what);
                }
                meter.finish(&what);
                if meter.worst > worst.0 {
                    worst = (meter.worst, what);
                }
            }
        }
    }
    assert!(worst.0 < WORST, "{} bytes: {}", worst.0, worst.1);
}

#[test]
fn no_chain_of_parts_exceeds_the_bound_at_any_chunk_size() {
    let parts = parts();
    let mut worst = (0, String::new());
    for size in SIZES {
        let mut cuts = Cuts(size as u64);
        let mut meter = meter(Limits::default());
        // A parser that is used again keeps its memory, so what one stream took adds to what the next one takes.
        for _ in 0..if size < 16 { 8 } else { 60 } {
            let mut names = format!("in chunks of {size}:");
            for _ in 0..6 {
                let (name, part) = &parts[cuts.below(parts.len())];
                names.push_str(&format!(" {name};"));
                let most = 1 + cuts.below(part.len());
                for chunk in part[..most].chunks(size) {
                    meter.push(chunk, &names);
                }
            }
            meter.finish(&names);
            if meter.worst > worst.0 {
                worst = (meter.worst, names);
            }
        }
    }
    assert!(worst.0 < WORST, "{} bytes: {}", worst.0, worst.1);
}

#[test]
fn generated_inputs_do_not_exceed_the_bound() {
    let mut meter = meter(Limits::default());
    for seed in 0..1_000 {
        let what = format!("seed {seed}");
        for part in generate::input(seed) {
            for chunk in part.bytes.chunks(1 + seed as usize % 97) {
                meter.push(chunk, &what);
            }
        }
        meter.finish(&what);
    }
    assert!(meter.worst < WORST, "{} bytes", meter.worst);
}

#[test]
fn memory_follows_the_limits_and_not_the_stream() {
    let limits = Limits::default()
        .with_max_annotation(64)
        .and_then(|limits| limits.with_max_assertion(128))
        .and_then(|limits| limits.with_max_annotations(4))
        .and_then(|limits| limits.with_max_pending(128))
        .expect("limits in range");
    let mut worst = 0;
    for (name, part) in parts() {
        for size in [1, 64, 4_096] {
            let mut meter = meter(limits);
            for _ in 0..if size == 1 { 2 } else { 30 } {
                for chunk in part.chunks(size) {
                    meter.push(chunk, name);
                }
            }
            meter.finish(name);
            worst = worst.max(meter.worst);
        }
    }
    assert!(worst < 2 << 10, "{worst} bytes");
}
