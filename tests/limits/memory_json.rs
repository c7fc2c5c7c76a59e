//! With JSON a stream's state is bounded by its limits in every mode, and `heap_size` tells the truth about it.

use provstream::{Limits, Mode, Parser, ParserBuilder};
use testkit::meter::Meter;
use testkit::reference::generate_json;

/// Most bytes that a parser and all it owns take in any mode with the default limits.
const WORST: usize = 192 << 10;

/// Sizes of chunks: single bytes, bits of tokens, tokens, and what files and sockets give.
const SIZES: [usize; 5] = [1, 3, 64, 1_000, 65_536];

/// In a plain `cargo test`, bits of tokens stand for single bytes, too.
const FEW_SIZES: [usize; 4] = [7, 64, 1_000, 65_536];

/// Most annotations of all objects that are open.
const MOST_ANNOTATIONS: usize = 512;

/// Most bytes that may be pending.
const MOST_PENDING: usize = 65_536;

/// Most bytes of a record.
const MOST_RECORD: usize = 65_536;

/// Every mode that knows JSON, with and without records held back.
fn builders() -> impl Iterator<Item = (String, ParserBuilder, Mode)> {
    let modes = [Mode::Json, Mode::Ndjson, Mode::Auto];
    modes.into_iter().flat_map(|mode| {
        [false, true].map(|hold| {
            let builder = Parser::builder().mode(mode).hold_records(hold);
            let what = format!("{mode:?}{}", if hold { " with records held" } else { "" });
            (what, builder, mode)
        })
    })
}

/// A byte as often as that.
fn fill(byte: u8, len: usize) -> Vec<u8> {
    vec![byte; len]
}

/// Objects in one another, each with `count` annotations of this kind before the next one and its assertion last, around
/// what is in the middle.
fn crowd(levels: usize, count: usize, annotation: &[u8], middle: &[u8]) -> Vec<u8> {
    let annotations = vec![annotation; count].join(&b","[..]);
    let open = [b"{\"provenance\":[", &annotations[..], b"],\"a\":"].concat();
    let close = b",\"assertion\":\"So it is.\"}";
    [open.repeat(levels), middle.to_vec(), close.repeat(levels)].concat()
}

/// An annotation with strings of these lengths, all of them faulty or none.
fn annotation(class: usize, id: usize, faulty: bool) -> Vec<u8> {
    let string = |len: usize| {
        let mut bytes = fill(b'v', len);
        if faulty && len > 0 {
            bytes[0] = 0xFF;
        }
        bytes
    };
    let time: &[u8] = if faulty {
        b"now"
    } else {
        b"2026-05-28T11:40:00Z"
    };
    [
        b"{\"substrate_class\":\"",
        &string(class)[..],
        b"\",\"observation_id\":\"",
        &string(id)[..],
        b"\",\"ts\":\"",
        time,
        b"\"}",
    ]
    .concat()
}

/// An object of so many bytes that is a record.
fn record(len: usize) -> Vec<u8> {
    let (open, close) = (b"{\"marc_version\":\"", b"\"}");
    let value = fill(b'v', len - open.len() - close.len());
    [&open[..], &value, close].concat()
}

/// An object that is nearly a record's length when a long name begins, whose end would be needed as well.
fn name_at_the_brim(before: usize, name: usize) -> Vec<u8> {
    [
        b"{\"a\":\"",
        &fill(b'v', before)[..],
        b"\",\"",
        &fill(b'n', name),
        b"\":{\"assertion\":\"",
        &fill(b't', 4_096),
        b"\"}}",
    ]
    .concat()
}

/// The values that are hardest to hold, without a line feed, so that each mode reads all of each.
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
fn families() -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = Vec::new();
    let mut add = |name: &str, bytes: Vec<u8>| found.push((name.to_owned(), bytes));

    let nest = |open: &str, close: &str| (open.repeat(128) + "1" + &close.repeat(128)).into_bytes();
    add("arrays in one another", nest("[", "]"));
    add("objects in one another", nest("{\"abcdefg\":", "}"));
    add("both in one another", nest("[{\"a\":", "}]"));
    add("deeper than allowed", b"{\"a\":".repeat(200));
    let spaces = " ".repeat(300_000);
    for (name, text) in [
        ("white space behind a name", "{\"abc\"~:1}"),
        (
            "white space behind a colon",
            "{\"abc\":~{\"assertion\":~\"x\"}}",
        ),
        ("white space in an array", "[{\"abc\":[1~,~2]}~]"),
        ("white space behind a brace", "[{~\"abc\":1}]"),
    ] {
        add(name, text.replace('~', &spaces).into_bytes());
    }
    add(
        "a pointer of escapes that grow",
        nest("{\"~/~/~/~/\":", ",\"assertion\":\"x\"}"),
    );

    // Annotations from the least to the largest, as many as depth allows.
    add("no objects", crowd(126, 64, b"1", b"1"));
    add("empty annotations", crowd(126, 64, b"{}", b"1"));
    add(
        "typical annotations",
        crowd(126, 64, &annotation(14, 16, false), b"1"),
    );
    add(
        "long identifiers",
        crowd(3, 64, &annotation(1_024, 0, false), b"1"),
    );
    add(
        "the largest annotations",
        crowd(2, 64, &annotation(1_024, 1_024, false), b"1"),
    );
    add(
        "annotations too large",
        crowd(3, 64, &annotation(1_025, 1_025, false), b"1"),
    );

    // With a place kept for each string that is at fault. The arena grows in steps: sizes around what may be pending find
    // the worst of them.
    let each = MOST_PENDING / MOST_ANNOTATIONS;
    for each in [each, each - 1, each - 2, each - 4, each - 8] {
        let faulty = annotation(each / 2, each - each / 2, true);
        add(
            &format!("faulty annotations of {each} bytes"),
            crowd(14, 64, &faulty, b"1"),
        );
    }
    add("faulty times", crowd(14, 64, &annotation(1, 0, true), b"1"));
    let marc = record(MOST_RECORD);
    for count in 1..=4 {
        let faulty = annotation(40 + count, 40 + count, true);
        add(
            &format!("a record behind faulty annotations {count}"),
            crowd(12, 64, &faulty, &marc),
        );
    }
    add(
        "a long name behind faulty annotations",
        crowd(
            12,
            64,
            &annotation(42, 43, true),
            &name_at_the_brim(MOST_RECORD - 20, 6_144),
        ),
    );
    add(
        "a record behind a long assertion in each object",
        [
            [&b"{\"assertion\":\""[..], &fill(b't', 4_096), b"\",\"a\":"]
                .concat()
                .repeat(20),
            marc.clone(),
            b"}".repeat(20),
        ]
        .concat(),
    );

    // What goes back as far as the longest record.
    for (name, member) in [
        ("any", "a"),
        ("the", "assertion"),
        ("the record's", "marc_version"),
    ] {
        add(
            &format!("{name} string of a mebibyte"),
            [
                format!("{{\"{member}\":\"").as_bytes(),
                &fill(b's', 1 << 20),
                b"\"}",
            ]
            .concat(),
        );
    }
    for len in [
        MOST_RECORD - 1,
        MOST_RECORD,
        MOST_RECORD + 1,
        MOST_RECORD + 4_096,
    ] {
        add(&format!("a record of {len} bytes"), record(len));
    }
    add(
        "names as long as a record",
        [b"{\"", &fill(b'n', MOST_RECORD)[..], b"\":1}"].concat(),
    );
    for (before, name) in [
        (10, 6_144),
        (MOST_RECORD - 20, 6_144),
        (MOST_RECORD - 20, 6_145),
    ] {
        add(
            &format!("a name of {name} bytes behind {before}"),
            name_at_the_brim(before, name),
        );
    }
    // With the object around it, it is as long as a chunk, and with the next chunk much longer than a record.
    add(
        "a record that begins at a chunk's end in an object as long as a record",
        [
            b"{\"a\":\"",
            &fill(b's', MOST_RECORD - 200)[..],
            b"\",\"b\":",
            &record(MOST_RECORD),
            b"}",
        ]
        .concat(),
    );
    add(
        "objects that grow too long one after the other",
        [
            b"{\"a\":".repeat(127),
            [&b"{\"a\":\""[..], &fill(b's', MOST_RECORD + 1_000), b"\"}"].concat(),
            b"}".repeat(127),
        ]
        .concat(),
    );
    found
}

/// Free text that takes the most memory, for mode `auto`.
fn prose() -> Vec<u8> {
    [
        b"word ".repeat(2_000),
        b"[".repeat(9_000),
        b"[substrate.x; observation-id=v] ".repeat(64),
        b"\n\n```\n".to_vec(),
        b"code\n".repeat(2_000),
        b" \n".repeat(2_000),
        b"```\n".to_vec(),
        b"[substrate.x; observation-id=".to_vec(),
        b"i".repeat(990),
        b"]\n".to_vec(),
    ]
    .concat()
}

/// A fenced block of the smallest records.
fn records_in_code() -> Vec<u8> {
    [
        &b"\n```\n"[..],
        &b"{\"assertion\":\"\"}".repeat(2_000),
        b"\n```\n[substrate.grep]\n",
    ]
    .concat()
}

/// The worst that any of these streams came to, and which one.
#[derive(Default)]
struct Worst(usize, String);

impl Worst {
    fn take(&mut self, meter: &Meter, what: &str) {
        if meter.worst > self.0 {
            *self = Self(meter.worst, what.to_owned());
        }
    }

    fn check(&self) {
        assert!(self.0 <= WORST, "{} bytes: {}", self.0, self.1);
    }
}

/// Feeds each family alone to a new parser.
fn alone(sizes: &[usize]) {
    let mut worst = Worst::default();
    for (name, bytes) in families() {
        for (how, builder, _) in builders() {
            for &size in sizes {
                let what = format!("{name}, {how}, in chunks of {size}");
                let mut meter = Meter::new(builder.clone());
                for chunk in bytes.chunks(size) {
                    meter.push(chunk, &what);
                }
                meter.finish(&what);
                worst.take(&meter, &what);
            }
        }
    }
    worst.check();
}

#[test]
fn no_value_exceeds_the_bound_in_short_chunks() {
    alone(&[3, 64]);
}

#[test]
fn no_value_exceeds_the_bound_in_long_chunks() {
    alone(&[1_000, 4_096, 65_536]);
}

/// A parser keeps its memory, so what one value took adds to what the next one takes.
#[test]
fn no_chain_of_values_exceeds_the_bound() {
    let mut worst = Worst::default();
    let mut chain = Vec::new();
    for (_, bytes) in families() {
        chain.extend_from_slice(&bytes);
        chain.push(b'\n');
    }
    for (how, builder, mode) in builders() {
        let stream = match mode {
            Mode::Auto => [prose(), records_in_code(), chain.clone(), prose()].concat(),
            _ => chain.clone(),
        };
        let sizes: &[usize] = match testkit::search::is_long() {
            true => &SIZES,
            false => &FEW_SIZES,
        };
        for &size in sizes {
            let what = format!("all, {how}, in chunks of {size}");
            let mut meter = Meter::new(builder.clone());
            for chunk in stream.chunks(size) {
                meter.push(chunk, &what);
            }
            meter.finish(&what);
            worst.take(&meter, &what);
        }
    }
    worst.check();
}

#[test]
fn generated_streams_do_not_exceed_the_bound() {
    let mut worst = Worst::default();
    for seed in 0..1_500 {
        let generate_json::Case { reading, input, .. } = generate_json::case(seed);
        let (_, builder, _) = builders()
            .nth(seed as usize % 6)
            .expect("there are six ways to read");
        let mut meter = Meter::new(builder);
        let what = format!("seed {seed}, made for {reading:?}");
        for segment in input {
            for chunk in segment.bytes.chunks(1 + seed as usize % 97) {
                meter.push(chunk, &what);
            }
        }
        meter.finish(&what);
        worst.take(&meter, &what);
    }
    worst.check();
}

#[test]
fn memory_follows_the_limits_and_not_the_stream() {
    let limits = Limits::default()
        .with_max_annotation(64)
        .and_then(|limits| limits.with_max_assertion(128))
        .and_then(|limits| limits.with_max_annotations(4))
        .and_then(|limits| limits.with_max_pending(512))
        .and_then(|limits| limits.with_max_depth(8))
        .and_then(|limits| limits.with_max_pointer(64))
        .and_then(|limits| limits.with_max_record(512))
        .expect("limits in range");
    let mut worst = Worst::default();
    for (name, bytes) in families() {
        for (how, builder, _) in builders() {
            let what = format!("{name}, {how}, with small limits");
            let mut meter = Meter::new(builder.limits(limits));
            for chunk in bytes.chunks(1_000) {
                meter.push(chunk, &what);
            }
            meter.finish(&what);
            worst.take(&meter, &what);
        }
    }
    // Beyond the limits there is slack for what is kept of the stream.
    assert!(worst.0 < 16 << 10, "{} bytes: {}", worst.0, worst.1);
}

#[test]
fn heap_size_counts_how_deep_a_value_is() {
    let limits = Limits::default().with_max_depth(2_000).expect("a limit");
    for size in [1, 7, 100_000] {
        let builder = Parser::builder().mode(Mode::Json).limits(limits);
        let mut meter = Meter::new(builder);
        for chunk in "[[[{\"a\":".repeat(400).as_bytes().chunks(size) {
            meter.push(chunk, "a deep value");
        }
        meter.finish("a deep value");
    }
}
