//! The streams, limits and readings that the properties are tried on.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use testkit::reference::{Reading, RefLimits, RefMode, Segment};

/// Building blocks of streams: every byte that the grammars treat specially, in many combinations,
/// and some plain text.
pub(super) const FRAGMENTS: &[&str] = &[
    "[",
    "[",
    "]",
    ";",
    "=",
    "\"",
    "\\",
    "`",
    "``",
    "```",
    "~~~",
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "  ",
    "\t",
    "|",
    ">",
    "\n> ",
    "\n- ",
    "\n1. ",
    "\n# ",
    "\n| ",
    ".",
    ". ",
    "!",
    "\u{2019}",
    "\u{3002}",
    "\u{a0}",
    "\u{3000}",
    "\u{feff}",
    "\0",
    "a",
    "word ",
    "It is so. ",
    "Dr. Smith ",
    "\u{e9}\u{1F600}",
    "substrate.",
    "substrate.grep",
    "unverified-inference",
    "1.0.",
    "note",
    "ts",
    "observation-id",
    "observation_id=",
    "ts=2026-05-28T11:40:00Z",
    "; ts=",
    "x=\"a; b] [c\"",
    "[substrate.grep]",
    " [substrate.grep]",
    "[substrate.code.read; observation-id=sha256:e3b0; ts=2026-05-28T11:40:00Z]",
    "[substrate.x; y]",
    "[note; ts=now]",
    "[1]",
    "[text](url)",
    "\n```\n",
    "\n~~~\n",
    "\n> ```\n",
    "> ",
];

/// A stream of one author.
pub(super) fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop_oneof![
        12 => select(FRAGMENTS).prop_map(|text| text.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 1..4),
    ];
    vec(fragment, 0..most).prop_map(|fragments| fragments.concat())
}

/// A stream of two authors.
pub(super) fn segments(most: usize) -> impl Strategy<Value = Vec<Segment>> {
    let segment = (prop::bool::weighted(0.75), bytes(most)).prop_map(|(own, bytes)| Segment {
        own,
        bytes,
        after_break: false,
    });
    vec(segment, 1..4)
}

/// Complete and incomplete parts of JSON values.
const JSON_FRAGMENTS: &[&str] = &[
    "{",
    "{",
    "{\"",
    "{ ",
    "{\n\"",
    "}",
    "}",
    "[",
    "[{",
    "[[\"",
    "]",
    "\"",
    "\"",
    "\"a\"",
    "\"a\":",
    ":",
    ",",
    ", ",
    " ",
    "   ",
    "\n",
    "\r\n",
    "\t",
    "\\",
    "\\\"",
    "\\u00",
    "null",
    "tru",
    "1",
    "-1.5e",
    "{\"a\":",
    "{\"a\":[",
    "{\"a ",
    "{}",
    "{\"assertion\":\"x\"}",
    "{\"assertion\":\"x ",
    "{\"assertion\":\"[substrate.grep]\",",
    "\"provenance\":[{\"substrate_class\":\"substrate.grep\"}]}",
    "{\"marc_version\":1}",
    "[substrate.grep]",
    " [substrate.grep",
    "[note; ts=",
    "word ",
    "`",
    "\n```\n",
    "\n> ```\n> ",
    "\n- ",
    "> ",
    "\u{e9}",
    "\u{feff}",
    "\u{a0}",
    "\0",
];

/// A stream of two authors, rich in JSON.
pub(super) fn json_segments(most: usize) -> impl Strategy<Value = Vec<Segment>> {
    let fragment = prop_oneof![
        12 => select(JSON_FRAGMENTS).prop_map(|text| text.as_bytes().to_vec()),
        3 => select(FRAGMENTS).prop_map(|text| text.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 1..3),
    ];
    let bytes = vec(fragment, 0..most).prop_map(|fragments| fragments.concat());
    let segment = (prop::bool::weighted(0.85), bytes).prop_map(|(own, bytes)| Segment {
        own,
        bytes,
        after_break: false,
    });
    vec(segment, 1..3)
}

/// Every way to read a stream in which JSON is known.
pub(super) fn reading() -> impl Strategy<Value = Reading> {
    let mode = select(vec![
        RefMode::Auto,
        RefMode::Auto,
        RefMode::Json,
        RefMode::Ndjson,
    ]);
    (mode, any::<bool>()).prop_map(|(mode, hold_records)| Reading { mode, hold_records })
}

/// The defaults, or limits of which some are so small that they matter.
pub(super) fn json_limits() -> impl Strategy<Value = RefLimits> {
    let small = |most: usize, default: usize| prop_oneof![2 => Just(default), 1 => 1..most];
    let default = RefLimits::default();
    (
        small(30, default.max_annotation),
        small(40, default.max_assertion),
        small(4, default.max_annotations),
        prop_oneof![2 => Just(None), 1 => (1_usize..60).prop_map(Some)],
        small(5, default.max_depth),
        small(20, default.max_pointer),
        small(60, default.max_record),
    )
        .prop_map(
            |(
                max_annotation,
                max_assertion,
                max_annotations,
                pending,
                max_depth,
                max_pointer,
                max_record,
            )| {
                let default = RefLimits::default();
                RefLimits {
                    max_annotation,
                    max_assertion: max_assertion.max(4),
                    max_annotations,
                    max_pending: pending.unwrap_or(default.max_pending),
                    max_pending_json: pending.unwrap_or(default.max_pending_json),
                    max_depth,
                    max_pointer,
                    max_record,
                }
            },
        )
}

/// The defaults, or limits so small that they matter.
pub(super) fn limits() -> impl Strategy<Value = RefLimits> {
    prop_oneof![
        2 => Just(RefLimits::default()),
        1 => (1_usize..80, 4_usize..60, 1_usize..4, 1_usize..80).prop_map(
            |(max_annotation, max_assertion, max_annotations, max_pending)| RefLimits {
                max_annotation,
                max_assertion,
                max_annotations,
                max_pending,
                ..RefLimits::default()
            }
        ),
    ]
}
